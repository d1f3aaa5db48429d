// An attacker with an ordinary account, who knows the ids of another user's rows.
import assert from "node:assert/strict";
import { groups } from "../../supabase/functions/openapi/contract.ts";
import { inDatabase } from "../api/lots.ts";
import { type Person, signIn, signUp } from "../support/people.ts";
import { newLot, runJob } from "../support/rows.ts";
import { stack } from "../support/stack.ts";
import { allFunctions, argumentsFor, codeOf, type Reply, rpc, run, send } from "./attacker.ts";

const functions = await allFunctions();
const [attacker, victim] = [await signUp(), await signUp({ displayName: "Victim" })];
const lot = await inDatabase((sql) => newLot(sql));

async function made(who: Person, method: string, path: string, body: unknown): Promise<Record<string, unknown>> {
  const reply = await send(who, method, path, body);
  assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body as Record<string, unknown>;
}

/** Rows of the victim, by the group of routes that takes their id. */
const rows = {
  vehicle: String((await made(victim, "POST", "/me/vehicles", { vehicle_type: "standard", nickname: "mine" }))["id"]),
  preset: String((await made(victim, "POST", "/me/search-presets", { name: "Home", query_json: {} }))["id"]),
  review: String((await made(victim, "POST", `/parking-lots/${lot}/reviews`, { rating: 4, comment: "wide" }))["id"]),
  session: String((await made(victim, "POST", "/parking-sessions", { parking_lot_id: lot }))["session_id"]),
  token: String(
    (await made(victim, "PUT", "/me/push-tokens", { fcm_token: crypto.randomUUID(), device_type: "ios" }))["id"],
  ),
  ticket: String(
    (await made(victim, "POST", "/support/tickets", { category: "other", subject: "s", message: "m" }))["id"],
  ),
  asset: String(
    (await made(victim, "POST", "/storage/upload-url", {
      file_name: "a.png",
      file_size: 70,
      mime_type: "image/png",
      category: "session_photo",
    }))["asset_id"],
  ),
};

/** All that is held of the victim, to see that nothing changed. */
const state = () =>
  inDatabase(async (sql) => {
    const tables = [
      "user_vehicles",
      "search_presets",
      "reviews",
      "parking_sessions",
      "user_push_tokens",
      "support_tickets",
    ];
    const held = [];
    for (const table of tables) {
      held.push(await sql.unsafe(`select * from public.${table} where user_id = '${victim.id}' order by id`));
    }
    return JSON.stringify(held);
  });

const before = await state();

const attempts: [method: string, path: string, body?: unknown][] = [
  ["PATCH", `/me/vehicles/${rows.vehicle}`, { nickname: "taken" }],
  ["DELETE", `/me/vehicles/${rows.vehicle}`],
  ["PATCH", `/me/search-presets/${rows.preset}`, { name: "taken" }],
  ["DELETE", `/me/search-presets/${rows.preset}`],
  ["POST", `/me/search-presets/${rows.preset}/set-default`],
  ["PATCH", `/me/reviews/${rows.review}`, { rating: 1 }],
  ["DELETE", `/me/reviews/${rows.review}`],
  ["GET", `/me/parking-sessions/${rows.session}`],
  ["PATCH", `/me/parking-sessions/${rows.session}`, { memo: "taken" }],
  ["POST", `/parking-sessions/${rows.session}/finalize`, { exit_at: new Date().toISOString() }],
  ["POST", `/parking-sessions/${rows.session}/cancel`],
  ["DELETE", `/me/parking-sessions/${rows.session}/photos/during/1`],
  ["DELETE", `/me/push-tokens/${rows.token}`],
  ["GET", `/support/tickets/${rows.ticket}`],
  ["POST", `/support/tickets/${rows.ticket}/messages`, { message: "taken" }],
];

for (const [method, path, body] of attempts) {
  Deno.test(`user: ${method} ${path.replaceAll(/[0-9a-f-]{36}/g, "{id}")} of another user is 404`, async () => {
    const reply = await send(attacker, method, path, body);
    assert.ok([204, 404].includes(reply.status), `${reply.status} ${JSON.stringify(reply.body)}`);
    if (reply.status === 204) assert.equal(method, "DELETE");
    assert.equal(await state(), before);
  });
}

