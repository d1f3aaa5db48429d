// Spans: the protocol's JSON, the trace that they continue, and a collector that is down.
import assert from "node:assert/strict";
import { z } from "zod";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import { readConfig, type TracingConfig } from "../../supabase/functions/_shared/config.ts";
import { route } from "../../supabase/functions/_shared/http/route.ts";
import { samplerOf, Spans } from "../../supabase/functions/_shared/http/spans.ts";
import type { MailSender } from "../../supabase/functions/_shared/providers/mail.ts";
import { eventually } from "../support/eventually.ts";
import { anyDatabase, fakeRest } from "./fake_rest.ts";

// The JSON of ExportTraceServiceRequest by the OTLP specification 1.x: ids in hex, 64-bit numbers as text, enums as numbers,
// names in lowerCamelCase. https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
const Attribute = z.strictObject({
  key: z.string().min(1),
  value: z.union([
    z.strictObject({ stringValue: z.string() }),
    z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  ]),
});
const Time = z.string().regex(/^\d{19}$/);
const SpanId = z.string().regex(/^(?!0{16})[0-9a-f]{16}$/);
const OtlpSpan = z.strictObject({
  traceId: z.string().regex(/^(?!0{32})[0-9a-f]{32}$/),
  spanId: SpanId,
  parentSpanId: SpanId.optional(),
  traceState: z.string().optional(),
  name: z.string().min(1),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: Time,
  endTimeUnixNano: Time,
  attributes: z.array(Attribute),
  status: z.strictObject({ code: z.int().min(0).max(2) }),
});
const Export = z.strictObject({
  resourceSpans: z.array(z.strictObject({
    resource: z.strictObject({ attributes: z.array(Attribute) }),
    scopeSpans: z.array(z.strictObject({
      scope: z.strictObject({ name: z.string(), version: z.string() }),
      spans: z.array(OtlpSpan).min(1),
    })),
  })),
});
type OtlpSpan = z.output<typeof OtlpSpan>;

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const PARENT_ID = "b7ad6b7169203331";

/** A collector that keeps what it receives, valid by the protocol or not at all. */
function collector(answer: () => Response | Promise<Response> = () => Response.json({})) {
  const spans: OtlpSpan[] = [];
  const resources: unknown[] = [];
  const requests: { readonly path: string; readonly headers: Headers }[] = [];
  const faults: unknown[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    requests.push({ path: new URL(request.url).pathname, headers: request.headers });
    const parsed = Export.safeParse(await request.json());
    if (!parsed.success) faults.push(parsed.error);
    for (const { resource, scopeSpans } of parsed.data?.resourceSpans ?? []) {
      resources.push(resource);
      spans.push(...scopeSpans.flatMap((scope) => scope.spans));
    }
    return await answer();
  });
  const config: TracingConfig = {
    endpoint: `http://127.0.0.1:${server.addr.port}`,
    headers: { "api-key": "k" },
    serviceName: "parking",
    sampler: "parentbased_always_on",
    ratio: 1,
  };
  return { spans, resources, requests, faults, config, [Symbol.asyncDispose]: () => server.shutdown() };
}

const common = { access: "public", summary: "A thing", reply: [200, z.null()], errors: [] } as const;
const read = route({
  ...common,
  method: "GET",
  path: "/things/{id}",
  params: z.strictObject({ id: z.string() }),
  uses: ["mail"],
  handle: async ({ db, mail }) => {
    await anyDatabase(db).rpc("read_thing");
    await mail.send({} as never);
    return null;
  },
});
const fails = route({
  ...common,
  method: "POST",
  path: "/things",
  handle: async ({ db }) => await anyDatabase(db).rpc<null>("break_thing"),
});

/** A client of a provider with private state, as the real ones have. */
class Mail implements MailSender {
  #sent = 0;
  readonly isAvailable = true;
  // deno-lint-ignore require-await
  async send() {
    this.#sent++;
    return { outcome: "sent" } as const;
  }
  get sent() {
    return this.#sent;
  }
}

