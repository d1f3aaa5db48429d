// Push from the administrator's draft to the messaging service: figures, outcomes, rules. Every test has devices of its own;
// they are distinguished by the prefix of their tokens.
import assert from "node:assert/strict";
import { type Person, signIn, signUp } from "../support/people.ts";
import { eventually } from "../support/eventually.ts";
import { newPlanOf } from "../support/plan_members.ts";
import { messagesTo, receivedByFcm, scriptFcm } from "../support/providers.ts";
import { stack } from "../support/stack.ts";
import { type Administrator, anAdministrator, assertErrorDetails, sending } from "./administrators.ts";
import { ask, bearer, jsonBody } from "./client.ts";
import { aLot, inDatabase } from "./lots.ts";

const PATH = "/admin/user-notifications";

/** A device of a user; its token begins with `kind`. */
async function aDevice(user: Person, kind = "good"): Promise<string> {
  const token = `${kind}-${crypto.randomUUID()}`;
  const response = await ask("/me/push-tokens", {
    method: "PUT",
    ...jsonBody({ fcm_token: token, device_type: "ios" }, bearer(user.token)),
  });
  assert.equal(response.status, 200, await response.text());
  return token;
}

async function compose(admin: Administrator, body: Record<string, unknown>): Promise<string> {
  const response = await admin.ask(
    PATH,
    sending("POST", { type: "announcement", title: "題名", body: "本文", ...body }),
  );
  const text = await response.text();
  assert.equal(response.status, 201, text);
  return JSON.parse(text).id;
}

const dispatch = async () => {
  const response = await ask("/push-dispatch", { method: "POST", headers: bearer(stack().serviceRoleKey) });
  assert.equal(response.status, 200, await response.text());
};

async function read(admin: Administrator, id: string) {
  return await (await admin.ask(`${PATH}/${id}`)).json();
}

let running: Promise<unknown> | undefined;
Deno.test.afterAll(async () => void await running);
/** What is done after each run, for all who look: a run that one of them starts is the run of the others too. */
const afterRuns = new Set<() => Promise<unknown>>();

/** Looks until there is a value, while the worker runs: a run goes on for two seconds after the last message. */
async function whileDispatching<Value>(
  look: () => Promise<Value | undefined>,
  afterRun?: () => Promise<unknown>,
): Promise<Value> {
  if (afterRun !== undefined) afterRuns.add(afterRun);
  try {
    return await eventually(async () => {
      running ??= dispatch().then(() => Promise.all([...afterRuns].map((act) => act()))).then(() =>
        running = undefined
      );
      return await look();
    });
  } finally {
    if (afterRun !== undefined) afterRuns.delete(afterRun);
  }
}

/** What waits to be tried again is tried at once. No run may have it, or it is sent twice. */
const tryAgain = (id: string) =>
  inDatabase((sql) => sql`update pgmq."q_push-dispatch" set vt = now() where message ->> 'notification_id' = ${id}`);

/** A composed notification once every device has its outcome. Where that does not come, the error has what it waits for. */
async function settled(admin: Administrator, id: string) {
  try {
    return await whileDispatching(async () => {
      const composed = await read(admin, id);
      return composed.status === "sending" ? undefined : composed;
    }, () => tryAgain(id));
  } catch (error) {
    const state = await inDatabase(async (sql) => [
      await sql`select now(), * from private.fan_outs where notification_id = ${id}`,
      await sql`select * from private.push_deliveries where notification_id = ${id}`,
      await sql`select * from pgmq."q_push-dispatch"`,
      await sql`select * from private.push_leases`,
      await sql`select * from private.outages where queue = 'push-dispatch'`,
    ]);
    throw new Error(`${id} is not settled: ${JSON.stringify(state)}`, { cause: error });
  }
}

/** Sends to one user. */
async function sendTo(admin: Administrator, user: Person, body: Record<string, unknown> = {}) {
  const id = await compose(admin, { target: "user", user_id: user.id, ...body });
  const sent = await admin.ask(`${PATH}/${id}/send`, sending("POST"));
  const reply = await sent.json();
  assert.equal(sent.status, 202, JSON.stringify(reply));
  return { id, reply };
}

const admin = await anAdministrator("notifications");

Deno.test("user notifications: sending one fills the inbox and reaches each device once, with exact counts", async () => {
  const user = await signUp();
  const devices = [await aDevice(user), await aDevice(user)];
  const { id, reply } = await sendTo(admin, user, { data: { path: "/articles/one" } });
  assert.deepEqual(reply, { notification_id: id, enqueued: 2, batches: 1 });
  const { status, success_count, failure_count, suppressed_count } = await settled(admin, id);
  assert.deepEqual([status, success_count, failure_count, suppressed_count], ["sent", 2, 0, 0]);
  const received = await receivedByFcm();
  assert.deepEqual(devices.map((token) => received.devices[token]), [1, 1]);
  const inbox = await (await ask("/me/notifications", { headers: bearer(user.token) })).json();
  assert.deepEqual(inbox.items.map(({ title, target, status }: Record<string, string>) => [title, target, status]), [
    ["題名", "user", "sent"],
  ]);
});

