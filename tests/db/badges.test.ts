// Badges: what counts, what is earned, what a broken one does, and that a rebuild comes to the same.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";
import { newLot, newUser, signedIn } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

type Conditions = Record<string, unknown>;

async function newBadge(conditions: Conditions, threshold = 100): Promise<string> {
  const [row] = await db.sql<{ id: string }[]>`
    insert into public.badges (name, description, icon, category, conditions, threshold)
    values ('Badge', 'For a test', 'icon', 'parking', ${db.sql.json(conditions as never)}, ${threshold}) returning id`;
  return row!.id;
}

async function activity(user: string, type: string, { lot = null, at, subject = crypto.randomUUID(), metadata = {} }: {
  lot?: string | null;
  at?: string;
  subject?: string;
  metadata?: Record<string, number>;
} = {}): Promise<void> {
  await db.sql`
    select private.record_activity(${user}, ${type}, ${lot}, ${subject}, ${db.sql.json(metadata)},
      p_created_at => ${at ?? new Date().toISOString()})`;
}

async function progressOf(user: string, badge: string): Promise<number> {
  const [row] = await db.sql<{ count: number }[]>`
    select count from public.user_badge_progress where user_id = ${user} and badge_id = ${badge}`;
  return row?.count ?? 0;
}

async function workOff(appUsers = 1000): Promise<void> {
  for (;;) {
    const [row] = await db.sql<{ more: boolean }[]>`select private.next_badge_batch(${appUsers}) as more`;
    if (!row!.more) return;
  }
}

Deno.test("badges: rows, lots, days and streaks are each counted once", async () => {
  const [user, one, two] = [await newUser(db.sql), await newLot(db.sql), await newLot(db.sql)];
  const measures = ["count", "distinct_lots", "distinct_days", "streak_days"];
  const badges = [];
  for (const measure of measures) badges.push(await newBadge({ activity: ["session_end"], measure }));
  // The days are those of Japan: 15:00 UTC begins the next one.
  for (const [at, lot] of [["05T14:59", one], ["05T15:00", two], ["07T01:00", one], ["10T01:00", one]] as const) {
    await activity(user, "session_end", { at: `2026-09-${at}:00Z`, lot });
  }
  await activity(user, "lot_save", { lot: two });
  assert.deepEqual(await Promise.all(badges.map((badge) => progressOf(user, badge))), [4, 2, 4, 3]);
});

Deno.test("badges: a badge is earned once, with a notification and its points, and stays, with its progress and without its counted sources", async () => {
  const [user, lot] = [await newUser(db.sql), await newLot(db.sql)];
  const conditions = { activity: ["review_approved"], measure: "count" };
  const [badge, further] = [await newBadge(conditions, 1), await newBadge(conditions, 2)];
  const [review] = await db.sql<{ id: string }[]>`
    insert into public.reviews (parking_lot_id, user_id, rating) values (${lot}, ${user}, 4) returning id`;
  for (const [status, count] of [["approved", 1], ["hidden", 0], ["approved", 1], ["hidden", 0]] as const) {
    await db.sql`update public.reviews set status = ${status} where id = ${review!.id}`;
    assert.deepEqual([await progressOf(user, badge), await progressOf(user, further)], [1, count]);
    const marks = await db.sql`
      select badge_id from private.badge_marks where user_id = ${user} and badge_id in (${badge}, ${further})`;
    assert.deepEqual(marks.map(({ badge_id }) => badge_id), Array(count).fill(further));
  }
  const [notifications] = await db.sql<{ badges: number; notes: number; exp: number }[]>`
    select (select count(*)::integer from public.user_badges where user_id = ${user}) as badges,
      (select count(*)::integer from public.user_notifications where user_id = ${user} and type = 'badge_earned') as notes,
      (select sum(amount)::integer from public.exp_entries where user_id = ${user} and reason = 'badge_earned') as exp`;
  assert.deepEqual({ ...notifications! }, { badges: 1, notes: 1, exp: 50 });
  // Users who have the badge keep it after a change of its conditions, and it is shown with the new ones.
  await db.sql`update public.badges set threshold = 3 where id = ${badge}`;
  await workOff();
  assert.equal(await progressOf(user, badge), 1);
  const [row] = await db.as(signedIn(user), (sql) => sql`select api.list_my_badge_progress(100) -> 'items' as items`);
  const visible = (row!["items"] as { badge_id: string; count: number; percent: number }[])
    .filter(({ badge_id }) => badge_id === badge).map(({ count, percent }) => [count, percent]);
  assert.deepEqual(visible, [[3, 100]]);
});

