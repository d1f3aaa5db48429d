// Runs the tests against one stack: the one whose addresses and keys are in the environment (API_URL and the other names of
// `deno task status`; docs/contributing/testing.md), or else a local platform of its own on free ports.
//
//   deno task test                      everything
//   deno task test -- tests/db          files or folders
//   deno task test -- "a suspended"     tests whose name contains this
//   deno task test --changed [base]     what a change can break, in three minutes
//   deno task test --replica            the API tests, with a read replica that answers all reads
//   deno task test:long                 everything, with larger volumes and what is too long for every change
//   deno task test:fast                 what needs no platform: contract, client, parsers, providers' protocols, project rules
//   deno task test --no-check           without types, after \`deno task check\`
//
// The platform runs the functions under the Deno of hosted functions. The last line is `N passed, N failed`.
import { parseArgs } from "node:util";
import { identify } from "../local/postgres/identity.ts";
import { postgresAnnouncement } from "../tools/packages/postgres.ts";
import { STATE } from "../local/settings.ts";
import { announcement, configOf, groupOf, readGroups } from "../tools/packages/groups.ts";
import { testsFor } from "./support/changed.ts";
import { readDurations, type TestRun } from "./support/durations.ts";
import { runTests, WORKERS } from "./support/outcome.ts";
import { buildOnce } from "./support/built_data.ts";
import { isLong } from "./support/sizes.ts";
import { hostedDeno } from "./support/hosted_deno.ts";
import { LOG, startTestPlatform, TEMPLATE } from "./support/platform.ts";

/** Tests that start a platform or a database of their own. */
const OWN_PLATFORM_ONLY = [
  "tests/browser/documentation.test.ts",
  "tests/browser/explorer_links.test.ts",
  "tests/db",
  "tests/deploy",
  "tests/importer",
  "tests/local",
  "tests/policies",
  "tests/realtime/private.test.ts",
  "tests/recovery",
];

const NEEDS_NO_PLATFORM = [
  "tests/contract",
  "tests/client",
  "tests/web",
  "tests/ai_search",
  "tests/tariff_text",
  "tests/db/sql_rules.test.ts",
  "tests/deploy/released_migrations.test.ts",
  "tests/importer/mapping.test.ts",
  "tests/importer/reading.test.ts",
  "tests/site",
];

/** What a worker gets of the three minutes of `--changed`, after the platform's start and what always runs. */
const SECONDS_FOR_CHANGES = 100;

const HELP = `deno task test [--replica] [files, folders, words of names]
deno task test --changed [base]  what the changes since a revision can break, in three minutes
deno task test:long              larger volumes, other seeds, and what only the long run has
deno task test:fast              tests that need no platform
--no-check                       types are not checked

docs/contributing/testing.md describes them.`;

const { values, positionals } = readArguments();
if (values.help) {
  console.log(HELP);
  Deno.exit(0);
}
const { replica } = values;
const changed = values.changed || values.quick;
const paths = changed ? await changedTests(positionals) : positionals.filter(exists);
const words = changed ? [] : positionals.filter((word) => !exists(word));
const missing = words.filter((word) => /^tests\/|\.ts$/.test(word));
if (missing.length > 0) fail(`There is no ${missing.join(", no ")}.`);
const filter = words.join(" ");
const isWhole = positionals.length === 0 && !changed && !replica && !values.fast && !Deno.env.get("API_URL") && !isLong;
const options = { filter, isChecked: values["no-check"], isWhole };
const selection = paths.length > 0 ? paths : [replica ? "tests/api" : "tests"];

const apiUrl = Deno.env.get("API_URL");
if (apiUrl) {
  const ignored = [...OWN_PLATFORM_ONLY, ...(Deno.env.get("PROVIDERS_URL") ? [] : await needsProviders())];
  console.log(`The tests run against ${apiUrl}. Ignored there: ${ignored.join(", ")}`);
  Deno.exit(await runTests(await runsOf(selection, ignored), options, {}));
}

const runs = await runsOf(values.fast ? NEEDS_NO_PLATFORM : selection);
const needNone = (file: string) => NEEDS_NO_PLATFORM.some((path) => file === path || file.startsWith(`${path}/`));
if (runs.every(({ files }) => files.every(needNone))) Deno.exit(await runTests(runs, options, {}));

