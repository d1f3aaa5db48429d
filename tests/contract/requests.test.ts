// What the router does for every request that writes: keys and limits, against a Data API with scripted responses.
import assert from "node:assert/strict";
import { z } from "zod";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import { readIdempotencyKey } from "../../supabase/functions/_shared/http/idempotency.ts";
import { addressOf } from "../../supabase/functions/_shared/http/rate_limit.ts";
import { ApiError } from "../../supabase/functions/_shared/errors.ts";
import { errorCodesOf, limitOf, type Route, route } from "../../supabase/functions/_shared/http/route.ts";
import { PROVIDER_NAMES } from "../../supabase/functions/_shared/providers/providers.ts";
import { completeContract, groups } from "../../supabase/functions/openapi/contract.ts";
import { assertError } from "../support/api_errors.ts";
import { requestOf } from "../policies/admin_actors.ts";
import { followed } from "../support/contract.ts";
import { token } from "../support/tokens.ts";
import {
  anyDatabase,
  databaseError,
  fakeRest,
  PUBLISHABLE_KEY,
  RATE_LIMIT,
  type RecordedCall,
  SECRET,
  SECRET_KEY,
} from "./fake_rest.ts";

const USER = "11111111-2222-4333-8444-555555555555";
const Thing = z.object({ id: z.string() });
const Body = z.strictObject({ name: z.string().default("nameless"), tags: z.array(z.string()).optional() });
const common = { summary: "A thing", body: Body, reply: [201, Thing], errors: [] } as const;
const routes = [
  route({
    method: "POST",
    path: "/things",
    access: "user",
    ...common,
    handle: ({ db, body }) => anyDatabase(db).rpc("make_thing", body),
  }),
  route({
    method: "POST",
    path: "/things/twice",
    access: "user",
    ...common,
    handle: async (work) => {
      await anyDatabase(work.db).rpc("make_thing", { name: "first" });
      await anyDatabase(work.db).rpc("tell_thing");
      return await anyDatabase(work.db).rpc("make_thing", { name: "second", tag: undefined });
    },
  }),
  route({
    method: "PUT",
    path: "/things",
    access: "user",
    ...common,
    handle: ({ db, body }) => anyDatabase(db).rpc("put_thing", body),
  }),
  route({
    method: "POST",
    path: "/things/odd",
    access: "user",
    limit: "nothing",
    ...common,
    handle: () => ({ id: "a" }),
  }),
  route({
    method: "POST",
    path: "/things/checked",
    access: "user",
    ...common,
    uses: ["mail"],
    handle: async (work) => {
      await work.mail.send({} as never);
      await anyDatabase(work.service).rpc("look_at_thing");
      return await anyDatabase(work.db).rpc("make_thing");
    },
  }),
  route({
    method: "POST",
    path: "/things/checked-later",
    access: "user",
    ...common,
    handle: async (work) => {
      await anyDatabase(work.db).rpc("make_thing");
      return await anyDatabase(work.service).rpc("look_at_thing");
    },
  }),
  route({ method: "POST", path: "/things/silent", access: "user", ...common, handle: () => ({ id: "a" }) }),
  route({
    method: "POST",
    path: "/things/open",
    access: "optional",
    ...common,
    handle: ({ db }) => anyDatabase(db).rpc("tell_thing"),
  }),
  route({
    method: "POST",
    path: "/things/public",
    access: "public",
    limit: "crash_report",
    ...common,
    handle: ({ db }) => anyDatabase(db).rpc("tell_thing"),
  }),
];

type Answer = (call: RecordedCall, nth: number) => Response;
const fresh: Answer = ({ name }) =>
  Response.json(name === "run_command" ? { replayed: false, reply: { id: "a" } } : { id: "a" });