Deno.test("user notifications: of two administrators who send in the same moment one gets 409", async () => {
  const [user, other] = [await signUp(), await anAdministrator("notifications")];
  const id = await compose(admin, { target: "user", user_id: user.id });
  const statuses = (await Promise.all([admin, other, admin, other].map(async (one) => {
    const response = await one.ask(`${PATH}/${id}/send`, sending("POST"));
    return [response.status, (await response.json()).error?.details?.reason];
  }))).sort();
  assert.deepEqual(statuses, [[202, undefined], ...Array(3).fill([409, "status_not_reachable"])]);
});

Deno.test("user notifications: sending takes no body, or the id of the path once more, and no other", async () => {
  const user = await signUp();
  for (const bodyOf of [() => undefined, () => ({}), (id: string) => ({ id })]) {
    const id = await compose(admin, { target: "user", user_id: user.id });
    const sent = await admin.ask(`${PATH}/${id}/send`, sending("POST", bodyOf(id)));
    assert.equal(sent.status, 202, await sent.text());
  }
  const id = await compose(admin, { target: "user", user_id: user.id });
  const send = (body: unknown) => admin.ask(`${PATH}/${id}/send`, sending("POST", body));
  for (const other of [crypto.randomUUID(), "none", null]) {
    await assertErrorDetails(await send({ id: other }), "validation_error", "id");
  }
  await assertErrorDetails(await send({ id, status: "sent" }), "validation_error", "status");
  assert.equal((await read(admin, id)).status, "draft");
});

Deno.test("user notifications: the figures of preview and of 202 are those of the batches that are delivered, also when there are several", async () => {
  const kind = `several-${crypto.randomUUID().slice(0, 8)}`;
  const plan = await inDatabase((sql) =>
    sql.begin(async (sql) => {
      const users = await sql<{ id: string }[]>`
        insert into auth.users (id) select gen_random_uuid() from generate_series(1, 61) returning id`;
      const ids = users.map(({ id }) => id);
      await sql`
        insert into public.user_push_tokens (user_id, fcm_token, device_type)
        select u, concat(${kind}::text, '-', u, '-', n), 'android' from unnest(${ids}::uuid[]) as u, generate_series(1, 20) as n`;
      return await newPlanOf(sql, ids);
    })
  );
  const notification = { target: "all", segment: { plan } };
  const preview = await admin.ask(
    `${PATH}/preview`,
    sending("POST", { type: "announcement", title: "題名", body: "本文", ...notification }),
  );
  assert.deepEqual(await preview.json(), { people: 61, devices: 1220, batches: 3, is_exact: true });
  const id = await compose(admin, notification);
  const sent = await admin.ask(`${PATH}/${id}/send`, sending("POST"));
  assert.deepEqual(await sent.json(), { notification_id: id, enqueued: 1220, batches: 3 });
  const { status, success_count, failure_count } = await settled(admin, id);
  assert.deepEqual([status, success_count, failure_count], ["sent", 1220, 0]);
  const batches = await inDatabase((sql) =>
    sql<{ devices: number }[]>`
      select count(*)::integer as devices from private.push_deliveries where notification_id = ${id} group by batch order by batch`
  );
  assert.deepEqual(batches.map(({ devices }) => devices), [500, 500, 220]);
  const tokens = (await messagesTo(kind)).map(({ token }) => token);
  assert.deepEqual([tokens.length, new Set(tokens).size], [1220, 1220]);
});

Deno.test("push: each response of the messaging service has its outcome", async () => {
  const user = await signUp();
  const tokens: Record<string, string> = {};
  for (const kind of ["ok", "dead", "bad", "foreign", "flaky", "proxy"]) {
    tokens[kind] = await aDevice(user, `${kind}-outcome`);
  }
  await scriptFcm({
    rules: [
      { prefix: "dead-outcome", status: 404, error_code: "UNREGISTERED" },
      { prefix: "bad-outcome", status: 400, error_code: "INVALID_ARGUMENT" },
      { prefix: "foreign-outcome", status: 403, error_code: "SENDER_ID_MISMATCH" },
      { prefix: "flaky-outcome", status: 503, times: 1 },
      { prefix: "proxy-outcome", status: 502, html: true, times: 1 },
    ],
  });
  const { id } = await sendTo(admin, user);
  const { success_count, failure_count } = await settled(admin, id);
  assert.deepEqual([success_count, failure_count], [3, 3]);
  const left = await inDatabase((sql) =>
    sql<{ fcm_token: string }[]>`select fcm_token from public.user_push_tokens where user_id = ${user.id}`
  );
  assert.deepEqual(
    left.map(({ fcm_token }) => fcm_token).sort(),
    [tokens["flaky"], tokens["ok"], tokens["proxy"]].sort(),
    "dead devices and those of another sender are deleted, the others are not",
  );
});

