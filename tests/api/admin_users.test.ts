// App users in the hands of administrators, through HTTP: list, read, suspend, premium, export, withdraw.
import assert from "node:assert/strict";
import { AdminActivityLogs } from "../../supabase/functions/admin/activity_logs.schema.ts";
import { AdminUser, AdminUsers } from "../../supabase/functions/admin/users.schema.ts";
import { MyData } from "../../supabase/functions/_shared/schema/me.ts";
import {
  exportUser,
  listUserActivityLogs,
  listUsers,
  readUser,
  setUserPremium,
  suspendUser,
} from "../../supabase/functions/admin/users.ts";
import { asUser, type Person, signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { stack } from "../support/stack.ts";
import { actsWhere, type Administrator, anAdministrator, sending } from "./administrators.ts";
import { query, replyOf, tagOf } from "./client.ts";
import { aLot, inDatabase } from "./lots.ts";
import { uploaded } from "./uploaded.ts";

const PATH = "/admin/users";
const REASON = { reason: "Asked for by letter" };
const IN_A_MONTH = new Date(Date.now() + 30 * 86_400_000).toISOString();

const list = async ({ ask }: Administrator, values: Record<string, unknown>) =>
  await replyOf(listUsers, await ask(`${PATH}${query(values)}`), AdminUsers);

const read = async ({ ask }: Administrator, id: string) =>
  await replyOf(readUser, await ask(`${PATH}/${id}`), AdminUser);

const act = ({ ask }: Administrator, id: string, verb: string, body?: unknown, headers = {}) =>
  ask(`${PATH}/${id}/${verb}`, sending("POST", body, headers));

/** What is on record about an app user, oldest first. */
const acts = (userId: string) => actsWhere({ user_id: userId }, "admin_id", "action", "target_id", "changes");

const detailsOf = async (response: Response) => (await response.clone().json()).error.details;

/** Makes an app user an administrator as well. */
async function promote({ id }: Person, admin: Record<string, unknown> | null) {
  const { apiUrl, secretKey } = stack();
  const response = await fetch(`${apiUrl}/auth/v1/admin/users/${id}`, {
    method: "PUT",
    headers: { apikey: secretKey, "content-type": "application/json" },
    body: JSON.stringify({ app_metadata: { admin } }),
  });
  assert.equal(response.status, 200, await response.text());
}

Deno.test("admin users: the list finds app users by parts of e-mail and name, status and premium", async () => {
  const administrator = await anAdministrator("users");
  const mark = crypto.randomUUID().slice(0, 8);
  const [taro, hanako, other] = [
    await signUp({ displayName: `田中 太郎${mark}` }),
    await signUp({ displayName: `たなか花子${mark}` }),
    await signUp({ displayName: `100%_${mark}` }),
  ];
  await act(administrator, hanako.id, "premium", { until: IN_A_MONTH, ...REASON });
  await act(administrator, other.id, "suspend", REASON);
  const found = async (values: Record<string, unknown>) =>
    (await list(administrator, { display_name: mark, ...values })).items.map(({ id }) => id);
  assert.deepEqual(await found({}), [other.id, hanako.id, taro.id]);
  assert.deepEqual(await found({ display_name: `田中太郎${mark}` }), [taro.id]);
  assert.deepEqual(await found({ display_name: `タナカ花子${mark.toUpperCase()}` }), [hanako.id]);
  assert.deepEqual(await found({ display_name: `0%_${mark}` }), [other.id]);
  assert.deepEqual(await found({ display_name: `0__${mark}` }), []);
  assert.deepEqual(await found({ email: taro.email.slice(4, 20).toUpperCase() }), [taro.id]);
  assert.deepEqual(await found({ status: "suspended" }), [other.id]);
  assert.deepEqual(await found({ premium: true }), [hanako.id]);
  assert.deepEqual(await found({ premium: false, status: "active" }), [taro.id]);
  assert.deepEqual(await found({ email: hanako.email, premium: false }), []);

  const [item] = (await list(administrator, { email: hanako.email })).items;
  assert.deepEqual(
    [item!.email, item!.display_name, item!.status, item!.is_premium, Date.parse(item!.premium_ends_at!)],
    [hanako.email, `たなか花子${mark}`, "active", true, Date.parse(IN_A_MONTH)],
  );
  assert.ok(item!.last_sign_in_at !== null);
});

Deno.test("admin users: pages have every user once, and total counts them", async () => {
  const administrator = await anAdministrator("users");
  const mark = crypto.randomUUID().slice(0, 8);
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.unshift((await signUp({ displayName: `${mark} ${n}` })).id);
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: AdminUsersPage = await list(administrator, {
      display_name: mark,
      limit: 2,
      include: "total",
      ...(cursor === null ? {} : { cursor }),
    });
    assert.deepEqual([page.total, page.total_is_exact], [5, true]);
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  assert.deepEqual(seen, ids);
  const first = await list(administrator, { display_name: mark, limit: 2 });
  const elsewhere = await administrator.ask(`${PATH}${query({ limit: 2, cursor: first.next_cursor })}`);
  await assertError(elsewhere, { code: "validation_error", param: "cursor" });
});

type AdminUsersPage = Awaited<ReturnType<typeof list>>;

Deno.test("admin users: a changed name or address is found at once, and administrators are not listed", async () => {
  const administrator = await anAdministrator("users");
  const appUser = await signUp({ displayName: "before" });
  const name = `after ${crypto.randomUUID()}`;
  await (await asUser(appUser)("/me", sending("PATCH", { display_name: name }))).body?.cancel();
  assert.deepEqual((await list(administrator, { display_name: name })).items.map(({ id }) => id), [appUser.id]);
  const address = `${crypto.randomUUID()}@example.com`;
  const { apiUrl, secretKey } = stack();
  const changed = await fetch(`${apiUrl}/auth/v1/admin/users/${appUser.id}`, {
    method: "PUT",
    headers: { apikey: secretKey, "content-type": "application/json" },
    body: JSON.stringify({ email: address, email_confirm: true }),
  });
  assert.equal(changed.status, 200, await changed.text());
  assert.deepEqual((await list(administrator, { email: address })).items.map(({ id }) => id), [appUser.id]);
  assert.deepEqual((await list(administrator, { email: appUser.email })).items, []);
  assert.deepEqual((await list(administrator, { email: administrator.email })).items, []);
});

Deno.test("admin users: a wrong filter is rejected by its field", async () => {
  const { ask } = await anAdministrator("users");
  for (
    const [values, param] of [
      [{ email: "ab" }, "email"],
      [{ email: "a.b" }, "email"],
      [{ email: "@@@@" }, "email"],
      [{ display_name: "x" }, "display_name"],
      [{ display_name: "x　 " }, "display_name"],
      [{ status: "gone" }, "status"],
      [{ premium: "maybe" }, "premium"],
      [{ limit: 101 }, "limit"],
    ] as const
  ) {
    await assertError(await ask(`${PATH}${query(values)}`), { code: "validation_error", param });
  }
});

Deno.test("admin users: one app user with figures, avatar and version; any other id is 404", async () => {
  const [administrator, appUser, lot] = [
    await anAdministrator("users"),
    await signUp({ displayName: "Kenji" }),
    await aLot(),
  ];
  const ask = asUser(appUser);
  for (
    const [path, method, body] of [
      [`/me/saved-parking-lots`, "POST", { parking_lot_id: lot }],
      [`/parking-lots/${lot}/reviews`, "POST", { rating: 4 }],
      ["/parking-sessions", "POST", {
        parking_lot_id: lot,
        vehicle_type: "standard",
        start_lat: 35.6,
        start_lng: 139.7,
      }],
      ["/me/push-tokens", "PUT", { fcm_token: crypto.randomUUID(), device_type: "ios" }],
      ["/error-reports", "POST", { parking_lot_id: lot, report_type: "price", description: "Wrong" }],
      ["/me", "PATCH", { avatar_asset_id: await uploaded(appUser, "avatar") }],
    ] as const
  ) {
    const response = await ask(path, sending(method, body));
    assert.ok(response.ok, `${path}: ${await response.text()}`);
  }
  const response = await administrator.ask(`${PATH}/${appUser.id}`);
  const tag = tagOf(response);
  const user = await replyOf(readUser, response, AdminUser);
  assert.equal(tag, `"${user.updated_at}"`);
  const { total_exp, level, badges, ...counts } = user.figures;
  assert.deepEqual(counts, { sessions: 1, reviews: 1, error_reports: 1, devices: 1, saved_parking_lots: 1 });
  assert.ok(total_exp >= 0 && level >= 1 && badges >= 0);
  assert.deepEqual([user.email, user.display_name, user.subscription], [appUser.email, "Kenji", null]);
  const avatar = await fetch(user.avatar_url!);
  assert.equal(avatar.status, 200);
  await avatar.body?.cancel();
  for (const id of [crypto.randomUUID(), administrator.id]) {
    for (const path of [`${PATH}/${id}`, `${PATH}/${id}/activity-logs`]) {
      await assertError(await administrator.ask(path), { code: "not_found", param: "id" });
    }
  }
  for (const verb of ["suspend", "reactivate", "premium", "export", "withdraw"]) {
    const body = verb === "export" ? undefined : verb === "premium" ? { until: null, ...REASON } : REASON;
    const response = await act(administrator, crypto.randomUUID(), verb, body);
    await assertError(response, { code: "not_found", param: "id" });
  }
});

Deno.test("admin users: a suspended app user is rejected until reactivated; both acts are recorded with their reasons", async () => {
  const [administrator, appUser] = [await anAdministrator("users"), await signUp()];
  const suspended = await replyOf(suspendUser, await act(administrator, appUser.id, "suspend", REASON), AdminUser);
  assert.equal(suspended.status, "suspended");
  await assertError(await asUser(appUser)("/me/vehicles"), { code: "forbidden" });
  const me = await (await asUser(appUser)("/me")).json();
  assert.deepEqual([me.app_user.status, me.permission_scopes], ["suspended", []]);

  const again = await act(administrator, appUser.id, "suspend", REASON);
  assert.deepEqual((await detailsOf(again)).allowed, ["active", "withdrawn"]);
  await assertError(again, { code: "conflict" });
  const back = await act(administrator, appUser.id, "reactivate", { reason: " A mistake " });
  assert.equal((await back.json()).status, "active");
  const vehicles = await asUser(appUser)("/me/vehicles");
  assert.equal(vehicles.status, 200);
  await vehicles.body?.cancel();
  await assertError(await act(administrator, appUser.id, "reactivate", REASON), { code: "conflict" });

  assert.deepEqual(await acts(appUser.id), [
    {
      admin_id: administrator.id,
      action: "user.suspend",
      target_id: appUser.id,
      changes: { status: { old: "active", new: "suspended" }, ...REASON },
    },
    {
      admin_id: administrator.id,
      action: "user.reactivate",
      target_id: appUser.id,
      changes: { status: { old: "suspended", new: "active" }, reason: "A mistake" },
    },
  ]);
  const page = await administrator.ask(`${PATH}/${appUser.id}/activity-logs?limit=1&include=total`);
  const { items, total, next_cursor } = await replyOf(listUserActivityLogs, page, AdminActivityLogs);
  assert.deepEqual([items.map(({ action }) => action), total], [["user.reactivate"], 2]);
  const next = await administrator.ask(
    `${PATH}/${appUser.id}/activity-logs${query({ limit: 1, cursor: next_cursor })}`,
  );
  assert.deepEqual((await next.json()).items.map(({ action }: { action: string }) => action), ["user.suspend"]);
});

Deno.test("admin users: premium is given until a time and taken away, and each act is recorded, also a repeated one", async () => {
  const [administrator, appUser] = [await anAdministrator("users"), await signUp()];
  const scopes = async () => (await (await asUser(appUser)("/me")).json()).permission_scopes;
  const give = (until: unknown) => act(administrator, appUser.id, "premium", { until, ...REASON });
  const given = await replyOf(setUserPremium, await give(IN_A_MONTH), AdminUser);
  assert.deepEqual([given.is_premium, Date.parse(given.premium_ends_at!)], [true, Date.parse(IN_A_MONTH)]);
  assert.deepEqual(await scopes(), ["user", "premium"]);
  assert.equal((await (await give(IN_A_MONTH)).json()).updated_at, given.updated_at);
  const taken = await (await give(null)).json();
  assert.deepEqual([taken.is_premium, taken.premium_ends_at], [false, null]);
  assert.deepEqual(await scopes(), ["user"]);
  await assertError(await give("2020-01-01T00:00:00Z"), { code: "validation_error", param: "until" });
  await assertError(await give("2100-01-01T00:00:00Z"), { code: "validation_error", param: "until" });
  const recorded = await acts(appUser.id);
  assert.deepEqual(recorded.map(({ action, changes }) => [action, Object.keys(changes).sort()]), [
    ["user.set_premium", ["granted_premium_ends_at", "reason"]],
    ["user.set_premium", ["reason"]],
    ["user.set_premium", ["granted_premium_ends_at", "reason"]],
  ]);
  await inDatabase((sql) => sql`update public.app_users set premium_ends_at = 'infinity' where id = ${appUser.id}`);
  const endless = await read(administrator, appUser.id);
  assert.deepEqual([endless.is_premium, endless.premium_ends_at], [true, null]);
});

Deno.test("admin users: an act without a reason, or on an account of the caller's own, is rejected and not recorded", async () => {
  const [administrator, appUser] = [await anAdministrator("users"), await signUp()];
  const both = await signUp();
  await promote(both, { name: "Both", areas: ["users"] });
  const own = { ...both, ask: asUser(both) };
  for (const verb of ["suspend", "reactivate", "premium", "withdraw"]) {
    const fields = verb === "premium" ? { until: IN_A_MONTH } : {};
    for (const reason of [undefined, "", "　", "x".repeat(501)]) {
      const response = await act(administrator, appUser.id, verb, { ...fields, reason });
      await assertError(response, { code: "validation_error", param: "reason" });
    }
    const error = await act(own, both.id, verb, { ...fields, ...REASON });
    assert.deepEqual(await detailsOf(error), { reason: "own_account" }, verb);
    await assertError(error, { code: "forbidden" });
  }
  assert.deepEqual([await acts(appUser.id), await acts(both.id)], [[], []]);
});

Deno.test("admin users: a change of a version that is no longer stored is rejected with 412", async () => {
  const [administrator, appUser] = [await anAdministrator("users"), await signUp()];
  const tag = `"${(await read(administrator, appUser.id)).updated_at}"`;
  const first = await act(administrator, appUser.id, "premium", { until: IN_A_MONTH, ...REASON }, { "If-Match": tag });
  assert.equal(first.status, 200, await first.clone().text());
  for (const verb of ["suspend", "reactivate", "premium"]) {
    const body = verb === "premium" ? { until: null, ...REASON } : REASON;
    const error = await act(administrator, appUser.id, verb, body, { "If-Match": tag });
    await assertError(error, { code: "precondition_failed", param: "If-Match" });
  }
  const second = await act(administrator, appUser.id, "suspend", REASON, { "If-Match": tagOf(first)! });
  assert.equal(second.status, 200, await second.text());
});

Deno.test("admin users: the export is the app user's own document, recorded once for a key", async () => {
  const [administrator, appUser] = [await anAdministrator("users"), await signUp({ displayName: "Kenji" })];
  await (await asUser(appUser)("/me/search-presets", sending("POST", { name: "Near work", query_json: { v: 1 } }))).body
    ?.cancel();
  const own = await (await asUser(appUser)("/me/export")).json();
  const key = { "Idempotency-Key": crypto.randomUUID() };
  for (const replayed of [null, "true"]) {
    const response = await act(administrator, appUser.id, "export", undefined, key);
    assert.equal(response.headers.get("idempotent-replayed"), replayed);
    const { exported_at: _, ...document } = await replyOf(exportUser, response, MyData);
    assert.deepEqual(document, { account: own.account, data: own.data });
  }
  assert.deepEqual((await acts(appUser.id)).map(({ action, changes }) => [action, changes]), [["user.export", {}]]);
  const kept = await inDatabase((sql) =>
    sql`select from private.idempotency_replies where user_id = ${administrator.id} and strpos(reply::text, 'Near work') > 0`
  );
  assert.equal(kept.length, 0, "what is held is not kept for a retry");

  await act(administrator, appUser.id, "suspend", REASON);
  const suspended = await (await act(administrator, appUser.id, "export")).json();
  assert.deepEqual([suspended.account.app_user.status, suspended.account.permission_scopes], ["suspended", []]);
});

Deno.test("admin users: without a recorded export nothing is read, not even with the service key", async () => {
  const [administrator, other, appUser] = [
    await anAdministrator("users"),
    await anAdministrator("users"),
    await signUp(),
  ];
  const { apiUrl, secretKey } = stack();
  const rpc = (name: string, p_admin_id: string) =>
    fetch(`${apiUrl}/rest/v1/rpc/${name}`, {
      method: "POST",
      headers: { apikey: secretKey, "content-type": "application/json" },
      body: JSON.stringify({ p_admin_id, p_id: appUser.id }),
    });
  const status = async (name: string, id: string) => {
    const response = await rpc(name, id);
    await response.body?.cancel();
    return response.status;
  };
  assert.equal(await status("admin_read_user_export", administrator.id), 409);
  assert.equal(await status("admin_export_user", administrator.id), 200);
  assert.equal(await status("admin_read_user_export", administrator.id), 200);
  assert.equal(await status("admin_read_user_export", other.id), 409);
  assert.equal(await status("admin_export_user", appUser.id), 403);
  assert.equal(await status("admin_export_user", (await anAdministrator("lots")).id), 403);
  assert.equal((await acts(appUser.id)).length, 1);
});

Deno.test("admin users: a withdrawal on request is the app user's own, files included, and the record keeps the act alone", async () => {
  const [administrator, appUser, lot] = [
    await anAdministrator("users"),
    await signUp({ displayName: "Kenji" }),
    await aLot(),
  ];
  const ask = asUser(appUser);
  const asset = await uploaded(appUser, "avatar");
  for (
    const [path, method, body] of [
      ["/me", "PATCH", { avatar_asset_id: asset }],
      ["/me/saved-parking-lots", "POST", { parking_lot_id: lot }],
    ] as const
  ) assert.ok((await ask(path, sending(method, body))).ok, path);
  const key = { "Idempotency-Key": crypto.randomUUID() };
  await act(administrator, appUser.id, "suspend", REASON, key);
  assert.equal((await act(administrator, appUser.id, "withdraw", REASON)).status, 204);

  const user = await read(administrator, appUser.id);
  assert.deepEqual(
    [user.status, user.email, user.display_name, user.avatar_url, user.figures.saved_parking_lots],
    ["withdrawn", null, null, null, 0],
  );
  assert.deepEqual((await list(administrator, { email: appUser.email })).items, []);
  const me = await (await ask("/me")).json();
  assert.deepEqual([me.app_user.status, me.email], ["withdrawn", null]);
  await inDatabase(async (sql) => {
    const [left] = await sql`
      select (select deleted_at is not null from public.assets where id = ${asset}) as is_file_deleted,
        (select row(email, name, name_terms)::text from private.user_search_entries where user_id = ${appUser.id}) as entry,
        (select count(*)::integer from auth.sessions where user_id = ${appUser.id}) as sessions,
        (select count(*)::integer from private.idempotency_replies where strpos(reply::text, ${appUser.email}) > 0) as kept`;
    assert.deepEqual({ ...left }, { is_file_deleted: true, entry: '("","",{})', sessions: 0, kept: 0 });
  });
  assert.deepEqual((await acts(appUser.id)).map(({ action, changes }) => [action, changes]), [
    ["user.suspend", { status: null, reason: null }],
    ["user.withdraw", { status: null, reason: null }],
  ]);
  for (const [verb, body] of [["withdraw", REASON], ["reactivate", REASON], ["suspend", REASON]] as const) {
    const error = await act(administrator, appUser.id, verb, body);
    assert.deepEqual((await detailsOf(error)).allowed, []);
    await assertError(error, { code: "conflict" });
  }
  const error = await act(administrator, appUser.id, "premium", { until: IN_A_MONTH, ...REASON });
  await assertError(error, { code: "conflict", param: "id" });
  assert.equal((await acts(appUser.id)).length, 2);
});

Deno.test("admin users: an app user who is also an active administrator is not withdrawn by the area users", async () => {
  const [administrator, both] = [await anAdministrator("users"), await signUp()];
  await promote(both, { name: "Both", areas: ["admins"] });
  const error = await act(administrator, both.id, "withdraw", REASON);
  assert.deepEqual(await detailsOf(error), { reason: "is_administrator" });
  await assertError(error, { code: "conflict", param: "id" });
  await promote(both, null);
  assert.equal((await act(administrator, both.id, "withdraw", REASON)).status, 204);
});

Deno.test("admin users: without the area 403 names the scope, whether the app user exists or not", async () => {
  const [other, appUser] = [await anAdministrator("search_presets", "admins"), await signUp()];
  for (const id of [appUser.id, crypto.randomUUID()]) {
    for (
      const [path, method, body] of [
        ["", "GET", undefined],
        ["?limit=0", "GET", undefined],
        [`/${id}`, "GET", undefined],
        [`/${id}/activity-logs`, "GET", undefined],
        [`/${id}/suspend`, "POST", REASON],
        [`/${id}/reactivate`, "POST", {}],
        [`/${id}/premium`, "POST", { until: null, ...REASON }],
        [`/${id}/export`, "POST", undefined],
        [`/${id}/withdraw`, "POST", REASON],
      ] as const
    ) {
      const response = await other.ask(`${PATH}${path}`, sending(method, body));
      assert.deepEqual(await detailsOf(response), { scope: "admin:users" }, `${method} ${path}`);
      await assertError(response, { code: "forbidden" });
    }
  }
  assert.deepEqual(await acts(appUser.id), []);
});

Deno.test("admin users: a repeated suspension with the same key has one effect and one record", async () => {
  const [administrator, appUser] = [await anAdministrator("users"), await signUp()];
  const key = { "Idempotency-Key": crypto.randomUUID() };
  const [first, again] = [
    await act(administrator, appUser.id, "suspend", REASON, key),
    await act(administrator, appUser.id, "suspend", REASON, key),
  ];
  assert.deepEqual([await again.json(), again.headers.get("idempotent-replayed")], [await first.json(), "true"]);
  assert.equal((await acts(appUser.id)).length, 1);
});

Deno.test("admin users: of 10 concurrent suspensions of one app user exactly one takes effect", async () => {
  const appUser = await signUp();
  const administrators = await Promise.all(Array.from({ length: 10 }, () => anAdministrator("users")));
  const responses = await Promise.all(administrators.map((each) => act(each, appUser.id, "suspend", REASON)));
  const statuses = responses.map(({ status }) => status).sort();
  for (const response of responses) await response.body?.cancel();
  assert.deepEqual(statuses, [200, ...Array(9).fill(409)]);
  assert.equal((await acts(appUser.id)).length, 1);
});
