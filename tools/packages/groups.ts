// The programs of the repository in groups, each with packages of its own: a folder with a deno.json and a lock file. The
// root's group is the running service. What a group needs is downloaded when one of its programs first runs.
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");

export interface Group {
  /** The folder of its deno.json, from the root; empty for the root. */
  readonly folder: string;
  /** Words for a line of progress. */
  readonly name: string;
  /** The size of the unpacked packages, as `deno task lock` measured it. */
  readonly megabytes: number;
  /** Files and folders whose programs run with these packages. */
  readonly folders: readonly string[];
  /** Packages that programs run as a command or read as files, without an import. */
  readonly also: readonly string[];
}

interface LockedPackage {
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}

const WITHOUT_CONFIG = /^(\..*|node_modules|dist|functions)$/;

/** All groups, the root's first. */
export async function readGroups(): Promise<Group[]> {
  const found: Group[] = [];
  for (const folder of await foldersWithConfig("")) {
    const { packages } = JSON.parse(await Deno.readTextFile(join(ROOT, folder, "deno.json")));
    found.push({ folder, also: [], folders: [folder], ...packages });
  }
  return found;
}

async function foldersWithConfig(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isFile, isDirectory } of Deno.readDir(join(ROOT, folder))) {
    if (isFile && name === "deno.json") found.unshift(folder);
    if (isDirectory && !WITHOUT_CONFIG.test(name)) found.push(...await foldersWithConfig(join(folder, name)));
  }
  return found;
}

/** The group whose packages a file or folder needs: the one that names the longest part of its path. */
export function groupOf(groups: readonly Group[], path: string): Group {
  const from = relative(ROOT, resolve(ROOT, path));
  const named = groups.flatMap((group) => group.folders.map((folder) => ({ group, folder })))
    .filter(({ folder }) => from === folder || from.startsWith(`${folder}/`))
    .sort((a, b) => b.folder.length - a.folder.length);
  return named[0]?.group ?? groups[0]!;
}

export function configOf({ folder }: Group): string {
  return join(ROOT, folder, "deno.json");
}

/** The programs of the repository: files that git tracks, or will. */
export async function trackedPrograms(): Promise<string[]> {
  const { stdout } = await new Deno.Command("git", {
    args: ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts", "*.tsx"],
    cwd: ROOT,
  }).output();
  return new TextDecoder().decode(stdout).split("\n").filter((path) => path !== "");
}

/** The folders of a group's packages in Deno's cache, without those that are for another kind of machine. */
export async function packageFolders(group: Group): Promise<string[]> {
  return (await lockedPackages(group)).flatMap(({ folder }) => folder ?? []);
}

async function lockedPackages({ folder }: Group): Promise<{ isOptional: boolean; folder: string | undefined }[]> {
  const lock = JSON.parse(await Deno.readTextFile(join(ROOT, folder, "deno.lock")));
  const registries = await npmCaches();
  return Object.entries<LockedPackage>(lock.npm ?? {}).map(([locked, { os, cpu }]) => {
    const [, name, version] = locked.match(/^(@?[^@]+)@([^_]+)/)!; // what follows `_` are the versions of its peers
    const folders = registries.map((registry) => join(registry, name!, version!));
    return {
      isOptional: os !== undefined || cpu !== undefined,
      folder: folders.find((folder) => exists(join(folder, "package.json"))),
    };
  });
}

/** The line about packages that a program's first run downloads; undefined if nothing is missing. */
export async function announcement(group: Group): Promise<string | undefined> {
  const locked = await lockedPackages(group);
  if (!locked.some(({ isOptional, folder }) => !isOptional && folder === undefined)) return undefined;
  return `Downloading ${group.name} (${group.megabytes} MB), once`;
}

let caches: Promise<string[]> | undefined;
function npmCaches(): Promise<string[]> {
  return caches ??= (async () => {
    const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--no-config", "--json"] }).output();
    const { npmCache } = JSON.parse(new TextDecoder().decode(stdout));
    if (!exists(npmCache)) return [];
    return (await Array.fromAsync(Deno.readDir(npmCache))).map(({ name }) => join(npmCache, name));
  })();
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
