// What the tables of lots hold, and what they keep in step by themselves.
import assert from "node:assert/strict";
import type postgres from "postgres";
import { isTimeZone } from "../../supabase/functions/_shared/time_zone.ts";
import { database } from "../support/database.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";
import { MENDED, NORMAL, REFUSED } from "../support/geometries.ts";

const CHECK_VIOLATION = "23514";
const UNIQUE_VIOLATION = "23505";
const FOREIGN_KEY_VIOLATION = "23503";
const NOT_NULL_VIOLATION = "23502";
const INSUFFICIENT_PRIVILEGE = "42501";

const db = await database();
Deno.test.afterAll(() => db.close());

async function newLot(columns: Record<string, postgres.ParameterOrJSON<never>> = {}): Promise<string> {
  const lot = { name: "Lot", address: "1-1", lat: 35.68, lng: 139.76, status: "active", ...columns };
  const [row] = await db.sql<{ id: string }[]>`insert into public.parking_lots ${db.sql(lot)} returning id`;
  return row!.id;
}

async function facts(lotId: string): Promise<{ tag_slugs: string[]; main_image_key: string | null }> {
  const [row] = await db.sql<{ tag_slugs: string[]; main_image_key: string | null }[]>`
    select tag_slugs, main_image_key from public.parking_lots where id = ${lotId}`;
  return { ...row! };
}

async function newTag(): Promise<{ id: string; slug: string }> {
  const slug = `t${crypto.randomUUID().slice(0, 8)}`;
  const [row] = await db.sql<{ id: string }[]>`
    insert into public.tags (name, slug) values (${slug}, ${slug}) returning id`;
  return { id: row!.id, slug };
}

async function newAsset(columns: Record<string, postgres.ParameterOrJSON<never>> = {}) {
  const key = `lots/${crypto.randomUUID()}.jpg`;
  const [row] = await db.sql<{ id: string }[]>`
    insert into public.assets ${db.sql({ storage_key: key, ...columns })} returning id`;
  return { id: row!.id, key };
}

Deno.test("parking lots: a name, an address, a position and a status are enough for a lot", async () => {
  const id = await newLot();
  const [lot] = await db.sql`
    select time_zone, holiday_calendar, currency, review_count, avg_rating, tag_slugs, main_image_key, total_spaces
    from public.parking_lots where id = ${id}`;
  assert.deepEqual({ ...lot }, {
    time_zone: "Asia/Tokyo",
    holiday_calendar: "JP",
    currency: "JPY",
    review_count: 0,
    avg_rating: "0.00",
    tag_slugs: [],
    main_image_key: null,
    total_spaces: null,
  });
});

const impossible: readonly [string, Record<string, postgres.ParameterOrJSON<never>>][] = [
  ["a latitude beyond the pole", { lat: 90.0001 }],
  ["a latitude that is no number", { lat: NaN }],
  ["a longitude beyond the antimeridian", { lng: -180.0001 }],
  ["an infinite longitude", { lng: Infinity }],
  ["an unknown status", { status: "open" }],
  ["an empty name", { name: "" }],
  ["a negative number of spaces", { total_spaces: -1 }],
  ["a height of nothing", { max_height_m: 0 }],
  ["a height that is no number", { max_height_m: "NaN" }],
  ["an infinite weight", { max_weight_t: "Infinity" }],
  ["a negative width", { max_width_m: -2 }],
  ["a negative clearance", { min_clearance_cm: -1 }],
  ["a tyre without width", { max_tire_width_mm: 0 }],
  ["a stay of no time", { max_parking_duration_min: 0 }],
  ["an unknown difficulty", { entry_difficulty: "nightmare" }],
  ["a zone that is an abbreviation", { time_zone: "JST" }],
  ["a zone that is a POSIX rule", { time_zone: "Asia/Tokyo-9" }],
  ["a zone that is an offset", { time_zone: "+09:00" }],
  ["a currency in words", { currency: "yen" }],
  ["a calendar in words", { holiday_calendar: "Japan" }],
  ["an external id without a source", { external_id: "7" }],
  ["a website without a scheme", { website: "example.jp" }],
  ["a website that runs code", { website: "javascript:alert(1)" }],
  ["a rating of six stars", { avg_rating: 6 }],
  ["an area with something else beside its places", { area: { type: "Point", coordinates: [1, 2], geometries: 5 } }],
  ["an area whose coordinates are null", { area: { type: "GeometryCollection", geometries: [], coordinates: null } }],
  ["an area that is no geometry", { area: { type: "Circle", coordinates: [] } }],
  ["an area without coordinates", { area: { type: "Polygon" } }],
];
for (const [name, columns] of impossible) {
  Deno.test(`parking lots: a lot cannot have ${name}`, async () => {
    assert.equal(await sqlstate(newLot(columns)), CHECK_VIOLATION);
  });
}

