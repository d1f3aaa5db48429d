// Every function that anonymous or authenticated users may execute, asked its worst question: none should take more than
// half a second. A function without a worst question is reported, and makes this fail.
// With BENCH_MINUTES four clients then ask nearby and search their worst questions for so long, from many places, under the
// statement_timeout that hosted platforms give anonymous users: a statement that it cancels is a 503, and makes this fail.
// deno run -A bench/worst.ts   (needs DB_URL of a database with many lots; `deno task bench worst --lots 1000000` makes one)
import postgres, { type Sql } from "postgres";
import { PASSWORD, SUPERUSER } from "../local/postgres/server.ts";
import { type Place, searchPlaces } from "./lots.ts";
import { ms, percentile, table } from "./measure.ts";
import { type Known, type Question, WORST } from "./worst_questions.ts";

const LIMIT_MS = 500;
/** The fastest of so many: what else runs on the machine is not the question's. */
const ROUNDS = 3;
const ROWS = 5_000;
const CLIENTS = 4;
const ANONYMOUS_TIMEOUT_MS = 3_000;
const CANCELLED = "57014";

/** Ends a transaction that keeps nothing. */
class RolledBack extends Error {}

const url = Deno.env.get("DB_URL");
if (!url) throw new Error("DB_URL is not set: run `deno task bench worst`");
const sql = postgres(url, { max: 1, onnotice: () => {}, connection: { statement_timeout: 30_000 } });
try {
  const known = await prepare(url, sql);
  const functions = await executable(sql);
  const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const rows: (Timing & { readonly name: string; readonly about: string })[] = [];
  for (const name of functions) {
    for (const question of WORST[name] ?? []) {
      rows.push({ name, about: question.about, ...await ask(sql, backend!.pid, known, question) });
    }
  }
  rows.sort((a, b) => b.core - a.core || b.took - a.took);
  const slow = rows.filter(({ core }) => core > LIMIT_MS);
  const missing = functions.filter((name) => !(name in WORST));
  console.log(
    `The fastest of ${ROUNDS}, generic plans, ${ROWS} rows of everything at one person, four times as many at one lot\n`,
  );
  console.log(table(
    ["function", "question", "ms", "ms of a core", "rows or error", ""],
    rows.map(({ name, about, took, core, answer }) => [
      name,
      about,
      ms(took),
      ms(core),
      answer,
      core > LIMIT_MS ? `over ${LIMIT_MS} ms` : "",
    ]),
  ));
  console.log(`\n${slow.length} of ${rows.length} questions take more than ${LIMIT_MS} ms of a core.`);
  if (missing.length > 0) {
    console.log(`Without a worst question: ${missing.join(", ")}`);
    Deno.exitCode = 1;
  }
  const minutes = Number(Deno.env.get("BENCH_MINUTES") ?? 0);
  if (minutes > 0) await askFor(minutes, known, await searchPlaces(sql, 500, true));
} finally {
  await sql.end();
}

