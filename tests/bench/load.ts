// How the service behaves when more clients ask than it can serve: 1 to 1,000 clients, each of which sends its next request as
// soon as it has its response. Two lines a cell: responses a second / p50 / p95 / p99 in milliseconds of what succeeded, and
// what was refused with 503 and Retry-After (after how long), or failed otherwise.
// deno run -A tests/bench/load.ts   (needs API_URL, DB_URL, PUBLISHABLE_KEY and JWT_SECRET; `deno task bench` sets them)
import postgres from "postgres";
import { seedLots } from "../db/support/fees.ts";
import { newUser } from "../support/rows.ts";
import { token } from "../support/tokens.ts";
import { ms, percentile, table } from "./measure.ts";

const CLIENTS = [1, 8, 64, 256, 1000];
const SECONDS = Number(Deno.env.get("BENCH_SECONDS") ?? 5);
const DRIVERS = 3000;
const { DB_URL, API_URL, PUBLISHABLE_KEY, JWT_SECRET } = Deno.env.toObject();
if (!DB_URL || !API_URL || !PUBLISHABLE_KEY || !JWT_SECRET) {
  throw new Error("No platform is named: run `deno task bench`");
}

const sql = postgres(DB_URL, { max: 4, onnotice: () => {} });
const rules = [{ category: "time_band", rule_order: 1, per_minutes: 20, price_minor: 200 }] as const;
const lots = await seedLots(sql, Array.from({ length: 20 }, () => ({ rules: [...rules] })));
const users = await Promise.all(Array.from({ length: DRIVERS }, () => newUser(sql)));
const drivers = users.map((user) => `Bearer ${token(user, { secret: JWT_SECRET })}`);

const send = (method: string, path: string, authorization?: string, body?: object) =>
  fetch(`${API_URL}/v1${path}`, {
    method,
    headers: {
      apikey: PUBLISHABLE_KEY,
      ...(authorization && { authorization }),
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });

/** One step of a client; the n-th of all clients together. */
type Step = (n: number) => Promise<Response>;

const lot = (n: number) => lots[n % lots.length]!;
const driver = (n: number) => drivers[n % drivers.length]!;
const place = (n: number) => `lat=${35.6 + (n % 97) / 1000}&lng=${139.6 + (n % 89) / 1000}`;
const stay = { entry_at: "2026-09-01T10:00:00+09:00", exit_at: "2026-09-01T13:00:00+09:00" };

const steps: Record<string, Step> = {
  nearby: (n) => send("GET", `/parking-lots/nearby?${place(n)}`),
  "lot detail": (n) => send("GET", `/parking-lots/${lot(n)}?include=hours`),
  "calc-fee": (n) => send("POST", `/parking-lots/${lot(n)}/calc-fee`, undefined, stay),
  "start + finalize": async (n) => {
    const started = await send("POST", "/parking-sessions", driver(n), { parking_lot_id: lot(n) });
    if (!started.ok) return started;
    const { session_id } = await started.json();
    return await send("POST", `/parking-sessions/${session_id}/finalize`, driver(n), {
      exit_at: new Date().toISOString(),
    });
  },
  inbox: (n) => send("GET", "/me/notifications", driver(n)),
};

interface Outcome {
  readonly times: number[];
  readonly refused: number[];
  readonly failures: Map<string, number>;
}

async function load(clients: number, step: Step): Promise<Outcome> {
  const outcome: Outcome = { times: [], refused: [], failures: new Map() };
  const until = performance.now() + SECONDS * 1000;
  let n = Math.floor(Math.random() * DRIVERS);
  await Promise.all(Array.from({ length: clients }, async () => {
    while (performance.now() < until) {
      const started = performance.now();
      const what = await step(n++).then(async (response) => {
        await response.body?.cancel();
        if (response.ok) return "ok";
        const isPromised = response.status === 503 && response.headers.has("retry-after");
        return isPromised ? "refused" : String(response.status);
      }, (error) => String(error.name));
      const took = performance.now() - started;
      if (what === "ok") outcome.times.push(took);
      else if (what === "refused") {
        outcome.refused.push(took);
        await new Promise((resolve) => setTimeout(resolve, 1_000)); // as Retry-After says
      } else outcome.failures.set(what, (outcome.failures.get(what) ?? 0) + 1);
    }
  }));
  return outcome;
}

const rows: string[][] = [];
for (const clients of CLIENTS) {
  const row = [String(clients)];
  for (const step of Object.values(steps)) {
    await load(Math.min(clients, 8), step); // warm
    const { times, refused, failures } = await load(clients, step);
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => ms(percentile(times, share)));
    const said = [
      `${Math.round(times.length / SECONDS)} / ${p50} / ${p95} / ${p99}`,
      ...(refused.length > 0 ? [`${refused.length} × 503 after ${ms(percentile(refused, 0.95))}`] : []),
      ...[...failures].map(([what, count]) => `${count} × ${what}`),
    ];
    row.push(said.join("; "));
  }
  rows.push(row);
}
await sql.end();
console.log(`${SECONDS} seconds a cell: responses a second / p50 / p95 / p99 ms; 503s with Retry-After, 95 % within\n`);
console.log(table(["clients", ...Object.keys(steps)], rows));
