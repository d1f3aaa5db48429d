// Calls of the database that only read: by which method, and to which address, they go.
import assert from "node:assert/strict";
import { z } from "zod";
import { asAnonymous } from "../../supabase/functions/_shared/db/client.ts";
import { queryOf } from "../../supabase/functions/_shared/db/query.ts";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import { READ_AFTER_HEADER } from "../../supabase/functions/_shared/http/read_after.ts";
import { route } from "../../supabase/functions/_shared/http/route.ts";
import { calculateFee } from "../../supabase/functions/parking-lots/fee.ts";
import { token } from "../support/tokens.ts";
import { anyDatabase, configFor, databaseError, SECRET, TRACE } from "./fake_rest.ts";

/** A primary and a load balancer that record their requests. */
function databases(answer: (url: URL, request: Request) => Response = () => Response.json({ id: "a" })) {
  const urls: string[] = [];
  const listen = (name: string) =>
    Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
      const url = new URL(request.url);
      urls.push(`${name} ${request.method} ${url.pathname.replace("/rest/v1/rpc/", "")}`);
      return answer(url, request);
    });
  const [primary, balancer] = [listen("primary"), listen("balancer")];
  const config = {
    ...configFor(`http://127.0.0.1:${primary.addr.port}`),
    readsUrl: `http://127.0.0.1:${balancer.addr.port}`,
  };
  const close = async () => void await Promise.all([primary.shutdown(), balancer.shutdown()]);
  return { calls: urls, config, [Symbol.asyncDispose]: close };
}

const Thing = z.object({ id: z.string() });
const thing = (options: { method?: "GET" | "POST"; instance?: "any" | "primary" }) =>
  route({
    method: options.method ?? "GET",
    path: "/things",
    access: "optional",
    summary: "Things",
    ...(options.instance ? { instance: options.instance } : {}),
    reply: [200, Thing],
    errors: [],
    handle: ({ db }) => anyDatabase(db).rpc("thing", { of: "a" }),
  });

const mine = { authorization: `Bearer ${token("11111111-2222-4333-8444-555555555555", { secret: SECRET })}` };

Deno.test("reads: reads go to the load balancer by GET, and all else to the primary by POST", async () => {
  await using rest = databases();
  const ask = async (options: Parameters<typeof thing>[0], headers: Record<string, string> = {}) => {
    rest.calls.length = 0;
    const app = createApp([thing(options)], { config: () => rest.config, log: () => {} });
    const request = new Request("http://localhost/things", { method: options.method ?? "GET", headers });
    assert.equal((await app.fetch(request)).status, 200);
    return rest.calls.join();
  };
  assert.equal(await ask({}), "balancer GET thing");
  assert.equal(await ask({}, mine), "primary POST thing");
  assert.equal(await ask({}, { ...mine, [READ_AFTER_HEADER]: "0" }), "balancer GET thing");
  assert.equal(await ask({ instance: "primary" }, { ...mine, [READ_AFTER_HEADER]: "0" }), "primary POST thing");
  assert.equal(await ask({ instance: "primary" }), "primary POST thing");
  assert.equal(await ask({ method: "POST" }, { ...mine, [READ_AFTER_HEADER]: "0" }), "primary POST thing");
  assert.equal(await ask({ method: "POST", instance: "any" }), "balancer GET thing");
});

Deno.test("reads: a POST with an idempotency key goes to the primary, which keeps its reply", async () => {
  await using rest = databases(() => databaseError(500, "57014"));
  const app = createApp([calculateFee], { config: () => rest.config, log: () => {} });
  const response = await app.fetch(
    new Request("http://localhost/parking-lots/11111111-2222-4333-8444-555555555555/calc-fee", {
      method: "POST",
      headers: { ...mine, "content-type": "application/json", "idempotency-key": "one", [READ_AFTER_HEADER]: "0" },
      body: JSON.stringify({ entry_at: "2026-09-01T10:00:00Z", exit_at: "2026-09-01T11:00:00Z" }),
    }),
  );
  assert.equal(response.status, 503);
  assert.deepEqual(rest.calls, ["primary POST run_command"]);
});

Deno.test("reads: a read that a replica cancels is sent to the primary, and no other error is retried", async () => {
  const conflict = "canceling statement due to conflict with recovery";
  await using cancelled = databases((_, { method }) =>
    method === "GET" ? databaseError(500, "40001", conflict) : Response.json({ id: "a" })
  );
  assert.deepEqual(await asAnonymous(cancelled.config, TRACE, "any").rpc("thing"), { id: "a" });
  assert.deepEqual(cancelled.calls, ["balancer GET thing", "primary POST thing"]);
  await using away = databases(() => databaseError(503, "PGRST000"));
  await assert.rejects(asAnonymous(away.config, TRACE, "any").rpc("thing"));
  assert.deepEqual(away.calls, ["balancer GET thing"]);
});

Deno.test("reads: arguments too long for a URL go by POST to the primary", async () => {
  await using rest = databases();
  const db = asAnonymous(rest.config, TRACE, "any");
  await db.rpc("thing", { q: "in" });
  await db.rpc("thing", { q: null });
  await db.rpc("thing", { q: "駅".repeat(1_000) });
  await db.rpc("thing", { q: undefined, ids: Array.from({ length: 100 }, () => crypto.randomUUID()) });
  const [byPost, byGet] = ["primary POST thing", "balancer GET thing"];
  assert.deepEqual(rest.calls, [byPost, byPost, byPost, byGet]);
});

Deno.test("reads: lists are sent as Postgres arrays, objects as JSON, and undefined arguments are left out", () => {
  assert.deepEqual(
    queryOf({ p_a: ["x", "y z", 'q"', 1, "null", ""], p_b: { c: [1, null] }, p_d: true, p_e: undefined, p_f: 0 }),
    {
      p_a: '{x,"y z","q\\"",1,"null",""}',
      p_b: '{"c":[1,null]}',
      p_d: "true",
      p_f: "0",
    },
  );
});
