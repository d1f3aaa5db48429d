/** Metrics: the figures of the database as families, and their text in Prometheus' exposition format (version 0.0.4). */
import type { z } from "zod";
import { VERSION } from "../_shared/config.ts";
import { BUCKETS, type RequestCount } from "../_shared/http/request_counts.ts";
import { route } from "../_shared/http/route.ts";
import { Metrics } from "./metrics.schema.ts";

type Time = string | null;

/** The reply of api.service_metrics. */
export interface ServiceFigures {
  readonly at: string;
  readonly requests: readonly RequestCount[];
  readonly queues: {
    readonly at: Time;
    readonly items: readonly {
      readonly queue: string;
      readonly length: number;
      readonly due: number;
      readonly oldest_due_at: Time;
      readonly dead: number;
    }[];
  };
  readonly jobs: {
    readonly at: Time;
    readonly items: readonly {
      readonly name: string;
      readonly is_active: boolean;
      readonly failed_24h: number;
      readonly is_failing: boolean;
      readonly succeeded_at: Time;
    }[];
  };
  readonly statements: { readonly at: Time; readonly mean_ms: readonly number[] };
  readonly outages: readonly {
    readonly queue: string;
    readonly reason: string | null;
    readonly failures: number;
    readonly failing_since: Time;
    readonly paused_until: Time;
  }[];
  readonly store_sync: readonly {
    readonly store: string;
    readonly task: string;
    readonly succeeded_at: Time;
    readonly failed_24h: number;
  }[];
  readonly withdrawals: { readonly open: number; readonly oldest_at: Time };
  readonly last_job_started_at: Time;
  readonly database: {
    readonly size_bytes: number;
    readonly commits: number;
    readonly rollbacks: number;
    readonly blocks_hit: number;
    readonly blocks_read: number;
    readonly deadlocks: number;
    readonly temp_bytes: number;
    readonly connections: Readonly<Record<string, number>>;
    readonly max_connections: number;
    readonly longest_transaction_seconds: number;
    readonly retained_bytes: number;
  };
}

type Labels = Readonly<Record<string, string>>;
type Value = readonly [labels: Labels, value: number];
type Family = z.output<typeof Metrics>["metrics"][number];

/** The statuses of failures on our side. A used route has a count of each, so that the first failure is an increase. */
const FAILURES = [500, 503];
const OUTAGE_REASONS = ["outage", "credentials", "not_configured", "quota"];
/** As in the log: statements whose mean is as long as a slow request of the local platform's plan log. */
const SLOW_STATEMENT_MS = 500;

export function familiesOf(figures: ServiceFigures): Family[] {
  const { requests, queues, jobs, statements, outages, store_sync, withdrawals, database } = figures;
  const age = (time: Time) => time === null ? 0 : Math.max(0, seconds(figures.at) - seconds(time));
  const known = (time: Time, labels: Labels = {}): Value[] => time === null ? [] : [[labels, seconds(time)]];
  return [
    gauge("parking_build_info", "The version of the service.", [[{ version: VERSION }, 1]]),
    counter("parking_http_requests_total", "Responses by route and status.", responsesOf(requests)),
    durationsOf(requests),
    gauge(
      "parking_figures_timestamp_seconds",
      "When the figures of a part were counted.",
      Object.entries({ queues, jobs, statements }).flatMap(([part, { at }]) => known(at, { part })),
    ),
    gauge("parking_queue_messages", "Messages in a queue.", queues.items.map((q) => [{ queue: q.queue }, q.length])),
    gauge(
      "parking_queue_due_messages",
      "Messages that a consumer could read.",
      queues.items.map((q) => [{ queue: q.queue }, q.due]),
    ),
    gauge(
      "parking_queue_oldest_due_seconds",
      "How long the oldest due message has waited. 0: none is due.",
      queues.items.map((q) => [{ queue: q.queue }, age(q.oldest_due_at)]),
    ),
    gauge(
      "parking_queue_dead_messages",
      "Messages that no consumer could finish.",
      queues.items.map((q) => [{ queue: q.queue }, q.dead]),
    ),
    gauge(
      "parking_provider_outage",
      "1: the provider of a queue cannot be used, by reason.",
      outages.flatMap(({ queue, reason, failures }) =>
        OUTAGE_REASONS.map((each): Value => [{ queue, reason: each }, Number(failures > 0 && each === reason)])
      ),
    ),
    gauge(
      "parking_provider_outage_seconds",
      "How long the provider of a queue cannot be used. 0: it can.",
      outages.map((o) => [{ queue: o.queue }, age(o.failing_since)]),
    ),
    gauge(
      "parking_queue_paused_seconds",
      "How long a queue stays paused. 0: it is not.",
      outages.map((o) => [
        { queue: o.queue },
        o.paused_until === null ? 0 : Math.max(0, seconds(o.paused_until) - seconds(figures.at)),
      ]),
    ),
    gauge(
      "parking_job_last_success_timestamp_seconds",
      "The end of a job's last run that succeeded.",
      jobs.items.flatMap((j) => known(j.succeeded_at, { job_name: j.name })),
    ),
    gauge(
      "parking_job_failures",
      "Failed runs of a job in the last 24 hours.",
      jobs.items.map((j) => [{ job_name: j.name }, j.failed_24h]),
    ),
    gauge(
      "parking_job_failing",
      "1: the last finished run of a job failed.",
      jobs.items.map((j) => [{ job_name: j.name }, Number(j.is_failing)]),
    ),
    gauge(
      "parking_jobs_last_start_timestamp_seconds",
      "When any job was last started.",
      known(figures.last_job_started_at),
    ),
    gauge(
      "parking_store_sync_last_success_timestamp_seconds",
      "The end of the last store sync that succeeded.",
      store_sync.flatMap((s) => known(s.succeeded_at, { store: s.store, task: s.task })),
    ),
    gauge(
      "parking_store_sync_failures",
      "Failed runs of store sync in the last 24 hours.",
      store_sync.map((s) => [{ store: s.store, task: s.task }, s.failed_24h]),
    ),
    gauge("parking_withdrawals_open", "Withdrawn accounts of which some rows are left.", [[{}, withdrawals.open]]),
    gauge("parking_withdrawals_oldest_seconds", "How long the oldest open withdrawal takes. 0: none is open.", [
      [{}, age(withdrawals.oldest_at)],
    ]),
    gauge(
      "parking_database_connections",
      "Connections of clients by state.",
      Object.entries(database.connections).map(([state, count]) => [{ state }, count]),
    ),
    gauge("parking_database_max_connections", "Connections that the database allows.", [
      [{}, database.max_connections],
    ]),
    gauge("parking_database_size_bytes", "The size of the database.", [[{}, database.size_bytes]]),
    counter("parking_database_transactions_total", "Transactions by their end.", [
      [{ end: "commit" }, database.commits],
      [{ end: "rollback" }, database.rollbacks],
    ]),
    counter("parking_database_blocks_total", "Blocks that were read, from the cache or from the disk.", [
      [{ from: "cache" }, database.blocks_hit],
      [{ from: "disk" }, database.blocks_read],
    ]),
    counter("parking_database_deadlocks_total", "Deadlocks.", [[{}, database.deadlocks]]),
    counter("parking_database_temp_bytes_total", "Bytes of temporary files.", [[{}, database.temp_bytes]]),
    gauge("parking_database_longest_transaction_seconds", "The age of the oldest open transaction.", [
      [{}, database.longest_transaction_seconds],
    ]),
    gauge("parking_database_retained_log_bytes", "Write-ahead log that a replication slot retains, at most.", [
      [{}, database.retained_bytes],
    ]),
    gauge("parking_database_slow_statements", "Of the ten slowest statements, those with a mean of at least 0.5 s.", [
      [{}, statements.mean_ms.filter((ms) => ms >= SLOW_STATEMENT_MS).length],
    ]),
    gauge("parking_database_slowest_statement_seconds", "The mean duration of the slowest statement.", [
      [{}, Math.max(0, ...statements.mean_ms) / 1000],
    ]),
  ];
}

