// Search: each condition passes what it says, orders are total, pages add up to the whole.
import assert from "node:assert/strict";
import type { TransactionSql } from "postgres";
import { database } from "../support/database.ts";
import { errorOf } from "../support/database_errors.ts";
import { newLot, newUser, runJob, signedIn } from "../support/rows.ts";
import { search, searchAll, type SearchArguments } from "./support/search.ts";

const db = await database();
Deno.test.afterAll(() => db.close());
// The sample lots are none of these tests' business.
await db.sql`delete from public.parking_lots`;

const asAnonymous = <Result>(run: (sql: TransactionSql) => Promise<Result>) => db.as({ role: "anon" }, run);
const names = async (args: SearchArguments) =>
  (await asAnonymous((sql) => searchAll(sql, args))).map(({ name }) => name).sort();

async function tag(lot: string, slug: string, state: boolean | null): Promise<void> {
  await db.sql`
    insert into public.parking_lot_tags (parking_lot_id, tag_id, state)
    select ${lot}, id, ${state} from public.tags where slug = ${slug}`;
}

const rule = (lot: string, columns: Record<string, string | number>) =>
  db.sql`insert into public.pricing_rules ${db.sql({ parking_lot_id: lot, ...columns })}`;
const window = (lot: string, columns: Record<string, string | boolean>) =>
  db.sql`insert into public.parking_lot_windows ${db.sql({ parking_lot_id: lot, ...columns })}`;

const rich = await newLot(db.sql, {
  name: "東京駅前ﾊﾟｰｷﾝｸﾞ Ｐ１",
  name_kana: "とうきょうえきまえ",
  address: "東京都千代田区丸の内1－2−3",
  operator_code: "tsukimi",
  entry_difficulty: "easy",
  max_height_m: 2.1,
  max_width_m: 1.9,
  max_length_m: 5,
  max_weight_t: 2.5,
  min_clearance_cm: 15,
  max_tire_width_mm: 205,
});
const plain = await newLot(db.sql, { name: "plain", lat: 35.69, structure: "on_street" });
await newLot(db.sql, { name: "hidden 東京", status: "draft" });
await newLot(db.sql, { name: "fiji west", lat: -17, lng: 179.9 });
await newLot(db.sql, { name: "fiji east", lat: -17, lng: -179.9 });
const everything = ["fiji east", "fiji west", "plain", "東京駅前ﾊﾟｰｷﾝｸﾞ Ｐ１"];
const richAlone = ["東京駅前ﾊﾟｰｷﾝｸﾞ Ｐ１"];

Deno.test("search: distance_m is null without a center, and the distance from it with one", async () => {
  const distances = async (query: Record<string, unknown>) =>
    (await asAnonymous((sql) => search(sql, { query, ids: [plain] }))).items.map(({ distance_m }) => distance_m);
  assert.deepEqual(await distances({}), [null]);
  assert.deepEqual(await distances({ center: { lat: 35.69, lng: 139.7 } }).then(([m]) => typeof m), "number");
});

Deno.test("search: without conditions exactly the public lots are found", async () => {
  assert.deepEqual(await names({}), everything);
  assert.equal((await asAnonymous((sql) => search(sql, { include: ["total"] }))).total, 4);
});

const found = [
  "東京",
  "駅",
  "駅前パーキング",
  "エキマエ",
  "えきまえ",
  "ﾊﾟｰｷﾝｸﾞ",
  "ぱーきんぐ",
  "p1",
  "P 1",
  "丸の内1-2-3",
  "月見",
  "tsukimi PARK",
];
for (const keyword of found) {
  Deno.test(`search: the keyword ${keyword} is found in any width, case and kana`, async () => {
    assert.deepEqual(await names({ query: { keywords: [keyword] } }), richAlone);
  });
}

Deno.test("search: a place is found with any spelling of its small ke", async () => {
  const lots = [await newLot(db.sql, { name: "紅葉ケ丘" }), await newLot(db.sql, { name: "紅葉ヶ丘" })];
  for (const keyword of ["紅葉ケ丘", "紅葉ヶ丘", "ヶ丘", "け丘"]) {
    assert.deepEqual(await names({ query: { keywords: [keyword] } }), ["紅葉ケ丘", "紅葉ヶ丘"].sort(), keyword);
  }
  await db.sql`delete from public.parking_lots where id = any (${lots}::uuid[])`;
});

