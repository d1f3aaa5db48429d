// The pages name what is there: functions and tables, migrations, endpoints, files, jobs, and headings that links lead to.
import assert from "node:assert/strict";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { schemaFiles } from "../../tools/release/schema.ts";
import { anchorsOf } from "../support/anchors.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string) => Deno.readTextFileSync(join(root, path));

function pagesUnder(folder: string): string[] {
  return [...Deno.readDirSync(join(root, folder))].flatMap(({ name, isDirectory }) =>
    isDirectory ? pagesUnder(`${folder}/${name}`) : name.endsWith(".md") ? [`${folder}/${name}`] : []
  );
}

const pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...pagesUnder("docs")];
/** Its examples are migrations that are not there. */
const EXAMPLES = "docs/operations/schema_changes.md";
/** Written by a developer who runs the functions. */
const OWN_SETTINGS = "supabase/functions/.env";
const files = schemaFiles();
const schema = files.map(({ text }) => text).join("\n");

Deno.test("pages: every function, table, type and file of SQL that a page names exists", () => {
  const created = schema.matchAll(
    /^\s*create (?:or replace )?(?:unlogged )?(?:function|table|view|type) ([a-z]+\.\w+)/gm,
  );
  const known = new Set([...created].map((match) => match[1]!));
  assert.ok(known.has("private.compute_fee") && known.has("private.retentions"));
  for (const page of pages.filter((path) => path !== EXAMPLES)) {
    const text = read(page);
    const names = [...text.matchAll(/(?<![\w./])(?:private|api|commands)\.[a-z]\w+(?![\w.-]*\.\w)/g)].map(([name]) =>
      name
    );
    assert.deepEqual(
      names.filter((name) =>
        !known.has(name) && !name.endsWith(".sql") && !name.endsWith("_") && !/^private\.\w+_20\d\d_\d\d$/.test(name)
      ),
      [],
      page,
    );
    const named = [
      ...text.matchAll(/(?<![\w./])(?:supabase\/schemas\/)?(?!supabase\/|local\/|tests\/)([a-z_]+\/[a-z_]+\.sql)\b/g),
    ].map(([, path]) => path);
    assert.deepEqual(named.filter((path) => !files.some((file) => file.path === path)), [], page);
  }
});

Deno.test("pages: every endpoint that a page names is in the contract", () => {
  const { paths } = JSON.parse(read("contract/openapi.json")) as { paths: Record<string, Record<string, unknown>> };
  const shape = (path: string) => path.replaceAll(/\{[^}]*\}/g, "{}");
  const known = new Set(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${shape(path)}`)
    ),
  );
  for (const page of pages) {
    const named = [...read(page).matchAll(/\b(GET|POST|PUT|PATCH|DELETE)\s+(\/v1\/[\w/{}.-]*[\w}])/g)]
      .map(([, method, path]) => `${method} ${shape(path!)}`);
    assert.deepEqual(named.filter((endpoint) => !known.has(endpoint)), [], page);
  }
});

Deno.test("pages: every file and folder that a page names exists", () => {
  const folders = "_shared|apps|client|docs|local|supabase|tests|tools";
  const missing = pages.flatMap((page) =>
    [...read(page).matchAll(new RegExp(`\`((?:${folders})/[\\w./-]*)\``, "g"))].map(([, path]) => path!)
      .filter((path) =>
        path !== OWN_SETTINGS && !path.endsWith("/dist") &&
        !exists(path.replace(/^_shared/, "supabase/functions/_shared"))
      )
      .map((path) => `${page}: ${path}`)
  );
  assert.deepEqual(missing, []);
});

function exists(path: string): boolean {
  try {
    return Deno.statSync(join(root, path)) !== null;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

Deno.test("docs/operations/monitoring.md: the table of jobs has every job with its schedule", () => {
  const scheduled = [...schema.matchAll(/cron\.schedule\('(\w+)',\s*'([^']+)'/g)].map(([, job, at]) => `${job}: ${at}`);
  const table = read("docs/operations/monitoring.md").split("\n## Jobs\n")[1]!.split("\n## ")[0]!;
  const listed = [...table.matchAll(/^\| `(\w+)` +\| `([^`]+)`/gm)].map(([, job, at]) => `${job}: ${at}`);
  assert.deepEqual(listed.sort(), scheduled.sort());
});

Deno.test("docs/contributing/architecture.md: the table of folders has every folder of the repository", () => {
  const table = read("docs/contributing/architecture.md").split("\n## Folders\n")[1]!.split("\n## ")[0]!;
  const rows = [...table.matchAll(/^\| (`[^|]+`) +\|/gm)].map(([, cell]) => cell!);
  const listed = rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, path]) => path!));
  const ignored = new Set(read(".gitignore").split("\n").map((line) => line.replace(/\/$/, "")));
  const folders = [...Deno.readDirSync(root)].filter(({ name, isDirectory }) =>
    isDirectory && !name.startsWith(".") && !ignored.has(name)
  );
  assert.deepEqual(
    [...new Set(listed.map((path) => path.split("/")[0]!))].sort(),
    folders.map(({ name }) => name).sort(),
  );
  assert.deepEqual(listed.filter((path) => !path.includes("<") && !exists(path)), []);
});

Deno.test("pages: every link to a heading leads to one", () => {
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)].filter(([, path, anchor]) => {
      const target = path === "" ? page : normalize(join(dirname(page), path!));
      return target.endsWith(".md") && !anchorsOf(read(target)).has(anchor!);
    }).map(([link]) => `${page}: ${link}`)
  );
  assert.deepEqual(broken, []);
});

Deno.test("docs/README.md: the index links to every page", () => {
  const index = read("docs/README.md");
  const missing = pagesUnder("docs").filter((page) => page !== "docs/README.md")
    .filter((page) => !index.includes(`](${page.slice("docs/".length)})`));
  assert.deepEqual(missing, []);
});
