// Where a package is unpacked, for programs that need it as a folder. The group of the program needs `nodeModulesDir: auto`,
// which puts what a package imports beside it.
import { fileURLToPath } from "node:url";

/** The folder of a package, from the address that its name resolves to (`import.meta.resolve`). */
export function folderOf(name: string, resolved: string): Promise<string> {
  const path = fileURLToPath(resolved);
  return Deno.realPath(path.slice(0, path.lastIndexOf(`/${name}/`) + name.length + 1));
}
