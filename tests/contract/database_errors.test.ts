import assert from "node:assert/strict";
import { WAIT_TIMEOUT_MS } from "../../local/rest/pool.ts";
import { asAnonymous } from "../../supabase/functions/_shared/db/client.ts";
import { DEADLINE_MS } from "../../supabase/functions/_shared/db/client.ts";
import type { ApiError, Code } from "../../supabase/functions/_shared/errors.ts";
import { configFor, databaseError, fakeRest, TRACE } from "./fake_rest.ts";

async function errorFor(answer: () => Response | Promise<Response>): Promise<{ error: ApiError; calls: number }> {
  await using rest = fakeRest(answer);
  const call = asAnonymous(rest.config, TRACE).rpc("anything");
  const failure = await call.then(() => assert.fail("it was not rejected"), (error: ApiError) => error);
  return { error: failure, calls: rest.calls.length };
}

const translations: [status: number, code: string, becomes: Code][] = [
  [403, "42501", "forbidden"],
  [401, "42501", "forbidden"],
  [409, "23505", "conflict"],
  [409, "23503", "not_found"],
  [400, "23514", "validation_error"],
  [400, "22P02", "validation_error"],
  [400, "22003", "validation_error"],
  [400, "22P05", "validation_error"],
  [500, "40001", "conflict"],
  [500, "40P01", "conflict"],
  [500, "57014", "service_unavailable"],
  [503, "53300", "service_unavailable"],
  [503, "57P03", "service_unavailable"],
  [503, "08001", "service_unavailable"],
  [503, "PGRST002", "service_unavailable"],
  [500, "55P03", "service_unavailable"],
  [503, "PGRST000", "service_unavailable"],
  [504, "PGRST003", "service_unavailable"],
  [401, "PGRST301", "unauthorized"],
  [401, "PGRST303", "unauthorized"],
  [400, "23502", "server_error"],
  [400, "P0001", "server_error"],
  [404, "42883", "server_error"],
  [404, "PGRST202", "server_error"],
  [500, "XX000", "server_error"],
  [422, "no_such_code", "server_error"],
  [500, "toString", "server_error"],
];
for (const [status, code, becomes] of translations) {
  Deno.test(`database errors: ${code} of the database (HTTP ${status}) is ${becomes}, and its text is not in the response`, async () => {
    const { error: failure } = await errorFor(() => databaseError(status, code, 'permission denied for table "users"'));
    assert.equal(failure.code, becomes);
    assert.doesNotMatch(failure.message, /permission denied/);
    assert.match(String((failure.cause as Error | undefined)?.message ?? failure.message), /permission denied|token/);
  });
}

for (const code of ["PGRST001", "08006", "08003", "57P01", "57P02"]) {
  Deno.test(`database errors: ${code} of the database, a lost connection, is outcome_unknown`, async () => {
    const { error: failure } = await errorFor(() => databaseError(503, code));
    assert.deepEqual([failure.code, failure.details], ["server_error", { reason: "outcome_unknown" }]);
  });
}

Deno.test("database errors: a token that only the database finds expired is expired for the client too", async () => {
  const reasonFor = async (code: string, message: string) =>
    (await errorFor(() => databaseError(401, code, message))).error.details?.["reason"];
  assert.equal(await reasonFor("PGRST303", "JWT expired"), "token_expired");
  assert.equal(await reasonFor("PGRST301", "JWSError JWSInvalidSignature"), "token_invalid");
});

Deno.test("database errors: an error raised by a rule keeps its message, its field and its details", async () => {
  const details = JSON.stringify({ param: "display_name", details: { reason: "blank" } });
  const { error: failure } = await errorFor(() => databaseError(422, "validation_error", "Say a name", details));
  const { code, message, param } = failure;
  assert.deepEqual({ code, message, param }, {
    code: "validation_error",
    message: "Say a name",
    param: "display_name",
  });
  assert.deepEqual(failure.details, {
    reason: "blank",
    errors: [{ param: "display_name", code: "refused", message: "Say a name" }],
  });
});

Deno.test("database errors: an error raised by a rule may have no field and no details", async () => {
  for (const details of ["{}", null]) {
    const { error: failure } = await errorFor(() => databaseError(403, "forbidden", "Suspended", details));
    assert.deepEqual([failure.code, failure.param, failure.details], ["forbidden", null, undefined]);
  }
});

