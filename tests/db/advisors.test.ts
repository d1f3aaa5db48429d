// The platform's own advisors (security and performance) on the migrated database.
import assert from "node:assert/strict";
import { CLI_ENVIRONMENT, cliCommand } from "../../tools/release/supabase_cli.ts";
import { SMALL_CALL } from "../deploy/cli.ts";
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
const INLINED = await db.sql<{ name: string; returns_rows: boolean; types: string[] }[]>`
  select p.oid::regproc::text as name, p.proretset as returns_rows,
    array(select format_type(t.type, null) from unnest(p.proargtypes) with ordinality as t (type, n) order by n) as types
  from pg_proc p where p.prosqlbody is not null and p.proconfig is null and p.pronamespace = 'private'::regnamespace order by 1`;
/** The same of bodies that are texts, in which every name has its schema: a call of each by its name. */
const INLINED_TEXTS: Readonly<Record<string, string>> = {
  "private.nearby_ranking": "private.nearby_ranking('{}', '{}', null, 500, 'standard', now(), now())",
  "private.usability": "private.usability(s.c, s.c, null, null, null, now(), now())",
};

/** What the advisors say, without the lint that only knows a database in use, and without the functions above. */
async function advice(): Promise<string[]> {
  const [program, ...start] = cliCommand();
  const { success, stdout, stderr } = await new Deno.Command(program!, {
    args: [...start, "db", "advisors", "--level=info", "--output-format=json", `--db-url=${db.url}`],
    cwd: new URL("../../", import.meta.url),
    env: { ...CLI_ENVIRONMENT, ...SMALL_CALL },
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
      ![...INLINED.map(({ name }) => name), ...Object.keys(INLINED_TEXTS)].some((called) =>
        detail.includes(`\`${called}\``)
      )
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
  assert.ok(INLINED.length > 50);
  const called: string[] = [];
  for (const { name, returns_rows, types } of INLINED) {
    const columns = types.map((type, n) => `null::${type} as c${n}`).join(", ");
    const call = `${name}(${types.map((_, n) => `s.c${n}`).join(", ")})`;
    const plan = await db.sql.unsafe(`
      explain (verbose, costs off)
      select ${returns_rows ? "f.*" : call} from (select ${columns || "1"} offset 0) s
      ${returns_rows ? `cross join lateral ${call} as f` : ""}`);
    const output = plan.map((row) => row["QUERY PLAN"]).join("\n");
    if (output.includes(name)) called.push(name);
  }
  assert.deepEqual(called, []);
  for (const [name, call] of Object.entries(INLINED_TEXTS)) {
    const [plan] = await db.sql.unsafe(`
      explain (verbose, costs off, format json)
      select f.* from (select true as c offset 0) s cross join lateral ${call} as f`);
    assert.ok(!JSON.stringify(plan).includes(name), name);
  }
});
