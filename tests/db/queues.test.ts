// Work that is put off: what a queue promises, and who may touch it.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { purge } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const QUEUE = "object_deletion";

interface Message {
  readonly msg_id: number;
  readonly read_count: number;
  readonly message: { readonly n: number };
}

async function put(n: number, delay = 0): Promise<string> {
  const [row] = await db.sql<{ id: string }[]>`select private.enqueue(${QUEUE}, ${db.sql.json({ n })}, ${delay}) as id`;
  return row!.id;
}

async function read(seconds: number, count = 10): Promise<Message[]> {
  const [row] = await db.sql<{ messages: Message[] }[]>`
    select private.read_messages(${QUEUE}, ${seconds}, ${count}) as messages`;
  return row!.messages;
}

const numbers = (messages: readonly Message[]) => messages.map(({ message }) => message.n);
const empty = () => db.sql`select pgmq.purge_queue(${QUEUE})`;

Deno.test("queues: messages are read oldest first, hidden while they are worked on, and deleted when they are finished", async () => {
  await empty();
  for (const n of [1, 2, 3]) await put(n);
  const first = await read(60, 2);
  assert.deepEqual(numbers(first), [1, 2]);
  assert.deepEqual(numbers(await read(60)), [3]);
  assert.deepEqual(await read(60), []);
  const ids = first.map(({ msg_id }) => msg_id);
  const [deleted] = await db.sql`select private.finish_messages(${QUEUE}, ${ids}) as count`;
  assert.equal(deleted!["count"], 2);
  const [again] = await db.sql`select private.finish_messages(${QUEUE}, ${ids}) as count`;
  assert.equal(again!["count"], 0);
});

Deno.test("queues: a message that is delayed is not read before its time", async () => {
  await empty();
  const id = await put(1, 3600);
  assert.deepEqual(await read(60), []);
  await db.sql`select pgmq.set_vt(${QUEUE}, ${id}::bigint, 0)`;
  assert.deepEqual(numbers(await read(60)), [1]);
});

Deno.test("queues: a message is rolled back with its transaction, and a removed one is not read", async () => {
  await empty();
  await assert.rejects(
    db.sql.begin(async (sql) => {
      await sql`select private.enqueue(${QUEUE}, '{"n": 1}')`;
      throw new Error("the cause failed");
    }),
    /the cause failed/,
  );
  const id = await put(2);
  const dequeue = async () => (await db.sql`select private.dequeue(${QUEUE}, ${id}::bigint) as found`)[0]!["found"];
  assert.deepEqual([await dequeue(), await dequeue()], [true, false]);
  assert.deepEqual(await read(60), []);
});

Deno.test("queues: a message that is never finished is dead after five reads, and does not block others", async () => {
  await empty();
  const id = await put(1);
  for (const count of [1, 2, 3, 4, 5]) assert.deepEqual((await read(0)).map((each) => each.read_count), [count]);
  await put(2);
  assert.deepEqual(numbers(await read(0)), [2]);
  const [dead] = await db
    .sql`select msg_id::text, message, read_count from private.dead_messages where queue = ${QUEUE}`;
  assert.deepEqual({ ...dead }, { msg_id: id, message: { n: 1 }, read_count: 5 });
});

