// What it takes to price a stay: one lot, from an hour to a year, and the fifty lots of a search at once.
// deno run -A tests/bench/fees.ts   (needs DB_URL of a migrated database; `deno task bench fees` makes one)
import postgres from "postgres";
import { ms, percentile, table } from "./measure.ts";

const LOTS = 1_000;
const ROUNDS = 200;
const WARM_UP = 5;
const BUDGET_MS = 4_000;
const STAYS: readonly [name: string, exit: string][] = [
  ["an hour", "2026-06-01 11:00+09"],
  ["a day", "2026-06-02 10:00+09"],
  ["a week", "2026-06-08 10:00+09"],
  ["a year", "2027-06-01 10:00+09"],
];
const ENTRY = "2026-06-01 10:00+09";

const url = Deno.env.get("DB_URL");
if (!url) throw new Error("DB_URL is not set: run `deno task bench`");
const sql = postgres(url, { max: 1, onnotice: () => {} });
try {
  const started = performance.now();
  const lots = await seed();
  console.log(
    `${LOTS} lots with ${5 * LOTS} rules: written, compiled and priced in ${ms(performance.now() - started)} ms\n`,
  );
  const rows: (string | number)[][] = [];
  for (const [name, exit] of STAYS) {
    const fifty = lots.slice(0, 50);
    rows.push([
      name,
      await figures((n) => sql`select * from private.stay_fees(${[lots[n]!]}::uuid[], 'standard', ${ENTRY}, ${exit})`),
      await figures((n) => sql`select private.explained_fee(${lots[n]!}, 'standard', ${ENTRY}, ${exit})`),
      await figures(() => sql`select * from private.stay_fees(${fifty}::uuid[], 'standard', ${ENTRY}, ${exit})`),
    ]);
  }
  console.log("p50 / p95 in ms, as the database's client sees them\n");
  console.log(table(["a stay of", "the amount", "the amount explained", "the amounts of 50 lots"], rows));
  const meter = await figures((n) =>
    sql`select private.fee_meter(${lots[n]!}, 'standard', ${ENTRY}, '2026-06-01 12:10+09')`
  );
  console.log(`\nThe meter after two hours, with its curve of a day: ${meter}`);
} finally {
  await sql`delete from public.parking_lots where source = 'bench-fees'`;
  await sql.end();
}

/** Lots with rates by day and by night, dearer on holidays, and two caps. */
async function seed(): Promise<string[]> {
  await sql`delete from public.parking_lots where source = 'bench-fees'`;
  await sql`
    insert into public.parking_lots (name, lat, lng, status, source)
    select 'Fees ' || n, 35, 139, 'active', 'bench-fees' from generate_series(1, ${LOTS}::integer) as n`;
  await sql`
    insert into public.pricing_rules (
      parking_lot_id, category, rule_order, time_start, time_end, day_type, per_minutes, price_minor, cap_type,
      cap_duration_hours, cap_price_minor, cap_repeat
    )
    select l.id, r.* from public.parking_lots l cross join (values
      ('time_band', 1, time '08:00', time '22:00', null, 20, 100, null, null::numeric, null::integer, null::boolean),
      ('time_band', 2, '22:00', '08:00', null, 60, 100, null, null, null, null),
      ('time_band', 3, '08:00', '22:00', 'holiday', 20, 200, null, null, null, null),
      ('cap', 4, null, null, null, null, null, 'duration', 24, 1500, true),
      ('cap', 5, '22:00', '08:00', null, null, null, 'band', null, 400, true)
    ) as r
    where l.source = 'bench-fees'`;
  const rows = await sql<{ id: string }[]>`select id from public.parking_lots where source = 'bench-fees' order by id`;
  await sql`analyze public.parking_lots, public.pricing_rules`;
  return rows.map(({ id }) => id);
}

async function figures(run: (round: number) => PromiseLike<unknown>): Promise<string> {
  const times: number[] = [];
  const started = performance.now();
  for (let round = 0; round < ROUNDS + WARM_UP && performance.now() - started < BUDGET_MS; round++) {
    const before = performance.now();
    await run(round);
    if (round >= WARM_UP) times.push(performance.now() - before);
  }
  return `${ms(percentile(times, 0.5))} / ${ms(percentile(times, 0.95))}`;
}
