// What supabase-js does by itself.
import assert from "node:assert/strict";
import type { RealtimeChannel } from "@supabase/supabase-js";
import { atOnce } from "../support/at_once.ts";
import { eventually } from "../support/eventually.ts";
import { signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import { token } from "../support/tokens.ts";
import { connect, notify } from "./activities.ts";
import { Client, keyOf } from "./listen.ts";
import { proxyTo } from "./proxy.ts";

const sql = connect();
Deno.test.afterAll(() => sql.end());

const person = await signUp();
const mine = { table: "user_notifications", filter: `user_id=eq.${person.id}` };

// It counts changes, so it comes before those that write at once.
Deno.test("realtime client: two channels share a socket; a removed channel receives nothing, the other one continues", async () => {
  await using proxy = proxyTo(stack().apiUrl);
  await using client = new Client({ ...person, apiUrl: proxy.apiUrl });
  const [first, second] = await Promise.all([
    client.subscribe("first", mine),
    client.subscribe("second", mine, { table: "user_badges", event: "INSERT" }, { ...mine, event: "INSERT" }),
  ]);
  const id = await notify(sql, person.id);
  await first.until(id);
  await second.receives(2);
  assert.deepEqual(
    second.received.map(({ binding }) => binding),
    [0, 2],
    "a change comes once for each binding that it fits",
  );
  assert.equal(first.received.length, 1);

  assert.equal(await client.supabase.removeChannel(first.channel), "ok");
  assert.deepEqual(first.statuses.map(({ status }) => status), ["SUBSCRIBED", "CLOSED"]);
  await second.until(await notify(sql, person.id));
  await client.settled();
  assert.equal(first.received.length, 1);
  assert.equal(proxy.connections, 1);
  assert.deepEqual(client.supabase.getChannels().map(({ topic }) => topic), ["realtime:second"]);
});

Deno.test(
  "realtime client: after a broken connection it joins again, and receives nothing from the time between",
  atOnce(async () => {
    await using proxy = proxyTo(stack().apiUrl);
    await using client = new Client({ ...person, apiUrl: proxy.apiUrl });
    const channel = await client.subscribe("broken", mine);
    const broken = performance.now();
    proxy.cut();
    await channel.reaches("CHANNEL_ERROR");
    const missed = await notify(sql, person.id);
    const again = await channel.reaches("SUBSCRIBED", 2);
    assert.ok(again.at - broken >= 950, "the library waits a second before it tries again");
    await channel.ready(2);
    await channel.until(await notify(sql, person.id));
    assert.ok(!channel.received.some((change) => keyOf(change) === missed));
    assert.equal(proxy.connections, 2);
  }),
);

Deno.test(
  "realtime client: it retries to connect after one, two and five seconds",
  atOnce(async () => {
    const tries: number[] = [];
    const server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const accepting = (async () => {
      for await (const connection of server) {
        tries.push(performance.now());
        connection.close();
      }
    })();
    {
      await using client = new Client({ ...person, apiUrl: `http://127.0.0.1:${server.addr.port}` });
      await client.join("unreachable", mine);
      await eventually(() => tries.length >= 4 || undefined);
    }
    server.close();
    await accepting;
    // A timer is never early, and late on a busy machine.
    const waits = tries.slice(1, 4).map((at, n) => at - tries[n]!);
    for (const [n, least] of [950, 1_950, 4_950].entries()) assert.ok(waits[n]! >= least, String(waits));
  }),
);

Deno.test(
  "realtime client: a rejected join is retried, and succeeds with a valid token",
  atOnce(async () => {
    await using client = new Client({
      token: token(person.id, { secret: stack().jwtSecret, claims: { exp: Math.floor(Date.now() / 1000) - 5 } }),
    });
    const channel = await client.join("second thought", mine);
    await channel.reaches("CHANNEL_ERROR");
    client.token = person.token;
    await client.supabase.realtime.setAuth();
    await channel.reaches("SUBSCRIBED");
    await channel.ready();
    await channel.until(await notify(sql, person.id));
  }),
);

Deno.test(
  "realtime client: without a reply to its heartbeat it replaces the connection",
  atOnce(async () => {
    await using proxy = proxyTo(stack().apiUrl);
    const beats: string[] = [];
    await using client = new Client({
      ...person,
      apiUrl: proxy.apiUrl,
      realtime: { heartbeatIntervalMs: 400, heartbeatCallback: (status) => beats.push(status) },
    });
    const channel = await client.subscribe("dead", mine);
    await eventually(() => beats.includes("ok") || undefined);
    proxy.mute();
    await eventually(() => beats.includes("timeout") || undefined);
    await channel.ready(2);
    await channel.until(await notify(sql, person.id));
    assert.equal(proxy.connections, 2);
  }),
);

Deno.test(
  "realtime client: after the last channel is removed, one of the same name can be joined",
  atOnce(async () => {
    await using client = new Client(person);
    const first = await client.subscribe("again", mine);
    await client.supabase.removeAllChannels();
    const second = await client.subscribe("again", mine);
    await second.until(await notify(sql, person.id));
    assert.deepEqual(first.received, []);
  }),
);

/** Joins and gives what the library said first. */
function joined(channel: RealtimeChannel): Promise<{ status: string; error: string | undefined }> {
  const { promise, resolve } = Promise.withResolvers<{ status: string; error: string | undefined }>();
  channel.subscribe((status, error) => resolve({ status, error: error?.message }));
  return promise;
}

Deno.test(
  "realtime client: a private channel that no policy allows is rejected",
  atOnce(async () => {
    await using client = new Client(person);
    const { status, error } = await joined(client.supabase.channel("secret", { config: { private: true } }));
    assert.equal(status, "CHANNEL_ERROR");
    assert.equal(error, "Unauthorized: You do not have permissions to read from this Channel topic: secret");
  }),
);
