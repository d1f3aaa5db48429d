// supabase/seed.sql can be sent to a hosted project (`db push --include-seed`). Users with a known password must never be there.
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { SAMPLE_PASSWORD, SAMPLE_PEOPLE } from "../../tools/seed/people/sample_people.ts";
import { ROOT } from "../../local/settings.ts";

const seed = await Deno.readTextFile(join(ROOT, "supabase", "seed.sql"));
const migrations = await Promise.all(
  [...Deno.readDirSync(join(ROOT, "supabase", "migrations"))].filter(({ name }) => name.endsWith(".sql"))
    .map(({ name }) => Deno.readTextFile(join(ROOT, "supabase", "migrations", name))),
);

Deno.test("seed.sql: writes no account, and nothing outside the schema public", () => {
  const tables = [...seed.matchAll(/\binsert into ([\w.]+)/gi)].map(([, table]) => table!);
  assert.ok(tables.includes("public.parking_lots"), "The statements of the seed are recognized.");
  const others = tables.filter((table) => !table.startsWith("public.") || /\.(app_users|admins)$/.test(table));
  assert.deepEqual(others, []);
  assert.doesNotMatch(seed, /\b(auth\.|crypt\(|update |copy |execute |call |do \$)/i);
});

Deno.test("seed.sql and migrations: contain no sample person and not their password", () => {
  for (const text of [seed, ...migrations]) {
    for (const { email } of SAMPLE_PEOPLE) assert.ok(!text.includes(email), email);
    assert.ok(!text.includes(SAMPLE_PASSWORD));
  }
});
