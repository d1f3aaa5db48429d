// Badges, levels, EXP rules and themes in the console, the jobs that they start, and the gift of a theme.
import assert from "node:assert/strict";
import { ThemeGifts } from "../../supabase/functions/_shared/schema/themes.ts";
import { listThemeGifts } from "../../supabase/functions/me/themes.ts";
import { eventually } from "../support/eventually.ts";
import { asUser, signUp } from "../support/people.ts";
import { runJob } from "../support/rows.ts";
import { stack } from "../support/stack.ts";
import { type Administrator, anAdministrator, sending } from "./administrators.ts";
import { ask, bearer, replyOf } from "./client.ts";
import { aLot, inDatabase } from "./lots.ts";

type Row = Record<string, unknown>;

interface Resource {
  readonly path: string;
  readonly target: string;
  readonly key: string;
  /** Makes room for what `body` gives. */
  prepare?(): Promise<unknown>;
  body(): Row;
  readonly change: Row;
  /** Values that are rejected, by field. */
  readonly wrong: readonly (readonly [field: string, value: unknown])[];
  readonly required: readonly string[];
}

const conditions = { activity: ["support_ticket_post"], measure: "count" };
/** A level of its own for each that is created, far above those that users have. */
let level = 2000;

const resources: readonly Resource[] = [
  {
    path: "/admin/badges",
    target: "badge",
    key: "id",
    body: () => ({
      name: "バッジ",
      description: "説明",
      icon: "icon",
      category: "parking",
      conditions,
      threshold: 1000,
      is_active: false,
    }),
    change: { name_en: "Badge" },
    wrong: [
      ["name", ""],
      ["name", "　"],
      ["name", "x".repeat(101)],
      ["description", null],
      ["category", "With space"],
      ["threshold", 0],
      ["threshold", 1.5],
      ["is_active", "yes"],
      ["sort_order", 1_000_001],
      ["conditions", null],
      ["conditions", []],
      ["conditions", { ...conditions, measure: "weight" }],
    ],
    required: ["name", "description", "icon", "category", "conditions", "threshold"],
  },
  {
    path: "/admin/levels",
    target: "level",
    key: "level",
    body: () => ({ level: ++level, required_exp: level * 100_000 }),
    change: { name: "神", name_en: "God" },
    wrong: [["required_exp", -1], ["required_exp", 0], ["required_exp", 1_000_000_001], ["required_exp", 1], [
      "name",
      "",
    ]],
    required: ["level", "required_exp"],
  },
  {
    path: "/admin/exp-rules",
    target: "exp_rule",
    key: "id",
    prepare: () => inDatabase((sql) => sql`delete from private.exp_rules where activity_type = 'support_ticket_post'`),
    body: () => ({
      reason: "session_end",
      activity_type: "support_ticket_post",
      amount: 1,
      daily_limit: 1,
      is_active: false,
    }),
    change: { daily_limit: null },
    wrong: [["amount", 0], ["amount", 10_001], ["amount", "1"], ["daily_limit", 0], ["is_active", null]],
    required: ["reason", "amount"],
  },
  {
    path: "/admin/themes",
    target: "theme",
    key: "id",
    body: () => ({ name: "Theme", price_yen_minor: 300, is_active: false }),
    change: { description: "Blue" },
    wrong: [
      ["name", ""],
      ["price_yen_minor", 0],
      ["unlock_level", 1],
      ["unlock_level", 9999],
      ["unlock_badge_id", "badge"],
      ["unlock_badge_id", crypto.randomUUID()],
      ["preview_asset_id", crypto.randomUUID()],
      ["sort_order", null],
    ],
    required: ["name"],
  },
];

const manager = await anAdministrator("rewards");

/** The response's body, which has this status. */
async function replied(response: Response, status: number): Promise<Row> {
  const text = await response.text();
  assert.equal(response.status, status, text);
  return text === "" ? {} : JSON.parse(text);
}

