// Compares this checkout with another commit: each loads the same lots into a platform of its own, then both get the same
// questions in turn, in SQL, as clients' roles ask them.
// deno run -A tests/bench/against.ts   (needs DB_URL and BENCH_BESIDE, a commit; `deno task bench against --beside <commit>` sets them)
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import postgres, { type Sql } from "postgres";
import { compare, type Figures, ms, percentile, type Subject, table } from "./measure.ts";
import { type Place, searchPlaces } from "./lots.ts";

const QUESTIONS = 60;
/** Rows of the user whose lists are read. */
const SAVED = 100_000;
const PAGES = [1, 100, 1000];
const VOTERS = 6;
const VOTE_SECONDS = 5;
const PAGE = 50;

const { DB_URL, BENCH_BESIDE, BENCH_LOTS } = Deno.env.toObject();
if (!DB_URL || !BENCH_BESIDE || !BENCH_LOTS) throw new Error("Run `deno task bench against --beside <commit>`");

type Role = "anon" | "authenticated";

interface Question {
  readonly text: string;
  readonly values?: readonly (string | number | null)[];
  readonly role?: Role;
  /** A write, of which nothing is kept. */
  readonly isRolledBack?: boolean;
}

class RolledBack extends Error {}

interface Side {
  readonly name: string;
  readonly url: string;
  readonly sql: Sql;
  readonly user: string;
}

/** The platform of the other commit, with its lots loaded. It ends when its standard input does. */
const SERVED = `
import { startTestPlatform } from "../../tests/support/platform.ts";
import { loadLots } from "./lots.ts";
const platform = await startTestPlatform();
try {
  console.error(await loadLots(platform.status.DB_URL, Number(Deno.args[0])));
  console.log(platform.status.DB_URL);
  for await (const _ of Deno.stdin.readable);
} finally {
  await platform.stop();
}
Deno.exit(0);
`;

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = await Deno.makeTempDir({ prefix: "bench-against-" });
const checkout = join(folder, "checkout");
await git("worktree", "add", "--detach", checkout, BENCH_BESIDE);
// Up to 0.1.0 the folder was in tools/.
const bench = await Deno.stat(join(checkout, "tests/bench")).then(() => "tests/bench", () => "tools/bench");
await Deno.writeTextFile(join(checkout, bench, "served_beside.ts"), SERVED);
const served = new Deno.Command(Deno.execPath(), {
  args: ["run", "-A", `${bench}/served_beside.ts`, BENCH_LOTS],
  cwd: checkout,
  stdin: "piped",
  stdout: "piped",
}).spawn();
try {
  const besideUrl = await firstLine(served.stdout);
  const sides = [await side(BENCH_BESIDE, besideUrl), await side("this checkout", DB_URL)];
  await compareReads(sides);
  await compareVotes(sides);
  for (const { sql } of sides) await sql.end();
} finally {
  await served.stdin.close();
  await served.status;
  await git("worktree", "remove", "--force", checkout);
  await Deno.remove(folder, { recursive: true });
}

async function git(...args: string[]): Promise<void> {
  const { success } = await new Deno.Command("git", { args, cwd: root, stdout: "null" }).spawn().status;
  if (!success) throw new Error(`git ${args.join(" ")} failed`);
}

async function firstLine(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  let said = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    said += text;
    if (said.includes("\n")) return said.split("\n")[0]!;
  }
  throw new Error("The platform of the other commit did not start");
}

/** A connection to one of the two, and a user with many saved lots there. */
async function side(name: string, url: string): Promise<Side> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const user = await newUser(sql);
  await sql`
    insert into public.saved_parking_lots (user_id, parking_lot_id, created_at)
    select ${user}, l.id, now() - row_number() over (order by l.name) * interval '1 minute'
    from public.parking_lots l where l.status = 'active' order by l.name limit ${SAVED}`;
  await sql`analyze public.saved_parking_lots`;
  return { name, url, sql, user };
}

async function newUser(sql: Sql): Promise<string> {
  const id = crypto.randomUUID();
  await sql`insert into auth.users (id, email) values (${id}, ${`${id}@example.test`})`;
  return id;
}

