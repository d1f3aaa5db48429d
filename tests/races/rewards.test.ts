// Points and badges under many writers: random histories against a rebuild from zero and against an oracle.
import assert from "node:assert/strict";
import postgres, { type Sql } from "postgres";
import { type Badge, day, type Held, level, points, progress, rewarded, type Rule } from "../oracles/rewards.ts";
import { database } from "../support/database.ts";
import { anyActivity, newAdministrator, newWorld, type World } from "../support/activities.ts";
import { chance } from "../support/random.ts";
import { recalculateLevels } from "../support/rows.ts";
import { volume } from "../support/sizes.ts";

const HISTORIES = volume("HISTORIES", 20, 500);
/** So many share a database: the concurrent rebuild reads all of its users. */
const IN_A_DATABASE = 100;
const WRITERS = 8;
const ACTIVITIES = 48;

const CONDITIONS = [
  [{ activity: ["session_end", "occupancy_report", "review_post", "lot_save"], measure: "distinct_lots" }, 3],
  [{ activity: ["review_approved"], measure: "count" }, 2],
  [{ activity: ["review_approved"], measure: "distinct_lots" }, 1],
  [{ activity: ["error_report_resolved"], measure: "count" }, 1],
  [{ activity: ["lot_save", "review_post"], measure: "count" }, 4],
  [{ activity: ["review_post", "occupancy_report", "sponsor_checkin"], measure: "distinct_days" }, 3],
  [{ activity: ["occupancy_report", "session_end"], measure: "streak_days" }, 2],
  [{ activity: ["occupancy_report"], measure: "count", where: { not: { weekdays: [0, 6] } } }, 3],
  [{ activity: ["session_end"], measure: "count", where: { max: { field: "minutes", value: 5 } } }, 2],
] as const;

async function seedBadges(sql: Sql): Promise<void> {
  for (const [n, [conditions, threshold]] of CONDITIONS.entries()) {
    await sql`
      insert into public.badges (name, description, icon, category, conditions, threshold)
      values (${`Model ${n}`}, 'For a test', 'icon', 'model', ${sql.json(conditions as never)}, ${threshold})`;
  }
}

/** The activities of one history, by as many writers as there are connections, each taking the next one when it is free. */
async function live(sql: Sql, seed: number, administrator: string): Promise<World> {
  const world = await newWorld(sql, administrator, 3, 5);
  const random = chance(seed);
  let left = ACTIVITIES;
  await Promise.all(Array.from({ length: WRITERS }, async () => {
    while (left-- > 0) await anyActivity(random)(sql, world, random);
  }));
  return world;
}

/** The service's figures of all users. */
async function standings(sql: Sql) {
  const users = await sql<{ id: string; total_exp: number; level: number; sum: number; badges: string[] }[]>`
    select u.id, u.total_exp, u.level, coalesce(sum(e.amount), 0)::integer as sum,
      array(select b.badge_id from public.user_badges b where b.user_id = u.id) as badges
    from public.app_users u left join public.exp_entries e on e.user_id = u.id group by u.id`;
  const counts = await sql<{ user_id: string; badge_id: string; count: number }[]>`
    select user_id, badge_id, count from public.user_badge_progress where count > 0 order by user_id, badge_id`;
  const marks = await sql<{ user_id: string; badge_id: string; mark: string }[]>`
    select user_id, badge_id, mark from private.badge_marks order by user_id, badge_id, mark`;
  return { people: new Map(users.map((one) => [one.id, one])), counts: [...counts], marks: [...marks] };
}

/** Reviews that count for their authors: approved ones, and those that were when their lot went. */
async function approvedReviews(sql: Sql): Promise<Map<string, Held["reviews"][number][]>> {
  const rows = await sql<{ user_id: string; id: string; lot: string }[]>`
    select user_id, id, parking_lot_id as lot from public.reviews where status = 'approved' and user_id is not null
    union all select user_id, review_id, parking_lot_id from private.kept_reviews`;
  const held = new Map<string, Held["reviews"][number][]>();
  for (const { user_id, id, lot } of rows) held.set(user_id, [...held.get(user_id) ?? [], { id, lot }]);
  return held;
}

