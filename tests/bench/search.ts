// The search: a keyword, three attributes and a price bound; an order read page by page; the map of all Japan. In SQL, from
// ten thousand lots to those of the bench, and over HTTP with eight clients.
// deno run -A tests/bench/search.ts   (needs the names of `deno task status`; `deno task bench` sets them)
import postgres, { type Sql } from "postgres";
import { scansOf } from "./contenders/ours.ts";
import { fewLots } from "./lots.ts";
import { compare, concurrent, type Figures, ms, type Subject, table } from "./measure.ts";

const CLIENTS = 8;
const FEW = 10_000;
const QUESTIONS = 200;
const PAGES = 50;

interface Question {
  readonly query: Record<string, unknown>;
  readonly bbox?: readonly number[];
  readonly zoom?: number;
}

interface Page {
  readonly items: readonly unknown[];
  readonly clusters?: readonly unknown[];
  readonly next_cursor: string | null;
}

const JAPAN = { bbox: [122, 24, 146, 46], zoom: 5 };
/** Attributes that lots of the bench have together, with those that their prices and hours give. */
const ATTRIBUTES = [
  ["covered", "open_24h", "max_fee"],
  ["ev_charging", "near_station", "security_camera"],
  ["covered", "max_fee", "has_max_fee"],
  ["ev_charging", "near_station", "low_price"],
];
/** The two cities with prices, and words that one lot in ten, in a hundred and in a thousand has. */
const KEYWORDS = ["City 1", "City 4", "Block 7", "Lot 42", "Block 123"];

const bounded = (sort: string) => (n: number): Question => ({
  query: {
    v: 1,
    keywords: [KEYWORDS[n % KEYWORDS.length]],
    attributes: ATTRIBUTES[n % ATTRIBUTES.length],
    price_max: 200 + 100 * (n % 8),
    sort,
  },
});
const CONDITIONAL_MAP = "clusters of Japan, covered";
const KINDS: readonly [name: string, question: (n: number) => Question][] = [
  ["keyword, three attributes, price bound, recommended", bounded("recommended")],
  ["the same, cheapest first", bounded("price")],
  ["a word that no lot has", (n) => ({ query: { keywords: [`zz${n}`], sort: "recommended" } })],
  ["clusters of Japan", () => ({ query: {}, ...JAPAN })],
  [CONDITIONAL_MAP, () => ({ query: { attributes: ["covered"] }, ...JAPAN })],
];

const { DB_URL, API_URL, PUBLISHABLE_KEY } = Deno.env.toObject();
if (!DB_URL || !API_URL || !PUBLISHABLE_KEY) throw new Error("No platform is named: run `deno task bench`");

const asAnonymous = (url: string) => postgres(url, { max: 1, onnotice: () => {}, connection: { role: "anon" } });
const many = asAnonymous(DB_URL);
const few = asAnonymous(await fewLots(DB_URL, FEW));
try {
  console.log("api.search_parking_lots, 20 a page; p50 / p95 in ms (items in a reply)\n");
  const rows: string[][] = [];
  for (const [name, question] of KINDS) {
    const [small] = await compare([inSql("few", few)], asked(question));
    const [large] = await compare([inSql("many", many)], asked(question));
    rows.push([name, cell(small!), cell(large!), (large!.p50 / small!.p50).toFixed(2)]);
  }
  console.log(table(["", `${FEW} lots`, "all lots of the bench", "p50 ratio"], rows));

  console.log(`\nThe first ${PAGES} pages of 100, one after the other; ms a page\n`);
  const paged: string[][] = [];
  for (const sort of ["recommended", "price"]) paged.push([sort, await pages(many, { attributes: ["covered"], sort })]);
  console.log(table(["order", "first / median / last"], paged));

  console.log(`\nGET /v1/parking-lots with ${CLIENTS} clients; p50 / p95 in ms (items in a reply)\n`);
  const answers: string[][] = [];
  // A map with conditions is an expensive read, of which one address may ask 120 a minute.
  for (const [name, question] of KINDS.filter(([name]) => name !== CONDITIONAL_MAP)) {
    const figures = await concurrent(CLIENTS, overHttp(), [...asked(question), ...asked(question)]);
    answers.push([name, cell(figures), String(figures.perSecond)]);
  }
  console.log(table(["", "HTTP", "a second"], answers));

  for (const [name, question] of KINDS) {
    const scans = await scansOf(DB_URL, async (sql) => {
      await sql`set role anon`;
      await ask(sql, question(0));
    });
    console.log(`\nHow tables are read for: ${name}\n\n${scans.join("\n")}`);
  }
} finally {
  await many.end();
  await few.end();
}

function asked(question: (n: number) => Question): Question[] {
  return Array.from({ length: QUESTIONS }, (_, n) => question(n));
}

function inSql(name: string, sql: Sql): Subject<Question> {
  return { name, run: async (question) => shown(await ask(sql, question)) };
}

async function ask(
  sql: Sql,
  { query, bbox, zoom }: Question,
  limit = 20,
  cursor: string | null = null,
): Promise<Page> {
  const [row] = await sql<{ page: Page }[]>`
    select api.search_parking_lots(
      p_query => ${JSON.stringify(query)}::text::jsonb, p_bbox => ${bbox ? `{${bbox}}` : null}::float8[],
      p_zoom => ${zoom ?? null}, p_limit => ${limit}, p_cursor => ${cursor}
    ) as page`;
  return row!.page;
}

async function pages(sql: Sql, query: Record<string, unknown>): Promise<string> {
  const times: number[] = [];
  let cursor: string | null = null;
  for (let n = 0; n < PAGES; n++) {
    const started = performance.now();
    const page: Page = await ask(sql, { query }, 100, cursor);
    times.push(performance.now() - started);
    cursor = page.next_cursor;
    if (cursor === null) break;
  }
  const median = [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)]!;
  return [times[0]!, median, times.at(-1)!].map(ms).join(" / ");
}

function overHttp(): Subject<Question> {
  return {
    name: "HTTP",
    run: async ({ query, bbox, zoom }) => {
      const asked = new URLSearchParams({ query: JSON.stringify(query) });
      if (bbox) asked.set("bbox", bbox.join());
      if (zoom !== undefined) asked.set("zoom", String(zoom));
      const response = await fetch(`${API_URL}/v1/parking-lots?${asked}`, { headers: { apikey: PUBLISHABLE_KEY! } });
      const body = await response.json();
      if (!response.ok) throw new Error(JSON.stringify(body));
      return shown(body);
    },
  };
}

function shown({ items, clusters }: Page): number {
  return clusters?.length ?? items.length;
}

function cell({ p50, p95, results }: Figures): string {
  return `${ms(p50)} / ${ms(p95)} (${results})`;
}