async function compareReads(sides: readonly Side[]): Promise<void> {
  const places = await searchPlaces(sides[1]!.sql, QUESTIONS, true);
  const rows: string[][] = [];
  for (const [name, question] of reads(places)) {
    const figures = await compare(
      sides.map((one) => contender(one, question)),
      Array.from({ length: QUESTIONS }, (_, n) => n),
    );
    rows.push([name, ...figures.map(cell), ratio(figures)]);
    console.error(name);
  }
  for (const page of PAGES) {
    const cursors = await Promise.all(sides.map((one) => cursorOf(one, page)));
    const figures = await compare(
      sides.map((one, n) => contender(one, () => savedLots(cursors[n]!))),
      Array.from({ length: QUESTIONS }, (_, n) => n),
    );
    rows.push([`saved lots of a user with ${SAVED}, page ${page}`, ...figures.map(cell), ratio(figures)]);
  }
  console.log("SQL of one request; p50 / p95 in ms (rows in a reply)\n");
  console.log(table(["", ...sides.map(({ name }) => name), "p50 ratio"], rows));
}

/** What is asked: the n-th question of each kind. */
function reads(places: readonly Place[]): [name: string, question: (n: number) => Question][] {
  const place = (n: number) => places[n % places.length]!;
  const nearby = (radius: number, limit: number, filters: object) => (n: number): Question => ({
    text: `select json_array_length(api.nearby_parking_lots($1, $2, ${radius}, ${limit}, '${
      JSON.stringify(filters)
    }') -> 'items') as n`,
    values: [place(n).lat, place(n).lng],
  });
  const search = (query: object, rest = "") => (): Question => ({
    text: `select jsonb_array_length(coalesce(r -> 'clusters', r -> 'items')) as n
      from api.search_parking_lots(p_query => '${JSON.stringify(query)}'${rest}) as r`,
    values: [],
  });
  const around = (query: object) => (n: number): Question => search({ ...query, center: place(n) })();
  const box = (n: number) => {
    const { lat, lng } = place(n);
    return `array[${lng - 0.06}, ${lat - 0.06}, ${lng + 0.06}, ${lat + 0.06}]`;
  };
  const japan = ", p_bbox => '{122,24,146,46}', p_zoom => 5";
  return [
    ["nearest 20 lots at 500 m", (n) => ({
      text: "select cardinality(lot_ids) as n from private.nearest_lots($1, $2, 500, 20)",
      values: [place(n).lat, place(n).lng],
    })],
    ["nearby, 500 m, ranked and priced", nearby(500, 50, {})],
    ["nearby, 50 km, a rare tag", nearby(50_000, 20, { tags: ["reservable"] })],
    ["nearby, 50 km, a tag that none has", nearby(50_000, 20, { tags: ["no_such_tag"] })],
    ["nearby, 50 km, max_price 0 and open now", nearby(50_000, 50, { max_price: 0, open_now: true })],
    ["search, recommended", search({ attributes: ["covered"], sort: "recommended" })],
    ["search, cheapest first", search({ attributes: ["covered"], sort: "price" })],
    ["search, nearest first", around({})],
    ["search, nearest first, center London", search({ center: { lat: 51.5, lng: -0.12 } })],
    ["search, nearest first, center 0,0", search({ center: { lat: 0, lng: 0 } })],
    ["search, nearest first, a vehicle that fits nowhere", around({ vehicle: { height_m: 9.9 } })],
    ["clusters of Japan, zoom 5", search({}, japan)],
    ["clusters of Japan, covered", search({ attributes: ["covered"] }, japan)],
    ["start of a session", () => ({
      text: `select (commands.start_parking_session(id) is not null)::integer as n
        from public.parking_lots where hour_price is not null and status = 'active' limit 1`,
      role: "authenticated",
      isRolledBack: true,
    })],
    ["clusters of a city, zoom 14", (n) => search({}, `, p_bbox => ${box(n)}, p_zoom => 14`)()],
  ];
}

