// Runs `deno test` with its output, and counts the results.
import { hasBrowser } from "./browser.ts";

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
}

/** So many files are run once more when they fail: where more fail, it is not by chance. */
const AGAIN_AT_MOST = 8;

/** A test that failed. */
export interface Failure {
  readonly file: string;
  /** Its name, with the names of its steps; empty where the file itself failed. */
  readonly test: string;
  /** The first line of its error. */
  readonly message: string;
}

interface Result {
  readonly code: number;
  readonly passed: number;
  readonly failed: number;
  readonly ignored: number;
  readonly failures: readonly Failure[];
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
  const runOnce = async (run: TestRun): Promise<Result> => {
    child = start(run, options, environment);
    let output = "";
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      await Deno.stdout.write(chunk);
      output += decoder.decode(chunk, { stream: true });
    }
    const { code } = await child.status;
    return { code, ...count(output), failures: code === 0 ? [] : failuresIn(output) };
  };

  const results: Result[] = [];
  for (const run of runs) {
    results.push(await runOnce(run));
    if (isInterrupted) return INTERRUPTED;
  }
  const flaky: Failure[] = [];
  const broken = results.flatMap(({ failures }) => failures);
  if (new Set(broken.map(({ file }) => file)).size <= AGAIN_AT_MOST) {
    for (const [n, { config }] of runs.entries()) {
      const first = results[n]!;
      const files = [...new Set(first.failures.map(({ file }) => file))];
      if (files.length === 0) continue;
      let hasFailed = false;
      for (const file of files) {
        console.log(`\n${file} failed and is run once more.`);
        const { code } = await runOnce({ config, files: [file] });
        if (isInterrupted) return INTERRUPTED;
        if (code === 0) flaky.push(...first.failures.filter((failure) => failure.file === file));
        else hasFailed = true;
      }
      if (!hasFailed) results[n] = { ...first, code: 0, passed: first.passed + first.failed, failed: 0 };
    }
  }

  for (const { file, test, message } of flaky) console.log(["flaky", file, test, message].filter(Boolean).join(": "));
  const sum = (of: (result: Result) => number) => results.reduce((all, result) => all + of(result), 0);
  const passed = sum((result) => result.passed), ignored = sum((result) => result.ignored);
  // A run that broke before its first test (a type error, say) has counted nothing.
  const failed = sum(({ code, failed }) => code !== 0 && failed === 0 ? 1 : failed);
  const none = passed + failed === 0;
  if (none) console.log("No test is selected.");
  if (ignored > 0) console.log(leftOut(ignored, hasBrowser));
  console.log(`${passed} passed, ${none ? 1 : failed} failed`);
  return none ? 1 : results.find(({ code }) => code !== 0)?.code ?? 0;
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

/** The results in the last summary of `deno test`. */
export function count(output: string): { passed: number; failed: number; ignored: number } {
  const summary = [
    ...plain(output.slice(-4_000)).matchAll(
      /(\d+) passed(?: \(\d+ steps?\))? \| (\d+) failed(?: \(\d+ steps?\))?(?: \| (\d+) ignored)?/g,
    ),
  ].at(-1);
  return { passed: Number(summary?.[1] ?? 0), failed: Number(summary?.[2] ?? 0), ignored: Number(summary?.[3] ?? 0) };
}

/** The tests in the list of failures of `deno test`. */
export function failuresIn(output: string): Failure[] {
  const lines = plain(output).split("\n");
  const list = lines.lastIndexOf(" FAILURES ");
  if (list < 0) return [];
  const errors = lines.slice(lines.lastIndexOf(" ERRORS "), list);
  return lines.slice(list + 1).flatMap((line) => {
    const of = /^(?:(.+) => )?(?:\.\/)?(\S+?)(?::\d+:\d+| \(uncaught error\))$/.exec(line);
    if (of === null) return [];
    const message = errors[errors.indexOf(line) + 1] ?? "";
    return [{ file: of[2]!, test: of[1] ?? "", message: message.replace(/^error: /, "") }];
  });
}

/** The text without the colours of a terminal. */
// deno-lint-ignore no-control-regex -- these are the colours
const plain = (output: string): string => output.replace(/\x1b\[[0-9;]*m/g, "");
