// No request of a client makes it receive a row that it may not read.
import assert from "node:assert/strict";
import { signUp } from "../support/people.ts";
import { newLot } from "../support/rows.ts";
import { connect, logActivity, notify, notifyAdmins } from "./activities.ts";
import { type Binding, Client, keyOf } from "./listen.ts";

const sql = connect();
Deno.test.afterAll(() => sql.end());

const victim = await signUp();
const curious = await signUp();

const TABLES = ["user_notifications", "parking_sessions", "user_badges", "user_activity_logs", "admin_notifications"];

/** Something of the victim's in every published table, changed once; the keys. */
async function victimsChanges(): Promise<string[]> {
  const lot = await newLot(sql);
  const notification = await notify(sql, victim.id);
  await sql`update public.user_notifications set read_at = now() where id = ${notification}`;
  const draft = await notify(sql, curious.id, { status: "draft", sent_at: null });
  const [session] = await sql<{ id: string }[]>`
    insert into public.parking_sessions (user_id, parking_lot_id, status) values (${victim.id}, ${lot}, 'cancelled')
    returning id`;
  await sql`update public.parking_sessions set memo = 'secret' where id = ${session!.id}`;
  await sql`delete from public.user_badges where user_id = ${victim.id}`;
  const [badge] = await sql<{ id: string }[]>`
    insert into public.user_badges (user_id, badge_id) select ${victim.id}, id from public.badges limit 1 returning id`;
  return [notification, draft, session!.id, badge!.id, await logActivity(sql, victim.id), await notifyAdmins(sql)];
}

/** With these bindings the curious user receives nothing of the victim. */
async function receivesNothing(name: string, ...bindings: Binding[]): Promise<void> {
  await using client = new Client(curious);
  const channel = await client.subscribe(name, ...bindings, { table: "user_notifications" });
  const secret = await victimsChanges();
  const fence = await notify(sql, curious.id);
  const before = await channel.until(fence);
  assert.deepEqual(before.filter((change) => secret.includes(String(keyOf(change)))), []);
  assert.deepEqual(before.filter(({ eventType }) => eventType !== "DELETE"), []);
}

Deno.test("realtime: without a filter a subscriber receives only rows that it may read", async () => {
  await receivesNothing("no filter", ...TABLES.map((table) => ({ table })));
});

Deno.test("realtime: a subscription to a schema, or to all, receives only rows that its subscriber may read", async () => {
  await receivesNothing("a schema", { schema: "public" });
  await receivesNothing("every schema", { schema: "*" });
});

Deno.test("realtime: a filter with the id of another user receives nothing", async () => {
  const theirs = TABLES.slice(0, 4).map((table) => ({ table, filter: `user_id=eq.${victim.id}` }));
  await receivesNothing("another's", ...theirs);
  await receivesNothing("both", { table: "user_notifications", filter: `user_id=in.(${victim.id},${curious.id})` });
  await receivesNothing("not mine", { table: "parking_sessions", filter: `user_id=neq.${curious.id}` });
});

Deno.test("realtime: the name of a channel gives no access", async () => {
  await receivesNothing(`user_notifications:user_id=eq.${victim.id}`, { table: "user_notifications", event: "UPDATE" });
});

/** What the server says of bindings that it does not take. */
async function refusal(...bindings: Binding[]): Promise<string> {
  await using client = new Client(curious);
  const channel = await client.join("refused", ...bindings);
  await assert.rejects(channel.ready());
  assert.equal(channel.statuses[0]?.status, "SUBSCRIBED", "the join itself is not refused");
  await victimsChanges();
  await client.settled();
  assert.deepEqual(channel.received, []);
  return channel.system.find(({ status }) => status === "error")!.message;
}

Deno.test("realtime: a table that is not published is rejected like one that does not exist", async () => {
  for (const table of ["user_vehicles", "admins", "app_users", "no_such_table", "audit_log_entries"]) {
    assert.equal(
      await refusal({ table }),
      "Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect " +
        `parameters: [event: *, schema: public, table: ${table}, filters: [], select: nil]`,
    );
  }
  assert.match(await refusal({ schema: "private", table: "idempotency_records" }), /^Unable to subscribe to changes/);
  assert.match(await refusal({ schema: "auth", table: "users" }), /^Unable to subscribe to changes/);
});

