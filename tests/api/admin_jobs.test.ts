// Work that is done later, in the console: jobs with their runs, and dead messages that are put back or discarded.
import assert from "node:assert/strict";
import { nextRun } from "../../local/jobs/cron.ts";
import { DeadMessages, Jobs } from "../../supabase/functions/admin/jobs.schema.ts";
import { listDeadMessages } from "../../supabase/functions/admin/dead_messages.ts";
import { listJobs } from "../../supabase/functions/admin/jobs.ts";
import { chance } from "../support/random.ts";
import { stack } from "../support/stack.ts";
import { actsWhere, type Administrator, anAdministrator, AREAS, sending } from "./administrators.ts";
import { replyOf } from "./client.ts";
import { inDatabase } from "./lots.ts";

const DEAD = "/admin/dead-messages";
/** A queue that no consumer reads. */
const QUEUE = `test_${crypto.randomUUID().slice(0, 8)}`;
await inDatabase((sql) => sql`select pgmq."create"(${QUEUE})`);
Deno.test.afterAll(async () => {
  await inDatabase((sql) => sql`select pgmq.drop_queue(${QUEUE})`);
});

async function aDeadMessage(message: Record<string, unknown> = {}, queue = QUEUE): Promise<string> {
  const [row] = await inDatabase((sql) =>
    sql<{ id: string }[]>`
      insert into private.dead_messages (queue, msg_id, message, read_count, enqueued_at)
      values (${queue}, (random() * 1e9)::bigint, ${
      sql.json(message as never)
    }, 5, now() - interval '1 hour') returning id`
  );
  return row!.id;
}

const acts = (by: Administrator, id: string): Promise<unknown[]> =>
  actsWhere({ admin_id: by.id, target_id: id }, "action", "target_type", "user_id", "changes");

async function waiting(): Promise<unknown[]> {
  return await inDatabase(async (sql) =>
    (await sql`select message from ${sql(`pgmq.q_${QUEUE}`)}`).map(({ message }) => message)
  );
}

Deno.test("admin jobs: every active administrator sees each job with its last run, failures and next run", async () => {
  const administrator = await anAdministrator(...AREAS);
  await inDatabase((sql) =>
    sql`
      insert into cron.job_run_details (jobid, runid, database, username, command, status, return_message, start_time, end_time)
      select j.jobid, 1e15 + row_number() over (order by r.ago desc), current_database(), j.username, j.command, r.status, r.message,
        now() - r.ago, now() - r.ago + interval '1500 ms'
      from cron.job j
      cross join (values
        (interval '25 hours', 'failed', 'long ago'), (interval '1 hour', 'failed', 'first'), (interval '1 minute', 'failed', 'ERROR: second')
      ) as r (ago, status, message)
      where j.jobname = 'sweep_assets'
      order by r.ago desc`
  );
  const { at, items } = await replyOf(listJobs, await administrator.ask("/admin/jobs"), Jobs);
  const jobs = await inDatabase((sql) => sql<{ name: string }[]>`select jobname as name from cron.job order by 1`);
  assert.deepEqual(items.map(({ name }) => name).sort(), jobs.map(({ name }) => name).sort());
  assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
  const job = items.find(({ name }) => name === "sweep_assets")!;
  const { started_at, ended_at, ...run } = job.last_run!;
  assert.deepEqual(run, { status: "failed", duration_ms: 1500, error: "ERROR: second" });
  assert.equal(Date.parse(ended_at!) - Date.parse(started_at), 1500);
  assert.equal(job.failed_24h, 2);
  for (const { name, schedule, next_run_at, last_run } of items) {
    if (/seconds/.test(schedule)) {
      assert.ok(Date.parse(next_run_at!) >= Date.parse(at), name);
      continue;
    }
    assert.equal(
      Date.parse(next_run_at!),
      nextRun(schedule, new Date(at))!.getTime(),
      `${name} ${last_run?.started_at}`,
    );
  }
});

