// What crashes leave of a composed notification on its way: its fan-out and its batches go on, every device has one outcome,
// and the counts are those of the messaging service.
import assert from "node:assert/strict";
import { type CrashPlatform, crashPlatform } from "../support/crash_platform.ts";
import { eventually } from "../support/eventually.ts";
import { receivedByFcm, scriptFcm } from "../support/providers.ts";
import { type Chance, chance } from "../support/random.ts";
import { consume, loadDevices, passTime, sendToAll } from "./pushes.ts";
import { seed, volume } from "../support/sizes.ts";

const KILLS = volume("PUSH_KILLS", 6, 50);
const DEVICES = volume("PUSH_DEVICES", 3_000, 20_000);
const SEED = seed("PUSH_SEED", 20260901);
const BATCH = 500;
const CONSUMERS = 2;
/** A consumer records so many outcomes at a time. */
const AT_ONCE = 50;
const LATENCY_MS = 50;
/** A batch is sent with so many requests at once. */
const BATCH_MS = BATCH / AT_ONCE * LATENCY_MS;

/** Devices whose token begins so are dead, or not to be reached at first. */
const ANSWERS = {
  latency_ms: LATENCY_MS,
  rules: [
    { prefix: "dead-", status: 404, error_code: "UNREGISTERED" },
    { prefix: "flaky-", status: 503, times: 1 },
  ],
};

const delay = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function kill(platform: CrashPlatform, what: "function" | "database"): Promise<boolean> {
  if (what === "database") {
    await platform.killDatabase();
    return true;
  }
  try {
    await platform.killFunction("push-dispatch");
    return true;
  } catch (error) {
    if (/does not run/.test(String(error))) return false; // it is just being started
    throw error;
  }
}

interface Progress {
  readonly status: string;
  readonly people: number;
  readonly open: number;
}

/** How far a notification came; waits for the database. */
async function progressOf({ sql }: CrashPlatform, id: string): Promise<Progress> {
  return await eventually(async () => {
    try {
      const [row] = await sql<Progress[]>`
        select n.status, f.people, (
          select count(*)::integer from private.push_deliveries d where d.notification_id = n.id and d.outcome is null
        ) as open
        from public.user_notifications n join private.fan_outs f on f.notification_id = n.id where n.id = ${id}`;
      return row;
    } catch {
      return undefined; // it starts again
    }
  });
}

interface Killed {
  function: number;
  database: number;
}

/** Kills now and then while consumers run, until it was enough or everything is done; how often, and how far it was then. */
async function killing(
  platform: CrashPlatform,
  id: string,
  kills: number,
  random: Chance,
  moment: (progress: Progress, left: number, keepRunning: () => Promise<void>) => Promise<unknown>,
): Promise<{ killed: Killed; seen: Progress[] }> {
  const killed = { function: 0, database: 0 };
  const seen: Progress[] = [];
  let running: Promise<void> | undefined;
  /** Consumers end by themselves when the database was killed under them. */
  const keepRunning = async () => {
    if (running !== undefined) return;
    await passTime(platform);
    running = consume(platform, CONSUMERS).then(() => running = undefined);
  };
  while (seen.length < kills) {
    const progress = await progressOf(platform, id);
    if (progress.status !== "sending") break;
    await keepRunning();
    await moment(progress, kills - seen.length, keepRunning);
    const what = random.below(3) > 0 ? "function" : "database";
    if (!await kill(platform, what)) continue;
    killed[what]++;
    seen.push(progress);
    if (what === "function") await running;
  }
  await running;
  return { killed, seen };
}

async function finish(platform: CrashPlatform, id: string): Promise<void> {
  const deadline = performance.now() + 240_000;
  for (;;) {
    const progress = await progressOf(platform, id);
    if (progress.status !== "sending") return;
    assert.ok(performance.now() < deadline, `It is not sent in time: ${JSON.stringify(progress)}`);
    await passTime(platform);
    await consume(platform, CONSUMERS);
  }
}

