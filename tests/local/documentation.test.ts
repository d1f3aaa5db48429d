// /docs/ of the gateway: the pages with their policy and caching, and the pages of error codes for a browser.
import assert from "node:assert/strict";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { stack } from "../support/stack.ts";

const BROWSER = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const get = (path: string, init: RequestInit = {}) =>
  fetch(`${stack().apiUrl}${path}`, { redirect: "manual", ...init });

Deno.test("GET /docs/: each kind of file has its type, a policy and a validator", async () => {
  const moved = await get("/docs");
  await moved.body?.cancel();
  assert.deepEqual([moved.status, moved.headers.get("location")], [308, "/docs/"]);
  const expected = {
    "/docs/": "text/html; charset=utf-8",
    "/docs/clients/requests.html": "text/html; charset=utf-8",
    "/docs/client/": "text/html; charset=utf-8",
    "/docs/reference.html": "text/html; charset=utf-8",
    "/docs/search.json": "application/json",
    "/docs/icon.svg": "image/svg+xml",
  };
  for (const [path, type] of Object.entries(expected)) {
    const response = await get(path);
    await response.body?.cancel();
    const { headers } = response;
    assert.deepEqual([response.status, headers.get("content-type")], [200, type], path);
    assert.deepEqual([headers.get("cache-control"), headers.get("x-content-type-options")], ["no-cache", "nosniff"]);
    const policy = headers.get("content-security-policy") ?? "";
    assert.match(policy, /^default-src 'none'; script-src 'self'; .*; frame-ancestors 'none'$/);
    assert.equal(policy.includes("unsafe-inline"), path === "/docs/reference.html", path);
    const again = await get(path, { headers: { "if-none-match": headers.get("etag") ?? "" } });
    await again.body?.cancel();
    assert.equal(again.status, 304, path);
  }
});

for (const app of ["docs", "explore"]) {
  Deno.test(`GET /${app}/: scripts and style sheets have names of their content, which caches keep for a year`, async () => {
    const html = await (await get(`/${app}/`)).text();
    const loaded = [...html.matchAll(/(?:src|href)="([\w-]+\.(?:js|css))"/g)].map(([, name]) => name!);
    assert.ok(loaded.length >= 2, html);
    for (const name of loaded) {
      const response = await get(`/${app}/${name}`);
      await response.body?.cancel();
      const { headers } = response;
      assert.deepEqual(
        [response.status, headers.get("cache-control"), headers.get("vary")],
        [200, "public, max-age=31536000, immutable", "accept-encoding"],
        name,
      );
      assert.match(headers.get("content-type")!, name.endsWith(".css") ? /^text\/css/ : /^text\/javascript/);
    }
  });
}

Deno.test("GET /docs/: a file is compressed as the client accepts it, and is the same file", async () => {
  const path = "/docs/search.json";
  const plain = await get(path, { headers: { "accept-encoding": "identity" } });
  assert.equal(plain.headers.get("content-encoding"), null);
  const text = await plain.text();
  const accepted = { "gzip, deflate, br": "br", "gzip": "gzip", "br;q=0, gzip;q=0.5": "gzip" };
  for (const [accept, encoding] of Object.entries(accepted)) {
    const { hostname, port } = new URL(stack().apiUrl);
    const [head, body] = await raw(hostname, Number(port), path, accept);
    assert.match(head, new RegExp(`^content-encoding: ${encoding}\r$`, "m"), accept);
    const decoded = encoding === "br" ? brotliDecompressSync(body) : gunzipSync(body);
    assert.equal(new TextDecoder().decode(decoded), text, accept);
    assert.ok(body.length < text.length / 2, `${body.length} of ${text.length} bytes`);
  }
});

/** The head and the bytes of a response: fetch would decode them. */
async function raw(hostname: string, port: number, path: string, accepted: string): Promise<[string, Uint8Array]> {
  using connection = await Deno.connect({ hostname, port });
  const request = `GET ${path} HTTP/1.0\r\nHost: ${hostname}:${port}\r\nAccept-Encoding: ${accepted}\r\n\r\n`;
  await connection.write(new TextEncoder().encode(request));
  const bytes = new Uint8Array(await new Response(connection.readable).arrayBuffer());
  const end = new TextDecoder("latin1").decode(bytes).indexOf("\r\n\r\n");
  return [new TextDecoder("latin1").decode(bytes.subarray(0, end + 2)), bytes.subarray(end + 4)];
}

Deno.test("GET /docs/: a path without a page is 404 in the error format", async () => {
  for (const path of ["/docs/nothing.html", "/docs/%2e%2e/port", "/docs/..%2fdocs.next/index.html", "/docs/x"]) {
    const response = await get(path);
    assert.deepEqual([response.status, (await response.json()).error.code], [404, "not_found"], path);
  }
});

Deno.test("doc_url: a browser is sent to the section of the code, and other clients get its text or JSON", async () => {
  for (const path of ["/v1/me", "/nothing"]) {
    const { error } = await (await get(path)).json();
    const opened = await fetch(error.doc_url, { headers: BROWSER, redirect: "manual" });
    await opened.body?.cancel();
    assert.equal(opened.headers.get("location"), `/docs/clients/errors.html#${error.code}`);
    const page = await get("/docs/clients/errors.html");
    assert.ok((await page.text()).includes(` id="${error.code}"`));
    const text = await fetch(error.doc_url);
    assert.match(await text.text(), new RegExp(`^# ${error.code} `));
    const json = await fetch(error.doc_url, { headers: { accept: "application/json" } });
    assert.equal((await json.json()).code, error.code);
  }
});