Deno.test("admin jobs: the next run is the time at which pg_cron runs the job, for random schedules", async () => {
  const random = chance(20_260_901);
  const int = (low: number, high: number) => low + random.below(high - low + 1);
  const field = (low: number, high: number): string => {
    const [from, to] = [int(low, high), int(low, high)].sort((a, b) => a - b);
    return [
      "*",
      "*",
      `*/${int(1, (high - low) >> 1)}`,
      String(from),
      `${from}-${to}`,
      `${from}-${to}/${int(1, 5)}`,
      `${from},${to}`,
    ][int(0, 6)]!;
  };
  // Days of the week are below: where the day of the month is limited as well, the two clocks differ.
  const cases = Array.from({ length: 300 }, () => ({
    schedule: [field(0, 59), field(0, 23), field(1, 28), field(1, 12), "*"].join(" "),
    now: new Date(Date.UTC(int(2026, 2027), int(0, 11), int(1, 28), int(0, 23), int(0, 59), int(0, 59))),
  }));
  const computed = await inDatabase((sql) =>
    sql<{ at: Date | null }[]>`
      select private.next_run(c.schedule, null, c.now) as at
      from unnest(${cases.map(({ schedule }) => schedule)}::text[], ${
      cases.map(({ now }) => now.toISOString())
    }::timestamptz[])
        with ordinality as c (schedule, now, nth)
      order by nth`
  );
  cases.forEach(({ schedule, now }, nth) => {
    assert.deepEqual(computed[nth]!.at, nextRun(schedule, now) ?? null, `${schedule} after ${now.toISOString()}`);
  });
});

Deno.test("admin jobs: next_run_at supports days of the week and seconds, and is null for schedules that cannot be computed", async () => {
  // A Tuesday.
  const now = "2026-09-01T10:30:15Z";
  for (
    const [schedule, expected] of [
      ["0 9 * * 1", "2026-09-07T09:00:00Z"],
      ["0 9 * * 0", "2026-09-06T09:00:00Z"],
      ["0 9 * * 7", "2026-09-06T09:00:00Z"],
      ["0 9 10 * 1", "2026-09-07T09:00:00Z"],
      ["0 9 */2 * 1", "2026-09-07T09:00:00Z"],
      ["30 10 * * *", "2026-09-02T10:30:00Z"],
      ["31 10 * * *", "2026-09-01T10:31:00Z"],
      ["0 0 29 2 *", "2028-02-29T00:00:00Z"],
      ["30 seconds", "2026-09-01T10:30:30Z"],
      ["10 seconds", "2026-09-01T10:30:15Z"],
      ["0 9 * * mon", null],
      ["0 0 $ * *", null],
      ["0 0 30 2 *", null],
      ["nonsense", null],
    ] as const
  ) {
    const [row] = await inDatabase((sql) =>
      sql<{ at: Date | null }[]>`select private.next_run(${schedule}, '2026-09-01T10:30:00Z', ${now}) as at`
    );
    assert.equal(row!.at?.getTime() ?? null, expected === null ? null : Date.parse(expected), schedule);
  }
});

Deno.test("admin dead messages: the list has a queue's, newest first, page by page", async () => {
  const administrator = await anAdministrator(...AREAS);
  const ids = [await aDeadMessage({ n: 1 }), await aDeadMessage({ n: 2 }), await aDeadMessage({ n: 3 })];
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const search: URLSearchParams = new URLSearchParams({
      queue: QUEUE,
      limit: "2",
      include: "total",
      ...(cursor && { cursor }),
    });
    const page = await replyOf(listDeadMessages, await administrator.ask(`${DEAD}?${search}`), DeadMessages);
    assert.equal(page.total, 3);
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  assert.deepEqual(seen, ids.toReversed());
  const all = await replyOf(listDeadMessages, await administrator.ask(`${DEAD}?limit=1`), DeadMessages);
  assert.deepEqual([all.items[0]?.message, all.items[0]?.read_count], [{ n: 3 }, 5]);
  for (const wrong of ["queue=", "cursor=abc", "limit=101"]) {
    const response = await administrator.ask(`${DEAD}?${wrong}`);
    assert.deepEqual([response.status, (await response.json()).error.param], [422, wrong.split("=")[0]]);
  }
  await inDatabase((sql) => sql`delete from private.dead_messages where queue = ${QUEUE}`);
});

