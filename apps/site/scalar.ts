// The browser bundle of Scalar, the reference of the contract. Its npm package is fetched alone, when the site is first
// built: as one of the project's packages it would add 269 packages and 283 MB to every installation.
import { join } from "node:path";

const NAME = "@scalar/api-reference";
const VERSION = "1.72.1";
const INTEGRITY = "sha512-XpEJ0rfc/cXbCrR+iC4kK0o/WwX2dTtGQbT049OlPKAHD6IMIFdTeGz2r+M27P2EDWKyUITRm/NzlP8z2pw/Ow==";
const BUNDLE = "package/dist/browser/standalone.js";
const LICENCE =
  `/*! ${NAME} ${VERSION}, Copyright (c) 2023-present Scalar, MIT License, https://github.com/scalar/scalar */\n`;

/** The text of the bundle, which is kept in the folder. */
export async function scalarBundle(cache: string): Promise<string> {
  const kept = join(cache, `scalar-${VERSION}.js`);
  try {
    return await Deno.readTextFile(kept);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  await Deno.mkdir(cache, { recursive: true });
  const folder = await Deno.makeTempDir({ dir: cache });
  try {
    const packed = await output("npm", ["pack", `${NAME}@${VERSION}`, "--json"], folder);
    const [{ filename, integrity }] = JSON.parse(packed);
    if (integrity !== INTEGRITY) throw new Error(`${NAME}@${VERSION} has the integrity ${integrity}, not ${INTEGRITY}`);
    const bundle = LICENCE + await output("tar", ["-xzOf", filename, BUNDLE], folder);
    await Deno.writeTextFile(join(folder, "bundle.js"), bundle);
    await Deno.rename(join(folder, "bundle.js"), kept);
    return bundle;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function output(command: string, args: string[], cwd: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args, cwd, stdin: "null" }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`\`${command} ${args.join(" ")}\` failed:\n${decoder.decode(stderr)}`);
  return decoder.decode(stdout);
}
