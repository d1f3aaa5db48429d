// Leases of every queue: how long the work of a killed consumer waits, and how often a consumer that may take nothing reads.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { newUser } from "../support/rows.ts";

const db = await database();
const { sql } = db;
Deno.test.afterAll(() => db.close());

/** The job that calls consumers runs every five seconds, and a consumer takes a second to start. */
const LONGEST_LEASE_SECONDS = 14;
const TAKES = 25;

interface Queue {
  /** The statement by which its consumer takes messages. */
  readonly take: string;
  /** Puts one message that its consumer takes. */
  put(): Promise<void>;
  /** What makes its consumer wait, while a message is due. */
  readonly waits: Readonly<Record<string, () => Promise<unknown>>>;
}

async function notifyByPush(): Promise<string> {
  const user = await newUser(sql);
  await sql`
    insert into public.user_push_tokens (user_id, fcm_token, device_type) values (${user}, ${crypto.randomUUID()}, 'ios')`;
  await sql`select private.notify_user(${user}, 'announcement', 'Title', 'Body')`;
  return user;
}

const QUEUES: Readonly<Record<string, Queue>> = {
  "push-dispatch": {
    take: "select api.take_push_batches(5)",
    put: async () => void await notifyByPush(),
    waits: {
      "pushing is paused": () => sql`select api.pause_push('outage', 600)`,
      "another consumer tries after a pause": () =>
        sql`update private.outages set failures = 1, paused_until = now(), tried_until = now() + interval '1 minute' where queue = 'push-dispatch'`,
      "eight batches are being sent": () =>
        sql`insert into private.push_leases (msg_id, leased_until) select -n, now() + interval '1 minute' from generate_series(1, 8) as n`,
      "the user has quiet hours": () =>
        sql`
          insert into public.notification_quiet_hours (user_id, from_time, to_time, time_zone)
          select d.user_id, (now() at time zone 'UTC' - interval '1 hour')::time, (now() at time zone 'UTC' + interval '1 hour')::time, 'UTC'
          from private.push_deliveries d where d.outcome is null`,
    },
  },
  mail: {
    take: "select api.take_mails()",
    put: async () => {
      const user = await newUser(sql);
      await sql`update auth.users set email = ${`${user}@example.test`}, email_confirmed_at = now() where id = ${user}`;
      await sql`select private.notify(${user}, 'support_reply', ${
        sql.json({ number: "1", subject: "Subject", reply: "Reply" })
      })`;
    },
    waits: { "mail is paused": () => sql`select api.pause_mail('outage', 600)` },
  },
  "store-notifications": {
    take: "select api.take_store_notifications(20)",
    put: async () =>
      void await sql`select api.receive_store_notification('ios_store', ${crypto.randomUUID()}, '{"event_id": "x"}')`,
    waits: {},
  },
  "store-sync": {
    take: "select api.take_store_sync_run()",
    put: async () => void await sql`select private.start_store_sync('ios_store', 'sales', null)`,
    waits: {
      "another consumer queries the store": async () => {
        await sql`select private.start_store_sync('ios_store', 'all', null)`;
        await sql`select api.take_store_sync_run()`;
      },
      "the store asked for a wait": () => sql`update public.store_sync_runs set due_at = now() + interval '1 hour'`,
    },
  },
  object_deletion: {
    take: "select api.read_object_deletions(10)",
    put: async () => void await sql`select private.enqueue('object_deletion', '{"storage_key": "review/a.png"}')`,
    waits: {},
  },
  object_publication: {
    take: "select api.read_object_publications(10)",
    put: async () => void await sql`select private.enqueue('object_publication', '{"storage_key": "review/a.png"}')`,
    waits: {},
  },
};

async function empty(queue: string): Promise<void> {
  await sql`select pgmq.purge_queue(${queue})`;
  await sql`delete from private.push_leases`;
  await sql`delete from private.push_deliveries`;
  await sql`truncate public.store_sync_runs, private.consumers`;
  await sql`
    update private.outages set failures = 0, failing_since = null, paused_until = '-infinity', tried_until = '-infinity', reason = null`;
}

interface Row {
  readonly msg_id: number;
  readonly read_ct: number;
  readonly place: string;
  readonly waits: number;
}

const rowsOf = (queue: string) =>
  sql.unsafe<Row[]>(`
    select msg_id::integer, read_ct, ctid::text as place, extract(epoch from vt - clock_timestamp())::float8 as waits
    from pgmq."q_${queue}" order by msg_id`);

/** Takes again and again; how often each message was written, which a read does. */
async function writesOf(queue: string, take: string): Promise<number> {
  let most = 0;
  const writes = new Map<number, number>();
  let before = new Map((await rowsOf(queue)).map(({ msg_id, place }) => [msg_id, place]));
  for (let n = 0; n < TAKES; n++) {
    await sql.unsafe(take);
    const after = new Map((await rowsOf(queue)).map(({ msg_id, place }) => [msg_id, place]));
    for (const [msg_id, place] of after) {
      if (before.get(msg_id) === place) continue;
      writes.set(msg_id, (writes.get(msg_id) ?? 0) + 1);
      most = Math.max(most, writes.get(msg_id)!);
    }
    before = after;
  }
  return most;
}

Deno.test("queues: every queue has a consumer, and these tests know how it takes messages", async () => {
  const queues = await sql<{ name: string }[]>`select queue_name as name from pgmq.meta order by 1`;
  const known = await sql<{ name: string }[]>`select name from private.queues order by 1`;
  assert.deepEqual([...known], [...queues]);
  assert.deepEqual(queues.map(({ name }) => name), Object.keys(QUEUES).sort());
});

