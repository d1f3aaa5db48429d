// The frames of the realtime server, in both versions of the protocol.
import { strict as assert } from "node:assert";
import { ANON_KEY } from "../../local/settings.ts";
import { eventually } from "../support/eventually.ts";
import { insertion, token, WireClient, withServer } from "../support/realtime_server.ts";

const ROOM = "realtime:room1";
const CHANGES = [{ event: "INSERT", schema: "public", table: "things", filter: "id=eq.1" }, { event: "*" }];

Deno.test("realtime: a handshake is rejected with a status and a reason", async () => {
  await withServer(async ({ port }) => {
    const ask = async (query: string, headers: Record<string, string> = {}) => {
      const upgrade = { upgrade: "websocket", connection: "Upgrade", "sec-websocket-version": "13" };
      const connection = await Deno.connect({ hostname: "127.0.0.1", port });
      const lines = Object.entries({
        host: "x",
        ...upgrade,
        "sec-websocket-key": btoa("0123456789abcdef"),
        ...headers,
      });
      const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
      await connection.write(new TextEncoder().encode(`GET /socket/websocket?${query} HTTP/1.1\r\n${head}\r\n`));
      const chunk = new Uint8Array(4096);
      const text = new TextDecoder().decode(chunk.subarray(0, await connection.read(chunk) ?? 0));
      connection.close();
      const [, status, body] = text.match(/^HTTP\/1\.1 (\d+)[^]*?\r\n\r\n(.*)$/) ?? [];
      return [Number(status), body ? JSON.parse(body).error : undefined];
    };
    const forged = `${ANON_KEY.slice(0, -4)}AAAA`;
    assert.deepEqual(await ask("vsn=2.0.0"), [401, "API key is missing"]);
    assert.deepEqual(await ask("vsn=2.0.0&apikey=hello"), [401, "The token provided is not a valid JWT"]);
    assert.deepEqual(await ask(`apikey=${forged}`), [401, "Failed to validate JWT signature"]);
    assert.deepEqual(await ask(`apikey=${token(-60)}`), [401, "Token has expired"]);
    const incomplete = [401, "Fields `role` and `exp` are required in JWT"];
    assert.deepEqual(await ask(`apikey=${token(60, {}, ["role"])}`), incomplete);
    assert.deepEqual(await ask(`apikey=${token(60, {}, ["exp"])}`), incomplete);
    assert.deepEqual((await ask(`vsn=3.0.0&apikey=${ANON_KEY}`))[0], 403);
    // The header comes before the query.
    assert.deepEqual(await ask(`apikey=${forged}`, { "x-api-key": ANON_KEY }), [101, undefined]);
    assert.deepEqual(await ask(`apikey=${ANON_KEY}`, { "x-api-key": forged }), [
      401,
      "Failed to validate JWT signature",
    ]);
  });
});

Deno.test("realtime: errors of handshakes and joins are delayed", async () => {
  await withServer(async ({ url, connect }) => {
    const started = performance.now();
    await assert.rejects(WireClient.open(url({ apikey: "nothing" })));
    assert.ok(performance.now() - started >= 150);
    const client = await connect();
    const sentAt = performance.now();
    await client.join(ROOM, {}, "1", token(-60));
    assert.ok(performance.now() - sentAt >= 250);
  }, { handshakeErrorDelayMs: 150, joinErrorDelayMs: 250 });
});

Deno.test("realtime: a heartbeat gets a reply in both versions of the protocol", async () => {
  await withServer(async ({ connect }) => {
    const now = await connect();
    now.send([null, "4", "phoenix", "heartbeat", {}]);
    const answer = { status: "ok", response: {} };
    await eventually(() => now.received.length > 0 || undefined);
    assert.deepEqual(now.frames, [[null, "4", "phoenix", "phx_reply", answer]]);
    const old = await connect({ vsn: "1.0.0" });
    old.send({ topic: "phoenix", event: "heartbeat", payload: {}, ref: "7" });
    await eventually(() => old.received.length > 0 || undefined);
    assert.deepEqual(old.frames, [{ topic: "phoenix", event: "phx_reply", payload: answer, ref: "7" }]);
  });
});

