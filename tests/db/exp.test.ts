// Experience points: what gives them, once; what takes them back; and the level that follows.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";
import { decideReport, newAdministrator } from "../support/activities.ts";
import { newLot, newUser, recalculateLevels, signedIn } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

/** At noon in Japan, at any time of the test: at night the fifth session earns a badge. */
async function activity(user: string, type: string, subject: string = crypto.randomUUID()): Promise<void> {
  await db.sql`
    select private.record_activity(${user}, ${type}, p_subject_id => ${subject},
      p_created_at => ((now() at time zone 'Asia/Tokyo')::date + time '12:00') at time zone 'Asia/Tokyo')`;
}

/** The entries without what badges gave, oldest first. */
async function entriesOf(user: string): Promise<[string, number][]> {
  const rows = await db.sql<{ reason: string; amount: number }[]>`
    select reason, amount from public.exp_entries
    where user_id = ${user} and reason <> 'badge_earned' order by created_at, id`;
  return rows.map(({ reason, amount }) => [reason, amount]);
}

async function standing(user: string): Promise<{ total_exp: number; level: number; sum: number }> {
  const [row] = await db.sql<{ total_exp: number; level: number; sum: number }[]>`
    select u.total_exp, u.level,
      (select coalesce(sum(e.amount), 0)::integer from public.exp_entries e where e.user_id = u.id) as sum
    from public.app_users u where u.id = ${user}`;
  return { ...row! };
}

Deno.test("EXP: an activity gives its points once, and the first of the day more", async () => {
  const [user, session] = [await newUser(db.sql), crypto.randomUUID()];
  await activity(user, "session_end", session);
  await activity(user, "session_end", session);
  await db.sql`select private.give_exp(${user}, 'session_end', 'session_end', ${session}, 'session_end')`;
  await activity(user, "session_end");
  await activity(user, "lot_save");
  assert.deepEqual(await entriesOf(user), [["session_end", 10], ["first_of_day", 5], ["session_end", 10]]);
});

Deno.test("EXP: a fact that is confirmed and then denied counts once", async () => {
  const [user, fact] = [await newUser(db.sql), crypto.randomUUID()];
  for (const type of ["field_confirm", "field_deny"]) await activity(user, type, fact);
  assert.deepEqual(await entriesOf(user), [["field_value_vote", 3], ["first_of_day", 5]]);
});

Deno.test("EXP: an unrewarded activity gives no points and counts for no badge, also after a rebuild", async () => {
  const user = await newUser(db.sql);
  const [badge] = await db.sql<{ id: string }[]>`
    insert into public.badges (name, description, icon, category, conditions, threshold)
    values ('Badge', 'For a test', 'icon', 'parking', '{"activity": ["session_end"], "measure": "count"}', 1) returning id`;
  await db.sql`
    select private.record_activity(${user}, 'session_end', p_subject_id => gen_random_uuid(), p_is_rewarded => false)`;
  for (let more = true; more;) {
    [{ more = false } = {}] = await db.sql<{ more: boolean }[]>`select private.next_badge_batch() as more`;
  }
  assert.deepEqual(await entriesOf(user), []);
  assert.equal((await db.sql`select from public.user_badge_progress where user_id = ${user} and count > 0`).length, 0);
  await db.sql`update public.badges set is_active = false where id = ${badge!.id}`;
});

Deno.test("EXP: the daily limit of a rule bounds the sources with points", async () => {
  const user = await newUser(db.sql);
  for (let n = 0; n < 8; n++) await activity(user, "session_end");
  assert.equal((await entriesOf(user)).filter(([reason]) => reason === "session_end").length, 5);
});

Deno.test("EXP: a review gives when approved, takes back when hidden, gives again when shown, and takes back when deleted", async () => {
  const [user, lot] = [await newUser(db.sql), await newLot(db.sql)];
  const [review] = await db.sql<{ id: string }[]>`
    insert into public.reviews (parking_lot_id, user_id, rating) values (${lot}, ${user}, 4) returning id`;
  for (const status of ["approved", "hidden", "approved"]) {
    await db.sql`update public.reviews set status = ${status} where id = ${review!.id}`;
  }
  assert.deepEqual((await entriesOf(user)).map(([, amount]) => amount), [30, -30, 30]);
  await db.sql`delete from public.reviews where id = ${review!.id}`;
  assert.deepEqual((await entriesOf(user)).map(([, amount]) => amount), [30, -30, 30, -30]);
  assert.equal((await standing(user)).total_exp, 0);
});