Deno.test("parking lots: a lot without a position or a name cannot be stored", async () => {
  for (const column of ["lat", "lng", "name"]) {
    assert.equal(await sqlstate(newLot({ [column]: null })), NOT_NULL_VIOLATION);
  }
});

Deno.test("parking lots: a lot's time zone is one that Postgres knows", async () => {
  assert.equal(await sqlstate(newLot({ time_zone: "Asia/Atlantis" })), CHECK_VIOLATION);
  for (const time_zone of ["Europe/Zurich", "America/Argentina/Buenos_Aires", "America/Port-au-Prince", "UTC"]) {
    await newLot({ time_zone });
  }
});

Deno.test("time zones: every zone of Postgres is one, for the database and the functions, but those with the name of an abbreviation", async () => {
  const zones = await db.sql`
    select name, private.is_time_zone(name) as is_zone, name <> 'UTC' and upper(name) in (select abbrev from pg_timezone_abbrevs)
      or name in ('Factory', 'localtime', 'posixrules') as is_other
    from pg_timezone_names where name !~ '^(posix|right)/' order by name`;
  assert.ok(zones.length > 500);
  const namesOf = (rows: readonly postgres.Row[]) => rows.map(({ name }) => name);
  assert.deepEqual(namesOf(zones.filter(({ is_zone }) => is_zone)), namesOf(zones.filter(({ is_other }) => !is_other)));
  assert.deepEqual(
    namesOf(zones.filter(({ name }) => isTimeZone(name))),
    namesOf(zones.filter(({ is_zone }) => is_zone)),
  );
});

Deno.test("time zones: what else Postgres accepts is none: abbreviations, offsets, rules, other capitals", async () => {
  for (
    const name of [
      "JST",
      "EST",
      "CET",
      "CEST",
      "EDT",
      "+09:00",
      "Tokyo-9",
      "Asia/Tokyo-9",
      "<+09>-9",
      "asia/tokyo",
      "ASIA/TOKYO",
      "Asia/TOKYO",
      "Etc/GMT+13",
      "Etc/GMT-15",
      "posix/Asia/Tokyo",
      "",
      " ",
    ]
  ) {
    const [row] = await db.sql`select private.is_time_zone(${name}) as is_zone`;
    assert.deepEqual([row!["is_zone"], isTimeZone(name)], [false, false], name);
  }
});

Deno.test("parking lots: every kind of geometry can be a lot's area, in its normal form", async () => {
  await newLot({ area: { type: "Point", coordinates: [139.7, 35.6] } });
  for (const [geometry] of Object.values(NORMAL)) await newLot({ area: geometry });
  for (const [, stored] of Object.values(MENDED)) await newLot({ area: stored });
});

for (
  const name of [
    "an open ring",
    "a ring that ends at another height",
    "a box over the date line",
    "a line over the date line",
  ]
) {
  Deno.test(`parking lots: the area of a lot cannot be ${name}`, async () => {
    assert.equal(await sqlstate(newLot({ area: MENDED[name]![0] })), CHECK_VIOLATION);
  });
}

for (const [name, [geometry]] of Object.entries(REFUSED)) {
  Deno.test(`parking lots: the area of a lot cannot have ${name}`, async () => {
    assert.equal(await sqlstate(newLot({ area: geometry })), CHECK_VIOLATION);
  });
}

Deno.test("parking lots: a source and an external id identify one lot", async () => {
  const external_id = crypto.randomUUID();
  await newLot({ source: "a", external_id });
  await newLot({ source: "b", external_id });
  assert.equal(await sqlstate(newLot({ source: "a", external_id })), UNIQUE_VIOLATION);
  await newLot({ source: "a" });
  await newLot({ source: "a" });
});

