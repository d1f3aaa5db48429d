// Search presets: at most twenty, one default, and a query that is always a SearchQueryV1.
import assert from "node:assert/strict";
import { SearchQueryV1 } from "../../supabase/functions/_shared/schema/search.ts";
import { database } from "../support/database.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";
import { newUser, purge, signedIn } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

interface Preset {
  readonly id: string;
  readonly name: string;
  readonly query_json: unknown;
  readonly is_default: boolean;
  readonly sort_order: number;
}

type Query = Parameters<typeof db.sql.json>[0];

async function create(
  user: string,
  { name = "Preset", query = {}, isDefault = false, sortOrder = null }: {
    name?: string;
    query?: Query;
    isDefault?: boolean;
    sortOrder?: number | null;
  } = {},
): Promise<Preset> {
  const [row] = await db.as(
    signedIn(user),
    (sql) =>
      sql<{ preset: Preset }[]>`
        select commands.create_my_search_preset(${name}, ${sql.json(query)}, ${isDefault}, ${sortOrder}) as preset`,
  );
  return row!.preset;
}

async function update(user: string, id: string, name: string | null, query: Query | null = null): Promise<Preset> {
  const [row] = await db.as(
    signedIn(user),
    (sql) =>
      sql<{ preset: Preset }[]>`
        select commands.update_my_search_preset(${id}, ${name}, ${query === null ? null : sql.json(query)}) as preset`,
  );
  return row!.preset;
}

async function setDefault(user: string, id: string): Promise<Preset> {
  const [row] = await db.as(
    signedIn(user),
    (sql) => sql<{ preset: Preset }[]>`select commands.set_default_search_preset(${id}) as preset`,
  );
  return row!.preset;
}

async function remove(user: string, id: string): Promise<void> {
  await db.as(signedIn(user), (sql) => sql`select commands.delete_my_search_preset(${id})`);
}

async function list(user: string, limit = 20, cursor: string | null = null) {
  const [row] = await db.as(
    signedIn(user),
    (sql) =>
      sql<{ page: { items: Preset[]; next_cursor: string | null } }[]>`
        select api.list_my_search_presets(${limit}, ${cursor}) as page`,
  );
  return row!.page;
}

const defaults = async (user: string) =>
  (await list(user)).items.filter(({ is_default }) => is_default).map(({ id }) => id);

Deno.test("search presets: the first preset is the default; set-default moves it, also when repeated", async () => {
  const user = await newUser(db.sql);
  const [first, second] = [await create(user), await create(user)];
  assert.deepEqual(await defaults(user), [first.id]);
  for (let time = 0; time < 2; time++) {
    assert.equal((await setDefault(user, second.id)).is_default, true);
    assert.deepEqual(await defaults(user), [second.id]);
  }
  const third = await create(user, { isDefault: true });
  assert.deepEqual(await defaults(user), [third.id]);
});

Deno.test("search presets: a deleted default is passed on to the first of the list", async () => {
  const user = await newUser(db.sql);
  const [late, early] = [await create(user, { sortOrder: 9 }), await create(user, { sortOrder: 1 })];
  const chosen = await create(user, { isDefault: true, sortOrder: 5 });
  await remove(user, chosen.id);
  assert.deepEqual(await defaults(user), [early.id]);
  await remove(user, early.id);
  assert.deepEqual(await defaults(user), [late.id]);
  await remove(user, late.id);
  assert.deepEqual((await list(user)).items, []);
});

Deno.test("search presets: presets are ordered by sort_order, then age; a new preset without one is last", async () => {
  const user = await newUser(db.sql);
  assert.equal((await create(user, { name: "a" })).sort_order, 0);
  await create(user, { name: "b", sortOrder: 10 });
  assert.equal((await create(user, { name: "c" })).sort_order, 11);
  await create(user, { name: "d", sortOrder: 10 });
  assert.deepEqual((await list(user)).items.map(({ name }) => name), ["a", "b", "d", "c"]);
  const first = await list(user, 3);
  const second = await list(user, 3, first.next_cursor);
  assert.deepEqual([...first.items, ...second.items].map(({ name }) => name), ["a", "b", "d", "c"]);
  assert.equal(second.next_cursor, null);
});