Deno.test(`push: after kill -9 of consumers and the database, ${KILLS} times during ${DEVICES} devices, each device has one outcome and the counts are exact (seed ${SEED})`, async () => {
  await using platform = await crashPlatform();
  const { sql, status: { PROVIDERS_URL } } = platform;
  const random = chance(SEED);
  await loadDevices(platform, DEVICES / 5, { each: 5 });
  await scriptFcm(ANSWERS, PROVIDERS_URL);
  const id = await sendToAll(platform);

  // So long between two kills that the work lasts until the last one.
  const { killed, seen } = await killing(platform, id, KILLS, random, ({ open }, left) => {
    const batches = (open || DEVICES) / BATCH / CONSUMERS / left;
    return delay(100 + random.next() * 2 * batches * BATCH_MS);
  });
  const kills = seen.length;
  assert.ok(killed.function > 0 && killed.database > 0 && kills > KILLS / 2, JSON.stringify(killed));
  await finish(platform, id);

  const received = await receivedByFcm(PROVIDERS_URL);
  const [counts] = await sql`
    select status, success_count, failure_count, suppressed_count from public.user_notifications where id = ${id}`;
  const dead = DEVICES / 100;
  assert.deepEqual({ ...counts }, {
    status: "sent",
    success_count: DEVICES - dead,
    failure_count: dead,
    suppressed_count: 0,
  });
  assert.equal(Object.keys(received.devices).length, DEVICES - dead, "the messaging service has accepted as many");
  const outcomes = await sql`
    select outcome, count(*)::integer as devices from private.push_deliveries where notification_id = ${id}
    group by outcome order by outcome`;
  assert.deepEqual(outcomes.map((row) => ({ ...row })), [
    { outcome: "dead_token", devices: dead },
    { outcome: "delivered", devices: DEVICES - dead },
  ]);
  const [left] = await sql`
    select (select count(*) from pgmq."q_push-dispatch")::integer as messages,
      (select count(*) from private.dead_messages)::integer as dead_messages,
      (select count(*) from public.user_push_tokens)::integer as devices`;
  assert.deepEqual({ ...left }, { messages: 0, dead_messages: 0, devices: DEVICES - dead });
  const twice = received.accepted - (DEVICES - dead);
  assert.ok(twice <= AT_ONCE * CONSUMERS * kills, `${twice} were sent again after ${kills} kills`);
  console.log(`killed: ${JSON.stringify(killed)}; ${twice} of ${received.accepted} accepted pushes were sent again`);
});

Deno.test(`fan-out: after kill -9 of consumers and the database it continues, each user has one row and each device one delivery (seed ${SEED})`, async () => {
  await using platform = await crashPlatform();
  const { sql } = platform;
  const random = chance(SEED);
  const [users, devices] = [60_000, 3_000];
  await loadDevices(platform, users, { nth: users / devices });
  const id = await sendToAll(platform);
  let before = 0;
  const { seen } = await killing(platform, id, 5, random, async (_progress, _left, keepRunning) => {
    const { people: appUsers } = await eventually(async () => {
      const progress = await progressOf(platform, id);
      await keepRunning();
      return progress.people > before || progress.status !== "sending" ? progress : undefined;
    });
    before = appUsers;
    await delay(random.below(300));
  });
  assert.ok(seen.filter(({ people: appUsers }) => appUsers > 0 && appUsers < users).length >= 2, JSON.stringify(seen));
  await finish(platform, id);

  const [rows] = await sql`
    select count(*)::integer as rows, count(distinct user_id)::integer as users
    from public.user_notifications where composed_id = ${id}`;
  assert.deepEqual({ ...rows }, { rows: users, users });
  const batches = await sql<{ devices: number }[]>`
    select count(*)::integer as devices from private.push_deliveries
    where notification_id = ${id} and outcome is not null group by batch order by batch`;
  assert.deepEqual(batches.map((batch) => batch.devices), Array(devices / BATCH).fill(BATCH));
  const [left] = await sql`select count(*)::integer as messages from pgmq."q_push-dispatch"`;
  assert.equal(left!["messages"], 0);
});
