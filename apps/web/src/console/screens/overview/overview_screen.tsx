/** The first screen: figures of the service, and what users do right now. */
import { useEffect, useMemo } from "preact/hooks";
import uPlot from "uplot";
import type { ComponentChildren } from "preact";
import type { ResponseBody } from "parking-lot-client";
import { date, dateTime, duration, number, timeOfDay } from "../../../format.ts";
import { language, texts } from "../../../language.ts";
import { href } from "../../../router.ts";
import { Chart } from "../../../ui/chart.tsx";
import { color } from "../../../ui/color.ts";
import { Loaded, useLoad } from "../../../ui/load.tsx";
import { client, may } from "../../kit/access.ts";
import { ActivityFeed } from "./activity_feed.tsx";
import { Rows } from "../../kit/table.tsx";

type Overview = ResponseBody<"/v1/admin/overview", "get">;
type Delivery = NonNullable<Overview["push"]>;

const RELOAD_MS = 60_000;
const DAYS = 14;

const text = texts({
  en: {
    work: "Open work",
    reviews: "Reviews to moderate",
    reports: "Error reports",
    tickets: "Tickets that wait",
    oldest: (age: string) => `the oldest waits for ${age}`,
    days: (days: string) => `${days} days`,
    people: "People",
    all: "App users",
    active: "Active",
    newUsers: "New in seven days",
    premium: "Premium",
    parking: "Parking now",
    service: "Service",
    jobs: "Jobs that fail",
    failed: "Failed runs in 24 hours",
    lastJob: "Last start of a job",
    dead: "Dead messages",
    started: "Sessions by day",
    day: "Day",
    sessions: "Sessions",
    pushes: "Pushes in 24 hours",
    mails: "Mails in 24 hours",
    hour: "Hour",
    sent: "Sent",
    other: "Not sent",
    waiting: "Waiting",
    trouble: (reason: string, since: string) => `Nothing is sent since ${since}: ${reason}.`,
    reasons: {
      outage: "the other company does not respond",
      credentials: "the credentials were rejected",
      not_configured: "the settings are missing",
      quota: "the quota is used up",
    } as Record<string, string>,
    queues: "Message queues",
    queue: "Queue",
    length: "Messages",
    due: "Due",
    oldestDue: "Oldest due",
    slow: "Slow queries",
    query: "Query",
    calls: "Calls",
    mean: "Mean (ms)",
    max: "Longest (ms)",
    noSlow: "The database does not measure its queries.",
    figuresOf: (time: string) => `Figures of ${time}`,
  },
  ja: {
    work: "対応待ち",
    reviews: "審査待ちのレビュー",
    reports: "情報修正の報告",
    tickets: "回答待ちの問い合わせ",
    oldest: (age: string) => `最も古いものは${age}経過`,
    days: (days: string) => `${days}日`,
    people: "利用者",
    all: "登録者",
    active: "有効",
    newUsers: "7日間の新規登録",
    premium: "プレミアム",
    parking: "駐車中",
    service: "サービス",
    jobs: "失敗しているジョブ",
    failed: "24時間の失敗回数",
    lastJob: "最後のジョブ開始",
    dead: "処理できないメッセージ",
    started: "日別の駐車",
    day: "日",
    sessions: "駐車",
    pushes: "24時間のプッシュ通知",
    mails: "24時間のメール",
    hour: "時刻",
    sent: "送信済み",
    other: "未送信",
    waiting: "待ち",
    trouble: (reason: string, since: string) => `${since}から送信できていません。${reason}。`,
    reasons: {
      outage: "送信先が応答しません",
      credentials: "認証情報が拒否されました",
      not_configured: "設定がありません",
      quota: "上限に達しました",
    } as Record<string, string>,
    queues: "メッセージキュー",
    queue: "キュー",
    length: "件数",
    due: "処理可能",
    oldestDue: "最も古いもの",
    slow: "遅いクエリ",
    query: "クエリ",
    calls: "回数",
    mean: "平均(ミリ秒)",
    max: "最長(ミリ秒)",
    noSlow: "データベースはクエリを計測していません。",
    figuresOf: (time: string) => `${time}現在の数値`,
  },
});

