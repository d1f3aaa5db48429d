// The feed of the realtime server: values as JSON, filters, and errors of subscriptions.
import assert from "node:assert/strict";
import { SubscriptionRejected } from "../../local/realtime/types.ts";
import { person, startFeed } from "../support/realtime_feed.ts";

const fixture = await startFeed();
const { db: { sql }, subscribe } = fixture;
Deno.test.afterAll(() => fixture.close());

/** A value of each kind, or of each way in which it is written. */
const VALUES: [type: string, ...literals: string[]][] = [
  ["boolean", "true", "false"],
  ["smallint", "-7"],
  ["integer", "2147483647"],
  ["bigint", "9007199254740993", "-12"],
  ["numeric", "1.10", "NaN", "Infinity", "123456789012345678901234567890.5", "-0.0000001", "1e30"],
  ["real", "1.5", "1e-20", "-Infinity"],
  ["double precision", "0.1", "1e20", "1e300", "NaN", "-0"],
  ["text", "", 'quotes " \\ and\nlines', "日本語 🚗", "NULL", "{a,b}"],
  ["varchar(10)", "ab"],
  ["char(4)", "ab"],
  ["uuid", "6F9619FF-8B86-D011-B42D-00C04FC964FF"],
  ["date", "2026-01-02", "infinity", "0044-03-15 BC"],
  ["timestamp", "2026-01-02 03:04:05.678901", "infinity", "12026-01-02 03:04:05"],
  ["timestamptz", "2026-01-02 03:04:05.5+09", "2026-01-02 03:04:05Z", "-infinity", "0044-03-15 00:00:00+00 BC"],
  ["time", "03:04:05"],
  ["timetz", "03:04:05+09"],
  ["interval", "1 year 2 days 03:04:05.6"],
  ["inet", "10.0.0.1/8"],
  ["json", '{"a": 1, "a": 2, "n": 12345678901234567890.10, "__proto__": 3}', "[1, null]", '"text"'],
  ["jsonb", '{"b": [1.50, "x"], "n": 12345678901234567890}', "null", "7"],
  ["integer[]", "{1,NULL,3}", "{}", "{{1,2},{3,4}}"],
  ["text[]", '{"a,b","quote \\" here",NULL,"NULL"}'],
  ["jsonb[]", '{"{\\"a\\": 1}"}'],
  ["timestamptz[]", '{"2026-01-02 03:04:05+09"}'],
  ["int4range", "[1,5)"],
  ["point", "(1,2)"],
  ["xml", "<a/>"],
  ["public.mood", "so so"],
  ["public.mood[]", "{sad}"],
  ["public.positive", "5"],
  ["public.code", "abc"],
  ["public.pair", "(1,two)"],
];

await sql.unsafe(`
  create type public.mood as enum ('sad', 'so so');
  create domain public.positive as integer check (value > 0);
  create domain public.code as text check (length(value) = 3);
  create type public.pair as (number integer, word text);
  create table public.kinds (id integer primary key, bytes bytea, nothing text, generated integer generated always as (id + 1) stored,
    ${VALUES.map(([type], index) => `c${index} ${type}`).join(", ")});
  alter publication supabase_realtime add table public.kinds;
  grant select on public.kinds to authenticated;
`);

