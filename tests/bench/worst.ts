// Searches for the worst question to every function of `api` and every command, as the catalogue lists them: arguments are
// generated (worst_questions.ts), and each question is asked under generic plans. The worst ones of each function are asked
// again, ten times on a new connection, because the plan of a statement may change after five calls. Nothing is kept.
// BENCH_MINUTES bounds the questions' time: every function is asked, and random questions fill what is left. BENCH_SEED repeats them.
// A function for which there are no arguments makes this fail, and so does a question over half a second of a core.
// deno run -A tests/bench/worst.ts   (needs DB_URL of a database with many lots; `deno task bench worst --lots 1000000` makes one)
import postgres, { type Sql } from "postgres";
import { loadConsole } from "./load_console.ts";
import { Random } from "../../tools/seed/random.ts";
import { loadWorst } from "./load_worst.ts";
import { ms, table } from "./measure.ts";
import { catalogue } from "./worst_catalogue.ts";
import {
  type Arguments,
  argumentsOf,
  type Callable,
  missingArguments,
  NOT_ASKED,
  randomArguments,
  type Role,
} from "./worst_questions.ts";

const LIMIT_MS = 500;
const WORST = 10;
/** Faster ones are not printed. */
const SHOWN_MS = 30;
/** The fastest of so many: what else runs on the machine is not the question's. */
const ROUNDS = 3;
const CALLS = 10;
/** Of a function's time; what is left is for the calls on new connections. */
const SHARE_OF_GENERIC = 0.6;
const TIMEOUT_MS = 30_000;

/** Ends a transaction that keeps nothing. */
class RolledBack extends Error {}

interface Asked {
  readonly name: string;
  readonly call: string;
  readonly role: Role;
  /** Milliseconds of the backend's processor, in steps of 10, and of the clock. */
  readonly core: number;
  readonly took: number;
  readonly answer: string;
  readonly isError: boolean;
  readonly plan: string;
}

const url = Deno.env.get("DB_URL");
if (!url) throw new Error("DB_URL is not set: run `deno task bench worst`");
const seed = Deno.env.get("BENCH_SEED") || "1";
const random = new Random(seed);
await loadConsole(url);
const known = await loadWorst(url);
let connection = await connect();
try {
  const functions = await catalogue(connection.sql);
  const chosen = Deno.env.get("BENCH_FUNCTIONS")?.split(",");
  const minutes = Number(Deno.env.get("BENCH_MINUTES") ?? 0);
  const end = minutes > 0 ? performance.now() + 60_000 * minutes : Infinity;
  const asked: Asked[] = [];
  let leftOut = 0;
  // Those with few questions first: what they leave of their time goes to the searches, which have most. Each has time for
  // its number of questions.
  const plans = functions
    .filter((f) => !(f.name in NOT_ASKED) && missingArguments(f).length === 0 && chosen?.includes(f.name) !== false)
    .map((f) => ({ f, questions: argumentsOf(f, random) }))
    .sort((a, b) => a.questions.length - b.questions.length);
  let left = plans.reduce((sum, { questions }) => sum + questions.length, 0);
  for (const { f, questions } of plans) {
    const share = (end - performance.now()) * questions.length / left;
    left -= questions.length;
    const ofFunction = await askFunction(f, questions, Math.max(share, 0));
    asked.push(...ofFunction);
    leftOut += questions.length - ofFunction.filter(({ plan }) => plan === "generic").length;
  }
  if (minutes > 0) asked.push(...await askUntil(end, plans.map(({ f }) => f)));
  print(asked, functions, leftOut);
} finally {
  await connection.sql.end();
}

/** Asks a function for so many milliseconds, at least one question, and prints the worst one. */
async function askFunction(f: Callable, questions: readonly Arguments[], share: number): Promise<Asked[]> {
  const started = performance.now();
  const generic: Asked[] = [];
  for (const question of questions) {
    if (generic.length > 0 && performance.now() > started + SHARE_OF_GENERIC * share) break;
    generic.push(await ask(f, question));
  }
  const auto: Asked[] = [];
  for (const one of worst(generic)) {
    if (auto.length > 0 && performance.now() > started + share) break;
    auto.push(await askTenTimes(one));
  }
  const [slowest] = worst([...generic, ...auto]);
  const count = generic.length < questions.length
    ? `${generic.length} of ${questions.length}`
    : String(questions.length);
  console.log(
    `${f.name}: ${count} questions, the worst ${slowest!.core} ms` +
      (slowest!.core >= SHOWN_MS ? ` (${slowest!.plan}): ${slowest!.call}` : ""),
  );
  return [...generic, ...auto];
}