Deno.test("search: every keyword must occur, whole and in one field", async () => {
  assert.deepEqual(await names({ query: { keywords: ["東京", "丸の内"] } }), richAlone);
  for (const keywords of [["東京", "大阪"], ["駅前東京"], ["京東"], ["P1東"], ["%"], ["_"], ["東'京"]]) {
    assert.deepEqual(await names({ query: { keywords } }), [], keywords.join());
  }
});

Deno.test("search: a renamed operator is found by its new name and not by the old one", async () => {
  await db.sql`update public.operators set name = '満月' where id = 'tsukimi'`;
  await runJob(db.sql, "propagate_renames");
  assert.deepEqual(await names({ query: { keywords: ["満月"] } }), richAlone);
  assert.deepEqual(await names({ query: { keywords: ["月見"] } }), []);
});

Deno.test("search: difficulty and operator_codes pass any of the given, and never what is unknown", async () => {
  assert.deepEqual(await names({ query: { difficulty: ["easy", "hard"] } }), richAlone);
  assert.deepEqual(await names({ query: { difficulty: ["hard"] } }), []);
  assert.deepEqual(await names({ query: { operator_codes: ["aozora", "tsukimi"] } }), richAlone);
  assert.deepEqual(await names({ query: { operator_codes: ["aozora"] } }), []);
});

Deno.test("search: an operator of one letter does not match a name with that letter after an at sign", async () => {
  await db.sql`insert into public.operators (id, name, slug) values ('q', 'Kappa', 'kappa')`;
  const lots = [
    await newLot(db.sql, { name: "run", operator_code: "q" }),
    await newLot(db.sql, { name: "stay@q" }),
  ];
  assert.deepEqual(await names({ query: { operator_codes: ["q"] } }), ["run"]);
  assert.deepEqual(await names({ query: { keywords: ["@Q"] } }), ["stay@q"]);
  await db.sql`delete from public.parking_lots where id = any (${lots}::uuid[])`;
});

const fits = {
  height_m: [2.1, 2.11],
  width_m: [1.9, 1.91],
  length_m: [5, 5.01],
  weight_t: [2.5, 2.51],
  clearance_cm: [15, 14],
  tire_width_mm: [205, 206],
};
for (const [measure, [takes, refuses]] of Object.entries(fits)) {
  Deno.test(`search: vehicle.${measure} passes lots with a known sufficient limit, at the limit and not beyond`, async () => {
    assert.deepEqual(await names({ query: { vehicle: { [measure]: takes } } }), richAlone);
    assert.deepEqual(await names({ query: { vehicle: { [measure]: refuses } } }), []);
  });
}

Deno.test("search: meter_ticket_included false leaves out parking on the street", async () => {
  assert.deepEqual(await names({ query: { meter_ticket_included: false } }), everything.filter((n) => n !== "plain"));
  assert.deepEqual(await names({ query: { meter_ticket_included: true } }), everything);
});

Deno.test("search: price bounds pass known prices within them, both ends included", async () => {
  const lot = await newLot(db.sql, { name: "priced" });
  await rule(lot, { category: "time_band", per_minutes: 60, price_minor: 400 });
  assert.deepEqual(await names({ query: { price_min: 400, price_max: 400 } }), ["priced"]);
  assert.deepEqual(await names({ query: { price_max: 399 } }), []);
  assert.deepEqual(await names({ query: { price_min: 401 } }), []);
  const written = await asAnonymous((sql) =>
    sql`select api.search_parking_lots('{"price_min": 400.0, "price_max": 4.00e2}') -> 'items' -> 0 ->> 'name' as name`
  );
  assert.equal(written[0]!["name"], "priced");
  assert.deepEqual(await names({ query: { price_max: null, ids: undefined } }), [...everything, "priced"].sort());
  await db.sql`update public.pricing_rules set price_minor = 300 where parking_lot_id = ${lot}`;
  assert.deepEqual(await names({ query: { price_max: 300, attributes: ["low_price"] } }), ["priced"]);
  await db.sql`delete from public.parking_lots where id = ${lot}`;
});

