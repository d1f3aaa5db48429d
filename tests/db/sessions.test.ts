// Parking sessions: how they begin and end, what is frozen, and who may do what.
import assert from "node:assert/strict";
import { createPeople } from "../policies/people.ts";
import { database } from "../support/database.ts";
import { eraseWithdrawn } from "../support/forgotten.ts";
import { type DatabaseError, errorOf, sqlstate } from "../support/database_errors.ts";
import { newLot, newUser, recalculateLevels, signedIn } from "../support/rows.ts";
import {
  activityOf,
  age,
  callAs,
  type Finalized,
  inMinutes,
  parked,
  pricedLot,
  type Session,
  start,
} from "./support/sessions.ts";

const db = await database();
const users = await createPeople(db.sql);
Deno.test.afterAll(() => db.close());

const finalize = (user: string, id: string, exit: string | null = inMinutes(0), request: string | null = null) =>
  callAs<Finalized>(db, user, "finalize_parking_session", { id, exit_at: exit, client_request_id: request });
const cancel = (user: string, id: string) => callAs<{ cancelled: boolean }>(db, user, "cancel_parking_session", { id });

async function stored(id: string) {
  const [row] = await db.sql`
    select s.*, private.price_list(s.price_list_id) as rules from public.parking_sessions s where s.id = ${id}`;
  return row!;
}

function reasonOf({ code, status, details }: DatabaseError): unknown {
  return { code, status, ...(details as { reason?: string } | null) };
}

Deno.test("parking sessions: a session starts with the given fields, and leaves a row of activity", async () => {
  const [user, lot, request] = [await newUser(db.sql), await newLot(db.sql), crypto.randomUUID()];
  const reply = await callAs<{ session_id: string; is_new: boolean }>(db, user, "start_parking_session", {
    parking_lot_id: lot,
    vehicle_type: "kei",
    start_lat: 35.681,
    start_lng: 139.767,
    client_request_id: request,
  });
  assert.equal(reply.is_new, true);
  const row = await stored(reply.session_id);
  assert.deepEqual(
    [row.user_id, row.parking_lot_id, row.status, row.vehicle_type, row.start_lat, row.start_lng],
    [user, lot, "parking", "kei", 35.681, 139.767],
  );
  assert.deepEqual([row.ended_at, row.total_amount_minor, row.breakdown, row.rules], [null, null, null, null]);
  assert.ok(row.started_at <= row.created_at && row.created_at - row.started_at < 1000);
  assert.deepEqual(await activityOf(db.sql, reply.session_id), ["session_start"]);
});

Deno.test("parking sessions: a session is charged as the vehicle that it names, unless given otherwise, and as standard without one", async () => {
  const [user, lot] = [await newUser(db.sql), await newLot(db.sql)];
  const vehicle = async (owner: string) => {
    const [row] = await db.sql`
      insert into public.user_vehicles (user_id, vehicle_type) values (${owner}, 'kei') returning id`;
    return row!.id as string;
  };
  const [mine, sold, others] = [await vehicle(user), await vehicle(user), await vehicle(users.stranger)];
  await db.sql`update public.user_vehicles set deleted_at = now(), is_default = false where id = ${sold}`;
  for (
    const [args, expected] of [
      [{ vehicle_id: mine }, [mine, "kei"]],
      [{ vehicle_id: mine, vehicle_type: "large" }, [mine, "large"]],
      [{}, [null, "standard"]],
    ] as const
  ) {
    const id = await start(db, user, lot, args);
    const { vehicle_id, vehicle_type } = await stored(id);
    assert.deepEqual([vehicle_id, vehicle_type], expected);
    await cancel(user, id);
  }
  for (const vehicle_id of [others, sold, crypto.randomUUID()]) {
    for (const vehicle_type of [null, "standard"]) {
      const { code, param } = await errorOf(start(db, user, lot, { vehicle_id, vehicle_type }));
      assert.deepEqual([code, param], ["not_found", "vehicle_id"]);
    }
  }
});

Deno.test("parking sessions: a client request id starts one session, in any later state of it and of the lot", async () => {
  const [user, lot, request] = [await newUser(db.sql), await newLot(db.sql), crypto.randomUUID()];
  const again = () => start(db, user, lot, { client_request_id: request });
  const id = await again();
  assert.equal(await again(), id);
  await cancel(user, id);
  await db.sql`update public.parking_lots set status = 'closed' where id = ${lot}`;
  assert.equal(await again(), id);
  assert.deepEqual(await activityOf(db.sql, id), ["session_start", "session_cancel"]);
  const other = await newUser(db.sql);
  assert.notEqual(await start(db, other, await newLot(db.sql), { client_request_id: request }), id);
});

