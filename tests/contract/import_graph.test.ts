// The imports between the files of a folder: they have no circle, and parts that know nothing of each other stay so.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Folders without a circle. Imports of types and imports on demand count as well. */
const WITHOUT_CIRCLE = ["apps/web/src", "apps/site", "client/src", "local", "tools", "supabase/functions"];

/** In a folder: files of the first part import nothing of the second one. */
const SEPARATE: readonly (readonly [folder: string, from: string, to: string])[] = [
  ["apps/web/src", "ui/", "pages/"],
  ["apps/web/src", "ui/", "console/"],
  ["apps/web/src", "pages/", "console/"],
  ["apps/web/src", "console/", "pages/"],
  ["apps/web/src", "console/kit/", "console/screens/"],
];

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** The files of a folder, each with the files of the folder that it imports. */
async function graphOf(folder: string): Promise<Graph> {
  const base = join(ROOT, folder);
  const names = await readdir(base, { recursive: true });
  const paths = names.filter((name) => /^(?!dist\/).*\.tsx?$/.test(name)).map((name) => join(base, name));
  const known = new Set(paths);
  const imports = async (path: string) => {
    const code = await Deno.readTextFile(path);
    const named = [...code.matchAll(/\b(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g)].map(([, name]) => name!);
    return named.map((name) => join(dirname(path), name)).filter((path) => known.has(path));
  };
  const short = (path: string) => relative(base, path);
  return new Map(
    await Promise.all(paths.map(async (path) => [short(path), new Set((await imports(path)).map(short))] as const)),
  );
}

/** The files of circles, and those on a way from one circle to another; empty without a circle. */
function circlesOf(graph: Graph): string[] {
  const left = new Map([...graph].map(([file, imported]) => [file, new Set(imported)]));
  for (let before = -1; before !== left.size;) {
    before = left.size;
    const imported = new Set([...left.values()].flatMap((files) => [...files]));
    for (const [file, files] of [...left]) {
      const isEnd = ![...files].some((name) => left.has(name));
      if (isEnd || !imported.has(file)) left.delete(file);
    }
  }
  return [...left.keys()].sort();
}

Deno.test("import graph: a circle is found with its files only, and a graph without one has none", () => {
  const graph = (imports: Record<string, string[]>) =>
    new Map(Object.entries(imports).map(([file, files]) => [file, new Set(files)]));
  assert.deepEqual(circlesOf(graph({ a: ["b"], b: ["c"], c: ["b", "d"], d: [] })), ["b", "c"]);
  assert.deepEqual(circlesOf(graph({ a: ["a"] })), ["a"]);
  assert.deepEqual(circlesOf(graph({ a: ["b", "c"], b: ["c"], c: [] })), []);
});

for (const folder of WITHOUT_CIRCLE) {
  Deno.test(`import graph: the files of ${folder} import each other without a circle`, async () => {
    const graph = await graphOf(folder);
    assert.ok([...graph.values()].some(({ size }) => size > 0), "imports are found");
    assert.deepEqual(circlesOf(graph), []);
  });
}

for (const [folder, from, to] of SEPARATE) {
  Deno.test(`import graph: in ${folder}, ${from} imports nothing of ${to}`, async () => {
    const graph = await graphOf(folder);
    const found = [...graph].filter(([file]) => file.startsWith(from))
      .flatMap(([file, imported]) => [...imported].filter((name) => name.startsWith(to)).map((name) => [file, name]));
    assert.ok([...graph.keys()].some((file) => file.startsWith(to)), `${folder} has files in ${to}`);
    assert.deepEqual(found, []);
  });
}

Deno.test("import graph: in apps/web/src, the pages of one area import nothing of another area", async () => {
  const areaOf = (file: string) => /^pages\/([^/]+)\//.exec(file)?.[1];
  const found = [...await graphOf("apps/web/src")].filter(([file]) => areaOf(file))
    .flatMap(([file, imported]) =>
      [...imported].filter((name) => areaOf(name) && areaOf(name) !== areaOf(file)).map((name) => [file, name])
    );
  assert.deepEqual(found, []);
});
