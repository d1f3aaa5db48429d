// Tokens that are invalid or expire, and users who lose their rights while they are subscribed.
import assert from "node:assert/strict";
import { atOnce } from "../support/at_once.ts";
import { eventually } from "../support/eventually.ts";
import { asUser, type Person, signIn, signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import { token } from "../support/tokens.ts";
import { connect, logActivity, notify, notifyAdmins } from "./activities.ts";
import { assertNoRows, Client, type JoinedChannel, keyOf } from "./listen.ts";

const sql = connect();
Deno.test.afterAll(() => sql.end());

const secret = stack().jwtSecret;
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
const person = await signUp();
const mine = (who: Person = person) => ({ table: "user_notifications", filter: `user_id=eq.${who.id}` });

/** Resolves when everything that was written before has been checked for every subscriber. */
async function passed(): Promise<void> {
  const witness = await signUp();
  await using client = new Client(witness);
  const channel = await client.subscribe("witness", mine(witness));
  await channel.until(await notify(sql, witness.id));
}

const BAD: Record<string, [token: string, reason: RegExp]> = {
  "an expired token": [
    token(person.id, { secret, claims: { exp: inSeconds(-10) } }),
    /^InvalidJWTToken: Token has expired \d+ seconds ago$/,
  ],
  "a token signed with another secret": [
    token(person.id, { secret: "another-secret-of-at-least-32-characters" }),
    /^JwtSignatureError: Failed to validate JWT signature$/,
  ],
  "an unsigned token": [token(person.id, { secret, header: { alg: "none" } }), /^(JwtSignatureError|MalformedJWT): /],
  "a token without an end": [
    token(person.id, { secret, without: ["exp"] }),
    /^InvalidJWTToken: Fields `role` and `exp` are required in JWT$/,
  ],
  "a token without a role": [
    token(person.id, { secret, without: ["role"] }),
    /^InvalidJWTToken: Fields `role` and `exp` are required in JWT$/,
  ],
  "what is no token": ["abc.def", /^MalformedJWT: The token provided is not a valid JWT$/],
};

Deno.test(
  "realtime tokens: an invalid token is rejected with the reason",
  atOnce(async () => {
    await Promise.all(
      Object.entries(BAD).map(async ([name, [bad, reason]]) => {
        await using client = new Client({ token: bad });
        const channel = await client.join("bad", mine());
        const { error } = await channel.reaches("CHANNEL_ERROR");
        assert.match(error!, reason, name);
        await notify(sql, person.id);
        await passed();
        await client.settled();
        assert.deepEqual([channel.received, channel.system], [[], []], name);
      }),
    );
  }),
);

Deno.test(
  "realtime tokens: a role without rights is rejected with a filter, and receives no row without one",
  atOnce(async () => {
    for (const role of ["anon", "authenticator", "no_such_role"]) {
      await using client = new Client({ token: token(person.id, { secret, claims: { role } }) });
      const filtered = await client.join("filtered", mine());
      await assert.rejects(filtered.ready(), /Unable to subscribe to changes/, role);
      const all = await client.join("all", { table: "user_notifications" });
      await all.reaches("SUBSCRIBED");
      await client.settled();
      await notify(sql, person.id);
      await passed();
      await client.settled();
      assert.deepEqual(filtered.received, [], role);
      assertNoRows(all);
    }
  }),
);

Deno.test(
  "realtime tokens: the service role receives every row, also drafts",
  atOnce(async () => {
    const { secretKey } = stack();
    await using client = new Client({ key: secretKey });
    const channel = await client.subscribe("service", mine());
    await channel.until(await notify(sql, person.id, { status: "draft", sent_at: null }));
  }),
);

Deno.test(
  "realtime tokens: a token without an account receives nothing",
  atOnce(async () => {
    await using client = new Client({ token: token(crypto.randomUUID(), { secret }) });
    const channel = await client.subscribe("unknown", mine(), { table: "user_activity_logs" });
    await notify(sql, person.id);
    await logActivity(sql, person.id);
    await passed();
    await client.settled();
    assert.deepEqual(channel.received, []);
  }),
);

Deno.test(
  "realtime tokens: after withdrawal a token receives nothing",
  atOnce(async () => {
    const leaver = await signUp();
    await using client = new Client(leaver);
    const channel = await client.subscribe("leaver", mine(leaver), { table: "parking_sessions" });
    await channel.until(await notify(sql, leaver.id));
    const gone = await asUser(leaver)("/me/withdraw", { method: "POST" });
    assert.ok(gone.ok, await gone.text());
    await notify(sql, leaver.id);
    await passed();
    await client.settled();
    assert.equal(channel.received.filter(({ eventType }) => eventType !== "DELETE").length, 1);
  }),
);

/** A subscriber receives changes; after `lose` none, and after `regain` again. */
async function silenced(
  listening: JoinedChannel,
  client: Client,
  write: () => Promise<string>,
  lose: () => Promise<unknown>,
  regain: () => Promise<unknown>,
): Promise<void> {
  await listening.until(await write());
  const count = listening.received.length;
  await lose();
  const hidden = await write();
  await passed();
  await client.settled();
  assert.equal(listening.received.length, count);
  await regain();
  const shown = await write();
  await listening.until(shown);
  assert.ok(!listening.received.some((change) => keyOf(change) === hidden), "what was missed is not sent later");
}

Deno.test(
  "realtime tokens: a suspended user receives nothing from then on, with the same token",
  atOnce(async () => {
    const suspended = await signUp();
    await using client = new Client(suspended);
    const listening = await client.subscribe("suspended", mine(suspended));
    await silenced(
      listening,
      client,
      () => notify(sql, suspended.id),
      () => sql`update public.app_users set status = 'suspended' where id = ${suspended.id}`,
      () => sql`update public.app_users set status = 'active' where id = ${suspended.id}`,
    );
  }),
);

Deno.test(
  "realtime tokens: an administrator who is suspended or loses the area receives nothing from then on",
  atOnce(async () => {
    const administrator = await signUp({ appMetadata: { admin: { areas: ["support", "users"] } } });
    await using client = new Client(administrator);
    const listening = await client.subscribe(
      "console",
      { table: "admin_notifications", event: "INSERT", filter: "area=eq.support" },
    );
    const setAdmin = (change: string) => () =>
      sql.unsafe(`update public.admins set ${change} where id = '${administrator.id}'`);
    const write = () => notifyAdmins(sql, { area: "support" });
    await silenced(listening, client, write, setAdmin("status = 'suspended'"), setAdmin("status = 'active'"));
    await silenced(listening, client, write, setAdmin("areas = '{lots}'"), setAdmin("areas = '{support}'"));
  }),
);

Deno.test(
  "realtime tokens: when a token expires its channel closes with a message, and the library does not join again",
  atOnce(async () => {
    await using client = new Client({ token: token(person.id, { secret, claims: { exp: inSeconds(3) } }) });
    const channel = await client.subscribe("short", mine());
    await channel.until(await notify(sql, person.id));
    await channel.reaches("CLOSED");
    const word = channel.system.at(-1)!;
    assert.equal(word.status, "error");
    assert.equal(word.extension, "system");
    assert.match(word.message, /^Token has expired \d+ seconds ago$/);
    const count = channel.received.length;
    await notify(sql, person.id);
    await passed();
    await client.settled();
    assert.equal(channel.received.length, count);
    assert.equal(client.supabase.getChannels().length, 0);
  }),
);

Deno.test(
  "realtime tokens: a token that is refreshed in time keeps the channel, with the new claims",
  atOnce(async () => {
    const short = await signIn(person.email);
    const exp = inSeconds(4);
    await using client = new Client({ token: token(person.id, { secret, claims: { exp } }) });
    const channel = await client.subscribe("refreshed", mine());
    client.token = short.token;
    await client.supabase.realtime.setAuth();
    await channel.ready(2);
    // Past the end of the first token.
    await eventually(() => Date.now() / 1000 > exp + 1 || undefined);
    await channel.until(await notify(sql, person.id));
    assert.deepEqual(channel.statuses.map(({ status }) => status), ["SUBSCRIBED"]);
  }),
);

Deno.test(
  "realtime tokens: a channel with the new token of another user receives only that user's rows",
  atOnce(async () => {
    const next = await signUp();
    await using client = new Client(person);
    const channel = await client.subscribe("shared device", { table: "user_notifications" });
    await channel.until(await notify(sql, person.id));
    client.token = next.token;
    await client.supabase.realtime.setAuth();
    await channel.ready(2);
    const firsts = await notify(sql, person.id);
    await channel.until(await notify(sql, next.id));
    assert.ok(!channel.received.some((change) => keyOf(change) === firsts));
  }),
);

Deno.test(
  "realtime tokens: an invalid new token closes the channel",
  atOnce(async () => {
    await using client = new Client(person);
    const channel = await client.subscribe("turned bad", mine());
    client.token = token(person.id, { secret: "another-secret-of-at-least-32-characters" });
    await client.supabase.realtime.setAuth();
    await channel.reaches("CLOSED");
    await notify(sql, person.id);
    await passed();
    await client.settled();
    assert.deepEqual(channel.received, []);
  }),
);

Deno.test(
  "realtime tokens: a socket with an invalid key is rejected at the handshake",
  atOnce(async () => {
    const expired = token(person.id, { secret, claims: { exp: inSeconds(-10) } });
    await Promise.all(["sb_publishable_none", "abc", expired].map(async (key) => {
      const url = new URL(`${stack().apiUrl.replace(/^http/, "ws")}/realtime/v1/websocket`);
      url.search = new URLSearchParams({ apikey: key, vsn: "2.0.0" }).toString();
      const socket = new WebSocket(url);
      const outcome = await new Promise<string>((resolve) => {
        socket.onopen = () => resolve("open");
        socket.onerror = () => resolve("refused");
      });
      socket.close();
      assert.equal(outcome, "refused", key);
    }));
  }),
);
