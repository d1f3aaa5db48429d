// The presets of an app user in the hands of an administrator: the rules are the owner's, and each act is on record.
import assert from "node:assert/strict";
import {
  AdminUserSearchPreset,
  AdminUserSearchPresets,
} from "../../supabase/functions/admin/user_search_presets.schema.ts";
import {
  createUserSearchPreset,
  listUserSearchPresets,
  setDefaultUserSearchPreset,
  updateUserSearchPreset,
} from "../../supabase/functions/admin/user_search_presets.ts";
import { asUser, signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { stack } from "../support/stack.ts";
import { actsWhere, type Administrator, anAdministrator, sending } from "./administrators.ts";
import { query, replyOf, tagOf } from "./client.ts";
import { inDatabase } from "./lots.ts";

const PATH = "/admin/user-search-presets";

const list = async ({ ask }: Administrator, values: Record<string, unknown>) =>
  await replyOf(listUserSearchPresets, await ask(`${PATH}${query(values)}`), AdminUserSearchPresets);

const create = async ({ ask }: Administrator, user_id: string, fields: Record<string, unknown> = {}) =>
  await replyOf(
    createUserSearchPreset,
    await ask(PATH, sending("POST", { user_id, name: "Preset", query_json: {}, ...fields })),
    AdminUserSearchPreset,
  );

/** What is on record about an app user, oldest first. */
const acts = (userId: string) =>
  actsWhere({ user_id: userId }, "admin_id", "action", "target_type", "target_id", "changes");

const suspend = (userId: string) =>
  inDatabase((sql) => sql`update public.app_users set status = 'suspended' where id = ${userId}`);

Deno.test("admin user-search-presets: a preset is created, changed, made the default and deleted, and each act is recorded", async () => {
  const [administrator, owner] = [await anAdministrator("search_presets"), await signUp()];
  const { ask } = administrator;
  const first = await create(administrator, owner.id, { name: "会社", query_json: { v: 1, price_max: 500 } });
  assert.deepEqual([first.user_id, first.is_default, first.sort_order], [owner.id, true, 0]);
  const second = await create(administrator, owner.id, { sort_order: 5 });

  const changed = await ask(`${PATH}/${first.id}`, sending("PATCH", { name: "自宅" }));
  assert.equal((await replyOf(updateUserSearchPreset, changed, AdminUserSearchPreset)).name, "自宅");
  const same = await ask(`${PATH}/${first.id}`, sending("PATCH", { name: "自宅" }));
  assert.equal((await replyOf(updateUserSearchPreset, same, AdminUserSearchPreset)).name, "自宅");
  for (let n = 0; n < 2; n++) {
    const chosen = await ask(`${PATH}/${second.id}/set-default`, sending("POST"));
    assert.equal((await replyOf(setDefaultUserSearchPreset, chosen, AdminUserSearchPreset)).is_default, true);
  }
  const own = await (await asUser(owner)("/me/search-presets")).json();
  assert.deepEqual(own.items.map((each: { id: string; is_default: boolean }) => [each.id, each.is_default]), [
    [first.id, false],
    [second.id, true],
  ]);
  assert.equal((await ask(`${PATH}/${second.id}`, sending("DELETE"))).status, 204);
  await assertError(await ask(`${PATH}/${second.id}`, sending("DELETE")), { code: "not_found", param: "id" });
  const { items, total } = await list(administrator, { user_id: owner.id });
  assert.deepEqual([items.map(({ id, is_default }) => [id, is_default]), total], [[[first.id, true]], 1]);

  const created = { name: "会社", query_json: { v: 1, price_max: 500 }, is_default: true, sort_order: 0 };
  assert.deepEqual(
    await acts(owner.id),
    [
      ["user.create_search_preset", "search_preset", first.id, asNew(created)],
      [
        "user.create_search_preset",
        "search_preset",
        second.id,
        asNew({ name: "Preset", query_json: {}, is_default: false, sort_order: 5 }),
      ],
      ["user.update_search_preset", "search_preset", first.id, { name: { old: "会社", new: "自宅" } }],
      ["user.set_default_search_preset", "search_preset", second.id, { is_default: { old: false, new: true } }],
      ["user.set_default_search_preset", "search_preset", second.id, {}],
      ["user.delete_search_preset", "search_preset", second.id, {}],
      ["user.view_search_presets", "app_user", owner.id, {}],
    ].map(([action, target_type, target_id, changes]) => ({
      admin_id: administrator.id,
      action,
      target_type,
      target_id,
      changes,
    })),
  );
});

function asNew(fields: Record<string, unknown>) {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { old: null, new: value }]));
}

