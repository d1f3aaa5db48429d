// The condition of a search, against plain comparisons of every entry, and in which order the planner evaluates its parts.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { chance } from "../support/random.ts";
import { lots } from "./support/lots_of_the_world.ts";
import { storeLots } from "./support/stored_lots.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const world = lots(5_000);
await storeLots(db.sql, world);
const names = ["Lot", "Station Lot", "コインパーク", "駐車場 東", "P"];
await db.sql`
  update public.parking_lots l set name = (${names}::text[])[1 + o.nth % 5] || ' ' || o.nth
  from (select id, row_number() over (order by id) as nth from public.parking_lots) o where o.id = l.id`;
await db.sql`
  update private.search_entries e set hour_price = o.nth % 3000, price_key = o.nth % 3000
  from (select parking_lot_id, row_number() over (order by parking_lot_id) as nth from private.search_entries) o
  where o.parking_lot_id = e.parking_lot_id and o.nth % 3 > 0`;
await db
  .sql`select private.refresh_map_cells(array(select distinct private.map_cell(mercator) from private.search_entries))`;
await db.sql`vacuum (analyze) private.search_entries`;

const { below, next } = chance(29);
const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;

interface Question {
  readonly query: {
    readonly keywords?: string[];
    readonly attributes?: string[];
    readonly price_max?: number;
    readonly center?: { readonly lat: number; readonly lng: number };
    readonly radius_m?: number;
  };
  readonly bbox: number[] | null;
}

/** Parts of texts of stored lots, of one letter to five, and one that no lot has. */
async function someKeywords(): Promise<string[]> {
  const rows = await db.sql<{ document: string }[]>`
    select document from private.search_entries order by parking_lot_id limit 40`;
  const parts = rows.flatMap(({ document }) => {
    const letters = [...document.split("\n")[0]!];
    return [1, 2, 3, 5].map((length) => letters.slice(0, length).join("")).filter((part) => part !== "");
  });
  return [...new Set(parts), "zzqq"];
}

function randomQuestion(keywords: readonly string[]): Question {
  const { lat, lng } = pick(world);
  const [width, height] = [pick([0.1, 5, 170]), pick([0.1, 5, 60])];
  const east = lng + width > 180 ? lng + width - 360 : lng + width;
  return {
    query: {
      ...(below(3) > 0 ? { keywords: Array.from({ length: 1 + below(3) }, () => pick(keywords)) } : {}),
      ...(below(3) === 0
        ? { attributes: Array.from({ length: 1 + below(2) }, () => pick(["covered", "ev_charging"])) }
        : {}),
      ...(below(3) === 0 ? { price_max: below(2000) } : {}),
      ...(below(2) === 0 ? { center: { lat, lng }, radius_m: 1 + Math.floor(50_000 * next()) } : {}),
    },
    bbox: below(2) === 0 ? [lng - 0.05, Math.max(lat - height, -90), east, Math.min(lat + height, 90)] : null,
  };
}

/** The lots of a question, each of its conditions written plainly. */
async function plainly({ query, bbox }: Question): Promise<string[]> {
  const { keywords = [], attributes = [], price_max = null, center = null, radius_m = null } = query;
  const rows = await db.sql<{ id: string }[]>`
    select e.parking_lot_id as id from private.search_entries e
    where not exists (
        select from unnest(${keywords}::text[]) as k where strpos(e.document, private.search_text(k)) = 0
      )
      and array(select '#' || a from unnest(${attributes}::text[]) as a) <@ e.terms::text[]
      and (${price_max}::integer is null or e.hour_price <= ${price_max}::integer)
      and (${radius_m}::float8 is null
        or private.great_circle_m(${center?.lat ?? null}, ${center?.lng ?? null}, e.lat, e.lng) <= ${radius_m}::float8)
      and (${bbox}::float8[] is null or e.lat between (${bbox}::float8[])[2] and (${bbox}::float8[])[4]
        and case when (${bbox}::float8[])[1] <= (${bbox}::float8[])[3]
          then e.lng between (${bbox}::float8[])[1] and (${bbox}::float8[])[3]
          else e.lng >= (${bbox}::float8[])[1] or e.lng <= (${bbox}::float8[])[3] end)
    order by 1`;
  return rows.map(({ id }) => id);
}