Deno.test("queues: a dead message is put back into its queue with the statement of the docs", async () => {
  await empty();
  await db.sql`delete from private.dead_messages`;
  await put(7);
  for (const _ of [1, 2, 3, 4, 5, 6]) await read(0);
  const handbook = await Deno.readTextFile(new URL("../../docs/operations/monitoring.md", import.meta.url));
  const statement = /```sql\n\s*(with dead as [^`]*)```/.exec(handbook)?.[1];
  assert.ok(statement, "docs/operations/monitoring.md has no statement that begins with `with dead as`");
  await db.sql.unsafe(statement);
  assert.deepEqual((await read(60)).map(({ message, read_count }) => [message.n, read_count]), [[7, 1]]);
  assert.equal((await db.sql`select from private.dead_messages`).length, 0);
});

Deno.test("queues: runs of jobs are kept for a week, also those that never ended, and dead messages for 90 days", async () => {
  await db.sql`delete from cron.job_run_details`;
  await db.sql`
    insert into cron.job_run_details (runid, jobid, status, start_time, end_time) values
      (1, 1, 'succeeded', now() - interval '8 days', now() - interval '8 days'),
      (2, 2, 'running', now() - interval '8 days', null),
      (3, 3, 'succeeded', now() - interval '6 days', now() - interval '6 days'),
      (4, 4, 'running', now(), null)`;
  await purge(db.sql);
  const runs = await db.sql`select jobid::integer from cron.job_run_details order by jobid`;
  assert.deepEqual(runs.map(({ jobid }) => jobid), [3, 4]);

  await db.sql`delete from private.dead_messages`;
  await db.sql`
    insert into private.dead_messages (queue, msg_id, message, read_count, enqueued_at, died_at) values
      (${QUEUE}, 1, '{}', 5, now(), now() - interval '91 days'), (${QUEUE}, 2, '{}', 5, now(), now() - interval '89 days')`;
  await purge(db.sql);
  const dead = await db.sql`select msg_id::integer from private.dead_messages`;
  assert.deepEqual(dead.map(({ msg_id }) => msg_id), [2]);
});

Deno.test("queues: two readers at once never get the same message", async () => {
  await empty();
  for (let n = 0; n < 40; n++) await put(n);
  const got = (await Promise.all(Array.from({ length: 8 }, () => read(60, 5)))).flatMap(numbers);
  assert.deepEqual(got.toSorted((a, b) => a - b), Array.from({ length: 40 }, (_, n) => n));
});

Deno.test("queues: no client can write or read messages, jobs, requests or secrets", async () => {
  const questions = [
    "select private.enqueue('object_deletion', '{}')",
    "select private.dequeue('object_deletion', 1)",
    "select private.read_messages('object_deletion', 1, 1)",
    "select pgmq.send('object_deletion', '{}')",
    "select * from pgmq.q_object_deletion",
    "select * from private.dead_messages",
    "select private.call_function('storage/sweep')",
    "select cron.schedule('x', '* * * * *', 'select 1')",
    "select net.http_post('http://127.0.0.1')",
    "select * from vault.decrypted_secrets",
    "select vault.create_secret('x')",
  ];
  for (const role of ["anon", "authenticated"] as const) {
    for (const question of questions) {
      await assert.rejects(db.as({ role }, (sql) => sql.unsafe(question)), { code: "42501" }, `${role}: ${question}`);
    }
  }
});

Deno.test("queues: a secret is stored as ciphertext, read by name, and changed in place", async () => {
  const [made] = await db.sql<{ id: string }[]>`select vault.create_secret('first word', 'a name') as id`;
  const [kept] = await db.sql`select secret, decrypted_secret from vault.decrypted_secrets where name = 'a name'`;
  assert.equal(kept!["decrypted_secret"], "first word");
  assert.ok(!String(kept!["secret"]).includes("first word"));
  await db.sql`select vault.update_secret(${made!.id}, 'second word')`;
  const [changed] = await db.sql`select decrypted_secret from vault.decrypted_secrets where id = ${made!.id}`;
  assert.equal(changed!["decrypted_secret"], "second word");
  await assert.rejects(db.sql`select vault.create_secret('other', 'a name')`, { code: "23505" });
});

Deno.test("queues: an invalid schedule is rejected, and a job with the same name is replaced", async () => {
  const none = ["", "* * * *", "every day", "60 seconds", "* * * * * *", "soon * * * *", "60 * * * *", "* 24 * * *"];
  const nor = ["* * 0 * *", "* * * 13 *", "* * * * 8", "mon * * * *", "* * * mon *", "*/0 * * * *"];
  for (const wrong of [...none, ...nor, "5/15 * * * *", "1,,2 * * * *", "*-5 * * * *", "* * $,1 * *"]) {
    await assert.rejects(db.sql`select cron.schedule('test', ${wrong}, 'select 1')`, { code: "22023" }, wrong);
  }
  const schedule = async (at: string) =>
    (await db.sql`select cron.schedule('test', ${at}, 'select 1') as id`)[0]!["id"];
  assert.equal(await schedule("*/5 3 $ jan-mar mon,fri"), await schedule("10 seconds"));
  const jobs = await db.sql`select schedule from cron.job where jobname = 'test'`;
  assert.deepEqual(jobs.map((job) => job["schedule"]), ["10 seconds"]);
  await db.sql`select cron.unschedule('test')`;
  await assert.rejects(db.sql`select cron.unschedule('test')`, /could not find valid entry/);
});