Deno.test("admin user-search-presets: pages cover the presets once, in the owner's order", async () => {
  const [administrator, owner] = [await anAdministrator("search_presets"), await signUp()];
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.push((await create(administrator, owner.id)).id);
  const pages = [];
  for (const page of [1, 2, 3, 4, 1_000_000]) {
    pages.push(await list(administrator, { user_id: owner.id, page, limit: 2 }));
  }
  assert.deepEqual(pages.map(({ items }) => items.map(({ id }) => id)), [
    ids.slice(0, 2),
    ids.slice(2, 4),
    ids.slice(4),
    [],
    [],
  ]);
  assert.deepEqual(pages.map(({ total }) => total), [5, 5, 5, 5, 5]);
});

Deno.test("admin user-search-presets: the twenty-first is rejected with 409, as for the owner", async () => {
  const [administrator, owner] = [await anAdministrator("search_presets"), await signUp()];
  for (let n = 0; n < 20; n++) await create(administrator, owner.id);
  const response = await administrator.ask(PATH, sending("POST", { user_id: owner.id, name: "x", query_json: {} }));
  assert.deepEqual((await response.clone().json()).error.details, { reason: "limit_reached", limit: 20 });
  await assertError(response, { code: "conflict" });
  assert.equal((await acts(owner.id)).length, 20);
});

Deno.test("admin user-search-presets: a suspended owner's presets are read and not changed; a withdrawn owner has none", async () => {
  const [administrator, owner] = [await anAdministrator("search_presets"), await signUp()];
  const { id } = await create(administrator, owner.id);
  await suspend(owner.id);
  assert.equal((await list(administrator, { user_id: owner.id })).total, 1);
  for (
    const [path, method, body] of [
      [PATH, "POST", { user_id: owner.id, name: "x", query_json: {} }],
      [`${PATH}/${id}`, "PATCH", { name: "x" }],
      [`${PATH}/${id}`, "DELETE", undefined],
      [`${PATH}/${id}/set-default`, "POST", undefined],
    ] as const
  ) {
    const response = await administrator.ask(path, sending(method, body));
    assert.deepEqual((await response.clone().json()).error.details, {
      reason: "account_not_active",
      status: "suspended",
    });
    await assertError(response, { code: "conflict", param: "user_id" });
  }
  await inDatabase((sql) => sql`select private.empty_account(${owner.id})`);
  assert.deepEqual(await list(administrator, { user_id: owner.id }), { items: [], total: 0 });
  await assertError(await administrator.ask(`${PATH}/${id}`, sending("DELETE")), { code: "not_found" });
  // The values left the record with their owner; the acts stay.
  assert.deepEqual((await acts(owner.id)).map(({ action, changes }) => [action, changes]), [
    ["user.create_search_preset", { name: null, query_json: null, is_default: null, sort_order: null }],
    ["user.view_search_presets", {}],
    ["user.view_search_presets", {}],
  ]);
});

Deno.test("admin user-search-presets: an id that does not belong to an app user is 404, also an administrator's", async () => {
  const administrator = await anAdministrator("search_presets");
  for (const user_id of [crypto.randomUUID(), administrator.id]) {
    const expected = { code: "not_found", param: "user_id" } as const;
    await assertError(await administrator.ask(`${PATH}${query({ user_id })}`), expected);
    const body = { user_id, name: "x", query_json: {} };
    await assertError(await administrator.ask(PATH, sending("POST", body)), expected);
    assert.deepEqual(await acts(user_id), []);
  }
});

Deno.test("admin user-search-presets: a wrong preset is rejected by its field, like the owner's own, and not recorded", async () => {
  const [administrator, owner] = [await anAdministrator("search_presets"), await signUp()];
  const { id } = await create(administrator, owner.id);
  const wrong: [Record<string, unknown>, string][] = [
    [{ name: "" }, "name"],
    [{ name: "　" }, "name"],
    [{ sort_order: -1 }, "sort_order"],
    [{ query_json: { colour: 1 } }, "query_json.colour"],
    [{ query_json: { price_min: 2, price_max: 1 } }, "query_json.price_min"],
  ];
  for (const [fields, param] of wrong) {
    const body = { user_id: owner.id, name: "x", query_json: {}, ...fields };
    await assertError(await administrator.ask(PATH, sending("POST", body)), { code: "validation_error", param });
    await assertError(await administrator.ask(`${PATH}/${id}`, sending("PATCH", fields)), {
      code: "validation_error",
      param,
    });
  }
  await assertError(await administrator.ask(PATH), { code: "validation_error", param: "user_id" });
  for (const param of ["page", "limit"]) {
    const response = await administrator.ask(`${PATH}${query({ user_id: owner.id, [param]: 0 })}`);
    await assertError(response, { code: "validation_error", param });
  }
  assert.equal((await acts(owner.id)).length, 1);
});

