// Who is who: tokens that are no good, tokens that end, and people who lose their standing while they listen.
import assert from "node:assert/strict";
import { asUser, type Person, signIn, signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import { token } from "../support/tokens.ts";
import { connect, logActivity, notify, tellAdmins } from "./activities.ts";
import { assertNoRows, Client, keyOf, type Listening } from "./listen.ts";

const sql = connect();
Deno.test.afterAll(() => sql.end());

const secret = stack().jwtSecret;
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
const person = await signUp();
const mine = (who: Person = person) => ({ table: "user_notifications", filter: `user_id=eq.${who.id}` });

/** Everything written before has been looked at for every subscriber. */
async function passed(): Promise<void> {
  const witness = await signUp();
  await using client = new Client(witness);
  const heard = await client.listen("witness", mine(witness));
  await heard.until(await notify(sql, witness.id));
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

Deno.test("a token that is no good joins nothing, and the reason is told", async () => {
  await Promise.all(
    Object.entries(BAD).map(async ([name, [bad, reason]]) => {
      await using client = new Client({ token: bad });
      const channel = await client.join("bad", mine());
      const { error } = await channel.said("CHANNEL_ERROR");
      assert.match(error!, reason, name);
      await notify(sql, person.id);
      await passed();
      await client.settled();
      assert.deepEqual([channel.heard, channel.system], [[], []], name);
    }),
  );
});

Deno.test("a role that may read nothing is refused with a filter, and hears of no row without one", async () => {
  for (const role of ["anon", "authenticator", "no_such_role"]) {
    await using client = new Client({ token: token(person.id, { secret, claims: { role } }) });
    const filtered = await client.join("filtered", mine());
    await assert.rejects(filtered.ready(), /Unable to subscribe to changes/, role);
    const all = await client.join("all", { table: "user_notifications" });
    await all.said("SUBSCRIBED");
    await client.settled();
    await notify(sql, person.id);
    await passed();
    await client.settled();
    assert.deepEqual(filtered.heard, [], role);
    assertNoRows(all);
  }
});

Deno.test("the service hears of every row, drafts too", async () => {
  const { secretKey } = stack();
  await using client = new Client({ key: secretKey });
  const heard = await client.listen("service", mine());
  await heard.until(await notify(sql, person.id, { status: "draft", sent_at: null }));
});

Deno.test("a token of somebody whom nobody knows is silent", async () => {
  await using client = new Client({ token: token(crypto.randomUUID(), { secret }) });
  const channel = await client.listen("unknown", mine(), { table: "user_activity_logs" });
  await notify(sql, person.id);
  await logActivity(sql, person.id);
  await passed();
  await client.settled();
  assert.deepEqual(channel.heard, []);
});

Deno.test("a token that is taken back by the end of the account is silent", async () => {
  const leaver = await signUp();
  await using client = new Client(leaver);
  const channel = await client.listen("leaver", mine(leaver), { table: "parking_sessions" });
  await channel.until(await notify(sql, leaver.id));
  const gone = await asUser(leaver)("/me/withdraw", { method: "POST" });
  assert.ok(gone.ok, await gone.text());
  await notify(sql, leaver.id);
  await passed();
  await client.settled();
  assert.equal(channel.heard.filter(({ eventType }) => eventType !== "DELETE").length, 1);
});

/** Somebody listens and hears; then `lose` takes their standing, and they hear nothing more until `regain`. */
async function silenced(
  listening: Listening,
  client: Client,
  write: () => Promise<string>,
  lose: () => Promise<unknown>,
  regain: () => Promise<unknown>,
): Promise<void> {
  await listening.until(await write());
  const heard = listening.heard.length;
  await lose();
  const hidden = await write();
  await passed();
  await client.settled();
  assert.equal(listening.heard.length, heard);
  await regain();
  const shown = await write();
  await listening.until(shown);
  assert.ok(!listening.heard.some((change) => keyOf(change) === hidden), "what was missed is not sent later");
}

Deno.test("a person who is suspended hears nothing from then on, with the token they have", async () => {
  const suspended = await signUp();
  await using client = new Client(suspended);
  const listening = await client.listen("suspended", mine(suspended));
  await silenced(
    listening,
    client,
    () => notify(sql, suspended.id),
    () => sql`update public.app_users set status = 'suspended' where id = ${suspended.id}`,
    () => sql`update public.app_users set status = 'active' where id = ${suspended.id}`,
  );
});

Deno.test("an administrator who is suspended, or loses the area, hears nothing from then on", async () => {
  const administrator = await signUp({ appMetadata: { admin: { areas: ["support"] } } });
  await using client = new Client(administrator);
  const listening = await client.listen(
    "console",
    { table: "admin_notifications", event: "INSERT", filter: "area=eq.support" },
  );
  const setAdmin = (change: string) => () =>
    sql.unsafe(`update public.admins set ${change} where id = '${administrator.id}'`);
  const write = () => tellAdmins(sql, { area: "support" });
  await silenced(listening, client, write, setAdmin("status = 'suspended'"), setAdmin("status = 'active'"));
  await silenced(listening, client, write, setAdmin("areas = '{lots}'"), setAdmin("areas = '{support}'"));
});

Deno.test("when the token ends the subscription ends, with a word, and the library does not join again", async () => {
  await using client = new Client({ token: token(person.id, { secret, claims: { exp: inSeconds(3) } }) });
  const channel = await client.listen("short", mine());
  await channel.until(await notify(sql, person.id));
  await channel.said("CLOSED");
  const word = channel.system.at(-1)!;
  assert.equal(word.status, "error");
  assert.equal(word.extension, "system");
  assert.match(word.message, /^Token has expired \d+ seconds ago$/);
  const heard = channel.heard.length;
  await notify(sql, person.id);
  await passed();
  await client.settled();
  assert.equal(channel.heard.length, heard);
  assert.equal(client.supabase.getChannels().length, 0);
});

Deno.test("a token that is refreshed in time keeps the subscription, and the claims are those of the new one", async () => {
  const short = await signIn(person.email);
  await using client = new Client({ token: token(person.id, { secret, claims: { exp: inSeconds(4) } }) });
  const channel = await client.listen("refreshed", mine());
  client.token = short.token;
  await client.supabase.realtime.setAuth();
  await channel.ready(2);
  // Past the end of the first token.
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  await channel.until(await notify(sql, person.id));
  assert.deepEqual(channel.statuses.map(({ status }) => status), ["SUBSCRIBED"]);
});

Deno.test("a channel that is given another's token hears that other's rows and no more its own", async () => {
  const next = await signUp();
  await using client = new Client(person);
  const channel = await client.listen("shared device", { table: "user_notifications" });
  await channel.until(await notify(sql, person.id));
  client.token = next.token;
  await client.supabase.realtime.setAuth();
  await channel.ready(2);
  const firsts = await notify(sql, person.id);
  await channel.until(await notify(sql, next.id));
  assert.ok(!channel.heard.some((change) => keyOf(change) === firsts));
});

Deno.test("a channel that is given a bad token ends", async () => {
  await using client = new Client(person);
  const channel = await client.listen("turned bad", mine());
  client.token = token(person.id, { secret: "another-secret-of-at-least-32-characters" });
  await client.supabase.realtime.setAuth();
  await channel.said("CLOSED");
  await notify(sql, person.id);
  await passed();
  await client.settled();
  assert.deepEqual(channel.heard, []);
});

Deno.test("a socket with a key that is none is refused before anything is said", async () => {
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
});