function sending(rest: ReturnType<typeof fakeRest>, onMail: () => void = () => {}) {
  const mail = () => ({ send: () => Promise.resolve(onMail()) }) as never;
  const { fetch } = createApp(routes, { config: () => rest.config, log: () => {}, mail });
  const authorization = `Bearer ${token(USER, { secret: SECRET })}`;
  return (path: string, headers: Record<string, string> = {}, body: BodyInit = "{}", method = "POST") =>
    fetch(
      new Request(`http://localhost${path}`, {
        method,
        body,
        headers: { authorization, "content-type": "application/json", ...headers },
      }),
    );
}

Deno.test("requests: with a key each call of the handler is made once for it, with its own arguments", async () => {
  await using rest = fakeRest(fresh);
  const response = await sending(rest)("/things", { "idempotency-key": "k" }, '{"name":"a"}');
  assert.deepEqual([response.status, await response.json()], [201, { id: "a" }]);
  assert.equal(response.headers.get("idempotent-replayed"), null);
  const { p_fingerprint, ...args } = rest.calls[0]!.args;
  assert.match(String(p_fingerprint), /^[0-9a-f]{64}$/);
  assert.deepEqual(args, { p_key: "k", p_command: "make_thing", p_arguments: { p_name: "a" }, p_nth: 1 });
});

Deno.test("requests: calls of one function in a request are counted, across every use of the database", async () => {
  await using rest = fakeRest(fresh);
  await sending(rest)("/things/twice", { "idempotency-key": "k" });
  const calls = rest.calls.map(({ args }) => [args["p_command"], args["p_nth"], args["p_arguments"]]);
  assert.deepEqual(calls, [
    ["make_thing", 1, { p_name: "first" }],
    ["tell_thing", 1, {}],
    ["make_thing", 2, { p_name: "second" }],
  ]);
});

Deno.test("requests: a key is checked before the first call of a provider or the service, unless a command has done so", async () => {
  const seen: string[] = [];
  await using rest = fakeRest((call, nth) => {
    seen.push(call.name);
    return fresh(call, nth);
  });
  const send = sending(rest, () => seen.push("mail"));
  await send("/things/checked", { "idempotency-key": "k" });
  assert.deepEqual(seen.splice(0), ["check_idempotency_key", "mail", "look_at_thing", "run_command"]);
  const { p_key, p_fingerprint, ...rest_ } = rest.calls[0]!.args;
  assert.deepEqual([p_key, p_fingerprint, rest_], ["k", rest.calls.at(-1)!.args["p_fingerprint"], {}]);
  assert.equal(rest.calls[0]!.headers.get("apikey"), PUBLISHABLE_KEY);
  await send("/things/checked-later", { "idempotency-key": "k" });
  assert.deepEqual(seen.splice(0), ["run_command", "look_at_thing"]);
  await send("/things/checked");
  assert.deepEqual(seen, ["mail", "look_at_thing", "make_thing"]);
});

Deno.test("requests: a key of another request is rejected before a provider or the service is called", async () => {
  const seen: string[] = [];
  await using rest = fakeRest(({ name }) => {
    seen.push(name);
    return databaseError(
      409,
      "conflict",
      "No",
      JSON.stringify({ details: { reason: "key_reused_with_different_body" } }),
    );
  });
  const response = await sending(rest, () => seen.push("mail"))("/things/checked", { "idempotency-key": "k" });
  assert.deepEqual((await response.clone().json()).error.details, { reason: "key_reused_with_different_body" });
  await assertError(response, { code: "conflict" });
  assert.deepEqual(seen, ["check_idempotency_key"]);
});

Deno.test("requests: without a key, and for other methods than POST, calls go directly to their functions", async () => {
  await using rest = fakeRest(fresh);
  const send = sending(rest);
  await send("/things");
  await send("/things", { "idempotency-key": "not a key" }, "{}", "PUT");
  assert.deepEqual(rest.calls.map(({ name }) => name), ["make_thing", "put_thing"]);
});