/** A question that one side refuses, for example a map with too many clusters, has no rows there. */
function contender({ name, sql, user }: Side, question: (n: number) => Question): Subject<number> {
  return {
    name,
    run: async (n) => {
      const { text, values = [], role = "anon", isRolledBack = false } = question(n);
      let found = 0;
      await sql.begin(async (transaction) => {
        const claims = { role, ...(role === "anon" ? {} : { sub: user }) };
        await transaction`
          select set_config('role', ${role}, true), set_config('request.jwt.claims', ${JSON.stringify(claims)}, true),
            set_config('statement_timeout', '30s', true), set_config('request.is_counted_read', 'yes', true)`;
        const [row] = await transaction.unsafe<{ n: number }[]>(text, [...values]);
        found = Number(row!.n);
        if (isRolledBack) throw new RolledBack();
      }).catch((error) => {
        const isRefused = error instanceof postgres.PostgresError && error.code === "PGRST";
        if (!isRefused && !(error instanceof RolledBack)) throw error;
      });
      return found;
    },
  };
}

function savedLots(cursor: string | null): Question {
  return {
    text: `select jsonb_array_length(api.list_my_saved_parking_lots(${PAGE}, $1) -> 'items') as n`,
    values: [cursor],
    role: "authenticated",
  };
}

/** The cursor with which a page of the user's saved lots begins; null for the first. */
async function cursorOf({ sql, user }: Side, page: number): Promise<string | null> {
  return await sql.begin(async (transaction) => {
    await transaction`
      select set_config('role', 'authenticated', true),
        set_config('request.jwt.claims', ${JSON.stringify({ role: "authenticated", sub: user })}, true)`;
    let cursor: string | null = null;
    for (let n = 1; n < page; n++) {
      const [row]: { next: string | null }[] = await transaction`
        select api.list_my_saved_parking_lots(${PAGE}, ${cursor}) ->> 'next_cursor' as next`;
      cursor = row!.next;
    }
    return cursor;
  });
}

async function compareVotes(sides: readonly Side[]): Promise<void> {
  const rows: string[][] = [];
  for (const kind of ["on one lot", "on lots apart"]) {
    const rates: number[] = [];
    const cells: string[] = [];
    for (const one of sides) {
      const { rate, times } = await votes(one, kind === "on one lot");
      rates.push(rate);
      cells.push(`${Math.round(rate)} (${ms(percentile(times, 0.5))} / ${ms(percentile(times, 0.95))})`);
    }
    rows.push([kind, ...cells, (rates[1]! / rates[0]!).toFixed(1)]);
  }
  console.log(`\nVotes a second by ${VOTERS} at once, ${VOTE_SECONDS} s; p50 / p95 in ms\n`);
  console.log(table(["", ...sides.map(({ name }) => name), "ratio"], rows));
}

async function votes({ url, sql }: Side, onOneLot: boolean): Promise<{ rate: number; times: number[] }> {
  const lots = await sql<{ id: string }[]>`
    select id from public.parking_lots where hour_price is not null order by name limit ${VOTERS}`;
  const times: number[] = [];
  const ends = performance.now() + 1000 * VOTE_SECONDS;
  const voters = await Promise.all(Array.from({ length: VOTERS }, () => newUser(sql)));
  await Promise.all(voters.map(async (sub, n) => {
    const voter = postgres(url, { max: 1, onnotice: () => {} });
    const lot = lots[onOneLot ? 0 : n]!.id;
    for (let vote = 0; performance.now() < ends; vote++) {
      const before = performance.now();
      await voter.begin(async (transaction) => {
        await transaction`
          select set_config('role', 'authenticated', true),
            set_config('request.jwt.claims', ${JSON.stringify({ role: "authenticated", sub })}, true)`;
        await transaction`select commands.rate_parking_lot(${lot}, ${vote % 2 === 0 ? "good" : "bad"})`;
      });
      times.push(performance.now() - before);
    }
    await voter.end();
  }));
  return { rate: times.length / VOTE_SECONDS, times };
}

function cell({ p50, p95, results, asked }: Figures): string {
  return `${ms(p50)} / ${ms(p95)} (${results}${asked < QUESTIONS ? `; ${asked} asked` : ""})`;
}

function ratio([before, after]: readonly Figures[]): string {
  return (after!.p50 / before!.p50).toFixed(2);
}
