// `deno task release` in a copy of the repository: the first release, what is rejected, and the second release.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileProblems, typeProblems } from "../../tools/release/package.ts";
import { checkRelease, type Facts, withRelease } from "../../tools/release/rules.ts";
import { git } from "../../tools/release/git.ts";
import { onlyLong } from "../support/sizes.ts";
import { RepositoryCopy } from "./repository_copy.ts";

/** Runs `deno task release` in a copy. */
function release(copy: RepositoryCopy, ...args: string[]) {
  return copy.deno(["run", "-A", "--quiet", "tools/release/main.ts", ...args]);
}

/** A release that is rejected with this sentence, and changes nothing. */
async function rejects(
  copy: RepositoryCopy,
  sentence: RegExp,
  args: string[],
  env: Record<string, string> = {},
): Promise<void> {
  const before = await git(copy.folder, "status", "--porcelain", "--ignored");
  const { code, output } = await copy.deno(["run", "-A", "--quiet", "tools/release/main.ts", ...args], env);
  assert.match(output, sentence);
  assert.equal(code, 1);
  assert.equal(await git(copy.folder, "status", "--porcelain", "--ignored"), before);
}

Deno.test("task release: releases 0.1.0 and a breaking 0.2.0, and a rejected release changes nothing", async (t) => {
  await using copy = await RepositoryCopy.make();
  // A released version is in the changelog of this repository after its first release. This copy has none.
  const entries = "# Changelog\n\n## Unreleased\n\n- Everything.\n";
  await copy.edit("CHANGELOG.md", () => entries);
  await copy.edit("supabase/functions/_shared/config.ts", (text) => text.replace(/(VERSION = )".*"/, '$1"0.1.0"'));
  await copy.edit("client/package.json", (text) => text.replace(/("version": )".*"/, '$1"0.1.0"'));
  const released = await copy.read("supabase/released_migrations.json");
  await copy.edit("supabase/released_migrations.json", () => "{}\n");
  await copy.commit("before the first release");
  await copy.deno(["run", "-A", "--quiet", "tools/release/main.ts"]); // the first run installs packages

  await t.step("a dirty tree, a wrong version, a missing npm and a wrong option are rejected", async () => {
    await rejects(copy, /^abc is not a version/, ["abc"]);
    await rejects(copy, /^0\.0\.9 is not greater than 0\.1\.0/, ["0.0.9"]);
    await rejects(copy, /^deno task release <version>/, ["0.1.0", "--fast"]);
    await Deno.writeTextFile(join(copy.folder, "note.txt"), "");
    await rejects(copy, /^Commit or remove these changes first:\n\?\? note\.txt/, ["0.1.0"]);
    await Deno.remove(join(copy.folder, "note.txt"));
    const path = await Deno.makeTempDir();
    try {
      const { stdout } = await new Deno.Command("which", { args: ["git"] }).output();
      await Deno.symlink(new TextDecoder().decode(stdout).trim(), join(path, "git"));
      await rejects(copy, /^npm is missing/, ["0.1.0"], { PATH: path });
    } finally {
      await Deno.remove(path, { recursive: true });
    }
  });

  const ignore = !onlyLong("FIRST_RELEASE");
  const ofTheFirst = (name: string, fn: () => Promise<void>) => t.step({ name, ignore, fn });
  await ofTheFirst("--dry-run lists the files and changes nothing", async () => {
    const before = await git(copy.folder, "status", "--porcelain", "--ignored");
    const { code, output } = await release(copy, "0.1.0", "--dry-run");
    assert.equal(code, 0, output);
    assert.match(output, /^Would write release 0\.1\.0:$/m);
    assert.match(output, /^ {2}supabase\/released_migrations\.json$/m);
    assert.equal(await git(copy.folder, "status", "--porcelain", "--ignored"), before);
  });

  await ofTheFirst("0.1.0: changelog, migrations and the package are written, and the commands printed", async () => {
    const { code, output } = await release(copy, "0.1.0");
    assert.equal(code, 0, output);
    assert.match(output, /^ {2}git tag --annotate v0\.1\.0 --message 0\.1\.0$/m);
    const today = new Date().toISOString().slice(0, 8);
    assert.match(
      await copy.read("CHANGELOG.md"),
      new RegExp(`^# Changelog\n\n## Unreleased\n\n## 0\\.1\\.0 - ${today}\\d\\d\n\n- Everything\\.\n$`),
    );
    const released = JSON.parse(await copy.read("supabase/released_migrations.json"));
    const present = [...Deno.readDirSync(join(copy.folder, "supabase/migrations"))].map(({ name }) => name).sort();
    assert.deepEqual(Object.keys(released), present);
    const changed = (await git(copy.folder, "status", "--porcelain")).trim().split("\n").map((line) => line.slice(-40));
    assert.deepEqual(changed.map((line) => line.trim().split(" ").at(-1)), [
      "CHANGELOG.md",
      "supabase/released_migrations.json",
    ]);
    assert.ok((await Deno.stat(join(copy.folder, "dist/parking-lot-client-0.1.0.tgz"))).size > 10_000);
    await copy.commit("chore(release): 0.1.0");
  });
  if (ignore) {
    // What the second release finds of the first one.
    await copy.edit("CHANGELOG.md", (text) => withRelease(text, "0.1.0", "2026-12-01"));
    await copy.edit("supabase/released_migrations.json", () => released);
    await copy.commit("chore(release): 0.1.0");
  }

  await t.step("the release must be tagged before the next one", async () => {
    await copy.edit("CHANGELOG.md", (text) => text.replace("## Unreleased\n", "## Unreleased\n\n- A fix.\n"));
    await copy.commit("a fix");
    await rejects(copy, /^The newest release is 0\.1\.0 in CHANGELOG\.md and missing among the tags/, ["0.1.1"]);
    await git(copy.folder, "reset", "--quiet", "--hard", "HEAD~1");
    // The contract of the release has an operation that the next one does not have.
    await copy.edit(
      "contract/openapi.json",
      (text) => text.replace('"paths": {', '"paths": { "/v1/old": { "get": {} },'),
    );
    await copy.commit("an operation");
    await copy.tag("0.1.0");
    await git(copy.folder, "checkout", "--quiet", "HEAD~1", "--", "contract/openapi.json");
    await copy.commit("without the operation");
  });

  await t.step("the same version, no changes, and a break without its heading or step are rejected", async () => {
    await rejects(copy, /^0\.1\.0 is not greater than 0\.1\.0/, ["0.1.0"]);
    await rejects(copy, /^CHANGELOG\.md lists nothing under Unreleased/, ["0.1.1"]);
    await copy.edit("CHANGELOG.md", (text) => text.replace("## Unreleased\n", "## Unreleased\n\n### Added\n\n- A.\n"));
    await copy.commit("a change");
    await rejects(copy, /^The contract breaks clients of 0\.1\.0.*\n {2}GET \/v1\/old: the operation was removed/, [
      "0.2.0",
    ]);
    await copy.edit("CHANGELOG.md", (text) => text.replace("### Added", "### Breaking"));
    await copy.commit("the heading");
    await rejects(copy, /^0\.1\.1 is too small a step from 0\.1\.0\. The changes need at least 0\.2\.0/, ["0.1.1"]);
  });

  await t.step("0.2.0: every file has the version", async () => {
    const { code, output } = await release(copy, "0.2.0");
    assert.equal(code, 0, output);
    assert.match(await copy.read("supabase/functions/_shared/config.ts"), /^export const VERSION = "0\.2\.0";$/m);
    assert.equal(JSON.parse(await copy.read("client/package.json")).version, "0.2.0");
    for (const name of ["openapi.json", "asyncapi.json"]) {
      assert.equal(JSON.parse(await copy.read(`contract/${name}`)).info.version, "0.2.0");
    }
    for (const name of (await git(copy.folder, "ls-files", "*deno.lock")).trim().split("\n")) {
      assert.doesNotMatch(await copy.read(name), /parking-lot-client@0\.1\.0/, name);
    }
    assert.ok((await Deno.stat(join(copy.folder, "dist/parking-lot-client-0.2.0.tgz"))).isFile);
  });

  await t.step("a released migration that is changed fails a test", async () => {
    const test = () => copy.deno(["test", "-A", "--quiet", "tests/deploy/released_migrations.test.ts"]);
    assert.equal((await test()).code, 0);
    const name = Object.keys(JSON.parse(await copy.read("supabase/released_migrations.json")))[0]!;
    await copy.edit(`supabase/migrations/${name}`, (text) => `${text}-- changed\n`);
    const { code, output } = await test();
    assert.notEqual(code, 0);
    assert.ok(output.includes(`${name} was changed after its release`), output);
  });
});