Deno.test("parking lots: a lot is run by an operator that exists", async () => {
  await newLot({ operator_code: "municipal" });
  assert.equal(await sqlstate(newLot({ operator_code: "nobody" })), FOREIGN_KEY_VIOLATION);
});

Deno.test("parking lots: an update of a lot sets updated_at", async () => {
  const id = await newLot();
  const [row] = await db.sql<{ moved: boolean }[]>`
    update public.parking_lots set name = 'Other' where id = ${id} returning updated_at > created_at as moved`;
  assert.equal(row!.moved, true);
});

Deno.test("parking lots: the tag master has every attribute that a search can name, in both languages", async () => {
  const rows = await db.sql<{ code: string; named: boolean }[]>`
    select c.code, t.name_en is not null as named
    from public.codes c left join public.tags t on t.slug = c.code
    where c.category_id = 'attribute' and c.lang = 'en'`;
  assert.equal(rows.length, 18);
  assert.deepEqual(rows.filter(({ named }) => !named), []);
});

Deno.test("parking lots: tag_slugs are the tags whose state is true, after any statement", async () => {
  const [a, b] = [await newLot(), await newLot()];
  const [first, second] = [await newTag(), await newTag()];
  const slugs = async (id: string) => (await facts(id)).tag_slugs;
  await db.sql`
    insert into public.parking_lot_tags (parking_lot_id, tag_id, state) values
      (${a}, ${first.id}, true), (${a}, ${second.id}, false), (${b}, ${second.id}, null)`;
  assert.deepEqual([await slugs(a), await slugs(b)], [[first.slug], []]);
  await db.sql`update public.parking_lot_tags set state = true where tag_id = ${second.id}`;
  assert.deepEqual([await slugs(a), await slugs(b)], [[first.slug, second.slug].sort(), [second.slug]]);
  await db.sql`update public.parking_lot_tags set parking_lot_id = ${b} where tag_id = ${first.id}`;
  assert.deepEqual([await slugs(a), await slugs(b)], [[second.slug], [first.slug, second.slug].sort()]);
  const { code, param } = await errorOf(db.sql`update public.tags set slug = 'renamed' where id = ${second.id}`);
  assert.deepEqual([code, param], ["validation_error", "slug"]);
  await db.sql`delete from public.tags where id = ${second.id}`;
  assert.deepEqual([await slugs(a), await slugs(b)], [[], [first.slug]]);
  await db.sql`delete from public.parking_lot_tags where parking_lot_id = ${b}`;
  assert.deepEqual(await slugs(b), []);
});

Deno.test("parking lots: tags added by two concurrent writers are both stored", async () => {
  const lot = await newLot();
  const [first, second] = [await newTag(), await newTag()];
  const add = async (sql: postgres.Sql | postgres.TransactionSql, tag: { id: string }) => {
    await sql`insert into public.parking_lot_tags (parking_lot_id, tag_id) values (${lot}, ${tag.id})`;
  };
  let waiting: Promise<void> | undefined;
  await db.sql.begin(async (sql) => {
    await add(sql, first);
    waiting = add(db.sql, second);
    await untilOneWaits();
  });
  await waiting;
  assert.deepEqual((await facts(lot)).tag_slugs, [first.slug, second.slug].sort());
});

async function untilOneWaits(): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (Date.now() < deadline) {
    const [row] = await db.sql<{ waits: boolean }[]>`
      select exists (
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      ) as waits`;
    if (row!.waits) return;
  }
  assert.fail("the second writer never waited for the first");
}

