// Rewards in the console, in the database: jobs in batches, administrators and users who write at the same time, and what an
// edit of rules, levels and themes does to later activities.
import assert from "node:assert/strict";
import postgres from "postgres";
import { recordedActs } from "../support/acts.ts";
import { database } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { errorOf } from "../support/database_errors.ts";
import { newUser, recalculateLevels } from "../support/rows.ts";

type Row = Record<string, unknown>;

const db = await database();
const pool = postgres(db.url, { max: 20, onnotice: () => {} });
Deno.test.afterAll(async () => {
  await pool.end();
  await db.close();
});

async function newAdmin(...areas: string[]): Promise<string> {
  const id = crypto.randomUUID();
  await db.sql`
    insert into auth.users (id, email, raw_app_meta_data)
    values (${id}, ${`${id}@example.test`}, ${db.sql.json({ admin: { name: "Rewards", areas } })})`;
  return id;
}

const manager = await newAdmin("rewards");

/** Calls a function of the interface as the service; each call is a transaction of its own. */
async function call(name: string, args: Row): Promise<Row> {
  const values = Object.values(args) as string[];
  const named = Object.keys(args).map((argument, n) => `${argument} => $${n + 1}`).join(", ");
  return await pool.begin(async (sql) => {
    await sql`select set_config('role', 'service_role', true)`;
    const [row] = await sql.unsafe<{ reply: Row }[]>(`select api.${name}(${named}) as reply`, values);
    return row!.reply;
  }) as Row;
}

const asManager = (name: string, args: Row = {}) => call(`admin_${name}`, { p_admin_id: manager, ...args });

async function give(user: string, amount: number): Promise<void> {
  await pool`
    insert into public.exp_entries (user_id, reason, source_type, source_id, amount)
    values (${user}, 'adjustment', 'fixture', gen_random_uuid(), ${amount})`;
}

async function activity(user: string, type: string): Promise<void> {
  await pool`select private.record_activity(${user}, ${type}, p_subject_id => gen_random_uuid())`;
}

const levelOf = async (user: string) =>
  (await pool<{ level: number }[]>`select level from public.app_users where id = ${user}`)[0]!.level;

async function acts(target: string, id: string): Promise<string[]> {
  const found = await recordedActs(pool, { target_type: target, target_id: id }, ["action"]);
  return found.map(({ action }) => action);
}

const badge = (columns: Row = {}) => ({
  name: "バッジ",
  description: "説明",
  icon: "icon",
  category: "parking",
  conditions: { activity: ["support_ticket_post"], measure: "count" },
  threshold: 3,
  ...columns,
});

Deno.test("recalculate_all_user_levels: in batches, a lost batch is repeated, and users who withdrew are left out", async () => {
  const users = await Promise.all(Array.from({ length: 7 }, () => newUser(db.sql)));
  for (const user of users) await give(user, 160);
  await db.sql`select private.empty_account(${users[0]!})`;
  await db.sql`update public.app_users set level = 9, total_exp = 1 where id = any (${users.slice(1)})`;
  const read = () => asManager("read_level_recalculation");
  assert.equal((await read())["status"], "none");
  const started = await asManager("recalculate_levels");
  assert.deepEqual([started["status"], started["done_users"]], ["queued", 0]);
  const lost = new Error("lost");
  const batch = db.sql.begin(async (sql) => {
    await sql`select private.next_level_batch(2)`;
    throw lost;
  });
  await assert.rejects(batch, lost);
  assert.deepEqual(await read(), started);
  await db.sql`select private.next_level_batch(2)`;
  const running = await read();
  assert.deepEqual([running["status"], running["done_users"]], ["running", 2]);
  assert.equal(running["total_users"], started["total_users"]);
  while ((await db.sql`select private.next_level_batch(2) as more`)[0]!["more"]);
  const done = await read();
  assert.deepEqual([done["status"], done["done_users"], done["changed_users"]], ["done", started["total_users"], 6]);
  for (const user of users.slice(1)) assert.equal(await levelOf(user), 3);
  const [act] = await db.sql`select changes from public.admin_activity_logs where action = 'level.recalculate'`;
  assert.deepEqual(act!["changes"]["status"], { old: "none", new: "queued" });
});