Deno.test("parking sessions: a second session is rejected while one is running, and accepted afterwards", async () => {
  const { user, lot, id } = await parked(db);
  const { code, status, details } = await errorOf(start(db, user, lot, { client_request_id: crypto.randomUUID() }));
  assert.deepEqual([code, status, details], ["concurrent_session_not_allowed", 409, { session_id: id }]);
  await finalize(user, id);
  const next = await start(db, user, lot);
  await cancel(user, next);
  await start(db, user, lot);
});

Deno.test("parking sessions: a session begins only at a lot that is public, with an existing vehicle and spot", async () => {
  const user = await newUser(db.sql);
  for (const status of ["draft", "suspended", "closed"]) {
    assert.equal((await errorOf(start(db, user, await newLot(db.sql, { status })))).code, "lot_not_found");
  }
  assert.equal((await errorOf(start(db, user, crypto.randomUUID()))).code, "lot_not_found");
  const lot = await newLot(db.sql);
  const wrong: [Record<string, string | number | null>, string][] = [
    [{ vehicle_type: "spaceship" }, "vehicle_type"],
    [{ start_lat: 35 }, "start_lng"],
    [{ start_lng: 139 }, "start_lat"],
    [{ start_lat: 90.1, start_lng: 139 }, "start_lat"],
    [{ start_lat: 35, start_lng: -180.1 }, "start_lng"],
  ];
  for (const [args, param] of wrong) {
    const found = await errorOf(start(db, user, lot, args));
    assert.deepEqual([found.code, found.param], ["validation_error", param]);
  }
  assert.equal((await db.sql`select from public.parking_sessions where user_id = ${user}`).length, 0);
});

Deno.test("parking sessions: a session ends with the fee of its stay, and has its duration", async () => {
  const { user, id } = await parked(db, 61);
  const reply = await finalize(user, id);
  assert.deepEqual([reply.session_id, reply.total_amount, reply.currency], [id, 600, "JPY"]);
  assert.equal(reply.breakdown.lines?.reduce((sum, { amount }) => sum + amount, 0), 600);
  const row = await stored(id);
  assert.deepEqual([row.status, row.total_amount_minor, row.currency], ["ended", "600", "JPY"]);
  assert.deepEqual(row.breakdown, reply.breakdown);
  assert.deepEqual(await activityOf(db.sql, id), ["session_start", "session_end"]);
  const [log] = await db.sql`
    select metadata from public.user_activity_logs where subject_id = ${id} and activity_type = 'session_end'`;
  assert.deepEqual(log!.metadata, { total_amount: 600, currency: "JPY", minutes: 61 });
});

Deno.test("parking sessions: a later price does not change ended sessions, which keep their rules", async () => {
  const { user, lot, id } = await parked(db, 45);
  const request = crypto.randomUUID();
  const reply = await finalize(user, id, inMinutes(0), request);
  const before = await stored(id);
  await db.sql`update public.pricing_rules set price_minor = 900 where parking_lot_id = ${lot}`;
  await db.sql`update public.parking_lots set currency = 'CHF', time_zone = 'Europe/Zurich' where id = ${lot}`;
  assert.deepEqual(await stored(id), before);
  assert.deepEqual(await finalize(user, id, inMinutes(0), request), reply);
  const list = await callAs<{ items: Session[] }>(db, user, "list_my_parking_sessions");
  assert.deepEqual([list.items[0]!.total_amount_minor, list.items[0]!.currency], [400, "JPY"]);
  const { pricing_rules, time_zone } = before.rules as { pricing_rules: { price_minor: number }[]; time_zone: string };
  assert.deepEqual([pricing_rules.map(({ price_minor }) => price_minor), time_zone], [[200], "Asia/Tokyo"]);
});

