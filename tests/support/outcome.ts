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

/**
 * Runs the tests, one `deno test` after another, and prints the count of all as the last line; the answer is the exit code.
 * A signal ends the tests first, so that the caller can stop their platform.
 */
export async function runTests(
  runs: readonly TestRun[],
  { filter, isChecked }: TestOptions,
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
  const total = { code: 0, passed: 0, failed: 0, ignored: 0 };
  for (const { config, files } of runs) {
    child = new Deno.Command(Deno.execPath(), {
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
    let tail = "";
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      await Deno.stdout.write(chunk);
      tail = (tail + decoder.decode(chunk, { stream: true })).slice(-4_000);
    }
    const { code } = await child.status;
    if (isInterrupted) return INTERRUPTED;
    const { passed, failed, ignored } = count(tail);
    total.code ||= code;
    total.passed += passed;
    // A run that broke before its first test (a type error, say) has counted nothing.
    total.failed += code !== 0 && failed === 0 ? 1 : failed;
    total.ignored += ignored;
  }
  const { code, passed, failed, ignored } = total;
  const none = passed + failed === 0;
  if (none) console.log("No test is selected.");
  if (ignored > 0) console.log(leftOut(ignored, hasBrowser));
  console.log(`${passed} passed, ${none ? 1 : failed} failed`);
  return code === 0 && none ? 1 : code;
}

/** What a summary says about tests that did not run. */
export function leftOut(ignored: number, hasBrowser: boolean): string {
  return `${ignored} left out${hasBrowser ? "" : ", with all browser tests: they need Linux on x86_64"}`;
}

/** The results in the last summary of `deno test`. */
export function count(output: string): { passed: number; failed: number; ignored: number } {
  // deno-lint-ignore no-control-regex -- the colours of a terminal
  const plain = output.replace(/\x1b\[[0-9;]*m/g, "");
  const summary = [...plain.matchAll(
    /(\d+) passed(?: \(\d+ steps?\))? \| (\d+) failed(?: \(\d+ steps?\))?(?: \| (\d+) ignored)?/g,
  )].at(-1);
  return { passed: Number(summary?.[1] ?? 0), failed: Number(summary?.[2] ?? 0), ignored: Number(summary?.[3] ?? 0) };
}
