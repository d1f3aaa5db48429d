// Broadcast, presence, tokens and private topics, as they are on the wire.
import { strict as assert } from "node:assert";
import { ANON_KEY, SERVICE_ROLE_KEY } from "../../local/settings.ts";
import { eventually } from "../support/eventually.ts";
import { token, type WireClient, withServer } from "../support/realtime_server.ts";

const ROOM = "realtime:room1";
const CHANGES = { postgres_changes: [{ event: "*", schema: "public" }] };

/** A broadcast as realtime-js sends it: a frame of kind 3. */
function userPush(joinRef: string, ref: string, event: string, payload: Uint8Array, isJson: boolean): Uint8Array {
  const [join, own, topic, name] = [joinRef, ref, ROOM, event].map((text) => new TextEncoder().encode(text));
  const sizes = [join, own, topic, name].map((bytes) => bytes!.length);
  return Uint8Array.from([3, ...sizes, 0, isJson ? 1 : 0, ...join!, ...own!, ...topic!, ...name!, ...payload]);
}

/** What a frame of kind 4 carries. */
function userBroadcast(data: ArrayBuffer): { topic: string; event: string; isJson: boolean; payload: Uint8Array } {
  const bytes = new Uint8Array(data);
  const [kind, topic = 0, event = 0, metadata = 0, encoding] = bytes;
  assert.equal(kind, 4);
  const text = (from: number, length: number) => new TextDecoder().decode(bytes.subarray(from, from + length));
  return {
    topic: text(5, topic),
    event: text(5 + topic, event),
    isJson: encoding === 1,
    payload: bytes.subarray(5 + topic + event + metadata),
  };
}

async function binary(client: WireClient): Promise<ReturnType<typeof userBroadcast>> {
  return userBroadcast(await eventually(() => client.heard.find((data) => data instanceof ArrayBuffer)));
}

Deno.test("a broadcast reaches the others, and its sender only when he asked for it", async () => {
  await withServer(async ({ connect }) => {
    const [sender, other, old] = [await connect(), await connect(), await connect({ vsn: "1.0.0" })];
    await sender.join(ROOM);
    await other.join(ROOM);
    old.send({ topic: ROOM, event: "phx_join", payload: { config: {} }, ref: "1" });
    await eventually(() => old.heard.length > 0 || undefined);
    const payload = { type: "broadcast", event: "shout", payload: { words: "é漢" } };
    sender.send(["1", "2", ROOM, "broadcast", payload]);
    assert.deepEqual(await other.frame((frame) => frame[3] === "broadcast"), [null, null, ROOM, "broadcast", payload]);
    const text = await eventually(() => old.heard[1]);
    assert.deepEqual(JSON.parse(String(text)), { topic: ROOM, event: "broadcast", payload, ref: null });
    await sender.settled();
    assert.equal(sender.frames.filter((frame) => frame[3] === "broadcast").length, 0);
    assert.equal(sender.frames.filter((frame) => frame[1] === "2").length, 0);
    await sender.join(ROOM, { broadcast: { self: true, ack: "true" } }, "3");
    sender.send(["3", "4", ROOM, "broadcast", payload]);
    assert.deepEqual(await sender.reply("4"), { status: "ok", response: {} });
    await sender.frame((frame) => frame[3] === "broadcast");
  });
});

Deno.test("a binary broadcast goes out as it came in, and as JSON to clients of version 1", async () => {
  await withServer(async ({ connect }) => {
    const [sender, other, old] = [await connect(), await connect(), await connect({ vsn: "1.0.0" })];
    await sender.join(ROOM);
    await other.join(ROOM);
    old.send({ topic: ROOM, event: "phx_join", payload: { config: {} }, ref: "1" });
    await eventually(() => old.heard.length > 0 || undefined);
    const json = new TextEncoder().encode('{"words": "é漢"}');
    sender.socket.send(userPush("1", "2", "shoüt", json, true));
    assert.deepEqual(await binary(other), { topic: ROOM, event: "shoüt", isJson: true, payload: json });
    assert.deepEqual(JSON.parse(String(await eventually(() => old.heard[1]))).payload, {
      type: "broadcast",
      event: "shoüt",
      payload: { words: "é漢" },
    });
    const liar = await connect();
    await liar.join(ROOM);
    liar.socket.send(userPush("1", "3", "broken", new TextEncoder().encode("{"), true));
    assert.equal((await liar.end()).code, 1007);
    other.heard.length = 0;
    const bytes = Uint8Array.of(0, 255, 3);
    sender.socket.send(userPush("1", "3", "raw", bytes, false));
    assert.deepEqual(await binary(other), { topic: ROOM, event: "raw", isJson: false, payload: bytes });
    old.send({ topic: "phoenix", event: "heartbeat", payload: {}, ref: "9" });
    await eventually(() => old.heard.length === 3 || undefined);
    assert.equal(JSON.parse(String(old.heard[2])).ref, "9");
  });
});