async function conditionOf({ query, bbox }: Question): Promise<string> {
  const [row] = await db.sql<{ condition: string }[]>`
    select condition from private.search_condition(${db.sql.json(query as never)}, ${bbox}, null)`;
  return row!.condition;
}

/** The condition as if the area contained too many entries for the spatial index. */
const asLargeArea = (condition: string) =>
  condition.replaceAll(/\(?(e\.mercator <@ '[^']*'::box)( or e\.mercator <@ '[^']*'::box)*\)?/g, (boxes) => {
    const listed = [...boxes.matchAll(/'([^']*)'::box/g)].map(([, box]) => box).join(";");
    return `coalesce(e.mercator <@ any ('{${listed}}'::box[]), false)`;
  });

Deno.test("search: the condition of a random search finds the lots that plain comparisons find, in areas of any size", async () => {
  const keywords = await someKeywords();
  let found = 0;
  for (let nth = 0; nth < 150; nth++) {
    const question = randomQuestion(keywords);
    const expected = await plainly(question);
    const condition = await conditionOf(question);
    for (const form of new Set([condition, asLargeArea(condition)])) {
      const rows = await db.sql.unsafe<{ id: string }[]>(
        `select e.parking_lot_id as id from private.search_entries e where ${form} order by 1`,
      );
      assert.deepEqual(rows.map(({ id }) => id), expected, `${JSON.stringify(question)}: ${form}`);
    }
    found += expected.length;
  }
  assert.ok(found > 1_000, `only ${found} lots`);
});

const AREAS: readonly [string, number[]][] = [["one box", [130, 30, 140, 40]], [
  "two boxes, across the antimeridian",
  [170, -50, -170, 50],
]];
for (const [name, bbox] of AREAS) {
  Deno.test(`search: prices and the area are compared before terms and text: ${name}`, async () => {
    const [row] = await db.sql<{ condition: string }[]>`
      select condition from private.area_condition(private.bbox_boxes(${bbox}), 0)`;
    const condition = asLargeArea(
      await conditionOf({
        query: { keywords: ["e", "lot"], attributes: ["covered"], price_max: 500 },
        bbox,
      }),
    );
    assert.ok(condition.includes(row!.condition), condition);
    // Also of terms that no index is used for.
    await db.sql.begin(async (sql) => {
      await sql`set local enable_indexscan = off`;
      await sql`set local enable_bitmapscan = off`;
      const [plan] = await sql.unsafe(`explain (format json) select from private.search_entries e where ${condition}`);
      const filter = JSON.stringify(plan!["QUERY PLAN"]);
      const [price, area, terms, text] = ["price_key", "mercator", "terms", "document"]
        .map((column) => filter.search(`${column}\\b`));
      assert.ok(price! > 0 && price! < terms! && area! > 0 && area! < terms! && terms! < text!, filter);
    });
  });
}

Deno.test("search: how many lots an area contains is read from the cells that it touches, never from all cells", async () => {
  await db.sql.begin(async (sql) => {
    const scans = async () => {
      const [row] = await sql<{ scans: number }[]>`
        select coalesce(sum(seq_scan), 0)::integer as scans
        from pg_stat_xact_user_tables where relid = 'private.map_cells'::regclass`;
      return row!.scans;
    };
    const before = await scans();
    for (const width of [0.01, 1, 20, 360]) {
      await sql`
        select private.expected_in_boxes(private.bbox_boxes(
          ${[-width / 2, -width / 5, width / 2, width / 5]}::float8[]))`;
    }
    assert.equal(await scans() - before, 0);
  });
});