async function created({ path, key, prepare, body }: Resource): Promise<{ row: Row; at: string; id: string }> {
  await prepare?.();
  const row = await replied(await manager.ask(path, sending("POST", body())), 201);
  return { row, at: `${path}/${row[key]}`, id: String(row[key]) };
}

/** The acts on a row, the first first. */
function actsOn(target: string, id: string | null, by = manager.id) {
  return inDatabase((sql) =>
    sql<{ action: string; user_id: string | null; changes: Record<string, { old: unknown; new: unknown }> }[]>`
      select action, user_id, changes from public.admin_activity_logs
      where target_type = ${target} and target_id is not distinct from ${id} and admin_id = ${by}
      order by created_at`
  );
}

/** The service calls a function by its name. */
function rpc(name: string, body: Row, key = stack().secretKey, token?: string): Promise<Response> {
  return fetch(`${stack().apiUrl}/rest/v1/rpc/${name}`, {
    method: "POST",
    headers: {
      apikey: key,
      "content-type": "application/json",
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    },
    body: JSON.stringify(body),
  });
}

async function error(response: Response, status: number): Promise<{ code: string; param: string; details?: Row }> {
  return (await replied(response, status))["error"] as { code: string; param: string; details?: Row };
}

for (const resource of resources) {
  const { path, target, key, change, wrong } = resource;

  Deno.test(`POST ${path}: creates a row that GET reads and lists, inactive ones too, and records its fields`, async () => {
    const { row, at, id } = await created(resource);
    assert.deepEqual(await replied(await manager.ask(at), 200), row);
    const listed: Row[] = [];
    let cursor: unknown = null;
    do {
      const more = cursor === null ? "" : `&cursor=${cursor}`;
      const page = await replied(await manager.ask(`${path}?limit=3&include=total${more}`), 200);
      assert.ok(Number(page["total"]) > 3);
      listed.push(...page["items"] as Row[]);
      cursor = page["next_cursor"];
    } while (cursor !== null);
    assert.equal(listed.filter((one) => String(one[key]) === id).length, 1);
    assert.equal(new Set(listed.map((one) => one[key])).size, listed.length);
    const [act] = await actsOn(target, id);
    assert.equal(act!.action, `${target}.create`);
    assert.deepEqual(Object.values(act!.changes).filter((each) => each.old !== null), []);
  });

  Deno.test(`PATCH ${path}/{${key}}: changes what is given, once for an If-Match, and records the difference`, async () => {
    const { row, at, id } = await created(resource);
    const version = (await manager.ask(at)).headers.get("etag")!;
    assert.equal(version.replace(/^W\//, ""), `"${row["updated_at"]}"`);
    const after = await replied(await manager.ask(at, sending("PATCH", change, { "If-Match": version })), 200);
    assert.deepEqual(after, { ...row, ...change, updated_at: after["updated_at"] });
    const stale = await error(await manager.ask(at, sending("PATCH", change, { "If-Match": version })), 412);
    assert.equal(stale.code, "precondition_failed");
    assert.deepEqual(await replied(await manager.ask(at, sending("PATCH", change)), 200), after);
    const acts = await actsOn(target, id);
    assert.deepEqual(acts.map(({ action }) => action), [`${target}.create`, `${target}.update`]);
    const difference = Object.entries(change).map(([name, value]) => [name, { old: row[name], new: value }]);
    assert.deepEqual(acts[1]!.changes, Object.fromEntries(difference));
  });

  Deno.test(`POST ${path}: is carried out and recorded once for an Idempotency-Key`, async () => {
    await resource.prepare?.();
    const [body, idempotency] = [resource.body(), { "Idempotency-Key": crypto.randomUUID() }];
    const first = await replied(await manager.ask(path, sending("POST", body, idempotency)), 201);
    const again = await manager.ask(path, sending("POST", body, idempotency));
    assert.equal(again.headers.get("idempotent-replayed"), "true");
    assert.deepEqual(await replied(again, 201), first);
    assert.equal((await actsOn(target, String(first[key]))).length, 1);
  });

  Deno.test(`DELETE ${path}/{${key}}: deletes a row that no user has, and records its fields`, async () => {
    const { row, at, id } = await created(resource);
    await replied(await manager.ask(at, { method: "DELETE" }), 204);
    assert.equal((await error(await manager.ask(at), 404)).param, key);
    assert.equal((await error(await manager.ask(at, { method: "DELETE" }), 404)).param, key);
    assert.equal((await error(await manager.ask(at, sending("PATCH", change)), 404)).param, key);
    const acts = await actsOn(target, id);
    assert.deepEqual(acts.map(({ action }) => action), [`${target}.create`, `${target}.delete`]);
    assert.deepEqual(acts[1]!.changes[key], { old: row[key], new: null });
  });

  Deno.test(`admin rewards: ${path}: administrators without the area rewards get 403 with the scope and change nothing`, async () => {
    const { row, at, id } = await created(resource);
    const others: [ask: Administrator["ask"], scope: string][] = [
      [(await anAdministrator("lots", "admins", "content")).ask, "admin:rewards"],
      [asUser(await signUp()), "admin"],
    ];
    for (const [ask, scope] of others) {
      for (
        const response of [
          await ask(path),
          await ask(`${path}?cursor=nonsense`),
          await ask(at),
          await ask(path, sending("POST", {})),
          await ask(at, sending("PATCH", change)),
          await ask(at, sending("PATCH", { nothing: 1 })),
          await ask(at, { method: "DELETE" }),
        ]
      ) {
        const { code, details } = await error(response, 403);
        assert.deepEqual([code, details], ["forbidden", { scope }]);
      }
    }
    assert.deepEqual(await replied(await manager.ask(at), 200), row);
    assert.equal((await actsOn(target, id)).length, 1);
  });

  Deno.test(`admin rewards: ${path}: a field that is wrong, unknown or missing is named in 422, and nothing is recorded`, async () => {
    const { row, at, id } = await created(resource);
    const body = resource.body();
    for (const [name, value] of [...wrong, ["nothing", 1], ["updated_at", row["updated_at"]]] as const) {
      for (
        const response of [
          await manager.ask(path, sending("POST", { ...body, [name]: value })),
          await manager.ask(at, sending("PATCH", { [name]: value })),
        ]
      ) {
        const { code, param } = await error(response, 422);
        assert.deepEqual([code, String(param).split(".")[0]], ["validation_error", name], JSON.stringify(value));
      }
    }
    for (const name of resource.required) {
      const { [name]: _, ...rest } = body;
      assert.equal((await error(await manager.ask(path, sending("POST", rest)), 422)).param, name);
    }
    assert.equal((await actsOn(target, id)).length, 1);
  });

  Deno.test(`admin rewards: ${path}: the service calls the same functions by rpc, and the same fields are rejected and named`, async () => {
    const { row, id } = await created(resource);
    const update = (adminId: string, changes: unknown) =>
      rpc(`admin_update_${target}`, { p_admin_id: adminId, [`p_${key}`]: row[key], p_changes: changes });
    for (const [name, value] of [...wrong, ["nothing", 1], ["updated_at", row["updated_at"]]] as const) {
      const { code, details } = await replied(await update(manager.id, { [name]: value }), 422);
      assert.equal(code, "validation_error");
      assert.equal(JSON.parse(String(details)).param.split(".")[0], name, JSON.stringify(value));
    }
    for (const name of resource.required) {
      const { [name]: _, ...rest } = resource.body();
      const missing = await rpc(`admin_create_${target}`, { p_admin_id: manager.id, p_fields: rest });
      assert.equal(JSON.parse(String((await replied(missing, 422))["details"])).param, name);
    }
    await replied(await update(manager.id, [1]), 422);
    await replied(await update((await anAdministrator("lots")).id, change), 403);
    const acts = (await actsOn(target, id)).length;
    assert.equal(acts, 1);
  });
}

Deno.test("PATCH /admin/badges/{id}: invalid conditions are 422 and named by their place", async () => {
  const { at } = await created(resources[0]!);
  const where = (predicate: unknown) => ({ ...conditions, where: predicate });
  for (
    const [wrong, place] of [
      [{ ...conditions, activity: ["nap"] }, "activity"],
      [{ ...conditions, measure: "weight" }, "measure"],
      [{ ...conditions, unless: {} }, "unless"],
      [where({ like: {} }), "where.like"],
      [where({ all: [{ weekdays: [1] }, { hours: { from: 25, to: 3 } }] }), "where.all.1.hours"],
      [where({ not: { any: [{ min: { field: "minutes", value: "1" } }] } }), "where.not.any.0.min.value"],
      [where({ all: [] }), "where.all"],
      [where([]), "where"],
    ] as const
  ) {
    const { code, param } = await error(await manager.ask(at, sending("PATCH", { conditions: wrong })), 422);
    assert.deepEqual([code, param], ["validation_error", `conditions.${place}`]);
  }
});

Deno.test("DELETE /admin/badges/{id}: a badge that a user has, has progress with, or that earns a theme is 409 in_use", async () => {
  const [user, [owned, begun, earning]] = [
    await signUp(),
    await Promise.all([0, 1, 2].map(() => created(resources[0]!))),
  ];
  await inDatabase(async (sql) => {
    await sql`insert into public.user_badges (user_id, badge_id) values (${user.id}, ${owned!.id})`;
    await sql`insert into public.user_badge_progress (user_id, badge_id, count) values (${user.id}, ${begun!.id}, 1)`;
  });
  const theme = { name: "Theme", unlock_badge_id: earning!.id, is_active: false };
  await replied(await manager.ask("/admin/themes", sending("POST", theme)), 201);
  for (const { at } of [owned!, begun!, earning!]) {
    const { code, details } = await error(await manager.ask(at, { method: "DELETE" }), 409);
    assert.deepEqual([code, details], ["conflict", { reason: "in_use" }]);
    await replied(await manager.ask(at), 200);
  }
});

Deno.test("POST /admin/badges/{id}/backfill: starts a rebuild, whose progress GET reads until it is done", async () => {
  const { at, id } = await created(resources[0]!);
  const none = await replied(await manager.ask(`${at}/backfill`), 200);
  assert.deepEqual([none["status"], none["started_at"]], ["none", null]);
  const started = await replied(await manager.ask(`${at}/backfill`, sending("POST")), 202);
  assert.deepEqual([started["badge_id"], started["status"], started["done_users"]], [id, "queued", 0]);
  assert.ok(Number(started["total_users"]) >= 1);
  await inDatabase((sql) => runJob(sql, "backfill_badges"));
  const done = await eventually(async () => {
    const now = await replied(await manager.ask(`${at}/backfill`), 200);
    return now["status"] === "done" ? now : undefined;
  });
  assert.equal(done["done_users"], done["total_users"]);
  assert.ok(String(done["updated_at"]) > String(done["started_at"]));
  const [, act] = await actsOn("badge", id);
  assert.deepEqual([act!.action, act!.changes["status"]], ["badge.backfill", { old: "none", new: "queued" }]);
  const nobody = `/admin/badges/${crypto.randomUUID()}/backfill`;
  assert.equal((await error(await manager.ask(nobody), 404)).param, "id");
  assert.equal((await error(await manager.ask(nobody, sending("POST")), 404)).param, "id");
});

Deno.test("POST /admin/badges/backfill: starts the rebuild of every active badge, and records it", async () => {
  const by = await anAdministrator("rewards");
  const started = await replied(await by.ask("/admin/badges/backfill", sending("POST")), 202);
  assert.ok(["queued", "running"].includes(String(started["status"])), JSON.stringify(started));
  assert.ok(Number(started["total_badges"]) >= 7);
  await inDatabase((sql) => runJob(sql, "backfill_badges"));
  await eventually(async () => {
    const now = await replied(await by.ask("/admin/badges/backfill"), 200);
    return now["status"] === "done" && now["done_badges"] === now["total_badges"] ? true : undefined;
  });
  assert.deepEqual((await actsOn("badge", null, by.id)).map(({ action }) => action), ["badge.backfill"]);
});

Deno.test("POST /admin/levels/recalculate: starts the job, whose progress GET reads until it is done, and records it", async () => {
  const by = await anAdministrator("rewards");
  const user = await signUp();
  await inDatabase((sql) => sql`update public.app_users set level = 7 where id = ${user.id}`);
  const started = await replied(await by.ask("/admin/levels/recalculate", sending("POST")), 202);
  assert.deepEqual([started["status"], started["done_users"], started["changed_users"]], ["queued", 0, 0]);
  await inDatabase((sql) => runJob(sql, "recalculate_levels"));
  const done = await eventually(async () => {
    const now = await replied(await by.ask("/admin/levels/recalculate"), 200);
    return now["status"] === "done" ? now : undefined;
  });
  assert.equal(done["done_users"], done["total_users"]);
  assert.ok(Number(done["changed_users"]) >= 1);
  const { level } = await replied(await ask("/me/exp", { headers: bearer(user.token) }), 200);
  assert.equal(level, 1);
  assert.deepEqual((await actsOn("level", null, by.id)).map(({ action }) => action), ["level.recalculate"]);
});

Deno.test("POST /admin/levels: thresholds rise with the level; one that exists is 409", async () => {
  const { row } = await created(resources[1]!);
  const [place, exp] = [Number(row["level"]), Number(row["required_exp"])];
  level++;
  for (const required_exp of [exp, exp - 1]) {
    const wrong = await manager.ask("/admin/levels", sending("POST", { level: place + 1, required_exp }));
    assert.equal((await error(wrong, 422)).param, "required_exp");
  }
  const again = await manager.ask("/admin/levels", sending("POST", { level: place, required_exp: exp + 1 }));
  assert.deepEqual((await error(again, 409)).details, { reason: "exists" });
});

Deno.test("DELETE /admin/levels/{level}: the first level, and one that a user has or that earns a theme, is 409 in_use", async () => {
  const [held, earning] = [await created(resources[1]!), await created(resources[1]!)];
  const user = await signUp();
  await inDatabase((sql) => sql`update public.app_users set level = ${Number(held.id)} where id = ${user.id}`);
  const theme = { name: "Theme", unlock_level: Number(earning.id), is_active: false };
  await replied(await manager.ask("/admin/themes", sending("POST", theme)), 201);
  for (const at of [held.at, earning.at, "/admin/levels/1"]) {
    const { code, details } = await error(await manager.ask(at, { method: "DELETE" }), 409);
    assert.deepEqual([code, details], ["conflict", { reason: "in_use" }]);
  }
  await inDatabase((sql) => sql`update public.app_users set level = 1 where id = ${user.id}`);
  const first = await manager.ask("/admin/levels/1", sending("PATCH", { required_exp: 1 }));
  assert.equal((await error(first, 422)).param, "required_exp");
});

Deno.test("POST /admin/exp-rules: codes that do not exist are named, a cause that has a rule is 409", async () => {
  const body = resources[2]!.body();
  for (const [field, value] of [["reason", "breathing"], ["reason", "adjustment"], ["activity_type", "nap"]] as const) {
    const wrong = await manager.ask("/admin/exp-rules", sending("POST", { ...body, [field]: value }));
    assert.equal((await error(wrong, 422)).param, field);
  }
  for (const cause of [{ activity_type: "session_end" }, { reason: "review_approved", activity_type: null }]) {
    const taken = await manager.ask("/admin/exp-rules", sending("POST", { ...body, ...cause }));
    assert.deepEqual((await error(taken, 409)).details, { reason: "exists" });
  }
});

Deno.test("PATCH /admin/themes/{id}: a free theme has no price, and the picture is one that nothing else uses", async () => {
  const { at } = await created(resources[3]!);
  assert.equal(
    (await error(await manager.ask(at, sending("PATCH", { is_free: true })), 422)).param,
    "price_yen_minor",
  );
  await replied(await manager.ask(at, sending("PATCH", { is_free: true, price_yen_minor: null })), 200);
  const [picture, next, used, ofLot, ofTheme] = await inDatabase((sql) =>
    Promise.all([0, 1, 2, 3, 4].map(async (n) => {
      const of = n === 2 ? { entity_type: "parking_lot", entity_id: crypto.randomUUID() } : {};
      const [row] = await sql<{ id: string }[]>`
        insert into public.assets ${sql({ storage_key: `themes/${crypto.randomUUID()}.png`, ...of })} returning id`;
      return row!.id;
    }))
  );
  // Rows written by hand say nothing of what they belong to: the picture of a lot, and that of another theme.
  const lot = await aLot();
  await inDatabase(async (sql) => {
    await sql`insert into public.parking_lot_images (parking_lot_id, asset_id) values (${lot}, ${ofLot!})`;
    await sql`insert into public.themes (name, preview_asset_id) values ('Theme', ${ofTheme!})`;
  });
  for (const taken of [used, ofLot, ofTheme]) {
    const rejection = await error(await manager.ask(at, sending("PATCH", { preview_asset_id: taken })), 422);
    assert.equal(rejection.param, "preview_asset_id");
  }
  const visible = await replied(await manager.ask(at, sending("PATCH", { preview_asset_id: picture })), 200);
  assert.match(String(visible["preview_url"]), /\/themes\/[0-9a-f-]+\.png$/);
  await replied(await manager.ask(at, sending("PATCH", { preview_asset_id: next })), 200);
  const rows = await inDatabase((sql) =>
    sql<{ id: string; is_deleted: boolean }[]>`
      select id, deleted_at is not null as is_deleted from public.assets where id in ${sql([picture!, next!])}`
  );
  assert.deepEqual(
    new Map(rows.map(({ id, is_deleted }) => [id, is_deleted])),
    new Map([[picture, true], [next, false]]),
  );
});

Deno.test("DELETE /admin/themes/{id}: a theme that a user owns, and a free one that is active, is 409 in_use", async () => {
  const [owned, free] = [await created(resources[3]!), await created(resources[3]!)];
  const user = await signUp();
  await replied(await manager.ask(`${owned.at}/gift`, sending("POST", { user_id: user.id })), 201);
  const change = { is_free: true, price_yen_minor: null, is_active: true };
  await replied(await manager.ask(free.at, sending("PATCH", change)), 200);
  for (const { at } of [owned, free]) {
    assert.deepEqual((await error(await manager.ask(at, { method: "DELETE" }), 409)).details, { reason: "in_use" });
  }
  await replied(await manager.ask(free.at, sending("PATCH", { is_active: false })), 200);
  await replied(await manager.ask(free.at, { method: "DELETE" }), 204);
});

Deno.test("POST /admin/themes/{id}/gift: the recipient owns it and is notified, recorded with the user; a second gift is 409", async () => {
  const { at, id } = await created(resources[3]!);
  const user = await signUp();
  const key = { "Idempotency-Key": crypto.randomUUID() };
  const body = { user_id: user.id, message: " ありがとう " };
  const gift = await replied(await manager.ask(`${at}/gift`, sending("POST", body, key)), 201);
  assert.deepEqual([gift["theme_id"], gift["user_id"], gift["admin_id"], gift["message"]], [
    id,
    user.id,
    manager.id,
    "ありがとう",
  ]);
  assert.deepEqual(await replied(await manager.ask(`${at}/gift`, sending("POST", body, key)), 201), gift);
  const mine = await replyOf(
    listThemeGifts,
    await ask("/me/theme-gifts", { headers: bearer(user.token) }),
    ThemeGifts,
  );
  assert.deepEqual(mine.items.map((one) => [one.id, one.message]), [[gift["id"], "ありがとう"]]);
  const notifications = await replied(await ask("/me/notifications", { headers: bearer(user.token) }), 200);
  assert.deepEqual((notifications["items"] as Row[]).map(({ type }) => type), ["theme_gift"]);
  const again = await error(await manager.ask(`${at}/gift`, sending("POST", body)), 409);
  assert.deepEqual(again.details, { reason: "already_owned" });
  const acts = (await actsOn("theme", id)).filter(({ action }) => action === "theme.gift");
  assert.deepEqual(acts.map(({ user_id, changes }) => ({ user_id, ...changes })), [{
    user_id: user.id,
    gift_id: { old: null, new: gift["id"] },
    has_message: { old: null, new: true },
  }]);
  for (
    const [to, sent, status, param] of [
      [at, { user_id: crypto.randomUUID() }, 404, "user_id"],
      [at, { user_id: manager.id }, 404, "user_id"],
      [`/admin/themes/${crypto.randomUUID()}`, { user_id: user.id }, 404, "theme_id"],
      [at, { user_id: user.id, message: "x".repeat(501) }, 422, "message"],
      [at, {}, 422, "user_id"],
    ] as const
  ) {
    assert.equal((await error(await manager.ask(`${to}/gift`, sending("POST", sent)), status)).param, param);
  }
});

Deno.test("gift_theme_to_user by rpc: the same checks and the same record as the route", async () => {
  const { id } = await created(resources[3]!);
  const [user, without] = [await signUp(), await anAdministrator("users", "content")];
  const gift = (adminId: string) =>
    rpc("gift_theme_to_user", { p_theme_id: id, p_admin_id: adminId, p_user_id: user.id });
  for (const [adminId, scope] of [[without.id, "admin:rewards"], [user.id, "admin"]] as const) {
    const { code, details } = await replied(await gift(adminId), 403);
    assert.deepEqual([code, JSON.parse(String(details))], ["forbidden", { details: { scope } }]);
  }
  await replied(await gift(manager.id), 200);
  const acts = (await actsOn("theme", id)).filter(({ action }) => action === "theme.gift");
  assert.deepEqual(acts.map(({ user_id }) => user_id), [user.id]);
});

Deno.test("functions of the back office: the service calls them by their names and arguments, and no other caller may", async () => {
  const { id } = await created(resources[0]!);
  const metadata = { kind: "support_ticket_post", hour: 23 };
  const calls: [name: string, body: Row, reply: (reply: unknown) => boolean][] = [
    ["evaluate_badge_conditions", { metadata, conditions }, (reply) => reply === true],
    ["backfill_badge_progress", { target_badge_id: id }, (reply) => (reply as Row)["badge_id"] === id],
    ["backfill_all_badge_progress", {}, (reply) => Number((reply as Row)["total_badges"]) >= 7],
    ["recalculate_all_user_levels", {}, (reply) => (reply as Row)["changed_users"] === 0],
  ];
  const { publishableKey } = stack();
  const user = await signUp();
  for (const [name, body, isRight] of calls) {
    const reply = await rpc(name, body);
    const text = await reply.text();
    assert.equal(reply.status, 200, text);
    assert.ok(isRight(JSON.parse(text)), text);
    for (const token of [undefined, user.token, manager.token]) {
      const response = await rpc(name, body, publishableKey, token);
      assert.ok([401, 403].includes(response.status), `${name} ${response.status}`);
      await response.body?.cancel();
    }
  }
  const unknown = await rpc("backfill_badge_progress", { target_badge_id: crypto.randomUUID() });
  assert.equal((await replied(unknown, 404))["code"], "not_found");
  const wrong = await rpc("evaluate_badge_conditions", { metadata, conditions: { ...conditions, where: { like: 1 } } });
  assert.equal(JSON.parse(String((await replied(wrong, 422))["details"])).param, "conditions.where.like");
});
