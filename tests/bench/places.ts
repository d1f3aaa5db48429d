// What a keystroke costs: api.list_places for each first character and for names being typed, and GET /v1/places with 8
// clients. Loads the places if they are not there.
// deno run -A tests/bench/places.ts   (needs API_URL, DB_URL and PUBLISHABLE_KEY; `deno task bench` sets them)
import postgres from "postgres";
import { loadPlaces } from "../../tools/places/load.ts";
import { compare, concurrent, ms, type Subject, table } from "./measure.ts";

interface Question {
  readonly q: string;
  readonly lat?: number;
  readonly lng?: number;
}

const ROUNDS = 20;
const CLIENTS = 8;
const TOKYO = { lat: 35.68, lng: 139.77 };
const KYOTO = { lat: 35.0, lng: 135.76 };
/** The characters with which most names begin. */
const FIRST = [..."kshmntoyaiwfguj", ..."大西東上中小南北新下", ..."かしみなあ"];
const TYPED = [
  "higashi",
  "shimo",
  "nishi",
  "shinb",
  "渋谷",
  "東京都港区六本木6",
  "ropongi",
  "asakuas",
  "しぶやえき",
  "Fuchu, Hiroshima",
];

const { DB_URL, API_URL, PUBLISHABLE_KEY } = Deno.env.toObject();
if (!DB_URL || !API_URL || !PUBLISHABLE_KEY) throw new Error("No platform is named: run `deno task bench`");

const sql = postgres(DB_URL, { max: 1, onnotice: () => {} });
const { places } = await loadPlaces(sql, console.log);
await sql`set plan_cache_mode = force_generic_plan`;

const inSql: Subject<Question> = {
  name: "api.list_places",
  run: async ({ q, lat, lng }) => {
    const [row] = await sql<{ count: number }[]>`
      select jsonb_array_length(api.list_places(${q}, ${lat ?? null}, ${lng ?? null}) -> 'items') as count`;
    return row!.count;
  },
};
const overHttp: Subject<Question> = {
  name: "GET /v1/places",
  run: async ({ q, lat, lng }) => {
    const query = new URLSearchParams({ q, ...(lat === undefined ? {} : { lat: String(lat), lng: String(lng) }) });
    const response = await fetch(`${API_URL}/v1/places?${query}`, { headers: { apikey: PUBLISHABLE_KEY } });
    const body = await response.json();
    if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(body)}`);
    return body.items.length;
  },
};

/** The slowest question of some, by its median. */
async function slowest(questions: readonly Question[]): Promise<string[]> {
  const all: { readonly q: string; readonly p50: number; readonly p95: number }[] = [];
  for (const question of questions) {
    const [figures] = await compare([inSql], Array.from({ length: ROUNDS }, () => question));
    all.push({ q: question.q, p50: figures!.p50, p95: figures!.p95 });
  }
  const worst = all.toSorted((a, b) => b.p50 - a.p50)[0]!;
  const median = all.map(({ p50 }) => p50).toSorted((a, b) => a - b)[Math.floor(all.length / 2)]!;
  return [ms(median), ms(worst.p50), ms(worst.p95), worst.q];
}

const rows: string[][] = [];
for (const [kind, typed] of [["first character", FIRST], ["while typing", TYPED]] as const) {
  for (const [map, view] of [["none", {}], ["Tokyo", TOKYO], ["Kyoto", KYOTO]] as const) {
    rows.push([kind, map, ...await slowest(typed.map((q) => ({ q, ...view })))]);
  }
}
console.log(`${places} places. ${inSql.name} under generic plans, one at a time\n`);
console.log(table(["", "map", "median ms", "worst p50 ms", "its p95 ms", "worst"], rows));

const questions = Array.from({ length: 40 }, () => [...FIRST, ...TYPED].map((q) => ({ q, ...TOKYO }))).flat();
const http = await concurrent(CLIENTS, overHttp, questions);
console.log(`\n${overHttp.name}, ${CLIENTS} clients\n`);
console.log(
  table(["p50 ms", "p95 ms", "per second"], [[ms(http.p50), ms(http.p95), String(Math.round(http.perSecond))]]),
);
await sql.end();