Deno.test("search presets: a user has at most twenty presets, by constraint", async () => {
  const user = await newUser(db.sql);
  const all = await Array.fromAsync({ length: 20 }, () => create(user));
  const { code, details } = await errorOf(create(user));
  assert.deepEqual([code, details], ["conflict", { reason: "limit_reached", limit: 20 }]);
  const insert = db.sql`insert into public.search_presets (user_id, name, query_json) values (${user}, 'x', '{}')`;
  assert.equal(await sqlstate(insert), "23514");
  await remove(user, all[0]!.id);
  await create(user);
  assert.equal((await list(user, 100)).items.length, 20);
});

Deno.test("search presets: a name has 1 to 100 characters, without the space around it", async () => {
  const user = await newUser(db.sql);
  assert.equal((await create(user, { name: "　会社の近く " })).name, "会社の近く");
  assert.equal((await create(user, { name: "あ".repeat(100) })).name.length, 100);
  for (const name of ["", "　 ", "a".repeat(101)]) {
    assert.equal((await errorOf(create(user, { name }))).param, "name", JSON.stringify(name));
  }
  const { id } = await create(user);
  assert.equal((await errorOf(update(user, id, " "))).param, "name");
});

Deno.test("search presets: an update changes the given fields and replaces the whole query", async () => {
  const user = await newUser(db.sql);
  const { id } = await create(user, { query: { v: 1, price_max: 500 } });
  const renamed = await update(user, id, "Other");
  assert.deepEqual([renamed.name, renamed.query_json], ["Other", { v: 1, price_max: 500 }]);
  const replaced = await update(user, id, null, { keywords: ["駅"] });
  assert.deepEqual([replaced.name, replaced.query_json], ["Other", { keywords: ["駅"] }]);
});

/** Good and bad queries: the database and the schema of the interface must agree on each. */
const GOOD: Query[] = [
  {},
  { v: 1, radius_m: 500, sort: "distance" },
  { center: { lat: 35.68, lng: 139.76, placeName: "東京" }, radius_m: 50000 },
  { price_min: null, price_max: 100000, attributes: ["covered", "24h"], difficulty: ["easy", "normal", "hard"] },
  { operator_codes: ["aozora"], keywords: ["駅前"], meter_ticket_included: false, sort: "recommended" },
  { vehicle: { height_m: 1.9, width_m: null, clearance_cm: 0, tire_width_mm: 500 } },
];
const BAD: [Query, string][] = [
  [{ v: 2 }, "v"],
  [{ center: { lat: 91, lng: 0 } }, "center"],
  [{ center: { lat: 1 } }, "center"],
  [{ center: { lat: 1, lng: 2, name: "x" } }, "center"],
  [{ radius_m: 0 }, "radius_m"],
  [{ radius_m: 50001 }, "radius_m"],
  [{ radius_m: null }, "radius_m"],
  [{ price_min: -1 }, "price_min"],
  [{ price_max: 100001 }, "price_max"],
  [{ attributes: ["flying"] }, "attributes"],
  [{ attributes: Array(21).fill("covered") }, "attributes"],
  [{ difficulty: ["easy", "easy", "easy", "easy"] }, "difficulty"],
  [{ operator_codes: ["a".repeat(51)] }, "operator_codes"],
  [{ operator_codes: Array(51).fill("a") }, "operator_codes"],
  [{ vehicle: { height_m: 0 } }, "vehicle.height_m"],
  [{ vehicle: { clearance_cm: 101 } }, "vehicle.clearance_cm"],
  [{ vehicle: { wings: 2 } }, "vehicle.wings"],
  [{ vehicle: "big" }, "vehicle"],
  [{ vehicle: null }, "vehicle"],
  [{ keywords: [""] }, "keywords"],
  [{ keywords: Array(11).fill("a") }, "keywords"],
  [{ meter_ticket_included: "no" }, "meter_ticket_included"],
  [{ sort: "name" }, "sort"],
  [{ colour: "red" }, "colour"],
];

Deno.test("search presets: the database accepts and rejects the same queries as the schema of the interface", async () => {
  for (const query of GOOD) {
    const user = await newUser(db.sql);
    assert.ok(SearchQueryV1.safeParse(query).success, JSON.stringify(query));
    assert.deepEqual((await create(user, { query })).query_json, query);
  }
  const user = await newUser(db.sql);
  for (const [query, key] of BAD) {
    assert.ok(!SearchQueryV1.safeParse(query).success, JSON.stringify(query));
    const { code, param } = await errorOf(create(user, { query }));
    assert.deepEqual([code, param], ["validation_error", `query_json.${key}`], JSON.stringify(query));
  }
  const upsideDown = await errorOf(create(user, { query: { price_min: 2, price_max: 1 } }));
  assert.equal(upsideDown.param, "query_json.price_min");
  assert.equal((await errorOf(create(user, { query: [] }))).param, "query_json");
  assert.deepEqual((await list(user)).items, []);
  const { id } = await create(user);
  assert.equal((await errorOf(update(user, id, null, { v: 2 }))).param, "query_json.v");
});

