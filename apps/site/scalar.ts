// The browser bundle of Scalar, the reference of the contract. Its npm package is fetched alone, when the site is first
// built: with its dependencies it would be 269 packages and 283 MB.
import { join } from "node:path";
import { unpackPackage } from "../../tools/packages/npm_package.ts";

const NAME = "@scalar/api-reference";
const VERSION = "1.72.1";
const INTEGRITY = "sha512-XpEJ0rfc/cXbCrR+iC4kK0o/WwX2dTtGQbT049OlPKAHD6IMIFdTeGz2r+M27P2EDWKyUITRm/NzlP8z2pw/Ow==";
const BUNDLE = "dist/browser/standalone.js";
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
    await unpackPackage(NAME, VERSION, INTEGRITY, folder, [BUNDLE]);
    const bundle = LICENCE + await Deno.readTextFile(join(folder, BUNDLE));
    await Deno.writeTextFile(join(folder, "bundle.js"), bundle);
    await Deno.rename(join(folder, "bundle.js"), kept);
    return bundle;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
