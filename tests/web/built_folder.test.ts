// apps/built_folder.ts: how the gateway serves the files of a build.
import assert from "node:assert/strict";
import { join } from "node:path";
import { serve } from "../../apps/built_folder.ts";

const BYTES = Uint8Array.from({ length: 1_000 }, (_, index) => index % 251);

async function withFolder(
  run: (get: (name: string, headers?: HeadersInit, method?: string) => Promise<Response>) => Promise<void>,
) {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeFile(join(folder, "streets-0a1b2c3d.pmtiles"), BYTES);
    await Deno.writeTextFile(join(folder, "land-0a1b2c3d.geojson"), "{}".padEnd(1_000));
    await Deno.writeTextFile(join(folder, "app.webmanifest"), "{}");
    await Deno.writeFile(join(folder, "icon.png"), BYTES);
    const served = serve({
      path: "/app",
      folder,
      sources: [folder],
      build: async () => {},
      policy: () => "default-src 'none'",
    });
    await run((name, headers = {}, method = "GET") =>
      served(new Request(`http://127.0.0.1/app/${name}`, { headers, method }), `/app/${name}`)!
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("built folder: a part of a large file is sent by its range, and never encoded", () =>
  withFolder(async (get) => {
    const parts: Record<string, [number, number]> = {
      "bytes=0-99": [0, 99],
      "bytes=100-": [100, 999],
      "bytes=-10": [990, 999],
      "bytes=-5000": [0, 999],
      "bytes=990-5000": [990, 999],
      "bytes=999-999": [999, 999],
    };
    for (const [range, [start, end]] of Object.entries(parts)) {
      const response = await get("streets-0a1b2c3d.pmtiles", { range, "accept-encoding": "br, gzip" });
      const { headers, status } = response;
      assert.deepEqual(
        [status, headers.get("content-range"), headers.get("content-length"), headers.get("content-encoding")],
        [206, `bytes ${start}-${end}/1000`, `${end - start + 1}`, null],
        range,
      );
      assert.deepEqual(new Uint8Array(await response.arrayBuffer()), BYTES.slice(start, end + 1), range);
    }
  }));

Deno.test("built folder: a range that the file does not have gets 416, and what is no single range the whole file", () =>
  withFolder(async (get) => {
    for (const range of ["bytes=1000-", "bytes=5000-6000", "bytes=-0"]) {
      const { status, headers } = await get("streets-0a1b2c3d.pmtiles", { range });
      assert.deepEqual([status, headers.get("content-range")], [416, "bytes */1000"], range);
    }
    for (const range of ["bytes=0-9,20-29", "bytes=9-0", "bytes=-", "lines=0-9", "bytes=a-b"]) {
      const response = await get("streets-0a1b2c3d.pmtiles", { range });
      assert.deepEqual([response.status, response.headers.get("content-length")], [200, "1000"], range);
      assert.deepEqual(new Uint8Array(await response.arrayBuffer()), BYTES, range);
    }
  }));

Deno.test("built folder: a range of another version of the file gets the whole file", () =>
  withFolder(async (get) => {
    const name = "streets-0a1b2c3d.pmtiles";
    const whole = await get(name, {}, "HEAD");
    const etag = whole.headers.get("etag")!;
    assert.deepEqual([whole.body, whole.headers.get("accept-ranges")], [null, "bytes"]);
    assert.doesNotMatch(etag, /^W/);
    const statusOf = async (ifRange: string) => {
      const response = await get(name, { range: "bytes=0-9", "if-range": ifRange });
      await response.body?.cancel();
      return response.status;
    };
    assert.deepEqual([await statusOf(etag), await statusOf('"older"'), await statusOf(`W/${etag}`)], [206, 200, 200]);
  }));

Deno.test("built folder: each kind of file has its type, its encoding and the time that caches keep it", () =>
  withFolder(async (get) => {
    const immutable = "public, max-age=31536000, immutable";
    const expected: Record<string, [string, string | null, string]> = {
      "streets-0a1b2c3d.pmtiles": ["application/vnd.pmtiles", null, immutable],
      "land-0a1b2c3d.geojson": ["application/geo+json", "br", immutable],
      "app.webmanifest": ["application/manifest+json", "br", "no-cache"],
      "icon.png": ["image/png", null, "no-cache"],
    };
    for (const [name, values] of Object.entries(expected)) {
      const response = await get(name, { "accept-encoding": "gzip, br" });
      await response.body?.cancel();
      const { headers } = response;
      assert.deepEqual(
        [headers.get("content-type"), headers.get("content-encoding"), headers.get("cache-control")],
        values,
        name,
      );
    }
    assert.equal((await get("none.png")).status, 404);
    assert.equal((await get("../secret.json")).status, 404);
  }));