Deno.test("recalculate_all_user_levels: a call while it runs starts it again, and two workers do not do one batch twice", async () => {
  await call("recalculate_all_user_levels", {});
  await db.sql`select private.next_level_batch(2)`;
  const again = await call("recalculate_all_user_levels", {});
  assert.deepEqual([again["status"], again["done_users"]], ["queued", 0]);
  const first = await db.sql.begin(async (sql) => {
    const [mine] = await sql`select private.next_level_batch(2) as worked`;
    const [other] = await pool`select private.next_level_batch(2) as worked`;
    return [mine!["worked"], other!["worked"]];
  });
  assert.deepEqual(first, [true, false]);
  assert.equal(await recalculateLevels(db.sql), 0);
});

Deno.test("recalculate_all_user_levels: while users earn points, sums and levels are those of the ledger", async () => {
  const users = await Promise.all(Array.from({ length: 12 }, () => newUser(db.sql)));
  await db.sql`update public.app_users set level = 5, total_exp = 0 where id = any (${users})`;
  await call("recalculate_all_user_levels", {});
  let working = true;
  const work = async () => {
    while ((await pool`select private.next_level_batch(3) as more`)[0]!["more"]);
    working = false;
  };
  let given = 0;
  const write = async () => {
    while (working || given < 100) {
      await give(users[given++ % users.length]!, 10);
    }
  };
  await Promise.all([work(), write(), write(), write(), write()]);
  const wrong = await db.sql`
    select u.id from public.app_users u left join public.exp_entries e on e.user_id = u.id
    where u.id = any (${users}) group by u.id
    having u.total_exp <> coalesce(sum(e.amount), 0) or u.level <> private.level_at(u.total_exp)`;
  assert.deepEqual([...wrong], []);
});

Deno.test("PATCH of levels: levels of users change only by the recalculation", async () => {
  const user = await newUser(db.sql);
  await give(user, 60);
  assert.equal(await levelOf(user), 2);
  await asManager("update_level", { p_level: 2, p_changes: { required_exp: 70 } });
  assert.equal(await levelOf(user), 2);
  await recalculateLevels(db.sql);
  assert.equal(await levelOf(user), 1);
  await asManager("update_level", { p_level: 2, p_changes: { required_exp: 50 } });
  await recalculateLevels(db.sql);
  assert.equal(await levelOf(user), 2);
});

Deno.test("levels: concurrent writes of administrators keep the thresholds rising", async () => {
  for (let n = 0; n < 5; n++) {
    const base = 2000 + n * 10;
    const attempts = Array.from({ length: 10 }, (_, k) =>
      asManager("create_level", {
        p_fields: { level: base + k, required_exp: 100_000 * (n + 1) + Math.floor(Math.random() * 100) + 1 },
      }));
    const outcomes = await Promise.allSettled(attempts);
    for (const outcome of outcomes) {
      if (outcome.status === "fulfilled") continue;
      assert.match(String(outcome.reason.message), /required_exp must increase with the level/);
    }
    assert.ok(outcomes.some(({ status }) => status === "fulfilled"));
  }
  const wrong = await db.sql`
    select level from (select level, required_exp, lag(required_exp) over (order by level) as below from public.levels) l
    where required_exp <= below`;
  assert.deepEqual([...wrong], []);
});

Deno.test("PATCH of a badge: of two concurrent requests with one If-Match one is carried out and recorded", async () => {
  const made = await asManager("create_badge", { p_fields: badge({ is_active: false }) });
  const id = String(made["id"]);
  const change = (name: string) =>
    asManager("update_badge", { p_id: id, p_changes: { name }, p_if_match: `"${made["updated_at"]}"` });
  const outcomes = await Promise.allSettled(["one", "two", "three", "four"].map(change));
  assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
  for (const outcome of outcomes) {
    if (outcome.status === "rejected") assert.equal((await errorOf(Promise.reject(outcome.reason))).status, 412);
  }
  assert.deepEqual(await acts("badge", id), ["badge.create", "badge.update"]);
});

