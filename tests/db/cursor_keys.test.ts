// Cursors that a client forged: the checksum is no secret, so every list must reject keys that it never wrote.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { type DatabaseError, refusalOf } from "../support/database_errors.ts";
import { newLot, newUser, signedIn } from "../support/rows.ts";
import { aPlan, aStatement, record } from "./support/subscriptions.ts";

const db = await database();
Deno.test.afterAll(() => db.close());
// Every cursor has the right checksum here: what is tested is what comes after it.
await db.sql`
  create or replace function private.cursor_checksum(p_filters jsonb, p_keys bytea) returns bytea
  language plpgsql immutable strict parallel safe set search_path = ''
  as $$ begin return '\\x000000000000000000'; end $$`;

// Calls with one cursor after the other: the error of each, or null.
await db.sql`
  create function public.tried(p_call text, p_cursors text[]) returns setof jsonb language plpgsql set search_path = '' as $$
  declare
    v_cursor text;
    v_detail text;
  begin
    foreach v_cursor in array p_cursors loop
      begin
        execute format('%s p_cursor => %L)', p_call, v_cursor);
        return next 'null';
      exception when others then
        get stacked diagnostics v_detail = pg_exception_detail;
        return next jsonb_build_object('code', sqlstate, 'message', sqlerrm, 'detail', v_detail);
      end;
    end loop;
  end $$`;
await db.sql`grant execute on function public.tried to anon, authenticated, service_role`;

const user = await newUser(db.sql);
const lot = await newLot(db.sql);
const admin = crypto.randomUUID();
await db.sql`
  insert into auth.users (id, raw_app_meta_data)
  select ${admin}, jsonb_build_object('admin', jsonb_build_object('areas', private.admin_areas()))`;
await db.sql`select api.admin_export_user(${admin}, ${user})`;
const center = { lat: 35.68, lng: 139.76 };

const [ticket] = await db.sql<{ id: string }[]>`
  insert into public.support_tickets (user_id, category, subject) values (${user}, 'other', 'Subject') returning id`;

const [notification] = await db.sql<{ id: string }[]>`
  insert into public.user_notifications (user_id, title, body, type, status, is_composed)
  values (${user}, 'Title', 'Body', 'announcement', 'draft', true) returning id`;

/** The arguments that lists need. */
const needed: Record<string, string> = {
  p_parking_lot_id: lot,
  p_admin_id: admin,
  p_user_id: user,
  "get_support_ticket p_id": ticket!.id,
  "admin_get_support_ticket p_id": ticket!.id,
  "admin_list_undelivered_devices p_id": notification!.id,
  "admin_list_user_activity_logs p_id": user,
  "admin_read_user_export p_id": user,
  "admin_list_subscription_events p_id": await record(db.sql, aStatement(await aPlan(db.sql))),
};

interface List {
  readonly name: string;
  /** What comes before `p_cursor` in the call. */
  readonly call: string;
  readonly role: "anon" | "authenticated" | "service_role";
  readonly good: string;
  /** What comes before the checksum in a cursor: the table that an export is at. */
  readonly table?: string;
}

const [time, id] = ["2026-09-01T09:30:00.000001+00:00", "0b9f6c1e-7f2a-4f7c-9d53-3f6f3d1a2b4c"];
const examples: Record<string, unknown> = {
  timestamptz: time,
  date: "2026-09-01",
  uuid: id,
  integer: 1,
  "double precision": 0.5,
  text: "a",
  bigint: 4294967296,
};
const good = (types: string) => JSON.stringify(types.split(",").map((type) => examples[type]));

const functions = await db.sql<{ name: string; schema: string; needs: string[]; role: List["role"]; body: string }[]>`
  select p.proname as name, n.nspname as schema, p.proargnames[:p.pronargs - p.pronargdefaults] as needs, coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) as body,
    case when has_function_privilege('authenticated', p.oid, 'execute') then 'authenticated' else 'service_role' end as role
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname in ('api', 'commands') and 'p_cursor' = any (p.proargnames)
  order by 1`;

