// The limits of the realtime server.
import { strict as assert } from "node:assert";
import { LIMITS } from "../../local/realtime/limits.ts";
import { eventually } from "../support/eventually.ts";
import { WireClient, withServer } from "../support/realtime_server.ts";

const ROOM = "realtime:room1";

Deno.test("realtime: clients above the limit are rejected", async () => {
  await withServer(async ({ connect, url }) => {
    const [first] = [await connect(), await connect()];
    await assert.rejects(WireClient.open(url()));
    first!.socket.close();
    await first!.end();
    await eventually(async () => await connect().catch(() => undefined));
  }, { clients: 2 });
});

Deno.test("realtime: channels above the limit are rejected until one is left", async () => {
  await withServer(async ({ connect }) => {
    const client = await connect();
    for (const n of ["1", "2"]) assert.equal((await client.join(`realtime:${n}`, {}, n)).status, "ok");
    assert.deepEqual(await client.join("realtime:3", {}, "3"), {
      status: "error",
      response: { reason: "ChannelRateLimitReached: Too many channels" },
    });
    client.send(["1", "4", "realtime:1", "phx_leave", {}]);
    assert.equal((await client.join("realtime:3", {}, "5")).status, "ok");
  }, { channelsPerClient: 2 });
});

Deno.test("realtime: too many joins a second close the socket", async () => {
  await withServer(async ({ connect }) => {
    const client = await connect();
    for (let n = 1; n <= 4; n++) client.send([`${n}`, `${n}`, `realtime:${n}`, "phx_join", {}]);
    await client.end();
    assert.deepEqual(await client.reply("4"), {
      status: "error",
      response: { reason: "ClientJoinRateLimitReached: Too many joins per second" },
    });
  }, { joinsPerSecond: 3 });
});

Deno.test("realtime: too many messages a second close the channel, and then the socket", async () => {
  await withServer(async ({ connect }) => {
    const client = await connect();
    await client.join(ROOM);
    for (let n = 0; n < 30; n++) client.send(["1", null, ROOM, "access_token", {}]);
    const [, , , , payload] = await client.frame((frame) => frame[3] === "system");
    assert.deepEqual(payload, {
      status: "error",
      message: "Too many messages per second",
      extension: "system",
      channel: "room1",
    });
    await client.frame((frame) => frame[3] === "phx_close");
    assert.deepEqual(await client.end(), { code: 1008, reason: "Too many messages per second" });
  }, { eventsPerSecond: 2, eventsBurstSeconds: 5 });
});

Deno.test("realtime: a frame above the limit closes the socket", async () => {
  await withServer(async ({ connect }) => {
    const client = await connect();
    client.socket.send("x".repeat(2000));
    assert.equal((await client.end()).code, 1009);
  }, { maxFrameBytes: 1000 });
});

Deno.test("realtime: an idle socket is closed; a heartbeat keeps it open", async () => {
  await withServer(async ({ connect }) => {
    const [quiet, alive] = [await connect(), await connect()];
    const beat = setInterval(() => alive.send([null, "1", "phoenix", "heartbeat", {}]), 200);
    try {
      assert.deepEqual(await quiet.end(), { code: 1000, reason: "idle timeout" });
      assert.equal(alive.closed, undefined);
    } finally {
      clearInterval(beat);
    }
  }, { idleTimeoutMs: 1_000 });
  assert.equal(LIMITS.idleTimeoutMs, 60_000);
});