Deno.test("badges: invalid conditions are rejected when the badge is saved, with the wrong place", async () => {
  const where = (predicate: unknown) => ({ activity: ["session_end"], measure: "count", where: predicate });
  for (
    const [wrong, says] of [
      [{ activity: ["nap"], measure: "count" }, /activity/],
      [{ activity: ["session_end"], measure: "weight" }, /measure/],
      [{ activity: ["session_end"], measure: "count", unless: {} }, /unless/],
      [{ activity: ["review_approved"], measure: "streak_days" }, /days/],
      [where({ like: { field: "x", value: 1 } }), /like is not an operator/],
      [where({ min: { field: "x", value: "1" } }), /min must have a number/],
      [where({ all: [{ hours: { from: 25, to: 3 } }] }), /hours/],
      [where({ not: { weekdays: [7] } }), /weekdays/],
      [where({ dates: { from: "2026-13-01", to: "2026-12-01" } }), /dates/],
      [where({ min: { field: "x", value: 1 }, max: { field: "x", value: 1 } }), /one operator/],
      [where({ any: [] }), /any must be a list/],
    ] as const
  ) {
    const error = await errorOf(newBadge(wrong as Conditions));
    assert.equal(error.code, "validation_error");
    assert.match(error.message, says);
  }
});

Deno.test("badges: predicates match exactly the activities that they describe", async () => {
  const holds = async (predicate: unknown, metadata: Record<string, number | string>, at = "2026-09-04T13:30:00Z") => {
    const conditions = { activity: ["session_end"], measure: "count", where: predicate };
    const [row] = await db.sql<{ fault: string | null; holds: boolean }[]>`
      select private.badge_conditions_error(c) as fault, private.meets_badge_conditions(
        private.badge_metadata('session_end', ${db.sql.json(metadata)}, ${at}), c) as holds
      from (select ${db.sql.json(conditions as never)}::jsonb) as s (c)`;
    assert.equal(row!.fault, null);
    return row!.holds;
  };
  const min = { min: { field: "minutes", value: 60 } };
  assert.equal(await holds(min, { minutes: 60 }), true);
  assert.equal(await holds(min, { minutes: 59 }), false);
  assert.equal(await holds(min, { minutes: "100" }), false);
  assert.equal(await holds(min, {}), false);
  assert.equal(await holds({ not: min }, {}), true);
  assert.equal(await holds({ max: { field: "minutes", value: 60 } }, { minutes: 60.5 }), false);
  assert.equal(await holds({ equals: { field: "currency", value: "JPY" } }, { currency: "JPY" }), true);
  // A Friday, 22:30 in Japan.
  assert.equal(await holds({ hours: { from: 22, to: 5 } }, {}), true);
  assert.equal(await holds({ hours: { from: 5, to: 22 } }, {}), false);
  assert.equal(await holds({ weekdays: [5] }, {}), true);
  assert.equal(await holds({ weekdays: [0, 6] }, {}), false);
  assert.equal(await holds({ dates: { from: "2026-09-04", to: "2026-09-04" } }, {}), true);
  assert.equal(await holds({ all: [min, { weekdays: [5] }] }, { minutes: 59 }), false);
  assert.equal(await holds({ any: [min, { weekdays: [5] }] }, { minutes: 59 }), true);
});

Deno.test("badges: a whole number may be written with a point", async () => {
  const user = await newUser(db.sql);
  const [badge] = await db.sql<{ id: string }[]>`
    insert into public.badges (name, description, icon, category, conditions, threshold)
    values ('Badge', 'For a test', 'icon', 'parking', '{"activity": ["session_end"], "measure": "count",
      "where": {"all": [{"hours": {"from": 22.0, "to": 5.00}}, {"weekdays": [5.0]}]}}', 100) returning id`;
  await activity(user, "session_end", { at: "2026-09-04T13:30:00Z" });
  await activity(user, "session_end", { at: "2026-09-04T12:59:00Z" });
  assert.equal(await progressOf(user, badge!.id), 1);
});

Deno.test("badges: a badge with broken conditions stops neither the activity nor the other badges, and is logged once", async () => {
  const user = await newUser(db.sql);
  const [broken, sound] = [
    await newBadge({ activity: ["lot_save"], measure: "count" }),
    await newBadge({ activity: ["lot_save"], measure: "count" }),
  ];
  await db.sql`alter table public.badges disable trigger _200_check_conditions`;
  await db.sql`
    update public.badges set conditions = '{"activity": ["lot_save"], "measure": "count", "where": {"older": 1}}'
    where id = ${broken}`;
  await db.sql`alter table public.badges enable trigger _200_check_conditions`;
  await activity(user, "lot_save");
  await activity(user, "lot_save");
  assert.deepEqual([await progressOf(user, broken), await progressOf(user, sound)], [0, 2]);
  const errors = await db.sql`select error from private.badge_errors where badge_id = ${broken}`;
  assert.deepEqual(errors.map((row) => row["error"]), [
    "older is not an operator. Use all, any, not, min, max, equals, hours, weekdays or dates.",
  ]);
  await workOff();
  await db.sql`update public.badges set is_active = false where id = ${broken}`;
});

