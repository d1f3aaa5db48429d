// Push from the administrator's draft to the messaging service: figures, outcomes, rules. Every test has devices of its own;
// they are told apart by the prefix of their tokens.
import assert from "node:assert/strict";
import { type Person, signUp } from "../support/people.ts";
import { eventually } from "../support/eventually.ts";
import { receivedByFcm, scriptFcm } from "../support/providers.ts";
import { stack } from "../support/stack.ts";
import { type Administrator, anAdministrator, sending } from "./administrators.ts";
import { ask, bearer, jsonBody } from "./client.ts";
import { inDatabase } from "./lots.ts";

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

/** A composed notification once every device has its outcome; what waits to be tried again is tried at once. */
function settled(admin: Administrator, id: string) {
  return eventually(async () => {
    await dispatch();
    await inDatabase((sql) =>
      sql`update pgmq."q_push-dispatch" set vt = now() where message ->> 'notification_id' = ${id}`
    );
    const composed = await read(admin, id);
    return composed.status === "sending" ? undefined : composed;
  }, 30_000);
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

Deno.test("push: each answer of the messaging service has its outcome", async () => {
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

Deno.test("push: five of a type within a minute, the sixth stays in the inbox and is counted as suppressed", async () => {
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

Deno.test("push: a cause inside the service pushes as well as it fills the inbox", async () => {
  const user = await signUp();
  const token = await aDevice(user, "cause");
  await inDatabase((sql) => sql`select private.notify_user(${user.id}, 'badge_earned', 'A badge', 'For you')`);
  await eventually(async () => {
    await dispatch();
    return (await receivedByFcm()).devices[token];
  });
  assert.equal((await receivedByFcm()).devices[token], 1);
});