function seconds(time: string): number {
  return Date.parse(time) / 1000;
}

function responsesOf(requests: readonly RequestCount[]): Value[] {
  const statuses = Map.groupBy(requests, ({ method, route }) => `${method} ${route}`);
  return [...statuses.values()].flatMap((counts) => {
    const { method, route, access } = counts[0]!;
    const seen = new Map(counts.map(({ status, buckets }) => [status, sum(buckets)]));
    for (const status of FAILURES) seen.set(status, seen.get(status) ?? 0);
    return [...seen].map(([status, times]): Value => [{ method, route, access, status: String(status) }, times]);
  });
}

/** Durations by the class of the status, because errors are faster or slower than successes. */
function durationsOf(requests: readonly RequestCount[]): Family {
  const name = "parking_http_request_duration_seconds";
  const classOf = ({ status }: RequestCount) => `${Math.floor(status / 100)}xx`;
  const groups = Map.groupBy(requests, (count) => `${count.method} ${count.route} ${classOf(count)}`);
  const samples = [...groups.values()].flatMap((counts) => {
    const [first] = counts as [RequestCount, ...RequestCount[]];
    const labels = { method: first.method, route: first.route, access: first.access, status_class: classOf(first) };
    let total = 0;
    const buckets = [...BUCKETS, "+Inf"].map((bound, nth) => {
      total += sum(counts.map((count) => count.buckets[nth] ?? 0));
      return { name: `${name}_bucket`, labels: { ...labels, le: String(bound) }, value: total };
    });
    const spent = sum(counts.map((count) => count.seconds));
    return [...buckets, { name: `${name}_sum`, labels, value: spent }, { name: `${name}_count`, labels, value: total }];
  });
  return { name, type: "histogram", help: "Durations of requests by route and class of status.", samples };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function gauge(name: string, help: string, values: readonly Value[]): Family {
  return { name, type: "gauge", help, samples: values.map(([labels, value]) => ({ name, labels, value })) };
}

function counter(name: string, help: string, values: readonly Value[]): Family {
  return { ...gauge(name, help, values), type: "counter" };
}

/** The text that Prometheus reads. */
export function exposition({ metrics }: z.output<typeof Metrics>): string {
  const lines = metrics.flatMap(({ name, type, help, samples }) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map((sample) => `${sample.name}${labelsText(sample.labels)} ${sample.value}`),
  ]);
  return `${lines.join("\n")}\n`;
}

function labelsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

export const readMetrics = route({
  method: "GET",
  path: "/health/metrics",
  access: "monitor",
  summary: "Metrics",
  description:
    "Figures for a monitoring system, in Prometheus' text format, or as JSON if `Accept` contains application/json. " +
    "Requests are those that all processes counted until ten seconds ago. Returns 503 with `details.reason` " +
    "`not_configured` if the operator has set no `METRICS_TOKEN`.",
  instance: "primary",
  reply: [200, Metrics, exposition],
  errors: [],
  calls: "service_metrics",
  handle: async ({ db }) => ({ metrics: familiesOf(await db.rpc<ServiceFigures>("service_metrics")) }),
});