/** What clients may call: the functions of the interface, and the commands that they reach through it. */
async function executable(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select distinct proname::text as name
    from pg_proc p
    where pronamespace in ('api'::regnamespace, 'commands'::regnamespace)
      and (has_function_privilege('anon', p.oid, 'execute') or has_function_privilege('authenticated', p.oid, 'execute'))
    order by 1`;
  return rows.map(({ name }) => name);
}

async function askFor(minutes: number, known: Known, places: readonly Place[]): Promise<void> {
  const questions = [...WORST["nearby_parking_lots"]!, ...WORST["search_parking_lots"]!];
  const asked = questions.map(({ about }) => ({ about, times: [] as number[], cancelled: 0 }));
  const end = performance.now() + 60_000 * minutes;
  const next = () => Math.floor(Math.random() * 1e9);
  await Promise.all(Array.from({ length: CLIENTS }, async () => {
    const client = postgres(url!, {
      max: 1,
      onnotice: () => {},
      connection: { role: "anon", statement_timeout: ANONYMOUS_TIMEOUT_MS },
    });
    while (performance.now() < end) {
      const n = next() % questions.length;
      const call = textOf(questions[n]!, { ...known, ...places[next() % places.length]! });
      const started = performance.now();
      await client.unsafe(`select ${call} as reply`).catch((failure) => {
        if (failure.code === CANCELLED) asked[n]!.cancelled++;
        else errorOf(failure);
      });
      asked[n]!.times.push(performance.now() - started);
    }
    await client.end();
  }));
  const count = asked.reduce((sum, { times }) => sum + times.length, 0);
  const cancelled = asked.reduce((sum, one) => sum + one.cancelled, 0);
  const slowest = asked.filter(({ times }) => times.length > 0).sort((a, b) =>
    Math.max(...b.times) - Math.max(...a.times)
  );
  console.log(
    `\n${CLIENTS} clients for ${minutes} minutes: ${count} questions, ${cancelled} cancelled. The slowest:\n`,
  );
  console.log(table(
    ["question", "asked", "p50 ms", "longest ms", "cancelled"],
    slowest.slice(0, 20).map((one) => [
      one.about,
      one.times.length,
      ms(percentile(one.times, 0.5)),
      ms(Math.max(...one.times)),
      one.cancelled,
    ]),
  ));
  if (cancelled > 0) Deno.exitCode = 1;
}

function textOf({ call }: Question, known: Known): string {
  return call.replaceAll(/\{(\w+)\}/g, (found, name) => name in known ? String(known[name as keyof Known]) : found);
}

async function prepare(url: string, sql: Sql): Promise<Known> {
  const person = crypto.randomUUID();
  await sql`insert into auth.users (id, email) values (${person}, ${`${person}@example.test`})`;
  const [place] = await densest(sql);
  const asSuperuser = new URL(url);
  asSuperuser.username = SUPERUSER;
  asSuperuser.password = PASSWORD;
  const superuser = postgres(asSuperuser.href, { max: 1, onnotice: () => {} });
  await superuser`
    select set_config('bench.person', ${person}, false), set_config('bench.lot', ${place!.lot}, false),
      set_config('bench.rows', ${String(ROWS)}, false)`;
  await superuser.unsafe(await Deno.readTextFile(new URL("worst.sql", import.meta.url)));
  await superuser`vacuum (analyze)`;
  await superuser.end();
  const [ids] = await sql<Omit<Known, "lat" | "lng" | "lot" | "person">[]>`
    select (select ticket_id from public.support_messages limit 1) as ticket,
      (select id from public.parking_sessions where user_id = ${person} and status = 'ended' limit 1) as session,
      (select id from public.parking_sessions where user_id = ${person} and status = 'parking') as running,
      (select slug from public.articles order by published_at desc nulls last limit 1) as article,
      (select id from public.field_values where parking_lot_id = ${place!.lot} limit 1) as field_value,
      (select id from public.sponsors limit 1) as sponsor`;
  return { ...place!, person, ...ids! };
}

/** The priced lot in the middle of the city that has most lots. */
function densest(sql: Sql) {
  return sql<{ lat: number; lng: number; lot: string }[]>`
    select l.lat, l.lng, l.id as lot
    from public.parking_lots l
    cross join (select avg(lat) as lat, avg(lng) as lng from public.parking_lots where address like '%, City 1') m
    where l.hour_price is not null
    order by abs(l.lat - m.lat) + abs(l.lng - m.lng) limit 1`;
}

interface Timing {
  readonly took: number;
  /** Time of the database's processor, in steps of 10 ms: it depends little on what else runs on the machine. */
  readonly core: number;
  /** How many rows came, or which error. */
  readonly answer: string;
}

/** The fastest round. Nothing that is asked is kept. */
async function ask(sql: Sql, pid: number, known: Known, question: Question): Promise<Timing> {
  const { as } = question;
  const text = textOf(question, known);
  const role = as === "person" ? "authenticated" : "anon";
  const claims = JSON.stringify({ role, ...(as === "person" ? { sub: known.person } : {}) });
  let best: Timing = { took: Infinity, core: Infinity, answer: "" };
  for (let round = 0; round < ROUNDS && best.took > LIMIT_MS / 10; round++) {
    await sql.begin(async (transaction) => {
      await transaction`
        select set_config('role', ${role}, true), set_config('request.jwt.claims', ${claims}, true),
          set_config('plan_cache_mode', 'force_generic_plan', true), set_config('max_parallel_workers_per_gather', '0', true)`;
      const before = await coreTime(pid);
      const asked = performance.now();
      const answer = await transaction.unsafe(`select ${text} as reply`).then(
        ([row]) => rowsOf(row!["reply"]),
        (failure) => errorOf(failure),
      );
      const took = performance.now() - asked;
      const core = before === undefined ? took : (await coreTime(pid))! - before;
      if (core < best.core || (core === best.core && took < best.took)) best = { took, core, answer };
      throw new RolledBack();
    }).catch((failure) => {
      if (!(failure instanceof RolledBack)) throw failure;
    });
  }
  return best;
}

/** Milliseconds that the database's process has computed so far; undefined where it is not on this machine. */
async function coreTime(pid: number): Promise<number | undefined> {
  try {
    const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
    const [user, system] = stat.slice(stat.lastIndexOf(")") + 2).split(" ").slice(11, 13).map(Number);
    return 10 * (user! + system!);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}

function rowsOf(reply: unknown): string {
  if (Array.isArray(reply)) return String(reply.length);
  const { clusters, items, messages } = (reply ?? {}) as Record<string, unknown[] | undefined>;
  return String((clusters ?? items ?? messages)?.length ?? 1);
}

/** The code and reason that an error says, as a client reads it. */
function errorOf(failure: unknown): string {
  if (!(failure instanceof postgres.PostgresError)) throw failure;
  if (failure.code !== "PGRST") return `${failure.code} ${failure.message}`;
  const { code, details } = JSON.parse(failure.message);
  const { param, details: more } = JSON.parse(details);
  return [code, more?.reason ?? param].filter(Boolean).join(" ");
}
