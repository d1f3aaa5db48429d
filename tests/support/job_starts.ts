// When jobs start: which of them share a minute of the day. pg_cron starts those at its first second.
import { nextRun } from "../../local/jobs/cron.ts";

export interface ScheduledJob {
  readonly jobname: string;
  readonly schedule: string;
}

/** Whether a job runs every so many seconds, counted from its last run. */
export function isInterval({ schedule }: ScheduledJob): boolean {
  return /^\d+ seconds?$/i.test(schedule);
}

/** The names of the jobs that start together, by minute of a day. Jobs of intervals have no minute. */
export function startsByMinute(jobs: readonly ScheduledJob[]): Map<number, string[]> {
  const starts = new Map<number, string[]>();
  const [begin, end] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)];
  for (const job of jobs.filter((job) => !isInterval(job))) {
    for (let at = nextRun(job.schedule, new Date(begin - 1)); at !== undefined && at.getTime() < end;) {
      const minute = (at.getTime() - begin) / 60_000;
      starts.set(minute, [...starts.get(minute) ?? [], job.jobname]);
      at = nextRun(job.schedule, at);
    }
  }
  return starts;
}