function appFor(
  tracing: TracingConfig | null,
  options: { readonly timeoutMs?: number; readonly maxSpans?: number } = {},
) {
  const rest = fakeRest(({ name }) =>
    name === "break_thing" ? Response.json({}, { status: 500 }) : Response.json(null)
  );
  const lines: Record<string, unknown>[] = [];
  const mail = new Mail();
  const config = () => ({ ...rest.config, tracing });
  const spans = new Spans({ config: () => tracing, intervalMs: 1, log: (line) => lines.push(line), ...options });
  const { fetch } = createApp([read, fails], { config, log: () => {}, spans, mail: () => mail });
  const ask = async (path: string, headers: Record<string, string> = {}, method = "GET") => {
    const response = await fetch(new Request(`http://localhost${path}`, { method, headers }));
    await response.body?.cancel();
    return response;
  };
  return { ask, lines, rest, mail, [Symbol.asyncDispose]: () => rest[Symbol.asyncDispose]() };
}

const attribute = (span: OtlpSpan, key: string) =>
  Object.values(span.attributes.find((one) => one.key === key)?.value ?? {})[0];

Deno.test("spans: a request, its call of the database and of a provider are one trace, which continues the client's", async () => {
  await using otlp = collector();
  await using app = appFor(otlp.config);
  const traceparent = `00-${TRACE_ID}-${PARENT_ID}-01`;
  const response = await app.ask("/things/secret-id", { traceparent, tracestate: "vendor=1" });
  assert.equal(response.status, 200);
  await eventually(() => otlp.spans.length > 2 || undefined);
  assert.deepEqual(otlp.faults, []);
  const [server, database, provider] = otlp.spans as [OtlpSpan, OtlpSpan, OtlpSpan];
  assert.deepEqual([server.name, server.kind, server.parentSpanId], ["GET /things/{id}", 2, PARENT_ID]);
  assert.equal(server.traceState, "vendor=1");
  assert.equal(attribute(server, "http.route"), "/things/{id}");
  assert.equal(attribute(server, "http.response.status_code"), "200");
  assert.equal(attribute(server, "parking.request_id"), response.headers.get("x-request-id"));
  assert.deepEqual([database.name, provider.name], ["read_thing", "mail.send"]);
  for (const call of [database, provider]) assert.deepEqual([call.kind, call.parentSpanId], [3, server.spanId]);
  assert.deepEqual(new Set(otlp.spans.map(({ traceId }) => traceId)), new Set([TRACE_ID]));
  assert.equal(new Set(otlp.spans.map(({ spanId }) => spanId)).size, 3);
  assert.equal(app.rest.calls[0]!.headers.get("traceparent"), `00-${TRACE_ID}-${server.spanId}-01`);
  assert.ok(BigInt(server.startTimeUnixNano) <= BigInt(server.endTimeUnixNano));
  assert.deepEqual(otlp.requests[0]!.path, "/v1/traces");
  assert.equal(otlp.requests[0]!.headers.get("api-key"), "k");
  assert.equal(otlp.requests[0]!.headers.get("content-type"), "application/json");
  assert.deepEqual(otlp.resources[0], {
    attributes: [
      { key: "service.name", value: { stringValue: "parking" } },
      { key: "service.version", value: { stringValue: "0.1.0" } },
    ],
  });
  assert.ok(!JSON.stringify(otlp.spans).includes("secret"), "no path of a request");
  assert.equal(app.mail.sent, 1);
});

Deno.test("spans: a failure is an error of the request and of its call, a client's error is none", async () => {
  await using otlp = collector();
  await using app = appFor(otlp.config);
  assert.equal((await app.ask("/things", {}, "POST")).status, 500);
  assert.equal((await app.ask("/nothing")).status, 404);
  await eventually(() => otlp.spans.length > 2 || undefined);
  assert.deepEqual(otlp.faults, []);
  const shown = otlp.spans.map((span) => [span.name, span.status.code, attribute(span, "error.type")]);
  assert.deepEqual(shown, [["POST /things", 2, "server_error"], ["break_thing", 2, undefined], [
    "HTTP",
    0,
    "not_found",
  ]]);
});

