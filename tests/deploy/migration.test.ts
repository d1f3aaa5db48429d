// The command that starts the migration of a change after the first release.
import assert from "node:assert/strict";
import { join } from "node:path";
import { startMigration } from "../../tools/release/migration.ts";
import { sqlFindings } from "../../tools/lint_sql/rules.ts";

const NOW = new Date("2027-03-01T09:30:00Z");

/** Runs with a repository that has these migrations; those of a release are in its record. */
async function withMigrations(names: readonly string[], isReleased: boolean, act: (root: string) => Promise<void>) {
  const root = await Deno.makeTempDir();
  try {
    await Deno.mkdir(join(root, "supabase/migrations"), { recursive: true });
    for (const name of names) await Deno.writeTextFile(join(root, "supabase/migrations", name), "select 1;\n");
    const released = isReleased ? Object.fromEntries(names.map((name) => [name, "0"])) : {};
    await Deno.writeTextFile(join(root, "supabase/released_migrations.json"), JSON.stringify(released));
    await act(root);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

Deno.test("migration: the file has the time of now, or of the second after the last one, and keeps the rules for SQL", async () => {
  await withMigrations(["20260901000700_data.sql"], true, async (root) => {
    const first = await startMigration("notes", root, NOW);
    assert.equal(first, "supabase/migrations/20270301093000_notes.sql");
    const text = await Deno.readTextFile(join(root, first));
    assert.deepEqual(sqlFindings({ name: first, text }), []);
    assert.match(text, /^set lock_timeout/m);
    assert.equal(await startMigration("more_notes", root, NOW), "supabase/migrations/20270301093001_more_notes.sql");
    await Deno.writeTextFile(join(root, "supabase/migrations/20271231235959_ahead.sql"), "select 1;\n");
    assert.equal(await startMigration("notes", root, NOW), "supabase/migrations/20280101000000_notes.sql");
  });
});

Deno.test("migration: an unusable file name is an error, and so is one before the first release", async () => {
  await withMigrations(["20260901000700_data.sql"], true, async (root) => {
    for (const name of ["", "Notes", "../notes", "a b", "1st", "x".repeat(80)]) {
      await assert.rejects(startMigration(name, root, NOW), /is named in lower case/, name);
    }
  });
  await withMigrations(["20260901000700_data.sql"], false, async (root) => {
    await assert.rejects(startMigration("notes", root, NOW), /Nothing was released/);
  });
});