Deno.test("sessions: a price list is stored once for all sessions that ended with it, and again when it changes", async () => {
  const stays = [];
  const { lot, ...first } = await parked(db, 45);
  stays.push(first);
  for (let n = 0; n < 2; n++) {
    const user = await newUser(db.sql);
    stays.push({ user, id: await start(db, user, lot) });
  }
  const lists = [];
  for (const [n, { user, id }] of stays.entries()) {
    if (n === 2) await db.sql`update public.pricing_rules set price_minor = 900 where parking_lot_id = ${lot}`;
    await finalize(user, id);
    lists.push(await stored(id));
  }
  assert.equal(lists[0]!["price_list_id"], lists[1]!["price_list_id"]);
  assert.notEqual(lists[0]!["price_list_id"], lists[2]!["price_list_id"]);
  const prices = lists.map(({ rules }) =>
    (rules as { pricing_rules: { price_minor: number }[] }).pricing_rules[0]!.price_minor
  );
  assert.deepEqual(prices, [200, 200, 900]);
  const [row] = await db.as(
    signedIn(stays[0]!.user),
    (sql) =>
      sql`
        select d #> '{rows,0,rules}' as rules from json_array_elements(api.export_my_data() -> 'data') as d
        where d ->> 'table' = 'parking_sessions'`,
  );
  assert.deepEqual(row!["rules"], lists[0]!["rules"]);
});

Deno.test("parking sessions: only the price overrides of the dates of the stay are kept", async () => {
  const { user, lot, id } = await parked(db, 45);
  for (const days of [-40, 0, 40]) {
    await db.sql`
      insert into public.parking_lot_date_overrides (parking_lot_id, override_date, label, pricing)
      values (${lot}, (now() at time zone 'Asia/Tokyo')::date + ${days}::integer, 'Fair', ${
      db.sql.json([{ category: "flat", rule_order: 1, price_minor: 1500 }])
    })`;
  }
  await finalize(user, id);
  const { rules } = await stored(id);
  const dates = (rules as { date_overrides: { override_date: string }[] }).date_overrides;
  const [today] = await db.sql`select ((now() at time zone 'Asia/Tokyo')::date)::text as date`;
  assert.deepEqual(dates.map(({ override_date }) => override_date), [today!.date]);
});

Deno.test("parking sessions: a repeated end with the same client request id gets the same reply; another end is a conflict", async () => {
  const { user, id } = await parked(db, 10);
  const request = crypto.randomUUID();
  const reply = await finalize(user, id, inMinutes(0), request);
  assert.deepEqual(await finalize(user, id, inMinutes(-1), request), reply);
  for (const other of [crypto.randomUUID(), null]) {
    assert.deepEqual(reasonOf(await errorOf(finalize(user, id, inMinutes(0), other))), {
      code: "conflict",
      status: 409,
      reason: "session_ended",
    });
  }
  assert.deepEqual(await activityOf(db.sql, id), ["session_start", "session_end"]);
  const { user: nameless, id: unnamed } = await parked(db, 10);
  await finalize(nameless, unnamed);
  assert.equal((await errorOf(finalize(nameless, unnamed))).code, "conflict");
});

Deno.test("parking sessions: an exit more than five minutes before the entry or ahead is rejected, and the session is still running", async () => {
  const { user, id } = await parked(db, 30);
  for (const exit of [inMinutes(-35.5), inMinutes(5.5), "1999-12-31T00:00:00Z", null]) {
    const { code, param } = await errorOf(finalize(user, id, exit));
    assert.deepEqual([code, param], ["validation_error", "exit_at"]);
  }
  assert.equal((await stored(id)).status, "parking");
  assert.equal((await finalize(user, id, inMinutes(4.5))).total_amount, 400);
});

Deno.test("parking sessions: a session that ends when it started is accepted and costs nothing", async () => {
  const { user, id } = await parked(db);
  const { started_at } = await stored(id);
  assert.equal((await finalize(user, id, started_at.toISOString())).total_amount, 0);
});

Deno.test("parking sessions: an exit up to five minutes before the start ends the session at its start, for the first unit", async () => {
  for (const seconds of [1, 30, 290]) {
    const { user, id } = await parked(db, 1);
    const { started_at } = await stored(id);
    const before = new Date(started_at.getTime() - seconds * 1000).toISOString();
    assert.equal((await finalize(user, id, before)).total_amount, 200);
    assert.deepEqual((await stored(id)).ended_at, started_at);
  }
});

