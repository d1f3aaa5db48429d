// Metrics over HTTP: the counts of all processes, behind the token.
import assert from "node:assert/strict";
import type { z } from "zod";
import { readMetrics } from "../../supabase/functions/health/metrics.ts";
import { Metrics } from "../../supabase/functions/health/metrics.schema.ts";
import { assertError } from "../support/api_errors.ts";
import { eventually } from "../support/eventually.ts";
import { stack } from "../support/stack.ts";
import { ask, bearer, replyOf } from "./client.ts";

/** Counts are written every ten seconds. */
const DEADLINE_MS = 40_000;

async function metrics(): Promise<z.output<typeof Metrics>["metrics"]> {
  const headers = { ...bearer(stack().metricsToken), accept: "application/json" };
  return (await replyOf(readMetrics, await ask("/health/metrics", { headers }), Metrics)).metrics;
}

async function responses(route: string, status: number): Promise<number> {
  const samples = (await metrics()).find(({ name }) => name === "parking_http_requests_total")!.samples;
  const found = samples.find(({ labels }) => labels["route"] === route && labels["status"] === String(status));
  return found?.value ?? 0;
}

Deno.test("metrics: each request of a client is counted by route and status, once", async () => {
  // A response that this route has for no other test: files of other folders run at the same time.
  const [route, path] = ["/openapi/errors/{code}", "/openapi/errors/fee_unknown"];
  const first = await ask(path);
  await first.body?.cancel();
  const unchanged = { headers: { "if-none-match": first.headers.get("etag")! } };
  const before = await responses(route, 304);
  await Promise.all(Array.from({ length: 25 }, async () => {
    const response = await ask(path, unchanged);
    await response.body?.cancel();
    assert.equal(response.status, 304);
  }));
  const after = await eventually(async () => {
    const count = await responses(route, 304);
    return count - before >= 25 ? count : undefined;
  }, DEADLINE_MS);
  assert.equal(after - before, 25);
});

Deno.test("metrics: the text has the same metrics as the JSON, and clients do not read either", async () => {
  const response = await ask("/health/metrics", { headers: bearer(stack().metricsToken) });
  const text = await response.text();
  assert.equal(response.headers.get("content-type"), "text/plain; charset=utf-8");
  const names = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name);
  assert.deepEqual(names, (await metrics()).map(({ name }) => name));
  for (const key of ["publishableKey", "anonKey"] as const) {
    await assertError(await ask("/health/metrics", { headers: bearer(stack()[key]) }), { code: "unauthorized" });
  }
  await assertError(await ask("/health/metrics"), { code: "unauthorized" });
});
