// The console and the operations of administrators: each is called by a screen, and no screen offers one that the
// service rejects for the areas of its administrator.
import assert from "node:assert/strict";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { files } from "../../apps/web/build.ts";
import { routes } from "../../supabase/functions/admin/routes.ts";

const CONSOLE = fileURLToPath(new URL("../../apps/web/src/console/", import.meta.url));

/** Operations that no screen calls, with the reason. */
const WITHOUT_SCREEN: Readonly<Record<string, string>> = {};

/** The operations that the code of a module calls, by their literal paths. */
function operationsOf(code: string): Set<string> {
  const found = new Set<string>();
  for (const [, method, path] of code.matchAll(/\bclient\.([A-Z]+)\(\s*"(\/v1\/[^"]+)"/g)) {
    found.add(`${method} ${path}`);
  }
  for (const [, operation] of code.matchAll(/"((?:GET|POST|PUT|PATCH|DELETE) \/v1\/[^"]+)"/g)) found.add(operation!);
  for (const [, path] of code.matchAll(/(?:\bpath=|\bpath: |\bclient\.pages\(\s*)"(\/v1\/[^"]+)"/g)) {
    found.add(`GET ${path}`);
  }
  return found;
}

const modules = new Map(
  await Promise.all(
    (await files(CONSOLE)).filter((path) => /\.tsx?$/.test(path)).map(async (path) =>
      [path, await Deno.readTextFile(path)] as const
    ),
  ),
);

const contract: { paths: Record<string, Record<string, unknown>> } = JSON.parse(
  await Deno.readTextFile(new URL("../../contract/openapi.json", import.meta.url)),
);
const OPERATIONS = Object.entries(contract.paths).filter(([path]) => path.startsWith("/v1/admin/")).flatMap(
  ([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
);

Deno.test("console: every operation of administrators is called by a screen, or has a reason", () => {
  const called = new Set([...modules.values()].flatMap((code) => [...operationsOf(code)]));
  const missing = OPERATIONS.filter((operation) => !called.has(operation) && !(operation in WITHOUT_SCREEN));
  assert.deepEqual(missing, []);
  assert.ok(Object.keys(WITHOUT_SCREEN).length < 6);
  assert.deepEqual(Object.keys(WITHOUT_SCREEN).filter((operation) => called.has(operation)), [], "no longer true");
  const unknown = [...called].filter((operation) =>
    operation.includes(" /v1/admin/") && !OPERATIONS.includes(operation)
  );
  assert.deepEqual(unknown, [], "the contract has no such operation");
});

/** The modules that a module imports, with itself. */
function closureOf(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path) || !modules.has(path)) return found;
  found.add(path);
  for (const [, imported] of modules.get(path)!.matchAll(/from "(\.[^"]+)"/g)) {
    closureOf(join(dirname(path), imported!), found);
  }
  return found;
}

const AREA_OF = new Map(routes.map(({ method, path, area }) => [`${method} /v1${path}`, area ?? null]));

/** Modules whose operations of other areas are shown only to those who have the area: `may("…")` is in the code. */
const GUARDED: Readonly<Record<string, readonly string[]>> = {
  "kit/names.ts": ["GET /v1/admin/users/{id}", "GET /v1/admin/admins"],
  "screens/overview/questions.ts": [
    "GET /v1/admin/error-reports",
    "GET /v1/admin/field-values",
    "GET /v1/admin/support-tickets",
    "GET /v1/admin/reviews",
    "GET /v1/admin/user-notifications",
    "GET /v1/admin/articles",
    "GET /v1/admin/store-sync/runs",
    "GET /v1/admin/admins",
  ],
  "screens/parking_lots/days/days_editor.tsx": ["GET /v1/admin/holidays"],
  "screens/dead_messages.tsx": ["POST /v1/admin/dead-messages/{id}/requeue", "DELETE /v1/admin/dead-messages/{id}"],
  "screens/users/user_detail.tsx": ["GET /v1/admin/themes", "POST /v1/admin/themes/{id}/gift"],
};

/** Each screen: its areas, and the operations of its modules. */
const screens = [
  ...modules.get(join(CONSOLE, "screens.ts"))!.matchAll(
    /\{ path: "([^"]+)"(?:, areas: \[([^\]]*)\])?, component: (\w+) \}/g,
  ),
].map(([, path, areas, component]) => {
  const imported = modules.get(join(CONSOLE, "screens.ts"))!.match(
    new RegExp(`\\{ ${component} \\} from "\\./([^"]+)"`),
  )![1]!;
  const closure = [...closureOf(join(CONSOLE, imported))];
  const operations = closure.flatMap((module) => [...operationsOf(modules.get(module)!)]);
  return {
    path: path!,
    areas: [...areas?.matchAll(/[a-z_]+/g) ?? []].map(([area]) => area as string),
    guarded: closure.flatMap((module) => GUARDED[relative(CONSOLE, module)] ?? []),
    operations: new Set(operations.filter((operation) => AREA_OF.has(operation))),
  };
});

const AREAS = [...new Set([...AREA_OF.values()].filter((area) => area !== null))].toSorted();
/** Administrators without an area, with each one, with all, and with those of a team. */
const KINDS: readonly (readonly string[])[] = [[], ...AREAS.map((area) => [area]), AREAS, ["lots", "reviews"], [
  "users",
  "support",
]];

Deno.test("console: no kind of administrator sees a screen with an operation that the service rejects for its areas", () => {
  assert.equal(AREAS.length, 10);
  assert.equal(KINDS.length, 14);
  assert.ok(screens.length > 15 && screens.every(({ operations }) => operations.size > 0));
  const rejected = KINDS.flatMap((kind) =>
    screens.filter(({ areas }) => areas.length === 0 || areas.some((area) => kind.includes(area))).flatMap(
      ({ path, areas, guarded, operations }) =>
        [...operations].filter((operation) => {
          const area = AREA_OF.get(operation)!;
          if (area === null || kind.includes(area) || guarded.includes(operation)) return false;
          // A screen of several areas shows each list to those who have its area.
          return !(areas.length > 1 && areas.includes(area));
        }).map((operation) => `${path} for [${kind}]: ${operation}`),
    )
  );
  assert.deepEqual(rejected, []);
});

Deno.test("console: what a module guards needs the area that the service requires", () => {
  for (const [module, operations] of Object.entries(GUARDED)) {
    const code = modules.get(join(CONSOLE, module))!;
    for (const operation of operations) assert.ok(code.includes(`may("${AREA_OF.get(operation)}")`), operation);
  }
});

Deno.test("console: each list of reference data has the area of its operations", () => {
  const code = modules.get(join(CONSOLE, "screens", "reference", "resources.tsx"))!;
  const lists = code.split(/\n {2}list\(\{/).slice(1);
  assert.equal(lists.length, 11);
  for (const list of lists) {
    const area = /area: "(\w+)"/.exec(list)![1];
    for (const operation of operationsOf(list)) assert.equal(AREA_OF.get(operation), area, operation);
  }
});