Deno.test("PATCH of a badge: a new name rebuilds nothing, a new threshold does, and progress is read while it runs", async () => {
  for (let n = 0; n < 3; n++) await newUser(db.sql);
  while ((await db.sql`select private.next_badge_batch() as more`)[0]!["more"]);
  const made = await asManager("create_badge", { p_fields: badge() });
  const id = String(made["id"]);
  const read = () => asManager("read_badge_backfill", { p_id: id });
  assert.equal((await read())["status"], "queued");
  await db.sql`select private.next_badge_batch(2)`;
  const running = await read();
  assert.deepEqual([running["status"], running["done_users"]], ["running", 2]);
  while ((await db.sql`select private.next_badge_batch() as more`)[0]!["more"]);
  const done = await read();
  assert.deepEqual([done["status"], done["done_users"]], ["done", done["total_users"]]);
  await asManager("update_badge", { p_id: id, p_changes: { name: "新しい名前", name_en: "New name", sort_order: 5 } });
  assert.deepEqual(await read(), done);
  await asManager("update_badge", { p_id: id, p_changes: { threshold: 2 } });
  assert.equal((await read())["status"], "queued");
  const all = await asManager("read_badge_backfills");
  assert.equal(all["status"], "queued");
  assert.equal(Number(all["total_badges"]) - Number(all["done_badges"]), 1);
  while ((await db.sql`select private.next_badge_batch() as more`)[0]!["more"]);
});

