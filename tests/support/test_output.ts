// What the output of `deno test` says: counts, failures, and how long each file took.

/** A test that failed. */
export interface Failure {
  readonly file: string;
  /** Its name, with the names of its steps; empty where the file itself failed. */
  readonly test: string;
  /** The first line of its error. */
  readonly message: string;
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

/** What Deno would have printed at the end of a process that hung: the test that was running failed, with this message. */
export function hungReport(output: string, message: string): string {
  const last = plain(output).split(/^(?=running \d+ tests? from )/m).at(-1)!;
  const file = /^running \d+ tests? from (?:\.\/)?(.+)/.exec(last)?.[1] ?? "no file";
  const lines = last.split("\n").map((line) => line.trimStart());
  const begun = lines.flatMap((line) => /^(.+) \.\.\.$/.exec(line)?.[1] ?? []);
  const test = begun.filter((name) => !lines.some((line) => line.startsWith(`${name} ... `))).join(" ... ");
  const name = test === "" ? `${file} (uncaught error)` : `${test} => ${file}:1:1`;
  return `\n ERRORS \n\n${name}\nerror: ${message}\n\n FAILURES \n\n${name}\n\nFAILED | 0 passed | 1 failed\n`;
}

/** The seconds of each file: what its tests took, and its share of the rest of what the process took, as loading it. */
export function secondsIn(output: string, took: number): Map<string, number> {
  const seconds = new Map<string, number>();
  for (const part of plain(output).split(/^(?=running \d+ tests? from )/m)) {
    const file = /^running \d+ tests? from (?:\.\/)?(.+)/.exec(part)?.[1];
    if (file === undefined) continue;
    const tests = [...part.matchAll(/^\S.* \.\.\. .*\(([^()]+)\)$/gm)];
    seconds.set(file, tests.reduce((sum, [, duration]) => sum + secondsOf(duration!), 0));
  }
  const rest = took - [...seconds.values()].reduce((sum, each) => sum + each, 0);
  return new Map([...seconds].map(([file, of]) => [file, of + rest / seconds.size]));
}

/** `1m2s`, `3s`, `41ms` and `288µs`, as Deno writes them. */
function secondsOf(duration: string): number {
  const units: Record<string, number> = { h: 3_600, m: 60, s: 1, ms: 1e-3, "µs": 1e-6 };
  return [...duration.matchAll(/(\d+)(ms|µs|h|m|s)/g)].reduce(
    (sum, [, number, unit]) => sum + Number(number) * units[unit!]!,
    0,
  );
}

/** The text without the colours of a terminal. */
// deno-lint-ignore no-control-regex -- these are the colours
const plain = (output: string): string => output.replace(/\x1b\[[0-9;]*m/g, "");
