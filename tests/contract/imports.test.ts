// The modules of the functions import in one direction: none imports itself through others, not even when it is first used.
import assert from "node:assert/strict";

const ROOT = new URL("../../supabase/functions/", import.meta.url);

function modulesUnder(folder: URL): URL[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory ? modulesUnder(new URL(`${name}/`, folder)) : name.endsWith(".ts") ? [new URL(name, folder)] : []
  );
}

/** The modules that a module imports, at its start or by a call; imports of types are none when it runs. */
function importsOf(module: URL): string[] {
  const text = Deno.readTextFileSync(module);
  const found = text.matchAll(/^(?:import|export) (?!type )[^;]*?from "(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm);
  return [...found].map(([_, first, called]) => new URL((first ?? called)!, module).href);
}

/** The first circle that a search from each module finds. */
function circleOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const path: string[] = [];
  function visit(module: string): string[] {
    if (path.includes(module)) return [...path.slice(path.indexOf(module)), module];
    if (done.has(module)) return [];
    path.push(module);
    for (const next of graph.get(module) ?? []) {
      const circle = visit(next);
      if (circle.length > 0) return circle;
    }
    path.pop();
    done.add(module);
    return [];
  }
  for (const module of graph.keys()) {
    const circle = visit(module);
    if (circle.length > 0) return circle;
  }
  return [];
}

Deno.test("functions: no module imports itself through others", () => {
  const graph = new Map(modulesUnder(ROOT).map((module) => [module.href, importsOf(module)]));
  assert.ok(graph.size > 200, String(graph.size));
  assert.deepEqual(circleOf(graph).map((module) => module.slice(ROOT.href.length)), []);
});

Deno.test("functions: a circle is found", () => {
  assert.deepEqual(circleOf(new Map([["a", ["b", "c"]], ["b", []], ["c", ["d"]], ["d", ["b", "a"]]])), [
    "a",
    "c",
    "d",
    "a",
  ]);
});