Deno.test("admin dead messages: one is put back into its queue once, and the record has no payload", async () => {
  const administrator = await anAdministrator("admins");
  const message = { secret: "of somebody" };
  const id = await aDeadMessage(message);
  const key = { "Idempotency-Key": crypto.randomUUID() };
  const first = await administrator.ask(`${DEAD}/${id}/requeue`, sending("POST", undefined, key));
  const reply = await first.json();
  assert.deepEqual([first.status, reply.queue], [202, QUEUE]);
  const again = await administrator.ask(`${DEAD}/${id}/requeue`, sending("POST", undefined, key));
  assert.deepEqual([again.status, await again.json()], [202, reply]);
  assert.equal((await administrator.ask(`${DEAD}/${id}/requeue`, sending("POST"))).status, 404);
  assert.deepEqual(await waiting(), [message]);
  assert.deepEqual(await acts(administrator, id), [{
    action: "dead_message.requeue",
    target_type: "dead_message",
    user_id: null,
    changes: { queue: { old: null, new: QUEUE }, msg_id: { old: null, new: reply.msg_id } },
  }]);
  const orphan = await aDeadMessage({}, "no_such_queue");
  const error = await administrator.ask(`${DEAD}/${orphan}/requeue`, sending("POST"));
  assert.deepEqual([error.status, (await error.json()).error.details.reason], [409, "queue_gone"]);
  assert.deepEqual(await acts(administrator, orphan), []);
  assert.equal((await administrator.ask(`${DEAD}/${orphan}`, sending("DELETE"))).status, 204);
});

Deno.test("admin dead messages: of many concurrent retries and discards of a message exactly one takes effect", async () => {
  const administrators = [await anAdministrator("admins"), await anAdministrator("admins")];
  await inDatabase((sql) => sql`select pgmq.purge_queue(${QUEUE})`);
  for (let n = 0; n < 10; n++) {
    const id = await aDeadMessage({ n });
    const responses = await Promise.all(
      administrators.flatMap(({ ask }) => [
        ask(`${DEAD}/${id}/requeue`, sending("POST")),
        ask(`${DEAD}/${id}`, sending("DELETE")),
      ]),
    );
    const statuses = await Promise.all(responses.map(async (each) => (await each.body?.cancel(), each.status)));
    const done = statuses.filter((status) => status !== 404);
    assert.equal(done.length, 1, statuses.join());
    const logs = (await Promise.all(administrators.map((each) => acts(each, id)))).flat();
    assert.equal(logs.length, 1);
    assert.equal(
      (await waiting()).filter((message) => (message as { n: number }).n === n).length,
      done[0] === 202 ? 1 : 0,
    );
  }
});

Deno.test("admin dead messages: discarding is recorded; it needs the area admins, also when the service acts for an administrator", async () => {
  const [chief, other] = [await anAdministrator("admins"), await anAdministrator("lots", "users")];
  const id = await aDeadMessage();
  for (
    const response of [
      await other.ask(`${DEAD}/${id}/requeue`, sending("POST")),
      await other.ask(`${DEAD}/${id}`, sending("DELETE")),
      await other.ask(`${DEAD}/${crypto.randomUUID()}`, sending("DELETE")),
    ]
  ) {
    assert.deepEqual([response.status, (await response.json()).error.details], [403, { scope: "admin:admins" }]);
  }
  assert.equal((await other.ask(DEAD)).status, 200);
  assert.equal((await other.ask("/admin/jobs")).status, 200);
  const rpc = (adminId: string) =>
    fetch(`${stack().apiUrl}/rest/v1/rpc/admin_discard_dead_message`, {
      method: "POST",
      headers: { apikey: stack().secretKey, "content-type": "application/json" },
      body: JSON.stringify({ p_admin_id: adminId, p_id: id }),
    }).then(async (response) => (await response.body?.cancel(), response.status));
  assert.equal(await rpc(other.id), 403);
  assert.equal(await rpc(chief.id), 204);
  assert.equal(await rpc(chief.id), 404);
  assert.deepEqual(await acts(chief, id), [{
    action: "dead_message.discard",
    target_type: "dead_message",
    user_id: null,
    changes: { queue: { old: QUEUE, new: null }, read_count: { old: 5, new: null } },
  }]);
});