Deno.test("requests: a response is a replay when every call of it is a replay", async () => {
  const replayedCalls = async (replays: boolean[]) => {
    await using rest = fakeRest((_, nth) => Response.json({ replayed: replays[nth - 1], reply: { id: "a" } }));
    const response = await sending(rest)("/things/twice", { "idempotency-key": "k" });
    assert.equal(response.status, 201);
    return response.headers.get("idempotent-replayed");
  };
  assert.equal(await replayedCalls([true, true, true]), "true");
  assert.equal(await replayedCalls([true, true, false]), null);
  assert.equal(await replayedCalls([false, false, false]), null);
  await using rest = fakeRest(fresh);
  const silent = await sending(rest)("/things/silent", { "idempotency-key": "k" });
  assert.equal(silent.headers.get("idempotent-replayed"), null);
});

Deno.test("requests: the fingerprint depends on path, query and parsed body", async () => {
  await using rest = fakeRest(fresh);
  const send = sending(rest);
  const fingerprint = async (path: string, body: string) => {
    await send(path, { "idempotency-key": "k" }, body);
    return rest.calls.at(-1)!.args["p_fingerprint"];
  };
  const first = await fingerprint("/things", '{"name":"a","tags":["x","y"]}');
  assert.equal(await fingerprint("/things", ' { "tags" : ["x", "y"], "name": "\\u0061" } '), first);
  const others = [
    await fingerprint("/things/twice", '{"name":"a","tags":["x","y"]}'),
    await fingerprint("/things", '{"name":"a","tags":["y","x"]}'),
    await fingerprint("/things", '{"name":"a"}'),
    await fingerprint("/things", '{"name":"b","tags":["x","y"]}'),
    await fingerprint("/things", '{"name":"nameless"}'),
    // What was sent counts, not what it is read as: a default that changes makes no other request of it.
    await fingerprint("/things", "{}"),
  ];
  assert.equal(new Set([first, ...others]).size, others.length + 1);

  const withQuery = async (query: string) => {
    const headers = { "Idempotency-Key": "k" };
    const request = new Request(`http://service.test/things${query}`, { method: "POST", headers });
    return (await readIdempotencyKey(request, {}))!.fingerprint;
  };
  const queries = await Promise.all(["", "?a=1", "?a=2", "?a=1&b=1"].map(withQuery));
  assert.equal(new Set(queries).size, queries.length);
  assert.equal(await withQuery("?forceFunctionRegion=us-east-1&a=1"), queries[1]);
});

Deno.test("requests: a key that is not 1 to 255 visible characters is rejected, and named", async () => {
  await using rest = fakeRest(fresh);
  const send = sending(rest);
  for (const key of ["", "a b", "a, b", "é", "k".repeat(256)]) {
    const expected = { code: "validation_error", param: "Idempotency-Key", field: "invalid_format" } as const;
    await assertError(await send("/things", { "idempotency-key": key }), expected);
  }
  assert.deepEqual(rest.calls, []);
  assert.equal((await send("/things", { "idempotency-key": "~".repeat(255) })).status, 201);
});

Deno.test("requests: without a caller the key is ignored", async () => {
  await using rest = fakeRest(fresh);
  const { fetch } = createApp(routes, { config: () => rest.config, log: () => {} });
  for (const path of ["/things/open", "/things/public"]) {
    const headers = { "idempotency-key": "not a key", "content-type": "application/json" };
    const response = await fetch(new Request(`http://localhost${path}`, { method: "POST", body: "{}", headers }));
    assert.equal(response.status, 201, path);
  }
  assert.deepEqual(rest.calls.map(({ name }) => name), ["tell_thing", "tell_thing"]);
  await sending(rest)("/things/open", { "idempotency-key": "k" });
  assert.equal(rest.calls.at(-1)!.name, "run_command");
});

Deno.test("requests: every response to a counted request has the remaining quota, also an error", async () => {
  await using rest = fakeRest(
    () => databaseError(409, "conflict", "No"),
    () => ({ ...RATE_LIMIT, remaining: 7 }),
  );
  const send = sending(rest);
  for (
    const response of [await send("/things"), await send("/things", {}, "{"), await send("/things", {}, "{}", "PUT")]
  ) {
    assert.equal(response.headers.get("ratelimit-policy"), '"write";q=120;w=60');
    assert.equal(response.headers.get("ratelimit"), '"write";r=7;t=60');
    await response.body?.cancel();
  }
});

