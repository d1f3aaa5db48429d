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
 * SQL functions of one expression that is parsed when they are created, or of one query in which every name has its schema,
 * so that a search_path cannot matter to them. With one, Postgres could not write them into the statement: it would call an
 * expression for every row at ten times the cost, and plan and run a query by itself.
 */
const INLINED = [
  "private.great_circle_m",
  "private.nearby_ranking",
  "private.search_terms",
  "private.walk_minutes",
];

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
      name !== "function_search_path_mutable" || !INLINED.some((called) => detail.includes(`\`${called}\``))
    )
    .map(({ name, detail }) => `${name}: ${detail}`);
}

Deno.test("the advisors have nothing to say about the migrated database", async () => {
  assert.deepEqual(await advice(), []);
});

Deno.test("the advisors would speak up: a table without row security is named", async () => {
  await db.sql`alter table public.codes disable row level security`;
  const found = await advice();
  assert.ok(found.some((line) => line.includes("public.codes")), found.join("\n"));
});

Deno.test("advisors: every function without a search_path is inlined into the statement that calls it", async () => {
  const plan = await db.sql`
    explain (verbose, costs off)
    select private.great_circle_m(35, 139, l.lat, l.lng), private.walk_minutes(l.lat::numeric), r.score, t.terms
    from public.parking_lots l
    cross join private.nearby_ranking('{}', '{}', null, 500, 'standard', now(), now()) as r
    cross join private.search_terms(l.name) as t`;
  const output = plan.map((row) => row["QUERY PLAN"]).join("\n");
  assert.match(output, /asin/);
  for (const called of INLINED) assert.ok(!output.includes(called), output);
});
