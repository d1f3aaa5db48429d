// Runs test files, one process with a batch of them for each core, and counts the results.
import { forEach } from "../../supabase/functions/_shared/queue/pool.ts";
import { hasBrowser } from "./browser.ts";
import {
  byFolder,
  inBatches,
  readDurations,
  recordDurations,
  type Seconds,
  slowest,
  type TestRun,
} from "./durations.ts";
import { count, type Failure, failuresIn, hungReport, secondsIn } from "./test_output.ts";
import { untilEnded } from "./test_process.ts";

/** The exit code of a run that a signal ended. */
const INTERRUPTED = 130;

export interface TestOptions {
  /** Words that the name of a test contains. */
  readonly filter: string;
  /** Whether the types were checked already. */
  readonly isChecked: boolean;
  /** Whether these are all tests: only then are their durations recorded. */
  readonly isWhole: boolean;
}

/** So many files are run once more when they fail: where more fail, it is not by chance. */
const AGAIN_AT_MOST = 8;

interface Result {
  readonly run: TestRun;
  readonly code: number;
  /** Whether its process hung: what it counted is not all then. */
  readonly isHung: boolean;
  readonly passed: number;
  readonly failed: number;
  readonly ignored: number;
  readonly failures: readonly Failure[];
  readonly seconds: Seconds;
}

/** Three for two cores, because many tests wait for a platform, a browser or a deadline; DENO_JOBS sets another number. */
export const WORKERS: number = Number(Deno.env.get("DENO_JOBS")) || Math.ceil(navigator.hardwareConcurrency * 1.5);

/**
 * Runs the tests with WORKERS workers, the longest files of all groups first and those that must be alone last, and prints
 * the count of all as the last line; the answer is the exit code. The output of a batch is printed whole when it ends. A
 * file that fails is run once more at the end, by itself, and a batch that hung (test_process.ts) as a whole. When it passes
 * then, so does the run, and lines before the count name what failed: `flaky: <file>: <test>: <message>`. A signal ends the
 * tests first, so that the caller can stop their platform.
 */
