// Forty requests at once, through HTTP, about the rows of one user.
import assert from "node:assert/strict";
import { ask, bearer, jsonBody } from "../api/client.ts";
import { aLot, inDatabase } from "../api/lots.ts";
import { type Person, signUp } from "../support/people.ts";

const MANY = 40;

interface Item {
  readonly id: string;
  readonly is_default: boolean;
}

const many = <Result>(send: (n: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: MANY }, (_, n) => send(n)));

async function send({ token }: Person, method: string, path: string, body?: unknown): Promise<number> {
  const init = body === undefined ? { headers: bearer(token) } : jsonBody(body, bearer(token));
  const answer = await ask(path, { method, ...init });
  await answer.body?.cancel();
  return answer.status;
}

async function items({ token }: Person, path: string): Promise<Item[]> {
  const answer = await ask(`${path}?limit=100`, { headers: bearer(token) });
  assert.equal(answer.status, 200);
  return (await answer.json()).items;
}

const defaults = (list: readonly Item[]) => list.filter(({ is_default }) => is_default).length;
const count = (statuses: readonly number[], status: number) => statuses.filter((one) => one === status).length;

const preset = (n: number, is_default: boolean) => ({ name: `Preset ${n}`, query_json: { v: 1 }, is_default });

Deno.test(`search presets: of ${MANY} at once exactly 20 are created, exactly one of them the default`, async () => {
  const user = await signUp();
  const statuses = await many((n) => send(user, "POST", "/me/search-presets", preset(n, n % 2 === 0)));
  assert.deepEqual([count(statuses, 201), count(statuses, 409)], [20, MANY - 20]);
  const list = await items(user, "/me/search-presets");
  assert.deepEqual([list.length, defaults(list)], [20, 1]);
});

Deno.test(`search presets: while ${MANY} requests move the default at once, every read finds exactly one`, async () => {
  const user = await signUp();
  for (let n = 0; n < 5; n++) await send(user, "POST", "/me/search-presets", preset(n, false));
  const ids = (await items(user, "/me/search-presets")).map(({ id }) => id);
  let moving = true;
  const reading = (async () => {
    const seen = [];
    while (moving) seen.push(defaults(await items(user, "/me/search-presets")));
    return seen;
  })();
  const statuses = await many((n) => send(user, "POST", `/me/search-presets/${ids[n % 5]}/set-default`));
  moving = false;
  assert.equal(count(statuses, 200), MANY);
  const seen = await reading;
  assert.ok(seen.length > 0);
  assert.deepEqual(new Set(seen), new Set([1]));
  assert.equal(defaults(await items(user, "/me/search-presets")), 1);
});

Deno.test(`vehicles: of ${MANY} created at once as the default ten are added, and exactly one is the default`, async () => {
  const user = await signUp();
  const statuses = await many(() => send(user, "POST", "/me/vehicles", { vehicle_type: "standard", is_default: true }));
  assert.deepEqual([count(statuses, 201), count(statuses, 409)], [10, MANY - 10]);
  const list = await items(user, "/me/vehicles");
  assert.deepEqual([list.length, defaults(list)], [10, 1]);
});

Deno.test(`vehicles: ${MANY} requests at once that add, change and delete vehicles leave exactly one default`, async () => {
  const user = await signUp();
  for (let n = 0; n < 8; n++) await send(user, "POST", "/me/vehicles", { vehicle_type: "standard" });
  const ids = (await items(user, "/me/vehicles")).map(({ id }) => id);
  const statuses = await many((n) => {
    const id = ids[n % 8]!;
    if (n % 4 === 0) return send(user, "PATCH", `/me/vehicles/${id}`, { is_default: true });
    if (n % 4 === 1) return send(user, "DELETE", `/me/vehicles/${id}`);
    if (n % 4 === 2) return send(user, "POST", "/me/vehicles", { vehicle_type: "kei", is_default: n % 8 === 2 });
    return send(user, "PATCH", `/me/vehicles/${id}`, { nickname: `n${n}` });
  });
  assert.deepEqual(statuses.filter((status) => ![200, 201, 204, 404, 409].includes(status)), []);
  // Two of the eight are deleted, each once, for any number of requests.
  assert.equal(count(statuses, 204), 2);
  const list = await items(user, "/me/vehicles");
  assert.deepEqual([list.length, defaults(list)], [6 + count(statuses, 201), 1]);
});

Deno.test(`devices: a device that two users register ${MANY} times at once has exactly one owner`, async () => {
  const users = [await signUp(), await signUp()] as const;
  const fcm_token = crypto.randomUUID();
  const statuses = await many((n) => send(users[n % 2]!, "PUT", "/me/push-tokens", { fcm_token, device_type: "ios" }));
  assert.equal(count(statuses, 200), MANY);
  const owners = await inDatabase((sql) =>
    sql<{ user_id: string }[]>`select user_id from public.user_push_tokens where fcm_token = ${fcm_token}`
  );
  assert.equal(owners.length, 1);
  assert.ok(users.some(({ id }) => id === owners[0]!.user_id));
});

Deno.test(`saved lots: a lot that is saved ${MANY} times at once is saved once: one 201, one row of activity`, async () => {
  const [user, lot] = [await signUp(), await aLot()];
  const statuses = await many(() => send(user, "POST", "/me/saved-parking-lots", { parking_lot_id: lot }));
  assert.deepEqual([count(statuses, 201), count(statuses, 200)], [1, MANY - 1]);
  const activity = await inDatabase((sql) =>
    sql`select id from public.user_activity_logs where user_id = ${user.id} and activity_type = 'lot_save'`
  );
  assert.equal(activity.length, 1);
});

Deno.test(`notifications: ${MANY} requests at once that mark an inbox as read count every notification once`, async () => {
  const user = await signUp();
  await inDatabase((sql) =>
    sql`select private.notify_user(${user.id}, 'announcement', 'Title', 'Body') from generate_series(1, 60)`
  );
  const inbox = await items(user, "/me/notifications");
  const updated = await many(async (n) => {
    const body = n % 2 === 0 ? { before: "2099-01-01T00:00:00Z" } : { ids: inbox.map(({ id }) => id) };
    const answer = await ask("/me/notifications/mark-read", {
      method: "POST",
      ...jsonBody(body, bearer(user.token)),
    });
    assert.equal(answer.status, 200);
    return (await answer.json()).updated as number;
  });
  assert.equal(updated.reduce((sum, one) => sum + one, 0), 60);
});
