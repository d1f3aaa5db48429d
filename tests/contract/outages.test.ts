// What a client gets during an outage of a dependency: 503 with Retry-After only when the request had no effect.
import assert from "node:assert/strict";
import { z } from "zod";
import { ConfigError } from "../../supabase/functions/_shared/environment.ts";
import { ApiError, catalogue, type Code, codes } from "../../supabase/functions/_shared/errors.ts";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import type { LogLine } from "../../supabase/functions/_shared/http/log.ts";
import { errorResponse } from "../../supabase/functions/_shared/http/reply.ts";
import { type Method, route } from "../../supabase/functions/_shared/http/route.ts";
import { groups } from "../../supabase/functions/openapi/contract.ts";
import { assertError } from "../support/api_errors.ts";
import { token } from "../support/tokens.ts";
import { anyDatabase, databaseError, fakeRest, SECRET, SECRET_KEY } from "./fake_rest.ts";

const USER = "11111111-2222-4333-8444-555555555555";

Deno.test("Retry-After: every error with a status from 503 on has the header", () => {
  for (const code of codes) {
    const { status } = catalogue[code];
    const after = errorResponse(new ApiError(code), "id", null).headers.get("retry-after");
    assert.equal(after !== null, status >= 503, code);
  }
  const own = new ApiError("service_unavailable", { headers: { "Retry-After": "30" } });
  assert.equal(errorResponse(own, "id", null).headers.get("retry-after"), "30");
});

for (const { method, path, access } of groups.flatMap((group) => group.routes)) {
  Deno.test(`Retry-After: ${method} ${path} has the header while the function lacks its configuration`, async () => {
    const config = () => {
      throw new ConfigError("everything is missing");
    };
    const routes = groups.flatMap((group) => group.routes).filter((one) => one.path === path);
    const { fetch } = createApp(routes, { config, log: () => {} });
    const headers = { authorization: "Bearer a.b.c" };
    const url = `http://localhost${path.replaceAll(/\{\w+\}/g, USER)}`;
    const response = await fetch(new Request(url, { method, headers }));
    await response.body?.cancel();
    if (access !== "public") assert.equal(response.status, 503);
    assert.equal(response.headers.has("retry-after"), response.status === 503);
  });
}

const Thing = z.object({ id: z.string() });
const define = (method: Method, access: "user" | "optional" | "service", calls: number) =>
  route({
    method,
    path: `/${access}/${calls}`,
    access,
    summary: "Things",
    reply: [200, Thing],
    errors: ["conflict"],
    handle: async ({ db }) => {
      for (let call = 1; call < calls; call++) await anyDatabase(db).rpc("thing", { call });
      return await anyDatabase(db).rpc("thing", { call: calls });
    },
  });
const routes = (["GET", "POST", "PUT", "PATCH", "DELETE"] as const).flatMap((method) =>
  (["user", "optional", "service"] as const).flatMap((access) => [1, 2].map((calls) => define(method, access, calls)))
);

/** What the Data API answers, and whether the call may have been carried out. */
const OUTAGES: readonly (readonly [name: string, answer: () => Response, mayBeDone: boolean])[] = [
  ["no connection to the database", () => databaseError(503, "PGRST000"), false],
  ["no free connection", () => databaseError(504, "PGRST003"), false],
  ["the schema is being read", () => databaseError(503, "PGRST002"), false],
  ["a statement timeout", () => databaseError(500, "57014"), false],
  ["a lock timeout", () => databaseError(500, "55P03"), false],
  ["too many connections", () => databaseError(503, "53300"), false],
  ["a gateway's refusal", () => Response.json({ message: "busy" }, { status: 503 }), false],
  ["a lost connection", () => databaseError(503, "PGRST001"), true],
  ["a database that was killed", () => databaseError(503, "57P02"), true],
  ["a gateway's timeout", () => Response.json({ message: "late" }, { status: 504 }), true],
];

for (const [name, outage, mayBeDone] of OUTAGES) {
  for (const calls of [1, 2]) {
    const isKnown = !mayBeDone && calls === 1;
    const expected = isKnown ? "503" : "500 outcome_unknown, and 503 for a GET,";
    Deno.test(`outages: ${name}: ${expected} in call ${calls} of a request`, async () => {
      await using rest = fakeRest(({ name, args }) =>
        name === "thing" && Number(args["p_call"]) === calls ? outage() : Response.json({ id: "a" })
      );
      const lines: LogLine[] = [];
      const app = createApp(routes, { config: () => rest.config, log: (line) => lines.push(line) });
      for (const { method, path, access } of routes.filter(({ path }) => path.endsWith(`/${calls}`))) {
        const key = access === "service" ? SECRET_KEY : token(USER, { secret: SECRET });
        const headers = { authorization: `Bearer ${key}` };
        const response = await app.fetch(new Request(`http://localhost${path}`, { method, headers }));
        const code: Code = isKnown || method === "GET" ? "service_unavailable" : "server_error";
        const { error } = await response.clone().json();
        await assertError(response, { code, param: null });
        const reason = code === "server_error" ? "outcome_unknown" : undefined;
        assert.equal(error.details?.reason, reason, `${method} ${path}`);
        assert.equal(error.message, reason ? OUTCOME_UNKNOWN : catalogue[code].message);
        assert.equal(lines.at(-1)?.level, "error");
      }
    });
  }
}

Deno.test("outages: a request that failed before its command is 503", async () => {
  const preparing = ["take_request", "read_counted", "pending_asset", "place_asset", "refuse_asset"];
  const attach = route({
    method: "POST",
    path: "/attach",
    access: "user",
    summary: "Attach",
    reply: [200, Thing],
    errors: ["conflict"],
    handle: async ({ db, service }) => {
      for (const name of preparing) await anyDatabase(service).rpc(name);
      return await anyDatabase(db).rpc("thing");
    },
  });
  await using rest = fakeRest(({ name }) =>
    name === "thing" ? databaseError(504, "PGRST003") : Response.json({ id: "a" })
  );
  const app = createApp([attach], { config: () => rest.config, log: () => {} });
  const headers = { authorization: `Bearer ${token(USER, { secret: SECRET })}` };
  const response = await app.fetch(new Request("http://localhost/attach", { method: "POST", headers }));
  await assertError(response, { code: "service_unavailable" });
});

const OUTCOME_UNKNOWN = "The connection was lost or timed out. It is unknown whether the request was carried out.";
