// Which tests a change can break (`deno task test --changed`), the closest first, in so many seconds of work.
import { posix } from "node:path";
import type { Seconds } from "./durations.ts";

/** Always: what holds for all routes, pages and tables, and that generated files are up to date. */
const ALWAYS = ["tests/contract/", "tests/policies/", "tests/client/package.test.ts", "tests/web/bounds.test.ts"];

/** What holds for the whole schema, and fails when a part of it was not written everywhere. */
const SCHEMA_RULES = [
  "tests/db/advisors.test.ts",
  "tests/db/api_types.test.ts",
  "tests/db/effects.test.ts",
  "tests/db/interface_sql.test.ts",
  "tests/db/reference.test.ts",
  "tests/db/sql_rules.test.ts",
  "tests/deploy/applied_migrations.test.ts",
  "tests/deploy/released_migrations.test.ts",
  "tests/deploy/schema.test.ts",
];

/** Folders whose tests use what is built from them, without an import. */
const BY_FOLDER = [
  ["apps/web/", "tests/web/"],
  ["apps/site/", "tests/site/"],
  ["client/", "tests/client/"],
  ["apps/web/", "tests/browser/"],
] as const;

/** Every test depends on these: on the platform, the packages, the runner. */
const EVERYTHING = /^(local\/|imports\.json$|tests\/run\.ts$)|(^|\/)deno\.(json|lock)$/;
/** So it does on a file that a larger part of the tests imports. */
const LARGE_PART = 1 / 5;

export interface Selection {
  /** Why files were chosen, and which. */
  readonly groups: readonly { readonly reason: string; readonly files: readonly string[] }[];
  /** Files that the change may break, for which there is no time. */
  readonly leftOut: readonly string[];
  /** Changed files that every test depends on. */
  readonly everything: readonly string[];
}

/**
 * The tests for changed files. The texts are those of all programs and of the schema, by path. The seconds are for
 * those in addition to the rules that always run; files without a record count as one.
 */
