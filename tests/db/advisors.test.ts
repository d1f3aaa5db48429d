// The platform's own advisors (security and performance) on the migrated database.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

interface Advice {
  readonly name: string;
  readonly level: string;
  readonly detail: string;
}

/**
 * SQL functions without a search_path. Their bodies are parsed when they are created, so that a search_path cannot matter
 * to them. With one, Postgres could not write a body into the statement that calls it: it would call an expression for
 * every row at ten times the cost, and plan and run a query by itself.
 */
const INLINED = [
  "private.ad_rank",
  "private.admin_areas",
  "private.area_of_act",
  "private.area_of_job",
  "private.area_of_queue",
  "private.badge_field_rules",
  "private.badge_kinds",
  "private.band_holds",
  "private.bits_in_force",
  "private.cell_area",
  "private.cell_lat",
  "private.cell_lng",
  "private.cell_x",
  "private.cell_y",
  "private.clock_instant",
  "private.crash_report_bound",
  "private.crash_report_size",
  "private.date_bits",
  "private.day_bit",
  "private.day_number",
  "private.earlier",
  "private.exp_rule_field_rules",
  "private.file_bound",
  "private.great_circle_m",
  "private.is_whole_number",
  "private.level_field_rules",
  "private.lot_field_rules",
  "private.lot_set_rules",
  "private.map_cell",
  "private.mercator_y",
  "private.next_query_at",
  "private.pricing_terms_rules",
  "private.search_terms",
  "private.status_at",
  "private.status_of",
  "private.subscription_announcement",
  "private.theme_field_rules",
  "private.trimmed",
  "private.upload_extension",
  "private.vote_delay",
  "private.walk_minutes",
  "private.without_personal_data",
];
/** The same of a body that is a text, in which every name has its schema. */
const INLINED_TEXT = ["private.nearby_ranking"];

/** What the advisors say, without the lint that only knows a database in use, and without the functions above. */
async function advice(): Promise<string[]> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "supabase", "db", "advisors", "--level=info", "--output-format=json", `--db-url=${db.url}`],
    cwd: new URL("../../", import.meta.url),
    env: { DO_NOT_TRACK: "1" },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  assert.ok(success, decoder.decode(stderr));
  const { results } = JSON.parse(decoder.decode(stdout)) as { results: Advice[] };
  // No index has been used in a database that has just been made.
  return results
    .filter(({ name }) => name !== "unused_index")
    .filter(({ name, detail }) =>
      name !== "function_search_path_mutable" ||
      ![...INLINED, ...INLINED_TEXT].some((called) => detail.includes(`\`${called}\``))
    )
    .map(({ name, detail }) => `${name}: ${detail}`);
}

Deno.test("advisors: the advisors report nothing about the migrated database", async () => {
  assert.deepEqual(await advice(), []);
});

Deno.test("advisors: a table without row level security is reported", async () => {
  await db.sql`alter table public.codes disable row level security`;
  const found = await advice();
  assert.ok(found.some((line) => line.includes("public.codes")), found.join("\n"));
});

Deno.test("advisors: every function without a search_path is inlined into the statement that calls it", async () => {
  const parsed = await db.sql<{ name: string; returns_rows: boolean; types: string[] }[]>`
    select p.oid::regproc::text as name, p.proretset as returns_rows,
      array(select format_type(t.type, null) from unnest(p.proargtypes) with ordinality as t (type, n) order by n) as types
    from pg_proc p where p.prosqlbody is not null and p.proconfig is null and p.pronamespace = 'private'::regnamespace order by 1`;
  assert.deepEqual(parsed.map(({ name }) => name), INLINED);
  for (const { name, returns_rows, types } of parsed) {
    const columns = types.map((type, n) => `null::${type} as c${n}`).join(", ");
    const called = `${name}(${types.map((_, n) => `s.c${n}`).join(", ")})`;
    const plan = await db.sql.unsafe(`
      explain (verbose, costs off)
      select ${returns_rows ? "f.*" : called} from (select ${columns || "1"} offset 0) s
      ${returns_rows ? `cross join lateral ${called} as f` : ""}`);
    const output = plan.map((row) => row["QUERY PLAN"]).join("\n");
    assert.ok(!output.includes(name), output);
  }
  const [plan] = await db.sql`
    explain (verbose, costs off, format json)
    select r.score from private.nearby_ranking('{}', '{}', null, 500, 'standard', now(), now()) as r`;
  for (const called of INLINED_TEXT) assert.ok(!JSON.stringify(plan).includes(called));
});
