// Counting what searches show: after the reply, in batches, with a bound, and never twice.
import assert from "node:assert/strict";
import { z } from "zod";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import { route } from "../../supabase/functions/_shared/http/route.ts";
import { SearchCounts, searchCounts } from "../../supabase/functions/_shared/http/search_counts.ts";
import { routes } from "../../supabase/functions/parking-lots/routes.ts";
import { eventually } from "../support/eventually.ts";
import { databaseError, fakeRest } from "./fake_rest.ts";

type Counts = Record<string, number>;

/** Writes that a test decides the end of. */
function writer(end: (nth: number) => Promise<void> = () => Promise.resolve()) {
  const written: Counts[] = [];
  const write = (counts: Counts) => end(written.push(counts));
  return { written, write };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 30));

Deno.test("search counts: the counts of an interval are one write with the sums", async () => {
  const { written, write } = writer();
  const counts = new SearchCounts({ write, intervalMs: 5 });
  counts.add(["a", "b"]);
  counts.add(["a"]);
  counts.add([]);
  assert.deepEqual(written, []);
  await eventually(() => written.length > 0 || undefined);
  counts.add(["b"]);
  await eventually(() => written.length > 1 || undefined);
  await settled();
  assert.deepEqual(written, [{ a: 2, b: 1 }, { b: 1 }]);
});

Deno.test("search counts: a batch that is full is written at once", async () => {
  const { written, write } = writer();
  const counts = new SearchCounts({ write, intervalMs: 3_600_000, batchLots: 2 });
  counts.add(["a", "b", "c"]);
  await settled();
  assert.deepEqual(written, [{ a: 1, b: 1, c: 1 }]);
});

Deno.test("search counts: a write that fails is logged and not repeated, and the next one has only later counts", async () => {
  const { written, write } = writer((nth) => nth === 1 ? Promise.reject(new Error("gone")) : Promise.resolve());
  const lines: string[] = [];
  const counts = new SearchCounts({ write, intervalMs: 1, log: (message) => lines.push(message) });
  counts.add(["a"]);
  await eventually(() => lines.length > 0 || undefined);
  await settled();
  counts.add(["b"]);
  await eventually(() => written.length > 1 || undefined);
  await settled();
  assert.deepEqual(written, [{ a: 1 }, { b: 1 }]);
  assert.match(lines[0]!, /^The searches of 1 lots are not counted$/);
});

Deno.test("search counts: while a write is under way no other begins, and memory is bounded", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { written, write } = writer((nth) => nth === 1 ? promise : Promise.resolve());
  const counts = new SearchCounts({ write, intervalMs: 1, batchLots: 2, maxLots: 3 });
  counts.add(["a"]);
  await eventually(() => written.length > 0 || undefined);
  counts.add(["b", "c", "d", "e", "b"]);
  await settled();
  assert.equal(written.length, 1);
  resolve();
  await eventually(() => written.length > 1 || undefined);
  await settled();
  assert.deepEqual(written, [{ a: 1 }, { b: 2, c: 1, d: 1 }]);
});

Deno.test("search counts: a reply does not wait for a write and is the same when writes fail", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { written, write } = writer(() => promise.then(() => assert.fail("down")));
  const lines: string[] = [];
  const counts = new SearchCounts({ write, intervalMs: 1, batchLots: 1, log: (message) => lines.push(message) });
  const found = route({
    method: "GET",
    path: "/found",
    access: "public",
    summary: "Lots",
    reply: [200, z.array(z.object({ id: z.string() }))],
    errors: [],
    shownLots: (items) => items.map(({ id }) => id),
    handle: () => [{ id: "a" }],
  });
  const { fetch } = createApp([found], { log: () => {}, searches: () => counts });
  for (let nth = 0; nth < 3; nth++) {
    const response = await fetch(new Request("http://localhost/found"));
    assert.deepEqual([response.status, await response.json()], [200, [{ id: "a" }]]);
  }
  await fetch(new Request("http://localhost/found", { method: "HEAD" }));
  await eventually(() => written.length > 0 || undefined);
  resolve();
  await eventually(() => lines.length > 1 || undefined);
  assert.deepEqual(written, [{ a: 1 }, { a: 2 }], "three pages are counted, and HEAD shows none");
});

Deno.test("search counts: waitUntil of the hosted runtime gets the write", async () => {
  const waiting: Promise<unknown>[] = [];
  const runtime = { waitUntil: (promise: Promise<unknown>) => void waiting.push(promise) };
  Object.defineProperty(globalThis, "EdgeRuntime", { value: runtime, configurable: true });
  try {
    const { written, write } = writer();
    const counts = new SearchCounts({ write, intervalMs: 1 });
    counts.add(["a"]);
    counts.add(["a"]);
    assert.equal(waiting.length, 1);
    await waiting[0];
    assert.deepEqual(written, [{ a: 2 }]);
  } finally {
    Reflect.deleteProperty(globalThis, "EdgeRuntime");
  }
});

Deno.test("search counts: the function writes them in one call of the service", async () => {
  await using rest = fakeRest(() => Response.json(null));
  const counts = searchCounts(() => rest.config);
  // More than a batch, so that the test does not wait.
  const ids = Array.from({ length: 2_000 }, () => crypto.randomUUID());
  counts.add(ids);
  const call = await eventually(() => rest.calls[0]);
  assert.equal(call.name, "add_search_counts");
  assert.equal(call.headers.get("apikey"), rest.config.serviceKeys[0]);
  assert.deepEqual(call.args, { p_counts: Object.fromEntries(ids.map((id) => [id, 1])) });
  await settled();
  assert.equal(rest.calls.length, 1);
});

Deno.test("search counts: an outcome that is not known is not repeated", async () => {
  await using rest = fakeRest(() => databaseError(500, "57P01"));
  searchCounts(() => rest.config).add(Array.from({ length: 2_000 }, () => crypto.randomUUID()));
  await eventually(() => rest.calls.length > 0 || undefined);
  await settled();
  assert.equal(rest.calls.length, 1);
});

Deno.test("search counts: lists of lots are counted; requests by id and changes are not", () => {
  const visible = (path: string) => routes.find((route) => route.path === path && route.method === "GET")!.shownLots!;
  const nearby = visible("/parking-lots/nearby") as (items: unknown, query: unknown) => string[];
  assert.deepEqual(nearby([{ id: "a" }, { id: "b" }], {}), ["a", "b"]);
  const search = visible("/parking-lots") as (page: unknown, query: unknown) => string[];
  const page = { items: [{ id: "a" }, { id: "gone", deleted: true }, { id: "b" }] };
  assert.deepEqual(search(page, {}), ["a", "b"]);
  assert.deepEqual(search(page, { ids: ["a", "b"] }), []);
  assert.deepEqual(search(page, { updated_since: "2026-09-01T00:00:00Z" }), []);
});