Deno.test("user: every route with an id in its path is tried above, or has no owner", () => {
  const ofNobody = [
    "/parking-lots/",
    "/sponsors/",
    "/articles/",
    "/openapi/",
    "/well-known/",
    "/me/themes/",
    "/me/saved-",
    "/search/ai/keys/",
  ];
  const tried = new Set(attempts.map(([method, path]) => `${method} ${path.replaceAll(/[0-9a-f-]{36}/g, "*")}`));
  const missing = groups.flatMap(({ routes }) => routes)
    .filter(({ access, path }) =>
      access === "user" && path.includes("{") && !ofNobody.some((one) => path.startsWith(one))
    )
    .map(({ method, path }) => `${method} ${path.replace("{phase}/{slot}", "during/1").replaceAll(/\{\w+\}/g, "*")}`)
    .filter((place) => !tried.has(place));
  assert.deepEqual(missing, ["PUT /me/parking-sessions/*/photos/during/1"]); // tried with the asset, below
});

Deno.test("user: another user's upload cannot be attached, and stays with its owner", async () => {
  const own = String((await made(attacker, "POST", "/parking-sessions", { parking_lot_id: lot }))["session_id"]);
  const photo = await send(attacker, "PUT", `/me/parking-sessions/${own}/photos/during/1`, { asset_id: rows.asset });
  assert.ok([404, 422].includes(photo.status), `${photo.status}`);
  const foreign = await send(attacker, "PUT", `/me/parking-sessions/${rows.session}/photos/during/1`, {
    asset_id: rows.asset,
  });
  assert.ok([404, 422].includes(foreign.status), `${foreign.status}`);
  const avatar = await send(attacker, "PATCH", "/me", { avatar_asset_id: rows.asset });
  assert.ok([404, 422].includes(avatar.status), `${avatar.status}`);
  await send(attacker, "POST", `/parking-sessions/${own}/cancel`);
  assert.equal(await state(), before);
});

Deno.test("user: the owner of a row cannot be set in a body or an argument", async () => {
  for (
    const [path, body] of [
      ["/me/vehicles", { vehicle_type: "standard", user_id: victim.id }],
      ["/me/search-presets", { name: "a", query_json: {}, user_id: victim.id }],
      ["/parking-sessions", { parking_lot_id: lot, user_id: victim.id }],
      ["/support/tickets", { category: "other", subject: "s", message: "m", user_id: victim.id }],
    ] as const
  ) {
    const reply = await send(attacker, "POST", path, body);
    assert.deepEqual([reply.status, Object(reply.body).error?.param], [422, "user_id"], path);
  }
  for (const { name } of functions.filter(({ schema }) => schema === "commands")) {
    const reply = await run(attacker, name, { p_user_id: victim.id, p_id: rows.vehicle });
    assert.ok(reply.status >= 400 && reply.status < 500, `${name}: ${reply.status}`);
  }
  assert.equal(await state(), before);
});

Deno.test("user: run_command rejects the ids of other users as well", async () => {
  const tries: [command: string, args: Record<string, unknown>][] = [
    ["update_my_vehicle", { p_id: rows.vehicle, p_changes: { nickname: "taken" } }],
    ["delete_my_vehicle", { p_id: rows.vehicle }],
    ["delete_my_search_preset", { p_id: rows.preset }],
    ["set_default_search_preset", { p_id: rows.preset }],
    ["update_my_review", { p_id: rows.review, p_rating: 1 }],
    ["delete_my_review", { p_id: rows.review }],
    ["finalize_parking_session", { p_id: rows.session, p_exit_at: new Date().toISOString() }],
    ["cancel_parking_session", { p_id: rows.session }],
    ["update_my_parking_session", { p_id: rows.session, p_memo: "taken" }],
    ["delete_my_push_token", { p_id: rows.token }],
    ["reply_to_support_ticket", { p_id: rows.ticket, p_message: "taken" }],
  ];
  for (const [command, args] of tries) {
    const reply = await run(attacker, command, args);
    assert.ok(reply.status === 404 || Object(reply.body).reply === null, `${command}: ${JSON.stringify(reply.body)}`);
  }
  assert.equal(await state(), before);
});

Deno.test("user: functions of the service are 401 to 404 at the Data API, and routes of the service 403", async () => {
  const closed = functions.filter(({ schema, forAuthenticated }) => schema === "api" && !forAuthenticated);
  assert.ok(closed.length > 5, `${closed.length} functions`);
  for (const each of closed) {
    const { status } = await rpc(attacker, each.name, argumentsFor(each, { p_user_id: attacker.id }));
    assert.ok([401, 403, 404].includes(status), `${each.name}: ${status}`);
  }
  for (const route of groups.flatMap(({ routes }) => routes).filter(({ access }) => access === "service")) {
    const reply = await send(attacker, route.method, route.path, {});
    assert.deepEqual([reply.status, codeOf(reply)], [403, "forbidden"], route.path);
  }
});