Deno.test("EXP: a review that its author edits waits for approval, and its points and counted sources are taken back meanwhile", async () => {
  const [user, lot] = [await newUser(db.sql), await newLot(db.sql)];
  const [review] = await db.sql<{ id: string }[]>`
    insert into public.reviews (parking_lot_id, user_id, rating, status)
    values (${lot}, ${user}, 4, 'approved') returning id`;
  const marks = () => db.sql`select mark from private.badge_marks where user_id = ${user}`;
  assert.equal((await marks()).length, 1);
  await db.as(signedIn(user), (sql) => sql`select commands.update_my_review(${review!.id}, 2)`);
  assert.deepEqual((await entriesOf(user)).map(([, amount]) => amount), [30, -30]);
  assert.equal((await marks()).length, 0);
});

Deno.test("EXP: the points taken back are those given, also after a change of the rule", async () => {
  const [user, lot] = [await newUser(db.sql), await newLot(db.sql)];
  const [review] = await db.sql<{ id: string }[]>`
    insert into public.reviews (parking_lot_id, user_id, rating, status)
    values (${lot}, ${user}, 4, 'approved') returning id`;
  await db.sql`update private.exp_rules set amount = 35 where reason = 'review_approved'`;
  await db.sql`update public.reviews set status = 'hidden' where id = ${review!.id}`;
  await db.sql`update private.exp_rules set amount = 30 where reason = 'review_approved'`;
  assert.deepEqual((await entriesOf(user)).map(([, amount]) => amount), [30, -30]);
});

/** Edits the rule of a reason as the service does for an administrator, and takes the edit back when it has run. */
async function withRule(reason: string, edit: Record<string, number | boolean | null>, run: () => Promise<void>) {
  const [before] = await db.sql`
    select amount, daily_limit, is_active from private.exp_rules where reason = ${reason}`;
  const set = (columns: Record<string, number | boolean | null>) =>
    db.as(
      { role: "service_role" },
      (sql) => sql`update private.exp_rules set ${sql(columns)} where reason = ${reason}`,
    );
  await set(edit);
  await run();
  await set({ ...before } as typeof edit);
}

Deno.test("EXP: a changed rule applies to later activities: amount, limit and switch; given points stay", async () => {
  const user = await newUser(db.sql);
  const given = async () =>
    (await entriesOf(user)).filter(([reason]) => reason === "session_end").map(([, amount]) => amount);
  await activity(user, "session_end");
  await withRule("session_end", { amount: 25 }, async () => {
    await activity(user, "session_end");
    assert.deepEqual(await given(), [10, 25]);
  });
  await withRule("session_end", { daily_limit: 2 }, async () => {
    await activity(user, "session_end");
    assert.deepEqual(await given(), [10, 25]);
  });
  await withRule("session_end", { is_active: false }, async () => {
    await activity(user, "session_end");
    assert.deepEqual(await given(), [10, 25]);
  });
  await activity(user, "session_end");
  assert.deepEqual(await given(), [10, 25, 10]);
  const { total_exp, sum } = await standing(user);
  assert.equal(total_exp, sum);
  assert.equal(await recalculateLevels(db.sql), 0);
});

Deno.test("EXP: a review that is shown again after an edit gives the points of the current rule", async () => {
  const [user, lot] = [await newUser(db.sql), await newLot(db.sql)];
  const [review] = await db.sql<{ id: string }[]>`
    insert into public.reviews (parking_lot_id, user_id, rating, status)
    values (${lot}, ${user}, 4, 'approved') returning id`;
  const move = (status: string) => db.sql`update public.reviews set status = ${status} where id = ${review!.id}`;
  await withRule("review_approved", { amount: 35 }, async () => {
    await move("hidden");
    await move("approved");
  });
  await move("hidden");
  assert.deepEqual((await entriesOf(user)).map(([, amount]) => amount), [30, -30, 35, -35]);
});