function print(asked: readonly Asked[], functions: readonly Callable[], leftOut: number): void {
  const byName = Map.groupBy(asked, ({ name }) => name);
  const rows = [...byName.values()].flatMap((ofOne) => worst(ofOne).filter(({ core }) => core >= SHOWN_MS));
  rows.sort((a, b) => b.core - a.core || b.took - a.took);
  console.log(`\nThe worst ${WORST} questions of each function that take ${SHOWN_MS} ms of a core or more\n`);
  console.log(table(
    ["question", "plan", "ms", "ms of a core", "rows or error", ""],
    rows.map((one) => [
      one.call.replaceAll("|", "\\|"),
      one.plan,
      ms(one.took),
      ms(one.core),
      one.answer,
      one.core > LIMIT_MS ? `over ${LIMIT_MS} ms` : "",
    ]),
  ));
  const slow = asked.filter(({ core }) => core > LIMIT_MS);
  const onlyErrors = [...byName].filter(([, ofOne]) => ofOne.every(({ isError }) => isError)).map(([name]) => name);
  const missing = functions.filter((f) => !(f.name in NOT_ASKED) && missingArguments(f).length > 0);
  console.log(
    `\n${byName.size} functions, ${asked.length} questions (seed ${seed}): ${slow.length} take more than ${LIMIT_MS} ms of a core.`,
  );
  const load = Deno.loadavg().map((one) => one.toFixed(1)).join(", ");
  console.log(
    `Left out for want of time: ${leftOut}. Load of the machine: ${load} on ${navigator.hardwareConcurrency} cores`,
  );
  console.log(`Only errors: ${onlyErrors.join(", ") || "none"}`);
  for (const [name, reason] of Object.entries(NOT_ASKED)) console.log(`Not asked: ${name}: ${reason}`);
  for (const f of missing) console.log(`Without arguments: ${f.name}: ${missingArguments(f).join(", ")}`);
  if (slow.length > 0 || missing.length > 0) Deno.exitCode = 1;
}

async function connect(): Promise<{ sql: Sql; pid: number }> {
  const sql = postgres(url!, { max: 1, onnotice: () => {}, connection: { statement_timeout: TIMEOUT_MS } });
  const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return { sql, pid: backend!.pid };
}

/** The fastest round of a question under generic plans. */
async function ask(f: Callable, given: Arguments): Promise<Asked> {
  const list = Object.entries(given).map(([name, value]) => `${name} => ${value}`).join(", ");
  const call = `${f.schema}.${f.name}(${list})`.replaceAll(
    /\{(\w+)\}/g,
    (found, name) => name in known ? String(known[name]) : found,
  );
  let best = await measured(f.name, f.role, call, "generic");
  for (let round = 1; round < ROUNDS && best.core > LIMIT_MS / 5 && best.core < 4 * LIMIT_MS; round++) {
    const one = await measured(f.name, f.role, call, "generic");
    if (one.core < best.core) best = one;
  }
  return best;
}

/** A question at its tenth call on a connection of its own, where the server chooses the plans. */
async function askTenTimes({ name, role, call }: Asked): Promise<Asked> {
  const shared = connection;
  connection = await connect();
  try {
    // A question that takes seconds is known already.
    let last = await measured(name, role, call, "auto");
    for (let nth = 2; nth <= CALLS && last.core < 4 * LIMIT_MS; nth++) last = await measured(name, role, call, "auto");
    return last;
  } finally {
    await connection.sql.end();
    connection = shared;
  }
}

async function measured(name: string, role: Role, call: string, plan: "generic" | "auto"): Promise<Asked> {
  const claims = JSON.stringify({ role, ...(role === "authenticated" ? { sub: known["person"] } : {}) });
  const mode = plan === "generic" ? "force_generic_plan" : "auto";
  let asked: Asked | undefined;
  await connection.sql.begin(async (sql) => {
    await sql`
      select set_config('role', ${role}, true), set_config('request.jwt.claims', ${claims}, true),
        set_config('plan_cache_mode', ${mode}, true), set_config('max_parallel_workers_per_gather', '0', true)`;
    const before = await coreTime(connection.pid);
    const started = performance.now();
    const [answer, isError] = await sql.unsafe(`select ${call} as reply`).then(
      ([row]) => [rowsOf(row!["reply"]), false] as const,
      (failure) => [errorOf(failure), true] as const,
    );
    const took = performance.now() - started;
    const core = before === undefined ? took : (await coreTime(connection.pid))! - before;
    asked = { name, call, role, core, took, answer, isError, plan };
    throw new RolledBack();
  }).catch((failure) => {
    if (!(failure instanceof RolledBack)) throw failure;
  });
  return asked!;
}

async function askUntil(end: number, functions: readonly Callable[]): Promise<Asked[]> {
  const asked: Asked[] = [];
  const searches = functions.filter(({ name }) => ["search_parking_lots", "nearby_parking_lots"].includes(name));
  while (performance.now() < end) {
    // Half of the questions are searches: they have most arguments, and anybody may send them.
    const among = searches.length > 0 && random.chance(0.5) ? searches : functions;
    const f = random.pick(among);
    asked.push(await ask(f, randomArguments(f, random)));
  }
  return asked;
}

function worst(asked: readonly Asked[]): Asked[] {
  return asked.toSorted((a, b) => b.core - a.core || b.took - a.took).slice(0, WORST);
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