for (const [queue, { take, put, waits }] of Object.entries(QUEUES)) {
  Deno.test(`${queue}: the message of a killed consumer is taken again within seconds, and is not read before`, async () => {
    await empty(queue);
    await put();
    await sql.unsafe(take);
    const [taken, ...others] = await rowsOf(queue);
    assert.deepEqual(others, []);
    assert.ok(taken!.waits > 0 && taken!.waits <= LONGEST_LEASE_SECONDS, `hidden for ${taken!.waits} s`);
    assert.equal(await writesOf(queue, take), 0);
    await sql.unsafe(`update pgmq."q_${queue}" set vt = now()`);
    await sql`update public.store_sync_runs set lease_ends_at = now()`;
    await sql`delete from private.push_leases`;
    await sql.unsafe(take);
    const [again] = await rowsOf(queue);
    assert.deepEqual([again!.msg_id, again!.read_ct], [taken!.msg_id, 2]);
  });

  Deno.test(`${queue}: an extended lease keeps a message hidden, and never shortens a wait`, async () => {
    await empty(queue);
    await put();
    await sql.unsafe(take);
    const ids = (await rowsOf(queue)).map(({ msg_id }) => msg_id);
    await sql.unsafe(`update pgmq."q_${queue}" set vt = now() + interval '1 second'`);
    await sql`select api.extend_lease(${queue}, ${ids})`;
    const [extended] = await rowsOf(queue);
    assert.ok(extended!.waits > 2 && extended!.waits <= LONGEST_LEASE_SECONDS, String(extended!.waits));
    await sql.unsafe(`update pgmq."q_${queue}" set vt = now() + interval '10 minutes'`);
    await sql`select api.extend_lease(${queue}, ${ids})`;
    assert.ok((await rowsOf(queue))[0]!.waits > 500);
  });

  for (const [reason, wait] of Object.entries(waits)) {
    Deno.test(`${queue}: while ${reason}, consumers hardly read its messages, and waiting is no failed attempt`, async () => {
      await empty(queue);
      await put();
      await wait();
      const before = (await rowsOf(queue)).map(({ read_ct }) => read_ct);
      const writes = await writesOf(queue, take);
      assert.ok(writes <= 1, `a message was written ${writes} times by ${TAKES} consumers`);
      const after = (await rowsOf(queue)).map(({ read_ct }) => read_ct);
      assert.equal(after.length, before.length);
      assert.ok(after.every((reads) => reads <= 1), `read counts of ${after}`);
      assert.equal((await sql`select from private.dead_messages where queue = ${queue}`).length, 0);
    });
  }
}

Deno.test("store-sync: due runs of a store are taken while a killed consumer holds the other store, and at once after a turn", async () => {
  await empty("store-sync");
  await sql`select private.start_store_sync('all', 'all', null)`;
  const turn = async () => {
    const [row] = await sql<{ turn: { run_id: string; lease_id: string; store: string } | null }[]>`
      select api.take_store_sync_run() as turn`;
    return row!.turn;
  };
  const killed = (await turn())!;
  const stores: string[] = [];
  for (let next = await turn(); next !== null; next = await turn()) {
    stores.push(next.store);
    await sql`select api.finish_store_sync_run(${next.run_id}, ${next.lease_id})`;
  }
  const other = killed.store === "ios_store" ? "android_store" : "ios_store";
  assert.deepEqual(stores, [other, other, other]);
});

Deno.test("jobs: a function is called when a message is due that it may take, again while no consumer works, and else once a minute", async () => {
  await sql`select vault.create_secret('http://127.0.0.1:9', 'project_url'), vault.create_secret('key', 'service_role_key')`;
  const calls = async () => {
    const [before] = await sql<{ id: string }[]>`select coalesce(max(id), 0) as id from net.http_request_queue`;
    const found = await sql.begin(async (sql) => {
      await sql`select private.call_consumers()`;
      return await sql<{ url: string }[]>`select url from net.http_request_queue where id > ${before!.id} order by url`;
    });
    return found.map(({ url }) => url.replace(/.*\/functions\/v1\//, ""));
  };
  for (const queue of Object.keys(QUEUES)) await empty(queue);
  assert.deepEqual(await calls(), []);
  await QUEUES["mail"]!.put();
  await QUEUES["object_deletion"]!.put();
  await QUEUES["object_publication"]!.put();
  assert.deepEqual(await calls(), ["mail-dispatch", "storage/sweep"]);
  assert.deepEqual(await calls(), ["mail-dispatch", "storage/sweep"], "nobody was at work since");
  await sql`select api.extend_lease('mail', '{}')`;
  assert.deepEqual(await calls(), ["storage/sweep"]);
  await sql`update private.consumers set called_at = called_at - interval '1 minute'`;
  assert.deepEqual(await calls(), ["mail-dispatch", "storage/sweep"]);
  await sql`update private.consumers set seen_at = seen_at - interval '6 seconds'`;
  assert.deepEqual(await calls(), ["mail-dispatch", "storage/sweep"]);
  await sql`select api.pause_mail('outage', 600)`;
  assert.deepEqual(await calls(), ["storage/sweep"]);
});

Deno.test("jobs: a consumer that ends before its queue is empty calls the next one, and no other function", async () => {
  const called = await sql.begin(async (sql) => {
    await sql`select api.call_next_consumer('mail-dispatch')`;
    return await sql<{ url: string }[]>`select url from net.http_request_queue order by id desc limit 1`;
  });
  assert.match(called[0]!.url, /\/functions\/v1\/mail-dispatch$/);
  await assert.rejects(() => sql`select api.call_next_consumer('me')`, /No queue has the function me\./);
});
