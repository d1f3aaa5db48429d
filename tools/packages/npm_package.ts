// One npm package without its dependencies, by its name, version and integrity: of a package that has one kind for each
// machine the one for this machine, of a library its built bundle.
import { createHash } from "node:crypto";
import { join } from "node:path";

/** Unpacks a package, or the paths of it that are named, into a folder. Throws if its bytes are not those of `integrity`. */
export async function unpackPackage(
  name: string,
  version: string,
  integrity: string,
  folder: string,
  paths: readonly string[] = [],
): Promise<void> {
  const packed = await Deno.makeTempDir();
  try {
    const printed = await output("npm", ["pack", `${name}@${version}`, "--json", "--loglevel=error"], packed);
    const [{ filename }] = JSON.parse(printed);
    const file = join(packed, filename);
    const found = `sha512-${createHash("sha512").update(await Deno.readFile(file)).digest("base64")}`;
    if (found !== integrity) throw new Error(`${name}@${version} has the integrity ${found}, not ${integrity}`);
    await output("tar", [
      "-xzf",
      file,
      "-C",
      folder,
      "--strip-components=1",
      ...paths.map((path) => `package/${path}`),
    ]);
  } finally {
    await Deno.remove(packed, { recursive: true });
  }
}

async function output(command: string, args: string[], cwd?: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args, stdin: "null", ...cwd && { cwd } })
    .output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`\`${command} ${args.join(" ")}\` failed:\n${decoder.decode(stderr)}`);
  return decoder.decode(stdout);
}
