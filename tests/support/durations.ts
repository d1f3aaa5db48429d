// How long the files of tests take: `tests/durations.json`, by which the longest start first.
import { fileURLToPath } from "node:url";

const RECORD = fileURLToPath(new URL("../durations.json", import.meta.url));

/** Files below this are not recorded: their order changes nothing. */
const RECORDED_FROM = 3;

/** Seconds by file. */
export type Seconds = ReadonlyMap<string, number>;

export async function readDurations(): Promise<Seconds> {
  return new Map(Object.entries<number>(JSON.parse(await Deno.readTextFile(RECORD))));
}

/** Records what a run of all files took; false if the record says so already. */
export async function recordDurations(seconds: Seconds): Promise<boolean> {
  const before = await readDurations();
  const after = changed(before, seconds);
  if (after === before) return false;
  const sorted = [...after].sort(([a, of], [b, than]) => than - of || (a < b ? -1 : 1));
  await Deno.writeTextFile(RECORD, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  return true;
}

/**
 * The record after a run of all files. A file keeps its seconds while they are between half and twice what it took, so that
 * the record changes only where the order does; without such a change it is the same object.
 */
export function changed(before: Seconds, seconds: Seconds): Seconds {
  const slow = new Map(
    [...seconds].filter(([, took]) => took >= RECORDED_FROM).map(([file, took]) => [file, Math.round(took)]),
  );
  const isClose = (file: string) => {
    const [old, now] = [before.get(file), seconds.get(file)];
    return old !== undefined && now !== undefined && now > old / 2 && now < old * 2;
  };
  const files = new Set([...before.keys(), ...slow.keys()]);
  if ([...files].every(isClose)) return before;
  return new Map([...files].flatMap((file) => {
    const took = isClose(file) ? before.get(file) : slow.get(file);
    return took === undefined ? [] : [[file, took] as const];
  }));
}

/** The longest first; files without a record, which are new or short, keep their order at the end. */
export function longestFirst(files: readonly string[], recorded: Seconds): string[] {
  const of = (file: string) => recorded.get(file) ?? 0;
  return files.toSorted((a, b) => of(b) - of(a));
}

/** The ten slowest files, as lines. */
export function slowest(seconds: Seconds): string[] {
  return [...seconds].sort(([, a], [, b]) => b - a).slice(0, 10)
    .map(([file, took]) => `${took.toFixed(1).padStart(7)} s  ${file}`);
}