/** Deletes in a transaction that is open until what `meanwhile` starts waits for it. */
async function deleted(name: string, id: unknown, meanwhile: () => Promise<void>): Promise<void> {
  let started: Promise<void> | undefined;
  await db.sql.begin(async (sql) => {
    await sql`select set_config('role', 'service_role', true)`;
    await sql.unsafe(`select api.admin_delete_${name}($1, $2)`, [manager, String(id)]);
    started = meanwhile();
    await eventually(async () => {
      const waiting = await pool`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return waiting.length > 0 ? true : undefined;
    });
  });
  await started;
}

Deno.test("DELETE of a badge and of a theme: a concurrent activity that would earn them succeeds without them", async () => {
  const user = await newUser(db.sql);
  const made = await asManager("create_badge", { p_fields: badge({ threshold: 1 }) });
  await deleted("badge", made["id"], () => activity(user, "support_ticket_post"));
  const theme = await asManager("create_theme", { p_fields: { name: "Theme", unlock_level: 10 } });
  await deleted("theme", theme["id"], () => give(user, 7000));
  const [left] = await db.sql`
    select (select count(*)::integer from public.user_activity_logs where user_id = ${user}) as activities,
      (select count(*)::integer from public.user_badges where user_id = ${user}) as badges,
      (select count(*)::integer from public.user_themes where user_id = ${user} and theme_id = ${
    String(theme["id"])
  }) as themes,
      (select level from public.app_users where id = ${user}) as level`;
  assert.deepEqual({ ...left! }, { activities: 1, badges: 0, themes: 0, level: 10 });
});

Deno.test("DELETE of a badge: of a deletion and users who earn it concurrently, either it is deleted or they have it", async () => {
  const users = await Promise.all(Array.from({ length: 8 }, () => newUser(db.sql)));
  for (let n = 0; n < 10; n++) {
    const made = await asManager("create_badge", { p_fields: badge({ threshold: 1 }) });
    const [removed] = await Promise.allSettled([
      asManager("delete_badge", { p_id: made["id"] }),
      ...users.map((user) => activity(user, "support_ticket_post")),
    ]);
    const [row] = await db.sql<{ badges: number; earned: number }[]>`
      select (select count(*)::integer from public.badges where id = ${String(made["id"])}) as badges,
        (select count(*)::integer from public.user_badges where badge_id = ${String(made["id"])}) as earned`;
    assert.equal(removed.status === "fulfilled", row!.badges === 0);
    assert.equal(row!.earned > 0, row!.badges === 1);
    if (row!.badges === 1) await asManager("update_badge", { p_id: made["id"], p_changes: { is_active: false } });
  }
  const [done] = await db.sql<{ activities: number }[]>`
    select count(*)::integer as activities from public.user_activity_logs where user_id = any (${users})`;
  assert.equal(done!.activities, 80);
});

Deno.test("EXP rules: a change and a switch count for later activities, and given points stay after the rule is deleted", async () => {
  const user = await newUser(db.sql);
  const made = await asManager("create_exp_rule", {
    p_fields: { reason: "session_end", activity_type: "lot_save", amount: 7 },
  });
  const given = async () =>
    (await db.sql<{ amount: number }[]>`
      select amount from public.exp_entries where user_id = ${user} and reason = 'session_end' order by created_at`)
      .map(({ amount }) => amount);
  await activity(user, "lot_save");
  await asManager("update_exp_rule", { p_id: made["id"], p_changes: { amount: 9 } });
  await activity(user, "lot_save");
  await asManager("update_exp_rule", { p_id: made["id"], p_changes: { is_active: false } });
  await activity(user, "lot_save");
  assert.deepEqual(await given(), [7, 9]);
  await asManager("delete_exp_rule", { p_id: made["id"] });
  await activity(user, "lot_save");
  assert.deepEqual(await given(), [7, 9]);
  assert.equal(await recalculateLevels(db.sql), 0);
  assert.deepEqual(await acts("exp_rule", String(made["id"])), [
    "exp_rule.create",
    "exp_rule.update",
    "exp_rule.update",
    "exp_rule.delete",
  ]);
});

Deno.test("themes: a user who reaches the level while the job grants the theme owns it in the end", async () => {
  const user = await newUser(db.sql);
  let made: Row = {};
  await db.sql.begin(async (sql) => {
    await sql`
      insert into public.exp_entries (user_id, reason, source_type, source_id, amount)
      select ${user}, 'adjustment', 'fixture', gen_random_uuid(), l.required_exp from public.levels l where l.level = 6`;
    made = await asManager("create_theme", { p_fields: { name: "Theme", unlock_level: 6 } });
    const job = (async () => {
      while ((await pool`select private.next_theme_batch() as more`)[0]!["more"]);
    })();
    // The job waits for the row of the user.
    await eventually(async () => {
      const waiting = await db
        .sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%next_theme_batch%'`;
      return waiting.length > 0 ? true : undefined;
    });
    void job;
  });
  await eventually(async () => {
    const [row] = await db.sql`select finished_at from private.theme_grants where theme_id = ${String(made["id"])}`;
    return row!["finished_at"] ?? undefined;
  });
  const owned = await db.sql`select acquisition_type from public.user_themes where user_id = ${user} and theme_id = ${
    String(made["id"])
  }`;
  assert.deepEqual(owned.map((row) => row["acquisition_type"]), ["reward"]);
});

Deno.test("themes: a patch of the name starts no job, one of the level does", async () => {
  const made = await asManager("create_theme", { p_fields: { name: "Theme", unlock_level: 10 } });
  const id = String(made["id"]);
  while ((await db.sql`select private.next_theme_batch() as more`)[0]!["more"]);
  const running = async () =>
    (await db.sql`select from private.theme_grants where theme_id = ${id} and finished_at is null`).length;
  await asManager("update_theme", { p_id: id, p_changes: { name: "Other", sort_order: 3 } });
  assert.equal(await running(), 0);
  await asManager("update_theme", { p_id: id, p_changes: { unlock_level: 9 } });
  assert.equal(await running(), 1);
});

Deno.test("gifts: of twenty concurrent gifts by every interface one is given and recorded", async () => {
  const user = await newUser(db.sql);
  const made = await asManager("create_theme", { p_fields: { name: "Theme" } });
  const theme = { p_theme_id: made["id"], p_user_id: user };
  const outcomes = await Promise.allSettled(
    Array.from(
      { length: 20 },
      (_, n) =>
        n % 2 === 0 ? asManager("gift_theme", theme) : call("gift_theme_to_user", { ...theme, p_admin_id: manager }),
    ),
  );
  assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
  assert.deepEqual(await acts("theme", String(made["id"])), ["theme.create", "theme.gift"]);
});

