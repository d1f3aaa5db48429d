// What administrators look through at a size of years: every list of the console, first page and page 100, in the database
// as the function `admin` calls it, under generic plans.
// deno run -A tests/bench/admin.ts   (needs DB_URL of a database with many lots; `deno task bench admin` makes one)
import postgres from "postgres";
import { ADMINISTRATOR, benchId as id, loadConsole } from "./load_console.ts";
import { ms, percentile, table } from "./measure.ts";

const { DB_URL } = Deno.env.toObject();
if (!DB_URL) throw new Error("DB_URL is not set: run `deno task bench admin`");

const ROUNDS = 9;
const DEEP = 100;

type Arguments = Readonly<Record<string, unknown>>;

await loadConsole(DB_URL);
const sql = postgres(DB_URL, {
  max: 1,
  onnotice: () => {},
  connection: { role: "service_role", plan_cache_mode: "force_generic_plan" },
});
const [lot] = await sql<{ id: string }[]>`select id from public.parking_lots order by id offset 4710 limit 1`;
const LOT = lot!.id;

/** What lists are asked for besides what they show without filters. */
const FILTERS: Record<string, readonly Arguments[]> = {
  admin_list_activity_logs: [
    { p_by_admin_id: ADMINISTRATOR },
    { p_user_id: id(1, 4711) },
    { p_action: "review.reject" },
    { p_target_id: id(2, 4711) },
    { p_by_admin_id: ADMINISTRATOR, p_action: "user.view_search_presets" },
  ],
  admin_list_users: [
    { p_email: "user123456@" },
    { p_email: "example.com" },
    { p_email: "nobody-has-this" },
    { p_email: "user1" }, // a tenth of all, and none of the newest: the index finds them all, to be sorted
    { p_display_name: "佐藤 陽翔 1234" },
    { p_display_name: "Sato" },
    { p_display_name: "佐藤" },
    { p_status: "suspended" },
    { p_premium: true },
    { p_status: "suspended", p_premium: true, p_display_name: "Sato" },
    { p_status: "withdrawn", p_premium: true },
  ],
  admin_list_user_activity_logs: [{ p_id: id(1, 4711) }],
  admin_list_user_activities: [{ p_activity_type: "lot_save" }, { p_user_id: id(1, 4711) }],
  admin_list_reviews: [
    { p_status: "approved" },
    { p_status: "hidden" },
    { p_user_id: id(1, 4700), p_status: "pending" },
  ],
  admin_list_error_reports: [
    { p_status: "resolved" },
    { p_severity: "high" },
    { p_severity: "low", p_status: "rejected" },
    { p_severity: "critical" }, // none has it
    { p_assigned_to: ADMINISTRATOR },
  ],
  admin_list_field_values: [{ p_state: "unverified" }],
  admin_list_support_tickets: [{ p_status: "closed" }, { p_category: "account", p_status: "closed" }],
  admin_list_parking_lots: [
    { p_q: "City 1" },
    { p_q: "Lot 42" },
    { p_q: "Block 123456" },
    { p_status: "draft" },
    { p_status: "active" },
  ],
  admin_list_parking_lot_history: [{ p_parking_lot_id: LOT }],
  admin_list_lot_engagement: [{ p_sort: "saves" }, { p_sort: "searches" }, { p_sort: "name" }],
};

/** Further reads of the console. */
const READS: readonly [name: string, args: Arguments][] = [
  ["admin_get_overview", {}],
  ["admin_list_jobs", {}],
  ["admin_read_user", { p_id: id(1, 4711) }],
  ["admin_list_users", { p_email: "user1", p_include: ["total"] }],
  ["admin_get_parking_lot", { p_parking_lot_id: LOT }],
];

/** What jobs count for the overview, every minute and every five. */
const JOBS = ["refresh_overview_now", "refresh_overview"];

try {
  console.log(`\nLists: median of ${ROUNDS} in ms, 20 a page\n`);
  console.log(table(["list", "first page", `page ${DEEP}`, "items"], await lists()));
  console.log(`\nOther reads: median of ${ROUNDS} in ms\n`);
  const reads: string[][] = [];
  for (const [name, args] of READS) reads.push([inWords(name, args), await timed(() => ask(name, args))]);
  console.log(table(["function", "ms"], reads));
  console.log(`\nJobs: median of ${ROUNDS} in ms\n`);
  console.log(table(["job", "ms"], await jobs(DB_URL)));
} finally {
  await sql.end();
}

async function lists(): Promise<string[][]> {
  const found = await sql<{ name: string; required: string[] }[]>`
    select p.proname as name, p.proargnames[2:p.pronargs - p.pronargdefaults] as required
    from pg_proc p
    where p.pronamespace = 'api'::regnamespace and p.proname like 'admin\\_%' and 'p_cursor' = any (p.proargnames)
    order by 1`;
  const rows: string[][] = [];
  for (const { name, required } of found) {
    const variants = [...(required.length > 0 ? [] : [{}]), ...(FILTERS[name] ?? [])];
    if (variants.length === 0) rows.push([`${name}: needs ${required.join()}`, "", "", ""]);
    for (const args of variants) rows.push(await listed(name, args));
  }
  return rows;
}

async function listed(name: string, args: Arguments): Promise<string[]> {
  const first = await ask(name, args);
  let cursor = first["next_cursor"];
  // On to the page in longer steps: a cursor is of no page length.
  for (let skipped = 20; cursor && skipped < 20 * (DEEP - 1);) {
    const step = Math.min(100, 20 * (DEEP - 1) - skipped);
    cursor = (await ask(name, { ...args, p_cursor: cursor, p_limit: step }))["next_cursor"];
    skipped += step;
  }
  return [
    inWords(name, args),
    await timed(() => ask(name, args)),
    cursor ? await timed(() => ask(name, { ...args, p_cursor: cursor })) : "shorter",
    String((first["items"] as unknown[]).length),
  ];
}

async function jobs(url: string): Promise<string[][]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const rows: string[][] = [];
  for (const name of JOBS) rows.push([name, await timed(() => sql.unsafe(`select private.${name}()`))]);
  await sql.end();
  return rows;
}

async function timed(run: () => PromiseLike<unknown>): Promise<string> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    await run();
    times.push(performance.now() - started);
  }
  return ms(percentile(times, 0.5));
}

async function ask(name: string, args: Arguments): Promise<Record<string, unknown>> {
  const given = Object.entries({ p_admin_id: ADMINISTRATOR, ...args });
  const text = given.map(([key], n) => `${key} => $${n + 1}`).join(", ");
  const [row] = await sql.unsafe(`select api.${name}(${text}) as reply`, given.map(([, value]) => value) as never[]);
  return row!["reply"];
}

function inWords(name: string, args: Arguments): string {
  return [name, ...Object.entries(args).map(([key, value]) => `${key.slice(2)}=${value}`)].join(" ");
}
