import assert from "node:assert/strict";
import { z } from "zod";
import { ConfigError } from "../../supabase/functions/_shared/environment.ts";
import { ApiError } from "../../supabase/functions/_shared/errors.ts";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import type { LogLine } from "../../supabase/functions/_shared/http/log.ts";
import { route } from "../../supabase/functions/_shared/http/route.ts";
import { routes as health } from "../../supabase/functions/health/routes.ts";
import { assertError } from "../support/api_errors.ts";
import { serviceKeyCases, writtenResponse } from "../support/service_keys.ts";
import { badAuthorizations, token } from "../support/tokens.ts";
import {
  ANON_KEY,
  anyDatabase,
  configFor,
  databaseError,
  fakeRest,
  PUBLISHABLE_KEY,
  SECRET,
  SECRET_KEY,
  SERVICE_ROLE_KEY,
} from "./fake_rest.ts";

const USER = "11111111-2222-4333-8444-555555555555";
const Thing = z.object({ id: z.string() });
const common = { summary: "A thing", reply: [200, Thing], errors: [] } as const;
const publicThing = route({
  method: "GET",
  path: "/things",
  access: "public",
  ...common,
  cache: { scope: "public", maxAge: 60 },
  handle: () => ({ id: "a" }),
});
const routes = [
  publicThing,
  route({
    method: "POST",
    path: "/things",
    access: "user",
    summary: "Make",
    body: z.strictObject({ name: z.string().optional() }),
    reply: [201, Thing],
    errors: ["conflict"],
    handle: ({ caller, body }) => {
      if (body.name === "down") {
        throw new ApiError("service_unavailable", {
          message: "db-7 is down",
          param: "name",
          details: { host: "db-7" },
        });
      }
      if (body.name === "taken") throw new ApiError("conflict", { details: { reason: "taken" } });
      return { id: caller.id };
    },
  }),
  route({ method: "DELETE", path: "/things/old", access: "public", ...common, handle: () => ({ id: "a" }) }),
  route({
    method: "GET",
    path: "/things/mine",
    access: "optional",
    ...common,
    handle: ({ db }) => anyDatabase(db).rpc("my_thing"),
  }),
  route({
    method: "GET",
    path: "/things/all",
    access: "service",
    ...common,
    handle: ({ db }) => anyDatabase(db).rpc("all_things"),
  }),
  route({
    method: "GET",
    path: "/things/by/{id}",
    access: "public",
    summary: "One",
    params: z.strictObject({ id: z.string().max(5) }),
    reply: [200, Thing],
    errors: [],
    handle: ({ params }) => params,
  }),
  route({ method: "GET", path: "/things/by/name", access: "public", ...common, handle: () => ({ id: "the name" }) }),
  route({
    method: "GET",
    path: "/things/broken",
    access: "public",
    ...common,
    handle: () => {
      throw new Error("the secret cause");
    },
  }),
  route({ method: "GET", path: "/things/odd", access: "public", ...common, handle: () => ({ id: 5 as never }) }),
  route({
    method: "GET",
    path: "/things/wide",
    access: "public",
    ...common,
    handle: () => ({ id: "a", password: "hidden" }),
  }),
];

const idle = fakeRest(() => databaseError(404, "PGRST202"));
Deno.test.afterAll(async () => await idle[Symbol.asyncDispose]());

function appWith(config = idle.config) {
  const lines: LogLine[] = [];
  const { fetch } = createApp(routes, { config: () => config, log: (line) => lines.push(line) });
  const ask = (path: string, init?: RequestInit) => fetch(new Request(`http://localhost${path}`, init));
  return { ask, lines };
}

const post = (body: BodyInit, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  body,
  headers: {
    "content-type": "application/json",
    authorization: `Bearer ${token(USER, { secret: SECRET })}`,
    ...headers,
  },
});

Deno.test("router: a reply has exactly the fields of its schema", async () => {
  assert.deepEqual(await (await appWith().ask("/things/wide")).json(), { id: "a" });
});

Deno.test("router: a reply that differs from its schema is an internal error, and the log names the field", async () => {
  const { ask, lines } = appWith();
  await assertError(await ask("/things/odd"), { code: "server_error" });
  assert.match(lines[0]?.cause ?? "", /id invalid_type/);
});

