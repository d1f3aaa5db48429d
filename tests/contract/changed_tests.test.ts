// What `task test --changed` chooses, for planted changes: of a small repository, and of this one.
import assert from "node:assert/strict";
import { join } from "node:path";
import { ROOT } from "../../local/settings.ts";
import { FAULTS } from "../planted/faults.ts";
import { testsFor } from "../support/changed.ts";
import { readDurations } from "../support/durations.ts";

const SMALL = new Map(Object.entries({
  "supabase/schemas/community/ratings.sql":
    "create function commands.rate_lot(p_lot uuid)\ncreate table public.tags (id uuid",
  "supabase/schemas/community/saved.sql":
    "create function commands.save_lot(p_lot uuid)\ncreate function private.of_lot()",
  "supabase/functions/lots/index.ts": `import { app } from "../_shared/app.ts"; import { routes } from "./routes.ts";`,
  "supabase/functions/lots/routes.ts": `import { putRating } from "./rating.ts";`,
  "supabase/functions/lots/rating.ts": `calls: "rate_lot"`,
  "supabase/functions/_shared/app.ts": "",
  "apps/web/page.tsx": "",
  "tests/support/rows.ts": "",
  "tests/api/ratings.test.ts": `import { putRating } from "../../supabase/functions/lots/rating.ts";`,
  "tests/browser/page.test.ts": "",
  "tests/contract/types.test.ts": `import type { A } from "../support/rows.ts";`,
  "tests/db/lists.test.ts": `import { rows } from "../support/rows.ts"; // of tags`,
  "tests/db/saved.test.ts":
    `import { a, type B } from "../support/gone.ts"; await sql\`select commands.save_lot(), private.of_lot()\``,
  "tests/db/tags.test.ts": "select from public.tags",
  "tests/deploy/schema.test.ts": "",
  "tests/policies/matrix.test.ts": "",
  "tests/web/page.test.ts": `const module = await import("../../apps/web/page.tsx");`,
}));

/** The chosen files and the reasons without those that are always chosen. */
function chosen(changed: string[], seconds = 1_000, recorded = new Map<string, number>()) {
  const { groups, leftOut, everything } = testsFor(changed, SMALL, ["tests/web"], recorded, seconds);
  const files = Object.fromEntries(groups.map(({ reason, files }) => [reason, files]));
  assert.deepEqual(files["rules of contract and policies"], [
    "tests/contract/types.test.ts",
    "tests/policies/matrix.test.ts",
  ]);
  delete files["rules of contract and policies"];
  return { files, leftOut, everything };
}

Deno.test("task test --changed: what imports a changed file over others runs, the closest first; imports of types do not count", () => {
  const imports = "import what changed, the closest first";
  assert.deepEqual(chosen(["supabase/functions/lots/rating.ts"]).files, { [imports]: ["tests/api/ratings.test.ts"] });
  assert.deepEqual(chosen(["supabase/functions/_shared/app.ts"]).files, { [imports]: ["tests/api/ratings.test.ts"] });
  assert.deepEqual(chosen(["tests/support/rows.ts"]).files, { [imports]: ["tests/db/lists.test.ts"] });
  assert.deepEqual(chosen(["tests/support/gone.ts"]).files, { [imports]: ["tests/db/saved.test.ts"] });
  assert.deepEqual(chosen(["tests/db/tags.test.ts"]).files, { "changed themselves": ["tests/db/tags.test.ts"] });
  assert.deepEqual(chosen(["docs/page.md"]).files, {});
});

Deno.test("task test --changed: a change of the schema runs the tests that name what its folder creates, also by a route", () => {
  const { files } = chosen(["supabase/schemas/community/ratings.sql"]);
  assert.deepEqual(files, {
    "rules of the schema": ["tests/deploy/schema.test.ts"],
    "name functions or tables of supabase/schemas/community": [
      "tests/api/ratings.test.ts",
      "tests/db/tags.test.ts",
      "tests/db/saved.test.ts",
    ],
  });
  assert.deepEqual(chosen(["supabase/migrations/1_new.sql"]).files, {
    "rules of the schema": ["tests/deploy/schema.test.ts"],
  });
});