/** What must hang on a lot for an attribute, besides the tag. */
const derived: Record<string, (lot: string) => Promise<unknown>> = {
  open_24h: (lot) => window(lot, { window_type: "business", is_24h: true, day_type: "all" }),
  entry_24h: (lot) => window(lot, { window_type: "entry", is_24h: true }),
  "24h": (lot) => window(lot, { window_type: "business", is_24h: true }),
  ev_charging: (lot) =>
    db.sql`insert into public.parking_lot_spots (parking_lot_id, code, is_ev_charger) values (${lot}, 'a', true)`,
  wheelchair_accessible: (lot) =>
    db.sql`insert into public.parking_lot_spots (parking_lot_id, code, accessibility) values (${lot}, 'a', 'wheelchair')`,
  reservable: (lot) =>
    db.sql`insert into public.parking_lot_spots (parking_lot_id, code, is_reservable) values (${lot}, 'a', true)`,
  has_max_fee: (lot) => rule(lot, { category: "cap", cap_type: "day", cap_price_minor: 900 }),
  max_fee: (lot) => rule(lot, { category: "cap", cap_type: "stay", cap_price_minor: 900 }),
  coin_500_or_less: (lot) =>
    rule(lot, { category: "cap", cap_type: "duration", cap_duration_hours: 12, cap_price_minor: 500 }),
  low_price: (lot) => rule(lot, { category: "time_band", per_minutes: 30, price_minor: 150 }),
};
const attributes = await db.sql<{ code: string }[]>`select code from public.codes where category_id = 'attribute'`;
for (const attribute of new Set(attributes.map(({ code }) => code))) {
  Deno.test(`search: ${attribute} passes a lot with the tag, ${derived[attribute] ? "or with what implies it, " : ""}unless it is denied`, async () => {
    const lot = await newLot(db.sql, { name: attribute });
    const query = { attributes: [attribute] };
    const remove = () => db.sql`delete from public.parking_lot_tags where parking_lot_id = ${lot}`;
    assert.deepEqual(await names({ query }), []);
    await tag(lot, attribute, true);
    assert.deepEqual(await names({ query }), [attribute]);
    await remove();
    await tag(lot, attribute, null);
    assert.deepEqual(await names({ query }), []);
    await remove();
    await derived[attribute]?.(lot);
    assert.deepEqual(await names({ query }), derived[attribute] ? [attribute] : []);
    await tag(lot, attribute, false);
    assert.deepEqual(await names({ query }), []);
    await db.sql`delete from public.parking_lots where id = ${lot}`;
  });
}

Deno.test("search: hours that are closed on a day, or for a season, are not around the clock", async () => {
  const lot = await newLot(db.sql, { name: "mostly" });
  await window(lot, { window_type: "business", is_24h: true });
  assert.deepEqual(await names({ query: { attributes: ["open_24h", "24h"] } }), ["mostly"]);
  await window(lot, { window_type: "business", is_closed: true, day_type: "holiday" });
  assert.deepEqual(await names({ query: { attributes: ["open_24h"] } }), []);
  await db.sql`delete from public.parking_lots where id = ${lot}`;
});

Deno.test("search: a box crosses the antimeridian when west is greater than east", async () => {
  assert.deepEqual(await names({ bbox: [179, -18, -179, -16] }), ["fiji east", "fiji west"]);
  assert.deepEqual(await names({ bbox: [179, -18, 180, -16] }), ["fiji west"]);
  assert.deepEqual(await names({ bbox: [-180, -90, 180, 90] }), everything);
  assert.deepEqual(await names({ bbox: [139.76, 35.68, 139.76, 35.68] }), richAlone);
});

Deno.test("search: a lot on a side of the box is in it", async () => {
  const lots = await db.sql<{ id: string; lat: number; lng: number }[]>`
    insert into public.parking_lots (name, lat, lng, status)
    select 'side', -80 + n * 1.600003, -180 + n * 3.600007, 'active' from generate_series(0, 99) as n
    returning id, lat, lng`;
  for (const { id, lat, lng } of lots) {
    for (const bbox of [[lng, lat, lng, lat], [lng, lat, lng + 1e-9, lat + 1e-9], [lng - 1e-9, lat - 1e-9, lng, lat]]) {
      if (bbox[0]! < -180) continue;
      const { items, total } = await asAnonymous((sql) => search(sql, { bbox, include: ["total"] }));
      assert.deepEqual([items.map((lot) => lot.id), total], [[id], 1], String(bbox));
    }
  }
  await db.sql`delete from public.parking_lots where name = 'side'`;
});

Deno.test("search: ids pass exactly these lots, if public", async () => {
  assert.deepEqual(await names({ ids: [plain, crypto.randomUUID()] }), ["plain"]);
  assert.deepEqual(await names({ ids: [] }), []);
});

Deno.test("search: a lot that stops being public is no longer found, and found again when it is", async () => {
  await db.sql`update public.parking_lots set status = 'suspended' where id = ${rich}`;
  assert.deepEqual(await names({ query: { keywords: ["東京"] } }), []);
  await db.sql`update public.parking_lots set status = 'active' where id = ${rich}`;
  assert.deepEqual(await names({ query: { keywords: ["東京"] } }), richAlone);
});

