// Three places say which codes a function of the database raises: its comment, its body, and the route that calls
// it. They agree.
import assert from "node:assert/strict";
import postgres from "postgres";
import { isCode } from "../../supabase/functions/_shared/errors.ts";
import {
  errorCodesOf,
  instanceOf,
  isConditional,
  limitOf,
  type Route,
} from "../../supabase/functions/_shared/http/route.ts";

interface SqlFunction {
  readonly name: string;
  readonly comment: string;
  readonly body: string;
  /** Whether it may write. */
  readonly isVolatile: boolean;
  /** Whether the planner may call it once and keep the result. */
  readonly isImmutable: boolean;
  /** Without the prefix `p_`; those that may be left out are the last. */
  readonly argNames: readonly string[];
  readonly optionalArgs: number;
}

const address = Deno.env.get("DB_URL");
if (!address) throw new Error("No database: run the tests with `deno task test`, or set DB_URL");
const sql = postgres(address, { max: 1, onnotice: () => {} });
const functions = await sql<SqlFunction[]>`
  select n.nspname || '.' || p.proname as name, coalesce(obj_description(p.oid, 'pg_proc'), '') as comment, coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) as body,
    p.provolatile = 'v' as "isVolatile", p.provolatile = 'i' as "isImmutable",
    p.pronargdefaults as "optionalArgs",
    array(select regexp_replace(arg, '^p_', '') from unnest(p.proargnames[1:p.pronargs]) as arg) as "argNames"
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname in ('api', 'commands', 'private')
  order by name`;
const policies = await sql<{ name: string }[]>`select name from private.rate_limit_policies`;
const commandPolicies = await sql<{ command: string; policy: string }[]>`
  select command, name as policy from private.rate_limit_policies, unnest(commands) as command`;
await sql.end();

const byName = new Map(functions.map((each) => [each.name, each]));
const ofInterface = functions.filter(({ name }) => !name.startsWith("private."));

/** A function of the interface by the name that routes call it by. */
const qualified = (name: string) => byName.has(`commands.${name}`) ? `commands.${name}` : `api.${name}`;

const routes = await Promise.all(
  [...Deno.readDirSync(new URL("../../supabase/functions/", import.meta.url))]
    .filter(({ isDirectory, name }) => isDirectory && !name.startsWith("_"))
    .map(async ({ name }) => (await import(`../../supabase/functions/${name}/routes.ts`)).routes as Route[]),
).then((groups) => groups.flat());

/** The codes after "Errors:" in a comment; none when the function "raises no errors". */
function named(comment: string): string[] {
  const list = /Errors: ([a-z_]+(?:, [a-z_]+)*)\./.exec(comment)?.[1];
  if (list === undefined) assert.match(comment, /raises no errors/, `no "Errors: ..." in: ${comment}`);
  return (list?.split(", ") ?? []).sort();
}