Deno.test("parking sessions: a client request id belongs to one start: another lot or vehicle is rejected", async () => {
  const [user, lot, other] = [await newUser(db.sql), await pricedLot(db.sql), await newLot(db.sql)];
  const [vehicle] = await db.sql`
    insert into public.user_vehicles (user_id, vehicle_type) values (${user}, 'kei') returning id`;
  const request = crypto.randomUUID();
  const place = { start_lat: 35.681, start_lng: 139.767 };
  const same = { client_request_id: request, vehicle_id: vehicle!["id"], ...place };
  const id = await start(db, user, lot, same);
  assert.equal(await start(db, user, lot, { ...same, vehicle_type: "kei" }), id);
  for (
    const [at, args] of [
      [other, same],
      [lot, { ...same, vehicle_type: "large" }],
      [lot, { ...same, vehicle_id: crypto.randomUUID() }],
    ] as const
  ) {
    const error = await errorOf(start(db, user, at, args));
    assert.deepEqual(reasonOf(error), { code: "conflict", status: 409, reason: "key_reused_with_different_body" });
    assert.equal(error.param, "client_request_id");
  }
  await db.sql`delete from public.user_vehicles where id = ${vehicle!["id"]}`;
  for (const again of [same, { ...same, start_lat: 35.682 }, { client_request_id: request }]) {
    assert.equal(await start(db, user, lot, again), id, "a phone measures its place again");
  }
});

/** A start that the device reports: what is stored, in seconds from now. */
async function reported(user: string, lot: string, started_at: string) {
  const id = await start(db, user, lot, { started_at });
  const { started_at: at, is_start_reported, created_at } = await stored(id);
  return { id, is_start_reported, seconds: Math.round((at.getTime() - created_at.getTime()) / 1000) };
}

Deno.test("parking sessions: a device without a connection reports the start later, and the fee counts from then", async () => {
  const [user, lot] = [await newUser(db.sql), await pricedLot(db.sql)];
  const { id, seconds, is_start_reported } = await reported(user, lot, inMinutes(-90));
  assert.deepEqual([Math.round(seconds / 60), is_start_reported], [-90, true]);
  assert.equal((await finalize(user, id, inMinutes(-45))).total_amount, 400);
  // Known since a moment: it can be cancelled still.
  const next = await reported(user, lot, inMinutes(-40));
  assert.deepEqual(await cancel(user, next.id), { cancelled: true });
  const late = await reported(user, lot, inMinutes(-30));
  await db.sql`update public.parking_sessions set created_at = now() - interval '6 minutes' where id = ${late.id}`;
  assert.deepEqual(reasonOf(await errorOf(cancel(user, late.id))), {
    code: "conflict",
    status: 409,
    reason: "too_late",
  });
});

Deno.test("parking sessions: a reported start is at most a day ago, not in the future and not before the last session ended", async () => {
  const [user, lot] = [await newUser(db.sql), await pricedLot(db.sql)];
  const rejects = async (minutes: number) => {
    const { code, param } = await errorOf(start(db, user, lot, { started_at: inMinutes(minutes) }));
    assert.deepEqual([code, param], ["validation_error", "started_at"], `${minutes} minutes`);
  };
  for (const minutes of [-1441, -100_000, 5.5, 100]) await rejects(minutes);
  assert.equal((await db.sql`select from public.parking_sessions where user_id = ${user}`).length, 0);
  // A clock that is a little fast: now.
  const first = await reported(user, lot, inMinutes(4.5));
  assert.ok(Math.abs(first.seconds) <= 1, `${first.seconds} seconds`);
  await age(db.sql, first.id, 60);
  await finalize(user, first.id, inMinutes(-30));
  for (const minutes of [-36, -120]) await rejects(minutes);
  // A little before the end of the last one: at its end.
  const second = await reported(user, lot, inMinutes(-34));
  assert.equal(Math.round(second.seconds / 60), -30);
});

