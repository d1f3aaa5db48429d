// Notifications of the stores between intake and ledger, and what reconciliation takes.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { database } from "../support/database.ts";
import { aPlan, aStatement, record } from "./support/subscriptions.ts";

interface Taken {
  readonly found: number;
  readonly notifications: readonly {
    readonly msg_id: number;
    readonly attempt: number;
    readonly notification_id: string;
    readonly body: { readonly event_id: string };
  }[];
}

const db = await database();
const { sql } = db;
const plan = await aPlan(sql);
// Only these tests consume.
await sql`
  insert into private.wake_ups (function, called_at) values ('store-notifications/process', 'infinity')
  on conflict (function) do update set called_at = excluded.called_at`;

async function receive(statement = aStatement(plan)): Promise<boolean> {
  const [row] = await sql`
    select api.receive_store_notification('ios_store', ${statement.event_id}, ${
    sql.json(statement as never)
  }) as is_new`;
  return row!["is_new"];
}

async function take(limit = 20): Promise<Taken> {
  const [row] = await sql<{ taken: Taken }[]>`select api.take_store_notifications(${limit}) as taken`;
  return row!.taken;
}

/** What waits may be taken again at once. */
const hurry = (sql: Sql) => sql`update pgmq."q_store-notifications" set vt = now()`;

async function finish({ msg_id, notification_id, body }: Taken["notifications"][0], problem: string | null = null) {
  const statement = problem === null ? sql.json(body as never) : null;
  const [row] = await sql`
    select api.finish_store_notification(${msg_id}, ${notification_id}, ${statement}, ${problem}) as recorded`;
  return row!["recorded"] as { subscription_id: string } | null;
}

Deno.test("store notifications: one is stored once, recorded once, and its body is not kept", async () => {
  const statement = aStatement(plan);
  assert.deepEqual([await receive(statement), await receive(statement)], [true, false]);
  const { found, notifications: [taken] } = await take();
  assert.equal(found, 1);
  assert.deepEqual((await take()).notifications, [], "what is taken is hidden from the next");
  const recorded = await finish(taken!);
  assert.ok(recorded?.subscription_id);
  assert.equal(await finish(taken!), null);
  const events = await sql`select source from public.store_events where subscription_id = ${recorded.subscription_id}`;
  assert.deepEqual(events.map(({ source }) => source), ["notification"]);
  const [row] = await sql`
    select body, processed_at is not null as is_processed from private.store_notifications where event_id = ${statement.event_id}`;
  assert.deepEqual({ ...row }, { body: null, is_processed: true });
  assert.equal(await receive(statement), false);
  assert.equal((await take()).found, 0);
});

Deno.test("store notifications: one that cannot be recorded has no effect, and is dead after five attempts", async () => {
  await receive(aStatement(plan, { facts: { product_id: "no.plan" } as never }));
  for (let attempt = 1; attempt <= 5; attempt++) {
    const { notifications: [taken] } = await take();
    assert.equal(taken!.attempt, attempt);
    await assert.rejects(finish(taken!), /There is no subscription plan/);
    await hurry(sql);
  }
  assert.deepEqual((await take()).notifications, []);
  const dead = await sql`select from private.dead_messages where queue = 'store-notifications'`;
  assert.equal(dead.length, 1);
});

Deno.test("store notifications: an attempt during an outage is not counted; a dead one keeps its problem", async () => {
  const statement = aStatement(plan);
  await receive(statement);
  for (let nth = 0; nth < 8; nth++) {
    const { notifications: [taken] } = await take();
    assert.equal(taken!.attempt, 1);
    await sql`select api.postpone_store_notifications(${[taken!.msg_id]}, 60, false)`;
    assert.equal((await take()).found, 0);
    await hurry(sql);
  }
  const { notifications: [taken] } = await take();
  await finish(taken!, "iap_invalid: unknown");
  const [row] = await sql`
    select problem, body is not null as has_body from private.store_notifications where event_id = ${statement.event_id}`;
  assert.deepEqual({ ...row }, { problem: "iap_invalid: unknown", has_body: true });
  assert.equal((await sql`select from pgmq."q_store-notifications"`).length, 0);
});

Deno.test("store notifications: a consumer that ends lets the next notification call one again", async () => {
  await sql`select api.take_store_notifications(20, true)`;
  assert.equal((await sql`select from private.wake_ups where function = 'store-notifications/process'`).length, 0);
  await take();
  assert.equal((await sql`select from private.wake_ups where function = 'store-notifications/process'`).length, 1);
});

Deno.test("reconciliation: due subscriptions are taken oldest first, by one consumer, store by store, and again after a crash within three minutes", async () => {
  await sql`update public.user_subscriptions set ask_at = null`;
  const ids: string[] = [];
  for (const minutes of [10, 30, 20]) {
    const id = await record(sql, aStatement(plan));
    await sql`update public.user_subscriptions set ask_at = now() - ${minutes} * interval '1 minute' where id = ${id}`;
    ids.push(id);
  }
  const [oldest, second] = [ids[1]!, ids[2]!];
  const due = async (platform: string, limit: number) => {
    const [row] = await sql<{ due: { subscription_id: string; facts: object; product_id: string }[] }[]>`
      select api.take_due_subscriptions(${platform}, ${limit}) as due`;
    return row!.due;
  };
  assert.deepEqual(await due("android", 10), []);
  const first = await due("ios", 2);
  assert.deepEqual(first.map(({ subscription_id }) => subscription_id), [oldest, second]);
  assert.deepEqual([first[0]!.product_id, "status" in first[0]!.facts], [plan, true]);
  assert.deepEqual((await due("ios", 10)).map(({ subscription_id }) => subscription_id), [ids[0]]);
  assert.deepEqual(await due("ios", 10), []);
  await sql`select api.postpone_question(${oldest}, 0)`;
  assert.deepEqual((await due("ios", 10)).map(({ subscription_id }) => subscription_id), [oldest]);
  const [lease] = await sql`
    select max(extract(epoch from leased_until - now()))::float8 as seconds from private.leased_subscriptions`;
  assert.ok(lease!["seconds"] > 0 && lease!["seconds"] <= 180, String(lease!["seconds"]));
  await sql`update private.leased_subscriptions set leased_until = leased_until - interval '180 seconds'`;
  assert.equal((await due("ios", 10)).length, 3);
});

Deno.test.afterAll(() => db.close());
