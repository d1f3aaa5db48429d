// Log lines by level, slow requests, and the trace that a request belongs to.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import { DEFAULT_LOG, type LogLine, type LogSettings } from "../../supabase/functions/_shared/http/log.ts";
import { route } from "../../supabase/functions/_shared/http/route.ts";
import { groups } from "../../supabase/functions/openapi/contract.ts";
import { anyDatabase, fakeRest } from "./fake_rest.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const PARENT_ID = "b7ad6b7169203331";

const common = { method: "GET", access: "public", summary: "A thing", reply: [200, z.null()], errors: [] } as const;
const routes = [
  route({ ...common, path: "/things", handle: () => null }),
  route({ ...common, path: "/things/stored", handle: ({ db }) => anyDatabase(db).rpc<null>("thing") }),
  route({ ...common, path: "/things/closed", access: "user", handle: () => null }),
  route({ ...common, path: "/things/worked", isConsumer: true, handle: () => null }),
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
  const config = () => ({ ...rest.config, log: { ...DEFAULT_LOG, successShare: 1, ...settings } });
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

Deno.test("log: a consumer of a queue is never slow: it ends when there is no more work", async () => {
  const seen = await ask("/things/worked", { slowRequestMs: 0 });
  assert.deepEqual(seen.map(({ level, slow, status }) => [level, slow, status]), [["info", undefined, 200]]);
});

Deno.test("log: the consumers are the routes that the database calls", async () => {
  const called = new Set<string>();
  for await (const path of sqlFiles(fileURLToPath(new URL("../../supabase/schemas", import.meta.url)))) {
    const text = await Deno.readTextFile(path);
    for (const [, name] of text.matchAll(/\b(?:call_function\(|add_queue\('[^']+', )'([^']+)'/g)) {
      called.add(`/${name}`);
    }
  }
  const consumers = groups.flatMap(({ routes }) => routes).filter(({ isConsumer }) => isConsumer);
  assert.deepEqual(consumers.map(({ path }) => path).sort(), [...called].sort());
  assert.ok(consumers.every(({ method, access }) => method === "POST" && access === "service"));
});

async function* sqlFiles(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* sqlFiles(`${folder}/${name}`);
    else if (name.endsWith(".sql")) yield `${folder}/${name}`;
  }
}

Deno.test("log: lines below LOG_LEVEL are not written", async () => {
  const written = async (level: LogSettings["level"], slowRequestMs: number) =>
    [await ask("/things", { level, slowRequestMs }), await ask("/things/broken", { level, slowRequestMs })]
      .flat().map((line) => line.level);
  assert.deepEqual(await written("info", 60_000), ["info", "error"]);
  assert.deepEqual(await written("warn", 60_000), ["error"]);
  assert.deepEqual(await written("warn", 0), ["warn", "error"]);
  assert.deepEqual(await written("error", 0), ["error"]);
});

/** The lines of requests with a thousand trace ids, evenly distributed. */
async function askThousand(path: string, settings: Partial<LogSettings>): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  for (let n = 0; n < 1000; n++) {
    const end = Math.floor((n + 0.5) / 1000 * 2 ** 32).toString(16).padStart(8, "0");
    const traceparent = `00-${TRACE_ID.slice(0, -8)}${end}-${PARENT_ID}-00`;
    lines.push(...await ask(path, { slowRequestMs: 60_000, ...settings }, { traceparent }));
  }
  return lines;
}

Deno.test("log: a share of successful requests is logged, chosen by the trace, and each line has the share", async () => {
  for (const successShare of [0, 0.1, 0.5, 1]) {
    const lines = await askThousand("/things", { successShare });
    assert.equal(lines.length, 1000 * successShare);
    assert.ok(lines.every(({ sample }) => sample === (successShare === 1 ? undefined : successShare)));
    assert.equal(lines.reduce((sum, { sample = 1 }) => sum + 1 / sample, 0), successShare === 0 ? 0 : 1000);
  }
  const again = await askThousand("/things", { successShare: 0.1 });
  assert.deepEqual(
    again.map(({ trace_id }) => trace_id),
    (await askThousand("/things", { successShare: 0.1 })).map(({ trace_id }) => trace_id),
  );
});

Deno.test("log: failures of the service and of clients, and slow requests, are always logged", async () => {
  for (const [path, status] of [["/things/broken", 500], ["/nothing", 404], ["/things/closed", 401]] as const) {
    const lines = await askThousand(path, { successShare: 0 });
    assert.deepEqual([lines.length, lines[0]!.status, lines[0]!.sample], [1000, status, undefined], path);
  }
  assert.equal((await askThousand("/things", { successShare: 0, slowRequestMs: 0 })).length, 1000);
});

Deno.test("log: without a valid configuration the line is written, with the default settings", async () => {
  const lines: LogLine[] = [];
  const config = () => {
    throw new Error("no configuration");
  };
  const traceparent = `00-${TRACE_ID.slice(0, -8)}00000000-${PARENT_ID}-00`; // in every sample
  await createApp(routes, { config, log: (line) => lines.push(line) })
    .fetch(new Request("http://localhost/things", { headers: { traceparent } }));
  assert.deepEqual(lines.map(({ level, sample }) => [level, sample]), [["info", DEFAULT_LOG.successShare]]);
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