Deno.test("database errors: a serialization failure or deadlock is retried exactly once", async () => {
  const lost = () => databaseError(500, "40001");
  assert.equal((await errorFor(lost)).calls, 2);
  let first = true;
  await using rest = fakeRest(() => {
    if (!first) return Response.json({ ok: true });
    first = false;
    return lost();
  });
  assert.deepEqual(await asAnonymous(rest.config, TRACE).rpc("anything"), { ok: true });
});

Deno.test("database errors: no other error is retried", async () => {
  for (const code of ["23505", "57014", "XX000", "validation_error"]) {
    assert.equal((await errorFor(() => databaseError(500, code))).calls, 1, code);
  }
});

Deno.test("database errors: a gateway's 503 is service_unavailable, its 502 and 504 are outcome_unknown", async () => {
  const html = (status: number) => () => new Response("<html>", { status, headers: { "content-type": "text/html" } });
  const outcomeOf = async (status: number) => {
    const { code, details } = (await errorFor(html(status))).error;
    return [code, details?.["reason"]];
  };
  for (const status of [429, 503]) assert.deepEqual(await outcomeOf(status), ["service_unavailable", undefined]);
  for (const status of [502, 504]) assert.deepEqual(await outcomeOf(status), ["server_error", "outcome_unknown"]);
  for (const status of [404, 500]) assert.deepEqual(await outcomeOf(status), ["server_error", undefined]);
});

Deno.test("database errors: a Data API that takes no connection is service_unavailable; one that resets it is outcome_unknown", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const address = `http://127.0.0.1:${listener.addr.port}`;
  const breaking = (async () => {
    for await (const connection of listener) {
      await connection.read(new Uint8Array(4_096));
      connection.close();
    }
  })();
  const broken = asAnonymous(configFor(address), TRACE).rpc("anything");
  await assert.rejects(broken, { code: "server_error", details: { reason: "outcome_unknown" } });
  listener.close();
  await breaking;
  const rejection = asAnonymous(configFor(address), TRACE).rpc("anything");
  await assert.rejects(rejection, { code: "service_unavailable", details: undefined });
});

Deno.test("database errors: a database that does not respond within twenty seconds is outcome_unknown", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await using rest = fakeRest(async () => {
    await released;
    return Response.json(null);
  });
  const { setTimeout } = globalThis;
  const deadlines: (number | undefined)[] = [];
  globalThis.setTimeout = Object.assign((work: () => void, ms?: number) => {
    deadlines.push(ms);
    return setTimeout(work, 20);
  }, setTimeout);
  try {
    const details = { reason: "outcome_unknown" };
    await assert.rejects(asAnonymous(rest.config, TRACE).rpc("anything"), { code: "server_error", details });
  } finally {
    globalThis.setTimeout = setTimeout;
    release();
  }
  assert.deepEqual(deadlines, [20_000]);
});

Deno.test("database errors: arguments get the prefix p_, and undefined ones are left out", async () => {
  await using rest = fakeRest(() => Response.json(null));
  await asAnonymous(rest.config, TRACE).rpc("f", { lat: 1, filters: {}, name: undefined, note: null });
  assert.deepEqual(rest.calls.map(({ name, args }) => ({ name, args })), [
    { name: "f", args: { p_lat: 1, p_filters: {}, p_note: null } },
  ]);
});

Deno.test("database errors: the deadline of a call outlives the Data API's wait for a connection and the longest statement", async () => {
  const roles = await Deno.readTextFile(new URL("../../local/postgres/roles.sql", import.meta.url));
  const seconds = [...roles.matchAll(/set statement_timeout = '(\d+)s'/g)].map(([, text]) => Number(text));
  assert.deepEqual(seconds, [3, 8, 8], "those of a hosted project");
  const HOSTED_WAIT_MS = 10_000; // PostgREST's db-pool-acquisition-timeout
  for (const wait of [WAIT_TIMEOUT_MS, HOSTED_WAIT_MS]) {
    assert.ok(wait + Math.max(...seconds) * 1000 < DEADLINE_MS, `${wait} ms`);
  }
});
