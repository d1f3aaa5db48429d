// Administrators who manage administrators: what they see, what they may change, and that the identity provider agrees.
import assert from "node:assert/strict";
import type { z } from "zod";
import { Administrator, Administrators } from "../../supabase/functions/admin/admins.schema.ts";
import { getAdministrator, listAdministrators } from "../../supabase/functions/admin/admins.ts";
import { stack } from "../support/stack.ts";
import {
  actsWhere,
  type Administrator as Person,
  anAdministratingUser,
  anAdministrator,
  AREAS,
  sending,
} from "./administrators.ts";
import { replyOf, tagOf } from "./client.ts";
import { inDatabase } from "./lots.ts";

const PATH = "/admin/admins";

/** The acts on record about an administrator, by another one. */
const acts = (by: Person, about: string) =>
  actsWhere({ admin_id: by.id, target_type: "admin", target_id: about }, "action", "user_id", "changes");

/** What the row and the identity provider have of an administrator. */
async function both(id: string): Promise<[row: unknown, metadata: unknown]> {
  const [found] = await inDatabase((sql) =>
    sql<{ row: unknown; metadata: unknown }[]>`
      select jsonb_build_object('name', a.name, 'areas', a.areas, 'status', a.status) as row,
        u.raw_app_meta_data -> 'admin' as metadata
      from public.admins a join auth.users u on u.id = a.id where a.id = ${id}`
  );
  return [found!.row, found!.metadata];
}

async function errorIn(response: Response): Promise<{ code: string; param: string | null; details?: unknown }> {
  return (await response.json()).error;
}