Deno.test("a broadcast over the limit goes nowhere", async () => {
  await withServer(async ({ connect }) => {
    const [sender, other] = [await connect(), await connect()];
    await sender.join(ROOM, { broadcast: { ack: true } });
    await other.join(ROOM);
    const large = { type: "broadcast", event: "x", payload: { words: "x".repeat(1000) } };
    sender.send(["1", "2", ROOM, "broadcast", large]);
    assert.deepEqual(await sender.reply("2"), { status: "error", response: { reason: "payload_size_exceeded" } });
    await other.settled();
    assert.equal(other.frames.filter((frame) => frame[3] === "broadcast").length, 0);
  }, { broadcast: 500 });
});

Deno.test("broadcasts over HTTP reach the members, with a key only", async () => {
  await withServer(async ({ connect, port, feed }) => {
    const [member, secret] = [await connect(), await connect()];
    await member.join(ROOM);
    await secret.join(ROOM, { private: true });
    const post = async (path: string, body: BodyInit, headers: Record<string, string> = {}) => {
      const options = { method: "POST", body, headers: { authorization: `Bearer ${ANON_KEY}`, ...headers } };
      const answer = await fetch(`http://127.0.0.1:${port}/api/broadcast${path}`, options);
      return [answer.status, await answer.text()];
    };
    const message = { topic: "room1", event: "news", payload: { n: 1 } };
    const batch = (...messages: unknown[]) => JSON.stringify({ messages });
    assert.deepEqual(await post("", batch(message)), [202, ""]);
    const [, , , , payload] = await member.frame((frame) => frame[3] === "broadcast");
    assert.deepEqual(payload, { type: "broadcast", event: "news", payload: { n: 1 } });
    assert.deepEqual(await post("/room1/events/r%C3%A4w", '{"n":2}'), [202, ""]);
    const { event, payload: json } = await binary(member);
    assert.deepEqual([event, new TextDecoder().decode(json)], ["räw", '{"n":2}']);
    await secret.settled();
    assert.equal(secret.heard.length, 2);

    assert.deepEqual(await post("", batch({ ...message, private: true })), [202, ""]);
    await secret.frame((frame) => frame[3] === "broadcast");
    feed.rights = { read: true, write: false };
    assert.deepEqual(await post("", batch({ ...message, private: true })), [202, ""]);
    await secret.settled();
    assert.equal(secret.frames.filter((frame) => frame[3] === "broadcast").length, 1);

    assert.equal((await post("", batch(message), { authorization: "Bearer nothing" }))[0], 401);
    assert.equal((await post("", "{}"))[0], 422);
    const deep = `${"[".repeat(1_000)}${"]".repeat(1_000)}`;
    assert.equal(
      (await post("", `{"messages":[{"topic":"room1","event":"news","payload":{"deep":${deep}}}]}`))[0],
      422,
    );
    assert.equal((await post("", batch({ topic: "room1" })))[0], 422);
    assert.equal((await post("/room1/events/news", "{"))[0], 422);
    assert.equal((await post("/%E0%A4%A/events/news", "{}"))[0], 422);
    assert.equal((await post("/room1", "{}"))[0], 404);
  });
});

Deno.test("presence: who comes gets everybody, everybody hears who comes, changes and goes", async () => {
  await withServer(async ({ connect }) => {
    const [ann, bob] = [await connect(), await connect()];
    await ann.join(ROOM, { presence: { enabled: true, key: "ann" } });
    const [joinRef, , , , none] = await ann.frame((frame) => frame[3] === "presence_state");
    assert.deepEqual([joinRef, none], ["1", {}]);
    const track = (client: WireClient, ref: string, payload: unknown, event = "track") => {
      client.send(["1", ref, ROOM, "presence", { type: "presence", event, payload }]);
      return client.reply(ref);
    };
    assert.deepEqual(await track(ann, "2", { at: "home" }), { status: "ok", response: {} });
    const joins = (key: string, at: string) => ann.frame((frame) => frame[4].joins?.[key]?.metas[0].at === at);
    const [nowhere, noRef, , event, { joins: joined, leaves }] = await joins("ann", "home");
    assert.deepEqual([nowhere, noRef, event, leaves], [null, null, "presence_diff", {}]);
    assert.equal(typeof joined.ann.metas[0].phx_ref, "string");

    // Bob did not say that he wants to hear of it; by tracking he does. His key is one of his own.
    await bob.join(ROOM);
    await track(bob, "2", { at: "work" });
    const [, , , , state] = await bob.frame((frame) => frame[3] === "presence_state");
    const bobs = Object.keys(state).find((key) => key !== "ann")!;
    assert.deepEqual(state.ann.metas, joined.ann.metas);
    await joins(bobs, "work");

    await track(bob, "3", { at: "lunch" });
    const [, , , , changed] = await joins(bobs, "lunch");
    assert.equal(changed.joins[bobs].metas[0].phx_ref_prev, changed.leaves[bobs].metas[0].phx_ref);
    await track(bob, "4", { at: "lunch" });
    await track(bob, "5", undefined, "untrack");
    const gone = await ann.frame((frame) => frame[4].leaves?.[bobs]?.metas[0].at === "lunch");
    assert.deepEqual(gone[4].joins, {});
    assert.equal(ann.frames.filter((frame) => frame[4].joins?.[bobs]).length, 2);

    assert.equal((await track(ann, "3", "words")).status, "error");
    assert.equal((await track(ann, "4", {}, "jump")).status, "error");
  });
});

