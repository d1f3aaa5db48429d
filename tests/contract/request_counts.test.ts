// Counting requests for metrics: in memory, written in batches, with a bound, and kept when a write fails.
import assert from "node:assert/strict";
import { z } from "zod";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import { BUCKETS, type RequestCount, RequestCounts } from "../../supabase/functions/_shared/http/request_counts.ts";
import { route } from "../../supabase/functions/_shared/http/route.ts";
import { eventually } from "../support/eventually.ts";
import { fakeRest } from "./fake_rest.ts";

const common = { access: "public", summary: "A thing", reply: [200, z.null()], errors: [] } as const;
const read = route({
  ...common,
  method: "GET",
  path: "/things/{id}",
  params: z.strictObject({ id: z.string() }),
  handle: () => null,
});
const fails = route({
  ...common,
  method: "POST",
  path: "/things",
  handle: () => {
    throw new Error("broken");
  },
});

/** The counts of each write. `end` decides how a write ends. */
function counting(end: (nth: number) => Promise<void> = () => Promise.resolve(), isOn = true) {
  const written: RequestCount[][] = [];
  const lines: string[] = [];
  const counts = new RequestCounts({
    isOn: () => isOn,
    intervalMs: 1,
    log: (message) => lines.push(message),
    write: (all) => end(written.push(structuredClone(all) as RequestCount[])),
  });
  return { counts, written, lines };
}

const times = ({ buckets }: RequestCount) => buckets.reduce((sum, each) => sum + each);
const shown = (counts: readonly RequestCount[]) =>
  counts.map((count) => [count.method, count.route, count.status, times(count)].join(" ")).sort();

/** The sums of all writes. */
function sums(written: readonly RequestCount[][]): Record<string, number> {
  const all: Record<string, number> = {};
  for (const count of written.flat()) {
    const key = `${count.method} ${count.route} ${count.status}`;
    all[key] = (all[key] ?? 0) + times(count);
  }
  return all;
}

Deno.test("request counts: each request is counted once, by the template of its route and its status", async () => {
  const { counts, written } = counting();
  const { fetch } = createApp([read, fails], { log: () => {}, counts });
  const paths = ["/things/1", "/things/2", "/things/3", "/things/3?a=1", "/nothing/1", "/nothing/2"];
  for (const path of paths) await fetch(new Request(`http://localhost${path}`));
  await fetch(new Request("http://localhost/things/1", { method: "HEAD" }));
  await fetch(new Request("http://localhost/things", { method: "POST" }));
  await fetch(new Request("http://localhost/things", { method: "DELETE" }));
  await fetch(new Request("http://localhost/things", { method: "SECRET-METHOD" }));
  const all = await eventually(() => {
    const found = sums(written);
    return Object.values(found).reduce((sum, each) => sum + each, 0) === 10 ? found : undefined;
  });
  assert.deepEqual(all, {
    "GET /things/{id} 200": 4,
    "GET /things/{id} 422": 1,
    "GET unmatched 404": 2,
    "POST /things 500": 1,
    "DELETE unmatched 405": 1,
    "OTHER unmatched 405": 1,
  });
});

Deno.test("request counts: a rejection of an overloaded process is counted", async () => {
  const { counts, written } = counting();
  const { promise, resolve } = Promise.withResolvers<null>();
  const slow = route({ ...common, method: "GET", path: "/slow", handle: () => promise });
  const { fetch } = createApp([slow], { log: () => {}, counts, maxInFlight: 1 });
  const first = fetch(new Request("http://localhost/slow"));
  await fetch(new Request("http://localhost/slow"));
  resolve(null);
  await first;
  await eventually(() => written.flat().length === 2 || undefined);
  assert.deepEqual(sums(written), { "GET unmatched 503": 1, "GET /slow 200": 1 });
});

Deno.test("request counts: a duration is in the first bucket whose bound it does not exceed", async () => {
  const { counts, written } = counting();
  for (const ms of [0, 25, 25.1, 999, 30_000, 30_001]) counts.add(read, "GET", 200, ms);
  await eventually(() => written.length > 0 || undefined);
  const [count] = written[0]!;
  const found = Object.fromEntries([...BUCKETS, Infinity].map((bound, nth) => [bound, count!.buckets[nth]]));
  assert.deepEqual(Object.entries(found).filter(([, n]) => n), [["1", 1], ["30", 1], ["0.025", 2], ["0.05", 1], [
    "Infinity",
    1,
  ]]);
  assert.ok(Math.abs(count!.seconds - 61.0501) < 1e-6);
});

Deno.test("request counts: a write that fails is logged, and its counts are part of the next write", async () => {
  const { counts, written, lines } = counting((nth) => nth < 3 ? Promise.reject(new Error("down")) : Promise.resolve());
  counts.add(read, "GET", 200, 1);
  await eventually(() => lines.length > 0 || undefined);
  counts.add(read, "GET", 200, 1);
  counts.add(read, "GET", 503, 1);
  const stored = await eventually(() => {
    const all = sums(written.slice(2));
    return all["GET /things/{id} 503"] === undefined ? undefined : all;
  });
  assert.deepEqual(stored, { "GET /things/{id} 200": 2, "GET /things/{id} 503": 1 });
  assert.match(lines[0]!, /written again/);
});

Deno.test("request counts: without METRICS_TOKEN nothing is counted, and with it a call of the service has the counts", async () => {
  const { counts, written } = counting(undefined, false);
  counts.add(read, "GET", 200, 1);
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.deepEqual(written, []);

  await using rest = fakeRest(() => Response.json(null));
  const ask = (metricsToken: string | null) =>
    createApp([read], { config: () => ({ ...rest.config, metricsToken }), log: () => {} })
      .fetch(new Request("http://localhost/things/1"));
  await ask(null);
  await ask("a-token-of-more-than-32-characters");
  const call = await eventually(() => rest.calls[0], 20_000);
  assert.equal(call.name, "add_request_counts");
  assert.equal(call.headers.get("apikey"), rest.config.serviceKeys[0]);
  assert.deepEqual(shown(call.args["p_counts"] as RequestCount[]), ["GET /things/{id} 200 1"]);
  assert.equal(rest.calls.length, 1);
});