Deno.test("search presets: another user's preset and a deleted one are not found", async () => {
  const [user, stranger] = [await newUser(db.sql), await newUser(db.sql)];
  const { id } = await create(user);
  for (
    const activity of [() => update(stranger, id, "mine"), () => remove(stranger, id), () => setDefault(stranger, id)]
  ) {
    assert.equal((await errorOf(activity())).code, "not_found");
  }
  await remove(user, id);
  for (const activity of [() => update(user, id, "mine"), () => remove(user, id), () => setDefault(user, id)]) {
    assert.equal((await errorOf(activity())).code, "not_found");
  }
});

Deno.test("search presets: a deleted preset keeps neither name nor query, also when its row is marked by hand", async () => {
  const user = await newUser(db.sql);
  const query = { v: 1, center: { lat: 35.6, lng: 139.7 } };
  const [one, two] = [await create(user, { name: "Home", query }), await create(user, { name: "Work", query })];
  await remove(user, one.id);
  await db.as(
    signedIn(user),
    (sql) => sql`update public.search_presets set deleted_at = now(), is_default = false where id = ${two.id}`,
  );
  const rows = await db.sql`select name, query_json, is_default from public.search_presets where user_id = ${user}`;
  assert.deepEqual(rows.map((row) => ({ ...row })), Array(2).fill({ name: "", query_json: {}, is_default: false }));
  const written = db.sql`update public.search_presets set name = 'Home' where id = ${one.id}`;
  assert.equal(await sqlstate(written), "23514");
  const nameless = db.sql`insert into public.search_presets (user_id, name, query_json) values (${user}, '', '{}')`;
  assert.equal(await sqlstate(nameless), "23514");
});

Deno.test("search presets: presets that are created and deleted in a loop leave twenty rows, which are deleted after 30 days", async () => {
  const user = await newUser(db.sql);
  for (let n = 0; n < 25; n++) await remove(user, (await create(user, { name: `Preset ${n}` })).id);
  const kept = await create(user);
  const left = async () => (await db.sql`select from public.search_presets where user_id = ${user}`).length;
  assert.equal(await left(), 21);
  await db.sql`
    update public.search_presets set deleted_at = now() - interval '29 days'
    where user_id = ${user} and deleted_at is not null`;
  await purge(db.sql);
  assert.equal(await left(), 21);
  await db.sql`
    update public.search_presets set deleted_at = now() - interval '31 days'
    where user_id = ${user} and deleted_at is not null`;
  await purge(db.sql);
  assert.deepEqual((await list(user)).items.map(({ id }: { id: string }) => id), [kept.id]);
  assert.equal(await left(), 1);
});

Deno.test("search presets: a user suspended or withdrawn cannot read or write presets", async () => {
  for (const status of ["suspended", "withdrawn"]) {
    const user = await newUser(db.sql);
    const { id } = await create(user);
    await db.sql`update public.app_users set status = ${status} where id = ${user}`;
    for (
      const activity of [
        () => list(user),
        () => create(user),
        () => update(user, id, "x"),
        () => remove(user, id),
        () => setDefault(user, id),
      ]
    ) {
      assert.equal((await errorOf(activity())).code, "forbidden", status);
    }
  }
});

Deno.test("search presets: functions that write presets as their owner keep the same rules", async () => {
  const user = await newUser(db.sql);
  const [first] = await db.sql<
    { id: string }[]
  >`select id from private.create_preset(${user}, 'One', '{}', false, null)`;
  const [second] = await db.sql<
    { id: string }[]
  >`select id from private.create_preset(${user}, 'Two', '{}', true, null)`;
  assert.deepEqual(await defaults(user), [second!.id]);
  await db.sql`select private.delete_preset(${user}, ${second!.id})`;
  assert.deepEqual(await defaults(user), [first!.id]);
  const bad = db.sql`select private.update_preset(${user}, ${first!.id}, null, '{"v": 2}', null)`;
  assert.equal((await errorOf(bad)).param, "query_json.v");
});