const bodies = new Map(
  (await db.sql<{ name: string; body: string }[]>`
    select n.nspname || '.' || p.proname as name, coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) as body
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname in ('api', 'private')`)
    .map(({ name, body }) => [name, body]),
);

/** The types of the keys of a list, which it or a function that it calls names. */
function keyTypes(body: string): string | undefined {
  const types = /(?:cursor_decode|page_start)\([^']*'\{([a-z0-9, ]+)\}'/.exec(body)?.[1] ??
    // The order of private.list_rows: each key with its type.
    /list_rows\([^;]*?'\{([a-z_]+ [a-z ]+(?:,[a-z_]+ [a-z ]+)*)\}'/.exec(body)?.[1]?.replaceAll(
      /[a-z_]+ ([a-z ]+)/g,
      "$1",
    );
  const called = [...body.matchAll(/(?:api|private)\.[a-z0-9_]+(?=\()/g)].map(([name]) => bodies.get(name) ?? "");
  return types ?? called.map(keyTypes).find((found) => found !== undefined);
}

/** Functions with a list for each order: each has its own keys, and so have changes. */
const orders: Record<string, [argument: string, types: string][]> = {
  search_parking_lots: [
    [`p_query => '{"sort": "price"}'`, "integer,uuid"],
    [`p_query => '{"sort": "recommended"}'`, "integer,uuid"],
    [`p_query => '${JSON.stringify({ center })}'`, "double precision,uuid"],
    [`p_query => '${JSON.stringify({ center, radius_m: 500 })}'`, "double precision,uuid"],
    [`p_updated_since => '${time}'`, "bigint"],
  ],
  admin_list_lot_engagement: [
    ["p_sort => null", "integer,integer,integer,integer,uuid"],
    ["p_sort => 'saves'", "integer,integer,uuid"],
    ["p_sort => 'name'", "integer,text,uuid"],
  ],
};

const lists: List[] = functions.flatMap(({ name, schema, needs, role, body }) => {
  const table = ["export_my_data", "admin_read_user_export"].includes(name) ? "reviews." : "";
  const given = needs.filter((need) => need !== "p_cursor").map((need) =>
    `${need} => '${
      needed[need] ?? needed[`${name} ${need}`] ?? assert.fail(`${name} needs ${need}: give an example`)
    }', `
  );
  const call = `select ${schema}.${name}(${given.join("")}`;
  if (orders[name]) {
    return orders[name].map(([argument, types]) => ({ name, role, call: `${call}${argument}, `, good: good(types) }));
  }
  const types = table
    ? "timestamptz,uuid"
    : keyTypes(body) ?? assert.fail(`${name} does not say which keys its cursor has`);
  return [{ name, role, call, good: good(types), table }];
});

const forged = (keys: string | Uint8Array) => {
  const bytes = typeof keys === "string" ? new TextEncoder().encode(keys) : keys;
  return new Uint8Array([...new Uint8Array(9), ...bytes]).toBase64({ alphabet: "base64url", omitPadding: true });
};

/** As a list reads it: of the JSON that Postgres writes. */
async function cursorsOf(texts: readonly string[]): Promise<string[]> {
  const rows = await db.sql<{ keys: string }[]>`
    select text::jsonb::text as keys from unnest(${texts as string[]}::text[]) with ordinality as t (text, n) order by n`;
  return rows.map(({ keys }) => forged(keys));
}

/** The refusal of each cursor; null for a page. */
async function tried(list: List, cursors: readonly string[]): Promise<(DatabaseError | null)[]> {
  const rows = await db.as(
    list.role === "authenticated" ? signedIn(user) : { role: list.role },
    (sql) =>
      sql<{ error: Parameters<typeof refusalOf>[0] | null }[]>`
        select error from public.tried(${list.call}, ${cursors.map((cursor) => (list.table ?? "") + cursor)}) as error`,
  );
  assert.equal(rows.length, cursors.length);
  return rows.map(({ error }) => error === null ? null : refusalOf(error));
}

const bad = [
  ...["[]", "{}", "null", "true", "7", '"a"', "[[]]", "[{}]", "[null]", "[null, null]", "[null, null, null]"],
  ...["[[], []]", "[{}, {}]", "[{}, {}, {}]", "[true, false]", '["", ""]', '["a", "b"]', '["a", "b", "c"]'],
  ...["NaN", "Infinity", "-Infinity", "infinity", "now", "epoch", "1e400", "-1", "0x10", "1); select 1; --"].flatMap(
    (word) =>
      [[word, id], [word, time, id], [1, word, id], ["a", word, id], [word, "a"]].map((keys) => JSON.stringify(keys)),
  ),
  `[1e400, "${id}"]`,
  `[1.5e308, "${id}", 1]`,
  `["${time}", "x"]`,
  `["${time}", null]`,
];

/** Not even JSON, or not as Postgres writes it. */
const raw = [
  new Uint8Array(),
  new Uint8Array(40),
  new Uint8Array([0xff, 0xfe, 0x5b, 0x5d]),
  new Uint8Array([0x5b, 0xc3, 0x5d]),
  ...'[NaN,1]|[Infinity,1]|[1,2|["\\u0000",1]|["\\ud800",1]'.split("|").map((text) => new TextEncoder().encode(text)),
  new TextEncoder().encode("[".repeat(2500)),
  new TextEncoder().encode(`[1,"${id}"]   `),
];

const badCursors = await cursorsOf(bad);

Deno.test("cursor keys: there are paginated lists, and each declares the keys of its cursor", () => {
  assert.ok(lists.length > 20, `${lists.length} lists`);
});

for (const list of lists) {
  Deno.test(`cursor keys: ${list.name}: a cursor with foreign keys is rejected with 422 and names cursor (${list.good})`, async () => {
    assert.deepEqual(await tried(list, await cursorsOf([list.good])), [null]);
    const keys: unknown[] = JSON.parse(list.good);
    const variants = [
      ...keys.map((_, n) => keys.toSpliced(n, 1)),
      ...keys.flatMap((key, n) =>
        [null, [], {}, true, typeof key === "number" ? String(key) : 1, typeof key === "number" ? 1e300 : "\u0001"]
          .map((other) => keys.with(n, other))
      ),
      [...keys, 1],
      [...keys, null],
      [keys],
    ].map((keys) => JSON.stringify(keys));
    // A text key may be any text, and a double any number.
    const fits = (json: string) => {
      const other: unknown = JSON.parse(json);
      return Array.isArray(other) && other.length === keys.length && other.every((key, n) => {
        if (keys[n] === examples.text) return typeof key === "string";
        if (keys[n] === examples["double precision"]) return typeof key === "number" && Number.isFinite(key);
        if (keys[n] === examples.bigint) return Number.isInteger(key) && Math.abs(key) < 2 ** 63;
        if (keys[n] === examples.integer) return Number.isInteger(key) && Math.abs(key) < 2 ** 31;
        return typeof key === "string" &&
          ([id, time, examples.date].includes(keys[n]) ? key === keys[n] : /^\d+$/.test(key));
      });
    };
    const refusals = await tried(list, [...badCursors, ...await cursorsOf(variants)]);
    for (const [n, json] of [...bad, ...variants].entries()) {
      const { code, status, param } = refusals[n] ?? {};
      const expected = fits(json) ? [undefined, undefined, undefined] : ["validation_error", 422, "cursor"];
      assert.deepEqual([code, status, param], expected, json);
    }
    const refusalsOfBytes = await tried(list, raw.map(forged));
    for (const [n, bytes] of raw.entries()) assert.equal(refusalsOfBytes[n]?.param, "cursor", String(bytes));
  });
}