Deno.test("admin user-search-presets: without the area 403 names the scope, and nothing is recorded", async () => {
  const [other, administrator] = [await anAdministrator("users", "lots"), await anAdministrator("search_presets")];
  const owner = await signUp();
  const { id } = await create(administrator, owner.id);
  for (
    const [path, method, body] of [
      [`${PATH}${query({ user_id: owner.id })}`, "GET", undefined],
      [`${PATH}${query({ user_id: crypto.randomUUID() })}`, "GET", undefined],
      [PATH, "POST", { user_id: owner.id, name: "x", query_json: {} }],
      [PATH, "POST", { user_id: "nobody" }],
      [`${PATH}/${id}`, "PATCH", { name: "x" }],
      [`${PATH}/${id}`, "DELETE", undefined],
      [`${PATH}/${crypto.randomUUID()}`, "DELETE", undefined],
      [`${PATH}/${id}/set-default`, "POST", undefined],
    ] as const
  ) {
    const response = await other.ask(path, sending(method, body));
    assert.deepEqual(
      (await response.clone().json()).error.details,
      { scope: "admin:search_presets" },
      `${method} ${path}`,
    );
    await assertError(response, { code: "forbidden" });
  }
  assert.equal((await acts(owner.id)).length, 1);
});

Deno.test("admin user-search-presets: a change of a version that is no longer stored is rejected with 412", async () => {
  const [administrator, owner] = [await anAdministrator("search_presets"), await signUp()];
  const preset = await create(administrator, owner.id);
  const change = (name: string, tag: string) =>
    administrator.ask(`${PATH}/${preset.id}`, sending("PATCH", { name }, { "If-Match": tag }));
  const first = await change("first", `"${preset.updated_at}"`);
  assert.equal(first.status, 200, await first.text());
  await assertError(await change("second", `"${preset.updated_at}"`), {
    code: "precondition_failed",
    param: "If-Match",
  });
  const second = await change("second", tagOf(first)!);
  assert.equal((await second.json()).name, "second");
});

Deno.test("admin user-search-presets: a repeated creation with the same key has one effect and one record", async () => {
  const [administrator, owner] = [await anAdministrator("search_presets"), await signUp()];
  const key = { "Idempotency-Key": crypto.randomUUID() };
  const body = { user_id: owner.id, name: "once", query_json: {} };
  const [first, again] = [
    await administrator.ask(PATH, sending("POST", body, key)),
    await administrator.ask(PATH, sending("POST", body, key)),
  ];
  assert.deepEqual(await again.json(), await first.json());
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  assert.deepEqual((await acts(owner.id)).map(({ action }) => action), ["user.create_search_preset"]);
});

Deno.test("admin user-search-presets: the back office calls the functions by name, with the same checks and record", async () => {
  const [administrator, owner] = [await anAdministrator("search_presets"), await signUp()];
  const { apiUrl, secretKey, publishableKey } = stack();
  const rpc = (key: string, name: string, body: unknown, token?: string) =>
    fetch(`${apiUrl}/rest/v1/rpc/${name}`, {
      method: "POST",
      headers: {
        apikey: key,
        "content-type": "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });
  const wanted = { p_user_id: owner.id, p_name: "by name", p_query_json: {} };
  const created = await rpc(secretKey, "admin_create_search_preset", { p_admin_id: administrator.id, ...wanted });
  assert.equal((await created.json()).name, "by name");
  for (const p_admin_id of [owner.id, (await anAdministrator("lots")).id]) {
    const error = await rpc(secretKey, "admin_create_search_preset", { p_admin_id, ...wanted });
    assert.equal(error.status, 403, await error.text());
  }
  const byHand = { p_admin_id: administrator.id, p_user_id: owner.id };
  const error = await rpc(publishableKey, "admin_list_search_presets", byHand, administrator.token);
  assert.equal(error.status, 403, await error.text());
  assert.deepEqual((await acts(owner.id)).map(({ action }) => action), ["user.create_search_preset"]);
});
