// Whatever a client asks for, it hears of no row that it may not read: it is refused or hears nothing.
import assert from "node:assert/strict";
import { signUp } from "../support/people.ts";
import { newLot } from "../support/rows.ts";
import { connect, logActivity, notify, tellAdmins } from "./activities.ts";
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
  return [notification, draft, session!.id, badge!.id, await logActivity(sql, victim.id), await tellAdmins(sql)];
}

/** Nothing of the victim's is among what the curious hear with these bindings. */
async function hearsNothing(name: string, ...bindings: Binding[]): Promise<void> {
  await using client = new Client(curious);
  const heard = await client.listen(name, ...bindings, { table: "user_notifications" });
  const secret = await victimsChanges();
  const fence = await notify(sql, curious.id);
  const before = await heard.until(fence);
  assert.deepEqual(before.filter((change) => secret.includes(String(keyOf(change)))), []);
  assert.deepEqual(before.filter(({ eventType }) => eventType !== "DELETE"), []);
}

Deno.test("a subscription without a filter brings only what the subscriber may read", async () => {
  await hearsNothing("no filter", ...TABLES.map((table) => ({ table })));
});

Deno.test("a subscription to a whole schema, or to every schema, brings only what the subscriber may read", async () => {
  await hearsNothing("a schema", { schema: "public" });
  await hearsNothing("every schema", { schema: "*" });
});

Deno.test("a subscription with another's id in its filter is silent", async () => {
  const theirs = TABLES.slice(0, 4).map((table) => ({ table, filter: `user_id=eq.${victim.id}` }));
  await hearsNothing("another's", ...theirs);
  await hearsNothing("both", { table: "user_notifications", filter: `user_id=in.(${victim.id},${curious.id})` });
  await hearsNothing("not mine", { table: "parking_sessions", filter: `user_id=neq.${curious.id}` });
});

Deno.test("a name of a channel gives no right", async () => {
  await hearsNothing(`user_notifications:user_id=eq.${victim.id}`, { table: "user_notifications", event: "UPDATE" });
});

/** What the server says of bindings that it does not take. */
async function refusal(...bindings: Binding[]): Promise<string> {
  await using client = new Client(curious);
  const channel = await client.join("refused", ...bindings);
  await assert.rejects(channel.ready());
  assert.equal(channel.statuses[0]?.status, "SUBSCRIBED", "the join itself is not refused");
  await victimsChanges();
  await client.settled();
  assert.deepEqual(channel.heard, []);
  return channel.system.find(({ status }) => status === "error")!.message;
}

Deno.test("a table that is not published is refused by name, one that does not exist the same", async () => {
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

Deno.test("a column that is not there or not granted is refused in a filter, and left out of rows", async () => {
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
    const heard = await client.listen("things", things);
    const [thing] = await sql.unsafe<{ id: string }[]>(
      `insert into ${schema}.things (name, hidden) values ('Name', 'secret') returning id`,
    );
    const [change] = await heard.hears(1);
    assert.deepEqual(change!.new, { id: thing!.id, name: "Name" });
  } finally {
    await sql.unsafe(`alter publication supabase_realtime drop table ${schema}.things; drop schema ${schema} cascade`);
  }
});

Deno.test("a filter that is none is refused", async () => {
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

Deno.test("of a deleted row comes its key and nothing else, and with a filter on the person not even that", async () => {
  await using client = new Client(victim);
  const filtered = await client.listen("filtered", { table: "user_notifications", filter: `user_id=eq.${victim.id}` });
  const all = await client.listen("all", { table: "user_notifications", event: "DELETE" });
  const id = await notify(sql, victim.id);
  await filtered.hears(1);
  await sql`delete from public.user_notifications where id = ${id}`;
  await all.until(id);
  const deleted = all.heard.find((change) => keyOf(change) === id)!;
  assert.deepEqual([deleted.eventType, deleted.new, deleted.old], ["DELETE", {}, { id, status: "sent" }]);
  const fence = await notify(sql, victim.id);
  assert.deepEqual((await filtered.until(fence)).map(({ eventType }) => eventType), ["INSERT"]);
});

Deno.test("a row that leaves its person's sight is silent", async () => {
  await using client = new Client(victim);
  const heard = await client.listen("leaving", { table: "user_notifications" }, { table: "parking_sessions" });
  const id = await notify(sql, victim.id);
  await sql`update public.user_notifications set user_id = ${curious.id}, title = 'Now another''s' where id = ${id}`;
  const fence = await notify(sql, victim.id);
  // The row is looked at as it is when its change is read: it may have left already.
  const titles = (await heard.until(fence)).filter((change) => keyOf(change) === id && change.eventType !== "DELETE")
    .map(({ new: row }) => (row as { title: string }).title);
  assert.ok(!titles.includes("Now another's"), titles.join());
});