export function testsFor(
  changed: readonly string[],
  texts: ReadonlyMap<string, string>,
  fast: readonly string[],
  recorded: Seconds,
  seconds: number,
): Selection {
  const tests = [...texts.keys()].filter(isTest);
  const under = (...places: readonly string[]) =>
    tests.filter((test) => places.some((place) => test.startsWith(place)));
  const shortFirst = (files: string[]) => files.toSorted((a, b) => (recorded.get(a) ?? 0) - (recorded.get(b) ?? 0));
  const importers = importersOf(texts);
  const everything = changed.filter((path) =>
    EVERYTHING.test(path) || reached([path], importers).filter(isTest).length > LARGE_PART * tests.length
  );

  const wanted: [reason: string, files: readonly string[]][] = [[
    "changed themselves",
    tests.filter((test) => changed.includes(test)),
  ]];
  if (everything.length > 0) wanted.push(["need no platform", under(...fast)]);
  wanted.push(["rules of contract and policies", under(...ALWAYS)]);
  if (changed.some((path) => /^supabase\/(schemas|migrations)\//.test(path))) {
    wanted.push(["rules of the schema", tests.filter((test) => SCHEMA_RULES.includes(test))]);
  }
  const schema = changed.filter((path) => path.startsWith("supabase/schemas/"));
  for (const [folder, files] of Map.groupBy(schema, (path) => posix.dirname(path))) {
    wanted.push([`name functions or tables of ${folder}`, testsOfDomain(folder, files, texts, importers)]);
  }
  wanted.push(["import what changed, the closest first", reached(changed, importers).filter(isTest)]);
  for (const [folder, place] of BY_FOLDER) {
    if (changed.some((path) => path.startsWith(folder))) wanted.push([`use ${folder}`, shortFirst(under(place))]);
  }

  const always = new Set(under(...ALWAYS));
  let left = seconds;
  const seen = new Set<string>(), leftOut: string[] = [];
  const groups = wanted.map(([reason, files]) => ({
    reason,
    files: files.filter((file) => {
      if (seen.has(file)) return false;
      seen.add(file);
      const takes = always.has(file) ? 0 : recorded.get(file) ?? 1;
      if (takes > left) leftOut.push(file);
      else left -= takes;
      return !leftOut.includes(file);
    }),
  }));
  return { groups: groups.filter(({ files }) => files.length > 0), leftOut, everything };
}

type Importers = ReadonlyMap<string, readonly string[]>;

const importersByTexts = new WeakMap<ReadonlyMap<string, string>, Importers>();

/**
 * Files by the file that they import; a file that was deleted has its importers too. Imports of types break nothing that runs.
 * The routes of an edge function run by its index.ts, which none of them imports.
 */
function importersOf(texts: ReadonlyMap<string, string>): Importers {
  const known = importersByTexts.get(texts);
  if (known !== undefined) return known;
  const importers = new Map<string, string[]>();
  importersByTexts.set(texts, importers);
  const add = (imported: string, by: string) => importers.set(imported, [...importers.get(imported) ?? [], by]);
  for (const [path, text] of texts) {
    const code = text.replaceAll(/^(import|export) type [^;]*;/gm, "");
    const named = [...code.matchAll(/(?:\b(?:from|import)\s*\(?\s*|new URL\(\s*)"(\.{1,2}\/[^"]+)"/g)].map(([, name]) =>
      name!
    );
    for (const name of new Set(named)) add(posix.join(posix.dirname(path), name), path);
    const [, name] = path.match(/^supabase\/functions\/(?!_shared)([^/]+)\/(?!index\.ts)/) ?? [];
    if (name !== undefined) add(`supabase/functions/${name}/index.ts`, path);
  }
  return importers;
}

/** What imports these files, the closest first. */
function reached(files: readonly string[], importers: Importers): string[] {
  const found = new Set(files);
  for (const file of found) for (const importer of importers.get(file) ?? []) found.add(importer);
  return [...found].slice(new Set(files).size);
}

/**
 * The tests that name functions, tables or types of a domain, or whose routes do. First come those with the most names of
 * the changed files, then those with the most of the others.
 */
function testsOfDomain(
  folder: string,
  changed: readonly string[],
  texts: ReadonlyMap<string, string>,
  importers: Importers,
): string[] {
  const names = new Map<string, number>();
  for (const [path, text] of texts) {
    if (!path.startsWith(`${folder}/`)) continue;
    const created = /^create (?:or replace )?(?:function|(?:unlogged )?table|view|type) (\w+\.)(\w+)/gim;
    for (const [, schema, name] of text.matchAll(created)) {
      // A name of one word means something else in most texts, unless its schema is there.
      names.set(name!.includes("_") ? name! : schema! + name, changed.includes(path) ? 1_000 : 1);
    }
  }
  const named = new Map<string, Set<string>>();
  for (const [path, text] of texts) {
    const isRoute = path.startsWith("supabase/functions/");
    if (!isRoute && !isTest(path)) continue;
    const found = words(text).intersection(names);
    if (found.size === 0) continue;
    const tests = isRoute ? (importers.get(path) ?? []).filter(isTest) : [path];
    for (const test of tests) named.set(test, found.union(named.get(test) ?? new Set()));
  }
  const weights = new Map(
    [...named].map(([test, of]) => [test, [...of].reduce((sum, name) => sum + names.get(name)!, 0)]),
  );
  return [...weights].sort(([, a], [, b]) => b - a).map(([test]) => test);
}

/** The words of a text, and those with a dot between them. */
function words(text: string): Set<string> {
  const found = new Set<string>();
  for (const [both, first, second] of text.matchAll(/\b(\w+)(?:\.(\w+))?/g)) {
    found.add(both).add(first!);
    if (second !== undefined) found.add(second);
  }
  return found;
}

function isTest(path: string): boolean {
  return path.endsWith(".test.ts");
}
