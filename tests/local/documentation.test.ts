// /docs/ of the gateway: the pages with their policy and caching, and the pages of error codes for a browser.
import assert from "node:assert/strict";
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
    "/docs/scalar.js": "text/javascript; charset=utf-8",
    "/docs/style.css": "text/css; charset=utf-8",
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