Deno.test("realtime values: every type is sent as to_jsonb writes it, with all digits", async () => {
  const subscriber = await subscribe({ table: "kinds" });
  const rows = Math.max(...VALUES.map((row) => row.length)) - 1;
  const literal = (text: string | undefined) => text === undefined ? "null" : `'${text.replaceAll("'", "''")}'`;
  for (let row = 0; row < rows; row++) {
    const values = VALUES.map(([type, ...literals]) => `${literal(literals[row])}::${type}`);
    await sql.unsafe(`insert into public.kinds (id, bytes, ${VALUES.map((_, index) => `c${index}`).join()})
      values (${row}, '\\x00ff', ${values.join()})`);
  }
  const changes = await subscriber.receives(rows);
  const expected = await sql<{ row: string }[]>`
    select (to_jsonb(k) - 'generated' || '{"bytes": "00ff"}')::text as row from public.kinds k order by id`;
  for (const [index, { text }] of subscriber.received.entries()) {
    // Postgres compares: numbers by their digits.
    const [verdict] = await sql`
      select ${text}::text::jsonb -> 'record' = ${expected[index]!.row}::text::jsonb as same`;
    assert.ok(verdict!["same"], `${text}\nis not\n${expected[index]!.row}`);
  }
  assert.deepEqual(changes[0]!.columns.slice(0, 5), [
    { name: "id", type: "int4" },
    { name: "bytes", type: "bytea" },
    { name: "nothing", type: "text" },
    { name: "generated", type: "int4" },
    { name: "c0", type: "bool" },
  ]);
  const types = new Map(changes[0]!.columns.map(({ name, type }) => [name, type]));
  const named = (type: string) => types.get(`c${VALUES.findIndex(([name]) => name === type)}`);
  assert.deepEqual(["text[]", "public.mood", "public.positive", "char(4)"].map(named), [
    "_text",
    "mood",
    "positive",
    "bpchar",
  ]);
});

Deno.test("realtime values: checks of a type run with the rights of the database's owner, not of the superuser", async () => {
  await sql.unsafe(`
    create function public.spy(p_value text) returns boolean language plpgsql as $$
      begin
        if current_user = 'supabase_admin' then raise exception 'The superuser ran this'; end if;
        return true;
      end $$;
    create domain public.spying as text check (public.spy(value));
    create table public.traps (id integer primary key, word public.spying, words public.spying[]);
    grant select on public.traps to authenticated;
    alter publication supabase_realtime add table public.traps;
  `);
  const subscriber = await subscribe({ schema: "public", table: "traps", filter: 'word=gt.a,words=eq."{x,y}"' });
  await sql`insert into public.traps values (1, 'b', '{x,y}')`;
  assert.deepEqual((await subscriber.receives(1)).map(({ record }) => record), [{
    id: 1,
    word: "b",
    words: ["x", "y"],
  }]);
  const rights = await sql`
    select r.rolname as role, p.proname as function
    from pg_proc as p cross join pg_roles as r
    where p.pronamespace = '_realtime'::regnamespace and r.rolname in ('anon', 'authenticated', 'service_role', 'authenticator')
      and (has_function_privilege(r.oid, p.oid, 'execute') or has_schema_privilege(r.oid, p.pronamespace, 'usage'))`;
  assert.deepEqual([...rights], []);
});

Deno.test("realtime values: names may need quotes, or be special in JavaScript", async () => {
  await sql.unsafe(`
    create schema "Odd ""schema""";
    grant usage on schema "Odd ""schema""" to authenticated;
    create table "Odd ""schema"""."select * from; --" ("__proto__" integer, "Key's" text, "a.b,c" text, "constructor" text,
      primary key ("Key's", "__proto__"));
    alter table "Odd ""schema"""."select * from; --" enable row level security;
    create policy "Some" on "Odd ""schema"""."select * from; --" for select to authenticated using ("a.b,c" = 'seen');
    grant select on "Odd ""schema"""."select * from; --" to authenticated;
    alter publication supabase_realtime add table "Odd ""schema"""."select * from; --";
  `);
  const table = { schema: 'Odd "schema"', table: "select * from; --" };
  const subscriber = await subscribe({ ...table, filter: "Key's=eq.a'b\"\\,__proto__=gt.0" });
  const insert = (seen: string, id: number) =>
    sql.unsafe(`insert into "Odd ""schema"""."select * from; --" values ($1, $2, $3, 'x')`, [id, "a'b\"\\", seen]);
  await insert("hidden", 1);
  await insert("seen", 2);
  const [change] = await subscriber.receives(1);
  assert.equal(subscriber.received.length, 1);
  assert.equal(
    JSON.stringify(change!.record),
    '{"Key\'s":"a\'b\\"\\\\","a.b,c":"seen","__proto__":2,"constructor":"x"}',
  );
});