Deno.test("router: an unexpected error shows the client the request id and nothing of the cause", async () => {
  const { ask, lines } = appWith();
  const response = await ask("/things/broken");
  const text = await response.clone().text();
  await assertError(response, { code: "server_error" });
  assert.doesNotMatch(text, /secret cause/);
  assert.match(lines[0]?.cause ?? "", /the secret cause/);
  assert.equal(lines[0]?.level, "error");
});

Deno.test("router: an error from 500 on has neither its message nor its details in the response", async () => {
  const { ask, lines } = appWith();
  const response = await ask("/things", post('{"name":"down"}'));
  const { error } = await response.clone().json();
  assert.deepEqual([error.param, error.details], [null, undefined]);
  assert.doesNotMatch(JSON.stringify(error), /db-7/);
  await assertError(response, { code: "service_unavailable" });
  assert.match(lines[0]?.cause ?? "", /db-7 is down/);
});

Deno.test("router: an unknown path is 404, also for OPTIONS and with a trailing slash", async () => {
  const { ask } = appWith();
  for (const path of ["/", "/nothing", "/things/", "/Things", "/things/by/a/b", "/things/by/"]) {
    await assertError(await ask(path), { code: "not_found" });
  }
  await assertError(await ask("/nothing", { method: "OPTIONS" }), { code: "not_found" });
});

Deno.test("router: a path goes before one whose parameter it would match, whichever is listed first", async () => {
  const { ask } = appWith();
  assert.deepEqual(await (await ask("/things/by/name")).json(), { id: "the name" });
  assert.deepEqual(await (await ask("/things/by/a")).json(), { id: "a" });
});

Deno.test("router: a method that the path does not take is 405 and names those it takes", async () => {
  const response = await appWith().ask("/things", { method: "DELETE" });
  assert.equal(response.headers.get("allow"), "GET, HEAD, POST, OPTIONS");
  await assertError(response, { code: "method_not_allowed" });
});

Deno.test("router: HEAD answers as GET does, without a body", async () => {
  const { ask, lines } = appWith();
  const [head, get] = [await ask("/things", { method: "HEAD" }), await ask("/things")];
  assert.equal(head.status, 200);
  assert.equal(await head.text(), "");
  assert.equal(head.headers.get("etag"), get.headers.get("etag"));
  assert.equal(head.headers.get("content-type"), get.headers.get("content-type"));
  assert.equal(Number(head.headers.get("content-length")), (await get.arrayBuffer()).byteLength);
  assert.equal(lines[0]?.method, "HEAD");
});

Deno.test("router: a preflight names the methods of that path and the headers a client may send", async () => {
  const response = await appWith().ask("/things", { method: "OPTIONS", headers: { origin: "https://app.test" } });
  assert.equal(response.status, 204);
  assert.equal(response.headers.get("access-control-allow-origin"), "*");
  assert.equal(response.headers.get("access-control-allow-methods"), "GET, HEAD, POST, OPTIONS");
  for (const name of ["authorization", "apikey", "content-type", "x-client-info", "if-none-match", "idempotency-key"]) {
    assert.ok(response.headers.get("access-control-allow-headers")?.includes(name), name);
  }
});

Deno.test("router: a preflight allows tracing headers and any other header name that the page requests, and nothing else", async () => {
  const allowed = async (requested: string) => {
    const headers = { origin: "https://app.test", "access-control-request-headers": requested };
    const response = await appWith().ask("/things", { method: "OPTIONS", headers });
    assert.match(response.headers.get("vary") ?? "", /Access-Control-Request-Headers/i);
    return (response.headers.get("access-control-allow-headers") ?? "").split(", ");
  };
  const known = await allowed("");
  for (const name of ["traceparent", "tracestate", "baggage", "sentry-trace", "x-region", "x-supabase-api-version"]) {
    assert.ok(known.includes(name), name);
  }
  assert.deepEqual((await allowed("X-Datadog-Trace-Id, authorization, b\u00e4d name")).slice(known.length), [
    "x-datadog-trace-id",
  ]);
  const many = Array.from({ length: 1_000 }, (_, index) => `x-${index}`).join(",");
  assert.equal((await allowed(many)).length, known.length + 32);
});

