// client/: the generated types, the size of the package, and the types of its examples.
import assert from "node:assert/strict";
import { apiTypes, COMMITTED } from "../../client/scripts/types.ts";
import { readmeApp } from "./readme_app.ts";

const ROOT = new URL("../../", import.meta.url);
const MAX_BYTES = 12 * 1024;

/** Runs this Deno; its output on success. */
async function deno(args: string[], cwd: string | URL): Promise<Uint8Array<ArrayBuffer>> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd, env: { NO_COLOR: "1" } })
    .output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return stdout;
}

Deno.test("client/src/api.ts: the types are those of openapi.json (`deno task openapi`)", async () => {
  assert.equal(await Deno.readTextFile(COMMITTED), await apiTypes({ descriptions: false }));
});

Deno.test(`client package: the bundled module with openapi-fetch is smaller than ${MAX_BYTES} bytes (gzip)`, async () => {
  const bundle = await deno(["bundle", "--quiet", "--platform=browser", "--minify", "client/src/index.ts"], ROOT);
  const zipped = new Blob([bundle]).stream().pipeThrough(new CompressionStream("gzip"));
  const size = (await new Response(zipped).arrayBuffer()).byteLength;
  console.log(`the client: ${bundle.byteLength} bytes, ${size} bytes as gzip`);
  assert.ok(bundle.byteLength > 1_000 && size < MAX_BYTES);
});

Deno.test("client package: it needs the version of openapi-fetch that the tests use, and no Deno", async () => {
  const { dependencies } = JSON.parse(await Deno.readTextFile(new URL("client/package.json", ROOT)));
  const { imports } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  for (const [name, version] of Object.entries(dependencies)) assert.equal(imports[name], `npm:${name}@${version}`);
  for await (const { name } of Deno.readDir(new URL("client/src/", ROOT))) {
    const text = await Deno.readTextFile(new URL(`client/src/${name}`, ROOT));
    assert.ok(name === "api.ts" || !/\bDeno\b|"node:|\bprocess\b|\bBuffer\b/.test(text), name);
  }
});

Deno.test("client/README.md: the examples have the types of the built package", async () => {
  await using app = await readmeApp();
  await deno(["check", "--quiet", "main.ts"], app.folder);
  const program = await Deno.readTextFile(`${app.folder}/main.ts`);
  await Deno.writeTextFile(`${app.folder}/wrong.ts`, program.replace("fee.total_amount", "fee.total"));
  await assert.rejects(deno(["check", "--quiet", "wrong.ts"], app.folder), /Property 'total' does not exist/);
});