export async function runTests(
  runs: readonly TestRun[],
  { filter, isChecked, isWhole }: TestOptions,
  environment: Record<string, string>,
): Promise<number> {
  const children = new Set<Deno.ChildProcess>();
  let isInterrupted = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => {
      isInterrupted = true;
      for (const child of children) {
        try {
          child.kill(signal);
        } catch {
          // It has ended: a terminal sends the signal to all.
        }
      }
    });
  }
  const deno = async (args: string[], isAlone: boolean) => {
    const child = new Deno.Command(Deno.execPath(), {
      args,
      env: { ...environment, DO_NOT_TRACK: "1" },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    children.add(child);
    const printed = isAlone ? undefined : [] as Uint8Array[];
    const ended = await untilEnded(child, (bytes) => printed ? void printed.push(bytes) : write(bytes));
    children.delete(child);
    await write(new Uint8Array(await new Blob(printed as BlobPart[]).arrayBuffer()));
    return ended;
  };
  const test = async (run: TestRun, isAlone: boolean): Promise<Result> => {
    const started = performance.now();
    const filters = filter === "" ? [] : [`--filter=${filter}`];
    const args = ["test", "-A", "--no-check", `--config=${run.config}`, ...filters, ...run.files];
    const { code, output, hung } = await deno(args, isAlone);
    const report = hung === undefined ? "" : hungReport(output, hung);
    await write(new TextEncoder().encode(report));
    return {
      run,
      code: hung === undefined ? code : 1,
      isHung: hung !== undefined,
      ...count(output + report),
      failures: code === 0 && hung === undefined ? [] : failuresIn(output + report),
      seconds: secondsIn(output, (performance.now() - started) / 1_000),
    };
  };

  const started = performance.now();
  let areTypesRight = true;
  if (!isChecked) {
    await forEach(runs, WORKERS, async ({ config, files }) => {
      if (isInterrupted) return;
      const { code } = await deno(["check", "--quiet", `--config=${config}`, ...files], false);
      areTypesRight &&= code === 0;
    });
  }
  const alone = await runningAlone(runs);
  const together = runs.map(({ config, files }) => ({ config, files: files.filter((file) => !alone.has(file)) }));
  const batches = inBatches(together, await readDurations(), WORKERS);
  const last = runs.flatMap(({ config, files }) =>
    files.filter((file) => alone.has(file)).map((file) => ({ config, files: [file] }))
  );
  const results: Result[] = [];
  for (const [all, atOnce] of areTypesRight ? [[batches, WORKERS], [last, 1]] as const : []) {
    await forEach(all, atOnce, async (batch) => {
      if (!isInterrupted) results.push(await test(batch, all.length === 1));
    });
  }
  const flaky = await runAgain(results, (run) => test(run, true), () => isInterrupted);
  if (isInterrupted) return INTERRUPTED;

  const seconds = new Map(results.flatMap((result) => [...result.seconds]));
  if (seconds.size > 1) {
    console.log(`\nThe slowest files:\n${slowest(seconds).join("\n")}`);
    console.log(`\nSeconds of a worker, by folder:\n${byFolder(seconds).join("\n")}`);
    const took = Math.round((performance.now() - started) / 1_000);
    console.log(`\n${results.length} batches on ${WORKERS} workers: ${took} s`);
  }
  const code = areTypesRight ? results.find(({ code }) => code !== 0)?.code ?? 0 : 1;
  if (isWhole && code === 0 && await recordDurations(seconds)) console.log("tests/durations.json has changed.");
  const stale = staleFiles(results.flatMap(({ failures }) => failures));
  if (stale !== undefined) console.log(stale);
  for (const { file, test, message } of flaky) console.log(["flaky", file, test, message].filter(Boolean).join(": "));
  const sum = (of: (result: Result) => number) => results.reduce((all, result) => all + of(result), 0);
  const passed = sum((result) => result.passed), ignored = sum((result) => result.ignored);
  // A batch that broke before its first test (a module that is missing, say) has counted nothing.
  const failed = sum(({ code, failed }) => code !== 0 && failed === 0 ? 1 : failed);
  const none = passed + failed === 0;
  if (none) console.log(areTypesRight ? "No test is selected." : "Types are wrong: nothing was run.");
  if (ignored > 0) console.log(leftOut(ignored, hasBrowser));
  console.log(`${passed} passed, ${none ? 1 : failed} failed`);
  return none ? 1 : code;
}

/** The files that disturb others on the shared platform, as a line in them says: `// Runs alone: <reason>`. */
async function runningAlone(runs: readonly TestRun[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const file of runs.flatMap(({ files }) => files)) {
    if (/^\/\/ Runs alone: /m.test(await Deno.readTextFile(file))) found.add(file);
  }
  return found;
}

/**
 * Runs files that failed once more, and batches that hung, corrects the results of those that pass then, and returns what
 * they failed with.
 */
async function runAgain(
  results: Result[],
  test: (run: TestRun) => Promise<Result>,
  isInterrupted: () => boolean,
): Promise<Failure[]> {
  const failures = results.flatMap(({ failures }) => failures);
  if (new Set(failures.map(({ file }) => file)).size > AGAIN_AT_MOST) return [];
  const passed = new Set<string>();
  for (const [n, first] of results.entries()) {
    const failed = [...new Set(first.failures.map(({ file }) => file))];
    for (const files of first.isHung ? [first.run.files] : failed.map((file) => [file])) {
      if (isInterrupted()) return [];
      console.log(`\n${files.join(", ")} failed and ${files.length === 1 ? "is" : "are"} run once more.`);
      const again = await test({ config: first.run.config, files });
      if (again.code !== 0) continue;
      for (const file of first.isHung ? failed : files) passed.add(file);
      if (first.isHung) results[n] = again;
    }
    if (!first.isHung && failed.length > 0 && failed.every((file) => passed.has(file))) {
      results[n] = { ...first, code: 0, passed: first.passed + first.failed, failed: 0 };
    }
  }
  return failures.filter(({ file }) => passed.has(file));
}

async function write(bytes: Uint8Array): Promise<void> {
  for (let from = 0; from < bytes.length;) from += await Deno.stdout.write(bytes.subarray(from));
}

/** The line about generated files, whose tests name the command that writes them: `… (deno task openapi)`. */
export function staleFiles(failures: readonly Failure[]): string | undefined {
  const commands = new Set(failures.flatMap(({ test }) => /\((deno task [^()]+)\)/.exec(test)?.[1] ?? []));
  return commands.size === 0 ? undefined : `Generated files are out of date. Run ${[...commands].join("; ")}.`;
}

/** What a summary says about tests that did not run. */
export function leftOut(ignored: number, hasBrowser: boolean): string {
  return `${ignored} left out${hasBrowser ? "" : ", with all browser tests: they need Linux on x86_64"}`;
}