Deno.test("user: quotas hold past the service: 130 writes at the Data API, at most 120 take effect", async () => {
  const user = await signUp();
  const replies: Reply[] = [];
  for (let n = 0; n < 13; n++) {
    replies.push(
      ...await Promise.all(
        Array.from(
          { length: 10 },
          () => run(user, "rate_parking_lot", { p_parking_lot_id: lot, p_value: n % 2 ? "good" : "bad" }),
        ),
      ),
    );
  }
  assert.ok(replies.filter(({ status }) => status === 200).length <= 120);
  assert.equal(replies.at(-1)!.status, 429);
  const through = await send(user, "PUT", `/parking-lots/${lot}/rating`, { value: "good" });
  assert.equal(through.status, 429, "the router counts in the same window");
  const named = await rpc(user, "run_command", {
    p_policy: "upload",
    p_command: "rate_parking_lot",
    p_arguments: {},
  });
  assert.equal(named.status, 404, "nobody names the policy of a command");
});

Deno.test("user: idempotency keys store no reads, and at most 1,000 a day", async () => {
  const user = await signUp();
  const keyed = (p_key: string, p_command: string) =>
    rpc(user, "run_command", { p_key, p_fingerprint: "a".repeat(64), p_command, p_arguments: {} });
  assert.equal((await keyed("read", "export_my_data")).status, 200);
  await inDatabase(async (sql) => {
    const [kept] =
      await sql`select octet_length(reply::text) as bytes from private.idempotency_replies where user_id = ${user.id}`;
    assert.ok(kept!["bytes"] < 100, `${kept!["bytes"]} bytes`);
    await sql`
      insert into private.idempotency_replies (user_id, key, call, fingerprint, reply)
      select ${user.id}::uuid, 'key-' || n, 'my_account 1', ${"a".repeat(64)}, 'null' from generate_series(1, 999) n`;
  });
  const beyond = await keyed("one-more", "my_account");
  assert.deepEqual([beyond.status, codeOf(beyond)], [429, "rate_limited"]);
});

Deno.test("user: the identity provider lets no user become administrator or premium", async () => {
  const { apiUrl, publishableKey } = stack();
  const admin = { admin: { areas: ["lots", "support"], name: "Mallory" } };
  for (
    const body of [{ data: admin }, { app_metadata: admin }, { role: "service_role" }, { data: { premium: true } }]
  ) {
    const answer = await fetch(`${apiUrl}/auth/v1/user`, {
      method: "PUT",
      headers: {
        apikey: publishableKey,
        authorization: `Bearer ${attacker.token}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    });
    await answer.body?.cancel();
  }
  const again = await signIn(attacker.email);
  const { body } = await send(again, "GET", "/me");
  assert.deepEqual([Object(body).admin, Object(body).permission_scopes], [null, ["user"]]);
});

Deno.test("user: a rating does not mark the lot as changed for updated_since", async () => {
  const user = await signUp();
  const changed = () =>
    inDatabase(async (sql) =>
      JSON.stringify(
        await sql`
          select l.updated_at, c.revision, (select count(*) from private.lot_change_queue q where q.parking_lot_id = l.id) as queued
          from public.parking_lots l join private.lot_changes c on c.parking_lot_id = l.id where l.id = ${lot}`,
      )
    );
  await inDatabase((sql) => runJob(sql, "note_lot_changes"));
  const before = await changed();
  for (const value of ["good", "bad", "good"]) {
    assert.equal((await send(user, "PUT", `/parking-lots/${lot}/rating`, { value })).status, 200);
  }
  assert.equal(await changed(), before);
});

Deno.test("user: deleted rows do not accumulate", async () => {
  const user = await signUp();
  for (let n = 0; n < 25; n++) {
    const preset = await made(user, "POST", "/me/search-presets", {
      name: `Home ${n}`,
      query_json: { keywords: ["home"] },
    });
    const vehicle = await made(user, "POST", "/me/vehicles", { vehicle_type: "standard", plate_number: "12-34" });
    await send(user, "DELETE", `/me/search-presets/${preset["id"]}`);
    await send(user, "DELETE", `/me/vehicles/${vehicle["id"]}`);
  }
  const left = await inDatabase(async (sql) => [
    ...await sql`select * from public.search_presets where user_id = ${user.id}`,
    ...await sql`select * from public.user_vehicles where user_id = ${user.id}`,
  ]);
  assert.ok(left.length <= 30, `${left.length} rows`);
  assert.doesNotMatch(JSON.stringify(left), /Home|home|12-34/);
});
