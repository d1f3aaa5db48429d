// The feed of the realtime server: the changes of the log, for those who may read them.
import assert from "node:assert/strict";
import { person, startFeed } from "../support/realtime_feed.ts";
import type { Change } from "../support/realtime_server.ts";

const fixture = await startFeed();
const { db: { sql }, subscribe } = fixture;
Deno.test.afterAll(() => fixture.close());

await sql.unsafe(`
  create table public.notes (
    id integer primary key, owner uuid not null, body text, secret text, big text, rank integer
  );
  alter table public.notes enable row level security;
  alter table public.notes alter column big set storage external;
  revoke all on public.notes from anon, authenticated;
  grant select (id, owner, body, big, rank) on public.notes to authenticated;
  create policy "Owners read their notes" on public.notes for select to authenticated using ((select auth.uid()) = owner);
  alter publication supabase_realtime add table public.notes;
`);
const NOTES = { event: "*", schema: "public", table: "notes" };

let last = 0;

async function note(owner: string, values: Record<string, unknown> = {}): Promise<number> {
  const row = { id: ++last, owner, ...values };
  await sql`insert into public.notes ${sql(row)}`;
  return row.id;
}

const summary = ({ type, record, old_record }: Change) => [type, record?.["id"] ?? null, old_record?.["id"] ?? null];