Deno.test("requests: beyond the quota the response is 429 with Retry-After, and no command runs", async () => {
  await using rest = fakeRest(fresh, () => ({ ...RATE_LIMIT, allowed: false, remaining: 0, reset_seconds: 42 }));
  const response = await sending(rest)("/things");
  assert.equal(response.headers.get("retry-after"), "42");
  assert.equal(response.headers.get("ratelimit"), '"write";r=0;t=42');
  assert.deepEqual((await response.clone().json()).error.details, { policy: "write", retry_after: 42 });
  await assertError(response, { code: "rate_limited" });
  assert.equal(rest.calls.length, 0);
});

Deno.test("requests: beyond the quota the body of an anonymous request is not read", async () => {
  await using rest = fakeRest(fresh, () => ({ ...RATE_LIMIT, allowed: false, remaining: 0, reset_seconds: 42 }));
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>({ pull: () => void pulled++ }, { highWaterMark: 0 });
  await assertError(await sending(rest)("/things/public", {}, body), { code: "rate_limited" });
  assert.deepEqual([pulled, rest.calls.length], [0, 0]);
});

Deno.test("requests: an unknown policy is an internal error", async () => {
  await using rest = fakeRest(fresh, ({ args }) => args["p_policy"] === "nothing" ? null : RATE_LIMIT);
  await assertError(await sending(rest)("/things/odd"), { code: "server_error" });
});