Deno.test("badges: a badge whose conditions change is earned by the new conditions only", async () => {
  const [short, long] = [await newUser(db.sql), await newUser(db.sql)];
  const badge = await newBadge({ activity: ["session_end"], measure: "count" }, 4);
  await workOff();
  for (let n = 0; n < 3; n++) {
    await activity(short, "session_end", { metadata: { minutes: 10 } });
    await activity(long, "session_end", { metadata: { minutes: 90 } });
  }
  const where = { min: { field: "minutes", value: 60 } };
  await db.sql`
    update public.badges set conditions = conditions || ${
    db.sql.json({ where })
  }, is_active = false where id = ${badge}`;
  await db.sql`update public.badges set is_active = true where id = ${badge}`;
  for (const user of [short, long]) await activity(user, "session_end", { metadata: { minutes: 90 } });
  await workOff();
  assert.deepEqual([await progressOf(short, badge), await progressOf(long, badge)], [1, 4]);
  const earned = await db.sql`
    select user_id from public.user_badges where badge_id = ${badge} and user_id in (${short}, ${long})`;
  assert.deepEqual(earned.map((row) => row["user_id"]), [long]);
});

Deno.test("badges: a rebuild gives the same result after any earlier conditions", async () => {
  const [user, lot] = [await newUser(db.sql), await newLot(db.sql)];
  for (const day of ["01", "02", "02", "05"]) {
    await activity(user, "support_ticket_post", { at: `2026-09-${day}T03:00:00Z`, lot });
  }
  const badge = await newBadge({ activity: ["support_ticket_post"], measure: "count" });
  const counts = { count: 4, streak_days: 2, distinct_lots: 1, distinct_days: 3 };
  for (const before of Object.keys(counts)) {
    for (const [measure, count] of Object.entries(counts)) {
      for (
        const conditions of [{ activity: ["support_ticket_post"], measure: before }, {
          activity: ["support_ticket_post"],
          measure,
        }]
      ) {
        await db.sql`update public.badges set conditions = ${db.sql.json(conditions)} where id = ${badge}`;
        await workOff();
      }
      assert.equal(await progressOf(user, badge), count, `${measure} after ${before}`);
    }
  }
  await db.sql`
    update public.badges set conditions = '{"activity": ["error_report_post"], "measure": "streak_days"}' where id = ${badge}`;
  await workOff();
  assert.equal(await progressOf(user, badge), 0);
});

/** How many users the console says would have a badge. */
async function previewed(conditions: Conditions, threshold: number): Promise<{ users: number; is_exact: boolean }> {
  const administrator = crypto.randomUUID();
  await db.sql`
    insert into auth.users (id, email, raw_app_meta_data)
    values (${administrator}, ${`${administrator}@example.test`}, '{"admin": {"areas": ["rewards"]}}')`;
  const [row] = await db.as(
    { role: "service_role" },
    (sql) =>
      sql<{ reply: { users: number; is_exact: boolean } }[]>`
        select api.admin_preview_badge(${administrator}, ${sql.json(conditions as never)}, ${threshold}) as reply`,
  );
  return row!.reply;
}

Deno.test("badges: a preview counts those who have the badge after its rebuild, and invalid conditions are named", async () => {
  const [one, two] = [await newUser(db.sql), await newUser(db.sql)];
  for (const day of ["01", "02", "03", "05"]) await activity(one, "field_deny", { at: `2026-10-${day}T03:00:00Z` });
  for (const day of ["01", "03", "05", "05"]) {
    await activity(two, "field_deny", { at: `2026-10-${day}T03:00:00Z`, metadata: { stars: 5 } });
  }
  const of = (measure: string, where?: unknown) => ({
    activity: ["field_deny"],
    measure,
    ...(where === undefined ? {} : { where }),
  });
  const five = { equals: { field: "stars", value: 5 } };
  for (
    const [conditions, threshold, users] of [
      [of("count"), 4, 2],
      [of("count"), 5, 0],
      [of("distinct_days"), 4, 1],
      [of("streak_days"), 3, 1],
      [of("streak_days"), 1, 2],
      [of("count", five), 1, 1],
      [of("distinct_lots"), 1, 0],
    ] as const
  ) {
    assert.deepEqual(await previewed(conditions, threshold), { users, is_exact: true });
    const badge = await newBadge(conditions, threshold);
    await workOff();
    const [row] = await db.sql<{ users: number }[]>`
      select count(*)::integer as users from public.user_badges where badge_id = ${badge}`;
    assert.equal(row!.users, users, JSON.stringify(conditions));
  }
  assert.equal((await errorOf(previewed({ activity: ["nap"], measure: "count" }, 1))).param, "conditions.activity");
  assert.equal((await errorOf(previewed(of("count"), 0))).param, "threshold");
});