const CASES: [filter: string, passes: number[]][] = [
  ["number=eq.2", [2]],
  ["number=eq. 02 ", [2]],
  ["number=neq.2", [1, 3]],
  ["number=lt.2", [1]],
  ["number=lte.2", [1, 2]],
  ["number=gt.2", [3]],
  ["number=gte.2", [2, 3]],
  ["number=in.(1,3,NULL)", [1, 3]],
  ["number=in.()", []],
  ["number=gt.1,number=lt.3", [2]],
  ["flag=eq.yes", [1]],
  ["word=eq.One", [1]],
  ["word=eq.one", []],
  ["word=neq.One", [2, 3]],
  ["word=gt.Two", []],
  ["word=in.(One,Two)", [1, 2]],
  ['word=in.("One","x,y")', [1]],
  ['word=eq."One"', [1]],
  ["word=eq.", []],
  ["price=eq.1.5", [1]],
  ["price=gt.1.49,price=lt.10", [1, 2]],
  ["price=in.(1.5000,3)", [1]],
  ["moment=eq.2026-01-02T12:04:05+09:00", [1]],
  ["moment=lt.2027-01-01", [1]],
  ["feeling=eq.sad", [1]],
  ["feeling=gt.sad", [2]],
  ["id=eq.6f9619ff8b86d011b42d00c04fc964ff", [1]],
  ["positive=eq.1", [1]],
  ["padded=eq.ab", [1]],
  ["padded=neq.a", [1]],
  ['tags=eq."{a,b}"', [1]],
  ['data=eq.{"a":1}', [1]],
  ["   ", [1, 2, 3, 4]],
  ["word=eq.x'; drop table public.filtered; --", []],
  ["word=eq.x' or 'a'='a", []],
];

Deno.test("realtime filters: each operator passes what Postgres passes, and never a null", async () => {
  await sql.unsafe(`
    create table public.filtered (n integer primary key, number bigint, flag boolean, word text, price numeric,
      moment timestamptz, feeling public.mood, id uuid, positive public.positive, padded char(4), tags text[], data jsonb);
    alter publication supabase_realtime add table public.filtered;
    grant select on public.filtered to authenticated;
  `);
  const subscribers = await Promise.all(
    CASES.map(([filter]) => subscribe({ schema: "public", table: "filtered", filter })),
  );
  const all = await subscribe({ table: "filtered" });
  await sql.unsafe(`insert into public.filtered values
    (1, 1, true, 'One', 1.50, '2026-01-02 03:04:05Z', 'sad', '6f9619ff-8b86-d011-b42d-00c04fc964ff', 1, 'ab', '{a,b}', '{"a":1.0}'),
    (2, 2, false, 'Two', 9, '2028-01-02 03:04:05Z', 'so so', gen_random_uuid(), 2, null, null, null),
    (3, 3, null, 'Three', null, null, null, null, null, null, null, null),
    (4, null, null, null, null, null, null, null, null, null, null, null)`);
  await all.receives(4);
  for (const [index, [filter, passes]] of CASES.entries()) {
    assert.deepEqual(subscribers[index]!.received.map(({ change }) => change.record!["n"]), passes, filter);
  }
  const [there] = await sql`select to_regclass('public.filtered') is not null as there`;
  assert.ok(there!["there"]);
});

