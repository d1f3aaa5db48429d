// What holds for every resource of the area content: who may, what is rejected, versions, and the record of each act.
import assert from "node:assert/strict";
import { asUser, signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import { type Administrator, anAdministrator, sending } from "./administrators.ts";
import { replied, type Resource, resources, type Row } from "./content.ts";
import { inDatabase } from "./lots.ts";

const editor = await anAdministrator("content");

async function created(resource: Resource, by: Administrator = editor): Promise<{ row: Row; at: string }> {
  const row = await replied(await by.ask(resource.path, sending("POST", resource.body())), 201);
  return { row, at: pathOf(resource, row) };
}

function pathOf({ path, key }: Resource, row: Row): string {
  return [path, ...key.split("/").map((part) => row[part])].join("/");
}

/** The acts on a row, the first first. */
function actsOn({ target }: Resource, at: string) {
  const id = at.split("/").slice(3).join("/");
  return inDatabase((sql) =>
    sql<{ action: string; admin_id: string; changes: Record<string, { old: unknown; new: unknown }> }[]>`
      select action, admin_id, changes from public.admin_activity_logs
      where target_type = ${target} and target_id = ${id} order by created_at`
  );
}

for (const resource of resources) {
  const { path, target, change } = resource;
  const [field, value] = Object.entries(change)[0]!;

  Deno.test(`POST ${path}: creates a row that GET reads and lists, and records the act with its fields`, async () => {
    const { row, at } = await created(resource);
    assert.deepEqual(await replied(await editor.ask(at), 200), row);
    let cursor: unknown;
    const listed: Row[] = [];
    do {
      const more = cursor === undefined ? "" : `&cursor=${cursor}`;
      const page = await replied(await editor.ask(`${path}?limit=100&include=total${more}`), 200);
      assert.ok(Number(page["total"]) >= 1);
      listed.push(...page["items"] as Row[]);
      cursor = page["next_cursor"];
    } while (cursor !== null);
    assert.equal(listed.filter((one) => pathOf(resource, one) === at).length, 1);
    const [act] = await actsOn(resource, at);
    assert.deepEqual([act!.action, act!.admin_id], [`${target}.create`, editor.id]);
    assert.deepEqual(Object.values(act!.changes).filter((each) => each.old !== null), []);
  });

  Deno.test(`PATCH ${path}: changes what is given, once for an If-Match, and records the difference`, async () => {
    const { row, at } = await created(resource);
    const version = (await editor.ask(at)).headers.get("etag")!;
    assert.equal(version.replace(/^W\//, ""), `"${row["updated_at"]}"`);
    const response = await editor.ask(at, sending("PATCH", change, { "If-Match": version }));
    const after = await replied(response, 200);
    assert.deepEqual(after, { ...row, ...change, updated_at: after["updated_at"] });
    assert.notEqual(response.headers.get("etag"), version);
    const stale = await replied(await editor.ask(at, sending("PATCH", change, { "If-Match": version })), 412);
    assert.equal((stale["error"] as Row)["code"], "precondition_failed");
    const same = await replied(await editor.ask(at, sending("PATCH", change)), 200);
    assert.deepEqual(same, after, "what is the same makes no new version");
    const acts = await actsOn(resource, at);
    assert.deepEqual(acts.map(({ action }) => action), [`${target}.create`, `${target}.update`]);
    assert.deepEqual(acts[1]!.changes, { [field]: { old: row[field] ?? null, new: value } });
  });

  Deno.test(`POST ${path}: is carried out and recorded once for an Idempotency-Key`, async () => {
    const [body, key] = [resource.body(), { "Idempotency-Key": crypto.randomUUID() }];
    const first = await replied(await editor.ask(path, sending("POST", body, key)), 201);
    const again = await editor.ask(path, sending("POST", body, key));
    assert.equal(again.headers.get("idempotent-replayed"), "true");
    assert.deepEqual(await replied(again, 201), first);
    assert.equal((await actsOn(resource, pathOf(resource, first))).length, 1);
  });

  Deno.test(`admin content: ${path}: administrators without the area content get 403 with the scope and change nothing`, async () => {
    const { row, at } = await created(resource);
    const others: [ask: Administrator["ask"], scope: string][] = [
      [(await anAdministrator("lots", "admins")).ask, "admin:content"],
      [asUser(await signUp()), "admin"],
    ];
    for (const [ask, scope] of others) {
      for (
        const request of [
          () => ask(path),
          () => ask(`${path}?limit=0`),
          () => ask(at),
          () => ask(path, sending("POST", resource.body())),
          () => ask(at, sending("PATCH", change)),
          () => ask(at, sending("PATCH", { nothing: 1 })),
          ...(resource.isDeletable ? [() => ask(at, { method: "DELETE" })] : []),
        ]
      ) {
        const { error } = await replied(await request(), 403) as { error: Row };
        assert.deepEqual([error["code"], error["details"]], ["forbidden", { scope }]);
      }
    }
    assert.deepEqual(await replied(await editor.ask(at), 200), row);
    assert.equal((await actsOn(resource, at)).length, 1);
  });

  Deno.test(`admin content: ${path}: a field that is wrong, unknown or missing is named in 422, and nothing is recorded`, async () => {
    const { row, at } = await created(resource);
    for (const [name, value] of [...resource.wrong, ["nothing", 1], ["updated_at", row["updated_at"]]] as const) {
      for (const [to, init] of [[path, { ...resource.body(), [name]: value }], [at, { [name]: value }]] as const) {
        const response = await editor.ask(to, sending(to === at ? "PATCH" : "POST", init));
        const { error } = await replied(response, 422) as { error: Row };
        const named = String(error["param"]).split(".")[0];
        assert.deepEqual([error["code"], named], ["validation_error", name], `${to} ${JSON.stringify(value)}`);
      }
    }
    const { error } = await replied(await editor.ask(path, sending("POST", {})), 422) as { error: Row };
    assert.equal(error["code"], "validation_error");
    assert.equal((await actsOn(resource, at)).length, 1);
  });

  Deno.test(`admin content: ${path}: the service calls the same functions by rpc, and the same fields are rejected`, async () => {
    const { row, at } = await created(resource);
    const { apiUrl, secretKey } = stack();
    const ids = Object.fromEntries(resource.key.split("/").map((part) => [`p_${part}`, row[part]]));
    const update = (adminId: string, changes: Row) =>
      fetch(`${apiUrl}/rest/v1/rpc/admin_update_${target}`, {
        method: "POST",
        headers: { apikey: secretKey, "content-type": "application/json" },
        body: JSON.stringify({ p_admin_id: adminId, ...ids, p_changes: changes }),
      });
    for (const [name, value] of [...resource.wrong, ["nothing", 1], ["updated_at", row["updated_at"]]] as const) {
      const { code, details } = await replied(await update(editor.id, { [name]: value }), 422);
      const param = JSON.parse(String(details)).param.split(".")[0];
      assert.deepEqual([code, param], ["validation_error", name], JSON.stringify(value));
    }
    await replied(await update((await anAdministrator("lots")).id, change), 403);
    const after = await replied(await update(editor.id, change), 200);
    assert.equal(after[field], value);
    assert.deepEqual((await actsOn(resource, at)).map(({ action }) => action), [
      `${target}.create`,
      `${target}.update`,
    ]);
  });

  Deno.test(`admin content: ${path}: an id that does not exist is 404, and a second DELETE is 404`, async () => {
    const { at } = await created(resource);
    const nowhere = pathOf(resource, unknown(resource));
    for (const init of [{}, sending("PATCH", change), ...(resource.isDeletable ? [{ method: "DELETE" }] : [])]) {
      const { error } = await replied(await editor.ask(nowhere, init), 404) as { error: Row };
      assert.equal(error["code"], "not_found");
    }
    if (!resource.isDeletable) return;
    await replied(await editor.ask(at, { method: "DELETE", headers: { "If-Match": '"older"' } }), 412);
    await replied(await editor.ask(at, { method: "DELETE" }), 204);
    await replied(await editor.ask(at, { method: "DELETE" }), 404);
    assert.deepEqual((await actsOn(resource, at)).map(({ action }) => action), [
      `${target}.create`,
      `${target}.delete`,
    ]);
  });
}

/** The key of a row that does not exist. */
function unknown({ key }: Resource): Row {
  const examples: Row = { id: crypto.randomUUID(), category_id: "structure", code: "no_such_code", calendar: "XX" };
  return Object.fromEntries(key.split("/").map((part) => [part, examples[part] ?? "2020-01-01"]));
}
