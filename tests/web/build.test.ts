// apps/web/: what the build writes: its size, its policy, and that no page makes HTML from data.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, files, settingsOf } from "../../apps/web/build.ts";
import { contentSecurityPolicy } from "../../apps/web/security_policy.ts";

const WEB = fileURLToPath(new URL("../../apps/web/", import.meta.url));
const MAX_BYTES = 400 * 1024;

async function gzipSize(path: string): Promise<number> {
  const zipped = (await Deno.open(path)).readable.pipeThrough(new CompressionStream("gzip"));
  return (await new Response(zipped).arrayBuffer()).byteLength;
}

/** A module and the modules that it loads at once. */
async function withImports(folder: string, name: string, found = new Set<string>()): Promise<Set<string>> {
  if (found.has(name)) return found;
  found.add(name);
  const code = await Deno.readTextFile(join(folder, name));
  for (const [, imported] of code.matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)) {
    await withImports(folder, imported!, found);
  }
  return found;
}

Deno.test(`web build: what the map page loads is smaller than ${MAX_BYTES} bytes (gzip), MapLibre included`, async () => {
  const folder = await Deno.makeTempDir();
  try {
    await build(folder, settingsOf({ api: "https://project.supabase.co", key: "key" }));
    const pages = [...Deno.readDirSync(folder)].map(({ name }) => name);
    const page = pages.find((name) => name.startsWith("map_page"))!;
    const modules = await withImports(folder, page, await withImports(folder, "main.js"));
    const code = (await Promise.all([...modules].map((name) => Deno.readTextFile(join(folder, name))))).join("");
    assert.match(code, /maplibregl-canvas/, "MapLibre is counted");
    const sizesOf = (names: string[]) => Promise.all(names.map((name) => gzipSize(join(folder, name))));
    // The texts of one language are loaded; those of the larger one count.
    const texts = await sizesOf(pages.filter((name) => name.startsWith("pages-")));
    assert.equal(texts.length, 2, "each language has a file of its own");
    const sizes = [...await sizesOf([...modules, "index.html", "style.css"]), Math.max(...texts)];
    const size = sizes.reduce((sum, bytes) => sum + bytes, 0);
    console.log(`the map page: ${size} bytes as gzip, in ${sizes.length} files`);
    assert.ok(size < MAX_BYTES, `${size} bytes`);
    assert.ok(pages.length > modules.size + 5, "other pages are chunks of their own");

    const html = await Deno.readTextFile(join(folder, "index.html"));
    assert.match(html, /http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self';/);
    assert.doesNotMatch(html, /<script(?![^>]* src=)|style=| on\w+=/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("web policy: scripts and styles come from the page's own files, and the service and base maps are all that is reached", () => {
  const { baseMaps } = settingsOf({ api: "", key: "" });
  const storageOrigins = ["https://cdn.example.com"];
  const policy = contentSecurityPolicy({ api: "https://project.supabase.co/", baseMaps, storageOrigins });
  assert.doesNotMatch(policy, /unsafe|\*/);
  assert.match(policy, /img-src 'self' data: blob: https:\/\/project\.supabase\.co https:\/\/cdn\.example\.com /);
  assert.match(
    policy,
    /connect-src 'self' https:\/\/project\.supabase\.co wss:\/\/project\.supabase\.co https:\/\/cdn\.example\.com https:\/\//,
  );
});

Deno.test("web: no module makes HTML from data, and none calls the service but through the client", async () => {
  const modules = (await files(join(WEB, "src"))).filter((path) => /\.tsx?$/.test(path));
  assert.ok(modules.length > 20);
  for (const path of modules) {
    const code = await Deno.readTextFile(path);
    assert.doesNotMatch(
      code,
      /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|setHTML|document\.write/,
      path,
    );
    if (!path.endsWith("settings.ts")) {
      assert.doesNotMatch(code, /\bfetch\((?!request\))|XMLHttpRequest|supabase\.(from|rpc|channel)\(/, path);
    }
  }
});