Deno.test("task release: from 1.0.0 on a break needs a major version, and an addition a minor one", () => {
  const facts = (heading: string): Facts => ({
    changelog: `# Changelog\n\n## Unreleased\n\n### ${heading}\n\n- A change.\n\n## 1.2.3 - 2026-12-01\n\n- Old.\n`,
    present: "1.2.3",
    tagged: "1.2.3",
    breaks: [],
  });
  const cases: [heading: string, allowed: string[], rejected: string[]][] = [
    ["Fixed", ["1.2.4", "1.3.0", "2.0.0"], ["1.2.3", "1.2.2", "0.9.9"]],
    ["Added", ["1.3.0", "2.0.0"], ["1.2.4"]],
    ["Deprecated", ["1.3.0"], ["1.2.4"]],
    ["Breaking", ["2.0.0", "3.0.0"], ["1.3.0", "1.2.4"]],
  ];
  for (const [heading, allowed, rejected] of cases) {
    for (const version of allowed) checkRelease(version, facts(heading));
    for (const version of rejected) {
      assert.throws(() => checkRelease(version, facts(heading)), { name: "Refusal" }, version);
    }
  }
  for (const version of ["1.3", "v1.3.0", "1.03.0", "1.3.0-rc.1", ""]) {
    assert.throws(() => checkRelease(version, facts("Fixed")), /is not a version/);
  }
});

