// After a crash each session has started once and ended once, with one amount, and a repeated request gets the same
// response as before.
import assert from "node:assert/strict";
import { type CrashPlatform, sharedCrashPlatform } from "../support/crash_platform.ts";
import { eventually } from "../support/eventually.ts";
import { newLot, newUser } from "../support/rows.ts";
import { token } from "../support/tokens.ts";

const USERS = 250;
const AT_ONCE = 40;

const startedPlatform = sharedCrashPlatform();

interface Driver {
  readonly user: string;
  readonly start: Record<string, string>;
  readonly end: Record<string, string>;
  /** What was acknowledged: the session, and what it cost. */
  session?: string;
  cost?: string;
}

interface Reply {
  readonly status: number;
  readonly text: string;
}

async function post(
  { status }: CrashPlatform,
  { user }: Driver,
  path: string,
  body: object,
): Promise<Reply | undefined> {
  try {
    const answer = await fetch(`${status.API_URL}/v1/parking-sessions${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token(user, { secret: status.JWT_SECRET })}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    });
    return { status: answer.status, text: await answer.text() };
  } catch (error) {
    if (error instanceof TypeError) return undefined; // the connection broke: no response
    throw error;
  }
}

/** Runs it for all users, so many at a time. */
async function each(users: readonly Driver[], run: (appUser: Driver) => Promise<void>): Promise<void> {
  const pending = [...users];
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let appUser = pending.shift(); appUser !== undefined; appUser = pending.shift()) await run(appUser);
  }));
}

async function aDriver({ sql }: CrashPlatform, lot: string): Promise<Driver> {
  return {
    user: await newUser(sql),
    start: { parking_lot_id: lot, client_request_id: crypto.randomUUID() },
    end: { exit_at: new Date(Date.now() + 120_000).toISOString(), client_request_id: crypto.randomUUID() },
  };
}

/** Begins and ends a session of each, and kills when a third of the 500 answers are there. */
async function driveAll(platform: CrashPlatform, users: Driver[], kill: () => Promise<void>): Promise<number> {
  let acknowledged = 0;
  let crash: Promise<void> | undefined;
  const acknowledge = () => {
    if (++acknowledged > USERS * 2 / 3) crash ??= kill();
  };
  await each(users, async (appUser) => {
    const started = await post(platform, appUser, "", appUser.start);
    if (started?.status !== 201) return;
    appUser.session = JSON.parse(started.text).session_id as string;
    acknowledge();
    const ended = await post(platform, appUser, `/${appUser.session}/finalize`, appUser.end);
    if (ended?.status !== 200) return;
    appUser.cost = ended.text;
    acknowledge();
  });
  await crash;
  return acknowledged;
}

async function survives(kill: (platform: CrashPlatform) => Promise<void>): Promise<void> {
  const platform = await startedPlatform();
  const { sql } = platform;
  const lot = await newLot(sql);
  await sql`
    insert into public.pricing_rules (parking_lot_id, category, rule_order, per_minutes, price_minor)
    values (${lot}, 'time_band', 1, 30, 200)`;
  const users: Driver[] = [];
  for (let n = 0; n < USERS; n++) users.push(await aDriver(platform, lot));

  const acknowledged = await driveAll(platform, users, () => kill(platform));
  assert.ok(acknowledged > 0 && acknowledged < 2 * USERS, `${acknowledged} responses were received`);

  await each(users, async (appUser) => {
    const again = (path: string, body: object) =>
      eventually(async () => {
        const answer = await post(platform, appUser, path, body);
        return answer && answer.status < 500 ? answer : undefined;
      });
    const started = await again("", appUser.start);
    assert.ok(started.status === 200 || (started.status === 201 && !appUser.session), started.text);
    const { session_id } = JSON.parse(started.text);
    if (appUser.session) assert.equal(session_id, appUser.session);
    const ended = await again(`/${session_id}/finalize`, appUser.end);
    assert.equal(ended.status, 200, ended.text);
    if (appUser.cost) assert.equal(ended.text, appUser.cost);
    assert.equal(JSON.parse(ended.text).total_amount, 200);
  });

  const ids = users.map(({ user }) => user);
  const [sessions] = await sql`
    select count(*)::int as all, count(distinct user_id)::int as people,
      count(*) filter (where status = 'ended' and total_amount_minor = 200)::int as ended
    from public.parking_sessions where user_id in ${sql(ids)}`;
  assert.deepEqual({ ...sessions }, { all: USERS, people: USERS, ended: USERS });
  const activity = await sql`
    select activity_type, count(*)::int as all, count(distinct subject_id)::int as sessions
    from public.user_activity_logs where user_id in ${sql(ids)} group by activity_type order by activity_type`;
  assert.deepEqual(activity.map((row) => ({ ...row })), [
    { activity_type: "session_end", all: USERS, sessions: USERS },
    { activity_type: "session_start", all: USERS, sessions: USERS },
  ]);
}

Deno.test("parking sessions: after kill -9 of the database every acknowledged start and end is stored, and none is half written", async () => {
  await survives((platform) => platform.killDatabase());
});

Deno.test("parking sessions: after kill -9 of the function every acknowledged start and end is stored, and none is half written", async () => {
  await survives((platform) => platform.killFunction("parking-sessions"));
});