/** The codes that a body raises, or returns as the reply to a client, itself or through the functions that it calls. */
function raised(name: string, seen = new Set<string>()): string[] {
  if (seen.has(name)) return [];
  seen.add(name);
  const body = byName.get(name)?.body ?? assert.fail(`${name} is called but does not exist`);
  const code = body.replaceAll(/--.*$/gm, "");
  const own = [...code.matchAll(/(?:private\.raise_error\(\s*|'code', (?='rate_limited'))'([a-z_]+)'/g)].map((match) =>
    match[1]!
  );
  const calls = [...code.matchAll(/\b((?:api|commands|private)\.[a-z0-9_]+)\(/g)].map((match) => match[1]!);
  const through = calls.filter((call) => call !== "private.raise_error").flatMap((call) => raised(call, seen));
  return [...new Set([...own, ...through])].sort();
}

/** The functions of the interface that a route calls. */
const called = (route: Route) => route.calls.map(qualified);

/** The functions that the router calls itself. */
async function calledByRouter(): Promise<string[]> {
  const folder = new URL("../../supabase/functions/_shared/http/", import.meta.url);
  const files = [...Deno.readDirSync(folder)].map(({ name }) => Deno.readTextFile(new URL(name, folder)));
  return (await Promise.all(files)).flatMap((text) =>
    [...text.matchAll(/\.(?:rpc|#call)(?:<.*>)?\(\s*(?:db, )?"([a-z_]+)"/g)].map((match) => qualified(match[1]!))
  );
}

Deno.test("api functions: a comment names exactly the codes that the function raises", () => {
  assert.ok(ofInterface.length > 0);
  for (const { name, comment } of ofInterface) assert.deepEqual(named(comment), raised(name), name);
});

Deno.test("api functions: every code that the database raises is in the table of codes", () => {
  for (const { name } of functions) assert.deepEqual(raised(name).filter((code) => !isCode(code)), [], name);
});

Deno.test("api functions: a route declares every code that the functions it calls raise", () => {
  assert.ok(routes.some((route) => called(route).length > 0), "no route calls the database");
  // Consumers of queues record the failure of a message instead of replying it.
  const isConsumer = ({ access, isOneCall }: Route) => access === "service" && !isOneCall;
  for (const route of routes.filter((route) => !isConsumer(route))) {
    const declared: string[] = errorCodesOf(route);
    for (const name of called(route)) {
      const { comment } = byName.get(name) ?? assert.fail(`${route.path} calls ${name}, which does not exist`);
      assert.deepEqual(named(comment).filter((code) => !declared.includes(code)), [], `${route.method} ${route.path}`);
    }
  }
});

Deno.test("api functions: a route without a handler declares no code that its function never raises", () => {
  for (const route of routes.filter(({ isOneCall }) => isOneCall)) {
    const possible = named(byName.get(called(route)[0]!)?.comment ?? "");
    assert.deepEqual(route.errors.filter((code) => !possible.includes(code)), [], `${route.method} ${route.path}`);
  }
});

Deno.test("api functions: a route without a handler passes every required argument of its function, and no unknown one", () => {
  let seen = 0;
  for (const route of routes.filter(({ isOneCall, hasOwnArgs }) => isOneCall && !hasOwnArgs)) {
    const name = called(route)[0]!;
    const { argNames, optionalArgs } = byName.get(name)!;
    const fields = [route.params, route.query, route.body].flatMap((fields) => Object.keys(fields?.shape ?? {}));
    const given = [
      ...fields,
      ...isConditional(route) ? ["if_match"] : [],
      ...route.access === "admin" ? ["admin_id"] : [],
    ];
    assert.deepEqual(given.filter((field) => !argNames.includes(field)), [], `${route.method} ${route.path}: ${name}`);
    const needed = argNames.slice(0, argNames.length - optionalArgs);
    assert.deepEqual(needed.filter((arg) => !given.includes(arg)), [], `${route.method} ${route.path}: ${name}`);
    seen++;
  }
  assert.ok(seen > 100, `${seen} routes`);
});

Deno.test("api functions: every limit that a route names is a policy of the database", () => {
  const named = new Set(
    routes.flatMap((route) => [limitOf(route), route.guestLimit, route.refusedLimit]).filter((policy) =>
      policy !== undefined
    ),
  );
  assert.ok(named.has("write"));
  assert.deepEqual([...named].filter((policy) => !policies.some(({ name }) => name === policy)), []);
});

Deno.test("api functions: a route names the policy that its command is counted under", () => {
  for (const route of routes) {
    for (const name of called(route).filter((name) => name.startsWith("commands."))) {
      const policy = commandPolicies.find(({ command }) => `commands.${command}` === name)?.policy ?? "write";
      assert.equal(limitOf(route), policy, `${route.method} ${route.path}`);
    }
  }
});

/** GETs that the primary answers: each view is recorded or counted; it must be the primary itself. */
const OF_PRIMARY = ["/admin/user-search-presets", "/health/metrics", "/health/ready", "/parking-lots/export"];

Deno.test("api functions: a route that a replica may serve calls read-only functions; so does every GET except the listed ones", () => {
  for (const route of routes.filter((route) => instanceOf(route) === "any")) {
    assert.deepEqual(called(route).filter((name) => byName.get(name)!.isVolatile), [], `${route.method} ${route.path}`);
  }
  const ofPrimary = routes.filter((route) => route.method === "GET" && instanceOf(route) === "primary");
  assert.deepEqual(ofPrimary.map(({ path }) => path).sort(), OF_PRIMARY);
  const reading = routes.filter((route) => called(route).length > 0 && limitOf(route) === undefined);
  const isRead = (route: Route) => called(route).every((name) => !byName.get(name)!.isVolatile);
  const anywhere = reading.filter((route) => isRead(route) && !OF_PRIMARY.includes(route.path));
  assert.deepEqual(anywhere.filter((route) => instanceOf(route) !== "any").map(({ path }) => path), []);
});

/** By which the router runs commands. */
const ENTRY_POINTS = ["api.run_command", "api.run_admin_command"];

/** What the back office calls by name with the service key, as the specification lists it; no route does. */
const BY_NAME = [
  "api.backfill_all_badge_progress",
  "api.backfill_badge_progress",
  "api.evaluate_badge_conditions",
  "api.gift_theme_to_user",
  "api.parking_lot_engagement_stats",
  "api.recalculate_all_user_levels",
  "api.vault_insert_secret",
  "api.vault_read_secret",
];

Deno.test("api functions: every function of the interface is called by a route, by the router, or by name by the back office", async () => {
  const used = new Set([...routes.flatMap(called), ...await calledByRouter(), ...ENTRY_POINTS, ...BY_NAME]);
  assert.deepEqual(ofInterface.map(({ name }) => name).filter((name) => !used.has(name)), []);
});

Deno.test("sql: a condition on each row compares with a list that is computed once", () => {
  const inRows = functions.flatMap(({ name, body }) =>
    [...body.matchAll(/\b(?:any|all) ?\(((?:api|commands|private)\.[a-z0-9_]+)\(/gi)]
      .filter(([, list]) => !functions.some(({ name, isImmutable }) => name === list && isImmutable))
      .map(([, list]) => `${name} compares with ${list}`)
  );
  assert.deepEqual(inRows, [], "any (array(select unnest(f(…)))) computes it once");
});
