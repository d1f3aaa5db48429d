// deno task bench [script...] [--lots 1000000] [--activities 100000] [--people 1000000] [--minutes 0] [--seed 1]
//   [--functions name,...] [--beside <commit>] [--network slow-4g|slow-3g]
// Starts a platform of its own, loads generated lots, and runs the scripts of this folder against it, one after another.
// Figures are printed and never judged: they belong to the machine.
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { startTestPlatform } from "../support/platform.ts";
import { liftRateLimits, loadLots } from "./lots.ts";

const SCRIPTS = [
  "nearby_sql",
  "nearby_http",
  "nearby_ranked",
  "reads",
  "search",
  "places",
  "sentences",
  "worst",
  "fees",
  "interface",
  "lists",
  "sessions",
  "votes",
  "rewards",
  "sizes",
  "realtime",
  "import",
  "faults",
  "load",
  "overload",
  "admin",
  "push",
  "subscriptions",
  "batches",
  "explorer",
  "metrics",
  "replica",
  "limits",
  "hostile_files",
];
/** They start platforms of their own, or need none. */
const ALONE = ["faults", "replica", "limits", "hostile_files"];
/** It starts clones of the repository, and is not run with the others. */
const FIRST = "first";
/** It needs a commit to compare with. */
const COMPARED = "against";

if (Deno.args[0] === FIRST) Deno.exit(await run("first_minute", {}, Deno.args.slice(1)));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    lots: { type: "string", default: "1000000" },
    activities: { type: "string", default: "100000" },
    people: { type: "string", default: "1000000" },
    minutes: { type: "string", default: "0" },
    seed: { type: "string", default: "1" },
    functions: { type: "string" },
    beside: { type: "string" },
    network: { type: "string" },
  },
});
const scripts = values.beside === undefined ? SCRIPTS : [...SCRIPTS, COMPARED];
const unknown = positionals.filter((name) => !scripts.includes(name));
if (unknown.length > 0) {
  console.error(
    `There is no ${unknown.join(", ")}; there are ${SCRIPTS.join(", ")}, ${FIRST} alone, and ${COMPARED} with --beside`,
  );
  Deno.exit(2);
}

if (positionals.length === 1 && ALONE.includes(positionals[0]!)) {
  Deno.exit(await run(positionals[0]!, { BENCH_LOTS: values.lots }));
}

const platform = await startTestPlatform();
let stopping: Promise<void> | undefined;
const stop = () => stopping ??= platform.stop();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => stop().then(() => Deno.exit(130)));
}
let failures = 0;
try {
  console.log(await loadLots(platform.status.DB_URL, Number(values.lots)));
  const sql = postgres(platform.status.DB_URL, { max: 1, onnotice: () => {} });
  await liftRateLimits(sql);
  await sql.end();
  for (const name of scripts.filter((name) => positionals.length === 0 || positionals.includes(name))) {
    console.log(`\n## ${name}\n`);
    const code = await run(name, {
      ...platform.status,
      BENCH_ACTIVITIES: values.activities,
      BENCH_PEOPLE: values.people,
      BENCH_MINUTES: values.minutes,
      BENCH_SEED: values.seed,
      ...(values.network !== undefined && { BENCH_NETWORK: values.network }),
      ...(values.functions !== undefined && { BENCH_FUNCTIONS: values.functions }),
      BENCH_LOTS: values.lots,
      BENCH_BESIDE: values.beside ?? "",
    });
    if (code !== 0) failures++;
  }
} finally {
  await stop();
}
Deno.exit(failures === 0 ? 0 : 1);

async function run(name: string, env: Record<string, string>, args: readonly string[] = []): Promise<number> {
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", fileURLToPath(new URL(`${name}.ts`, import.meta.url)), ...args],
    env,
    stdin: "null",
  }).spawn().status;
  return code;
}
