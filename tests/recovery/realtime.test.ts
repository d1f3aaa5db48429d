// Subscribers after a crash: they join again by themselves. Every change that they missed was committed before the message
// of the new subscription, after which a client reads again.
import assert from "node:assert/strict";
import postgres from "postgres";
import { notify } from "../realtime/activities.ts";
import { Client, type JoinedChannel, keyOf } from "../realtime/listen.ts";
import { type CrashPlatform, sharedCrashPlatform } from "../support/crash_platform.ts";
import { newUser } from "../support/rows.ts";
import { token } from "../support/tokens.ts";

const LISTENERS = 12;

const startedPlatform = sharedCrashPlatform();

interface Committed {
  readonly id: string;
  readonly begun: number;
  readonly acknowledged: number;
}

interface Joined {
  readonly user: string;
  readonly client: Client;
  readonly listening: JoinedChannel;
  readonly committed: Committed[];
}

async function listener({ status, sql }: CrashPlatform): Promise<Joined> {
  const user = await newUser(sql);
  const client = new Client({
    token: token(user, { secret: status.JWT_SECRET }),
    apiUrl: status.API_URL,
    key: status.PUBLISHABLE_KEY,
    realtime: { reconnectAfterMs: () => 200 }, // soon
  });
  const listening = await client.subscribe("inbox", { table: "user_notifications", filter: `user_id=eq.${user}` });
  return { user, client, listening, committed: [] };
}

/** One notification after the other, to all users in turn, until `stop`; what the database acknowledged is noted. */
function writing({ status }: CrashPlatform, joined: readonly Joined[]): { stop(): Promise<void> } {
  const sql = postgres(status.DB_URL, { max: 1, onnotice: () => {}, connect_timeout: 2 });
  let stopped = false;
  const done = (async () => {
    for (let n = 0; !stopped; n++) {
      const { user, committed } = joined[n % joined.length]!;
      const begun = performance.now();
      try {
        const id = await notify(sql, user);
        committed.push({ id, begun, acknowledged: performance.now() });
        await new Promise((resolve) => setTimeout(resolve, 10)); // slower than the listeners receive
      } catch (error) {
        if (!isLost(error)) throw error; // not acknowledged: it may be there or not
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    await sql.end({ timeout: 1 });
  })();
  return {
    stop: async () => {
      stopped = true;
      await done;
    },
  };
}

/** The connection broke, or the database is starting or stopping. */
function isLost(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /^(57P0[123]|08|CONNECTION|CONNECT_TIMEOUT|ECONN|EPIPE)/.test(code);
}

async function survives(times: number, kill: (platform: CrashPlatform) => Promise<void>): Promise<void> {
  const platform = await startedPlatform();
  const joined: Joined[] = [];
  for (let n = 0; n < LISTENERS; n++) joined.push(await listener(platform));
  const writer = writing(platform, joined);
  const kills: number[] = [];
  for (let time = 1; time <= times; time++) {
    const counts = joined.map(({ listening }) => listening.received.length + 10);
    await Promise.all(joined.map(({ listening }, n) => listening.receives(counts[n]!)));
    kills.push(performance.now());
    await kill(platform);
    await Promise.all(joined.map(({ listening }) => listening.ready(time + 1)));
  }
  const counts = joined.map(({ listening }) => listening.received.length + 10);
  await Promise.all(joined.map(({ listening }, n) => listening.receives(counts[n]!)));
  await writer.stop();

  for (const { listening, committed } of joined) {
    await listening.until(committed.at(-1)!.id);
    const received = listening.received.map(keyOf);
    assert.equal(new Set(received).size, received.length, "nothing is received twice");
    assert.deepEqual(listening.received.flatMap(({ errors }) => errors ?? []), []);
    const subscriptions = listening.system.filter(({ status }) => status === "ok").map(({ at }) => at);
    const missed = committed.filter(({ id }) => !received.includes(id));
    const unexplained = missed.filter(({ begun, acknowledged }) => {
      const subscribedAt = subscriptions.find((at) => at > begun) ?? Infinity;
      return !kills.some((killed) => acknowledged > killed - 1_000 && subscribedAt < killed + 20_000);
    });
    assert.deepEqual(unexplained, [], "what was missed was committed around a crash and before the new subscription");
    assert.deepEqual(
      listening.received.map(keyOf).filter((id) => committed.some((each) => each.id === id)),
      committed.map(({ id }) => id).filter((id) => received.includes(id)),
      "they come in the order of their commits",
    );
  }
  await Promise.all(joined.map(({ client }) => client[Symbol.asyncDispose]()));
}

Deno.test("realtime: after kill -9 of the realtime server, twice, clients join again, and every gap is followed by a new subscription", async () => {
  await survives(2, (platform) => platform.killRealtime());
});

Deno.test("realtime: after kill -9 of the database, twice, clients join again, and every gap is followed by a new subscription", async () => {
  await survives(2, (platform) => platform.killDatabase());
});