/** Every user of a history against the oracle. */
async function compareWithOracle(sql: Sql, worlds: ReadonlyMap<number, World>, began: Date): Promise<void> {
  const rules = await sql<Rule[]>`select distinct reason, amount, daily_limit from private.exp_rules`;
  const levels = await sql<{ level: number; required_exp: number }[]>`select level, required_exp from public.levels`;
  const badges = await sql<Badge[]>`
    select id, threshold, conditions from public.badges where is_active and not conditions ? 'where'`;
  const [{ people: users, counts }, reviews] = [await standings(sql), await approvedReviews(sql)];
  const counted = new Map(counts.map(({ user_id, badge_id, count }) => [user_id + badge_id, count]));
  for (const [seed, world] of worlds) {
    for (const user of world.users) {
      const done = rewarded(world.done.filter((one) => one.user === user));
      const { total_exp, sum, badges: earned, ...standing } = users.get(user)!;
      const held: Held = { reviews: reviews.get(user) ?? [], badges: earned.length };
      const place = `history ${seed}, person ${user}`;
      assert.equal(total_exp, sum, place);
      assert.equal(standing.level, level(total_exp, levels), place);
      // Over midnight in Japan the oracle does not know which activity was on which day, as limits and days are counted.
      if (day(began) !== day(new Date())) continue;
      assert.equal(total_exp, points(done, held, rules), place);
      for (const badge of badges) {
        const count = progress(done, held, badge);
        const visible = earned.includes(badge.id) ? badge.threshold : count;
        assert.equal(counted.get(user + badge.id) ?? 0, visible, `${place}, ${JSON.stringify(badge.conditions)}`);
        const can_fall = badge.conditions.activity.includes("review_approved");
        if (!can_fall || count >= badge.threshold) {
          assert.equal(earned.includes(badge.id), count >= badge.threshold, place);
        }
      }
    }
  }
}

/** The service's own rebuild of everything changes nothing. */
async function compareWithRebuild(sql: Sql): Promise<void> {
  const before = await standings(sql);
  await sql`select api.backfill_all_badge_progress()`;
  for (let more = true; more;) {
    [{ more = false } = {}] = await sql<{ more: boolean }[]>`select private.next_badge_batch() as more`;
  }
  assert.deepEqual(await standings(sql), before);
  assert.equal(await recalculateLevels(sql), 0);
}

/** Each source gave, and was taken back, in turns, and each badge gave once. */
async function assertOnce(sql: Sql): Promise<void> {
  const wrong = await sql`
    select user_id, reason, source_type, source_id from public.exp_entries
    group by user_id, reason, source_type, source_id
    having count(*) <> max(turn) or sum(sign(amount)) not in (0, 1)
      or (count(*) > 1 and reason <> 'review_approved')`;
  assert.deepEqual([...wrong], []);
  const days = await sql`
    select user_id, given_on from public.exp_entries where reason = 'first_of_day'
    group by user_id, given_on having count(*) > 1`;
  assert.deepEqual([...days], []);
  const badges = await sql`
    select coalesce(b.user_id, e.user_id) as user_id
    from public.user_badges b
    full join (select * from public.exp_entries where reason = 'badge_earned') e
      on e.user_id = b.user_id and e.source_id = b.badge_id
    full join (select user_id, count(*) as notes from public.user_notifications where type = 'badge_earned' group by user_id) n
      on n.user_id = b.user_id
    group by 1 having count(b.id) <> count(e.id) or count(b.id) <> max(coalesce(n.notes, 0))`;
  assert.deepEqual([...badges], []);
}

Deno.test(`rewards: ${HISTORIES} histories by ${WRITERS} writers leave figures equal to a rebuild from zero and an oracle, each source once`, async () => {
  for (let first = 1; first <= HISTORIES; first += IN_A_DATABASE) {
    const db = await database();
    const sql = postgres(db.url, { max: WRITERS, onnotice: () => {} });
    try {
      const began = new Date();
      await seedBadges(sql);
      const administrator = await newAdministrator(sql);
      const worlds = new Map<number, World>();
      for (let seed = first; seed < first + IN_A_DATABASE && seed <= HISTORIES; seed++) {
        worlds.set(seed, await live(sql, seed, administrator));
      }
      await assertOnce(sql);
      await compareWithOracle(sql, worlds, began);
      await compareWithRebuild(sql);
    } finally {
      await sql.end();
      await db.close();
    }
  }
});
