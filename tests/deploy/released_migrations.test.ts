// Migrations that a release contains never change again. `deno task release` writes their fingerprints, and the tag has the
// files. Until the first release nothing is compared.
import { strict as assert } from "node:assert";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { compare, type Fingerprints, migrationFiles } from "../../local/postgres/built.ts";
import { ROOT } from "../../local/settings.ts";
import { git, newestRelease } from "../../tools/release/git.ts";

const FOLDER = "supabase/migrations";

/** The fingerprint of each migration that a tag contains, by file name. */
async function released(folder: string, tag: string): Promise<Fingerprints> {
  const names = (await git(folder, "ls-tree", "--name-only", tag, `${FOLDER}/`)).split("\n").filter((name) =>
    name !== ""
  );
  const found: Record<string, string> = {};
  for (const name of names) {
    const content = await git(folder, "show", `${tag}:${name}`);
    found[name.slice(FOLDER.length + 1)] = createHash("sha256").update(content).digest("hex");
  }
  return found;
}

/** What may not have happened to the migrations since a release. */
function breaches(before: Fingerprints, now: Fingerprints): string[] {
  const last = Object.keys(before).sort().at(-1) ?? "";
  const { edited, gone, added } = compare(before, now);
  return [
    ...edited.map((name) => `${name} was changed after its release`),
    ...gone.map((name) => `${name} was removed after its release`),
    ...added.filter((name) => name < last).map((name) => `${name} sorts before ${last}`),
  ];
}

Deno.test("migrations: what supabase/released_migrations.json lists is unchanged, and new files come after it", async () => {
  const listed = await Deno.readTextFile(join(ROOT, "supabase", "released_migrations.json"));
  assert.deepEqual(breaches(JSON.parse(listed), await migrationFiles(ROOT)), []);
});

Deno.test("migrations: what the newest tag contains is unchanged, and new files come after it", async () => {
  const tag = await newestRelease(ROOT);
  if (tag !== undefined) assert.deepEqual(breaches(await released(ROOT, tag), await migrationFiles(ROOT)), []);
});

Deno.test("migrations: a released file that is changed or removed, and a new one before it, is named", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const commit = (message: string) =>
      git(
        folder,
        "-c",
        "user.name=Test",
        "-c",
        "user.email=test@example.com",
        "commit",
        "--quiet",
        "--message",
        message,
      );
    await git(folder, "init", "--quiet");
    await Deno.mkdir(join(folder, FOLDER), { recursive: true });
    const kept = ["20260901000100_kept.sql", "20260901000200_changed.sql", "20260901000300_removed.sql"];
    for (const name of kept) await Deno.writeTextFile(join(folder, FOLDER, name), `select '${name}';\n`);
    await git(folder, "add", ".");
    await commit("first");
    assert.equal(await newestRelease(folder), undefined);
    await git(folder, "tag", "v0.1.0");
    assert.equal(await newestRelease(folder), "v0.1.0");

    const before = await released(folder, "v0.1.0");
    assert.deepEqual(Object.keys(before), kept);
    assert.deepEqual(breaches(before, before), []);
    const { "20260901000300_removed.sql": _, ...left } = before;
    const now = {
      ...left,
      "20260901000200_changed.sql": "another",
      "20260901000250_late.sql": "new",
      "20261201000000_new.sql": "new",
    };
    assert.deepEqual(breaches(before, now), [
      "20260901000200_changed.sql was changed after its release",
      "20260901000300_removed.sql was removed after its release",
      "20260901000250_late.sql sorts before 20260901000300_removed.sql",
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