export function OverviewScreen() {
  const load = useLoad(
    async (signal) => (await client.GET("/v1/admin/overview", { params: { query: { days: DAYS } }, signal })).data,
    [],
  );
  useEffect(() => {
    const timer = setInterval(load.reload, RELOAD_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <div class="console-overview">
      <div>
        <Loaded load={load}>{(overview) => <Figures overview={overview} />}</Loaded>
      </div>
      {may("users") && <ActivityFeed />}
    </div>
  );
}

function Figures({ overview }: { overview: Overview }) {
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
          <Card title={t.work}>
            <Work name={t.reviews} work={open_work.pending_reviews} path="/console/reviews" />
            <Work name={t.reports} work={open_work.open_error_reports} path="/console/error-reports" />
            <Work name={t.tickets} work={open_work.waiting_tickets} path="/console/support-tickets" />
          </Card>
        )}
        {people && sessions && (
          <Card title={t.people}>
            <Figure name={t.parking} value={sessions.parking} />
            <Figure name={t.all} value={people.all} />
            <Figure name={t.active} value={people.active} />
            <Figure name={t.newUsers} value={people.new_7d} />
            <Figure name={t.premium} value={people.premium} />
          </Card>
        )}
        <Card title={t.service}>
          <Figure name={t.jobs} value={jobs.failing.length} note={jobs.failing.join(", ")} path="/console/jobs" />
          <Figure name={t.failed} value={jobs.failed_24h} />
          <Figure name={t.dead} value={overview.dead_messages.count} path="/console/dead-messages" />
          <Figure name={t.lastJob} value={jobs.last_started_at === null ? "–" : timeOfDay(jobs.last_started_at)} />
        </Card>
      </div>
      <div class="console-cards">
        {sessions_by_day && (
          <Card title={t.started}>
            <SessionsChart days={sessions_by_day.days} />
          </Card>
        )}
        {overview.push && <DeliveryCard title={t.pushes} delivery={overview.push} sent="delivered" />}
        {overview.mail && <DeliveryCard title={t.mails} delivery={overview.mail} sent="sent" />}
      </div>
      <details class="console-more">
        <summary>{t.queues}</summary>
        <Rows
          items={overview.message_queues.items}
          columns={[
            { head: t.queue, cell: ({ queue }) => queue },
            { head: t.length, cell: ({ length }) => number(length), isNumber: true },
            { head: t.due, cell: ({ due }) => number(due), isNumber: true },
            { head: t.oldestDue, cell: ({ oldest_due_at }) => oldest_due_at && dateTime(oldest_due_at) },
          ]}
        />
      </details>
      {slow_queries && (
        <details class="console-more">
          <summary>{t.slow}</summary>
          {slow_queries.reason !== null ? <p class="small">{t.noSlow}</p> : (
            <Rows
              items={slow_queries.items}
              columns={[
                { head: t.query, cell: ({ query }) => <code>{query}</code> },
                { head: t.calls, cell: ({ calls }) => number(calls), isNumber: true },
                { head: t.mean, cell: ({ mean_ms }) => number(mean_ms, 1), isNumber: true },
                { head: t.max, cell: ({ max_ms }) => number(max_ms, 1), isNumber: true },
              ]}
            />
          )}
        </details>
      )}
    </>
  );
}

function Card({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Figure(
  { name, value, note, path }: { name: string; value: number | string; note?: string; path?: string },
) {
  const shown = typeof value === "number" ? number(value) : value;
  return (
    <p class="console-figure">
      <span>{path === undefined ? name : <a href={href(path)}>{name}</a>}</span>
      <strong>{shown}</strong>
      {note && <span class="small">{note}</span>}
    </p>
  );
}

function waited(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  return days >= 2 ? text.value.days(number(days)) : duration(seconds / 60);
}

function Work(
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

const bars = () => uPlot.paths.bars!({ size: [0.7, 60] });

function SessionsChart({ days }: { days: NonNullable<Overview["sessions_by_day"]>["days"] }) {
  const t = text.value;
  const data = useMemo<uPlot.AlignedData>(
    () => [days.map((_, index) => index), days.map(({ started }) => started)],
    [days],
  );
  const series = useMemo<uPlot.Series[]>(
    () => [{}, { paths: bars(), fill: color("accent"), stroke: color("accent"), points: { show: false } }],
    [],
  );
  const dayOf = (index: number) => date(`${days[index]?.date}T12:00:00+09:00`);
  return (
    <Chart
      key={language.value}
      label={t.started}
      data={data}
      series={series}
      scales={{ x: { time: false, range: [-0.7, days.length - 0.3] }, y: { range: (_, __, max) => [0, max || 1] } }}
      axes={[{
        values: (_, ticks) => ticks.map((tick) => days[tick] ? String(Number(days[tick].date.slice(8))) : ""),
      }, { size: 40, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000] }]}
      head={[t.day, t.sessions]}
      row={(index) => [dayOf(index), number(days[index]!.started)]}
      height={160}
    />
  );
}

function DeliveryCard(
  { title, delivery, sent }: { title: string; delivery: Delivery | NonNullable<Overview["mail"]>; sent: string },
) {
  const t = text.value;
  const { outcomes, waiting, trouble, at } = delivery;
  const hours = useMemo(() => {
    const end = Math.floor(Date.parse(at) / 3_600_000);
    return Array.from({ length: 24 }, (_, index) => {
      const hour = end - 23 + index;
      const counts = outcomes.find((outcome) => Date.parse(outcome.hour) / 3_600_000 === hour)?.counts ?? {};
      const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
      return { hour: hour * 3600, sent: counts[sent] ?? 0, other: all - (counts[sent] ?? 0) };
    });
  }, [delivery]);
  const data = useMemo<uPlot.AlignedData>(
    () => [hours.map(({ hour }) => hour), hours.map(({ sent }) => sent), hours.map(({ other }) => other)],
    [hours],
  );
  const series = useMemo<uPlot.Series[]>(
    () => [{}, { stroke: color("good"), width: 2 }, { stroke: color("bad"), width: 2, dash: [4, 3] }],
    [],
  );
  return (
    <Card title={title}>
      {trouble && <p class="wrong">{t.trouble(t.reasons[trouble.reason] ?? trouble.reason, dateTime(trouble.since))}
      </p>}
      <Figure name={t.waiting} value={waiting} />
      <Chart
        key={language.value}
        label={title}
        data={data}
        series={series}
        scales={{ y: { range: (_, __, max) => [0, max || 1] } }}
        axes={[{ values: (_, ticks) => ticks.map((tick) => timeOfDay(new Date(tick * 1000))) }, { size: 40 }]}
        head={[t.hour, t.sent, t.other]}
        row={(index) => {
          const { hour, sent, other } = hours[index]!;
          return [timeOfDay(new Date(hour * 1000)), number(sent), number(other)];
        }}
        height={120}
      />
      <p class="small">
        <span class="good">━</span> {t.sent} <span class="wrong">╍</span> {t.other}
      </p>
    </Card>
  );
}