Deno.test("router: the client library's parameter forceFunctionRegion is ignored at any place in the query", async () => {
  for (
    const query of [
      "?forceFunctionRegion=ap-northeast-1",
      "?forceFunctionRegion=a&forceFunctionRegion=b",
      "?&forceFunctionRegion=",
    ]
  ) {
    assert.equal((await appWith().ask(`/things${query}`)).status, 200, query);
  }
  await assertError(await appWith().ask("/things?xforceFunctionRegion=1"), { code: "validation_error" });
});

Deno.test("router: a web page may read the headers it needs", async () => {
  const exposed = (await appWith().ask("/things")).headers.get("access-control-expose-headers") ?? "";
  for (
    const name of [
      "date",
      "etag",
      "x-request-id",
      "retry-after",
      "idempotent-replayed",
      "ratelimit",
      "ratelimit-policy",
    ]
  ) {
    assert.ok(exposed.split(", ").includes(name), name);
  }
});

Deno.test("router: X-Request-Id is generated by the service; the client's is logged when it is printable and short enough", async () => {
  const { ask, lines } = appWith();
  const given = [
    "client-id_0001",
    "short",
    "a".repeat(128),
    'quote"{}',
    "a".repeat(129),
    "has spaces in it",
    "ünicode-id",
  ];
  const ids = new Set<string>();
  for (const id of given) {
    const response = await ask("/things", { headers: { "x-request-id": id } });
    ids.add(response.headers.get("x-request-id") ?? "");
  }
  ids.add((await ask("/things")).headers.get("x-request-id") ?? "");
  assert.equal(ids.size, given.length + 1);
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.deepEqual(lines.map((line) => line.request_id), [...ids]);
  const logged = lines.map((line) => line.client_request_id);
  assert.deepEqual(logged, [...given.slice(0, 4), undefined, undefined, undefined, undefined]);
});

Deno.test("router: database calls have the id of their request", async () => {
  await using rest = fakeRest(() => Response.json({ id: "a" }));
  const { ask, lines } = appWith(rest.config);
  const headers = { authorization: `Bearer ${token(USER, { secret: SECRET })}`, "x-request-id": "client-id_0001" };
  await ask("/things/mine", { headers });
  await ask("/things/mine");
  await ask("/things/all", { headers: { authorization: `Bearer ${SECRET_KEY}` } });
  assert.deepEqual(
    rest.calls.map(({ headers }) => headers.get("x-request-id")),
    lines.map(({ request_id }) => request_id),
  );
});

Deno.test("router: a public reply has a strong ETag, and a client that has it gets 304 without a body", async () => {
  const { ask } = appWith();
  const first = await ask("/things");
  const tag = first.headers.get("etag") ?? "";
  assert.match(tag, /^"[0-9a-f]{32}"$/);
  assert.equal(first.headers.get("cache-control"), "public, max-age=60");
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
    const again = await ask("/things", { headers: { "if-none-match": known } });
    assert.equal(again.status, 304, known);
    assert.equal(await again.text(), "");
    assert.equal(again.headers.get("etag"), tag);
    assert.equal(again.headers.get("cache-control"), "public, max-age=60");
  }
  for (const other of ['"other"', tag.slice(1, -1), ""]) {
    assert.equal((await ask("/things", { headers: { "if-none-match": other } })).status, 200, other);
  }
});

Deno.test("router: a reply without a cache rule is no-store", async () => {
  const response = await appWith().ask("/things/by/a");
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.equal(response.headers.get("etag"), null);
});

for (const [name, authorization] of Object.entries(badAuthorizations(USER, SECRET))) {
  Deno.test(`router: routes with required or optional authentication reject ${name}`, async () => {
    const { ask } = appWith();
    await assertError(await ask("/things", post("{}", { authorization })), { code: "unauthorized" });
    await assertError(await ask("/things/mine", { headers: { authorization } }), { code: "unauthorized" });
  });
}

Deno.test("router: a valid token is accepted, also with a clock difference of up to a minute", async () => {
  const { ask } = appWith();
  const now = Math.floor(Date.now() / 1000);
  for (const claims of [{}, { exp: now - 50 }, { nbf: now + 50 }, { aud: ["authenticated", "other"] }]) {
    const authorization = `Bearer ${token(USER, { secret: SECRET, claims })}`;
    const response = await ask("/things", post("{}", { authorization }));
    assert.equal(response.status, 201, JSON.stringify(claims));
    assert.deepEqual(await response.json(), { id: USER });
  }
});

