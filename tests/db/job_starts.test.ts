// Jobs start at different times: each run has a connection, and a small instance has few.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { isInterval, type ScheduledJob, startsByMinute } from "../support/job_starts.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const jobs = await db.sql<ScheduledJob[]>`select jobname, schedule from cron.job where active`;

const MINUTES_OF_A_DAY = 1440;

/** Jobs that start at the same second. One job of each minute is no finding: it cannot avoid the others. */
function collisions(jobs: readonly ScheduledJob[]): string[] {
  const together = [...startsByMinute(jobs).values()];
  const isOfEachMinute = (name: string) => together.filter((names) => names.includes(name)).length === MINUTES_OF_A_DAY;
  const [allowed] = jobs.map(({ jobname }) => jobname).filter(isOfEachMinute);
  const ofMinutes = together.map((names) => names.filter((name) => name !== allowed))
    .flatMap((names) => names.length > 1 || (names.length === 1 && isOfEachMinute(names[0]!)) ? [names] : []);
  const intervals = jobs.filter(isInterval).map(({ jobname, schedule }) => ({ jobname, seconds: parseInt(schedule) }))
    .sort((a, b) => a.seconds - b.seconds);
  const ofIntervals = intervals.flatMap((one, nth) =>
    intervals.slice(nth + 1).filter(({ seconds }) => seconds % one.seconds === 0).map((
      { jobname },
    ) => [one.jobname, jobname])
  );
  return [...new Set([...ofMinutes, ...ofIntervals].map((names) => names.toSorted().join(", ")))].sort();
}

Deno.test("jobs: no two start in the same minute, except with the one of each minute, and no interval is a multiple of another", () => {
  assert.ok(jobs.length > 20);
  assert.deepEqual(collisions(jobs), []);
});

Deno.test("jobs: two of each minute, a shared minute of a day, and intervals that are multiples are collisions", () => {
  const found = (...schedules: string[]) =>
    collisions(schedules.map((schedule, nth) => ({ jobname: `job_${nth}`, schedule })));
  assert.deepEqual(found("* * * * *", "* * * * *"), ["job_1"]);
  assert.deepEqual(found("*/5 * * * *", "40 2 * * *", "41 2 * * *"), ["job_0, job_1"]);
  assert.deepEqual(found("5 seconds", "10 seconds", "7 seconds", "7 seconds"), ["job_0, job_1", "job_2, job_3"]);
  assert.deepEqual(found("* * * * *", "*/5 * * * *", "1-59/5 * * * *", "8 seconds", "9 seconds"), []);
});
