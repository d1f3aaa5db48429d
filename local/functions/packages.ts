// The functions' packages, fetched before the first request needs them.
import { join } from "node:path";
import { FUNCTIONS } from "../settings.ts";

/** Fills the cache of this Deno with everything the functions import. */
export async function fetchPackages(deno: string): Promise<void> {
  const entries: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(FUNCTIONS)) {
    const path = join(FUNCTIONS, name, "index.ts");
    if (isDirectory && await exists(path)) entries.push(path);
  }
  if (entries.length === 0) return;
  const { success, stderr } = await new Deno.Command(deno, {
    args: [
      "cache",
      "--quiet",
      "--no-lock",
      "--node-modules-dir=none",
      `--config=${join(FUNCTIONS, "deno.json")}`,
      ...entries,
    ],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`The functions' packages could not be fetched:\n${new TextDecoder().decode(stderr)}`);
}

async function exists(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