Deno.test("gifts: when the recipient withdraws, the record stays without its values", async () => {
  const user = await newUser(db.sql);
  const made = await asManager("create_theme", { p_fields: { name: "Theme" } });
  await asManager("gift_theme", { p_theme_id: made["id"], p_user_id: user, p_message: "Thank you" });
  await db.sql`select private.empty_account(${user})`;
  const [act] = await db.sql`
    select user_id, changes from public.admin_activity_logs where action = 'theme.gift' and user_id = ${user}`;
  assert.deepEqual({ ...act! }, { user_id: user, changes: { gift_id: null, has_message: null } });
});

Deno.test("evaluate_badge_conditions: gives the result of counting for an activity, and names invalid conditions", async () => {
  const conditions = { activity: ["session_end"], measure: "count", where: { min: { field: "minutes", value: 60 } } };
  const evaluate = (metadata: unknown, given: unknown = conditions) =>
    call("evaluate_badge_conditions", { metadata, conditions: given });
  for (
    const [metadata, counts] of [
      [{ kind: "session_end", minutes: 60 }, true],
      [{ kind: "session_end", minutes: 59 }, false],
      [{ kind: "lot_save", minutes: 60 }, false],
      [{ kind: "session_end" }, false],
      [{}, false],
    ] as const
  ) assert.equal(await evaluate(metadata), counts, JSON.stringify(metadata));
  const [whole] = await db.sql`
    select api.evaluate_badge_conditions('{"kind": "session_end", "hour": 23.0}',
      '{"activity": ["session_end"], "measure": "count", "where": {"hours": {"from": 22.0, "to": 5}}}') as counts`;
  assert.equal(whole!["counts"], true);
  for (
    const [metadata, given, param] of [
      [null, conditions, "metadata"],
      [[], conditions, "metadata"],
      [{ hour: "noon" }, conditions, "metadata.hour"],
      [{ hour: 24 }, conditions, "metadata.hour"],
      [{}, null, "conditions"],
      [{}, {}, "conditions.activity"],
      [{}, { ...conditions, where: { any: [{ weekdays: [] }] } }, "conditions.where.any.0.weekdays"],
    ] as const
  ) {
    const error = await errorOf(evaluate(metadata, given));
    assert.deepEqual([error.code, error.param], ["validation_error", param]);
  }
});

Deno.test("rewards: a rejected act is not recorded, for any caller", async () => {
  const [{ count: before } = {}] = await db.sql`select count(*)::integer as count from public.admin_activity_logs`;
  const other = await newAdmin("users", "content");
  const suspended = await newAdmin("rewards");
  await db.sql`update public.admins set status = 'suspended' where id = ${suspended}`;
  for (const admin of [other, suspended, await newUser(db.sql)]) {
    for (
      const [name, args] of [
        ["create_badge", { p_fields: badge() }],
        ["create_level", { p_fields: { level: 3000, required_exp: 900_000_000 } }],
        ["create_exp_rule", { p_fields: { reason: "session_end", activity_type: "review_post", amount: 1 } }],
        ["create_theme", { p_fields: { name: "Theme" } }],
        ["recalculate_levels", {}],
        ["backfill_badges", {}],
        ["read_badge_backfills", {}],
        ["gift_theme", { p_theme_id: crypto.randomUUID(), p_user_id: crypto.randomUUID() }],
      ] as const
    ) assert.equal((await errorOf(call(`admin_${name}`, { p_admin_id: admin, ...args }))).status, 403, name);
  }
  for (
    const [name, args, status] of [
      ["create_badge", { p_fields: badge({ threshold: 0 }) }, 422],
      ["delete_level", { p_level: 1 }, 409],
      ["delete_exp_rule", { p_id: 999_999 }, 404],
      ["backfill_badge", { p_id: crypto.randomUUID() }, 404],
    ] as const
  ) assert.equal((await errorOf(asManager(name, args))).status, status, name);
  const [{ count: after } = {}] = await db.sql`select count(*)::integer as count from public.admin_activity_logs`;
  assert.equal(after, before);
});