Deno.test("EXP: invalid amounts, limits and causes of rules are rejected", async () => {
  const attempt = (edit: Record<string, number | string>) =>
    db.as(
      { role: "service_role" },
      (sql) => sql`update private.exp_rules set ${sql(edit)} where reason = 'session_end'`,
    );
  for (const amount of [0, -10, 10_001]) assert.equal(await sqlstate(attempt({ amount })), "23514");
  for (const daily_limit of [0, -1, 1_001]) assert.equal(await sqlstate(attempt({ daily_limit })), "23514");
  assert.equal(await sqlstate(attempt({ amount: "9999999999" })), "22003");
  for (const reason of ["breathing", "adjustment"]) {
    const { code, param } = await errorOf(attempt({ reason }));
    assert.deepEqual([code, param], ["validation_error", "reason"]);
  }
  assert.equal((await errorOf(attempt({ activity_type: "nap" }))).param, "activity_type");
  const again = db.sql`
    insert into private.exp_rules (reason, activity_type, amount) values ('session_end', 'session_end', 5)`;
  assert.equal(await sqlstate(again), "23505");
});

Deno.test("EXP: only the service reads or edits the rules", async () => {
  const user = await newUser(db.sql);
  for (const role of ["anon", "authenticated"] as const) {
    for (
      const statement of [
        "select amount from private.exp_rules",
        "update private.exp_rules set amount = 9999",
        "update public.levels set required_exp = 1 where level = 10",
      ]
    ) {
      const attempt = db.as({ role, sub: user }, (sql) => sql.unsafe(statement));
      assert.equal(await sqlstate(attempt), "42501", statement);
    }
  }
});

Deno.test("EXP: a report that was right gives points", async () => {
  const user = await newUser(db.sql);
  const [report] = await db.sql<{ id: string }[]>`
    insert into public.error_reports (user_id, parking_lot_name, report_type, description)
    values (${user}, 'Lot', 'price', 'Dearer') returning id`;
  const administrator = await newAdministrator(db.sql);
  for (const status of ["in_review", "resolved"]) {
    assert.ok(await decideReport(db.sql, administrator, { id: report!.id, status }));
  }
  assert.deepEqual(await entriesOf(user), [["error_report_resolved", 40]]);
});

Deno.test("EXP: a higher level is notified, and a recount changes nothing", async () => {
  const user = await newUser(db.sql);
  for (let n = 0; n < 5; n++) await activity(user, "session_end");
  const { total_exp, level, sum } = await standing(user);
  assert.equal(total_exp, sum);
  assert.equal(level, 2);
  const notifications = await db.sql`
    select type from public.user_notifications where user_id = ${user} and type = 'level_up'`;
  assert.equal(notifications.length, 1);
  assert.equal(await recalculateLevels(db.sql), 0);
});

Deno.test("levels: a level that a user reaches again is not notified again, a higher one is", async () => {
  const user = await newUser(db.sql);
  const notified = async () =>
    (await db.sql<{ level: string }[]>`
      select (regexp_match(title, '\\d+'))[1] as level from public.user_notifications
      where user_id = ${user} and type = 'level_up' order by created_at, id`).map(({ level }) => Number(level));
  const adjust = (amount: number) =>
    db.sql`
      insert into public.exp_entries (user_id, reason, source_type, source_id, amount)
      values (${user}, 'adjustment', 'admin', gen_random_uuid(), ${amount})`;
  const levels = await db.sql<
    { required_exp: number }[]
  >`select required_exp from public.levels order by level limit 4`;
  const [, second, third, fourth] = levels.map(({ required_exp }) => required_exp) as [number, number, number, number];
  await adjust(third);
  assert.deepEqual(await notified(), [3]);
  for (const total of [0, second, third]) await adjust(total - (await standing(user)).total_exp);
  assert.equal((await standing(user)).level, 3);
  assert.deepEqual(await notified(), [3]);

  // Nor after a recalculation has lowered the level, or raised it without a notification.
  const require = async (level: number, points: number) => {
    await db.sql`update public.levels set required_exp = ${points} where level = ${level}`;
    await recalculateLevels(db.sql);
  };
  try {
    await require(3, third + 1);
    assert.equal((await standing(user)).level, 2);
    await adjust(1);
    assert.equal((await standing(user)).level, 3);
    await require(4, third + 2);
    await adjust(1);
    assert.deepEqual(await notified(), [3, 4]);
    await adjust(-1);
    await require(3, third);
    await require(4, third + 1);
    assert.equal((await standing(user)).level, 4);
  } finally {
    await require(4, fourth);
    await require(3, third);
  }
  await adjust(fourth - (await standing(user)).total_exp);
  assert.equal((await standing(user)).level, 4);
  assert.deepEqual(await notified(), [3, 4]);
});