Deno.test("spans: the samplers of OpenTelemetry decide, and the database gets the decision", async () => {
  const decide = (sampler: TracingConfig["sampler"], ratio = 1) => {
    const sampled = samplerOf({ sampler, ratio });
    return [null, true, false].map((parent) => sampled(TRACE_ID, parent));
  };
  assert.deepEqual(decide("always_on"), [true, true, true]);
  assert.deepEqual(decide("always_off"), [false, false, false]);
  assert.deepEqual(decide("traceidratio", 0), [false, false, false]);
  assert.deepEqual(decide("parentbased_always_on"), [true, true, false]);
  assert.deepEqual(decide("parentbased_always_off"), [false, true, false]);
  assert.deepEqual(decide("parentbased_traceidratio", 0), [false, true, false]);
  const quarter = samplerOf({ sampler: "traceidratio", ratio: 0.25 });
  const ids = Array.from({ length: 4_000 }, () => crypto.randomUUID().replaceAll("-", ""));
  const share = ids.filter((id) => quarter(id, null)).length / ids.length;
  assert.ok(share > 0.2 && share < 0.3, `${share}`);

  await using otlp = collector();
  await using app = appFor({ ...otlp.config, sampler: "always_off" });
  await app.ask("/things/1", { traceparent: `00-${TRACE_ID}-${PARENT_ID}-01` });
  assert.match(app.rest.calls[0]!.headers.get("traceparent")!, /-00$/);
  await using without = appFor(null);
  await without.ask("/things/1", { traceparent: `00-${TRACE_ID}-${PARENT_ID}-01` });
  assert.match(
    without.rest.calls[0]!.headers.get("traceparent")!,
    /-01$/,
    "without a collector the client's decision stays",
  );
  assert.deepEqual(otlp.spans, []);
});

Deno.test("spans: a collector that is down, hangs or rejects changes no response, and memory is bounded", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const hanging = collector(() => promise.then(() => Response.json({})));
  await using rejecting = collector(() => new Response("no", { status: 429 }));
  const kinds = {
    down: { ...hanging.config, endpoint: "http://127.0.0.1:1" },
    hanging: hanging.config,
    rejecting: rejecting.config,
  };
  for (const [kind, tracing] of Object.entries(kinds)) {
    await using app = appFor(tracing, { timeoutMs: 200, maxSpans: 5 });
    for (let n = 0; n < 20; n++) assert.equal((await app.ask(`/things/${n}`)).status, 200, kind);
    const line = await eventually(() => app.lines[0]);
    assert.match(String(line["message"]), /^\d+ spans were dropped$/, kind);
    assert.equal(app.lines.length, 1, "one line a minute");
    // 60 spans of 20 requests, of which at most five wait.
    await new Promise((done) => setTimeout(done, 250));
  }
  resolve();
  await hanging[Symbol.asyncDispose]();
});

Deno.test("config: spans need an endpoint, and wrong settings are named", () => {
  const needed: Record<string, string> = {
    SUPABASE_URL: "http://a.test",
    SUPABASE_ANON_KEY: "a",
    SUPABASE_SERVICE_ROLE_KEY: "s",
  };
  const tracing = (env: Record<string, string>) => readConfig((name) => ({ ...needed, ...env })[name]).tracing;
  assert.equal(tracing({ OTEL_SERVICE_NAME: "x" }), null);
  const endpoint = "https://otlp.test/otlp";
  assert.deepEqual(tracing({ OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/` }), {
    endpoint,
    headers: {},
    serviceName: "parking-lots",
    sampler: "parentbased_always_on",
    ratio: 1,
  });
  const headers = "authorization=Basic%20YTpi, x-scope=a=b,";
  assert.deepEqual(tracing({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers })?.headers, {
    authorization: "Basic YTpi",
    "x-scope": "a=b",
  });
  const wrong = {
    OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318",
    OTEL_EXPORTER_OTLP_HEADERS: "key",
    OTEL_TRACES_SAMPLER: "sometimes",
    OTEL_TRACES_SAMPLER_ARG: "2",
    METRICS_TOKEN: "short",
  };
  for (const [name, value] of Object.entries(wrong)) {
    assert.throws(() => tracing({ [name]: value }), new RegExp(`ConfigError: ${name} is`), name);
  }
  for (const value of ["a=%0d%0a", "a b=c", "a=b,=c", "a=%ff"]) {
    assert.throws(() => tracing({ OTEL_EXPORTER_OTLP_HEADERS: value }), /OTEL_EXPORTER_OTLP_HEADERS is/, value);
  }
});