Deno.test("parking sessions: with an unknown fee a session ends without an amount and with the reason", async () => {
  const bare = await newLot(db.sql);
  const night = await newLot(db.sql);
  const cars = await newLot(db.sql);
  // Only the hour after the next has a price, on any clock.
  await db.sql`
    insert into public.pricing_rules (parking_lot_id, category, rule_order, time_start, time_end, per_minutes, price_minor)
    values (${night}, 'time_band', 1, date_trunc('hour', now() at time zone 'Asia/Tokyo')::time + interval '3 hours',
      date_trunc('hour', now() at time zone 'Asia/Tokyo')::time + interval '4 hours', 60, 300)`;
  const [group] = await db.sql`
    insert into public.pricing_groups (parking_lot_id, code, name, is_default, vehicle_types)
    values (${cars}, 'cars', 'Cars', true, '{standard}') returning id`;
  await db.sql`
    insert into public.pricing_rules (parking_lot_id, pricing_group_id, category, rule_order, per_minutes, price_minor)
    values (${cars}, ${group!.id}, 'time_band', 1, 60, 300)`;
  for (
    const [lot, reason, vehicle] of [
      [bare, "no_rules", "standard"],
      [night, "no_rate", "standard"],
      [cars, "vehicle_type_not_priced", "bus"],
    ] as const
  ) {
    const user = await newUser(db.sql);
    const id = await start(db, user, lot, { vehicle_type: vehicle });
    await age(db.sql, id, 30);
    const reply = await finalize(user, id);
    assert.deepEqual([reply.total_amount, reply.breakdown.refusal?.reason], [null, reason]);
    assert.equal((await stored(id)).status, "ended");
    await start(db, user, lot, { vehicle_type: vehicle });
  }
});

Deno.test("parking sessions: a session ends at a lot that has closed since, and keeps its name in the history", async () => {
  const { user, lot, id } = await parked(db, 20);
  await db.sql`update public.parking_lots set status = 'closed', name = 'Once a lot' where id = ${lot}`;
  assert.equal((await finalize(user, id)).total_amount, 200);
  const { items } = await callAs<{ items: Session[] }>(db, user, "list_my_parking_sessions");
  assert.equal(items[0]!.parking_lot_name, "Once a lot");
  assert.equal(await sqlstate(db.sql`delete from public.parking_lots where id = ${lot}`), "23503");
});

Deno.test("parking sessions: a session is cancelled within five minutes of its start, once", async () => {
  const { user, id } = await parked(db, 4.9);
  assert.deepEqual(await cancel(user, id), { cancelled: true });
  assert.deepEqual(await cancel(user, id), { cancelled: true });
  const row = await stored(id);
  assert.deepEqual([row.status, row.ended_at, row.total_amount_minor], ["cancelled", null, null]);
  assert.deepEqual(await activityOf(db.sql, id), ["session_start", "session_cancel"]);
  await age(db.sql, id, 60);
  assert.deepEqual(await cancel(user, id), { cancelled: true });
  assert.deepEqual(reasonOf(await errorOf(finalize(user, id))), {
    code: "conflict",
    status: 409,
    reason: "session_cancelled",
  });
});

Deno.test("parking sessions: after five minutes, or when it has ended, cancelling is rejected with the reason", async () => {
  const late = await parked(db, 5.1);
  assert.deepEqual(reasonOf(await errorOf(cancel(late.user, late.id))), {
    code: "conflict",
    status: 409,
    reason: "too_late",
  });
  const ended = await parked(db);
  await finalize(ended.user, ended.id);
  assert.deepEqual(reasonOf(await errorOf(cancel(ended.user, ended.id))), {
    code: "conflict",
    status: 409,
    reason: "session_ended",
  });
});

Deno.test("parking sessions: another user's session is not found, and inactive users have none", async () => {
  const { id } = await parked(db, 1);
  const calls: [string, Record<string, string>][] = [
    ["finalize_parking_session", { id, exit_at: inMinutes(0) }],
    ["cancel_parking_session", { id }],
    ["update_my_parking_session", { id, memo: "mine" }],
  ];
  const lists: typeof calls = [["start_parking_session", { parking_lot_id: await newLot(db.sql) }], [
    "list_my_parking_sessions",
    {},
  ]];
  for (const [name, args] of calls) {
    for (const arguments_ of [args, { ...args, id: crypto.randomUUID() }]) {
      assert.equal((await errorOf(callAs(db, users.stranger, name, arguments_))).code, "not_found", name);
    }
  }
  const withdrawn = await newUser(db.sql);
  await db.sql`select private.empty_account(${withdrawn})`;
  for (const [name, args] of [...calls, ...lists]) {
    for (const appUser of [users.suspended, users.administrator, withdrawn]) {
      assert.equal((await errorOf(callAs(db, appUser, name, args))).code, "forbidden", name);
    }
  }
  assert.equal((await stored(id)).status, "parking");
  assert.deepEqual((await callAs<{ items: Session[] }>(db, users.stranger, "list_my_parking_sessions")).items, []);
});

