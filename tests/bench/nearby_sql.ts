// The nearest 50 lots in SQL, compared with PostGIS and Redis with the same lots where they are installed.
// deno run -A tests/bench/nearby_sql.ts   (needs DB_URL of a database with many lots; `deno task bench` makes one)
import postgres from "postgres";
import { filtered, type Ours, ours, planOfSearch, type Search } from "./contenders/ours.ts";
import { postgis } from "./contenders/postgis.ts";
import { redis } from "./contenders/redis.ts";
import { searchPlaces } from "./lots.ts";
import { compare, type Figures, ms, table } from "./measure.ts";

const RADII = [500, 5_000, 50_000];
const FILTERS = [
  { max_height_m: 2.1, tags: ["covered"] },
  { tags: ["reservable"] }, // one lot in a thousand
  { tags: ["barrier_free"] }, // no lot
];

const url = Deno.env.get("DB_URL");
if (!url) throw new Error("DB_URL is not set: run `deno task bench`");
const sql = postgres(url, { max: 1, onnotice: () => {} });
const places = await searchPlaces(sql, 500);
const searches = (radius_m: number) => places.map((place): Search => ({ ...place, radius_m }));

const present: Ours[] = [ours(url)];
try {
  for (const [name, start] of [["PostGIS", postgis], ["Redis", redis]] as const) {
    const contender = await start(url);
    if (contender) present.push(contender);
    else console.log(`${name} is not installed here: left out.`);
  }
  const contenders = present.flatMap(({ contenders }) => contenders);

  const figures: Figures[][] = [];
  for (const radius_m of RADII) figures.push(await compare(contenders, searches(radius_m)));
  console.log("p50 / p95 in ms, as the client sees them; (results on average, searches when fewer)\n");
  console.log(table(
    ["", ...RADII.map((radius) => `${radius} m`)],
    contenders.map(({ name }, n) => [name, ...figures.map((row) => cell(row[n]!))]),
  ));
  console.log("\nprivate.nearest_lots : the other, at p50\n");
  console.log(table(
    ["", ...RADII.map((radius) => `${radius} m`)],
    contenders.slice(2).map(({ name }, n) => [
      name,
      ...figures.map((row) => (row[0]!.p50 / row[n + 2]!.p50).toFixed(3)),
    ]),
  ));

  console.log("\nThe radii in turns, and how the widest compares with the narrowest\n");
  const alone: string[][] = [];
  for (const { name, run } of present[0]!.contenders) {
    // Each radius at another place, so that no search finds its pages warmed by the one before.
    const turns = RADII.map((radius_m, turn) => ({
      name,
      run: (n: number) => run({ ...places[(n + turn * 167) % places.length]!, radius_m }),
    }));
    const row = await compare(turns, [...places.keys()]);
    alone.push([name, ...row.map(cell), (row.at(-1)!.p50 / row[0]!.p50).toFixed(2)]);
  }
  console.log(table(["", ...RADII.map((radius) => `${radius} m`), "p50 ratio"], alone));

  console.log("\nWith filters\n");
  const rows: string[][] = [];
  for (const filters of FILTERS) {
    const search = filtered(url, filters);
    const cells: string[] = [];
    for (const radius_m of RADII) cells.push(cell((await compare(search.contenders, searches(radius_m)))[0]!));
    rows.push([search.contenders[0]!.name, ...cells]);
    await search.stop();
  }
  console.log(table(["", ...RADII.map((radius) => `${radius} m`)], rows));

  console.log(`\nThe plan at 5 km\n\n${await planOfSearch(url, { ...places[0]!, radius_m: 5_000 })}`);
} finally {
  for (const contender of present) await contender.stop();
  await sql.end();
}

function cell({ p50, p95, results, asked }: Figures): string {
  return `${ms(p50)} / ${ms(p95)} (${results}${asked < places.length ? `, ${asked} searches` : ""})`;
}