Deno.test("badges: a new badge counts earlier activity, in batches of users", async () => {
  const users = [];
  for (let n = 0; n < 5; n++) users.push(await newUser(db.sql));
  for (const user of users) {
    for (const day of ["01", "02", "04"]) await activity(user, "lot_save", { at: `2026-09-${day}T03:00:00Z` });
  }
  const [badge, streak] = [
    await newBadge({ activity: ["lot_save"], measure: "count" }, 3),
    await newBadge({ activity: ["lot_save"], measure: "streak_days" }, 2),
  ];
  assert.equal(await progressOf(users[0]!, badge), 0);
  await workOff(2);
  for (const user of users) {
    assert.deepEqual([await progressOf(user, badge), await progressOf(user, streak)], [3, 2]);
  }
  const [earned] = await db.sql<{ earned: number }[]>`
    select count(*)::integer as earned from public.user_badges where badge_id in (${badge}, ${streak})`;
  assert.equal(earned!.earned, 10);
});

Deno.test("badges: deleting a lot keeps points and progress: activity there, and approved reviews, still count", async () => {
  const [user, lot] = [await newUser(db.sql), await newLot(db.sql)];
  const badges = [
    await newBadge({ activity: ["lot_save"], measure: "distinct_lots" }),
    await newBadge({ activity: ["review_approved"], measure: "count" }),
    await newBadge({
      activity: ["review_approved"],
      measure: "distinct_lots",
      where: { min: { field: "rating", value: 4 } },
    }),
  ];
  await activity(user, "lot_save", { lot });
  await db.sql`
    insert into public.reviews (parking_lot_id, user_id, rating, status) values (${lot}, ${user}, 4, 'approved')`;
  const standing = async () => {
    const [row] = await db.sql<{ total_exp: number }[]>`select total_exp from public.app_users where id = ${user}`;
    return [row!.total_exp, ...await Promise.all(badges.map((badge) => progressOf(user, badge)))];
  };
  const before = await standing();
  assert.deepEqual(before.slice(1), [1, 1, 1]);
  await db.sql`delete from public.parking_lots where id = ${lot}`;
  assert.deepEqual(await standing(), before);
  for (const badge of badges) await db.sql`select api.backfill_badge_progress(${badge})`;
  await workOff();
  assert.deepEqual(await standing(), before);
});

Deno.test("badges: users read their badges, and their progress with all of them", async () => {
  const user = await newUser(db.sql);
  await activity(user, "session_end");
  const [row] = await db.as(
    signedIn(user),
    (sql) =>
      sql<
        { mine: { items: { badge: { name: string } }[] }; progress: { items: { count: number; percent: number }[] } }[]
      >`
        select api.list_my_badges() as mine, api.list_my_badge_progress(100) as progress`,
  );
  assert.deepEqual(row!.mine.items.map(({ badge }) => badge.name), ["はじめての駐車"]);
  const [active] = await db.sql<{ badges: number }[]>`
    select count(*)::integer as badges from public.badges where is_active`;
  assert.equal(row!.progress.items.length, active!.badges);
  assert.ok(row!.progress.items.every(({ count, percent }) => (count === 0) === (percent === 0)));
});

Deno.test("badges: a badge with an infinite earned_at is rejected: it would fail the whole list", async () => {
  const user = await newUser(db.sql);
  const badge = await newBadge({ activity: ["session_end"], measure: "count" });
  for (const at of ["infinity", "-infinity", "10000-01-01 00:00:00+00", "0044-03-15 00:00:00+00 BC"]) {
    const earning = db.sql`
      insert into public.user_badges (user_id, badge_id, earned_at) values (${user}, ${badge}, ${at}::text::timestamptz)`;
    assert.equal(await sqlstate(earning), "23514", at);
  }
});

// The last one: a rebuild of a badge reads all users.
Deno.test("badges: of more than 1,000 users a preview reads a sample, and scales the number", async () => {
  await db.sql`insert into auth.users (id) select gen_random_uuid() from generate_series(1, 3000)`;
  await db.sql`
    insert into public.user_activity_logs (user_id, activity_type, subject_id)
    select id, 'sponsor_checkin', gen_random_uuid() from public.app_users order by id limit 1500`;
  await db.sql`analyze public.app_users`;
  const { users, is_exact } = await previewed({ activity: ["sponsor_checkin"], measure: "count" }, 1);
  assert.equal(is_exact, false);
  assert.ok(users > 1_200 && users < 1_800, String(users));
});
