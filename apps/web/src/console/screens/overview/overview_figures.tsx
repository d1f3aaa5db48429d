/** The figures of the overview. A part is null without its area. */
import { dateTime, number, timeOfDay } from "../../../format.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Rows } from "../../kit/table.tsx";
import { DeliveryCard } from "./delivery_card.tsx";
import { Figure, FigureCard } from "./figure.tsx";
import type { Overview } from "./questions.ts";
import { SessionsChart } from "./sessions_chart.tsx";

const text = consoleTexts(({ overview }) => overview.figures);

/** The figures of this moment. */
export function Now({ overview: { open_work, people, sessions, jobs, dead_messages } }: { overview: Overview }) {
  const t = text.value;
  return (
    <section class="card overview-now" aria-label={t.now}>
      <h2>{t.now}</h2>
      {sessions && <Figure name={t.parking} value={sessions.parking} />}
      {people && (
        <>
          <Figure name={t.all} value={people.all} path="/console/users" />
          <Figure name={t.active} value={people.active} />
          <Figure name={t.newUsers} value={people.new_7d} />
          <Figure name={t.premium} value={people.premium} />
        </>
      )}
      <Figure name={t.jobs} value={jobs.failing.length} path="/console/jobs" />
      <Figure name={t.failed} value={jobs.failed_24h} />
      <Figure name={t.dead} value={dead_messages.count} path="/console/dead-messages" />
      <Figure name={t.lastJob} value={jobs.last_started_at === null ? "–" : timeOfDay(jobs.last_started_at)} />
      <p class="small">{t.figuresOf(dateTime(open_work.at))}</p>
    </section>
  );
}

export function OverviewFigures({ overview }: { overview: Overview }) {
  const t = text.value;
  const { sessions_by_day, slow_queries } = overview;
  return (
    <>
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

function MessageQueues({ queues }: { queues: Overview["message_queues"]["items"] }) {
  const t = text.value;
  return (
    <details class="console-more">
      <summary>{t.queues}</summary>
      <Rows
        items={queues}
        columns={[
          { head: t.queue, cell: ({ queue }) => <code>{queue}</code> },
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
