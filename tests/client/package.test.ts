// client/: the generated types, the size of the package, and the types of its examples.
import assert from "node:assert/strict";
import { build } from "../../client/scripts/build.ts";
import { apiTypes, COMMITTED } from "../../client/scripts/types.ts";
import { readmeApp } from "./readme_app.ts";

const ROOT = new URL("../../", import.meta.url);
const MAX_BYTES = 12 * 1024;
/** `<parking-map>` with the client, without MapLibre. */
const MAX_MAP_BYTES = 30 * 1024;

/** Runs this Deno; its output on success. */
async function deno(args: string[], cwd: string | URL): Promise<Uint8Array<ArrayBuffer>> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd, env: { NO_COLOR: "1" } })
    .output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return stdout;
}

Deno.test("client/src/api.ts: the types are those of openapi.json (deno task openapi)", async () => {
  assert.equal(await Deno.readTextFile(COMMITTED), await apiTypes({ descriptions: false }));
});

async function zippedSize(bytes: Uint8Array<ArrayBuffer>): Promise<number> {
  const zipped = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(zipped).arrayBuffer()).byteLength;
}

Deno.test(`client package: the bundled module with openapi-fetch is smaller than ${MAX_BYTES} bytes (gzip)`, async () => {
  const bundle = await deno([
    "bundle",
    "--quiet",
    "--config=client/deno.json",
    "--platform=browser",
    "--minify",
    "client/src/index.ts",
  ], ROOT);
  const size = await zippedSize(bundle);
  console.log(`the client: ${bundle.byteLength} bytes, ${size} bytes as gzip`);
  assert.ok(bundle.byteLength > 1_000 && size < MAX_BYTES);
});

Deno.test(`client package: parking-map.min.js is one file without MapLibre, smaller than ${MAX_MAP_BYTES} bytes (gzip)`, async () => {
  const folder = await Deno.makeTempDir();
  try {
    await build(new URL(`file://${folder}/dist/`));
    const bundle = await Deno.readFile(`${folder}/dist/parking-map.min.js`);
    const size = await zippedSize(bundle);
    console.log(`parking-map.min.js: ${bundle.byteLength} bytes, ${size} bytes as gzip`);
    assert.ok(bundle.byteLength > 10_000 && size < MAX_MAP_BYTES);
    const text = new TextDecoder().decode(bundle);
    assert.doesNotMatch(text, /\bfrom\s*["']|\bimport\s*["']/);
    // What a strict Content-Security-Policy forbids, and what would keep something in the browser.
    assert.doesNotMatch(text, /\beval\(|new Function|innerHTML|\.cookie\b|localStorage|sessionStorage|indexedDB/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("client package: the files that package.json exports are built, and the map can be imported without a page", async () => {
  const { exports } = JSON.parse(await Deno.readTextFile(new URL("client/package.json", ROOT)));
  const paths = Object.values<string | Record<string, string>>(exports)
    .flatMap((target) => typeof target === "string" ? target : Object.values(target));
  await using app = await readmeApp();
  for (const path of paths) {
    assert.ok((await Deno.stat(`${app.folder}/node_modules/parking-lot-client/${path}`)).isFile);
  }
  await Deno.writeTextFile(`${app.folder}/server.ts`, `import "parking-lot-client/map";\n`);
  await deno(["run", "--quiet", "--no-check", "server.ts"], app.folder);
});

Deno.test("client package: it needs the version of openapi-fetch that the tests use, and no Deno", async () => {
  const { dependencies } = JSON.parse(await Deno.readTextFile(new URL("client/package.json", ROOT)));
  const { imports } = JSON.parse(await Deno.readTextFile(new URL("imports.json", ROOT)));
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
