// How long the files of tests take: `tests/durations.json`, by which they are cut in batches that start longest first.
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
 * The record after a run of all files: the same object while each file takes between half and twice what it says, and
 * otherwise all that the run took, so that all of it is of one machine.
 */
export function changed(before: Seconds, seconds: Seconds): Seconds {
  const slow = [...seconds].filter(([, took]) => took >= RECORDED_FROM);
  const isClose = (file: string) => {
    const [old, now] = [before.get(file), seconds.get(file)];
    return old !== undefined && now !== undefined && now > old / 2 && now < old * 2;
  };
  if ([...before.keys(), ...slow.map(([file]) => file)].every(isClose)) return before;
  return new Map(slow.map(([file, took]) => [file, Math.round(took)]));
}

/** Test files, and the deno.json that has their packages. */
export interface TestRun {
  readonly config: string;
  readonly files: readonly string[];
}

/** What a file without a record, which is new or short, is taken for. */
const UNRECORDED = 1;

/** Short files share a process until they take so long: the start of one, 0.4 s, is then no matter. */
const BATCH = 20;

/**
 * The files in batches, each for one process with the packages of its files, the longest first. Where there is less to do
 * the batches are smaller, so that each worker has one.
 */
export function inBatches(runs: readonly TestRun[], recorded: Seconds, workers: number): TestRun[] {
  const of = (file: string) => recorded.get(file) ?? UNRECORDED;
  const sum = (files: readonly string[]) => files.reduce((all, file) => all + of(file), 0);
  const least = Math.min(BATCH, sum(runs.flatMap(({ files }) => files)) / workers);
  const batches = runs.flatMap(({ config, files }) => {
    const inOrder: string[][] = [];
    for (const file of files.toSorted((a, b) => of(b) - of(a))) {
      const last = inOrder.at(-1);
      if (last === undefined || sum(last) >= least) inOrder.push([file]);
      else last.push(file);
    }
    return inOrder.map((files) => ({ config, files }));
  });
  return batches.toSorted((a, b) => sum(b.files) - sum(a.files));
}

/** The ten slowest files, as lines. */
export function slowest(seconds: Seconds): string[] {
  return lines(seconds).slice(0, 10);
}

/** What the files of each folder took together, as lines. */
export function byFolder(seconds: Seconds): string[] {
  const folders = Map.groupBy(seconds, ([file]) => file.split("/").slice(0, 2).join("/"));
  return lines(new Map([...folders].map(([folder, of]) => [folder, of.reduce((all, [, took]) => all + took, 0)])));
}

function lines(seconds: Seconds): string[] {
  return [...seconds].sort(([, a], [, b]) => b - a).map(([name, took]) => `${took.toFixed(1).padStart(7)} s  ${name}`);
}
