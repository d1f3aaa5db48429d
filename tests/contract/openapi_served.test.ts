// The documents that the function `openapi` sends: files that are generated before, and nothing that generates them.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import { asyncApiDocument } from "../../supabase/functions/openapi/asyncapi.ts";
import { contract, contractOverlay } from "../../supabase/functions/openapi/contract.ts";
import { contractDocuments } from "../../supabase/functions/openapi/documents.ts";
import { routes } from "../../supabase/functions/openapi/routes.ts";

const { fetch } = createApp(routes, { contract: contractDocuments, log: () => {} });
const ask = async (path: string, init: RequestInit = {}) => await fetch(new Request(`http://service${path}`, init));

for (
  const [path, generate] of [
    ["/openapi", contract],
    ["/openapi/overlay", contractOverlay],
    ["/openapi/asyncapi", asyncApiDocument],
  ] as const
) {
  Deno.test(`GET ${path}: has the bytes that are generated now, their entity tag, 304 and the length for HEAD`, async () => {
    const response = await ask(path);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), "application/json; charset=utf-8");
    assert.match(response.headers.get("cache-control")!, /^public, max-age=300/);
    const text = await response.text();
    assert.equal(text, JSON.stringify(generate()));
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
    const etag = response.headers.get("etag")!;
    assert.equal(etag, `"${hash.subarray(0, 16).toHex()}"`);
    for (const sent of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await ask(path, { headers: { "if-none-match": sent } });
      assert.deepEqual([again.status, again.headers.get("etag"), await again.text()], [304, etag, ""]);
    }
    const head = await ask(path, { method: "HEAD" });
    assert.equal(head.headers.get("content-length"), String(new TextEncoder().encode(text).length));
  });
}

Deno.test("openapi: the function imports its routes and files, no generator and no other function", async () => {
  const index = fileURLToPath(new URL("../../supabase/functions/openapi/index.ts", import.meta.url));
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json", "--no-lock", index] }).output();
  const { modules }: { modules: { specifier: string }[] } = JSON.parse(new TextDecoder().decode(stdout));
  const paths = modules.map(({ specifier }) => specifier.split("/supabase/functions/")[1] ?? "");
  const own = paths.filter((path) => path !== "" && !path.startsWith("_shared/")).sort();
  assert.deepEqual(own, [
    "openapi/contract.schema.ts",
    "openapi/document.ts",
    "openapi/documents.ts",
    "openapi/documents/asyncapi.json",
    "openapi/documents/openapi.json",
    "openapi/documents/overlay.json",
    "openapi/errors.ts",
    "openapi/index.ts",
    "openapi/routes.ts",
  ]);
});

Deno.test("functions: no dynamic import has attributes, because the CLI does not upload its file", async () => {
  const folder = fileURLToPath(new URL("../../supabase/functions", import.meta.url));
  const found: string[] = [];
  for (const { name, parentPath } of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!name.endsWith(".ts")) continue;
    const text = await Deno.readTextFile(`${parentPath}/${name}`);
    if (/\bimport\([^)]*\bwith\s*:/.test(text)) found.push(`${parentPath}/${name}`);
  }
  assert.deepEqual(found, []);
});
