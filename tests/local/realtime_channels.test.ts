// Tokens, private topics and what is not supported, as they are on the wire.
import { strict as assert } from "node:assert";
import { SERVICE_ROLE_KEY } from "../../local/settings.ts";
import { eventually } from "../support/eventually.ts";
import { token, withServer } from "../support/realtime_server.ts";

const ROOM = "realtime:room1";
const CHANGES = { postgres_changes: [{ event: "*", schema: "public" }] };

/** A broadcast as realtime-js sends it: a binary frame of kind 3. */
function binaryBroadcast(joinRef: string, ref: string): Uint8Array<ArrayBuffer> {
  const parts = [joinRef, ref, ROOM, "shout"].map((text) => new TextEncoder().encode(text));
  const payload = new TextEncoder().encode('{"words": "hello"}');
  return Uint8Array.from([
    3,
    ...parts.map(({ length }) => length),
    0,
    1,
    ...parts.flatMap((part) => [...part]),
    ...payload,
  ]);
}

Deno.test("realtime: broadcasts and presence are rejected with the reason, and do not reach other members", async () => {
  await withServer(async ({ connect }) => {
    const [sender, other, old] = [await connect(), await connect(), await connect({ vsn: "1.0.0" })];
    await sender.join(ROOM, { broadcast: { ack: true, self: true } });
    await other.join(ROOM);
    old.send({ topic: ROOM, event: "phx_join", payload: { config: {} }, ref: "1" });
    const rejected = (feature: string) => ({
      status: "error",
      response: { reason: `NotSupported: The local platform has no ${feature}.` },
    });
    sender.send(["1", "2", ROOM, "broadcast", { type: "broadcast", event: "shout", payload: {} }]);
    assert.deepEqual(await sender.reply("2"), rejected("broadcast"));
    sender.socket.send(binaryBroadcast("1", "3"));
    assert.deepEqual(await sender.reply("3"), rejected("broadcast"));
    sender.send(["1", "4", ROOM, "presence", { type: "presence", event: "track", payload: {} }]);
    assert.deepEqual(await sender.reply("4"), rejected("presence"));
    old.send({
      topic: ROOM,
      event: "broadcast",
      payload: { type: "broadcast", event: "shout", payload: {} },
      ref: "2",
    });
    const text = await eventually(() => old.received[1]);
    assert.deepEqual(JSON.parse(text).payload, rejected("broadcast"));
    await other.settled();
    assert.deepEqual(other.frames.map(([, , , event]) => event), ["phx_reply", "phx_reply"]);
    for (
      const [feature, config] of Object.entries({
        presence: { presence: { enabled: true, key: "me" } },
        "replay of broadcasts": { broadcast: { replay: { since: 0 } } },
        replication_ready: { broadcast: { replication_ready: true } },
        "postgres_changes_options.wait": { ...CHANGES, postgres_changes_options: { wait: true } },
      })
    ) assert.deepEqual(await sender.join("realtime:other", config, feature), rejected(feature));
  });
});

Deno.test("realtime: a private topic is joined only with the right to read it", async () => {
  await withServer(async ({ connect, feed }) => {
    const client = await connect();
    feed.isOpen = false;
    assert.deepEqual((await client.join(ROOM, { private: true })).response, {
      reason: "Unauthorized: You do not have permissions to read from this Channel topic: room1",
    });
    assert.equal((await client.join(ROOM, {}, "2")).status, "ok");
    feed.isOpen = true;
    assert.equal((await client.join(ROOM, { private: true }, "3")).status, "ok");
  });
});

Deno.test("realtime: a join with a bad token is rejected with the reason", async () => {
  await withServer(async ({ connect }) => {
    const client = await connect();
    const reasons: [string, RegExp][] = [
      [token(-60), /^InvalidJWTToken: Token has expired \d+ seconds ago$/],
      ["nothing", /^MalformedJWT: The token provided is not a valid JWT$/],
      [`${token().slice(0, -4)}AAAA`, /^JwtSignatureError: Failed to validate JWT signature$/],
      [token(60, { role: "" }), /^InvalidJWTToken: Fields `role` and `exp` are required in JWT$/],
    ];
    for (const [index, [bad, expected]] of reasons.entries()) {
      const { status, response } = await client.join(ROOM, {}, `j${index}`, bad);
      assert.equal(status, "error");
      assert.match((response as { reason: string }).reason, expected);
    }
    assert.deepEqual(await client.join("realtime:", {}, "n"), {
      status: "error",
      response: { reason: "TopicNameRequired: You must provide a topic name" },
    });
  });
});

