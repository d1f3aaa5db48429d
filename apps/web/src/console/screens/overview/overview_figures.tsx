/** The figures of the overview. A part is null without its area. */
import type { ResponseBody } from "parking-lot-client";
import { dateTime, duration, number, timeOfDay } from "../../../format.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Rows } from "../../kit/table.tsx";
import { DeliveryCard } from "./delivery_card.tsx";
import { Figure, FigureCard } from "./figure.tsx";
import { SessionsChart } from "./sessions_chart.tsx";

const text = consoleTexts(({ overview }) => overview.figures);

type Overview = ResponseBody<"/v1/admin/overview", "get">;

export function OverviewFigures({ overview }: { overview: Overview }) {
  const t = text.value;
  // A part is null without its area.
  const hasWork = [
    overview.open_work.pending_reviews,
    overview.open_work.open_error_reports,
    overview.open_work.waiting_tickets,
  ]
    .some((work) => work !== null);
  const { open_work, people, sessions, sessions_by_day, jobs, slow_queries } = overview;
  return (
    <>
      <p class="small">{t.figuresOf(dateTime(open_work.at))}</p>
      <div class="console-cards">
        {hasWork && (
          <FigureCard title={t.work}>
            <OpenWork name={t.reviews} work={open_work.pending_reviews} path="/console/reviews" />
            <OpenWork name={t.reports} work={open_work.open_error_reports} path="/console/error-reports" />
            <OpenWork name={t.tickets} work={open_work.waiting_tickets} path="/console/support-tickets" />
          </FigureCard>
        )}
        {people && sessions && (
          <FigureCard title={t.users}>
            <Figure name={t.parking} value={sessions.parking} />
            <Figure name={t.all} value={people.all} />
            <Figure name={t.active} value={people.active} />
            <Figure name={t.newUsers} value={people.new_7d} />
            <Figure name={t.premium} value={people.premium} />
          </FigureCard>
        )}
        <FigureCard title={t.service}>
          <Figure name={t.jobs} value={jobs.failing.length} note={jobs.failing.join(", ")} path="/console/jobs" />
          <Figure name={t.failed} value={jobs.failed_24h} />
          <Figure name={t.dead} value={overview.dead_messages.count} path="/console/dead-messages" />
          <Figure name={t.lastJob} value={jobs.last_started_at === null ? "–" : timeOfDay(jobs.last_started_at)} />
        </FigureCard>
      </div>
      <div class="console-cards">
        {sessions_by_day && (
          <FigureCard title={t.started}>
            <SessionsChart days={sessions_by_day.days} />
          </FigureCard>
        )}
        {overview.push && <DeliveryCard title={t.pushes} delivery={overview.push} sent="delivered" />}
        {overview.mail && <DeliveryCard title={t.mails} delivery={overview.mail} sent="sent" />}
      </div>
      <MessageQueues queues={overview.message_queues.items} />
      {slow_queries && <SlowQueries slow={slow_queries} />}
    </>
  );
}

function waited(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  return days >= 2 ? text.value.days(number(days)) : duration(seconds / 60);
}

function OpenWork(
  { name, work, path }: {
    name: string;
    /** Null without the area. */
    work: Overview["open_work"]["pending_reviews"];
    path: string;
  },
) {
  if (work === null) return null;
  const age = work.oldest_age_seconds;
  return (
    <Figure
      name={name}
      value={work.count}
      note={age === null ? "" : text.value.oldest(waited(age))}
      path={path}
    />
  );
}

function MessageQueues({ queues }: { queues: Overview["message_queues"]["items"] }) {
  const t = text.value;
  return (
    <details class="console-more">
      <summary>{t.queues}</summary>
      <Rows
        items={queues}
        columns={[
          { head: t.queue, cell: ({ queue }) => queue },
          { head: t.length, cell: ({ length }) => number(length), isNumber: true },
          { head: t.due, cell: ({ due }) => number(due), isNumber: true },
          { head: t.oldestDue, cell: ({ oldest_due_at }) => oldest_due_at && dateTime(oldest_due_at) },
        ]}
      />
    </details>
  );
}

function SlowQueries({ slow }: { slow: NonNullable<Overview["slow_queries"]> }) {
  const t = text.value;
  return (
    <details class="console-more">
      <summary>{t.slow}</summary>
      {slow.reason !== null ? <p class="small">{t.noSlow}</p> : (
        <Rows
          items={slow.items}
          columns={[
            { head: t.query, cell: ({ query }) => <code>{query}</code> },
            { head: t.calls, cell: ({ calls }) => number(calls), isNumber: true },
            { head: t.mean, cell: ({ mean_ms }) => number(mean_ms, 1), isNumber: true },
            { head: t.max, cell: ({ max_ms }) => number(max_ms, 1), isNumber: true },
          ]}
        />
      )}
    </details>
  );
}
