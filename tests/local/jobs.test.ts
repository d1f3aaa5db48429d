// Jobs by the clock and requests after commit, as the platform runs them.
import assert from "node:assert/strict";
import postgres, { type Sql } from "postgres";
import { nextRun } from "../../local/jobs/cron.ts";
import { eventually } from "../support/eventually.ts";

const address = Deno.env.get("DB_URL");
if (!address) throw new Error("No platform: run the tests with `deno task test`");

const PATIENCE = 20_000;

interface Run {
  readonly status: string;
  readonly return_message: string;
  readonly start_time: Date;
  readonly end_time: Date | null;
}

async function connected(run: (sql: Sql) => Promise<void>): Promise<void> {
  const sql = postgres(address!, { max: 2, onnotice: () => {} });
  try {
    await run(sql);
  } finally {
    await sql.end();
  }
}

/** Runs a command each second until it ran so often, and gives the runs. */
async function runsOf(sql: Sql, command: string, count: number): Promise<Run[]> {
  const name = `test-${crypto.randomUUID()}`;
  const [job] = await sql<{ id: string }[]>`select cron.schedule(${name}, '1 seconds', ${command}) as id`;
  try {
    return await eventually(async () => {
      const runs = await sql<Run[]>`
        select status, return_message, start_time, end_time from cron.job_run_details
        where jobid = ${job!.id} and end_time is not null order by runid`;
      return runs.length >= count ? [...runs] : undefined;
    }, PATIENCE);
  } finally {
    await sql`select cron.unschedule(${name})`;
  }
}

Deno.test("a schedule is due when cron says so, in UTC", () => {
  const after = new Date("2026-11-21T06:07:30Z");
  const due = (schedule: string) => nextRun(schedule, after)?.toISOString();
  assert.equal(due("* * * * *"), "2026-11-21T06:08:00.000Z");
  assert.equal(due("*/15 * * * *"), "2026-11-21T06:15:00.000Z");
  assert.equal(due("17 3 * * *"), "2026-11-22T03:17:00.000Z");
  assert.equal(due("0 0 $ * *"), "2026-11-30T00:00:00.000Z");
  assert.equal(due("30 9 * * mon"), "2026-11-23T09:30:00.000Z");
  assert.equal(due("0 0 * * 7"), "2026-11-22T00:00:00.000Z");
  assert.equal(due("10 seconds"), "2026-11-21T06:07:40.000Z");
  assert.equal(due("what * * * *"), undefined);
});

Deno.test("a job runs again and again as its user, and how it went is written down", async () => {
  await connected(async (sql) => {
    const runs = await runsOf(sql, "do $$ begin assert current_user = 'postgres'; end $$", 2);
    assert.deepEqual(runs.map(({ status }) => status).slice(0, 2), ["succeeded", "succeeded"]);
    const [failed] = await runsOf(sql, "select 1 / 0", 1);
    assert.equal(failed?.status, "failed");
    assert.match(failed?.return_message ?? "", /division by zero/);
  });
});

Deno.test("a job never runs beside itself", async () => {
  await connected(async (sql) => {
    const runs = await runsOf(sql, "select pg_sleep(1.5)", 2);
    assert.ok(runs[1]!.start_time >= runs[0]!.end_time!, JSON.stringify(runs));
  });
});

Deno.test("a function is called after commit with the service's key, and never when the transaction fails", async () => {
  await connected(async (sql) => {
    const answered = async (id: string) => {
      const [answer] = await sql`select status_code, content from net._http_response where id = ${id}`;
      return answer;
    };
    const rolledBack = await sql.begin(async (transaction) => {
      const [request] = await transaction<{ id: string }[]>`select private.call_function('health') as id`;
      await transaction`select 1 / 0`.catch(() => {});
      return request!.id;
    }).catch((error) => {
      assert.match(String(error), /division by zero/);
      return undefined;
    });
    assert.equal(rolledBack, undefined);

    const [request] = await sql<{ id: string }[]>`select private.call_function('health') as id`;
    const answer = await eventually(() => answered(request!.id), PATIENCE);
    // That a function answered is what counts: this one takes no POST.
    assert.equal(answer!["status_code"], 405);
    const [waiting] = await sql`select count(*)::integer as count from net.http_request_queue`;
    assert.equal(waiting!["count"], 0);

    const [nowhere] = await sql<{ id: string }[]>`select net.http_get('http://127.0.0.1:1/') as id`;
    const failed = await eventually(async () => {
      const [row] = await sql`select status_code, error_msg from net._http_response where id = ${nowhere!.id}`;
      return row;
    }, PATIENCE);
    assert.equal(failed!["status_code"], null);
    assert.ok(failed!["error_msg"]);
  });
});
