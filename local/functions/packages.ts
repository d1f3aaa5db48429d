// The functions' packages, fetched before the first request needs them.
import { join } from "node:path";
import { fileExists } from "../files.ts";
import { FUNCTIONS } from "../settings.ts";
import { importMapOf } from "./runner.ts";
import { configArguments } from "./worker.ts";

/** Fills the cache of this Deno with everything the functions import. */
export async function fetchPackages(deno: string, importMap: (name: string) => string | undefined): Promise<void> {
  const entriesByMap = new Map<string | undefined, string[]>();
  for await (const { name, isDirectory } of Deno.readDir(FUNCTIONS)) {
    const entry = join(FUNCTIONS, name, "index.ts");
    if (!isDirectory || !await fileExists(entry)) continue;
    const map = await importMapOf(FUNCTIONS, name, importMap(name));
    entriesByMap.set(map, [...entriesByMap.get(map) ?? [], entry]);
  }
  for (const [map, entries] of entriesByMap) {
    const { success, stderr } = await new Deno.Command(deno, {
      args: ["cache", "--quiet", "--no-lock", "--node-modules-dir=none", ...configArguments(map), ...entries],
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).output();
    if (!success) throw new Error(`The functions' packages could not be fetched:\n${new TextDecoder().decode(stderr)}`);
  }
}
