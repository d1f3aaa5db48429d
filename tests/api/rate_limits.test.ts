// Not too many requests, through the real gateway and the real database.
import assert from "node:assert/strict";
import { z } from "zod";
import { readConfig } from "../../supabase/functions/_shared/config.ts";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import { route } from "../../supabase/functions/_shared/http/route.ts";
import { type Person, signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { stack } from "../support/stack.ts";
import { ask, bearer, jsonBody } from "./client.ts";
import { inDatabase } from "./lots.ts";

const rename = ({ token }: Person, body: unknown = { display_name: "駐車" }) =>
  ask("/me", { method: "PATCH", ...jsonBody(body, bearer(token)) });
const left = (answer: Response) => /^"write";r=(\d+);t=(\d+)$/.exec(answer.headers.get("ratelimit") ?? "")?.[1];

/** As if the caller had written so often, so long ago. */
const counted = (user: Person, taken: number, secondsAgo = 0) =>
  inDatabase((sql) =>
    sql`
      update private.rate_limit_windows set taken = ${taken}, started_at = now() - make_interval(secs => ${secondsAgo})
      where policy = 'write' and subject = ${user.id}`
  );

Deno.test("rate limits: every response to a write has the remaining quota, also an error; a read is not counted", async () => {
  const user = await signUp();
  const first = await rename(user);
  assert.equal(first.headers.get("ratelimit-policy"), '"write";q=120;w=60');
  assert.equal(left(first), "119");
  await assertError(await rename(user, { nick: "a" }), { code: "validation_error" });
  const read = await ask("/me", { headers: bearer(user.token) });
  assert.equal(read.headers.get("ratelimit"), null);
  assert.equal(left(await rename(user)), "117");
});

Deno.test("rate limits: a rejected write and a replay are each counted once", async () => {
  const user = await signUp();
  const start = (key: string, body: unknown) =>
    ask("/me/vehicles", { method: "POST", ...jsonBody(body, { ...bearer(user.token), "idempotency-key": key }) });
  const vehicle = { vehicle_type: "standard", plate_number: "品川 300 あ 1" };
  const [first, replay, other, another] = [
    await start("one", vehicle),
    await start("one", vehicle),
    await start("one", { ...vehicle, plate_number: "2" }),
    await ask(`/me/vehicles/${crypto.randomUUID()}`, { method: "DELETE", headers: bearer(user.token) }),
  ];
  assert.deepEqual([first, replay, other, another].map(({ status }) => status), [201, 201, 409, 404]);
  assert.equal(replay!.headers.get("idempotent-replayed"), "true");
  assert.deepEqual([first, replay, other, another].map(left), ["119", "118", "117", "116"]);
});

Deno.test("rate limits: beyond the quota a write is 429 with Retry-After, reads go on, and when the window closes writes do", async () => {
  const user = await signUp();
  await rename(user);
  await counted(user, 119, 20);
  assert.equal((await rename(user)).status, 200);
  const beyond = await rename(user, { display_name: "乙" });
  const { error } = await beyond.clone().json();
  const wait = Number(beyond.headers.get("retry-after"));
  assert.ok(wait >= 30 && wait <= 40, `Retry-After: ${wait}`);
  assert.deepEqual(error.details, { policy: "write", retry_after: wait });
  assert.match(beyond.headers.get("access-control-expose-headers") ?? "", /retry-after.*ratelimit/);
  await assertError(beyond, { code: "rate_limited" });
  const read = await ask("/me", { headers: bearer(user.token) });
  assert.equal((await read.json()).app_user.display_name, "駐車");
  await counted(user, 121, 60);
  assert.equal(left(await rename(user)), "119");
});

Deno.test("rate limits: each caller has their own count, and a request with an invalid token is not counted", async () => {
  const [one, other] = [await signUp(), await signUp()];
  await rename(one);
  await counted(one, 121);
  assert.equal((await rename(one)).status, 429);
  assert.equal((await rename(other)).status, 200);
  const forged = await ask("/me", { method: "PATCH", ...jsonBody({}, bearer("forged")) });
  assert.equal(forged.headers.get("ratelimit"), null);
  assert.equal(forged.status, 401);
});

Deno.test("rate limits: anonymous users are counted by their network", async () => {
  const environment: Record<string, string> = {
    SUPABASE_URL: stack().apiUrl,
    SUPABASE_ANON_KEY: stack().anonKey,
    SUPABASE_SERVICE_ROLE_KEY: stack().serviceRoleKey,
    JWT_SECRET: stack().jwtSecret,
  };
  const report = route({
    method: "POST",
    path: "/reports",
    access: "public",
    summary: "Report",
    limit: "crash_report",
    reply: [200, z.object({ ok: z.boolean() })],
    errors: [],
    handle: () => ({ ok: true }),
  });
  const app = createApp([report], { config: () => readConfig((name) => environment[name]), log: () => {} });
  const network = `2001:db8:${Math.floor(Math.random() * 65_536).toString(16)}:1`;
  const send = async (address: string) => {
    const headers = { "x-forwarded-for": address };
    return await app.fetch(new Request("http://localhost/reports", { method: "POST", headers }));
  };
  for (let n = 1; n <= 10; n++) assert.equal((await send(`${network}::${n}`)).status, 200);
  const beyond = await send(`${network}::b`);
  assert.equal(beyond.headers.get("ratelimit-policy"), '"crash_report";q=10;w=60');
  await assertError(beyond, { code: "rate_limited" });
  assert.equal((await send(`${network.slice(0, -1)}2::1`)).status, 200);
});
