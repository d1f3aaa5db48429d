// The stream of the realtime server: large transactions, and what follows when it breaks.
import assert from "node:assert/strict";
import postgres from "postgres";
import { ReplicationStream } from "../../local/realtime/replication.ts";
import type { Binding } from "../../local/realtime/types.ts";
import { eventually } from "../support/eventually.ts";
import { person, startFeed } from "../support/realtime_feed.ts";

const fixture = await startFeed();
const { db: { sql }, subscribe } = fixture;
Deno.test.afterAll(() => fixture.close());

await sql.unsafe(`
  create table public.notes (id integer generated always as identity primary key, owner uuid not null, body text);
  alter table public.notes enable row level security;
  create policy "Owners see their notes" on public.notes for select to authenticated using ((select auth.uid()) = owner);
  grant select on public.notes to authenticated, service_role;
  alter publication supabase_realtime add table public.notes;
`);
const NOTES = { event: "*", schema: "public", table: "notes" };

async function note(owner: string): Promise<number> {
  const [row] = await sql<{ id: number }[]>`insert into public.notes (owner) values (${owner}) returning id`;
  return row!.id;
}

Deno.test("realtime stream: a transaction of 2,000 rows is sent completely and in order", async () => {
  await sql.unsafe(`
    create table public.many (id integer primary key, owner uuid, payload text);
    alter table public.many enable row level security;
    create policy "Owners" on public.many for select to authenticated using (owner = (select auth.uid()));
    grant select on public.many to authenticated;
    alter publication supabase_realtime add table public.many;
  `);
  const me = crypto.randomUUID();
  const [mine, all] = [crypto.randomUUID(), crypto.randomUUID()].map(() => ({ count: 0, next: 0 }));
  const listen = (binding: Binding, count: { count: number; next: number }) =>
    fixture.feed.subscribe([binding], person(me), {
      change: (_, text) => {
        const { id } = JSON.parse(text).record;
        assert.ok(id > count.next);
        count.next = id;
        count.count++;
      },
      lost: (reason) => assert.fail(reason),
    });
  const subscriptions = [
    await listen({ table: "many" }, all!),
    await listen({ schema: "public", table: "many", filter: "id=gt.1900" }, mine!),
  ];
  await sql`
    insert into public.many
    select n, case when n % 2 = 0 then ${me}::uuid else gen_random_uuid() end, repeat(md5(n::text), 30)
    from generate_series(1, 2000) as n`;
  await eventually(() => all!.count === 1_000 || undefined);
  for (const subscription of subscriptions) subscription.close();
  assert.deepEqual([all!.next, mine!.count], [2_000, 50]);
});

Deno.test("realtime stream: when it is closed its slot is dropped", async () => {
  const stream = new ReplicationStream({
    url: fixture.superuser,
    onMessage: () => {},
    onLost: (reason) => assert.fail(reason),
  });
  const slots = async () => (await sql`select from pg_replication_slots where database = current_database()`).length;
  await stream.open();
  assert.equal(await slots(), 2);
  await stream.close();
  await eventually(async () => await slots() === 1 || undefined);
});

Deno.test("realtime stream: the slot follows the log without changes to send", async () => {
  await sql`create table public.unheard as select n from generate_series(1, 1000) as n`;
  const subscriber = await subscribe(NOTES, person());
  await note(crypto.randomUUID());
  await sql`update public.unheard set n = n + 1`;
  const [here] = await sql`select pg_current_wal_insert_lsn()::text as lsn`;
  await eventually(async () => {
    const [slot] = await sql`
      select confirmed_flush_lsn >= ${here!["lsn"]}::text::pg_lsn as follows, temporary from pg_replication_slots
      where database = current_database()`;
    assert.ok(slot!["temporary"]);
    return slot!["follows"] || undefined;
  });
  assert.deepEqual(subscriber.received, []);
});