Deno.test("realtime filters: an invalid subscription is rejected in the words of the hosted service", async () => {
  await sql.unsafe(`
    create table public.requested (id integer primary key, secret text, data json, part integer[]);
    revoke all on public.requested from authenticated;
    grant select (id, data, part) on public.requested to authenticated;
    alter publication supabase_realtime add table public.requested;
    create table public.unpublished (id integer primary key);
    grant select on public.unpublished to authenticated;
  `);
  const rejectionOf = async (binding: object, role = "authenticated") => {
    try {
      await subscribe(binding, { role, claims: { role } });
    } catch (error) {
      assert.ok(error instanceof SubscriptionRejected, String(error));
      return error.message;
    }
    throw new Error(`Not rejected: ${JSON.stringify(binding)}`);
  };
  const withFilter = (filter: string) => ({ event: "*", schema: "public", table: "requested", filter });
  assert.equal(await rejectionOf(withFilter("foo.hey")), 'Error parsing `filter` params: ["foo.hey"]');
  assert.equal(await rejectionOf(withFilter("id=foo.hey")), 'Error parsing `filter` params: ["foo", "hey"]');
  assert.equal(await rejectionOf(withFilter("undefined")), 'Error parsing `filter` params: ["undefined"]');
  assert.equal(
    await rejectionOf(withFilter("id=in.1,2")),
    "Error parsing `filter` params: `in` filter value must be wrapped by parentheses",
  );
  assert.equal(
    await rejectionOf(withFilter("id=eq.1,,id=eq.2")),
    "Error parsing `filter` params: filter must not contain empty segments (check for extra commas)",
  );
  assert.equal(
    await rejectionOf({ event: "*" }),
    'No subscription params provided. Please provide at least a `schema` or `table` to subscribe to: %{"event" => "*"}',
  );
  assert.equal(
    await rejectionOf({ schema: 7, table: "requested" }),
    "No subscription params provided. Please provide at least a `schema` or `table` to subscribe to: " +
      '%{"schema" => 7, "table" => "requested"}',
  );
  const wrong = (detail: string, exception?: string) =>
    "Unable to subscribe to changes with given parameters. " +
    (exception === undefined
      ? "Please check Realtime is enabled for the given connect parameters"
      : "An exception happened so please check your connect parameters") +
    `: [${detail}]` + (exception === undefined ? "" : `. Exception: ERROR ${exception}`);
  assert.equal(
    await rejectionOf({ event: "*", schema: "public", table: "unpublished" }),
    wrong("event: *, schema: public, table: unpublished, filters: [], select: nil"),
  );
  const raised = (column: string, operator: string, value: string, exception: string) =>
    wrong(
      `event: *, schema: public, table: requested, filters: [{"${column}", "${operator}", "${value}", false}], select: nil`,
      exception,
    );
  const failures: [string, string, string, string][] = [
    ["nothing", "eq", "1", "P0001 (raise_exception) invalid column for filter nothing"],
    ["secret", "eq", "1", "P0001 (raise_exception) invalid column for filter secret"],
    ["ctid", "eq", "(0,1)", "P0001 (raise_exception) invalid column for filter ctid"],
    ["id", "eq", "hey", '22P02 (invalid_text_representation) invalid input syntax for type integer: \\"hey\\"'],
  ];
  for (const [column, operator, value, exception] of failures) {
    assert.equal(
      await rejectionOf(withFilter(`${column}=${operator}.${value}`)),
      raised(column, operator, value, exception.replaceAll('\\"', '"')),
    );
  }
  assert.match(
    await rejectionOf(withFilter("data=eq.1")),
    /ERROR 42883 \(undefined_function\) operator does not exist: json = json$/,
  );
  const many = Array.from({ length: 101 }, (_, index) => index).join();
  assert.match(
    await rejectionOf(withFilter(`id=in.(${many})`)),
    /P0001 \(raise_exception\) too many values for `in` filter. Maximum 100$/,
  );
  for (const condition of ["is.null", "like.1%", "not.eq.1"]) {
    assert.match(
      await rejectionOf(withFilter(`id=${condition}`)),
      /^Error parsing `filter` params: \["(is|like|not)", /,
    );
  }
  assert.equal(
    await rejectionOf({ schema: "public", table: "requested", select: ["id"] }),
    "The local platform does not select columns.",
  );
  for (const role of ["postgres", "supabase_admin", "authenticator", "nobody", ""]) {
    assert.match(await rejectionOf({ table: "requested" }, role), new RegExp(`role "${role}" does not exist$`));
  }
  await assert.rejects(
    subscribe({ table: "requested" }, { role: null as unknown as string, claims: {} }),
    SubscriptionRejected,
  );
  // One binding that is refused refuses all.
  await assert.rejects(subscribe([{ table: "requested" }, { table: "unpublished" }]), SubscriptionRejected);
});

Deno.test("realtime: a subscription to a schema, or to all, is for the tables that are published then", async () => {
  await sql.unsafe(`
    create schema rooms;
    grant usage on schema rooms to authenticated;
    create table rooms.one (id integer primary key);
    create table rooms.two (id integer primary key);
    grant select on all tables in schema rooms to authenticated;
    alter publication supabase_realtime add table rooms.one, rooms.two;
  `);
  const [schema, all] = [
    await subscribe({ schema: "rooms" }),
    await subscribe({ schema: "*", table: "*", event: "DELETE" }),
  ];
  await sql`insert into rooms.one values (1)`;
  await sql`insert into rooms.two values (2)`;
  await sql`delete from rooms.one`;
  assert.deepEqual(
    (await schema.receives(2)).map(({ table }) => table),
    ["one", "two", "one"].slice(0, schema.received.length),
  );
  assert.deepEqual((await all.receives(1)).map(({ table, type }) => [table, type]), [["one", "DELETE"]]);
});

Deno.test("realtime values: of a change of more than 1 MiB only the small values are sent", async () => {
  await sql.unsafe(`
    create table public.large (id integer primary key, small text, big text, escaped text);
    alter publication supabase_realtime add table public.large;
    grant select on public.large to authenticated;
  `);
  const subscriber = await subscribe({ table: "large" });
  const limit = 1024 * 1024;
  await sql`insert into public.large values (1, 'x', ${"y".repeat(limit - 100)})`;
  await sql`insert into public.large values (2, ${"s".repeat(62)}, ${"y".repeat(limit)})`;
  await sql`insert into public.large values (3, ${"s".repeat(63)}, null, ${"\n".repeat(limit)})`;
  const [fits, large, escaped] = await subscriber.receives(3);
  assert.deepEqual([fits!.errors, (fits!.record!["big"] as string).length], [null, limit - 100]);
  assert.deepEqual(large!.record, { id: 2, small: "s".repeat(62), escaped: null });
  assert.deepEqual(escaped!.record, { id: 3, big: null });
  assert.deepEqual([large!.errors, escaped!.errors], Array(2).fill(["Error 413: Payload Too Large"]));
});

Deno.test("realtime.messages: a private topic may be joined as its policies say, which have the topic and the caller", async () => {
  const { feed } = fixture;
  const me = person();
  assert.equal(await feed.mayJoin("room", me), false);
  await sql.unsafe(`
    create policy "Mine" on realtime.messages for select to authenticated
      using (realtime.topic() = 'room-' || (select auth.uid()) and extension = 'broadcast')`);
  try {
    const own = `room-${me.claims["sub"]}`;
    assert.equal(await feed.mayJoin(own, me), true);
    assert.equal(await feed.mayJoin(own, person()), false);
    assert.equal(await feed.mayJoin("hall", me), false);
    for (const role of ["anon", "postgres"]) assert.equal(await feed.mayJoin(own, { role, claims: me.claims }), false);
    assert.equal(await feed.mayJoin("room-x", person("not-a-uuid")), false);
    assert.equal(await feed.mayJoin(own, me), true);
    assert.deepEqual((await sql`select from realtime.messages`).length, 0);
  } finally {
    await sql.unsafe(`drop policy "Mine" on realtime.messages`);
  }
});
