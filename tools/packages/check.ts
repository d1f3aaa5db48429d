// Checks the types of every program (`deno task check`). First each group resolves what its programs import by its own lock
// file. Then the groups are checked in two parts, because most of them import the functions, whose types take ten seconds each
// time: one part with the library of browsers (DOM), and one in which the globals of browsers are unknown.
import { join } from "node:path";
import { forEach } from "../../supabase/functions/_shared/queue/pool.ts";
import { announcement, configOf, type Group, groupOf, readGroups, ROOT, trackedPrograms } from "./groups.ts";

interface Lock {
  readonly version: string;
  readonly specifiers: Record<string, string>;
  readonly npm: Record<string, { readonly dependencies?: string[]; readonly optionalDependencies?: string[] }>;
}

const NAMES_DOM = /^\/\/\/ <reference lib="dom" \/>$/m;
/** The parts of a package's entry in a lock that name other packages. */
const REFERENCES = ["dependencies", "optionalDependencies"] as const;

const groups = await readGroups();
const programs = Map.groupBy(await trackedPrograms(), (path) => groupOf(groups, path));
let failed = false;

await forEach([...programs], navigator.hardwareConcurrency, async ([group, files]) => {
  const line = await announcement(group);
  if (line !== undefined) console.log(line);
  await deno(`Packages of ${group.folder || "the service"}`, "cache", configOf(group), files);
});
if (failed) Deno.exit(1);

const browsers = new Map<Group, readonly string[]>();
for (const [group, files] of programs) if (await namesDom(files)) browsers.set(group, files);
const servers = new Map([...programs].filter(([group]) => !browsers.has(group)));

const folder = await Deno.makeTempDir({ prefix: "types-" });
try {
  await forEach([{ name: "servers", groups: servers }, { name: "browsers", groups: browsers }], 2, async (program) => {
    const files = [...program.groups.values()].flat();
    const config = await writeConfig(join(folder, program.name), [...program.groups.keys()]);
    await deno(`Types for ${program.name}: ${files.length} files`, "check", config, files);
  });
} finally {
  await Deno.remove(folder, { recursive: true });
}
if (failed) Deno.exit(1);

/** Runs a command of Deno over these files. Prints the line, and what the command reports. */
async function deno(line: string, command: string, config: string, files: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [command, "--quiet", `--config=${config}`, ...files],
    cwd: ROOT,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  console.log(line);
  await Deno.stderr.write(stderr);
  failed ||= !success;
}

async function namesDom(files: readonly string[]): Promise<boolean> {
  for (const file of files) if (NAMES_DOM.test(await Deno.readTextFile(join(ROOT, file)))) return true;
  return false;
}

/** Writes a configuration that has the compiler's options of the root and the packages of these groups. Returns its path. */
async function writeConfig(folder: string, groups: readonly Group[]): Promise<string> {
  const { unstable, compilerOptions } = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
  const config = join(folder, "deno.json");
  await Deno.mkdir(folder);
  await Deno.writeTextFile(
    config,
    JSON.stringify({ nodeModulesDir: "none", importMap: join(ROOT, "imports.json"), unstable, compilerOptions }),
  );
  await Deno.writeTextFile(join(folder, "deno.lock"), JSON.stringify(await commonLock(groups)));
  return config;
}

/** The packages of several locks. A package that two locks have is that of the first. */
async function commonLock(groups: readonly Group[]): Promise<Lock> {
  const common = { version: "", specifiers: {}, npm: {} };
  for (const { folder } of groups) {
    const lock = JSON.parse(await Deno.readTextFile(join(ROOT, folder, "deno.lock")));
    common.version = lock.version;
    common.specifiers = { ...lock.specifiers, ...common.specifiers };
    common.npm = { ...withVersions(lock.npm), ...common.npm };
  }
  return common;
}

/** The packages of a lock with each reference in full. A lock leaves out a version that is its only one of the package. */
function withVersions(npm: Lock["npm"]): Lock["npm"] {
  const byName = new Map(Object.keys(npm).map((locked) => [locked.slice(0, locked.indexOf("@", 1)), locked]));
  return Object.fromEntries(
    Object.entries(npm).map(([locked, entry]) => [locked, {
      ...entry,
      ...Object.fromEntries(
        REFERENCES.flatMap((key) => entry[key] ? [[key, entry[key].map((name) => byName.get(name) ?? name)]] : []),
      ),
    }]),
  );
}