Deno.test("several clients of one key have an entry each, and odd keys harm nobody", async () => {
  await withServer(async ({ connect }) => {
    const clients = [await connect(), await connect(), await connect()];
    for (const [index, client] of clients.entries()) {
      await client.join(ROOM, { presence: { enabled: true, key: "__proto__" } });
      client.send(["1", "2", ROOM, "presence", { type: "presence", event: "track", payload: { index } }]);
      await client.reply("2");
    }
    const late = await connect();
    await late.join(ROOM, { presence: { enabled: true } });
    const text = await eventually(() => late.heard.find((data) => String(data).includes("presence_state")));
    const metas = String(text).match(/"index":\d/g);
    assert.deepEqual(metas, ['"index":0', '"index":1', '"index":2']);
    clients[1]!.socket.close();
    const [, , , , { leaves }] = await late.frame((frame) => frame[3] === "presence_diff");
    assert.equal(Object.getOwnPropertyDescriptor(leaves, "__proto__")?.value.metas[0].index, 1);
  });
});

Deno.test("presence calls beyond their limit close the channel", async () => {
  await withServer(async ({ connect }) => {
    const client = await connect();
    await client.join(ROOM);
    for (let call = 2; call <= 4; call++) {
      client.send(["1", String(call), ROOM, "presence", { event: "track", payload: { call } }]);
    }
    const [, , , , payload] = await client.frame((frame) => frame[3] === "system");
    assert.equal(payload.message, "Client presence rate limit exceeded");
    await client.frame((frame) => frame[3] === "phx_close");
  }, { presenceCalls: 2 });
});

Deno.test("a private topic needs the right to read, and another to write", async () => {
  await withServer(async ({ connect, feed }) => {
    const [client, other] = [await connect(), await connect()];
    feed.rights = { read: false, write: false };
    assert.deepEqual((await client.join(ROOM, { private: true })).response, {
      reason: "Unauthorized: You do not have permissions to read from this Channel topic: room1",
    });
    feed.rights = { read: true, write: false };
    await client.join(ROOM, { private: true, broadcast: { ack: true } }, "2");
    await other.join(ROOM, { private: true });
    client.send(["2", "3", ROOM, "broadcast", { type: "broadcast", event: "x", payload: {} }]);
    client.send(["2", "4", ROOM, "presence", { type: "presence", event: "track", payload: {} }]);
    assert.equal((await client.reply("4")).status, "error");
    await other.settled();
    assert.equal(other.frames.filter((frame) => frame[3] === "broadcast").length, 0);
    assert.equal(client.frames.filter((frame) => frame[1] === "3").length, 0);
  });
});

Deno.test("a public and a private topic of one name do not hear each other", async () => {
  await withServer(async ({ connect }) => {
    const [open, hidden] = [await connect(), await connect()];
    await open.join(ROOM);
    await hidden.join(ROOM, { private: true });
    hidden.send(["1", "2", ROOM, "broadcast", { type: "broadcast", event: "x", payload: {} }]);
    await hidden.settled();
    await open.settled();
    assert.equal(open.frames.filter((frame) => frame[3] === "broadcast").length, 0);
  });
});

Deno.test("a join with a bad token is refused with its reason", async () => {
  await withServer(async ({ connect }) => {
    const client = await connect();
    const reasons: [string, RegExp][] = [
      [token(-60), /^InvalidJWTToken: Token has expired (59|60|61) seconds ago$/],
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

Deno.test("the channel's token says who it is; a key in its place stands for the connection's", async () => {
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

Deno.test("a new token takes the place of the old one, without an answer", async () => {
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

Deno.test("new claims that may not read close a private channel, and end a subscription they have no right to", async () => {
  await withServer(async ({ connect, feed }) => {
    const client = await connect();
    await client.join(ROOM, { private: true });
    await client.join("realtime:open", CHANGES, "2");
    await client.frame((frame) => frame[3] === "system");
    feed.rights = { read: false, write: false };
    feed.refusal = "Not for you";
    client.send(["1", "3", ROOM, "access_token", { access_token: token(60) }]);
    client.send(["2", "4", "realtime:open", "access_token", { access_token: token(60) }]);
    const closed = await client.frame((frame) => frame[3] === "system" && frame[2] === ROOM);
    assert.equal(closed[4].message, "You no longer have permission to read from this Channel topic: room1");
    const refused = await client.frame((frame) => frame[3] === "system" && frame[4].message === "Not for you");
    assert.equal(refused[4].extension, "postgres_changes");
    assert.equal(feed.subscribed.size, 0);
  });
});

Deno.test("a channel ends with its token, and the socket stays", async () => {
  await withServer(async ({ connect, feed }) => {
    const client = await connect();
    await client.join(ROOM, CHANGES, "1", token(2));
    const joined = performance.now();
    const [, , , , payload] = await client.frame((frame) => frame[4].status === "error", 5_000);
    assert.ok(performance.now() - joined > 500);
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
