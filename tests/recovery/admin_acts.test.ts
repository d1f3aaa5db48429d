// After a crash each act of an administrator has both its effect and its record, or neither. A retry of every
// unacknowledged request gives each effect, and each record, once.
import assert from "node:assert/strict";
import { type CrashPlatform, crashPlatform } from "../support/crash_platform.ts";
import { eventually } from "../support/eventually.ts";
import { newLot, newUser } from "../support/rows.ts";
import { token } from "../support/tokens.ts";

const ADMINISTRATORS = 20;
const USERS = 150;
const AT_ONCE = 40;
const CRASHES = 3;
/** Longer than the gateway waits for a function. */
const REPLY_MS = 30_000;

/** A request of an administrator, and its response when one was received. */
interface Act {
  readonly administrator: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** Null: the request has no key, and a retry of what was done is a conflict. */
  readonly key: string | null;
  answer?: Answer;
}

interface Answer {
  readonly status: number;
  readonly replayed: boolean;
  readonly text: string;
}

async function send(
  { status }: CrashPlatform,
  { administrator, method, path, body, key }: Act,
): Promise<Answer | undefined> {
  try {
    const response = await fetch(`${status.FUNCTIONS_URL}/admin${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token(administrator, { secret: status.JWT_SECRET })}`,
        "content-type": "application/json",
        ...(key && { "idempotency-key": key }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(REPLY_MS),
    });
    const replayed = response.headers.get("idempotent-replayed") === "true";
    return { status: response.status, replayed, text: await response.text() };
  } catch (error) {
    // The connection broke, or nothing came: there is no answer.
    if (error instanceof TypeError || error instanceof DOMException && error.name === "TimeoutError") return undefined;
    throw error;
  }
}

/** Does it for all acts, so many at a time. */
async function each(acts: readonly Act[], run: (act: Act) => Promise<void>): Promise<void> {
  const pending = [...acts];
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let act = pending.shift(); act !== undefined; act = pending.shift()) await run(act);
  }));
}

async function newAdministrator({ sql }: CrashPlatform): Promise<string> {
  const id = crypto.randomUUID();
  const admin = { name: "Administrator", areas: ["reviews", "search_presets"] };
  await sql`
    insert into auth.users (id, email, raw_app_meta_data) values (${id}, ${`${id}@example.test`}, ${
    sql.json({ admin })
  })`;
  return id;
}

/** Two acts about each user: a preset of theirs is created, and their review is approved, alone or by the list. */
async function actsAbout(platform: CrashPlatform, users: readonly string[]): Promise<Act[]> {
  const { sql } = platform;
  const administrators = await Promise.all(Array.from({ length: ADMINISTRATORS }, () => newAdministrator(platform)));
  const lot = await newLot(sql);
  const reviews = await sql<{ id: string; user_id: string; updated_at: string }[]>`
    insert into public.reviews (parking_lot_id, user_id, rating, status)
    select ${lot}, u, 4, 'pending' from unnest(${users as string[]}::uuid[]) as u
    returning id, user_id, to_jsonb(updated_at) #>> '{}' as updated_at`;
  return reviews.flatMap(({ id, user_id, updated_at: seen_updated_at }, n) => {
    const administrator = administrators[n % ADMINISTRATORS]!;
    const decision = { status: "approved", reason: "In order", seen_updated_at };
    const preset = { user_id, name: "Near work", query_json: {} };
    return [
      { administrator, method: "POST", path: "/user-search-presets", body: preset, key: `preset-${n}` },
      n % 2 === 0 ? { administrator, method: "PATCH", path: `/reviews/${id}`, body: decision, key: null } : {
        administrator,
        method: "POST",
        path: "/reviews/decisions",
        body: { decisions: [{ id, ...decision }] },
        key: `review-${n}`,
      },
    ];
  });
}

/** Sends all of it, and kills the database several times on the way, each time when it runs again. */
async function sendAll(platform: CrashPlatform, acts: readonly Act[]): Promise<void> {
  let acknowledged = 0;
  let crashes = 0;
  await each(acts, async (act) => {
    const answer = await send(platform, act);
    if (answer === undefined || answer.status >= 300) return;
    act.answer = answer;
    if (++acknowledged < (crashes + 1) * acts.length / 6 || crashes === CRASHES) return;
    crashes++;
    await platform.killDatabase();
    await eventually(() => platform.sql`select 1`.catch(() => undefined));
  });
  // On a slow machine a crash may take so many requests along that too few are left for another one.
  assert.ok(crashes > 0, "the database was killed while acts were under way");
  assert.ok(acknowledged < acts.length, "some acts were not acknowledged");
}

/** Effects without exactly one record, and records without their effect. */
async function halves({ sql }: CrashPlatform, users: readonly string[]): Promise<string[]> {
  const found = await sql<{ half: string }[]>`
    with effects as (
      select id::text, user_id, 'user.create_search_preset' as action from public.search_presets
      where user_id = any (${users as string[]})
      union all
      select id::text, user_id, 'review.approve' from public.reviews
      where user_id = any (${users as string[]}) and status = 'approved'
    ), records as (
      select target_id as id, user_id, action, count(*) as times from public.admin_activity_logs
      where user_id = any (${users as string[]}) group by 1, 2, 3
    )
    select concat(action, ' ', id, ': ', case when e.id is null then 0 else 1 end, ' and ', r.times, ' records') as half
    from effects e full join (select id, user_id, action, times from records) r using (id, user_id, action)
    where e.id is null or r.times is distinct from 1`;
  return found.map(({ half }) => half);
}

Deno.test("admin acts: after kill -9 of the database each effect has its record and each record its effect, and retries add none", async () => {
  await using platform = await crashPlatform();
  const { sql } = platform;
  const users = await Promise.all(Array.from({ length: USERS }, () => newUser(sql)));
  const acts = await actsAbout(platform, users);

  await sendAll(platform, acts);
  await eventually(() => sql`select 1`.catch(() => undefined));
  assert.deepEqual(await halves(platform, users), []);
  const [done] =
    await sql`select count(*)::int as records from public.admin_activity_logs where user_id = any (${users})`;
  const acknowledged = acts.filter(({ answer }) => answer !== undefined);
  assert.ok(done!["records"] >= acknowledged.length, "what was acknowledged is there");

  await each(acts, async (act) => {
    const again = await eventually(async () => {
      const answer = await send(platform, act);
      return answer && answer.status < 500 ? answer : undefined;
    });
    if (act.key === null) {
      assert.ok(act.answer ? again.status === 409 : [200, 409].includes(again.status), again.text);
      return;
    }
    assert.ok(again.status < 300, again.text);
    if (act.answer) assert.deepEqual(again, { ...act.answer, replayed: true });
    if (act.path === "/reviews/decisions") assert.equal(JSON.parse(again.text).items[0].outcome, "decided");
  });
  assert.deepEqual(await halves(platform, users), []);
  const counted = await sql`
    select action, count(*)::int as records, count(distinct user_id)::int as users from public.admin_activity_logs
    where user_id = any (${users}) group by action order by action`;
  assert.deepEqual(counted.map((row) => ({ ...row })), [
    { action: "review.approve", records: USERS, users: USERS },
    { action: "user.create_search_preset", records: USERS, users: USERS },
  ]);
  const [notifications] = await sql`
    select count(*)::int as notifications, count(distinct user_id)::int as users from public.user_notifications
    where user_id = any (${users}) and type = 'review_result'`;
  assert.deepEqual({ ...notifications }, { notifications: USERS, users: USERS });
});
