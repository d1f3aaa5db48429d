// Jobs by the clock and requests after commit, as the platform runs them.
import assert from "node:assert/strict";
import postgres, { type Sql } from "postgres";
import { CronRunner, nextRun } from "../../local/jobs/cron.ts";
import { NetWorker } from "../../local/jobs/net.ts";
import { atOnce } from "../support/at_once.ts";
import { asSuperuser, database, type TestDatabase } from "../support/database.ts";
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

/** A database of its own, as the superuser who runs its jobs reaches it. */
async function apart(run: (db: TestDatabase, superuser: string) => Promise<void>): Promise<void> {
  const db = await database();
  try {
    await run(db, asSuperuser(db.url));
  } finally {
    await db.close();
  }
}

const quiet = () => {};

/** Accepts connections and never answers, until `run` is done. */
async function silently(run: (address: string) => Promise<void>): Promise<void> {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: quiet }, () => release.promise);
  const release = Promise.withResolvers<Response>();
  try {
    await run(`http://127.0.0.1:${server.addr.port}/`);
  } finally {
    release.resolve(new Response());
    await server.shutdown();
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

Deno.test("jobs: a schedule is due at the times of cron, in UTC", () => {
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

Deno.test(
  "jobs: a job runs repeatedly as its user, and its runs are recorded",
  atOnce(async () => {
    await connected(async (sql) => {
      const runs = await runsOf(sql, "do $$ begin assert current_user = 'postgres'; end $$", 2);
      assert.deepEqual(runs.map(({ status }) => status).slice(0, 2), ["succeeded", "succeeded"]);
      const [failed] = await runsOf(sql, "select 1 / 0", 1);
      assert.equal(failed?.status, "failed");
      assert.match(failed?.return_message ?? "", /division by zero/);
    });
  }),
);

Deno.test(
  "cron.job: only functions of pg_cron change it, and a role changes only its own jobs",
  atOnce(async () => {
    await apart(async ({ sql }, superuser) => {
      const denied = (statement: string) => assert.rejects(sql.unsafe(statement), { code: "42501" }, statement);
      await denied("update cron.job set active = false");
      await denied("delete from cron.job where true");
      await denied("insert into cron.job (schedule, command) values ('* * * * *', 'select 1')");
      const [job] = await sql<{ id: string }[]>`select cron.schedule('once an hour', '7 * * * *', 'select 1') as id`;
      const [added] = await sql`select active, username from cron.job where jobid = ${job!.id}`;
      assert.deepEqual({ ...added }, { active: true, username: "postgres" });
      const owner = postgres(superuser, { max: 1, onnotice: () => {} });
      try {
        await assert.rejects(
          Promise.resolve(owner`select cron.unschedule('once an hour')`),
          /could not find valid entry/,
        );
      } finally {
        await owner.end();
      }
      await sql`select cron.unschedule('once an hour')`;
    });
  }),
);

Deno.test(
  "jobs: two runs of a job never overlap",
  atOnce(async () => {
    await connected(async (sql) => {
      const runs = await runsOf(sql, "select pg_sleep(1.5)", 2);
      assert.ok(runs[1]!.start_time >= runs[0]!.end_time!, JSON.stringify(runs));
    });
  }),
);

Deno.test("private.call_function: the function is called after commit with the service key, and not after a rollback", async () => {
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

    const [nowhere] = await sql<{ id: string }[]>`select net.http_post('http://127.0.0.1:1/') as id`;
    const failed = await eventually(async () => {
      const [row] = await sql`select status_code, error_msg from net._http_response where id = ${nowhere!.id}`;
      return row;
    }, PATIENCE);
    assert.equal(failed!["status_code"], null);
    assert.ok(failed!["error_msg"]);
  });
});

Deno.test(
  "jobs: continue when the clock is set back",
  atOnce(async () => {
    await apart(async ({ sql }, superuser) => {
      await sql`select cron.schedule('often', '1 seconds', 'select 1')`;
      await sql`select cron.schedule('each minute', '* * * * *', 'select 2')`;
      let set = 0;
      // A minute of this clock is two seconds, so that the second job is due often enough.
      const [origin, began] = [Date.now(), performance.now()];
      const clock = () => new Date(origin + set + 30 * (performance.now() - began));
      const runner = new CronRunner(superuser, quiet, clock);
      const runs = async (command: string) => {
        const [row] = await sql<{ count: number }[]>`
        select count(*)::integer from cron.job_run_details where command = ${command}`;
        return row!.count;
      };
      const more = async (command: string) => {
        const before = await runs(command);
        await eventually(async () => (await runs(command)) > before || undefined, PATIENCE);
      };
      runner.start();
      try {
        await Promise.all([more("select 1"), more("select 2")]);
        set = -25 * 3_600_000;
        // One run may have been under way.
        for (let n = 0; n < 2; n++) await Promise.all([more("select 1"), more("select 2")]);
      } finally {
        await runner.stop();
      }
    });
  }),
);

Deno.test(
  "jobs: those of a copied test database are not run",
  atOnce(async () => {
    await apart(async ({ sql: copy }) => {
      await copy`select cron.schedule('copied', '1 seconds', 'select 1')`;
      await connected(async (sql) => void await runsOf(sql, "select 1", 2));
      assert.equal((await copy`select status from cron.job_run_details`).length, 0);
    });
  }),
);

Deno.test(
  "jobs: a job that runs too long at stop is cancelled, and that is recorded",
  atOnce(async () => {
    await apart(async ({ sql }, superuser) => {
      await sql`select cron.schedule('long', '1 seconds', 'select pg_sleep(600)')`;
      const runner = new CronRunner(superuser, quiet);
      runner.start();
      await eventually(async () => {
        const [process] = await sql`
        select pid from pg_stat_activity where datname = current_database() and query = 'select pg_sleep(600)'`;
        return process;
      }, PATIENCE);
      await runner.stop();
      const runs = await sql`select status, return_message, job_pid > 0 as has_process from cron.job_run_details`;
      assert.equal(runs.length, 1);
      assert.equal(runs[0]!["status"], "failed");
      assert.equal(runs[0]!["has_process"], true);
      assert.match(runs[0]!["return_message"], /canceling statement/);
    });
  }),
);

Deno.test(
  "jobs: a run that a crash ended is recorded as failed",
  atOnce(async () => {
    await apart(async ({ sql }, superuser) => {
      await sql`
      insert into cron.job_run_details (runid, jobid, database, username, command, status, start_time)
      values (1, 1, current_database(), 'postgres', 'select 1', 'running', now())`;
      const runner = new CronRunner(superuser, quiet);
      runner.start();
      try {
        const ended = await eventually(async () => {
          const [run] = await sql`select status from cron.job_run_details where end_time is not null`;
          return run;
        }, PATIENCE);
        assert.equal(ended["status"], "failed");
      } finally {
        await runner.stop();
      }
    });
  }),
);

Deno.test(
  "net requests: a slow response does not delay others, and is aborted at stop",
  atOnce(async () => {
    await apart(async ({ sql }, superuser) => {
      const worker = new NetWorker(superuser, quiet);
      await worker.start();
      const answerTo = async (id: string) =>
        (await sql`select status_code, error_msg from net._http_response where id = ${id}`)[0];
      await silently(async (silent) => {
        try {
          const [slow] = await sql<{ id: string }[]>`
          select net.http_post(${silent}, timeout_milliseconds => 600000) as id`;
          await eventually(
            async () => (await sql`select from net.http_request_queue`).length === 0 || undefined,
            PATIENCE,
          );
          const [quick] = await sql<{ id: string }[]>`select net.http_post('http://127.0.0.1:1/') as id`;
          await eventually(() => answerTo(quick!.id), PATIENCE);
          assert.equal(await answerTo(slow!.id), undefined);
          await worker.stop();
          const given = await answerTo(slow!.id);
          assert.equal(given?.["status_code"], null);
          assert.match(given?.["error_msg"], /The platform stops/);
        } finally {
          await worker.stop();
        }
      });
    });
  }),
);

Deno.test(
  "net requests: more than the concurrent maximum are all sent, each once",
  atOnce(async () => {
    await apart(async ({ sql }, superuser) => {
      let arrived = 0;
      const server = Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen: quiet },
        () => new Response(`${++arrived}`),
      );
      const worker = new NetWorker(superuser, quiet);
      await worker.start();
      try {
        await sql`
        select net.http_post(${`http://127.0.0.1:${server.addr.port}/`}, timeout_milliseconds => 60000)
        from generate_series(1, 450)`;
        await eventually(async () => {
          const [row] = await sql`select count(*)::integer as count from net._http_response where status_code = 200`;
          return row!["count"] === 450 || undefined;
        }, PATIENCE);
        assert.equal(arrived, 450);
      } finally {
        await worker.stop();
        await server.shutdown();
      }
    });
  }),
);

Deno.test(
  "jobs: a run that a killed platform left in Postgres is ended by the next platform",
  atOnce(async () => {
    await apart(async ({ sql }, superuser) => {
      await sql`select cron.schedule('long', '1 seconds', 'select pg_sleep(601)')`;
      const killed = new CronRunner(superuser, quiet);
      killed.start();
      const sleeping = async () =>
        await sql<{ pid: number }[]>`
        select pid from pg_stat_activity where datname = current_database() and query = 'select pg_sleep(601)'`;
      await eventually(async () => (await sleeping())[0], PATIENCE);
      await sql`select cron.unschedule('long')`;
      const next = new CronRunner(superuser, quiet);
      next.start();
      try {
        await eventually(async () => (await sleeping()).length === 0 || undefined, PATIENCE);
      } finally {
        await Promise.all([killed.stop(), next.stop()]);
      }
    });
  }),
);
