// What a page of a list costs: pages 1, 100 and 1,000 of lists with 100,000 rows of one user, one lot or the console, in the
// database, with the generic plans that a pooled connection keeps. Buffers show whether a page reads those before it.
// deno run -A tests/bench/lists.ts   (needs DB_URL; `deno task bench` sets it)
import postgres from "postgres";
import { DEEP, fillLists, people } from "../db/support/deep_lists.ts";
import { asSuperuser } from "../support/database.ts";
import { ms, percentile, table } from "./measure.ts";

const ROWS = 100_000;
const PAGES = [1, 100, 1000];
const LIMIT = 20;
const RUNS = 30;
const LISTS: Record<string, string[]> = {
  list_my_parking_sessions: ["public.parking_sessions"],
  list_my_notifications: ["public.user_notifications"],
  list_my_reviews: ["public.reviews"],
  list_my_exp_entries: ["public.exp_entries"],
  list_my_support_tickets: ["public.support_tickets"],
  list_parking_lot_reviews: ["public.reviews"],
  admin_list_parking_lots: ["public.parking_lots"],
  admin_list_lot_engagement: ["public.parking_lots"],
  admin_list_users: ["auth.users", "public.app_users"],
  admin_list_reviews: ["public.reviews"],
  admin_list_error_reports: ["public.error_reports"],
  admin_list_activity_logs: ["public.admin_activity_logs"],
  admin_list_subscriptions: ["public.user_subscriptions"],
};

const { DB_URL } = Deno.env.toObject();
if (!DB_URL) throw new Error("No platform is named: run `deno task bench`");
const sql = postgres(asSuperuser(DB_URL), { max: 1, onnotice: () => {} });
await fillLists(sql, ROWS, [...new Set(Object.values(LISTS).flat())]);
await sql`set plan_cache_mode = force_generic_plan`;

type Given = Record<string, unknown>;

/** Runs a statement about a list as its caller. */
async function ask<Answer>(name: string, given: Given, prefix = ""): Promise<Answer> {
  const list = DEEP[name]!;
  const role = { user: "authenticated", admin: "service_role", anon: "anon" }[list.as];
  const values: Given = { ...(list.as === "admin" ? { p_admin_id: people.admin } : {}), ...list.given, ...given };
  return await sql.begin(async (transaction) => {
    await transaction`
      select set_config('role', ${role}, true),
        set_config('request.jwt.claims', ${
      JSON.stringify(list.as === "user" ? { role, sub: people.user } : { role })
    }, true)`;
    const names = Object.keys(values);
    const [row] = await transaction.unsafe(
      `${prefix} select api.${name}(${names.map((key, n) => `${key} => $${n + 1}`).join(", ")}) as answer`,
      names.map((key) => values[key]) as never[],
    );
    return Object.values(row!)[0] as Answer;
  }) as Answer;
}

/** The cursor before a page; pages as large as they may be have the same cursors. */
async function cursorOf(name: string, page: number): Promise<string | null> {
  let cursor: string | null = null;
  for (let rows = (page - 1) * LIMIT; rows > 0; rows -= 100) {
    const p_limit = Math.min(rows, 100);
    cursor = (await ask<{ next_cursor: string }>(name, { p_limit, p_cursor: cursor })).next_cursor;
  }
  return cursor;
}

interface Explained {
  readonly "Execution Time": number;
  readonly Plan: { readonly "Shared Hit Blocks": number; readonly "Shared Read Blocks": number };
}

const rows: string[][] = [];
for (const name of Object.keys(LISTS)) {
  const cells: string[] = [];
  for (const page of PAGES) {
    const given = { p_limit: LIMIT, p_cursor: await cursorOf(name, page) };
    const runs: Explained[] = [];
    for (let run = 0; run < RUNS; run++) {
      runs.push((await ask<Explained[]>(name, given, "explain (analyze, buffers, timing off, format json)"))[0]!);
    }
    const { Plan } = runs.at(-1)!;
    cells.push(ms(percentile(runs.map((run) => run["Execution Time"]), 0.5)));
    cells.push(String(Plan["Shared Hit Blocks"] + Plan["Shared Read Blocks"]));
  }
  rows.push([name, ...cells]);
}
await sql.end();
console.log(`${ROWS} rows a list, ${LIMIT} a page, medians of ${RUNS}\n`);
console.log(table(["", ...PAGES.flatMap((page) => [`page ${page}, ms`, "buffers"])], rows));