const center = { lat: 35.68, lng: 139.76 };
const wrong: [SearchArguments, string][] = [
  [{ query: { sort: "distance" } }, "sort"],
  [{ query: { sort: "name" } }, "sort"],
  [{ query: { radius_m: 5 } }, "radius_m"],
  [{ query: { center, radius_m: 0 } }, "radius_m"],
  [{ query: { center, radius_m: 50_001 } }, "radius_m"],
  [{ query: { center: { lat: 91, lng: 0 } } }, "center"],
  [{ query: { center: { lat: 1 } } }, "center"],
  [{ query: { v: 2 } }, "v"],
  [{ query: { price_min: 2, price_max: 1 } }, "price_min"],
  [{ query: { price_min: -1 } }, "price_min"],
  [{ query: { price_max: 100_001 } }, "price_max"],
  [{ query: { price_max: 1.5 } }, "price_max"],
  [{ query: { attributes: ["colour"] } }, "attributes"],
  [{ query: { attributes: "covered" } }, "attributes"],
  [{ query: { difficulty: ["medium"] } }, "difficulty"],
  [{ query: { operator_codes: [""] } }, "operator_codes"],
  [{ query: { vehicle: { height_m: 11 } } }, "vehicle.height_m"],
  [{ query: { keywords: ["　"] } }, "keywords"],
  [{ query: { keywords: ["a".repeat(51)] } }, "keywords"],
  [{ query: { meter_ticket_included: "no" } }, "meter_ticket_included"],
  [{ query: { colour: "red" } }, "colour"],
  [{ bbox: [0, 1, 2] }, "bbox"],
  [{ bbox: [0, 2, 2, 1] }, "bbox"],
  [{ bbox: [0, 0, 181, 1] }, "bbox"],
  [{ ids: Array.from({ length: 101 }, () => plain) }, "ids"],
  [{ limit: 0 }, "limit"],
  [{ limit: 1001 }, "limit"],
  [{ cursor: "AAAAAAAAAAAAAAAA" }, "cursor"],
  [{ zoom: 3 }, "bbox"],
  [{ zoom: 15, bbox: [0, 0, 1, 1] }, "zoom"],
  [{ zoom: 14, bbox: [-180, -80, 180, 80] }, "zoom"],
  [{ updated_since: "2026-01-01T00:00:00Z", query: { v: 1 } }, "updated_since"],
];
for (const [args, param] of wrong) {
  Deno.test(`search: ${JSON.stringify(args).slice(0, 80)} is rejected and names ${param}`, async () => {
    const error = await errorOf(asAnonymous((sql) => search(sql, args)));
    assert.deepEqual([error.code, error.status, error.param], ["validation_error", 422, param]);
  });
}

Deno.test("search: a cursor belongs to its conditions", async () => {
  const { next_cursor } = await asAnonymous((sql) => search(sql, { limit: 1 }));
  const other = { limit: 1, cursor: next_cursor, query: { meter_ticket_included: true } };
  assert.equal((await errorOf(asAnonymous((sql) => search(sql, other)))).param, "cursor");
});

Deno.test("search: a suspended caller is rejected", async () => {
  const id = await newUser(db.sql);
  await db.sql`update public.app_users set status = 'suspended' where id = ${id}`;
  assert.equal((await errorOf(db.as(signedIn(id), (sql) => search(sql, {})))).code, "forbidden");
});

Deno.test("search: how common a term is comes from statistics; a term without statistics counts as rare", async () => {
  await db.sql`analyze private.search_entries`;
  const [row] = await db.sql<{ counted: number; share: number; twice: number; either: number; rare: number }[]>`
    select t.counted, private.term_share(array[t.term]) as share, private.term_share(array[t.term, t.term]) as twice,
      private.term_share('{}', array[t.term, 'no such term']) as either, private.term_share('{no such term}') as rare
    from (
      select n.term, count(*)::float8 / (select count(*) from private.search_entries) as counted
      from private.search_entries e cross join unnest(e.terms[:e.name_count]) as n (term)
      group by n.term order by 2 desc limit 1
    ) t`;
  const near = (share: number) => assert.ok(Math.abs(share - row!.counted) < 0.05, `${share}, not ${row!.counted}`);
  assert.ok(row!.counted > 0.1);
  near(row!.share);
  near(row!.twice);
  near(row!.either);
  assert.ok(row!.rare < 0.00011);
});
