// The nearest 50 lots, ranked and priced, where every lot has prices and hours: in SQL, from ten thousand lots to those of
// the bench, and over HTTP with eight clients.
// deno run -A tests/bench/nearby_ranked.ts   (needs the names of `deno task status`; `deno task bench` sets them)
import postgres, { type Sql } from "postgres";
import { scansOf } from "./contenders/ours.ts";
import { fewLots, type Place, searchPlaces } from "./lots.ts";
import { compare, concurrent, type Figures, ms, type Subject, table } from "./measure.ts";

const CLIENTS = 8;
const FEW = 10_000;
/** A Wednesday, for three hours. */
const STAY = { entry_at: "2026-11-25T10:00:00+09:00", exit_at: "2026-11-25T13:00:00+09:00" };
const DAYS = { entry_at: "2026-11-25T10:00:00+09:00", exit_at: "2026-11-28T10:00:00+09:00" };

interface Question extends Place {
  readonly radius_m: number;
  readonly filters: Record<string, unknown>;
}

const QUESTIONS: readonly [string, Question["filters"]][] = [
  ["60 minutes from now", {}],
  ["a stay of three hours", STAY],
  ["a stay of three days", DAYS],
  ["open now", { open_now: true }],
  ["a stay of three hours, at most 800 yen", { ...STAY, max_price: 800 }],
  ["a stay of three hours, at most 400 yen, open now", { ...STAY, max_price: 400, open_now: true }],
];

const { DB_URL, API_URL, PUBLISHABLE_KEY } = Deno.env.toObject();
if (!DB_URL || !API_URL || !PUBLISHABLE_KEY) throw new Error("No platform is named: run `deno task bench`");

const many = await setOf(DB_URL);
const few = await setOf(await fewLots(DB_URL, FEW));
try {
  console.log("api.nearby_parking_lots, sorted as recommended, within 500 m; p50 / p95 in ms (lots in a reply)\n");
  const rows: string[][] = [];
  for (const [name, filters] of QUESTIONS) {
    const [figures] = await compare([inSql(name, many.sql)], asked(many.places, 500, filters));
    rows.push([name, cell(figures!)]);
  }
  console.log(table(["", "SQL"], rows));

  console.log(`\nThe same for a stay of three hours within 5 km, where ${FEW} lots also fill the reply\n`);
  const [small] = await compare([inSql("few", few.sql)], asked(few.places, 5_000, STAY));
  const [large] = await compare([inSql("many", many.sql)], asked(many.places, 5_000, STAY));
  console.log(table([`${FEW} lots`, "all lots of the bench", "p50 ratio"], [
    [cell(small!), cell(large!), (large!.p50 / small!.p50).toFixed(2)],
  ]));

  console.log(`\nGET /v1/parking-lots/nearby with ${CLIENTS} clients; p50 / p95 in ms (lots in a reply)\n`);
  const answers: string[][] = [];
  for (const [name, filters] of QUESTIONS) {
    const figures = await concurrent(CLIENTS, overHttp(), asked([...many.places, ...many.places], 500, filters));
    answers.push([name, cell(figures), String(figures.perSecond)]);
  }
  console.log(table(["", "HTTP", "a second"], answers));

  console.log("\nHow tables are read for a stay of three hours\n");
  const place = asked(many.places, 500, STAY)[0]!;
  const scans = await scansOf(DB_URL, async (sql) => {
    await sql`set role anon`;
    await ask(sql, place);
  });
  console.log(scans.join("\n"));
} finally {
  await many.sql.end();
  await few.sql.end();
}

async function setOf(url: string) {
  const owner = postgres(url, { max: 1, onnotice: () => {} });
  const places = await searchPlaces(owner, 400, true);
  await owner.end();
  return { places, sql: postgres(url, { max: 1, onnotice: () => {}, connection: { role: "anon" } }) };
}

function asked(places: readonly Place[], radius_m: number, filters: Question["filters"]): Question[] {
  return places.map((place) => ({ ...place, radius_m, filters }));
}

function inSql(name: string, sql: Sql): Subject<Question> {
  return { name, run: async (question) => (await ask(sql, question)).length };
}

async function ask(sql: Sql, { lat, lng, radius_m, filters }: Question): Promise<unknown[]> {
  const [row] = await sql<{ found: unknown[] }[]>`
    select api.nearby_parking_lots(
      ${lat}, ${lng}, ${radius_m}, 50, ${JSON.stringify(filters)}::text::jsonb, 'recommended'
    ) -> 'items' as found`;
  return row!.found;
}

function overHttp(): Subject<Question> {
  return {
    name: "HTTP",
    run: async ({ lat, lng, radius_m, filters }) => {
      const query = new URLSearchParams({
        lat: String(lat),
        lng: String(lng),
        radius_m: String(radius_m),
        sort: "recommended",
        filters: JSON.stringify(filters),
      });
      const response = await fetch(`${API_URL}/v1/parking-lots/nearby?${query}`, {
        headers: { apikey: PUBLISHABLE_KEY! },
      });
      const body = await response.json();
      if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(body)}`);
      return body.length;
    },
  };
}

function cell({ p50, p95, results }: Figures): string {
  return `${ms(p50)} / ${ms(p95)} (${results})`;
}
