// What belongs to no resource: health, the contract, the error pages, and what every response carries.
import assert from "node:assert/strict";
import { VERSION } from "../../supabase/functions/_shared/config.ts";
import { catalogue, codes } from "../../supabase/functions/_shared/errors.ts";
import { ErrorPage, ErrorPages } from "../../supabase/functions/openapi/contract.schema.ts";
import { Liveness, Readiness } from "../../supabase/functions/health/health.schema.ts";
import { live, ready } from "../../supabase/functions/health/routes.ts";
import { listErrors, readError } from "../../supabase/functions/openapi/errors.ts";
import { ask, replyOf } from "./client.ts";

Deno.test("service: liveness has the version, readiness with the state of the database", async () => {
  const alive = await replyOf(live, await ask("/health"), Liveness);
  assert.deepEqual(alive, { status: "ok", version: VERSION });
  const { migration } = await replyOf(ready, await ask("/health/ready"), Readiness);
  const latest = [...Deno.readDirSync(new URL("../../supabase/migrations", import.meta.url))].map(({ name }) => name)
    .sort();
  assert.equal(migration, latest.at(-1)?.split("_")[0]);
});

Deno.test("service: the served contract is the committed one", async () => {
  const served = await (await ask("/openapi")).json();
  const committed = JSON.parse(await Deno.readTextFile(new URL("../../contract/openapi.json", import.meta.url)));
  assert.deepEqual(served, committed);
});

Deno.test("service: the catalogue lists every code, and each has a page at its doc_url", async () => {
  const { items } = await replyOf(listErrors, await ask("/openapi/errors"), ErrorPages);
  assert.deepEqual(items.map((item) => item.code), codes);
  for (const item of items) {
    const response = await fetch(item.doc_url, { headers: { accept: "application/json" } });
    assert.deepEqual(await replyOf(readError, response, ErrorPage), item);
    assert.equal(item.status, catalogue[item.code].status);
  }
});

Deno.test("service: the page of a doc_url is text, or JSON for a client that accepts it", async () => {
  const rejection = await (await ask("/codes?lang=fr")).json();
  const page = await fetch(rejection.error.doc_url, { headers: { accept: "text/plain,*/*;q=0.8" } });
  assert.match(page.headers.get("content-type") ?? "", /^text\/plain; charset=utf-8/);
  assert.match(page.headers.get("vary") ?? "", /Accept/);
  assert.match(await page.text(), /^# validation_error \(HTTP 422\)/);
});

Deno.test("service: the service generates the request id, in the header and the envelope, and ignores the client's", async () => {
  const response = await ask("/codes?lang=fr", { headers: { "x-request-id": "my-request-0001" } });
  const id = response.headers.get("x-request-id") ?? "";
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.equal((await response.json()).error.request_id, id);
});

Deno.test("service: a web page passes the preflight and may read errors", async () => {
  const headers = { origin: "https://app.example", "access-control-request-method": "PATCH" };
  const preflight = await ask("/me", { method: "OPTIONS", headers: headers });
  await preflight.body?.cancel();
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get("access-control-allow-origin"), "*");
  assert.match(preflight.headers.get("access-control-allow-methods") ?? "", /PATCH/);
  const error = await ask("/me", { headers: { origin: "https://app.example" } });
  await error.body?.cancel();
  assert.equal(error.status, 401);
  assert.equal(error.headers.get("access-control-allow-origin"), "*");
});

Deno.test("service: a response has its duration", async () => {
  const response = await ask("/health/ready");
  await response.body?.cancel();
  assert.match(response.headers.get("server-timing") ?? "", /^db;dur=\d+\.\d, total;dur=\d+\.\d$/);
});