Deno.test("task test --changed: a page of the explorer runs its tests by folder, with those in a browser", () => {
  assert.deepEqual(chosen(["apps/web/style.css"]).files, { "use apps/web/": ["tests/browser/page.test.ts"] });
});

Deno.test("task test --changed: files that every test depends on are named, and run what needs no platform", () => {
  for (const path of ["imports.json", "local/platform.ts", "tests/api/deno.lock", "tests/run.ts"]) {
    const { files, everything } = chosen([path, "docs/page.md"]);
    assert.deepEqual([everything, files], [[path], { "need no platform": ["tests/web/page.test.ts"] }]);
  }
  // More than a fifth of the tests import it.
  const more = ["tests/db/a.test.ts", "tests/db/b.test.ts"].map((path) =>
    [path, SMALL.get("tests/db/lists.test.ts")!] as const
  );
  const texts = new Map([...SMALL, ...more]);
  const { everything } = testsFor(["tests/support/rows.ts"], texts, [], new Map(), 10);
  assert.deepEqual(everything, ["tests/support/rows.ts"]);
});

Deno.test("task test --changed: a file for which there is no time is named, and the next one runs; the rules always run", () => {
  const recorded = new Map([["tests/api/ratings.test.ts", 50], ["tests/policies/matrix.test.ts", 50]]);
  const { files, leftOut } = chosen(["supabase/schemas/community/ratings.sql"], 20, recorded);
  assert.deepEqual(leftOut, ["tests/api/ratings.test.ts"]);
  assert.ok(files["name functions or tables of supabase/schemas/community"]!.includes("tests/db/tags.test.ts"));
});

/** The first tests after those that are always chosen. */
function first(texts: ReadonlyMap<string, string>, path: string, count: number): readonly string[] {
  assert.ok(texts.has(path), path);
  return testsFor([path], texts, [], new Map(), 10_000).groups.at(-1)!.files.slice(0, count);
}

/** The programs and the schema of this repository. */
async function repository(): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await new Deno.Command("git", {
    args: ["ls-files", "*.ts", "*.tsx", "supabase/schemas/**.sql"],
    cwd: ROOT,
  }).output();
  const paths = new TextDecoder().decode(stdout).trim().split("\n");
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await Deno.readTextFile(join(ROOT, path))] as const)),
  );
}

Deno.test("task test --changed: of this repository, the tests of a function, a route, a page and a helper come first", async () => {
  const texts = await repository();
  assert.ok(first(texts, "supabase/schemas/community/ratings.sql", 4).includes("tests/db/ratings.test.ts"));
  assert.ok(first(texts, "supabase/schemas/hours/holidays.sql", 4).includes("tests/db/public_holidays.test.ts"));
  assert.deepEqual(first(texts, "supabase/functions/parking-lots/rating.ts", 1), ["tests/api/ratings.test.ts"]);
  assert.deepEqual(first(texts, "tests/support/random_hours.ts", 9), [
    "tests/api/detail_stay.test.ts",
    "tests/db/hours_random.test.ts",
  ]);
});

Deno.test("task test --changed: for each planted fault a test that finds it is chosen, or task test is named", async () => {
  const texts = await repository();
  const recorded = await readDurations();
  const tooLong: string[] = [];
  const edits = FAULTS.filter((fault) => "file" in fault);
  for (const [file, faults] of Map.groupBy(edits, ({ file }) => file)) {
    const { groups, leftOut, everything } = testsFor([file], texts, [], recorded, 200);
    if (everything.length > 0) continue;
    const chosen = groups.flatMap(({ files }) => files);
    for (const { change, tests } of faults) {
      if (tests.some((test) => chosen.includes(test))) continue;
      assert.ok(tests.some((test) => leftOut.includes(test)), `${file}: ${change}`);
      tooLong.push(file);
    }
  }
  assert.ok(tooLong.length <= 2, tooLong.join());
});
