// docs/operations/limits.md has every limit of the platform and every function. No test measures: `task bench limits` does.
import assert from "node:assert/strict";
import { LIMIT_TEXTS } from "../bench/platform_limits.ts";

const page = await Deno.readTextFile(new URL("../../docs/operations/limits.md", import.meta.url));
const bench = await Deno.readTextFile(new URL("../bench/limits_cases.ts", import.meta.url));

const functions = (await Array.fromAsync(Deno.readDir(new URL("../../supabase/functions", import.meta.url))))
  .filter(({ name, isDirectory }) => isDirectory && !name.startsWith("_")).map(({ name }) => name).sort();

/** The first cells of the rows of the table below a heading. */
function rowsBelow(heading: string): string[] {
  const [, section] = page.split(`\n## ${heading}\n`);
  assert.ok(section !== undefined, `limits.md has no heading "${heading}"`);
  const rows = section.split("\n## ")[0]!.split("\n").filter((line) => line.startsWith("| "));
  return rows.slice(2).map((row) => row.split("|")[1]!.trim());
}

Deno.test("limits page: the first table has every limit of the platform", () => {
  assert.deepEqual(rowsBelow("Limits of the platform"), Object.values(LIMIT_TEXTS));
});

Deno.test("limits page: the table of figures has every function, as the bench prints it", () => {
  assert.deepEqual(rowsBelow("Figures of each function"), functions);
});

Deno.test("limits bench: every function has its requests", () => {
  const returned = bench.split("\n  return {\n")[1]!.split("\n  };\n")[0]!;
  const named = [...returned.matchAll(/^ {4}"?([a-z-]+)"?: \{/gm)].map(([, name]) => name!);
  assert.deepEqual(named.toSorted(), functions);
});
