// `deno task test:planted`: plants each fault of faults.ts in a copy of the working tree, one at a time, and runs the tests
// that must find it. What it prints last is how many were planted and found; the exit code is 1 when one was not.
//
//   deno task test:planted                       all of them: 24 minutes on two cores
//   deno task test:planted import "SQL rights"   those of areas
//   deno task test:planted fraction              those whose words contain this
import { join } from "node:path";
import { postgresFolder } from "../../tools/packages/postgres.ts";
import { STATE } from "../../local/settings.ts";
import { failuresIn } from "../support/test_output.ts";
import { RepositoryCopy } from "../deploy/repository_copy.ts";
import { AREAS, type Fault, FAULTS, isInSchema, migrationOf, planted } from "./faults.ts";

/** After all others, so that the database of the tests has the fault. */
const MIGRATION = "supabase/migrations/29990101000000_planted.sql";

interface Outcome {
  readonly passed: number;
  readonly failed: number;
  /** The tests that failed. */
  readonly names: readonly string[];
  readonly output: string;
}

const words = Deno.args.filter((word) => word !== "--");
const faults = FAULTS.filter(({ area, change }) =>
  words.length === 0 || words.some((word) => area.includes(word) || change.includes(word))
);
if (faults.length === 0) {
  console.error(`No fault has ${words.join(" or ")}. The areas are ${AREAS.join(", ")}.`);
  Deno.exit(2);
}

await using copy = await RepositoryCopy.make();
const state = join(copy.folder, ".local");
await Deno.mkdir(state, { recursive: true });
await Deno.symlink(postgresFolder(STATE), postgresFolder(state));

const before = await test([...new Set(faults.flatMap(({ tests }) => tests))]);
if (before.failed > 0 || before.passed === 0) {
  console.error(`Without a fault these tests do not pass:\n${before.names.join("\n")}\n${before.output.slice(-3000)}`);
  Deno.exit(1);
}
console.log(`${before.passed} tests pass without a fault.\n`);

const missed: Fault[] = [];
for (const [n, fault] of faults.entries()) {
  const started = performance.now();
  const { failed, passed, names, output } = await withFault(fault, () => test(fault.tests));
  const seconds = Math.round((performance.now() - started) / 1_000);
  const isFound = failed > 0 && names.length > 0;
  if (!isFound) missed.push(fault);
  console.log(`${n + 1}. ${fault.area}: ${fault.change} (${seconds} s)`);
  if (isFound) console.log(`   found by ${names.length} of ${passed + failed}: ${names[0]}`);
  else console.log(`   NOT FOUND by ${fault.tests.join(", ")}\n${passed > 0 ? "" : output.slice(-2000)}`);
}
console.log(`\n${faults.length} planted, ${faults.length - missed.length} found`);
for (const { area, change } of missed) console.log(`not found: ${area}: ${change}`);
Deno.exitCode = missed.length === 0 ? 0 : 1;

async function withFault<Result>(fault: Fault, run: () => Promise<Result>): Promise<Result> {
  if ("sql" in fault || isInSchema(fault.file)) {
    const sql = "sql" in fault ? fault.sql : migrationOf(await copy.read(fault.file), fault);
    await Deno.writeTextFile(join(copy.folder, MIGRATION), sql);
    try {
      return await run();
    } finally {
      await Deno.remove(join(copy.folder, MIGRATION));
    }
  }
  const text = await copy.read(fault.file);
  await copy.edit(fault.file, () => planted(text, fault));
  try {
    return await run();
  } finally {
    await copy.edit(fault.file, () => text);
  }
}

async function test(files: readonly string[]): Promise<Outcome> {
  const { output } = await copy.deno(["task", "test", "--no-check", ...files]);
  const [, passed = 0, failed = 0] = [...output.matchAll(/^(\d+) passed, (\d+) failed$/gm)].at(-1) ?? [];
  const names = failuresIn(output).map(({ file, test }) => `${file}: ${test}`);
  return { passed: Number(passed), failed: Number(failed), names: [...new Set(names)], output };
}