Deno.test("realtime stream: when it breaks every subscriber is notified, and a new subscription receives changes", async () => {
  const me = crypto.randomUUID();
  const subscriber = await subscribe(NOTES, person(me));
  const superuser = postgres(fixture.superuser, { max: 1 });
  for (const name of ["realtime stream", "realtime access", "realtime subscribe"]) {
    const before = await subscribe(NOTES, person(me));
    await superuser`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = ${name} and datname = current_database()`;
    const again = await eventually(() => subscribe(NOTES, person(me)).catch(() => undefined));
    const id = await note(me);
    // A connection for queries is replaced without a loss.
    const heard = await eventually(async () => {
      if (again.lost === undefined) return again.received.length > 0 ? again : undefined;
      const third = await subscribe(NOTES, person(me));
      await sql`update public.notes set body = 'once more' where id = ${id}`;
      return await third.receives(1).then(() => third);
    });
    assert.equal(heard.received[0]!.change.record!["id"], id);
    if (name === "realtime stream") assert.notEqual(before.lost, undefined);
  }
  await superuser.end();
  assert.notEqual(subscriber.lost, undefined);
  const [{ slots } = { slots: 0 }] = await sql<{ slots: number }[]>`
    select count(*)::integer as slots from pg_replication_slots where database = current_database()`;
  assert.equal(slots, 1);
});

Deno.test("realtime stream: while a table that a policy reads is locked changes wait, and no subscriber is lost", async () => {
  await sql.unsafe(`
    create table public.rooms (id integer primary key);
    insert into public.rooms values (1);
    create table public.visits (id integer primary key, room integer);
    alter table public.visits enable row level security;
    create policy "Of a room" on public.visits for select to authenticated using (exists (select from public.rooms where id = room));
    grant select on public.rooms, public.visits to authenticated;
    alter publication supabase_realtime add table public.visits;
  `);
  const { log } = fixture;
  const subscriber = await subscribe({ table: "visits" });
  await sql.begin(async (inside) => {
    await inside`lock table public.rooms in access exclusive mode`;
    await sql`insert into public.visits values (1, 1), (2, 2)`;
    await eventually(() => log.includes("A change waits for a lock") || undefined);
    assert.deepEqual([subscriber.received, subscriber.lost], [[], undefined]);
  });
  assert.deepEqual((await subscriber.receives(1)).map(({ record }) => record), [{ id: 1, room: 1 }]);
  assert.equal(subscriber.lost, undefined);
});

Deno.test("realtime stream: a change is sent when its commit is visible to other transactions", async () => {
  const me = crypto.randomUUID();
  const superuser = postgres(fixture.superuser, { max: 1 });
  const subscriber = await subscribe(NOTES, person(me));
  // A synchronous commit is in the log before the standby confirms it, and visible after. There is no standby here.
  await superuser`alter system set synchronous_standby_names = 'nobody'`;
  const write = () =>
    sql.begin(async (inside) => {
      await inside`set local synchronous_commit to on`;
      await inside`insert into public.notes (owner) values (${me})`;
    });
  const isWaitedFor = async () => {
    const waiting = await superuser`
      select from pg_stat_activity
      where datname = current_database() and application_name = 'realtime access' and wait_event = 'PgSleep'`;
    return waiting.length > 0 || undefined;
  };
  let written: Promise<unknown>;
  let before = 0;
  try {
    await superuser`select pg_reload_conf()`;
    // Commits before the server has read its settings do not wait.
    for (;; before++) {
      let isDone = false;
      written = write().then(() => isDone = true);
      if (await eventually(async () => await isWaitedFor() ?? (isDone ? false : undefined))) break;
    }
    await subscriber.receives(before);
    assert.equal(subscriber.received.length, before);
  } finally {
    await superuser`alter system reset synchronous_standby_names`;
    await superuser`select pg_reload_conf()`;
    await superuser.end();
  }
  await written;
  assert.equal((await subscriber.receives(before + 1))[before]!.record!["owner"], me);
});
