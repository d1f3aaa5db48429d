// Log lines by level, slow requests, and the trace that a request belongs to.
import assert from "node:assert/strict";
import { z } from "zod";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import { DEFAULT_LOG, type LogLine, type LogSettings } from "../../supabase/functions/_shared/http/log.ts";
import { route } from "../../supabase/functions/_shared/http/route.ts";
import { anyDatabase, fakeRest } from "./fake_rest.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const PARENT_ID = "b7ad6b7169203331";

const common = { method: "GET", access: "public", summary: "A thing", reply: [200, z.null()], errors: [] } as const;
const routes = [
  route({ ...common, path: "/things", handle: () => null }),
  route({ ...common, path: "/things/stored", handle: ({ db }) => anyDatabase(db).rpc<null>("thing") }),
  route({
    ...common,
    path: "/things/broken",
    handle: () => {
      throw new Error("broken");
    },
  }),
];
const rest = fakeRest(() => Response.json(null));
Deno.test.afterAll(async () => await rest[Symbol.asyncDispose]());

async function ask(path: string, settings: Partial<LogSettings> = {}, headers: Record<string, string> = {}) {
  const lines: LogLine[] = [];
  const config = () => ({ ...rest.config, log: { ...DEFAULT_LOG, ...settings } });
  await createApp(routes, { config, log: (line) => lines.push(line) })
    .fetch(new Request(`http://localhost${path}`, { headers }));
  return lines;
}

Deno.test("log: a request is info, a slow one is a warning, a failed one is an error for any duration", async () => {
  const seen = async (path: string, slowRequestMs: number) =>
    (await ask(path, { slowRequestMs })).map(({ level, slow }) => [level, slow]);
  assert.deepEqual(await seen("/things", 60_000), [["info", undefined]]);
  assert.deepEqual(await seen("/things", 0), [["warn", true]]);
  assert.deepEqual(await seen("/things/broken", 60_000), [["error", undefined]]);
  assert.deepEqual(await seen("/things/broken", 0), [["error", true]]);
});

Deno.test("log: lines below LOG_LEVEL are not written", async () => {
  const written = async (level: LogSettings["level"], slowRequestMs: number) =>
    [await ask("/things", { level, slowRequestMs }), await ask("/things/broken", { level, slowRequestMs })]
      .flat().map((line) => line.level);
  assert.deepEqual(await written("info", 60_000), ["info", "error"]);
  assert.deepEqual(await written("warn", 60_000), ["error"]);
  assert.deepEqual(await written("warn", 0), ["warn", "error"]);
  assert.deepEqual(await written("error", 0), ["error"]);
});

Deno.test("log: without a valid configuration the line is written, at the default level", async () => {
  const lines: LogLine[] = [];
  const config = () => {
    throw new Error("no configuration");
  };
  await createApp(routes, { config, log: (line) => lines.push(line) }).fetch(new Request("http://localhost/things"));
  assert.deepEqual(lines.map(({ level }) => level), ["info"]);
});

Deno.test("traceparent: the client's trace is in the log and goes on to the database, with the request as the parent", async () => {
  const tracestate = "vendor=value";
  const traceparent = `00-${TRACE_ID}-${PARENT_ID}-01`;
  const [line] = await ask("/things/stored", {}, { traceparent, tracestate });
  assert.equal(line?.trace_id, TRACE_ID);
  const { headers } = rest.calls.at(-1)!;
  const [, spanId] = /^00-0af7651916cd43dd8448eb211c80319c-([0-9a-f]{16})-01$/.exec(headers.get("traceparent") ?? "")!;
  assert.notEqual(spanId, PARENT_ID);
  assert.equal(headers.get("tracestate"), tracestate);
});

Deno.test("traceparent: a missing or invalid one is replaced by a new unsampled trace, without the client's tracestate", async () => {
  const invalid = [
    "",
    TRACE_ID,
    `ff-${TRACE_ID}-${PARENT_ID}-01`,
    `00-${TRACE_ID.toUpperCase()}-${PARENT_ID}-01`,
    `00-${"0".repeat(32)}-${PARENT_ID}-01`,
    `00-${TRACE_ID}-${"0".repeat(16)}-01`,
    `00-${TRACE_ID}-${PARENT_ID}-01-more`,
  ];
  const seen = new Set<string>();
  for (const traceparent of invalid) {
    const [line] = await ask("/things/stored", {}, { traceparent, tracestate: "vendor=value" });
    const { headers } = rest.calls.at(-1)!;
    assert.match(headers.get("traceparent") ?? "", new RegExp(`^00-${line!.trace_id}-[0-9a-f]{16}-00$`), traceparent);
    assert.equal(headers.get("tracestate"), null, traceparent);
    assert.notEqual(line!.trace_id, TRACE_ID, traceparent);
    seen.add(line!.trace_id);
  }
  assert.equal(seen.size, invalid.length);
});

Deno.test("traceparent: a later version is read by its first fields", async () => {
  const [line] = await ask("/things", {}, { traceparent: `01-${TRACE_ID}-${PARENT_ID}-01-more` });
  assert.equal(line?.trace_id, TRACE_ID);
});