Deno.test("realtime: the reply to a join without bindings is an empty list", async () => {
  await withServer(async ({ connect }) => {
    const client = await connect();
    assert.deepEqual(await client.join(ROOM), { status: "ok", response: { postgres_changes: [] } });
    await client.settled();
    assert.equal(client.frames.length, 2);
  });
});

Deno.test("realtime: bindings are returned as they were sent, with numbers, and a system frame follows when they are subscribed", async () => {
  await withServer(async ({ connect, feed }) => {
    const client = await connect();
    const odd = { event: "insert", table: "x", unknown: [1, { deep: null }], filter: "" };
    const { response } = await client.join(ROOM, { postgres_changes: [...CHANGES, odd, { event: "*" }] });
    const { postgres_changes } = response as { postgres_changes: { id: number }[] };
    assert.deepEqual(postgres_changes.map(({ id: _, ...sent }) => sent), [...CHANGES, odd, { event: "*" }]);
    const ids = postgres_changes.map(({ id }) => id);
    assert.ok(ids.every((id) => Number.isInteger(id) && id > 0 && id < 2 ** 27));
    assert.equal(ids[1], ids[3]);
    assert.equal(new Set(ids).size, 3);
    assert.deepEqual(await client.frame((frame) => frame[3] === "system"), ["1", null, ROOM, "system", {
      status: "ok",
      message: "Subscribed to PostgreSQL",
      extension: "postgres_changes",
      channel: "room1",
    }]);
    const [subscribed] = feed.subscribed;
    assert.deepEqual(subscribed?.bindings, [...CHANGES, odd, { event: "*" }]);
    assert.equal(subscribed?.identities[0]?.role, "anon");
  });
});

Deno.test("realtime: a change carries the numbers of the bindings that it matches", async () => {
  await withServer(async ({ connect, feed }) => {
    const [now, old] = [await connect(), await connect({ vsn: "1.0.0" })];
    const reply = await now.join(ROOM, { postgres_changes: CHANGES });
    const [first, second] = (reply.response as { postgres_changes: { id: number }[] }).postgres_changes;
    old.send({ topic: ROOM, event: "phx_join", payload: { config: { postgres_changes: CHANGES } }, ref: "1" });
    await eventually(() => feed.subscribed.size === 2 || undefined);
    await now.settled();
    const change = insertion({ id: "é" });
    feed.change(change, [0, 1]);
    const frame = await now.frame((frame) => frame[3] === "postgres_changes");
    assert.deepEqual(frame, [null, null, ROOM, "postgres_changes", { ids: [first!.id, second!.id], data: change }]);
    const text = await eventually(() =>
      old.received.find((data) => String(data).includes('postgres_changes","payload'))
    );
    assert.deepEqual(JSON.parse(String(text)), {
      topic: ROOM,
      event: "postgres_changes",
      payload: { ids: [first!.id, second!.id], data: change },
      ref: null,
    });
  });
});

Deno.test("realtime: a rejected subscription is reported after the join, and not tried again", async () => {
  await withServer(async ({ connect, feed }) => {
    feed.error = "No such table";
    const client = await connect();
    assert.equal((await client.join(ROOM, { postgres_changes: CHANGES })).status, "ok");
    const [, , , , payload] = await client.frame((frame) => frame[3] === "system");
    assert.deepEqual(payload, {
      status: "error",
      message: "No such table",
      extension: "postgres_changes",
      channel: "room1",
    });
    feed.error = undefined;
    await client.settled();
    assert.equal(feed.subscribed.size, 0);
  });
});

Deno.test("realtime: when the stream is lost the channel crashes, and its client can join again", async () => {
  await withServer(async ({ connect, feed }) => {
    const client = await connect();
    await client.join(ROOM, { postgres_changes: CHANGES });
    await client.frame((frame) => frame[3] === "system");
    for (const { listener } of feed.subscribed) listener.lost("gone");
    const crash = await client.frame((frame) => frame[3] === "phx_error");
    assert.deepEqual(crash, ["1", "1", ROOM, "phx_error", { reason: "channel_crash" }]);
    assert.equal(feed.subscribed.size, 0);
    assert.equal((await client.join(ROOM, { postgres_changes: CHANGES }, "2")).status, "ok");
  });
});