const postgres = await postgresAnnouncement((await identify(STATE)).home);
if (postgres !== undefined) console.log(postgres);
const started = performance.now();
const built = await buildOnce();
const platform = await startTestPlatform({
  functionsDeno: await hostedDeno(),
  ...replica ? { replica: { reads: "all", isSynchronous: true } as const } : {},
});
console.log(
  `The platform is ready at ${platform.status.API_URL} (${
    Math.round(performance.now() - started)
  } ms); its log: ${LOG}`,
);
let code = 1;
try {
  const env = { ...platform.status, DATABASE_TEMPLATE: TEMPLATE, ...replica ? { READ_AFTER: "0" } : {} };
  code = await runTests(runs, options, env);
} finally {
  await platform.stop();
  await built.remove();
}
Deno.exit(code);

/** `deno task test -- --help` and `deno task test --help` are the same: the task passes the dashes on. */
function readArguments() {
  try {
    return parseArgs({
      args: Deno.args.filter((word) => word !== "--"),
      allowPositionals: true,
      options: {
        changed: { type: "boolean", default: false },
        fast: { type: "boolean", default: false },
        quick: { type: "boolean", default: false }, // of `deno task ok --quick`, which passes it on
        help: { type: "boolean", short: "h", default: false },
        "no-check": { type: "boolean", default: false },
        replica: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    fail(`${error instanceof Error ? error.message : error}\n${HELP}`);
  }
}

/** The test files in these files and folders, by the packages that they need. Says what will be downloaded. */
async function runsOf(selection: readonly string[], ignored: readonly string[] = []): Promise<TestRun[]> {
  const isIgnored = (file: string) => ignored.some((path) => file === path || file.startsWith(`${path}/`));
  const files = [...new Set(selection.flatMap((path) => [...testFiles(path.replace(/\/+$/, ""))]))].sort();
  const groups = await readGroups();
  const byGroup = Map.groupBy(files.filter((file) => !isIgnored(file)), (file) => groupOf(groups, file));
  for (const group of byGroup.keys()) {
    const line = await announcement(group);
    if (line !== undefined) console.log(line);
  }
  return [...byGroup].map(([group, files]) => ({ config: configOf(group), files }));
}

/** The tests for what changed since a revision, by default since the branch left main, and for what is not committed. */
async function changedTests([base, ...more]: readonly string[]): Promise<string[]> {
  if (more.length > 0) fail("--changed has one revision, and no files or words.");
  const git = async (...args: string[]) => {
    const { success, stdout, stderr } = await new Deno.Command("git", { args }).output();
    if (!success) fail(`git ${args.join(" ")}: ${new TextDecoder().decode(stderr).trim()}`);
    return new TextDecoder().decode(stdout).split("\n").filter((line) => line !== "");
  };
  const since = base ?? (await git("merge-base", "HEAD", "main"))[0]!;
  const added = await git("ls-files", "--others", "--exclude-standard");
  const names = [...await git("diff", "--name-only", "--no-renames", since), ...added];
  const read = [...await git("ls-files", "*.ts", "*.tsx", "supabase/schemas/*.sql"), ...added].filter(exists);
  const texts = new Map(await Promise.all(read.map(async (path) => [path, await Deno.readTextFile(path)] as const)));
  const seconds = SECONDS_FOR_CHANGES * WORKERS;
  const { groups, leftOut, everything } = testsFor(names, texts, NEEDS_NO_PLATFORM, await readDurations(), seconds);
  console.log(`${names.length} files differ from ${since.slice(0, 12)}. The tests that`);
  for (const { reason, files } of groups) console.log(`  ${reason}: ${files.length === 1 ? files[0] : files.length}`);
  if (everything.length > 0) {
    console.log(`Every test depends on ${everything.join(", ")}: \`deno task test\` is needed.`);
  }
  if (leftOut.length > 0) console.log(`No time, so only in \`deno task test\`: ${leftOut.join(", ")}`);
  return groups.flatMap(({ files }) => files);
}

function fail(message: string): never {
  console.error(message);
  Deno.exit(2);
}

function* testFiles(path: string): Generator<string> {
  if (!Deno.statSync(path).isDirectory) return yield path;
  for (const { name, isDirectory } of Deno.readDirSync(path)) {
    if (isDirectory && name !== "node_modules") yield* testFiles(`${path}/${name}`);
    else if (name.endsWith(".test.ts")) yield `${path}/${name}`;
  }
}

/** The API tests that script the stand-ins of the providers, which only the local platform has. */
async function needsProviders(): Promise<string[]> {
  const imports = /from "(\.\.\/support\/(ai|app_store|google_play|providers|store_reports)|\.\/purchases)\.ts"/;
  const found: string[] = [];
  for await (const { name } of Deno.readDir("tests/api")) {
    const path = `tests/api/${name}`;
    if (name.endsWith(".test.ts") && imports.test(await Deno.readTextFile(path))) found.push(path);
  }
  return found.sort();
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
