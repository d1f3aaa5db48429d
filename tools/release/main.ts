/**
 * `deno task release <version> [--dry-run]`: writes the files of a release, and prints the commands that commit and tag it.
 *
 * Everything is generated and checked in a clone of the commit. The files are copied from there at the end, so a release that
 * is rejected changes nothing.
 */
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { migrationFiles } from "../../local/postgres/built.ts";
import { ROOT } from "../../local/settings.ts";
import { VERSION } from "../../supabase/functions/_shared/config.ts";
import { contractDiff } from "../contract/openapi_diff.ts";
import { git, newestRelease } from "./git.ts";
import { pack } from "./package.ts";
import { checkRelease, Refusal, withRelease } from "./rules.ts";

const USAGE = "deno task release <version> [--dry-run], for example: deno task release 0.2.0";
/** Where the tarball of the client is written. Git ignores it. */
const PACKAGES = "dist";

async function main(): Promise<void> {
  const { version, isDryRun } = readArguments();
  await checkTools("git", "npm");
  const dirty = await git(ROOT, "status", "--porcelain");
  if (dirty !== "") throw new Refusal(`Commit or remove these changes first:\n${dirty.trimEnd()}`);
  const changelog = await Deno.readTextFile(join(ROOT, "CHANGELOG.md"));
  const tagged = (await newestRelease(ROOT))?.replace(/^v/, "");
  const { changes } = await contractDiff(ROOT);
  checkRelease(version, { changelog, present: VERSION, tagged, breaks: changes });

  const folder = await Deno.makeTempDir({ prefix: "release-" });
  try {
    const clone = join(folder, "clone");
    await git(ROOT, "clone", "--quiet", "--local", "--no-tags", ".", clone);
    await writeRelease(clone, version);
    await deno(clone, "task", "openapi");
    await deno(clone, "task", "client");
    const tarball = await pack(join(clone, "client"), join(clone, PACKAGES));
    const changed = (await git(clone, "status", "--porcelain", "--untracked-files=all")).split("\n")
      .filter((line) => line !== "").map((line) => line.slice(3));
    const files = [...changed, tarball.slice(clone.length + 1)];
    if (!isDryRun) { for (const file of files) await copy(join(clone, file), join(ROOT, file)); }
    report(version, files, isDryRun);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function readArguments(): { version: string; isDryRun: boolean } {
  try {
    const { values, positionals } = parseArgs({
      args: Deno.args.filter((word) => word !== "--"),
      allowPositionals: true,
      options: { "dry-run": { type: "boolean", default: false } },
    });
    if (positionals.length === 1) return { version: positionals[0]!, isDryRun: values["dry-run"] };
  } catch {
    // An unknown option.
  }
  throw new Refusal(USAGE);
}

async function checkTools(...names: string[]): Promise<void> {
  for (const name of names) {
    try {
      await new Deno.Command(name, { args: ["--version"], stdout: "null", stderr: "null" }).output();
    } catch {
      throw new Refusal(`${name} is missing. Install it, or add its folder to PATH.`);
    }
  }
}

/** The version in the code and the package, the changelog, and the fingerprints of the released migrations. */
async function writeRelease(folder: string, version: string): Promise<void> {
  const today = new Date().toISOString().slice(0, 10);
  await edit(
    join(folder, "supabase/functions/_shared/config.ts"),
    (text) => text.replace(/^(export const VERSION = )".*";$/m, `$1"${version}";`),
  );
  await edit(join(folder, "client/package.json"), (text) => text.replace(/^( {2}"version": )".*"/m, `$1"${version}"`));
  // Until the lock files have the new version of the client, no task starts.
  for (const name of (await git(folder, "ls-files", "*deno.lock")).trim().split("\n")) {
    const client = "npm:parking-lot-client@";
    await edit(join(folder, name), (text) => text.replace(`${client}${VERSION}"`, `${client}${version}"`));
  }
  await edit(join(folder, "CHANGELOG.md"), (text) => withRelease(text, version, today));
  const released = Object.fromEntries(Object.entries(await migrationFiles(ROOT)).sort(([a], [b]) => a < b ? -1 : 1));
  await Deno.writeTextFile(
    join(folder, "supabase/released_migrations.json"),
    `${JSON.stringify(released, null, 2)}\n`,
  );
}

async function edit(file: string, change: (text: string) => string): Promise<void> {
  await Deno.writeTextFile(file, change(await Deno.readTextFile(file)));
}

async function deno(folder: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: folder,
    env: { NO_COLOR: "1", DO_NOT_TRACK: "1" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Refusal(`deno ${args.join(" ")} failed:\n${new TextDecoder().decode(stderr)}`);
}

async function copy(from: string, to: string): Promise<void> {
  await Deno.mkdir(dirname(to), { recursive: true });
  await Deno.copyFile(from, to);
}

function report(version: string, files: readonly string[], isDryRun: boolean): void {
  console.log(`${isDryRun ? "Would write" : "Wrote"} release ${version}:`);
  for (const file of files) console.log(`  ${file}`);
  console.log(isDryRun ? "\nNothing was changed. Then:" : "\nRead the change with `git diff`, then:");
  console.log(`  deno task release:data ${version}`);
  console.log(`  git add --all && git commit --message "chore(release): ${version}"`);
  console.log(`  git tag --annotate v${version} --message ${version}`);
  console.log(`  git push --follow-tags`);
  console.log(`The client is ${files.at(-1)}. Publish it with \`npm publish ${files.at(-1)}\`, if it is to be public.`);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(error.message);
  Deno.exit(1);
}
