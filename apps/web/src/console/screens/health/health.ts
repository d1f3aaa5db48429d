/** What the service knows of its own state, with the values at which docs/operations/monitoring.md alerts. */
import type { ResponseBody } from "parking-lot-client";
import type { Section as RunbookSection } from "../../kit/runbook.tsx";

export type Overview = ResponseBody<"/v1/admin/overview", "get">;
export type Job = ResponseBody<"/v1/admin/jobs", "get">["items"][number];

export const LIMITS = { queueMinutes: 10, jobMinutes: 5, queryMs: 1_000 } as const;

/** The names of the section of the runbook. */
export type Section = Exclude<RunbookSection, "stores">;

export interface Line {
  readonly section: Section;
  /** What is measured, for example the name of a queue. */
  readonly subject: string;
  readonly value: number | null;
  readonly limit: number;
  readonly isFine: boolean;
  /** What the service says about it. */
  readonly detail?: string | null;
  readonly path: string;
}

const MINUTE_MS = 60_000;
const minutesSince = (time: string | null, now: Date) =>
  time === null ? 0 : Math.max(0, (now.getTime() - Date.parse(time)) / MINUTE_MS);

/** One line for each thing that can be wrong; those that are wrong come first. */
export function healthLines(overview: Overview, jobs: readonly Job[], now: Date): Line[] {
  const { message_queues, dead_messages, push, mail, slow_queries } = overview;
  const lastJob = minutesSince(overview.jobs.last_started_at, now);
  const lines: Line[] = [
    {
      section: "dead_messages",
      subject: "",
      value: dead_messages.count,
      limit: 0,
      isFine: dead_messages.count === 0,
      path: "/console/dead-messages",
    },
    {
      section: "jobs",
      subject: "",
      value: lastJob,
      limit: LIMITS.jobMinutes,
      isFine: overview.jobs.last_started_at !== null && lastJob <= LIMITS.jobMinutes,
      path: "/console/jobs",
    },
    ...jobs.filter(({ last_run }) => last_run?.status === "failed").map(({ name, failed_24h, last_run }): Line => ({
      section: "jobs",
      subject: name,
      value: failed_24h,
      limit: 0,
      isFine: false,
      detail: last_run?.error ?? null,
      path: "/console/jobs",
    })),
    ...message_queues.items.map(({ queue, oldest_due_at }): Line => {
      const waits = minutesSince(oldest_due_at, now);
      return {
        section: "queues",
        subject: queue,
        value: waits,
        limit: LIMITS.queueMinutes,
        isFine: waits <= LIMITS.queueMinutes,
        path: "/console/overview",
      };
    }),
    ...([["push", push], ["mail", mail]] as const).flatMap(([subject, figures]): Line[] =>
      figures === null ? [] : [{
        section: "providers",
        subject,
        value: figures.trouble === null ? null : minutesSince(figures.trouble.since, now),
        limit: 0,
        isFine: figures.trouble === null,
        detail: figures.trouble?.reason ?? null,
        path: "/console/overview",
      }]
    ),
    ...(slow_queries?.items ?? []).filter(({ mean_ms }) => mean_ms > LIMITS.queryMs).map((
      { query, mean_ms },
    ): Line => ({
      section: "slow",
      subject: query,
      value: mean_ms,
      limit: LIMITS.queryMs,
      isFine: false,
      path: "/console/overview",
    })),
  ];
  return lines.toSorted((a, b) => Number(a.isFine) - Number(b.isFine));
}
