// Runs `deno test`, the longest files first, and counts the results.
import { hasBrowser } from "./browser.ts";
import { longestFirst, readDurations, recordDurations, type Seconds, slowest } from "./durations.ts";
import { count, type Failure, failuresIn, secondsIn } from "./test_output.ts";

/** The exit code of a run that a signal ended. */
const INTERRUPTED = 130;

/** Test files, and the deno.json that has their packages. */
export interface TestRun {
  readonly config: string;
  readonly files: readonly string[];
}

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
  readonly code: number;
  readonly passed: number;
  readonly failed: number;
  readonly ignored: number;
  readonly failures: readonly Failure[];
  readonly seconds: Seconds;
}

/**
 * Runs the tests, one `deno test` after another, and prints the count of all as the last line; the answer is the exit code.
 * A file that fails is run once more at the end, by itself. When it passes then, so does the run, and lines before the count
 * name what failed: `flaky: <file>: <test>: <message>`. A signal ends the tests first, so that the caller can stop their
 * platform.
 */
export async function runTests(
  runs: readonly TestRun[],
  options: TestOptions,
  environment: Record<string, string>,
): Promise<number> {
  let child: Deno.ChildProcess | undefined;
  let isInterrupted = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => {
      isInterrupted = true;
      try {
        child?.kill(signal);
      } catch {
        // It has ended: a terminal sends the signal to both.
      }
    });
  }
  const recorded = await readDurations();
  const runOnce = async ({ config, files }: TestRun): Promise<Result> => {
    child = start({ config, files: longestFirst(files, recorded) }, options, environment);
    let output = "";
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      await Deno.stdout.write(chunk);
      output += decoder.decode(chunk, { stream: true });
    }
    const { code } = await child.status;
    return { code, ...count(output), failures: code === 0 ? [] : failuresIn(output), seconds: secondsIn(output) };
  };

  const results: Result[] = [];
  for (const run of runs) {
    results.push(await runOnce(run));
    if (isInterrupted) return INTERRUPTED;
  }
  const flaky = await runAgain(runs, results, runOnce, () => isInterrupted);
  if (isInterrupted) return INTERRUPTED;

  const seconds = new Map(results.flatMap((result) => [...result.seconds]));
  if (seconds.size > 1) console.log(`\nThe slowest files:\n${slowest(seconds).join("\n")}`);
  const code = results.find(({ code }) => code !== 0)?.code ?? 0;
  if (options.isWhole && code === 0 && await recordDurations(seconds)) console.log("tests/durations.json has changed.");
  for (const { file, test, message } of flaky) console.log(["flaky", file, test, message].filter(Boolean).join(": "));
  const sum = (of: (result: Result) => number) => results.reduce((all, result) => all + of(result), 0);
  const passed = sum((result) => result.passed), ignored = sum((result) => result.ignored);
  // A run that broke before its first test (a type error, say) has counted nothing.
  const failed = sum(({ code, failed }) => code !== 0 && failed === 0 ? 1 : failed);
  const none = passed + failed === 0;
  if (none) console.log("No test is selected.");
  if (ignored > 0) console.log(leftOut(ignored, hasBrowser));
  console.log(`${passed} passed, ${none ? 1 : failed} failed`);
  return none ? 1 : code;
}

/** Runs files that failed once more, corrects the results of those that pass then, and returns what they failed with. */
async function runAgain(
  runs: readonly TestRun[],
  results: Result[],
  runOnce: (run: TestRun) => Promise<Result>,
  isInterrupted: () => boolean,
): Promise<Failure[]> {
  const files = new Set(results.flatMap(({ failures }) => failures.map(({ file }) => file)));
  if (files.size > AGAIN_AT_MOST) return [];
  const passed = new Set<string>();
  for (const [n, { config }] of runs.entries()) {
    const first = results[n]!;
    const failed = [...new Set(first.failures.map(({ file }) => file))];
    for (const file of failed) {
      console.log(`\n${file} failed and is run once more.`);
      const { code } = await runOnce({ config, files: [file] });
      if (isInterrupted()) return [];
      if (code === 0) passed.add(file);
    }
    if (failed.length > 0 && failed.every((file) => passed.has(file))) {
      results[n] = { ...first, code: 0, passed: first.passed + first.failed, failed: 0 };
    }
  }
  return results.flatMap(({ failures }) => failures).filter(({ file }) => passed.has(file));
}

function start(
  { config, files }: TestRun,
  { filter, isChecked }: TestOptions,
  environment: Record<string, string>,
): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: [
      "test",
      "-A",
      "--parallel",
      `--config=${config}`,
      ...filter === "" ? [] : [`--filter=${filter}`],
      ...isChecked ? ["--no-check"] : [],
      ...files,
    ],
    env: { ...environment, DO_NOT_TRACK: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
}

/** What a summary says about tests that did not run. */
export function leftOut(ignored: number, hasBrowser: boolean): string {
  return `${ignored} left out${hasBrowser ? "" : ", with all browser tests: they need Linux on x86_64"}`;
}
