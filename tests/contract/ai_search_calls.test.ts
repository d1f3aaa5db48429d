// What a search in words calls: how often, and what its response waits for.
import assert from "node:assert/strict";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import { aiGateway } from "../../supabase/functions/_shared/providers/ai_gateway.ts";
import { geocoder } from "../../supabase/functions/_shared/providers/geocoder.ts";
import { routes } from "../../supabase/functions/search/routes.ts";
import { eventually } from "../support/eventually.ts";
import { databaseError, fakeRest, type RecordedCall } from "./fake_rest.ts";

const PLACE = { name: "渋谷駅", lat: 35.66, lng: 139.7, source: "places", is_ambiguous: false, area: "東京都渋谷区" };
const FOUND = { place: PLACE, words: "渋谷駅", wait_ms: null, is_busy: false };

const written = () => new Response(null, { status: 204 });

/** A search of a guest. `answered` is called with the response. */
async function asGuest(log: () => Response | Promise<Response>, answered = () => {}) {
  await using rest = fakeRest(({ name }: RecordedCall) => name === "log_ai_request" ? log() : Response.json(FOUND));
  const { fetch } = createApp(routes, { config: () => rest.config, log: () => {}, ai: aiGateway, geocoder });
  const response = await fetch(
    new Request("http://localhost/search/ai", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: "渋谷駅の近くで明日10時から12時まで" }),
    }),
  );
  answered();
  const body = await response.json();
  await eventually(() => rest.calls.some(({ name }) => name === "log_ai_request") || undefined);
  return { status: response.status, body, calls: rest.calls.map(({ name }) => name) };
}

Deno.test("search/ai: for a guest the database is called once for the place and once for the log", async () => {
  const { status, body, calls } = await asGuest(written);
  assert.deepEqual([status, body.location?.name], [200, "渋谷駅"]);
  assert.deepEqual(calls, ["find_place", "log_ai_request"]);
});

Deno.test("search/ai: the response does not wait for its log", async () => {
  const events: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const deadline = setTimeout(resolve, 10_000);
  const log = async () => {
    await promise;
    events.push("log");
    return written();
  };
  const { status } = await asGuest(log, () => {
    events.push("response");
    resolve();
  });
  clearTimeout(deadline);
  assert.deepEqual([status, events[0]], [200, "response"]);
});

Deno.test("search/ai: a log that cannot be written fails no search, and is a line of the function's log", async () => {
  const lines: string[] = [];
  const { error } = console;
  console.error = (line: string) => lines.push(line);
  try {
    const { status } = await asGuest(() => databaseError(500, "XX000"));
    await eventually(() => lines[0]);
    assert.equal(status, 200);
  } finally {
    console.error = error;
  }
  assert.match(lines[0]!, /A search in words is not in the log of searches/);
});
