// The platform's own advisors (security and performance) on the migrated database.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

interface Advice {
  readonly name: string;
  readonly level: string;
  readonly detail: string;
}

/** What the advisors say, without the one lint that only knows a database in use. */
async function advice(): Promise<string[]> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "supabase", "db", "advisors", "--level=info", "--output-format=json", `--db-url=${db.url}`],
    cwd: new URL("../../", import.meta.url),
    env: { DO_NOT_TRACK: "1" },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  assert.ok(success, decoder.decode(stderr));
  const { results } = JSON.parse(decoder.decode(stdout)) as { results: Advice[] };
  // No index has been used in a database that has just been made.
  return results.filter(({ name }) => name !== "unused_index").map(({ name, detail }) => `${name}: ${detail}`);
}

Deno.test("the advisors have nothing to say about the migrated database", async () => {
  assert.deepEqual(await advice(), []);
});

Deno.test("the advisors would speak up: a table without row security is named", async () => {
  await db.sql`alter table public.codes disable row level security`;
  const found = await advice();
  assert.ok(found.some((line) => line.includes("public.codes")), found.join("\n"));
});
