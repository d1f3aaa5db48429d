// The rules of push against naive models, on random cases: five a minute for each user and type, and quiet hours.
import assert from "node:assert/strict";
import { type Chance, chance } from "../support/random.ts";
import { database } from "../support/database.ts";
import { newUser } from "../support/rows.ts";
import { seed, volume } from "../support/sizes.ts";

const CASES = volume("PUSH_CASES", 1_000, 12_000);
const SEED = seed("PUSH_SEED", 20260901);
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

const db = await database();
Deno.test.afterAll(() => db.close());

Deno.test(`five a minute: ${CASES} random fan-outs push to the users allowed by a naive list of all pushes (seed ${SEED})`, async () => {
  const random = chance(SEED);
  const users = Array.from({ length: 6 }, () => crypto.randomUUID());
  const types = ["announcement", "badge_earned"];
  const pushes = new Map<string, number[]>();
  const allowed = (user: string, type: string, now: number) => {
    const times = pushes.get(user + type) ?? [];
    pushes.set(user + type, times);
    if (times.filter((at) => at > now - MINUTE).length >= 5) return false;
    times.push(now);
    return true;
  };
  let [now, error] = [0, 0];
  // In one transaction the clock does not advance: pushes are made older instead.
  await db.sql.begin(async (sql) => {
    for (let n = 0; n < CASES; n++) {
      const passed = random.below(20) === 0 ? MINUTE : random.pick([0, 0, 0, 1, SECOND, 5 * SECOND, 12 * SECOND]);
      now += passed;
      const [type, args] = [random.pick(types), users.filter(() => random.below(3) > 0)];
      await sql`
        update private.push_times set sent_at = array(
          select t.at - make_interval(secs => ${passed / SECOND}::float8)
          from unnest(sent_at) with ordinality as t (at, n) order by t.n
        )`;
      const given = await sql<{ id: string }[]>`select m as id from private.may_push(${args}, ${type}) as m`;
      const expected = args.filter((user) => allowed(user, type, now));
      assert.deepEqual(given.map(({ id }) => id).sort(), expected.sort(), `case ${n}`);
      error += args.length - expected.length;
    }
  });
  assert.ok(error > CASES / 10, `${error} were refused`);
});

Deno.test("five a minute: of thirty concurrent events for one user five are pushed and the others suppressed", async () => {
  const user = await newUser(db.sql);
  await db.sql`
    insert into public.user_push_tokens (user_id, fcm_token, device_type) values (${user}, gen_random_uuid()::text, 'ios')`;
  await Promise.all(Array.from({ length: 30 }, (_, n) =>
    db.sql`
    select private.notify_user(${user}, 'announcement', ${`${n}`}, 'Body')`));
  const rows = await db.sql`
    select outcome, count(*)::integer as devices from private.push_deliveries where user_id = ${user}
    group by outcome order by outcome nulls first`;
  assert.deepEqual(rows.map((row) => ({ ...row })), [{ outcome: null, devices: 5 }, {
    outcome: "suppressed",
    devices: 25,
  }]);
});

/** Where clocks change by an hour, half an hour or two hours, at midnight or at two, or not at all. */
const ZONES = [
  "Asia/Tokyo",
  "Europe/Zurich",
  "Europe/Dublin",
  "America/New_York",
  "America/St_Johns",
  "America/Santiago",
  "America/Havana",
  "Atlantic/Azores",
  "Asia/Beirut",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Antarctica/Troll",
  "Pacific/Kiritimati",
];

interface QuietHours {
  readonly zone: string;
  readonly from: string;
  readonly to: string;
}

const clocks = new Map(
  ZONES.map((zone) => [
    zone,
    new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
  ]),
);

function isQuiet({ zone, from, to }: QuietHours, at: number): boolean {
  const time = clocks.get(zone)!.format(at);
  return from < to ? time >= from && time < to : time >= from || time < to;
}

/** Looks at the clock each minute. */
function quietUntil(hours: QuietHours, at: number): number | null {
  if (!isQuiet(hours, at)) return null;
  let minute = Math.floor(at / MINUTE) * MINUTE + MINUTE;
  while (isQuiet(hours, minute)) minute += MINUTE;
  return minute;
}

/** Days around which a zone changes its clock, of two years. */
const changes = new Map(ZONES.map((zone) => {
  const offset = (at: number) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).offsetNanoseconds;
  const days: number[] = [];
  for (let day = Date.UTC(2024, 0, 1); day < Date.UTC(2026, 0, 1); day += DAY) {
    if (offset(day) !== offset(day + DAY)) days.push(day);
  }
  return [zone, days];
}));

function randomTime(random: Chance): string {
  // Often in the hours in which clocks change, or just about an hour apart from another.
  const hour = random.below(2) === 0 ? random.below(4) : random.below(24);
  const minute = random.below(2) === 0 ? random.pick([0, 30]) : random.below(60);
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

function randomMoment(random: Chance, zone: string): number {
  const days = changes.get(zone)!;
  const isNearChange = days.length > 0 && random.below(3) > 0;
  const start = isNearChange ? random.pick(days) - DAY / 2 : Date.UTC(2024, 0, 1);
  const at = start + random.below(isNearChange ? 2 * DAY : 700 * DAY);
  return random.below(2) === 0 ? at : Math.floor(at / MINUTE) * MINUTE;
}

Deno.test(`quiet hours: ${CASES} random moments have the end found minute by minute (seed ${SEED})`, async () => {
  const random = chance(SEED);
  const cases = Array.from({ length: CASES }, () => {
    const zone = random.pick(ZONES);
    let [from, to] = [randomTime(random), randomTime(random)];
    while (to === from) to = randomTime(random);
    return { zone, from, to, at: randomMoment(random, zone) };
  });
  const rows = await db.sql<{ until: Date | null }[]>`
    select private.quiet_until(c.from_time, c.to_time, c.zone, c.at) as until
    from rows from (
      unnest(${cases.map(({ from }) => from)}::time[]), unnest(${cases.map(({ to }) => to)}::time[]),
      unnest(${cases.map(({ zone }) => zone)}::text[]),
      unnest(${cases.map(({ at }) => new Date(at).toISOString())}::timestamptz[])
    ) with ordinality as c (from_time, to_time, zone, at, n) order by c.n`;
  const iso = (at: number | null) => at === null ? null : new Date(at).toISOString();
  const ended = { quiet: 0, changed: 0 };
  for (const [n, { until }] of rows.entries()) {
    const { at, ...hours } = cases[n]!;
    const expected = quietUntil(hours, at);
    assert.equal(iso(until && +until), iso(expected), JSON.stringify({ ...hours, at: iso(at) }));
    if (expected === null) continue;
    ended.quiet++;
    const offset = (moment: number) =>
      Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(hours.zone).offsetNanoseconds;
    if (offset(at) !== offset(expected)) ended.changed++;
  }
  assert.ok(ended.quiet > CASES / 4 && ended.changed > CASES / 40, JSON.stringify(ended));
});