Deno.test("router: a rejected token is named missing, expired or invalid", async () => {
  const { ask } = appWith();
  const reasonFor = async (headers: Record<string, string>) =>
    (await (await ask("/things", { method: "POST", headers })).json()).error.details.reason;
  const bad = badAuthorizations(USER, SECRET);
  assert.equal(await reasonFor({}), "token_missing");
  assert.equal(await reasonFor({ authorization: bad["an expired token"]! }), "token_expired");
  assert.equal(await reasonFor({ authorization: bad["an unsigned token (alg none)"]! }), "token_invalid");
});

Deno.test("router: the publishable key as bearer is an anonymous user: accepted where a token is optional, 401 where it is required", async () => {
  await using rest = fakeRest(() => Response.json({ id: "a" }));
  const { ask } = appWith(rest.config);
  for (const key of [PUBLISHABLE_KEY, ANON_KEY]) {
    const authorization = `Bearer ${key}`;
    assert.equal((await ask("/things/mine", { headers: { authorization } })).status, 200);
    await assertError(await ask("/things", post("{}", { authorization })), { code: "unauthorized" });
  }
  assert.equal(rest.calls[0]?.headers.get("authorization"), null);
});

Deno.test("router: a route without a body accepts an empty object, and nothing else", async () => {
  const { ask } = appWith();
  const withBody = (body: BodyInit) =>
    ask("/things/old", { method: "DELETE", body, headers: { "content-type": "application/json" } });
  assert.equal((await ask("/things/old", { method: "DELETE" })).status, 200);
  for (const body of ["", "{}", " { } "]) assert.equal((await withBody(body)).status, 200, body);
  const code = "validation_error";
  await assertError(await withBody('{"name":"a"}'), { code, param: "name", field: "unknown_key" });
  await assertError(await withBody("null"), { code, param: null, field: "invalid_type" });
  await assertError(await ask("/things/old", { method: "DELETE", body: "{}" }), { code: "unsupported_media_type" });
});

Deno.test("router: the apikey header does not authenticate a user", async () => {
  const { ask } = appWith();
  for (const apikey of [SECRET_KEY, SERVICE_ROLE_KEY, token(USER, { secret: SECRET })]) {
    const init = { method: "POST", body: "{}", headers: { apikey, "content-type": "application/json" } };
    await assertError(await ask("/things", init), { code: "unauthorized" });
  }
});

Deno.test("router: a service route accepts a service key from either header, and a user's token decides for itself", async () => {
  await using rest = fakeRest(() => Response.json({ id: "a" }));
  const { ask } = appWith(rest.config);
  const cases = serviceKeyCases({
    publishable: PUBLISHABLE_KEY,
    secret: SECRET_KEY,
    anon: ANON_KEY,
    service: SERVICE_ROLE_KEY,
    user: token(USER, { secret: SECRET }),
  });
  for (const { name, headers, response } of cases) {
    assert.equal(await writtenResponse(await ask("/things/all", { headers })), response, name);
  }
  assert.equal(rest.calls.length, cases.filter(({ response }) => response === "200").length);
});

Deno.test("router: a service route rejects what is almost a service key, in either header", async () => {
  const { ask } = appWith();
  for (const key of [SECRET_KEY.slice(0, -1), `${SECRET_KEY}x`, "", `Bearer ${SECRET_KEY}`]) {
    const sent = [{ apikey: key }, { authorization: `Bearer ${key}` }];
    for (const headers of sent) await assertError(await ask("/things/all", { headers }), { code: "unauthorized" });
  }
  const stranger = token(USER, { secret: "another-secret-of-at-least-32-characters" });
  const headers = { authorization: `Bearer ${stranger}`, apikey: SECRET_KEY };
  await assertError(await ask("/things/all", { headers }), { code: "unauthorized" });
});

Deno.test("router: the database sees an anonymous user, the caller's own token, or the service", async () => {
  await using rest = fakeRest(() => Response.json({ id: "a" }));
  const { ask } = appWith(rest.config);
  const authorization = `Bearer ${token(USER, { secret: SECRET })}`;
  await ask("/things/mine");
  await ask("/things/mine", { headers: { authorization } });
  await ask("/things/all", { headers: { authorization: `Bearer ${SECRET_KEY}` } });
  const seen = rest.calls.map(({ headers }) => [headers.get("apikey"), headers.get("authorization")]);
  assert.deepEqual(seen, [[PUBLISHABLE_KEY, null], [PUBLISHABLE_KEY, authorization], [SECRET_KEY, null]]);
  assert.deepEqual(
    rest.calls.map(({ headers }) => headers.get("content-profile") ?? headers.get("accept-profile")),
    ["api", "api", "api"],
  );
});