Deno.test("parking lots: main_image_key is set while the image may be shown", async () => {
  const lot = await newLot();
  const [asset, other] = [await newAsset(), await newAsset({ status: "pending" })];
  const key = async () => (await facts(lot)).main_image_key;
  await db.sql`insert into public.parking_lot_images (parking_lot_id, asset_id) values (${lot}, ${asset.id})`;
  assert.equal(await key(), null);
  await db.sql`update public.parking_lot_images set is_main = true where parking_lot_id = ${lot}`;
  assert.equal(await key(), asset.key);
  await db.sql`update public.assets set is_public = false where id = ${asset.id}`;
  assert.equal(await key(), null);
  await db.sql`update public.assets set is_public = true where id = ${asset.id}`;
  assert.equal(await key(), asset.key);
  await db.sql`update public.assets set deleted_at = now() where id = ${asset.id}`;
  assert.equal(await key(), null);
  await db.sql`update public.parking_lot_images set asset_id = ${other.id} where parking_lot_id = ${lot}`;
  assert.equal(await key(), null);
  await db.sql`update public.assets set status = 'placed' where id = ${other.id}`;
  assert.equal(await key(), other.key);
  await db.sql`delete from public.assets where id = ${other.id}`;
  assert.equal(await key(), null);
});

Deno.test("parking lots: a lot has at most one main image", async () => {
  const lot = await newLot();
  const [a, b] = [await newAsset(), await newAsset()];
  await db.sql`
    insert into public.parking_lot_images (parking_lot_id, asset_id, is_main) values (${lot}, ${a.id}, true)`;
  const second = db.sql`
    insert into public.parking_lot_images (parking_lot_id, asset_id, is_main) values (${lot}, ${b.id}, true)`;
  assert.equal(await sqlstate(second), UNIQUE_VIOLATION);
});

Deno.test("parking lots: deleting a lot deletes all rows that reference it", async () => {
  const lot = await newLot();
  const [tag, asset] = [await newTag(), await newAsset()];
  await db.sql`insert into public.parking_lot_tags (parking_lot_id, tag_id) values (${lot}, ${tag.id})`;
  await db.sql`insert into public.parking_lot_images (parking_lot_id, asset_id) values (${lot}, ${asset.id})`;
  await db.sql`insert into public.parking_lot_spots (parking_lot_id, code) values (${lot}, 'A1')`;
  await db.sql`delete from public.parking_lots where id = ${lot}`;
  const left = await db.sql`
    select 1 from public.parking_lot_tags where parking_lot_id = ${lot}
    union all select 1 from public.parking_lot_images where parking_lot_id = ${lot}
    union all select 1 from public.parking_lot_spots where parking_lot_id = ${lot}`;
  assert.equal(left.length, 0);
});

Deno.test("parking lots: an anonymous user reads active lots and their rows, and no others", async () => {
  const seen = async (status: string) => {
    const lot = await newLot({ status });
    const [tag, asset] = [await newTag(), await newAsset()];
    await db.sql`insert into public.parking_lot_tags (parking_lot_id, tag_id) values (${lot}, ${tag.id})`;
    await db.sql`insert into public.parking_lot_images (parking_lot_id, asset_id) values (${lot}, ${asset.id})`;
    await db.sql`insert into public.parking_lot_spots (parking_lot_id, code) values (${lot}, 'A1')`;
    const rows = await db.as({ role: "anon" }, (sql) =>
      sql`
      select 'lot' as kind from public.parking_lots where id = ${lot}
      union all select 'tag' from public.parking_lot_tags where parking_lot_id = ${lot}
      union all select 'image' from public.parking_lot_images where parking_lot_id = ${lot}
      union all select 'spot' from public.parking_lot_spots where parking_lot_id = ${lot}`);
    return rows.map(({ kind }) => kind);
  };
  assert.deepEqual(await seen("active"), ["lot", "tag", "image", "spot"]);
  for (const status of ["draft", "suspended", "closed"]) assert.deepEqual(await seen(status), []);
});

Deno.test("parking lots: a file that is pending, private or deleted is not readable, and no client can read the uploader of a file", async () => {
  const visible = await newAsset();
  const hidden = [
    await newAsset({ status: "pending" }),
    await newAsset({ is_public: false }),
    await newAsset({ deleted_at: new Date() }),
  ];
  const ids = [visible, ...hidden].map(({ id }) => id);
  const rows = await db.as({ role: "anon" }, (sql) => sql`select id from public.assets where id = any (${ids})`);
  assert.deepEqual(rows.map(({ id }) => id), [visible.id]);
  const call = db.as({ role: "authenticated" }, (sql) => sql`select created_by from public.assets`);
  assert.equal(await sqlstate(call), INSUFFICIENT_PRIVILEGE);
});