Deno.test("task release: the changelog has a new, empty Unreleased above the release", () => {
  assert.equal(
    withRelease("# Changelog\n\n## Unreleased\n\n- A.\n\n## 0.1.0 - 2026-12-01\n", "0.2.0", "2026-12-24"),
    "# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-12-24\n\n- A.\n\n## 0.1.0 - 2026-12-01\n",
  );
});

Deno.test("task release: a package with a source of Deno, a missing licence or types that do not resolve is named", async () => {
  const folder = await Deno.makeTempDir();
  const write = (name: string, text: string) => Deno.writeTextFile(join(folder, name), text);
  try {
    await Deno.mkdir(join(folder, "dist"));
    await write("package.json", JSON.stringify({ name: "parking-lot-client", dependencies: { a: "^1.0.0" } }));
    await write("dist/index.js", "export const home = Deno.env.get('HOME');\n");
    await write("dist/index.d.ts", "export declare const createParkingClient: unknown;\n");
    await write("main.ts", "");
    const files = ["package.json", "dist/index.js", "dist/index.d.ts", "main.ts"];
    assert.deepEqual(await fileProblems(folder, files), [
      "README.md is missing",
      "LICENSE is missing",
      "main.ts does not belong there",
      "dist/index.js needs Deno or Node",
      "package.json has no license",
      "package.json: a has no exact version",
    ]);
    const problems = await typeProblems(folder, files);
    for (const resolution of ["node16", "nodenext", "bundler"]) {
      assert.ok(
        problems.some((problem) => problem.startsWith(`${resolution}: main.ts Cannot find module`)),
        problems.join("\n"),
      );
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