Deno.test("levels: a recalculation after an edit raises levels without a notification", async () => {
  const user = await newUser(db.sql);
  await activity(user, "session_end");
  const notifications = async () =>
    (await db.sql`select from public.user_notifications where user_id = ${user} and type = 'level_up'`).length;
  const [before, notificationsBefore] = [await standing(user), await notifications()];
  const [next] = await db.sql`select required_exp from public.levels where level = ${before.level + 1}`;
  await db.sql`update public.levels set required_exp = ${before.total_exp} where level = ${before.level + 1}`;
  try {
    assert.ok(await recalculateLevels(db.sql) > 0);
    assert.deepEqual([(await standing(user)).level, await notifications()], [before.level + 1, notificationsBefore]);
  } finally {
    await db.sql`update public.levels set required_exp = ${next!["required_exp"]} where level = ${before.level + 1}`;
    await recalculateLevels(db.sql);
  }
});

Deno.test("EXP: after an edit of the levels a recount sets what differs", async () => {
  const user = await newUser(db.sql);
  for (let n = 0; n < 5; n++) await activity(user, "session_end");
  await db.sql`update public.levels set required_exp = 120 where level = 2`;
  await recalculateLevels(db.sql);
  assert.equal((await standing(user)).level, 1);
  await db.sql`update public.levels set required_exp = 50 where level = 2`;
  await recalculateLevels(db.sql);
  assert.equal((await standing(user)).level, 2);
});

Deno.test("EXP: at the highest level no points are missing", async () => {
  const user = await newUser(db.sql);
  await db.sql`
    insert into public.exp_entries (user_id, reason, source_type, source_id, amount)
    select ${user}, 'adjustment', 'fixture', gen_random_uuid(), max(required_exp) from public.levels`;
  const [row] = await db.as(
    signedIn(user),
    (sql) => sql<{ exp: Record<string, unknown> }[]>`select api.my_exp() as exp`,
  );
  assert.deepEqual([row!.exp["next_level_exp"], row!.exp["exp_to_next_level"]], [null, null]);
});

Deno.test("EXP: a source cannot count twice, and only a matching entry can be taken back", async () => {
  const [user, source] = [await newUser(db.sql), crypto.randomUUID()];
  const entry = (turn: number, amount: number) =>
    db.sql`
      insert into public.exp_entries (user_id, reason, source_type, source_id, turn, amount)
      values (${user}, 'session_end', 'session_end', ${source}, ${turn}, ${amount})`;
  await entry(1, 10);
  assert.equal(await sqlstate(entry(1, 10)), "23505");
  assert.equal(await sqlstate(entry(2, 10)), "23514");
  assert.equal(await sqlstate(entry(3, -10)), "23514");
});

Deno.test("EXP: an adjustment that would exhaust the sum's range is rejected, so that later activities still count", async () => {
  const user = await newUser(db.sql);
  const adjust = (amount: number) =>
    db.sql`
      insert into public.exp_entries (user_id, reason, source_type, source_id, amount)
      values (${user}, 'adjustment', 'fixture', gen_random_uuid(), ${amount})`;
  for (const amount of [2_147_483_647, -2_147_483_648]) assert.equal(await sqlstate(adjust(amount)), "23514");
  await adjust(1_000_000);
  await activity(user, "sponsor_checkin");
  assert.equal((await standing(user)).total_exp, 1_000_020);
});

Deno.test("EXP: a user reads their standing and history, page by page", async () => {
  const user = await newUser(db.sql);
  for (let n = 0; n < 3; n++) await activity(user, "occupancy_report");
  const [row] = await db.as(
    signedIn(user),
    (sql) =>
      sql<{ exp: unknown; page: { items: { reason: string }[]; next_cursor: string } }[]>`
        select api.my_exp() as exp, api.list_my_exp_entries(2) as page`,
  );
  assert.deepEqual(row!.exp, { total_exp: 14, level: 1, next_level_exp: 50, exp_to_next_level: 36 });
  assert.equal(row!.page.items.length, 2);
  const [rest] = await db.as(
    signedIn(user),
    (sql) =>
      sql<{ page: { items: unknown[]; next_cursor: null } }[]>`
        select api.list_my_exp_entries(3, ${row!.page.next_cursor}) as page`,
  );
  assert.equal(rest!.page.items.length, 2);
  assert.equal(rest!.page.next_cursor, null);
});
