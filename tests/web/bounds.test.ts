// apps/web/src/bounds.ts: the bounds of inputs are those of the contract.
import assert from "node:assert/strict";
import { boundsFile, FILE } from "../../apps/web/bounds.ts";

Deno.test("bounds: the bounds of the forms are those of the contract (deno task openapi)", async () => {
  assert.equal(await Deno.readTextFile(FILE), boundsFile());
});

Deno.test("bounds: no input of the web application states a length or a largest value by hand", async () => {
  const found: string[] = [];
  const visit = async (folder: URL) => {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      const path = new URL(isDirectory ? `${name}/` : name, folder);
      if (isDirectory) await visit(path);
      else if (/\.tsx?$/.test(name) && name !== "bounds.ts") {
        const text = await Deno.readTextFile(path);
        for (const [bound] of text.matchAll(/\bmaxLength=\{\d+\}|\bmax=\{[\d_]+\}|\bmax: [\d_]+\b/g)) {
          found.push(`${name}: ${bound}`);
        }
      }
    }
  };
  await visit(new URL("../../apps/web/src/", import.meta.url));
  assert.deepEqual(found, []);
});