Deno.test("realtime: a column that does not exist or is not granted is rejected in a filter and absent from rows", async () => {
  // A table of its own: the published ones grant every column.
  const schema = `fixture_${crypto.randomUUID().replaceAll("-", "")}`;
  await sql.unsafe(`
    create schema ${schema};
    grant usage on schema ${schema} to authenticated;
    create table ${schema}.things (id uuid primary key default gen_random_uuid(), name text, hidden text);
    grant select (id, name) on ${schema}.things to authenticated;
    alter table ${schema}.things enable row level security;
    create policy "Everybody reads things" on ${schema}.things for select to authenticated using (true);
    alter publication supabase_realtime add table ${schema}.things`);
  try {
    const things = { schema, table: "things" };
    for (const column of ["hidden", "no_such_column"]) {
      assert.equal(
        await refusal({ ...things, filter: `${column}=eq.1` }),
        "Unable to subscribe to changes with given parameters. An exception happened so please check your connect " +
          `parameters: [event: *, schema: ${schema}, table: things, filters: [{"${column}", "eq", "1", false}], ` +
          `select: nil]. Exception: ERROR P0001 (raise_exception) invalid column for filter ${column}`,
      );
    }
    await using client = new Client(curious);
    const channel = await client.subscribe("things", things);
    const [thing] = await sql.unsafe<{ id: string }[]>(
      `insert into ${schema}.things (name, hidden) values ('Name', 'secret') returning id`,
    );
    const [change] = await channel.receives(1);
    assert.deepEqual(change!.new, { id: thing!.id, name: "Name" });
  } finally {
    await sql.unsafe(`alter publication supabase_realtime drop table ${schema}.things; drop schema ${schema} cascade`);
  }
});

Deno.test("realtime: an invalid filter is rejected", async () => {
  assert.equal(
    await refusal({ table: "user_notifications", filter: "title" }),
    'Error parsing `filter` params: ["title"]',
  );
  assert.match(
    await refusal({ table: "user_notifications", filter: "user_id=hey.1" }),
    /^Error parsing `filter` params/,
  );
  assert.match(
    await refusal({ table: "user_notifications", filter: "user_id=eq.me' or true --" }),
    /ERROR 22P02 \(invalid_text_representation\) invalid input syntax for type uuid/,
  );
});

Deno.test("realtime: a delete has only the key, and a filter on the user never passes it", async () => {
  await using client = new Client(victim);
  const filtered = await client.subscribe("filtered", {
    table: "user_notifications",
    filter: `user_id=eq.${victim.id}`,
  });
  const all = await client.subscribe("all", { table: "user_notifications", event: "DELETE" });
  const id = await notify(sql, victim.id);
  await filtered.receives(1);
  await sql`delete from public.user_notifications where id = ${id}`;
  await all.until(id);
  const deleted = all.received.find((change) => keyOf(change) === id)!;
  assert.deepEqual([deleted.eventType, deleted.new, deleted.old], ["DELETE", {}, { id, status: "sent" }]);
  const fence = await notify(sql, victim.id);
  assert.deepEqual((await filtered.until(fence)).map(({ eventType }) => eventType), ["INSERT"]);
});

Deno.test("realtime: a row that its user may no longer read sends nothing", async () => {
  await using client = new Client(victim);
  const channel = await client.subscribe("leaving", { table: "user_notifications" }, { table: "parking_sessions" });
  const id = await notify(sql, victim.id);
  await sql`update public.user_notifications set user_id = ${curious.id}, title = 'Now another''s' where id = ${id}`;
  const fence = await notify(sql, victim.id);
  // The row is looked at as it is when its change is read: it may have left already.
  const titles = (await channel.until(fence)).filter((change) => keyOf(change) === id && change.eventType !== "DELETE")
    .map(({ new: row }) => (row as { title: string }).title);
  assert.ok(!titles.includes("Now another's"), titles.join());
});