Deno.test("requests: an authenticated user is counted with the command, an anonymous one by address", async () => {
  const seen: RecordedCall[] = [];
  await using rest = fakeRest(fresh, (call) => {
    seen.push(call);
    return RATE_LIMIT;
  });
  const send = sending(rest);
  await send("/things");
  await send("/things", {}, "{");
  await send("/things/public", { "x-forwarded-for": "203.0.113.7, 10.0.0.1" });
  await send("/things/public", { "cf-connecting-ip": "203.0.113.8", "x-forwarded-for": "203.0.113.7" });
  await send("/things/open");
  assert.deepEqual(
    seen.map(({ name, args, headers }) => [name, args["p_policy"] ?? args["p_command"], headers.get("apikey")]),
    [
      ["run_command", "make_thing", PUBLISHABLE_KEY],
      ["take_request", "write", PUBLISHABLE_KEY],
      ["take_anonymous_request", "crash_report", SECRET_KEY],
      ["take_anonymous_request", "crash_report", SECRET_KEY],
    ],
  );
  const payload = seen[0]!.headers.get("authorization")!.split(".")[1]!;
  assert.equal(JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/"))).sub, USER);
  assert.deepEqual(seen.slice(2).map(({ args }) => args["p_address"]), ["203.0.113.7", "203.0.113.8"]);
});

Deno.test("requests: the client address is the one added by the edge; addresses sent by the client are ignored", () => {
  const address = (forwarded: string, edge?: string) =>
    addressOf(new Headers({ "x-forwarded-for": forwarded, ...(edge && { "cf-connecting-ip": edge }) }));
  assert.equal(address("203.0.113.7, 10.0.0.1"), "203.0.113.7");
  assert.equal(address("198.51.100.1", "203.0.113.7"), "203.0.113.7");
  assert.equal(addressOf(new Headers()), "");
});

Deno.test("requests: an expensive read is counted with its call; for an anonymous client the service key makes the call, with the address", async () => {
  await using rest = fakeRest(() => Response.json({ replayed: false, reply: { id: "a" }, rate_limit: RATE_LIMIT }));
  const { fetch } = createApp([
    route({
      method: "GET",
      path: "/things",
      access: "optional",
      summary: "Things",
      query: z.strictObject({ all: z.string().optional() }),
      reply: [200, Thing],
      errors: [],
      isExpensive: ({ all }) => all !== undefined,
      handle: ({ db, query }) => anyDatabase(db).rpc("list_things", query),
    }),
  ], { config: () => rest.config, log: () => {} });
  const headers = { "x-forwarded-for": "203.0.113.7" };
  const authorization = `Bearer ${token(USER, { secret: SECRET })}`;
  await fetch(new Request("http://localhost/things", { headers }));
  const anonymous = await fetch(new Request("http://localhost/things?all=1", { headers }));
  await fetch(new Request("http://localhost/things?all=1", { headers: { ...headers, authorization } }));
  assert.deepEqual([anonymous.headers.get("ratelimit"), await anonymous.json()], ['"write";r=119;t=60', { id: "a" }]);
  const read = { p_function: "list_things", p_arguments: { p_all: "1" } };
  assert.deepEqual(rest.calls.map(({ name, args, headers }) => [name, args, headers.get("apikey")]), [
    ["list_things", {}, PUBLISHABLE_KEY],
    ["read_counted", { ...read, p_address: "203.0.113.7" }, SECRET_KEY],
    ["read_counted", read, PUBLISHABLE_KEY],
  ]);
});

Deno.test("requests: a read that the database finds expensive is repeated as a counted one; other errors are returned", async () => {
  const answers: Record<string, () => Response> = {
    list_things: () => databaseError(403, "forbidden", "", '{"details": {"reason": "not_counted"}}'),
    list_others: () => databaseError(403, "forbidden"),
    read_counted: () => Response.json({ replayed: false, reply: { id: "a" }, rate_limit: RATE_LIMIT }),
  };
  await using rest = fakeRest(({ name }) => answers[name]!());
  const reads = (path: `/${string}`, name: string) =>
    route({
      method: "GET",
      path,
      access: "optional",
      summary: path,
      query: z.strictObject({}),
      reply: [200, Thing],
      errors: ["forbidden"],
      isExpensive: () => false,
      handle: ({ db }) => anyDatabase(db).rpc(name, { a: "1" }),
    });
  const { fetch } = createApp([reads("/things", "list_things"), reads("/others", "list_others")], {
    config: () => rest.config,
    log: () => {},
  });
  const things = await fetch(new Request("http://localhost/things", { headers: { "x-forwarded-for": "203.0.113.7" } }));
  assert.deepEqual([things.headers.get("ratelimit"), await things.json()], ['"write";r=119;t=60', { id: "a" }]);
  assert.equal((await fetch(new Request("http://localhost/others"))).status, 403);
  const args = { p_a: "1" };
  assert.deepEqual(rest.calls.map(({ name, args }) => [name, args]), [
    ["list_things", args],
    ["read_counted", { p_function: "list_things", p_arguments: args, p_address: "203.0.113.7" }],
    ["list_others", args],
  ]);
});

const providerOf = (work: unknown, name: string): { fail(): Promise<unknown> } => Reflect.get(Object(work), name);

/** Every route that is limited and has a provider or a policy of its own. */
const preparedRoutes = groups.flatMap(({ routes }) => routes)
  .filter((route) => limitOf(route) !== undefined && (route.limit !== undefined || route.uses.length > 0));

/** Sends a request of the route whose handler only calls `use`, which fails; the policies that it was counted under. */
async function countedPolicies(
  route: Route,
  use: (work: never) => Promise<unknown>,
  limits: (policy: unknown) => typeof RATE_LIMIT = () => RATE_LIMIT,
): Promise<{ status: number; policies: unknown[]; uses: number }> {
  const counted: RecordedCall[] = [];
  let uses = 0;
  const fails = () => {
    uses++;
    return Promise.reject(new ApiError("not_found"));
  };
  const provider = new Proxy({}, { get: () => fails });
  const providers = Object.fromEntries(PROVIDER_NAMES.map((name) => [name, () => provider]));
  await using rest = fakeRest(
    ({ name }) => name === "fails" ? databaseError(404, "not_found") : Response.json(null),
    (call) => {
      counted.push(call);
      return limits(call.args["p_next"] ?? call.args["p_policy"]);
    },
  );
  const failing = { ...route, body: undefined, query: undefined, handle: use };
  const { path } = requestOf(failing, "good");
  const { fetch } = createApp([failing], { config: () => rest.config, log: () => {}, ...providers });
  const authorization = `Bearer ${token(USER, { secret: SECRET })}`;
  const response = await fetch(
    new Request(`http://localhost${path}`, { method: route.method, headers: { authorization } }),
  );
  await response.body?.cancel();
  const policies = counted.map(({ args }) => args["p_policy"]);
  return { status: response.status, policies, uses };
}

Deno.test("requests: a request that fails at a provider is counted under the policy of its route too, for every route with a provider or policy", async () => {
  assert.ok(preparedRoutes.length > 30, `${preparedRoutes.length} routes`);
  for (const route of preparedRoutes) {
    const place = `${route.method} ${route.path}`;
    const policy = limitOf(route);
    const before = route.access === "public" ? [policy] : ["attach", policy];
    const ways: [name: string, use: (work: never) => Promise<unknown>, expected: unknown[]][] = [
      ["its handler", () => Promise.reject(new ApiError("not_found")), [policy]],
      ["the service", (work) => anyDatabase(Reflect.get(work, "service")).rpc("fails"), before],
      ...route.uses.map((name): typeof ways[number] => [name, (work) => providerOf(work, name).fail(), before]),
    ];
    for (const [name, use, expected] of ways) {
      const { status, policies } = await countedPolicies(route, use);
      assert.deepEqual([status, policies], [404, expected], `${place}: ${name}`);
    }
  }
});

Deno.test("requests: no provider is called when the quota of the route is used up, for every route with a provider", async () => {
  for (const route of preparedRoutes) {
    const limits = (policy: unknown) => ({ ...RATE_LIMIT, allowed: policy !== limitOf(route) });
    for (const name of route.uses) {
      const { status, uses } = await countedPolicies(route, (work) => providerOf(work, name).fail(), limits);
      assert.deepEqual([status, uses], [429, 0], `${route.method} ${route.path}: ${name}`);
    }
  }
});

Deno.test("requests: every write of an authenticated user is limited, reads are not", () => {
  for (const route of groups.flatMap(({ routes }) => routes)) {
    const place = `${route.method} ${route.path}`;
    const limited = errorCodesOf(route).includes("rate_limited");
    if (route.method === "GET") assert.equal(limited, (route.limit ?? route.isExpensive) !== undefined, place);
    else if (route.access === "user") assert.ok(limited, place);
  }
});

Deno.test("requests: the service role is not limited", () => {
  const service = { ...common, method: "POST", path: "/a", access: "service", limit: "write" } as const;
  assert.throws(() => route({ ...service, handle: () => ({ id: "a" }) }), /a service is not limited/);
});

Deno.test("requests: the contract has the key on every POST, and the headers of replays and limits where they are sent", () => {
  const { paths, security: token } = completeContract();
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item) as [string, NonNullable<typeof item.post>][]) {
      const place = `${method} ${path}`;
      const succeeds = Object.entries(operation.responses).filter(([status]) => status.startsWith("2"));
      const text = JSON.stringify([operation, ...succeeds.map(([_, response]) => followed(response))]);
      assert.equal(text.includes("#/components/parameters/Idempotency-Key"), method === "post", place);
      const keeps = method === "post" && (operation.security ?? token).some((one) => "bearer" in one);
      const service = groups.flatMap(({ routes }) => routes).some((route) =>
        `/v1${route.path}` === path && route.method === method.toUpperCase() && route.access === "service"
      );
      assert.equal(text.includes("#/components/headers/Idempotent-Replayed"), Boolean(keeps && !service), place);
      const limited = "429" in (operation.responses ?? {});
      assert.equal(text.includes("#/components/headers/RateLimit-Policy"), limited, place);
      for (const [status, response] of Object.entries(operation.responses ?? {})) {
        const waits = status === "429" || status === "503";
        assert.equal(
          JSON.stringify(followed(response)).includes("#/components/headers/Retry-After"),
          waits,
          `${place} ${status}`,
        );
      }
    }
  }
});
