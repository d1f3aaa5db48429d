// apps/web/: what the build writes: its size, its policy, and that no page makes HTML from data.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, files, settingsOf, withImports } from "../../apps/web/build.ts";
import { isHashed } from "../../apps/hashed_names.ts";
import { contentSecurityPolicy } from "../../apps/web/security_policy.ts";

const WEB = fileURLToPath(new URL("../../apps/web/", import.meta.url));
const MAX_BYTES = 150_000;

async function gzipSize(path: string): Promise<number> {
  const zipped = (await Deno.open(path)).readable.pipeThrough(new CompressionStream("gzip"));
  return (await new Response(zipped).arrayBuffer()).byteLength;
}

Deno.test(`web build: before the first list a visit loads less than ${MAX_BYTES} bytes (gzip), without MapLibre and uPlot`, async () => {
  const folder = await Deno.makeTempDir();
  try {
    await build(folder, settingsOf({ api: "https://project.supabase.co", key: "key" }));
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
    const html = await Deno.readTextFile(join(folder, "index.html"));
    // What the page names is requested at once: nothing that the first page needs waits for another file.
    const loaded = [...html.matchAll(/<(?:script|link)[^>]* (?:src|href)="([\w-]+\.(?:js|css))"/g)].map(([, name]) =>
      name!
    );
    assert.deepEqual(loaded.filter((name) => !isHashed(name)), [], "a name changes with the content");
    const page = names.find((name) => name.startsWith("map_page"))!;
    const main = loaded.find((name) => name.startsWith("main-"))!;
    const needed = await withImports(folder, page, await withImports(folder, main));
    assert.deepEqual([...needed].filter((name) => !loaded.includes(name)), []);
    const texts = names.filter((name) => name.startsWith("pages-"));
    assert.equal(texts.length, 2, "each language has a file of its own");
    const scripts = loaded.filter((name) => name.endsWith(".js"));
    const code = (await Promise.all(scripts.map((name) => Deno.readTextFile(join(folder, name))))).join("");
    assert.doesNotMatch(code, /maplibregl-ctrl-scale|uplot-/i, "MapLibre and uPlot are loaded by what draws them");
    const sizesOf = (files: Iterable<string>) => Promise.all([...files].map((name) => gzipSize(join(folder, name))));
    // The texts of one language are loaded; those of the larger one count.
    const sizes = [
      ...await sizesOf(new Set([...loaded, "index.html", "settings.json", "icon.svg"])),
      Math.max(...await sizesOf(texts)),
    ];
    const size = sizes.reduce((sum, bytes) => sum + bytes, 0);
    console.log(`before the first list: ${size} bytes as gzip, in ${sizes.length} files`);
    assert.ok(size < MAX_BYTES, `${size} bytes`);
    assert.ok(names.length > loaded.length + 5, "other pages are chunks of their own");
    const fixed = ["service_worker.js"];
    assert.deepEqual(names.filter((name) => name.endsWith(".js") && !isHashed(name) && !fixed.includes(name)), []);
    assert.match(html, /http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self';/);
    assert.doesNotMatch(html, /<script(?![^>]* src=)|style=| on\w+=/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("web build: the map of Japan and a file of streets are next to the page, with the hash of their content", async () => {
  const folder = await Deno.makeTempDir();
  const streets = await Deno.makeTempFile({ suffix: ".pmtiles" });
  try {
    await Deno.writeTextFile(streets, "streets");
    const url = pathToFileURL(streets).href;
    await build(folder, settingsOf({ api: "", key: "key", streets: { url, attribution: "a city" } }));
    const settings = JSON.parse(await Deno.readTextFile(join(folder, "settings.json")));
    assert.match(settings.layers, /^japan-[0-9a-f]{8}\.pmtiles$/);
    assert.ok(isHashed(settings.layers));
    assert.deepEqual(
      await Deno.readFile(join(folder, settings.layers)),
      await Deno.readFile(join(WEB, "basemap", "japan.pmtiles")),
    );
    assert.equal(settings.streets.attribution, "a city");
    assert.equal(await Deno.readTextFile(join(folder, settings.streets.url)), "streets");
  } finally {
    await Deno.remove(streets);
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("web build: the service worker keeps the parts of a driver and of one build; phones get icons", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const settings = settingsOf({ api: "https://project.supabase.co", key: "key" });
    const versionOf = async () => {
      await build(folder, settings);
      const worker = await Deno.readTextFile(join(folder, "service_worker.js"));
      const { version, files }: { version: string; files: string[] } = JSON.parse(
        worker.match(/^const BUILD=(.*);/)![1]!,
      );
      return { version, files };
    };
    const { version, files } = await versionOf();
    assert.ok((await Deno.readTextFile(join(folder, "index.html"))).includes(`name="version" content="${version}"`));
    assert.deepEqual(await versionOf(), { version, files }, "the same sources are the same version");
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
    const unknown = files.filter((name) => name !== "./" && !names.includes(name));
    assert.deepEqual(unknown, [], "a missing file would stop the installation");
    for (const part of ["main-", "preload-", "map_view-", "lot_page-", "session_page-", "account_page-", "style-"]) {
      assert.ok(files.some((name) => name.startsWith(part)), part);
    }
    assert.deepEqual(files.filter((name) => name.startsWith("console")), []);
    // A page makes the worker take a file by its name; no file of the build is left out but those of the console.
    const left = names.filter((name) => name.endsWith(".js") && !files.includes(name));
    assert.deepEqual(left.filter((name) => !name.startsWith("console")), ["service_worker.js"]);

    const manifest = JSON.parse(await Deno.readTextFile(join(folder, "app.webmanifest")));
    assert.equal(manifest.name, settings.name);
    assert.ok(manifest.icons.some(({ purpose }: { purpose?: string }) => purpose === "maskable"));
    for (const { src, sizes, type } of manifest.icons) {
      const bytes = await Deno.readFile(join(folder, src));
      if (type !== "image/png") continue;
      // The width of a PNG picture stands after its signature.
      const width = new DataView(bytes.buffer).getUint32(16);
      assert.deepEqual([new TextDecoder().decode(bytes.subarray(1, 4)), `${width}x${width}`], ["PNG", sizes], src);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("web policy: scripts and styles come from the page's own files, and the service and base maps are all that is reached", () => {
  const { baseMaps, layers } = settingsOf({ api: "", key: "" });
  const storageOrigins = ["https://cdn.example.com"];
  const service = { api: "https://project.supabase.co/", storageOrigins };
  const policy = contentSecurityPolicy({ ...service, baseMaps, layers });
  assert.doesNotMatch(policy, /unsafe|\*|file:|null/);
  assert.match(policy, /worker-src 'self' blob:;/);
  assert.match(policy, /img-src 'self' data: blob: https:\/\/project\.supabase\.co https:\/\/cdn\.example\.com /);
  assert.match(
    policy,
    /connect-src 'self' https:\/\/project\.supabase\.co wss:\/\/project\.supabase\.co https:\/\/cdn\.example\.com https:\/\//,
  );

  const named = contentSecurityPolicy({
    ...service,
    layers: "japan.pmtiles",
    streets: { url: "https://tiles.example.com/streets.pmtiles", attribution: "" },
    baseMaps: [{
      id: "own",
      name: "Own",
      style: "https://maps.example.com/style.json",
      origins: ["https://glyphs.example.com"],
      attribution: "",
    }],
  });
  for (const origin of ["https://tiles.example.com", "https://maps.example.com", "https://glyphs.example.com"]) {
    assert.match(named, new RegExp(`connect-src [^;]*${origin}[ ;]`));
  }
});

Deno.test("web settings: no map is requested from the tile server of OpenStreetMap by default", () => {
  assert.doesNotMatch(JSON.stringify(settingsOf({ api: "", key: "" }).baseMaps), /openstreetmap\.org/);
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
    // The settings, and the probe whether the host of the page is there. Other modules send requests that they are given.
    if (!/\/(settings|parts)\.ts$/.test(path)) {
      assert.doesNotMatch(code, /\bfetch\((?!request\))|XMLHttpRequest|supabase\.(from|rpc|channel)\(/, path);
    }
  }
});

Deno.test("build: NOTICE names each package of the application", async () => {
  const notice = await Deno.readTextFile(join(WEB, "../../NOTICE"));
  const [, listed] = notice.match(/\* apps\/web\/dist([^*]+)/)!;
  const packages = new Set(["openapi-fetch"]);
  for (const folder of ["src", "worker"]) {
    for (const path of await files(join(WEB, folder))) {
      const code = await Deno.readTextFile(path);
      for (const [, name] of code.matchAll(/^(?:import|\}) .*from "(@[\w-]+\/[\w-]+|[a-z][\w-]*)/gm)) {
        packages.add(name!);
      }
    }
  }
  packages.delete("parking-lot-client");
  assert.ok(packages.size >= 10);
  assert.deepEqual([...packages].filter((name) => !new RegExp(`(?<![\\w/-])${name}(?![\\w/-])`).test(listed!)), []);
});
