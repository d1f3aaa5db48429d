import assert from "node:assert/strict";
import { createParkingClient } from "../../client/src/index.ts";
import {
  CancelledSession,
  CurrentSession,
  FinalizedSession,
  ParkingSession,
  ParkingSessionDetail,
  ParkingSessions,
  StartedSession,
} from "../../supabase/functions/_shared/schema/parking_sessions.ts";
import {
  listMySessions,
  readCurrentSession,
  readMySession,
  updateMySession,
} from "../../supabase/functions/me/parking_sessions.ts";
import { cancelSession, finalizeSession, startSession } from "../../supabase/functions/parking-sessions/routes.ts";
import { signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { stack } from "../support/stack.ts";
import { ask, bearer, jsonBody, query, replyOf } from "./client.ts";
import { aLot, hiddenLots, inDatabase } from "./lots.ts";
import { age, aPricedLot, inMinutes, post } from "./sessions.ts";

const aStart = async (token: string, lot: string) =>
  (await replyOf(startSession, await post("", token, { parking_lot_id: lot }), StartedSession)).session_id;
const patch = (id: string, token: string, body: unknown) =>
  ask(`/me/parking-sessions/${id}`, { method: "PATCH", ...jsonBody(body, bearer(token)) });
const list = async (token: string, filters: Record<string, unknown> = {}) =>
  await replyOf(
    listMySessions,
    await ask(`/me/parking-sessions${query(filters)}`, { headers: bearer(token) }),
    ParkingSessions,
  );

Deno.test("parking sessions: a session is started, annotated, ended, and in the history with its cost", async () => {
  const [lot, user, request] = [await aPricedLot({ name: "東口駐車場" }), await signUp(), crypto.randomUUID()];
  const body = { parking_lot_id: lot, vehicle_type: "kei", start_lat: 35.68, start_lng: 139.76 };
  const started = await post("", user.token, { ...body, client_request_id: request });
  const { session_id } = await replyOf(startSession, started, StartedSession);
  const again = await post("", user.token, { ...body, client_request_id: request });
  assert.deepEqual([again.status, await again.json()], [200, { session_id, status: "parking" }]);

  const annotated = await replyOf(
    updateMySession,
    await patch(session_id, user.token, { memo: "B2" }),
    ParkingSession,
  );
  assert.deepEqual(
    [annotated.status, annotated.memo, annotated.vehicle_type, annotated.start_lat],
    ["parking", "B2", "kei", 35.68],
  );
  await age(session_id, 40);
  const [exit_at, client_request_id] = [inMinutes(0), crypto.randomUUID()];
  const finalize = () => post(`/${session_id}/finalize`, user.token, { exit_at, client_request_id });
  const ended = await replyOf(finalizeSession, await finalize(), FinalizedSession);
  assert.deepEqual([ended.session_id, ended.total_amount, ended.currency], [session_id, 400, "JPY"]);
  assert.deepEqual(await replyOf(finalizeSession, await finalize(), FinalizedSession), ended);

  const { items, next_cursor } = await list(user.token);
  assert.equal(next_cursor, null);
  assert.equal(items.length, 1);
  const [row] = items;
  assert.deepEqual(
    [row!.id, row!.parking_lot_name, row!.status, row!.total_amount_minor, row!.currency, row!.memo],
    [session_id, "東口駐車場", "ended", 400, "JPY", "B2"],
  );
  assert.equal(Date.parse(row!.ended_at ?? ""), Date.parse(exit_at));
  const cleared = await replyOf(updateMySession, await patch(session_id, user.token, { memo: null }), ParkingSession);
  assert.equal(cleared.memo, null);
});

Deno.test("parking sessions: a stay without signal is sent later by the typed client, in order, with its real times", async () => {
  const [user, lot] = [await signUp(), await aPricedLot()];
  const client = createParkingClient({ url: stack().apiUrl, accessToken: user.token });
  const times = { started_at: inMinutes(-90), exit_at: inMinutes(-15) };
  const [start, end] = [crypto.randomUUID(), crypto.randomUUID()];
  const send = async () => {
    const { data: { session_id } } = await client.POST("/v1/parking-sessions", {
      body: { parking_lot_id: lot, started_at: times.started_at, client_request_id: start },
    });
    const params = { path: { id: session_id } };
    const body = { exit_at: times.exit_at, client_request_id: end };
    return (await client.POST("/v1/parking-sessions/{id}/finalize", { params, body })).data;
  };
  const ended = await send();
  assert.equal(ended.total_amount, 600);
  assert.deepEqual(await send(), ended, "the queue is sent again after a lost response");
  const { items: [row, ...others] } = await list(user.token);
  assert.deepEqual([others.length, row!.is_start_reported, row!.total_amount_minor], [0, true, 600]);
  assert.equal(Date.parse(row!.started_at!), Math.floor(Date.parse(times.started_at) / 1000) * 1000);
  const late = await post("", user.token, { parking_lot_id: lot, started_at: inMinutes(-40) });
  await assertError(late, { code: "validation_error", param: "started_at" });
  const moved = await post("", user.token, { parking_lot_id: await aPricedLot(), client_request_id: start });
  await assertError(moved, { code: "conflict", param: "client_request_id" });
});

Deno.test("parking sessions: the fee and breakdown of a session are those of calc-fee", async () => {
  const [lot, user] = [await aPricedLot(), await signUp()];
  const id = await aStart(user.token, lot);
  await age(id, 200);
  const exit_at = inMinutes(0);
  const ended = await replyOf(
    finalizeSession,
    await post(`/${id}/finalize`, user.token, { exit_at }),
    FinalizedSession,
  );
  const detail = await replyOf(
    readMySession,
    await ask(`/me/parking-sessions/${id}`, { headers: bearer(user.token) }),
    ParkingSessionDetail,
  );
  assert.deepEqual([detail.breakdown, detail.photos], [ended.breakdown, []]);
  assert.deepEqual(detail.rules?.pricing_rules.map(({ price_minor }) => price_minor), [200]);
  const entry_at = detail.started_at;
  const fee = await ask(`/parking-lots/${lot}/calc-fee`, { method: "POST", ...jsonBody({ entry_at, exit_at }) });
  const { total_amount, currency, breakdown, surprises } = await fee.json();
  assert.deepEqual([ended.total_amount, ended.currency, ended.breakdown], [total_amount, currency, {
    ...breakdown,
    surprises,
  }]);
});

Deno.test("parking sessions: a session with an unknown fee ends without an amount and with the reason", async () => {
  const [lot, user] = [await aLot(), await signUp()];
  const id = await aStart(user.token, lot);
  const ended = await replyOf(
    finalizeSession,
    await post(`/${id}/finalize`, user.token, { exit_at: inMinutes(1) }),
    FinalizedSession,
  );
  assert.deepEqual([ended.total_amount, ended.currency], [null, "JPY"]);
  assert.deepEqual(ended.breakdown, { refusal: { code: "fee_unknown", reason: "no_rules" } });
});

Deno.test("parking sessions: GET current has a live meter for the running session, else 404", async () => {
  const [lot, user] = [await aPricedLot(), await signUp()];
  const current = () => ask("/me/parking-sessions/current", { headers: bearer(user.token) });
  await assertError(await current(), { code: "not_found" });
  const id = await aStart(user.token, lot);
  await age(id, 40);
  const running = await replyOf(readCurrentSession, await current(), CurrentSession);
  assert.deepEqual([running.id, running.status, running.can_exit_now], [id, "parking", null]);
  assert.ok("amount" in running.meter);
  const { amount, next_amount, next_increase_at } = running.meter;
  assert.deepEqual([amount, next_amount], [400, 600]);
  assert.equal(Date.parse(next_increase_at!), Date.parse(running.started_at!) + 60 * 60_000);
  await post(`/${id}/finalize`, user.token, { exit_at: inMinutes(0) });
  await assertError(await current(), { code: "not_found" });
});

Deno.test("parking sessions: the meter of a lot without prices reports an unknown fee", async () => {
  const user = await signUp();
  await aStart(user.token, await aLot());
  const answer = await ask("/me/parking-sessions/current", { headers: bearer(user.token) });
  const { meter } = await replyOf(readCurrentSession, answer, CurrentSession);
  assert.deepEqual(meter, { refusal: { code: "fee_unknown", reason: "no_rules" } });
});

Deno.test("parking sessions: a session is cancelled once; a late or ended one is rejected", async () => {
  const [lot, user] = [await aPricedLot(), await signUp()];
  const first = await aStart(user.token, lot);
  for (let n = 0; n < 2; n++) {
    const reply = await replyOf(cancelSession, await post(`/${first}/cancel`, user.token), CancelledSession);
    assert.deepEqual(reply, { cancelled: true });
  }
  const second = await aStart(user.token, lot);
  await age(second, 6);
  const late = await post(`/${second}/cancel`, user.token);
  assert.equal((await late.clone().json()).error.details.reason, "too_late");
  await assertError(late, { code: "conflict" });
  assert.deepEqual((await list(user.token, { status: "cancelled" })).items.map(({ id }) => id), [first]);
});

Deno.test("parking sessions: a second start is rejected and names the session that runs", async () => {
  const [lot, user] = [await aLot(), await signUp()];
  const id = await aStart(user.token, lot);
  const error = await post("", user.token, { parking_lot_id: lot });
  assert.equal((await error.clone().json()).error.details.session_id, id);
  await assertError(error, { code: "concurrent_session_not_allowed" });
});

Deno.test("parking sessions: a session at a lot that is not public is rejected", async () => {
  const user = await signUp();
  for (const lot of Object.values(await hiddenLots())) {
    await assertError(await post("", user.token, { parking_lot_id: lot }), {
      code: "lot_not_found",
      param: "parking_lot_id",
    });
  }
});

Deno.test("parking sessions: another user's session is 404", async () => {
  const [lot, user, stranger] = [await aLot(), await signUp(), await signUp()];
  const id = await aStart(user.token, lot);
  await assertError(await post(`/${id}/finalize`, stranger.token, { exit_at: inMinutes(0) }), { code: "not_found" });
  await assertError(await post(`/${id}/cancel`, stranger.token), { code: "not_found" });
  await assertError(await patch(id, stranger.token, { memo: "mine" }), { code: "not_found" });
  const slot = `/me/parking-sessions/${id}/photos/during/1`;
  const asset_id = crypto.randomUUID();
  for (
    const [path, init] of [
      [`/me/parking-sessions/${id}`, { headers: bearer(stranger.token) }],
      [slot, { method: "PUT", ...jsonBody({ asset_id }, bearer(stranger.token)) }],
      [slot, { method: "DELETE", headers: bearer(stranger.token) }],
    ] as const
  ) {
    await assertError(await ask(path, init), { code: "not_found", param: "id" });
  }
  assert.deepEqual((await list(stranger.token)).items, []);
});

Deno.test("parking sessions: suspended and withdrawn users are rejected by every route", async () => {
  for (const status of ["suspended", "withdrawn"]) {
    const [lot, user] = [await aLot(), await signUp()];
    const id = await aStart(user.token, lot);
    await inDatabase((sql) => sql`update public.app_users set status = ${status} where id = ${user.id}`);
    const answers = [
      await post("", user.token, { parking_lot_id: lot }),
      await post(`/${id}/finalize`, user.token, { exit_at: inMinutes(0) }),
      await post(`/${id}/cancel`, user.token),
      await patch(id, user.token, { memo: "mine" }),
      await ask("/me/parking-sessions", { headers: bearer(user.token) }),
      await ask("/me/parking-sessions/current", { headers: bearer(user.token) }),
      await ask(`/me/parking-sessions/${id}`, { headers: bearer(user.token) }),
    ];
    for (const answer of answers) await assertError(answer, { code: "forbidden" });
  }
});

Deno.test("parking sessions: pages of the history follow one another and a cursor is valid for its filters only", async () => {
  const [lot, user] = [await aLot(), await signUp()];
  await inDatabase((sql) =>
    sql`
      insert into public.parking_sessions (user_id, parking_lot_id, status, started_at)
      select ${user.id}, ${lot}, 'cancelled', now() - n * interval '1 hour' from generate_series(1, 7) as n`
  );
  const first = await list(user.token, { limit: 4 });
  const second = await list(user.token, { limit: 4, cursor: first.next_cursor });
  assert.deepEqual([first.items.length, second.items.length, second.next_cursor], [4, 3, null]);
  const ids = [...first.items, ...second.items].map(({ id }) => id);
  assert.equal(new Set(ids).size, 7);
  const other = await ask(`/me/parking-sessions?status=ended&cursor=${first.next_cursor}`, {
    headers: bearer(user.token),
  });
  await assertError(other, { code: "validation_error", param: "cursor" });
});

Deno.test("parking sessions: wrong sessions are rejected by their field", async () => {
  const [lot, user] = [await aLot(), await signUp()];
  const id = await aStart(user.token, lot);
  const wrong: [string, unknown, string, string?][] = [
    ["", {}, "parking_lot_id", "required"],
    ["", { parking_lot_id: "7" }, "parking_lot_id", "invalid_format"],
    ["", { parking_lot_id: lot, vehicle_type: "spaceship" }, "vehicle_type"],
    ["", { parking_lot_id: lot, start_lat: 91, start_lng: 0 }, "start_lat", "too_big"],
    ["", { parking_lot_id: lot, start_lat: 35 }, "start_lng"],
    ["", { parking_lot_id: lot, client_request_id: "1" }, "client_request_id", "invalid_format"],
    [`/${id}/finalize`, {}, "exit_at", "required"],
    [`/${id}/finalize`, { exit_at: "2026-09-01T12:00:00" }, "exit_at", "invalid_format"],
    [`/${id}/finalize`, { exit_at: inMinutes(-6) }, "exit_at"],
    [`/${id}/finalize`, { exit_at: inMinutes(6) }, "exit_at"],
  ];
  const other = await signUp();
  for (const [path, body, param, field] of wrong) {
    const { token } = path === "" ? other : user;
    const expected = { code: "validation_error", param, ...(field === undefined ? {} : { field }) } as const;
    await assertError(await post(path, token, body), expected);
  }
  for (
    const [body, param] of [
      [{ memo: "a".repeat(1001) }, "memo"],
      [{ personal_rating: "a".repeat(51) }, "personal_rating"],
      [{ memo: 7 }, "memo"],
      [{ status: "ended" }, "status"],
    ] as const
  ) {
    await assertError(await patch(id, user.token, body), { code: "validation_error", param });
  }
});