Deno.test("realtime: a channel has the identity of its own token, or of the connection's if it sends a key", async () => {
  await withServer(async ({ connect, feed }) => {
    const client = await connect({ apikey: SERVICE_ROLE_KEY });
    await client.join("realtime:a", CHANGES, "1", token(60, { sub: "ann" }));
    await client.join("realtime:b", CHANGES, "2", "sb_publishable_x");
    await client.join("realtime:c", CHANGES, "3");
    client.send(["4", "4", "realtime:d", "phx_join", { config: CHANGES, user_token: token(60, { sub: "old" }) }]);
    await eventually(() => feed.subscribed.size === 4 || undefined);
    const identities = [...feed.subscribed].map(({ identities: [first] }) => [first?.role, first?.claims["sub"]]);
    assert.deepEqual(identities, [
      ["authenticated", "ann"],
      ["service_role", undefined],
      ["service_role", undefined],
      ["authenticated", "old"],
    ]);
  });
});

Deno.test("realtime: a new token replaces the old one without a reply", async () => {
  await withServer(async ({ connect, feed }) => {
    const client = await connect();
    const first = token(60, { sub: "ann" });
    await client.join(ROOM, CHANGES, "1", first);
    await client.frame((frame) => frame[3] === "system");
    const push = (access_token: unknown) => client.send(["1", "9", ROOM, "access_token", { access_token }]);
    for (const ignored of [null, first, "sb_secret_x", 5]) push(ignored);
    const second = token(60, { sub: "bob" });
    push(second);
    push(second);
    await eventually(() => client.frames.filter((frame) => frame[3] === "system").length === 2 || undefined);
    await client.settled();
    const [subscribed] = feed.subscribed;
    assert.deepEqual(subscribed?.identities.map(({ claims }) => claims["sub"]), ["ann", "bob"]);
    assert.equal(client.frames.filter((frame) => frame[1] === "9").length, 0);
    push(token(-60));
    const error = await client.frame((frame) => frame[4].status === "error");
    assert.match(error[4].message, /^Token has expired \d+ seconds ago$/);
    assert.equal(error[4].extension, "system");
    assert.deepEqual(await client.frame((frame) => frame[3] === "phx_close"), ["1", "1", ROOM, "phx_close", {}]);
    assert.equal(feed.subscribed.size, 0);
  });
});

Deno.test("realtime: a new token without the right to read closes a private channel, and ends a subscription that it may not have", async () => {
  await withServer(async ({ connect, feed }) => {
    const client = await connect();
    await client.join(ROOM, { private: true });
    await client.join("realtime:open", CHANGES, "2");
    await client.frame((frame) => frame[3] === "system");
    feed.isOpen = false;
    feed.error = "Not for you";
    client.send(["1", "3", ROOM, "access_token", { access_token: token(60) }]);
    client.send(["2", "4", "realtime:open", "access_token", { access_token: token(60) }]);
    const closed = await client.frame((frame) => frame[3] === "system" && frame[2] === ROOM);
    assert.equal(closed[4].message, "You no longer have permission to read from this Channel topic: room1");
    const refused = await client.frame((frame) => frame[3] === "system" && frame[4].message === "Not for you");
    assert.equal(refused[4].extension, "postgres_changes");
    assert.equal(feed.subscribed.size, 0);
  });
});

Deno.test("realtime: a channel ends when its token expires, and the socket stays open", async () => {
  await withServer(async ({ connect, feed }) => {
    const client = await connect();
    const expires = Math.floor(Date.now() / 1000) + 2;
    await client.join(ROOM, CHANGES, "1", token(2));
    const [, , , , payload] = await client.frame((frame) => frame[4].status === "error", 5_000);
    assert.ok(Date.now() >= expires * 1000);
    assert.deepEqual({ ...payload, message: payload.message.replace(/\d+/, "N") }, {
      extension: "system",
      status: "error",
      message: "Token has expired N seconds ago",
      channel: "room1",
    });
    await client.frame((frame) => frame[3] === "phx_close");
    assert.equal(feed.subscribed.size, 0);
    await client.settled();
  });
});
