// The functions' packages, fetched before the first request needs them.
import { join } from "node:path";
import { FUNCTIONS } from "../settings.ts";
import { configArguments, toolEnvironment } from "./worker.ts";

/** Fills the cache of this Deno with everything that the functions import. */
export async function fetchPackages(deno: string, importMaps: Readonly<Record<string, string>>): Promise<void> {
  const entry = (name: string) => join(FUNCTIONS, name, "index.ts");
  for (const [map, names] of Map.groupBy(Object.keys(importMaps), (name) => importMaps[name])) {
    const { success, stderr } = await new Deno.Command(deno, {
      args: ["cache", "--quiet", "--no-lock", "--node-modules-dir=none", ...configArguments(map), ...names.map(entry)],
      env: toolEnvironment(),
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).output();
    if (!success) throw new Error(`The functions' packages could not be fetched:\n${new TextDecoder().decode(stderr)}`);
  }
}