Deno.test("push: five of a type within a minute are pushed; the sixth is in the inbox only and counted as suppressed", async () => {
  const user = await signUp();
  const token = await aDevice(user, "often");
  const ids: string[] = [];
  for (let n = 0; n < 6; n++) ids.push((await sendTo(admin, user, { title: `${n}` })).id);
  const counts = await Promise.all(ids.map((id) => settled(admin, id)));
  assert.equal(counts.reduce((sum, { success_count }) => sum + success_count, 0), 5);
  assert.equal(counts.reduce((sum, { suppressed_count }) => sum + suppressed_count, 0), 1);
  assert.equal((await receivedByFcm()).devices[token], 5);
  const inbox = await (await ask("/me/notifications", { headers: bearer(user.token) })).json();
  assert.equal(inbox.items.length, 6);
});

Deno.test("push: an event inside the service is pushed and in the inbox", async () => {
  const user = await signUp();
  const token = await aDevice(user, "cause");
  await inDatabase((sql) => sql`select private.notify_user(${user.id}, 'badge_earned', 'A badge', 'For you')`);
  await whileDispatching(async () => {
    return (await receivedByFcm()).devices[token];
  });
  assert.equal((await receivedByFcm()).devices[token], 1);
});

/**
 * A notification in mid-dispatch: one device of the user has it, the other one was not to be reached and is tried again. Two
 * notifications are unread.
 */
async function inMidDispatch(): Promise<{ user: Person; id: string; reached: string; waiting: string }> {
  const user = await signUp();
  await settled(admin, (await sendTo(admin, user, { title: "Earlier" })).id);
  const [reached, waiting] = [await aDevice(user, "reached"), await aDevice(user, "waiting")];
  await scriptFcm({ rules: [{ token: waiting, status: 503, times: 1 }] });
  const { id } = await sendTo(admin, user, { title: "Theirs alone" });
  await whileDispatching(async () => {
    const [row] = await inDatabase((sql) =>
      sql`select from private.push_deliveries where notification_id = ${id} and attempts = 1`
    );
    return row;
  });
  assert.deepEqual((await messagesTo(reached)).map(contentOf), [["Theirs alone", 2]]);
  return { user, id, reached, waiting };
}

function contentOf({ notification, apns }: Awaited<ReturnType<typeof messagesTo>>[number]): [string, number] {
  return [notification.title, apns.payload.aps.badge];
}

/** The outcomes of a notification by device, once all are known: of one that waits to be tried again. */
async function outcomesOf(id: string): Promise<Record<string, number>> {
  await tryAgain(id);
  return await whileDispatching(async () => {
    const rows = await inDatabase((sql) =>
      sql<{ outcome: string | null; devices: number }[]>`
        select outcome, count(*)::integer as devices from private.push_deliveries where notification_id = ${id}
        group by outcome order by outcome`
    );
    if (rows.some(({ outcome }) => outcome === null)) return undefined;
    return Object.fromEntries(rows.map(({ outcome, devices }) => [outcome, devices]));
  }, () => tryAgain(id));
}

Deno.test("push: a user who disables the type during a dispatch gets no more of it", async () => {
  const { user, id, waiting } = await inMidDispatch();
  const muted = { notif_type: "announcement", push_enabled: false, in_app_enabled: true, email_enabled: false };
  const response = await ask("/me/notification-preferences", {
    method: "PUT",
    ...jsonBody({ items: [muted] }, bearer(user.token)),
  });
  assert.equal(response.status, 200, await response.text());
  assert.deepEqual(await outcomesOf(id), { delivered: 1, gone: 1 });
  assert.deepEqual(await messagesTo(waiting), []);
});

Deno.test("push: a device that moves to another user during a dispatch gets only that user's pushes, with their badge", async () => {
  const [{ id, waiting }, other] = [await inMidDispatch(), await signUp()];
  const response = await ask("/me/push-tokens", {
    method: "PUT",
    ...jsonBody({ fcm_token: waiting, device_type: "ios" }, bearer(other.token)),
  });
  assert.equal(response.status, 200, await response.text());
  assert.deepEqual(await outcomesOf(id), { delivered: 1, gone: 1 });
  await settled(admin, (await sendTo(admin, other, { title: "The other's" })).id);
  assert.deepEqual((await messagesTo(waiting)).map(contentOf), [["The other's", 1]]);
});