Deno.test("router: legacy keys are tokens, and are sent to the database as such", async () => {
  await using rest = fakeRest(() => Response.json({ id: "a" }));
  const { ask } = appWith({ ...rest.config, anonymousKeys: [ANON_KEY], serviceKeys: [SERVICE_ROLE_KEY] });
  await ask("/things/mine");
  await ask("/things/all", { headers: { authorization: `Bearer ${SERVICE_ROLE_KEY}` } });
  const seen = rest.calls.map(({ headers }) => [headers.get("apikey"), headers.get("authorization")]);
  assert.deepEqual(seen, [[ANON_KEY, `Bearer ${ANON_KEY}`], [SERVICE_ROLE_KEY, `Bearer ${SERVICE_ROLE_KEY}`]]);
});

Deno.test("router: an error that the contract does not declare is logged as an internal error", async () => {
  await using rest = fakeRest(() => databaseError(409, "lot_not_found", "No such lot"));
  const { ask, lines } = appWith(rest.config);
  await assertError(await ask("/things/mine"), { code: "lot_not_found" });
  assert.equal(lines[0]?.level, "error");
  assert.match(lines[0]?.cause ?? "", /lot_not_found is not among the errors of GET \/things\/mine/);
  await ask("/things", post('{"name":"taken"}'));
  assert.equal(lines[1]?.level, "info");
});

Deno.test("router: health is live without configuration or database, and ready only with them", async () => {
  const lost = createApp(health, { config: () => configFor("http://127.0.0.1:1"), log: () => {} });
  const bare = createApp(health, {
    config: () => {
      throw new ConfigError("everything is missing");
    },
    log: () => {},
  });
  for (const { fetch } of [lost, bare]) {
    assert.equal((await fetch(new Request("http://localhost/health"))).status, 200);
    assert.equal((await fetch(new Request("http://localhost/health/ready"))).status, 503);
  }
});

Deno.test("router: a handler gets the types of its route, and returns the type of its reply", () => {
  const query = z.strictObject({ n: z.number().default(1) });
  route({
    method: "GET",
    path: "/a",
    access: "public",
    ...common,
    query,
    handle: ({ query }) => ({ id: query.n.toFixed() }),
  });
  // @ts-expect-error: the reply has a text as id
  route({ method: "GET", path: "/b", access: "public", ...common, handle: () => ({ id: 5 }) });
  // @ts-expect-error: a public route has no caller
  route({ method: "GET", path: "/c", access: "public", ...common, handle: ({ caller }) => ({ id: caller.id }) });
  // @ts-expect-error: an optional caller may be absent
  route({ method: "GET", path: "/d", access: "optional", ...common, handle: ({ caller }) => ({ id: caller.id }) });
  // @ts-expect-error: there is no such code
  route({ method: "GET", path: "/e", access: "public", ...common, errors: ["nope"], handle: () => ({ id: "a" }) });
});

Deno.test("router: an error of a handler is sent with its details", async () => {
  const response = await appWith().ask("/things", post('{"name":"taken"}'));
  assert.deepEqual((await response.clone().json()).error.details, { reason: "taken" });
  await assertError(response, { code: "conflict", param: null });
});

Deno.test("router: a request writes one log line, without its token, its body or its query", async () => {
  await using rest = fakeRest(() => Response.json({ id: "a" }));
  const { ask, lines } = appWith(rest.config);
  const credential = token(USER, { secret: SECRET });
  await ask("/things/mine?word=hunter2", { headers: { authorization: `Bearer ${credential}` } });
  await ask("/things", post('{"name":"hunter2"}'));
  await ask("/things", post('{"nick":"hunter2"}'));
  await ask("/things/mine", { headers: { authorization: `Bearer ${credential}` } });
  assert.equal(lines.length, 4);
  for (const secret of ["hunter2", credential, credential.split(".")[2]!]) {
    assert.ok(!JSON.stringify(lines).includes(secret), secret);
  }
  const last = lines[3]!;
  assert.equal(last.route, "/things/mine");
  assert.equal(last.user_id, USER);
  assert.equal(last.status, 200);
  assert.ok(last.db_ms > 0 && last.ms >= last.db_ms);
  assert.equal(lines[2]?.code, "validation_error");
});