Deno.test("parking sessions: a memo and a rating are written, kept and removed, in every state", async () => {
  const { user, id } = await parked(db, 1);
  const write = (args: Record<string, string | null>) =>
    callAs<Session>(db, user, "update_my_parking_session", { id, ...args });
  const notes = ({ memo, personal_rating }: Session) => [memo, personal_rating];
  assert.deepEqual(notes(await write({ memo: " 3階 \u3000北側 \n" })), ["3階 \u3000北側", null]);
  await finalize(user, id);
  assert.deepEqual(notes(await write({ personal_rating: "good" })), ["3階 \u3000北側", "good"]);
  assert.deepEqual(notes(await write({})), ["3階 \u3000北側", "good"]);
  assert.deepEqual(notes(await write({ memo: "" })), [null, "good"]);
  assert.deepEqual(notes(await write({ memo: "🚗".repeat(1000) })), ["🚗".repeat(1000), "good"]);
  assert.equal(await sqlstate(write({ memo: "a".repeat(1001) })), "23514");
  assert.equal(await sqlstate(write({ personal_rating: "a".repeat(51) })), "23514");
});

Deno.test("parking sessions: a session stays without its user's data after a withdrawal; a running one is cancelled", async () => {
  const leave: ((user: string) => Promise<unknown>)[] = [
    (user) => db.sql`select private.empty_account(${user})`,
    (user) => db.sql`delete from auth.users where id = ${user}`,
  ];
  for (const go of leave) {
    const { user, lot, id: past } = await parked(db, 40);
    await finalize(user, past, inMinutes(0), crypto.randomUUID());
    await callAs(db, user, "update_my_parking_session", { id: past, memo: "at my mother's", personal_rating: "good" });
    const running = await start(db, user, lot, {
      start_lat: 35.1,
      start_lng: 139.1,
      client_request_id: crypto.randomUUID(),
    });
    await go(user);
    await eraseWithdrawn(db.sql);
    for (const [id, status, amount] of [[past, "ended", "400"], [running, "cancelled", null]] as const) {
      const { memo, personal_rating, start_lat, start_lng, client_request_id, finalize_request_id, ...row } =
        await stored(id);
      assert.deepEqual([row.user_id, row.status, row.total_amount_minor], [null, status, amount]);
      assert.deepEqual(
        [memo, personal_rating, start_lat, start_lng, client_request_id, finalize_request_id],
        [null, null, null, null, null, null],
      );
    }
  }
});

Deno.test("parking sessions: a stay is rewarded if its user can have come there from the place before", async () => {
  const osaka = { lat: 34.7, lng: 135.5 };
  /** 400 km from the first lot take an airliner 27 minutes. */
  for (const [minutes, expected] of [[6, false], [40, true]] as const) {
    const user = await newUser(db.sql);
    const stay = async (from: number, to: number, columns: Record<string, number> = {}) => {
      const id = await start(db, user, await newLot(db.sql, columns));
      await db.sql`
        update public.parking_sessions set started_at = date_trunc('second', now()) - ${from} * interval '1 minute' where id = ${id}`;
      await finalize(user, id, inMinutes(-to));
    };
    await stay(100, 10 + minutes);
    await stay(10, 0, osaka);
    const rewarded = await db.sql<{ is_rewarded: boolean }[]>`
      select is_rewarded from public.user_activity_logs where user_id = ${user} and activity_type = 'session_end'
      order by created_at`;
    assert.deepEqual(rewarded.map(({ is_rewarded }) => is_rewarded), [true, expected], `${minutes} min`);
  }
});

