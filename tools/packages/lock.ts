// Writes the lock file of each group, and into its deno.json the size of its packages (`deno task lock [folder...]`).
// A group's lock has what its programs import, and what its deno.json names under `also`: commands, files, and packages that
// have types alone.
import { join } from "node:path";
import { configOf, type Group, groupOf, packageFolders, readGroups, ROOT, trackedPrograms } from "./groups.ts";

const groups = await readGroups();
const chosen = groups.filter(({ folder }) => Deno.args.length === 0 || Deno.args.includes(folder || "."));
const { imports } = JSON.parse(await Deno.readTextFile(join(ROOT, "imports.json")));
const programs = Map.groupBy(await trackedPrograms(), (path) => groupOf(groups, path).folder);

for (const group of chosen) {
  await Deno.remove(join(ROOT, group.folder, "deno.lock")).catch(() => {});
  const own = programs.get(group.folder) ?? [];
  await deno(group, "cache", [...own, ...group.also.map((name) => imports[name])]);
  const megabytes = Math.ceil(await size(group) / 1e6);
  const config = JSON.parse(await Deno.readTextFile(configOf(group)));
  config.packages.megabytes = megabytes;
  await Deno.writeTextFile(configOf(group), `${JSON.stringify(config, null, 2)}\n`);
  console.log(`${group.folder || "."}: ${megabytes} MB`);
}
await new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", ...chosen.map(configOf)], cwd: ROOT }).spawn()
  .status;

async function deno(group: Group, command: string, what: readonly string[]): Promise<void> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: [command, `--config=${configOf(group)}`, "--frozen=false", ...what],
    cwd: ROOT,
  }).spawn().status;
  if (!success) throw new Error(`\`deno ${command}\` of ${group.folder || "the root"} failed.`);
}

async function size(group: Group): Promise<number> {
  let bytes = 0;
  async function walk(folder: string): Promise<void> {
    for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
      if (isDirectory) await walk(join(folder, name));
      else if (isFile) bytes += (await Deno.stat(join(folder, name))).size;
    }
  }
  for (const folder of await packageFolders(group)) await walk(folder);
  return bytes;
}