Deno.test("router: Server-Timing has the duration of the database calls and the total", async () => {
  await using rest = fakeRest(() => Response.json({ id: "a" }));
  const timing = (await appWith(rest.config).ask("/things/mine")).headers.get("server-timing") ?? "";
  assert.match(timing, /^db;dur=\d+\.\d, total;dur=\d+\.\d$/);
});

Deno.test("router: a function without its configuration answers 503, and the log names what is missing", async () => {
  const lines: LogLine[] = [];
  const config = () => {
    throw new ConfigError("JWT_SECRET is missing");
  };
  const { fetch } = createApp(routes, { config, log: (line) => lines.push(line) });
  const response = await fetch(new Request("http://localhost/things/mine", { headers: { authorization: "Bearer x" } }));
  assert.equal(response.status, 503);
  assert.equal((await response.json()).error.doc_url, null);
  assert.match(lines[0]?.cause ?? "", /JWT_SECRET is missing/);
  assert.equal((await fetch(new Request("http://localhost/nothing"))).status, 404);
});

Deno.test("router: a path parameter is decoded and checked", async () => {
  const { ask } = appWith();
  assert.deepEqual(await (await ask("/things/by/a%20b")).json(), { id: "a b" });
  await assertError(await ask("/things/by/toolong"), { code: "validation_error", param: "id", field: "too_big" });
  await assertError(await ask("/things/by/a%00"), { code: "validation_error", param: "id", field: "invalid_text" });
});

Deno.test("router: a route that breaks the conventions is rejected when it is defined", () => {
  const handle = () => ({ id: "a" });
  const loose = z.object({ a: z.string() });
  const define = (more: object) => () =>
    route({ method: "GET", path: "/x", access: "public", ...common, handle, ...more });
  assert.throws(define({ query: loose }), /strictObject/);
  assert.throws(define({ path: "/x/{id}" }), /params differ/);
  assert.throws(define({ method: "POST", cache: { scope: "public", maxAge: 1 } }), /only a GET/);
  assert.throws(define({ access: "optional", cache: { scope: "public", maxAge: 1 } }), /private/);
  assert.throws(() => createApp([publicThing, publicThing]), /defined twice/);
});

Deno.test("overload: a request beyond the limit is 503 with Retry-After, before it is read, and logged at most once a second", async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await using rest = fakeRest(async () => {
    await held;
    return Response.json({ id: "a" });
  });
  const slow = route({
    method: "GET",
    path: "/things",
    access: "public",
    summary: "Things",
    reply: [200, z.object({ id: z.string() })],
    errors: [],
    handle: ({ db }) => anyDatabase(db).rpc("list_things"),
  });
  const lines: LogLine[] = [];
  const { fetch } = createApp([slow], { config: () => rest.config, log: (line) => lines.push(line), maxInFlight: 3 });
  const send = () => fetch(new Request("http://localhost/things"));
  const running = [send(), send(), send()];
  for (let n = 0; n < 50; n++) {
    let pulls = 0;
    const body = new ReadableStream({ pull: () => void pulls++ }, { highWaterMark: 0 });
    // Neither the path nor the method exists: nothing was looked up.
    const rejected = await fetch(new Request("http://localhost/nothing", { method: "POST", body }));
    assert.equal(rejected.headers.get("retry-after"), "1");
    assert.equal(rejected.headers.get("access-control-allow-origin"), "*");
    await assertError(rejected, { code: "service_unavailable" });
    assert.equal(pulls, 0);
  }
  assert.ok(lines.length >= 1 && lines.length <= 5, `${lines.length} lines`);
  assert.match(
    lines[0]!.cause ?? "",
    /^Error: 3 requests are running in this process; rejected since the last such line: 1/,
  );
  assert.equal((await fetch(new Request("http://localhost/things", { method: "OPTIONS" }))).status, 204);
  release();
  assert.deepEqual((await Promise.all(running)).map(({ status }) => status), [200, 200, 200]);
  assert.equal((await send()).status, 200);
});
