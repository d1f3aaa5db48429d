// The console names people and things: a part of an id is never shown.
import assert from "node:assert/strict";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { files } from "../../apps/web/build.ts";

Deno.test("console: nothing shows a part of an id", async () => {
  const source = fileURLToPath(new URL("../../apps/web/src/console/", import.meta.url));
  const found: string[] = [];
  for (const path of await files(source)) {
    const code = /\.tsx?$/.test(path) ? await Deno.readTextFile(path) : "";
    if (/\b\w*id\.(slice|substring|substr)\(/i.test(code)) found.push(relative(source, path));
  }
  assert.deepEqual(found, []);
});