Deno.test("parking sessions: stays of less than five minutes, by their exit or by the clock, and more than six a day are not rewarded", async () => {
  const user = await newUser(db.sql);
  /** What the user has after a stay at a new lot: points for stays, all points, and lots that count for badges. */
  const after = async (seconds: number, exit: number) => {
    const id = await start(db, user, await newLot(db.sql));
    await db.sql`
      update public.parking_sessions set started_at = date_trunc('second', now()) - ${seconds} * interval '1 second'
      where id = ${id}`;
    await finalize(user, id, inMinutes(exit));
    const [row] = await db.sql<{ points: number; total: number; lots: number }[]>`
      select (select count(*)::integer from public.exp_entries where user_id = ${user} and reason = 'session_end') as points,
        (select total_exp from public.app_users where id = ${user}) as total,
        (select count(*)::integer from private.badge_marks where user_id = ${user} and mark like 'lot:%') as lots`;
    return [row!.points, row!.total, row!.lots];
  };
  for (let n = 0; n < 12; n++) assert.deepEqual(await after(0, 0), [0, 0, 0]);
  assert.deepEqual(await after(0, 4.9), [0, 0, 0], "an exit may be told five minutes ahead");
  assert.deepEqual(await after(295, 4.9), [0, 0, 0]);
  assert.deepEqual(await after(600, -5.1), [0, 0, 0]);
  // The badges that the first stay earns have points too.
  const [, first] = await after(300, 0.05);
  const given = [];
  for (let n = 2; n <= 8; n++) given.push(await after(300 + n, 0));
  assert.deepEqual(given.map(([points]) => points), [2, 3, 4, 5, 5, 5, 5], "points have a limit of five a day");
  assert.equal(given.at(-1)![2], 6, "the seventh lot counts for no badge");
  assert.ok(given[4]![1]! > first!);

  const kept = async () =>
    JSON.stringify([
      await db.sql`select total_exp, level from public.app_users where id = ${user}`,
      await db.sql`select badge_id, count from public.user_badge_progress where user_id = ${user} order by badge_id`,
      await db.sql`select badge_id from public.user_badges where user_id = ${user} order by badge_id`,
      await db.sql`select badge_id, mark from private.badge_marks where user_id = ${user} order by badge_id, mark`,
    ]);
  const before = await kept();
  assert.equal(await recalculateLevels(db.sql), 0);
  await db.sql`select api.backfill_all_badge_progress()`;
  while ((await db.sql`select private.next_badge_batch() as more`)[0]!["more"]);
  assert.equal(await kept(), before, "a rebuild counts the same");

  // On the next day they count again.
  await db.sql`update public.user_activity_logs set created_at = created_at - interval '1 day' where user_id = ${user}`;
  await db.sql`update public.exp_entries set given_on = given_on - 1 where user_id = ${user}`;
  assert.deepEqual([(await after(300, 0))[0], (await after(299, 1))[0]], [6, 6]);
});

Deno.test("parking sessions: a session that begins in the future, because the clock was set back, ends and is cancelled", async () => {
  for (const exit of [inMinutes(0), inMinutes(-30), inMinutes(121)]) {
    const { user, id } = await parked(db, -120);
    await callAs(db, user, "my_current_parking_session");
    const reply = await callAs<Finalized>(db, user, "finalize_parking_session", { id, exit_at: exit });
    assert.equal(reply.session_id, id);
    const { started_at, ended_at, status } = await stored(id);
    assert.equal(status, "ended");
    assert.equal(+new Date(ended_at!), Math.max(+new Date(started_at), +new Date(exit)));
  }
  const { user, id } = await parked(db, -120);
  const late = callAs(db, user, "finalize_parking_session", { id, exit_at: inMinutes(126) });
  assert.equal((await errorOf(late)).param, "exit_at");
  await cancel(user, id);
  assert.equal((await stored(id)).status, "cancelled");
});

Deno.test("parking sessions: a running session has no fee fields, an ended one has all of them", async () => {
  const { id } = await parked(db);
  const writes = [
    db.sql`update public.parking_sessions set total_amount_minor = 100 where id = ${id}`,
    db.sql`update public.parking_sessions set status = 'ended' where id = ${id}`,
    db.sql`
      update public.parking_sessions set status = 'ended', ended_at = now(), currency = 'JPY', breakdown = '{}', price_list_id = gen_random_uuid()
      where id = ${id}`,
    db.sql`
      update public.parking_sessions set status = 'ended', ended_at = started_at - interval '1 second', currency = 'JPY',
        breakdown = '{"refusal": {}}', price_list_id = gen_random_uuid()
      where id = ${id}`,
    db.sql`
      insert into public.parking_sessions (parking_lot_id, status)
      select parking_lot_id, 'paused' from public.parking_sessions where id = ${id}`,
    db.sql`update public.parking_sessions set start_lat = 1 where id = ${id}`,
  ];
  for (const write of writes) assert.equal(await sqlstate(write), "23514");
});

Deno.test("parking sessions: a user cannot have two running sessions, also by SQL", async () => {
  const [user, lot] = [await newUser(db.sql), await pricedLot(db.sql)];
  const insert = () => db.sql`insert into public.parking_sessions (user_id, parking_lot_id) values (${user}, ${lot})`;
  await insert();
  assert.equal(await sqlstate(insert()), "23505");
});
