// What a crash does to those who listen: they join again by themselves and go on, and whatever they missed was committed
// before they were told that they listen again, which is when a client reads anew.
import assert from "node:assert/strict";
import postgres from "postgres";
import { notify } from "../realtime/activities.ts";
import { Client, keyOf, type Listening } from "../realtime/listen.ts";
import { type CrashPlatform, crashPlatform } from "../support/crash_platform.ts";
import { newUser } from "../support/rows.ts";
import { token } from "../support/tokens.ts";

const LISTENERS = 12;

interface Committed {
  readonly id: string;
  readonly begun: number;
  readonly acknowledged: number;
}

interface Ear {
  readonly user: string;
  readonly client: Client;
  readonly listening: Listening;
  readonly committed: Committed[];
}

async function listener({ status, sql }: CrashPlatform): Promise<Ear> {
  const user = await newUser(sql);
  const client = new Client({
    token: token(user, { secret: status.JWT_SECRET }),
    apiUrl: status.API_URL,
    key: status.PUBLISHABLE_KEY,
  });
  const listening = await client.listen("inbox", { table: "user_notifications", filter: `user_id=eq.${user}` });
  return { user, client, listening, committed: [] };
}

/** One notification after the other, to everybody in turn, until `stop`; what the database acknowledged is noted. */
function writing({ status }: CrashPlatform, ears: readonly Ear[]): { stop(): Promise<void> } {
  const sql = postgres(status.DB_URL, { max: 1, onnotice: () => {}, connect_timeout: 2 });
  let stopped = false;
  const done = (async () => {
    for (let n = 0; !stopped; n++) {
      const { user, committed } = ears[n % ears.length]!;
      const begun = performance.now();
      try {
        const id = await notify(sql, user);
        committed.push({ id, begun, acknowledged: performance.now() });
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
  await using platform = await crashPlatform();
  const ears: Ear[] = [];
  for (let n = 0; n < LISTENERS; n++) ears.push(await listener(platform));
  const writer = writing(platform, ears);
  const kills: number[] = [];
  for (let time = 1; time <= times; time++) {
    const counts = ears.map(({ listening }) => listening.heard.length + 10);
    await Promise.all(ears.map(({ listening }, n) => listening.hears(counts[n]!)));
    kills.push(performance.now());
    await kill(platform);
    await Promise.all(ears.map(({ listening }) => listening.ready(time + 1)));
  }
  const counts = ears.map(({ listening }) => listening.heard.length + 10);
  await Promise.all(ears.map(({ listening }, n) => listening.hears(counts[n]!)));
  await writer.stop();

  for (const { listening, committed } of ears) {
    await listening.until(committed.at(-1)!.id);
    const heard = listening.heard.map(keyOf);
    assert.equal(new Set(heard).size, heard.length, "nothing comes twice");
    assert.deepEqual(listening.heard.flatMap(({ errors }) => errors ?? []), []);
    const agains = listening.system.filter(({ status }) => status === "ok").map(({ at }) => at);
    const missed = committed.filter(({ id }) => !heard.includes(id));
    const unexplained = missed.filter(({ begun, acknowledged }) => {
      const told = agains.find((at) => at > begun) ?? Infinity;
      return !kills.some((killed) => acknowledged > killed - 1_000 && told < killed + 20_000);
    });
    assert.deepEqual(unexplained, [], "what was missed was committed around a crash and before the new subscription");
    assert.deepEqual(
      listening.heard.map(keyOf).filter((id) => committed.some((each) => each.id === id)),
      committed.map(({ id }) => id).filter((id) => heard.includes(id)),
      "they come in the order of their commits",
    );
  }
  for (const { client } of ears) await client[Symbol.asyncDispose]();
}

Deno.test("realtime: after kill -9 of the realtime server, twice, clients listen again and have missed nothing that they do not know of", async () => {
  await survives(2, (platform) => platform.killRealtime());
});

Deno.test("realtime: after kill -9 of the database, twice, clients listen again and have missed nothing that they do not know of", async () => {
  await survives(2, (platform) => platform.killDatabase());
});