function auth(method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${stack().apiUrl}/auth/v1${path}`, {
    method,
    headers: { apikey: stack().secretKey, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

Deno.test("admins: the list is filtered by status and area, newest first, page by page", async () => {
  const chief = await anAdministrator("admins");
  const [older, newer] = [await anAdministrator("store_sync"), await anAdministrator("store_sync", "lots")];
  // Other tests add administrators meanwhile.
  const seen: z.output<typeof Administrator>[] = [];
  for (let cursor = ""; !seen.some(({ id }) => id === older.id);) {
    const { items, total, next_cursor } = await replyOf(
      listAdministrators,
      await chief.ask(`${PATH}?area=store_sync&status=active&limit=1&include=total${cursor}`),
      Administrators,
    );
    assert.equal(items.length, 1);
    assert.ok(total! >= 2);
    seen.push(...items);
    cursor = `&cursor=${encodeURIComponent(next_cursor ?? "")}`;
  }
  const listed = seen.find(({ id }) => id === newer.id);
  assert.deepEqual([listed?.areas, listed?.email], [["lots", "store_sync"], newer.email]);
  assert.deepEqual(
    seen.map(({ created_at }) => created_at),
    seen.map(({ created_at }) => created_at).toSorted().reverse(),
  );
  const suspended = await (await chief.ask(`${PATH}?area=store_sync&status=suspended&limit=100`)).json();
  assert.ok(suspended.items.every(({ id }: { id: string }) => id !== newer.id && id !== older.id));
  for (const wrong of ["status=gone", "area=parking", "cursor=abc", "limit=0"]) {
    const error = await errorIn(await chief.ask(`${PATH}?${wrong}`));
    assert.deepEqual([error.code, error.param], ["validation_error", wrong.split("=")[0]]);
  }
});

Deno.test("admins: GET returns the version that a change needs as If-Match", async () => {
  const [chief, other] = [await anAdministrator("admins"), await anAdministrator("lots")];
  const response = await chief.ask(`${PATH}/${other.id}`);
  const tag = tagOf(response)!;
  const read = await replyOf(getAdministrator, response, Administrator);
  assert.equal(tag, `"${read.updated_at}"`);
  assert.equal((await chief.ask(`${PATH}/${crypto.randomUUID()}`)).status, 404);

  const changed = await chief.ask(
    `${PATH}/${other.id}`,
    sending("PATCH", { areas: ["support", "reviews", "support"] }, { "If-Match": tag }),
  );
  assert.equal(changed.status, 200, await changed.clone().text());
  assert.deepEqual((await changed.json()).areas, ["reviews", "support"]);
  const late = await chief.ask(`${PATH}/${other.id}`, sending("PATCH", { name: "Late" }, { "If-Match": tag }));
  assert.deepEqual([late.status, (await errorIn(late)).code], [412, "precondition_failed"]);
});

Deno.test("admins: a change is in the row, at the identity provider and in the activity log; the next request is authorized by it", async () => {
  const [chief, other] = [await anAdministrator("admins"), await anAdministrator("lots")];
  const sent = sending("PATCH", { name: null, areas: ["support"] });
  assert.equal((await chief.ask(`${PATH}/${other.id}`, sent)).status, 200);
  const expected = { name: null, areas: ["support"], status: "active" };
  assert.deepEqual(await both(other.id), [expected, expected]);
  // The same again changes nothing.
  assert.equal((await chief.ask(`${PATH}/${other.id}`, sent)).status, 200);
  assert.deepEqual(await acts(chief, other.id), [{
    action: "admin.update",
    user_id: other.id,
    changes: { name: { old: "Administrator", new: null }, areas: { old: ["lots"], new: ["support"] } },
  }]);
  const me = await (await other.ask("/me")).json();
  assert.deepEqual(me.permission_scopes.filter((scope: string) => scope.startsWith("admin:")), ["admin:support"]);
});

Deno.test("admins: metadata written by the auth server is copied to the row, and not written back", async () => {
  const other = await anAdministrator("lots");
  const metadata = { areas: ["support", "lots", "support"] };
  const written = await auth("PUT", `/admin/users/${other.id}`, { app_metadata: { admin: metadata } });
  assert.equal(written.status, 200, await written.text());
  assert.deepEqual(await both(other.id), [{ name: null, areas: ["lots", "support"], status: "active" }, metadata]);
  const taken = await auth("PUT", `/admin/users/${other.id}`, { app_metadata: { admin: null } });
  assert.equal(taken.status, 200, await taken.text());
  assert.deepEqual(await both(other.id), [{ name: null, areas: [], status: "suspended" }, null]);
  // A row that is edited by hand goes to the metadata, too.
  await inDatabase((sql) => sql`update public.admins set status = 'active', areas = '{lots}' where id = ${other.id}`);
  const expected = { name: null, areas: ["lots"], status: "active" };
  assert.deepEqual(await both(other.id), [expected, expected]);
});

Deno.test("admins: an invalid change is rejected with its field, and leaves no record", async () => {
  const [chief, other] = [await anAdministrator("admins"), await anAdministrator("lots")];
  const patch = (body: unknown, id = other.id) => chief.ask(`${PATH}/${id}`, sending("PATCH", body));
  const rejected: [body: unknown, param: string][] = [
    [{ areas: ["parking"] }, "areas[0]"],
    [{ areas: null }, "areas"],
    [{ name: "" }, "name"],
    [{ name: "x".repeat(101) }, "name"],
    [{ status: "suspended" }, "status"],
  ];
  for (const [body, param] of rejected) {
    const error = await errorIn(await patch(body));
    assert.equal(error.code, "validation_error", JSON.stringify(body));
    assert.equal(error.param?.replace(/[.[].*/, ""), param.replace(/[.[].*/, ""), JSON.stringify(body));
  }
  assert.equal((await patch({ name: "X" }, crypto.randomUUID())).status, 404);
  for (const verb of ["suspend", "reactivate"]) {
    const send = (body: unknown, id = other.id) => chief.ask(`${PATH}/${id}/${verb}`, sending("POST", body));
    for (const body of [{}, { reason: "" }, { reason: " " }, { reason: "x".repeat(501) }]) {
      const error = await errorIn(await send(body));
      assert.deepEqual([error.code, error.param], ["validation_error", "reason"]);
    }
    assert.equal((await send({ reason: "Gone" }, crypto.randomUUID())).status, 404);
  }
  assert.deepEqual(await acts(chief, other.id), []);
});

Deno.test("admins: a suspended administrator gets 403 at once and has their areas after reactivation; both are recorded once per key", async () => {
  const [chief, other] = [await anAdministrator("admins"), await anAdministrator("lots")];
  const key = { "Idempotency-Key": crypto.randomUUID() };
  assert.equal((await other.ask("/admin/notifications")).status, 200);
  for (let n = 0; n < 2; n++) {
    const done = await chief.ask(`${PATH}/${other.id}/suspend`, sending("POST", { reason: "On leave" }, key));
    assert.deepEqual([done.status, (await done.json()).status], [200, "suspended"]);
    assert.equal(done.headers.get("idempotent-replayed"), n === 0 ? null : "true");
  }
  const shut = await other.ask("/admin/notifications");
  assert.deepEqual([shut.status, (await errorIn(shut)).details], [403, { scope: "admin" }]);
  const again = await errorIn(await chief.ask(`${PATH}/${other.id}/suspend`, sending("POST", { reason: "Again" })));
  assert.deepEqual([again.code, again.details], ["conflict", {
    reason: "status_not_reachable",
    status: "suspended",
    allowed: ["active"],
  }]);
  const expected = { name: "Administrator", areas: ["lots"], status: "suspended" };
  assert.deepEqual(await both(other.id), [expected, expected]);
  const back = await chief.ask(`${PATH}/${other.id}/reactivate`, sending("POST", { reason: "Is back" }));
  assert.deepEqual((await back.json()).areas, ["lots"]);
  assert.equal((await other.ask("/admin/notifications")).status, 200);
  assert.deepEqual(await acts(chief, other.id), [
    {
      action: "admin.suspend",
      user_id: other.id,
      changes: { status: { old: "active", new: "suspended" }, reason: "On leave" },
    },
    {
      action: "admin.reactivate",
      user_id: other.id,
      changes: { status: { old: "suspended", new: "active" }, reason: "Is back" },
    },
  ]);
});

Deno.test("admins: an administrator can neither suspend themselves nor remove their own area admins", async () => {
  const chief = await anAdministrator("admins", "lots");
  for (
    const [reason, response] of [
      ["own_area", await chief.ask(`${PATH}/${chief.id}`, sending("PATCH", { areas: ["lots"] }))],
      ["own_account", await chief.ask(`${PATH}/${chief.id}/suspend`, sending("POST", { reason: "Tired" }))],
    ] as const
  ) {
    assert.deepEqual([response.status, (await errorIn(response)).details], [403, { reason }]);
  }
  assert.deepEqual(await acts(chief, chief.id), []);
  // The other areas and the name are theirs to change.
  const own = await chief.ask(`${PATH}/${chief.id}`, sending("PATCH", { name: "Chief", areas: ["admins"] }));
  assert.deepEqual([own.status, (await own.json()).areas], [200, ["admins"]]);
});

Deno.test("admins: an administrator gives themselves no area, by no entry point; another administrator does", async () => {
  const [chief, other] = [await anAdministrator("admins"), await anAdministrator("admins")];
  const direct = (name: string, args: Record<string, unknown>) =>
    fetch(`${stack().apiUrl}/rest/v1/rpc/${name}`, {
      method: "POST",
      headers: { apikey: stack().secretKey, "content-type": "application/json" },
      body: JSON.stringify({ p_admin_id: chief.id, ...args }),
    });
  const reasonOf = async (response: Response) => {
    const { error, details } = await response.json();
    return [response.status, (error ?? JSON.parse(details)).details];
  };
  for (const areas of [["admins", "users"], ["admins", ...AREAS], ["users"]]) {
    const changes = { areas };
    const responses = [
      await chief.ask(`${PATH}/${chief.id}`, sending("PATCH", changes)),
      await direct("admin_update_admin", { p_id: chief.id, p_changes: changes }),
      await direct("run_admin_command", {
        p_command: "admin_update_admin",
        p_arguments: { p_id: chief.id, p_changes: changes },
      }),
    ];
    for (const response of responses) assert.deepEqual(await reasonOf(response), [403, { reason: "own_area" }]);
  }
  assert.deepEqual(await acts(chief, chief.id), []);
  const given = await other.ask(`${PATH}/${chief.id}`, sending("PATCH", { areas: ["admins", "users"] }));
  assert.deepEqual([given.status, (await given.json()).areas], [200, ["admins", "users"]]);
  // What an administrator has may be sent again, and may be given up.
  for (const areas of [["users", "admins"], ["admins"]]) {
    assert.equal((await chief.ask(`${PATH}/${chief.id}`, sending("PATCH", { areas }))).status, 200);
  }
  assert.equal((await chief.ask(`${PATH}/${chief.id}`, sending("PATCH", { areas: ["admins", "users"] }))).status, 403);
});

Deno.test("POST /v1/me/withdraw: a holder of the area admins withdraws while another holds it, and is then no administrator", async () => {
  // That the last one is 409 is tested where no other test makes holders: tests/db/withdrawal.test.ts.
  const [chief, leaving] = [await anAdministrator("admins"), await anAdministratingUser("admins")];
  assert.equal((await leaving.ask(PATH)).status, 200);
  assert.equal((await leaving.ask("/me/withdraw", { method: "POST" })).status, 204);
  assert.equal((await leaving.ask(PATH)).status, 403);
  const left = await (await chief.ask(`${PATH}/${leaving.id}`)).json();
  assert.deepEqual([left.status, left.areas, left.name], ["suspended", [], null]);
});

Deno.test("admins: without the area every request is 403 with the missing scope, valid or not", async () => {
  const [one, other] = [await anAdministrator("users", "lots"), await anAdministrator("lots")];
  const reason = { reason: "Why not" };
  for (
    const response of [
      await one.ask(PATH),
      await one.ask(`${PATH}?status=gone`),
      await one.ask(`${PATH}/${other.id}`),
      await one.ask(`${PATH}/${crypto.randomUUID()}`),
      await one.ask(`${PATH}/${other.id}`, sending("PATCH", { areas: [] })),
      await one.ask(`${PATH}/${one.id}`, sending("PATCH", { areas: ["admins"] })),
      await one.ask(`${PATH}/${other.id}/suspend`, sending("POST", reason)),
      await one.ask(`${PATH}/${other.id}/reactivate`, sending("POST", {})),
    ]
  ) {
    assert.deepEqual([response.status, (await errorIn(response)).details], [403, { scope: "admin:admins" }]);
  }
  assert.deepEqual(await both(other.id).then(([row]) => row), {
    name: "Administrator",
    areas: ["lots"],
    status: "active",
  });
});

Deno.test("admins: the service acts in the name of an administrator, with the same checks and the same record", async () => {
  const [chief, other] = [await anAdministrator("admins"), await anAdministrator("lots")];
  const call = async (adminId: string, id: string, changes: unknown) => {
    const response = await fetch(`${stack().apiUrl}/rest/v1/rpc/admin_update_admin`, {
      method: "POST",
      headers: { apikey: stack().secretKey, "content-type": "application/json" },
      body: JSON.stringify({ p_admin_id: adminId, p_id: id, p_changes: changes }),
    });
    return { status: response.status, body: await response.json() };
  };
  assert.equal((await call(other.id, chief.id, { areas: [] })).status, 403);
  const unknown = await call(chief.id, other.id, { status: "suspended" });
  assert.deepEqual([unknown.status, JSON.parse(unknown.body.details)], [422, { param: "status" }]);
  for (
    const [changes, param] of [[{ areas: ["parking"] }, "areas"], [{ areas: null }, "areas"], [
      { name: 3 },
      "name",
    ]] as const
  ) {
    const wrong = await call(chief.id, other.id, changes);
    assert.deepEqual([wrong.status, JSON.parse(wrong.body.details)], [422, { param }]);
  }
  const own = await call(chief.id, chief.id, { areas: [] });
  assert.deepEqual([own.status, JSON.parse(own.body.details).details], [403, { reason: "own_area" }]);
  const done = await call(chief.id, other.id, { areas: ["users"] });
  assert.deepEqual([done.status, done.body.areas], [200, ["users"]]);
  assert.deepEqual((await acts(chief, other.id)).map(({ changes }) => changes), [
    { areas: { old: ["lots"], new: ["users"] } },
  ]);
});