Deno.test("realtime: phx_leave gets a reply, closes the channel and ends its subscription", async () => {
  await withServer(async ({ connect, feed }) => {
    const client = await connect();
    await client.join(ROOM, { postgres_changes: CHANGES });
    await client.frame((frame) => frame[3] === "system");
    client.send(["1", "2", ROOM, "phx_leave", {}]);
    assert.deepEqual(await client.reply("2"), { status: "ok", response: {} });
    assert.deepEqual(await client.frame((frame) => frame[3] === "phx_close"), ["1", "1", ROOM, "phx_close", {}]);
    assert.equal(feed.subscribed.size, 0);
    client.send(["1", "3", ROOM, "phx_leave", {}]);
    assert.deepEqual(await client.reply("3"), { status: "ok", response: {} });
    client.send(["1", "4", ROOM, "broadcast", { type: "broadcast", event: "x", payload: {} }]);
    assert.deepEqual(await client.reply("4"), { status: "error", response: { reason: "unmatched topic" } });
    assert.deepEqual(await client.join("elsewhere", {}, "5"), {
      status: "error",
      response: { reason: "unmatched topic" },
    });
  });
});

Deno.test("realtime: a channel may be left before the reply to its join", async () => {
  await withServer(async ({ connect, feed }) => {
    const client = await connect();
    const { promise, resolve } = Promise.withResolvers<void>();
    feed.gate = promise;
    client.send(["1", "1", ROOM, "phx_join", { config: { private: true, postgres_changes: CHANGES } }]);
    client.send(["1", "2", ROOM, "broadcast", { type: "broadcast", event: "x", payload: {} }]);
    client.send(["1", "3", ROOM, "phx_leave", {}]);
    assert.deepEqual(await client.reply("3"), { status: "ok", response: {} });
    resolve();
    await client.settled();
    assert.equal(client.frames.filter((frame) => frame[1] === "1" && frame[3] === "phx_reply").length, 0);
    assert.equal(feed.subscribed.size, 0);
  });
});

Deno.test("realtime: a socket that closes ends its subscriptions", async () => {
  await withServer(async ({ connect, feed }) => {
    const client = await connect();
    await client.join(ROOM, { postgres_changes: CHANGES });
    await client.frame((frame) => frame[3] === "system");
    client.socket.close();
    await eventually(() => feed.subscribed.size === 0 || undefined);
  });
});

Deno.test("realtime: joining a joined topic closes the old channel first", async () => {
  await withServer(async ({ connect, feed }) => {
    const client = await connect();
    await client.join(ROOM, { postgres_changes: CHANGES });
    await client.frame((frame) => frame[3] === "system");
    await client.join(ROOM, { postgres_changes: [CHANGES[0]] }, "2");
    await client.frame((frame) => frame[0] === "2" && frame[3] === "system");
    const events = client.frames.map(([joinRef, , , event]) => `${joinRef} ${event}`);
    assert.ok(events.indexOf("1 phx_close") < events.indexOf("2 phx_reply"));
    assert.deepEqual([...feed.subscribed].map(({ bindings }) => bindings.length), [1]);
  });
});

Deno.test("realtime: a malformed frame closes the socket", async () => {
  await withServer(async ({ connect }) => {
    for (const bad of ["{", "null", "[1,2,3]", '"text"', "{}"]) {
      const client = await connect();
      client.socket.send(bad);
      assert.equal((await client.end()).code, 1007);
    }
    for (const bad of [[], [9], [4, 1, 1], [3, 200, 1, 1, 1, 1]]) {
      const client = await connect();
      client.socket.send(Uint8Array.from(bad));
      assert.equal((await client.end()).code, 1007);
    }
  });
});

Deno.test("realtime: a frame that is nested too deep closes its socket; brackets in strings do not count", async () => {
  const nested = (deep: number) => `${"[".repeat(deep)}${"]".repeat(deep)}`;
  const push = (value: string) => `["1","2","${ROOM}","event",{"value":${value}}]`;
  await withServer(async ({ connect }) => {
    const [bad, good] = [await connect(), await connect()];
    for (const client of [bad, good]) await client.join(ROOM);
    bad.socket.send(push(nested(200_000)));
    assert.equal((await bad.end()).code, 1007);
    good.socket.send(push(JSON.stringify(`${nested(200_000)}\\"`)));
    assert.equal((await good.reply("2")).status, "error");
  });
});
