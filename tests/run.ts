// Runs the tests against one platform: the one whose address and keys stand in the environment (API_URL and the other
// names of `deno task status`), or else one of its own on free ports.
//
//   deno task test                      everything
//   deno task test -- tests/db          files or folders
//   deno task test -- "a suspended"     tests whose name contains this
//   deno task test --replica            the API tests, with a read replica that answers all reads
//   deno task test:hosted-runtime       the API tests, with the functions under the hosted runtime's Deno
//   deno task test:fast                 what needs no platform: the contract, parsers, providers' protocols, house rules
//
// The last line is `N passed, N failed`.
import { parseArgs } from "node:util";
import { runTests } from "./support/outcome.ts";
import { hostedDeno } from "./support/hosted_deno.ts";
import { LOG, startTestPlatform, TEMPLATE } from "./support/platform.ts";

/** Tests that need a platform of their own making, not just its address. */
const OWN_PLATFORM_ONLY = [
  "tests/db",
  "tests/deploy",
  "tests/importer",
  "tests/local",
  "tests/policies",
  "tests/recovery",
];

const NEEDS_NO_PLATFORM = [
  "tests/contract",
  "tests/ai_search",
  "tests/db/sql_rules.test.ts",
  "tests/deploy/released_migrations.test.ts",
  "tests/importer/mapping.test.ts",
  "tests/importer/reading.test.ts",
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    "hosted-runtime": { type: "boolean", default: false },
    fast: { type: "boolean", default: false },
    replica: { type: "boolean", default: false },
  },
});
const { "hosted-runtime": hosted, replica } = values;
const paths = positionals.filter(exists);
const filter = positionals.filter((word) => !exists(word)).join(" ");
const selection = [...(paths.length > 0 ? paths : [hosted || replica ? "tests/api" : "tests"])];
if (filter) selection.push(`--filter=${filter}`);

if (Deno.env.get("API_URL")) {
  console.log(`The tests run against ${Deno.env.get("API_URL")}; skipped there: ${OWN_PLATFORM_ONLY.join(", ")}`);
  Deno.exit(await runTests([...selection, `--ignore=${OWN_PLATFORM_ONLY.join(",")}`], {}));
}

if (values.fast) Deno.exit(await runTests(NEEDS_NO_PLATFORM, {}));

const started = performance.now();
const platform = await startTestPlatform({
  ...hosted ? { functionsDeno: await hostedDeno() } : {},
  ...replica ? { replica: { reads: "all", isSynchronous: true } as const } : {},
});
console.log(
  `The platform is ready at ${platform.status.API_URL} (${
    Math.round(performance.now() - started)
  } ms); its log: ${LOG}`,
);
let stopping: Promise<void> | undefined;
const stop = () => stopping ??= platform.stop();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => stop().then(() => Deno.exit(130)));
}
let code = 1;
try {
  const env = { ...platform.status, DATABASE_TEMPLATE: TEMPLATE, ...replica ? { READ_AFTER: "0" } : {} };
  code = await runTests(selection, env);
} finally {
  await stop();
}
Deno.exit(code);

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