Deno.test("realtime feed: an insert has the columns that its subscriber may select", async () => {
  const me = crypto.randomUUID();
  const subscriber = await subscribe(NOTES, person(me));
  const id = await note(me, { body: "お知らせ", secret: "hidden", rank: 5 });
  const [change] = await subscriber.receives(1);
  const { commit_timestamp, ...rest } = change as Change;
  assert.ok(Math.abs(Date.parse(commit_timestamp!) - Date.now()) < 10_000);
  assert.match(commit_timestamp!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(rest, {
    schema: "public",
    table: "notes",
    type: "INSERT",
    columns: [
      { name: "id", type: "int4" },
      { name: "owner", type: "uuid" },
      { name: "body", type: "text" },
      { name: "big", type: "text" },
      { name: "rank", type: "int4" },
    ],
    record: { id, owner: me, body: "お知らせ", big: null, rank: 5 },
    errors: null,
  });
});

Deno.test("realtime feed: without a filter, or with the id of another user in it, a user receives only rows of their own", async () => {
  const [me, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const open = await subscribe(NOTES, person(me));
  const prying = await subscribe({ ...NOTES, filter: `owner=eq.${other}` }, person(me));
  const withoutUser = await subscribe(NOTES, { role: "authenticated", claims: { role: "authenticated" } });
  const theirs = await subscribe({ ...NOTES, filter: `owner=eq.${other}` }, person(other));
  const hidden = await note(other, { body: "private" });
  await sql`update public.notes set body = 'still private' where id = ${hidden}`;
  const fence = await note(me);
  await note(other);
  assert.deepEqual(await open.until(fence), []);
  assert.deepEqual((await theirs.receives(3)).map(summary), [
    ["INSERT", hidden, null],
    ["UPDATE", hidden, hidden],
    ["INSERT", fence + 1, null],
  ]);
  assert.deepEqual([prying.received, withoutUser.received], [[], []]);
});

Deno.test("realtime feed: a role that may not select the key receives an error, and nothing of the row", async () => {
  const subscriber = await subscribe(NOTES, { role: "anon", claims: { role: "anon" } });
  await note(crypto.randomUUID());
  assert.deepEqual(await subscriber.receives(1), [{
    schema: "public",
    table: "notes",
    type: "INSERT",
    commit_timestamp: null,
    columns: [],
    record: {},
    errors: ["Error 401: Unauthorized"],
  }]);
  subscriber.subscription.close();
});

Deno.test("realtime feed: a change names the bindings whose event and filters it matches", async () => {
  const me = crypto.randomUUID();
  const subscriber = await subscribe([
    { ...NOTES, event: "INSERT" },
    { ...NOTES, event: "update", filter: "rank=gt.3" },
    { ...NOTES, filter: `owner=eq.${me},rank=in.(1,9)` },
    { ...NOTES, event: "DELETE" },
  ], person(me));
  const id = await note(me, { rank: 1 });
  await subscriber.receives(1);
  await sql`update public.notes set rank = 5 where id = ${id}`;
  await subscriber.receives(2);
  await sql`update public.notes set rank = 9 where id = ${id}`;
  await subscriber.receives(3);
  await sql`delete from public.notes where id = ${id}`;
  await subscriber.receives(4);
  assert.deepEqual(subscriber.received.map(({ bindings, change }) => `${change.type} ${bindings}`), [
    "INSERT 0,2",
    "UPDATE 1",
    "UPDATE 1,2",
    "DELETE 3",
  ]);
});

Deno.test("realtime feed: a row that becomes invisible sends nothing, one that becomes visible sends an update", async () => {
  const [me, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const [mine, theirs] = [await subscribe(NOTES, person(me)), await subscribe(NOTES, person(other))];
  const id = await note(me);
  await mine.receives(1);
  await sql`update public.notes set owner = ${other} where id = ${id}`;
  const fence = await note(me);
  await theirs.receives(1);
  assert.deepEqual((await mine.until(fence)).map(summary), [["INSERT", id, null]]);
  assert.deepEqual(theirs.received.map(({ change }) => summary(change)), [["UPDATE", id, id]]);
});

Deno.test("realtime feed: a row that was deleted or given away before the check is not sent", async () => {
  const me = crypto.randomUUID();
  const subscriber = await subscribe({ ...NOTES, event: "INSERT" }, person(me));
  await sql.begin(async (inside) => {
    const id = ++last;
    await inside`insert into public.notes (id, owner, body) values (${id}, ${me}, 'short')`;
    await inside`delete from public.notes where id = ${id}`;
  });
  const given = ++last;
  await sql.begin(async (inside) => {
    await inside`insert into public.notes (id, owner, body) values (${given}, ${me}, 'mine for a moment')`;
    await inside`update public.notes set owner = ${crypto.randomUUID()} where id = ${given}`;
  });
  assert.deepEqual(await subscriber.until(await note(me)), []);
});

Deno.test("realtime feed: a delete carries only the key, with any replica identity", async () => {
  const me = crypto.randomUUID();
  const [subscriber, filtered] = [
    await subscribe({ ...NOTES, event: "DELETE" }, person(me)),
    await subscribe({ ...NOTES, event: "DELETE", filter: `owner=eq.${me}` }, person(me)),
  ];
  const ids = [await note(me, { body: "one" }), await note(me, { body: "two" })];
  await sql`delete from public.notes where id = ${ids[0]!}`;
  await subscriber.receives(1);
  await sql`alter table public.notes replica identity full`;
  try {
    await sql`delete from public.notes where id = ${ids[1]!}`;
    const changes = await subscriber.receives(2);
    assert.deepEqual(changes.map(({ old_record }) => old_record), ids.map((id) => ({ id })));
    assert.ok(changes.every((change) => !("record" in change)));
    // With the full identity the filter sees the owner; before, it had nothing to see.
    assert.deepEqual((await filtered.receives(1)).map(summary), [["DELETE", null, ids[1]]]);
  } finally {
    await sql`alter table public.notes replica identity default`;
  }
});

Deno.test("realtime feed: with the full replica identity an update has the granted columns of the old row", async () => {
  const me = crypto.randomUUID();
  const subscriber = await subscribe({ ...NOTES, event: "UPDATE" }, person(me));
  await sql`alter table public.notes replica identity full`;
  try {
    const big = "x".repeat(10_000);
    const id = await note(me, { body: "before", secret: "hidden", big });
    await sql`update public.notes set body = 'after', secret = 'still' where id = ${id}`;
    const [change] = await subscriber.receives(1);
    assert.deepEqual(change!.old_record, { id, owner: me, body: "before", big, rank: null });
    assert.deepEqual(change!.record, { id, owner: me, body: "after", big, rank: null });
  } finally {
    await sql`alter table public.notes replica identity default`;
  }
});

Deno.test("realtime feed: a large value that did not change is absent, not null; a changed key comes with the old one", async () => {
  const me = crypto.randomUUID();
  const subscriber = await subscribe({ ...NOTES, event: "UPDATE" }, person(me));
  const id = await note(me, { body: "before", big: "x".repeat(10_000) });
  await sql`update public.notes set body = 'after' where id = ${id}`;
  await subscriber.receives(1);
  const moved = ++last;
  await sql`update public.notes set id = ${moved}, big = 'small' where id = ${id}`;
  const [first, second] = await subscriber.receives(2);
  assert.deepEqual(first!.record, { id, owner: me, body: "after", rank: null });
  assert.deepEqual(first!.old_record, { id });
  assert.deepEqual([second!.record!["id"], second!.record!["big"], second!.old_record], [moved, "small", { id }]);
});

Deno.test("realtime feed: a revoked grant applies to the next change", async () => {
  const me = crypto.randomUUID();
  const subscriber = await subscribe(NOTES, person(me));
  await note(me, { body: "readable" });
  await subscriber.receives(1);
  await sql`revoke select (body) on public.notes from authenticated`;
  await note(me, { body: "not any more" });
  await subscriber.receives(2);
  await sql`revoke select (id) on public.notes from authenticated`;
  await note(me);
  await subscriber.receives(3);
  await sql`grant select (id, body) on public.notes to authenticated`;
  const [before, after, refused] = await subscriber.receives(3);
  assert.equal(before!.record!["body"], "readable");
  assert.deepEqual(Object.keys(after!.record!).sort(), ["big", "id", "owner", "rank"]);
  assert.deepEqual([refused!.record, refused!.errors], [{}, ["Error 401: Unauthorized"]]);
});

Deno.test("realtime feed: new claims apply to every later change", async () => {
  const [before, after] = [crypto.randomUUID(), crypto.randomUUID()];
  const subscriber = await subscribe(NOTES, person(before));
  const first = await note(before);
  await subscriber.receives(1);
  await subscriber.subscription.identify(person(after));
  await note(before);
  const second = await note(after);
  assert.deepEqual((await subscriber.receives(2)).map(summary), [["INSERT", first, null], ["INSERT", second, null]]);
  await assert.rejects(
    subscriber.subscription.identify({ role: "nobody", claims: {} }),
    /role "nobody" does not exist/,
  );
});

Deno.test("realtime feed: a subscription receives what is committed after it, and nothing from before", async () => {
  const me = crypto.randomUUID();
  const open = Promise.withResolvers<void>();
  const committing = Promise.withResolvers<number>();
  const written = sql.begin(async (inside) => {
    const id = ++last;
    await inside`insert into public.notes (id, owner) values (${id}, ${me})`;
    committing.resolve(id);
    await open.promise;
  });
  const late = await committing.promise;
  await note(me, { body: "before" });
  const subscriber = await subscribe(NOTES, person(me));
  open.resolve();
  await written;
  assert.deepEqual((await subscriber.receives(1)).map(summary), [["INSERT", late, null]]);
});

Deno.test("realtime feed: a truncation sends nothing, and a closed subscription receives nothing", async () => {
  await sql.unsafe(`
    create table public.drafts (id integer primary key);
    alter publication supabase_realtime add table public.drafts;
    grant select on public.drafts to authenticated;
  `);
  const [subscriber, closed] = [await subscribe({ table: "drafts" }), await subscribe({ table: "drafts" })];
  await sql`insert into public.drafts values (1)`;
  await Promise.all([subscriber.receives(1), closed.receives(1)]);
  closed.subscription.close();
  await sql`truncate public.drafts`;
  await sql`insert into public.drafts values (2)`;
  assert.deepEqual((await subscriber.until(2)).map(summary), [["INSERT", 1, null]]);
  assert.equal(closed.received.length, 1);
});

Deno.test("realtime feed: a table without a key has errors instead of rows, but sends its deletes", async () => {
  await sql.unsafe(`
    create table public.keyless (name text);
    alter table public.keyless replica identity full;
    alter publication supabase_realtime add table public.keyless;
    grant select on public.keyless to authenticated;
  `);
  const subscriber = await subscribe({ table: "keyless", schema: "public", filter: "name=eq.x" });
  await sql`insert into public.keyless values ('secret')`;
  await sql`insert into public.keyless values ('x')`;
  await sql`delete from public.keyless`;
  const changes = await subscriber.receives(3);
  assert.deepEqual(changes[0], {
    schema: "public",
    table: "keyless",
    type: "INSERT",
    commit_timestamp: null,
    columns: [],
    record: {},
    errors: ["Error 400: Bad Request, no primary key"],
  });
  assert.deepEqual([changes[2]!.type, changes[2]!.old_record], ["DELETE", { name: "x" }]);
});

Deno.test("realtime feed: a table without row-level security is sent to roles that may select it, with their columns", async () => {
  await sql.unsafe(`
    create table public.open_board (id integer primary key, shown text, hidden text);
    revoke all on public.open_board from anon, authenticated;
    grant select (id, shown) on public.open_board to anon;
    alter publication supabase_realtime add table public.open_board;
  `);
  const anon = { role: "anon", claims: { role: "anon" } };
  const subscriber = await subscribe({ table: "open_board" }, anon);
  const other = await subscribe({ table: "open_board" });
  await sql`insert into public.open_board values (1, 'a', 'b')`;
  assert.deepEqual((await subscriber.receives(1)).map(({ record }) => record), [{ id: 1, shown: "a" }]);
  assert.deepEqual((await other.receives(1)).map(({ record, errors }) => [record, errors]), [
    [{}, ["Error 401: Unauthorized"]],
  ]);
  // Its schema is closed to the role, though the table is not.
  await sql.unsafe(`
    create schema closed;
    create table closed.board (id integer primary key);
    grant select on closed.board to anon;
    alter publication supabase_realtime add table closed.board;
  `);
  const outside = await subscribe({ schema: "closed" }, anon);
  await sql`insert into closed.board values (1)`;
  assert.deepEqual((await outside.receives(1)).map(({ record, errors }) => [record, errors]), [
    [{}, ["Error 401: Unauthorized"]],
  ]);
});

Deno.test("realtime feed: columns may be added and dropped while the stream runs", async () => {
  await sql.unsafe(`
    create table public.shapes (id integer primary key, a text, b integer);
    grant select on public.shapes to authenticated;
    alter table public.shapes enable row level security;
    create policy "All see all" on public.shapes for select to authenticated using (true);
    alter publication supabase_realtime add table public.shapes;
  `);
  const subscriber = await subscribe([{ table: "shapes" }, { schema: "public", table: "shapes", filter: "b=eq.1" }]);
  await sql`insert into public.shapes values (1, 'one', 1)`;
  await subscriber.receives(1);
  await sql`alter table public.shapes drop column b, add column c jsonb default '{"new": [1]}'`;
  await sql`insert into public.shapes values (2, 'two')`;
  await subscriber.receives(2);
  await sql`alter table public.shapes alter column a type integer using 7`;
  await sql`alter table public.shapes drop constraint shapes_pkey, add primary key (a, id)`;
  await sql`insert into public.shapes values (3, 33)`;
  await subscriber.receives(3);
  assert.deepEqual(subscriber.received.map(({ bindings, change: { record } }) => [bindings, record]), [
    [[0, 1], { id: 1, a: "one", b: 1 }],
    [[0], { id: 2, a: "two", c: { new: [1] } }],
    [[0], { id: 3, a: 33, c: { new: [1] } }],
  ]);
  // Rows of before, read after: what is not there any more is left out.
  await sql.begin(async (inside) => {
    await inside`insert into public.shapes values (4, 44)`;
    await inside`alter table public.shapes drop column c`;
  });
  assert.deepEqual((await subscriber.receives(4))[3]!.record, { id: 4, a: 44 });
  await sql`drop table public.shapes`;
  assert.equal(subscriber.lost, undefined);
});

Deno.test("realtime feed: a policy that fails for one subscriber ends that subscription and no other", async () => {
  const me = crypto.randomUUID();
  const broken = await subscribe(NOTES, person("not-a-uuid"));
  const [subscriber, greater] = [
    await subscribe(NOTES, person(me)),
    await subscribe({ ...NOTES, filter: "body=gt.a" }, person(me)),
  ];
  const id = await note(me, { body: "abc" });
  for (const one of [subscriber, greater]) {
    assert.deepEqual((await one.receives(1)).map(summary), [["INSERT", id, null]]);
  }
  assert.match(broken.lost ?? "", /policy/);
  assert.deepEqual(broken.received, []);
});

Deno.test("realtime feed: policies have the claims of the caller and the search path of a request", async () => {
  await sql.unsafe(`
    create table public.members (room integer, person uuid);
    create function public.is_member(p_room integer) returns boolean language sql stable security definer
      as $$ select exists (select from members where room = p_room and person = auth.uid()) $$;
    grant execute on function public.is_member to authenticated;
    create table public.posts (id integer primary key, room integer);
    alter table public.posts enable row level security;
    create policy "Members" on public.posts for select to authenticated using (public.is_member(room) and auth.role() = 'authenticated');
    grant select on public.posts to authenticated;
    alter publication supabase_realtime add table public.posts;
  `);
  const [member, stranger] = [crypto.randomUUID(), crypto.randomUUID()];
  await sql`insert into public.members values (1, ${member}), (2, ${stranger})`;
  const [subscriber, other] = [
    await subscribe({ table: "posts" }, person(member)),
    await subscribe({ table: "posts" }, person(stranger)),
  ];
  await sql`insert into public.posts select n, 1 + n % 2 from generate_series(1, 20) as n`;
  const rooms = (await Promise.all([subscriber.receives(10), other.receives(10)])).map((changes) =>
    new Set(changes.map(({ record }) => record!["room"]))
  );
  assert.deepEqual(rooms, [new Set([1]), new Set([2])]);
});

Deno.test("realtime feed: the service role receives every row", async () => {
  const subscriber = await subscribe(NOTES, { role: "service_role", claims: { role: "service_role" } });
  await sql`grant select on public.notes to service_role`;
  const id = await note(crypto.randomUUID(), { secret: "for the service" });
  assert.deepEqual((await subscriber.receives(1)).map(({ record }) => [record!["id"], record!["secret"]]), [[
    id,
    "for the service",
  ]]);
});
