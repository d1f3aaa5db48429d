// How much a page of a list reads: page 100 as much as page 1, with and without a filter, when Postgres keeps generic plans.
import assert from "node:assert/strict";
import postgres from "postgres";
import { asSuperuser, database } from "../support/database.ts";
import { DEEP, type DeepList, fillLists, people, WHOLE } from "./support/deep_lists.ts";

const db = await database();
const plans: string[] = [];
/** Only a superuser loads auto_explain. */
const superuser = postgres(asSuperuser(db.url), { max: 1, onnotice: ({ message }) => void plans.push(message ?? "") });
Deno.test.afterAll(async () => {
  await superuser.end();
  await db.close();
});
await fillLists(superuser);
await superuser`load 'auto_explain'`;
await superuser.unsafe(`
  set auto_explain.log_nested_statements = on; set auto_explain.log_analyze = on; set auto_explain.log_timing = off;
  set auto_explain.log_format = json; set auto_explain.log_level = notice; set auto_explain.log_min_duration = -1;
  set plan_cache_mode = force_generic_plan`);

const LIMIT = 20;
/** A page and the row after it, with their related rows; a list has ten times as many rows, and a hundred pages before. */
const MOST_ROWS = 300;

interface Page {
  readonly items: unknown[];
  readonly next_cursor: string | null;
}

interface Plan {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Join Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly Plans?: readonly Plan[];
}

const ask = async (name: string, list: DeepList, given: Record<string, unknown>): Promise<Page> => {
  const role = { user: "authenticated", admin: "service_role", anon: "anon" }[list.as];
  const values: Record<string, unknown> = {
    ...(list.as === "admin" ? { p_admin_id: people.admin } : {}),
    ...list.given,
    ...given,
  };
  const page = await superuser.begin(async (sql) => {
    await sql`
      select set_config('role', ${role}, true),
        set_config('request.jwt.claims', ${
      JSON.stringify({ role, sub: list.as === "user" ? people.user : undefined })
    }, true)`;
    const names = Object.keys(values);
    const [row] = await sql.unsafe<{ page: Page & { messages?: unknown[] } }[]>(
      `select api.${name}(${names.map((key, n) => `${key} => $${n + 1}`).join(", ")}) as page`,
      names.map((key) => values[key]) as never[],
    );
    return row!.page;
  });
  return { items: page.items ?? page.messages!, next_cursor: page.next_cursor };
};

function nodes(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodes)];
}

/** What the statements of one call read that read most, and the page. */
async function read(name: string, list: DeepList, given: Record<string, unknown>) {
  await superuser`set auto_explain.log_min_duration = 0`;
  plans.length = 0;
  const page = await ask(name, list, { ...given, p_limit: LIMIT });
  const logged = [...plans];
  await superuser`set auto_explain.log_min_duration = -1`;
  const read = logged.map((message) => /^duration: .*plan:\s*(\{.*\})\s*$/s.exec(message)?.[1]).filter((json) =>
    json !== undefined
  )
    .map((json) => JSON.parse(json) as { "Query Text": string; Plan: Plan })
    .filter((statement) => !list.beside?.test(statement["Query Text"])).flatMap(({ Plan }) => nodes(Plan)).map((
      node,
    ) => ({
      rows: node["Actual Loops"] * (
        node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Join Filter"] ?? 0) +
        (node["Rows Removed by Index Recheck"] ?? 0)
      ),
      node: [node["Node Type"], node["Relation Name"], node["Index Name"]].filter(Boolean).join(" "),
    }));
  assert.ok(read.length > 1, `${name}: ${logged.length} messages, and no plan among them`);
  return { page, most: read.reduce((most, next) => next.rows > most.rows ? next : most) };
}

/** The cursor of the hundred and first page; pages as large as they may be have the same cursors. */
async function deep(name: string, list: DeepList, given: Record<string, unknown>): Promise<string> {
  let cursor: string | null = null;
  for (let pages = 0; pages < 20; pages++) {
    cursor = (await ask(name, list, { ...given, p_limit: 100, p_cursor: cursor })).next_cursor;
    assert.ok(cursor, `${name} ${JSON.stringify(given)} has fewer than ${100 * (pages + 1)} rows`);
  }
  return cursor!;
}

Deno.test("deep pages: every list of the interface has a case here, or a reason to be read whole", async () => {
  const lists = await db.sql<{ name: string }[]>`
    select distinct p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('api', 'commands') and ('p_cursor' = any (p.proargnames) or p.prosrc like '%next_cursor%') order by 1`;
  assert.deepEqual(lists.map(({ name }) => name), [...Object.keys(DEEP), ...Object.keys(WHOLE)].sort());
});

for (const [name, list] of Object.entries(DEEP)) {
  Deno.test(`deep pages: ${name}: page 100 reads no more than page 1, and a filter no more than the list`, async () => {
    const findings: string[] = [];
    const look = async (what: string, given: Record<string, unknown>) => {
      const { page, most } = await read(name, list, given);
      assert.equal(page.items.length, LIMIT, `${name} ${what}`);
      if (most.rows > MOST_ROWS) findings.push(`${what}: ${most.node} reads ${most.rows} rows`);
      return page.next_cursor!;
    };
    for (const given of [{}, ...(list.common ?? [])]) {
      await look(JSON.stringify(given), given);
      await look(`${JSON.stringify(given)}, page 101`, { ...given, p_cursor: await deep(name, list, given) });
    }
    for (const given of list.rare ?? []) {
      const next = await look(JSON.stringify(given), given);
      await look(`${JSON.stringify(given)}, page 2`, { ...given, p_cursor: next });
    }
    assert.deepEqual(findings, []);
  });
}
