// A database is built once in a run; the platforms of the tests begin with a copy of its files, in memory where there is
// room.
import { statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { addSamplePeople } from "../../local/people.ts";
import { fileExists, removeIfExists } from "../../local/files.ts";
import { RECORD } from "../../local/postgres/built.ts";
import { removeCrashed, removeDatabase, startDatabase } from "../../local/postgres/database.ts";
import { identify } from "../../local/postgres/identity.ts";
import { isRunning } from "../../local/process.ts";
import { STATE } from "../../local/settings.ts";
import { eventually } from "./eventually.ts";

const PREFIX = "built";
const VARIABLE = "BUILT_DATA";

/** A file system in memory. ext4 takes a second of a core to create two thousand files after as many were deleted. */
const MEMORY = "/dev/shm";
const MIN_MEMORY_BYTES = 4 * 1024 ** 3;
const IN_MEMORY = `parking-lot-tests-${Deno.uid()}-`;

/** Builds it, for this process and those that it starts. */
export async function buildOnce(): Promise<{ remove(): Promise<void> }> {
  await removeCrashed(PREFIX);
  const home = await hasMemory() ? join(MEMORY, `${IN_MEMORY}${Deno.pid}`) : (await identify(STATE)).home;
  const name = newName();
  const built = join(home, name);
  Deno.env.set(VARIABLE, built);
  await createFolder(built, name);
  const server = await startDatabase({ name, durable: false, onStep: () => {} });
  await server.stop();
  return {
    remove: async () => {
      await removeData(name);
      for (const folder of [developersOf(built), lockOf(built)]) await removeIfExists(folder);
      if (home.startsWith(MEMORY)) await removeIfExists(home);
    },
  };
}

/**
 * Copies it for the platform of this name; with `isDevelopers` also the places and the sample people, which the first start
 * of `task dev` adds. Without a run around the test the platform builds its own.
 */
export async function copyBuiltData(name: string, { isDevelopers = false } = {}): Promise<void> {
  const built = Deno.env.get(VARIABLE);
  if (built) await copy(isDevelopers ? await developersData(built) : built, name);
}

/** A platform or database of this name that begins without data keeps it where the copies are. */
export async function placeData(name: string): Promise<void> {
  const built = Deno.env.get(VARIABLE);
  if (built) await createFolder(join(dirname(built), name), name);
}

/** A new folder where the copies are, for a test that needs many files. */
export async function makeFolder(): Promise<string> {
  const built = Deno.env.get(VARIABLE);
  return await Deno.makeTempDir(built === undefined ? {} : { dir: dirname(built) });
}

/** Removes what the platform of this name has kept, and stops its server if that still runs. */
export async function removeData(name: string): Promise<void> {
  const { home } = await identify(STATE);
  await removeDatabase(name);
  for (const parent of new Set([dirname(Deno.env.get(VARIABLE) ?? home), home, STATE])) {
    await removeIfExists(join(parent, name));
  }
}

/** The first test that needs it builds it; the others wait. */
async function developersData(built: string): Promise<string> {
  const folder = developersOf(built);
  if (!await isFirst(lockOf(built))) return await eventually(async () => await fileExists(folder) ? folder : undefined);
  const name = newName();
  await copy(built, name);
  const server = await startDatabase({ name, durable: false, withPlaces: true, onStep: () => {} });
  await addSamplePeople(server.url(), () => {});
  await server.stop();
  await Deno.rename(join(dirname(built), name), folder);
  await removeData(name);
  return folder;
}

async function isFirst(lock: string): Promise<boolean> {
  try {
    await Deno.mkdir(lock);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw error;
  }
}

const developersOf = (built: string) => `${built}-developers`;
const lockOf = (built: string) => `${built}-lock`;
const newName = () => `${PREFIX}-${Deno.pid}-${crypto.randomUUID().slice(0, 8)}`;

async function copy(from: string, name: string): Promise<void> {
  const folder = join(dirname(from), name);
  await createFolder(folder, name);
  const { command } = await identify(STATE);
  const { success, stderr } = await command("cp", ["-Rp", join(from, "data"), join(folder, "data")], {
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`The built data cannot be copied: ${new TextDecoder().decode(stderr)}`);
  await Deno.copyFile(join(from, RECORD), join(folder, RECORD));
}

/** Creates the folder of the platform of this name, and a link to it where the platform keeps its data. */
async function createFolder(folder: string, name: string): Promise<void> {
  const { home, own } = await identify(STATE);
  await Deno.mkdir(home, { recursive: true });
  await Deno.mkdir(folder, { recursive: true, mode: 0o755 });
  await own(folder);
  if (dirname(folder) !== home) await Deno.symlink(folder, join(home, name));
}

/** Whether memory has room. Removes what killed runs left there. */
async function hasMemory(): Promise<boolean> {
  try {
    for await (const { name } of Deno.readDir(MEMORY)) {
      const isLeft = name.startsWith(IN_MEMORY) && !isRunning(Number(name.slice(IN_MEMORY.length)));
      if (isLeft) await removeIfExists(join(MEMORY, name));
    }
    const { bavail, bsize } = await statfs(MEMORY);
    return bavail * bsize >= MIN_MEMORY_BYTES;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false; // another system
    throw error;
  }
}