Deno.test("push: a user who withdraws during a dispatch gets no more of it", async () => {
  const { user, id, waiting } = await inMidDispatch();
  const response = await ask("/me/withdraw", { method: "POST", headers: bearer(user.token) });
  assert.equal(response.status, 204, await response.text());
  assert.deepEqual(await outcomesOf(id), { delivered: 1, gone: 1 });
  assert.deepEqual(await messagesTo(waiting), []);
});

Deno.test("push: a device registered during a dispatch gets only later pushes; the old one gets this push once", async () => {
  const { user, id, reached, waiting } = await inMidDispatch();
  const phone = await aDevice(await signIn(user.email), "new-phone");
  assert.deepEqual(await outcomesOf(id), { delivered: 2 });
  assert.deepEqual((await messagesTo(waiting)).map(contentOf), [["Theirs alone", 2]]);
  assert.deepEqual(await messagesTo(phone), []);
  await settled(admin, (await sendTo(admin, user, { title: "Later" })).id);
  assert.deepEqual((await messagesTo(phone)).map(contentOf), [["Later", 3]]);
  assert.deepEqual((await messagesTo(reached)).map(contentOf), [["Theirs alone", 2], ["Later", 3]]);
});

Deno.test("push: what the messaging service does not take until the end of its use is expired, and not sent afterwards", async () => {
  const user = await signUp();
  const [reached, token] = [await aDevice(user, "in-time"), await aDevice(user, "too-late")];
  await scriptFcm({ rules: [{ token, status: 503 }] });
  const { id } = await sendTo(admin, user, { title: "For a day" });
  await whileDispatching(async () => {
    const [row] = await inDatabase((sql) =>
      sql`select from private.push_deliveries where notification_id = ${id} and attempts = 1`
    );
    return row;
  });
  const [message] = await messagesTo(reached);
  const expiration = Number(message!.apns.headers["apns-expiration"]) - Date.now() / 1000;
  for (const seconds of [parseInt(message!.android.ttl), Number(message!.webpush.headers.TTL), expiration]) {
    assert.ok(seconds > 86_400 - 300 && seconds <= 86_400, `${seconds} seconds`);
  }
  await inDatabase((sql) =>
    sql`update private.push_deliveries set expires_at = now() where notification_id = ${id} and outcome is null`
  );
  await scriptFcm({ rules: [] });
  const { status, success_count, failure_count } = await settled(admin, id);
  assert.deepEqual([status, success_count, failure_count], ["sent", 1, 0]);
  assert.deepEqual(await messagesTo(token), []);
  const { delivered, failed, expired, waiting, failures } = await (await admin.ask(`${PATH}/${id}/funnel`)).json();
  assert.deepEqual([delivered, failed, expired, waiting, failures], [1, 0, 1, 0, []]);
  const devices = await (await admin.ask(`${PATH}/${id}/undelivered-devices?outcome=expired`)).json();
  assert.deepEqual(devices.items.map(({ outcome }: { outcome: string }) => outcome), ["expired"]);
});

Deno.test("push: a reminder that could not be sent is expired when the stay ends, and not sent afterwards", async () => {
  const user = await signUp();
  const token = await aDevice(user, "left");
  await scriptFcm({ rules: [{ token, status: 503 }] });
  const lot = await aLot();
  const start = await ask("/parking-sessions", {
    method: "POST",
    ...jsonBody({ parking_lot_id: lot }, bearer(user.token)),
  });
  const { session_id } = await start.json();
  const reached = await signUp(); // so that the messaging service is known to be up
  await aDevice(reached);
  await settled(admin, (await sendTo(admin, reached)).id);
  const [row] = await inDatabase((sql) =>
    sql<{ id: string }[]>`
      select private.notify(${user.id}, 'exit_closing', '{"time": "12:00"}', ${sql.json({ session_id })}) as id`
  );
  await whileDispatching(async () => {
    const [tried] = await inDatabase((sql) =>
      sql`select from private.push_deliveries where notification_id = ${row!.id} and attempts = 1`
    );
    return tried;
  });
  const end = await ask(`/parking-sessions/${session_id}/cancel`, { method: "POST", headers: bearer(user.token) });
  assert.equal(end.status, 200, await end.text());
  await scriptFcm({ rules: [] });
  assert.deepEqual(await outcomesOf(row!.id), { expired: 1 });
  assert.deepEqual(await messagesTo(token), []);
});
