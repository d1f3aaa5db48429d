// The realtime server as the platform runs it: in a process of its own, behind the gateway.
import { strict as assert } from "node:assert";
import { fileURLToPath } from "node:url";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
// @ts-types="@types/ws"
import { WebSocket as Ws } from "ws";
import { type Gateway, listen } from "../../local/gateway/gateway.ts";
import { RealtimeGate } from "../../local/gateway/realtime.ts";
import { alive } from "../../local/process.ts";
import { Supervisor } from "../../local/realtime/supervisor.ts";
import { PUBLISHABLE_KEY } from "../../local/settings.ts";
import { eventually } from "../support/eventually.ts";
import { token, WireClient } from "../support/realtime_server.ts";

const ENTRY = fileURLToPath(new URL("../support/realtime_entry.ts", import.meta.url));
const CHANGES = { postgres_changes: [{ event: "*", schema: "public" }] };

interface Behind {
  readonly gateway: Gateway;
  readonly gate: RealtimeGate;
  readonly process: Supervisor;
  readonly log: string[];
  readonly url: string;
  /** `vsn`: the version of the protocol. */
  client(vsn?: string): SupabaseClient;
}

async function behindGateway(run: (behind: Behind) => Promise<void>): Promise<void> {
  const log: string[] = [];
  const write = (line: string) => void log.push(line);
  const process = new Supervisor({ entry: ENTRY, databaseUrl: "postgres://none", log: write });
  const gate = new RealtimeGate((patience) => process.port(patience));
  const gateway = listen({ hostname: "127.0.0.1", port: 0, log: write }, () => Promise.resolve(new Response()));
  const nobody = () => Promise.resolve(new Response(null, { status: 404 }));
  const realtime = (request: Request, url: URL) => gate.handle(request, url);
  const mail = () => new Response();
  gateway.open({ rest: nobody, auth: nobody, mail, functions: nobody, storage: nobody, realtime });
  const clients: SupabaseClient[] = [];
  try {
    await run({
      gateway,
      gate,
      process,
      log,
      url: `ws://127.0.0.1:${gateway.port}/realtime/v1/websocket?vsn=2.0.0&apikey=${PUBLISHABLE_KEY}`,
      client: (vsn = "2.0.0") => {
        const client = createClient(`http://127.0.0.1:${gateway.port}`, PUBLISHABLE_KEY, {
          auth: { persistSession: false, autoRefreshToken: false },
          realtime: { vsn },
        });
        clients.push(client);
        return client;
      },
    });
  } finally {
    for (const client of clients) await client.removeAllChannels();
    await gate.close();
    await gateway.stop();
    await process.stop();
  }
}

Deno.test("supabase-js shouts, is heard, and is present, through the gateway", async () => {
  await behindGateway(async ({ client }) => {
    const heard: unknown[] = [];
    const present: string[] = [];
    const [one, two] = [client(), client()];
    const ear = two.channel("room")
      .on("broadcast", { event: "*" }, ({ event, payload }) => void heard.push([event, payload]))
      .on("presence", { event: "join" }, ({ key }) => void present.push(key));
    const mouth = one.channel("room", { config: { broadcast: { ack: true }, presence: { key: "one" } } });
    for (const channel of [ear, mouth]) await subscribed(channel);
    const bytes = Uint8Array.of(0, 1, 255).buffer;
    assert.equal(await mouth.send({ type: "broadcast", event: "words", payload: { words: "é漢" } }), "ok");
    assert.equal(await mouth.send({ type: "broadcast", event: "bytes", payload: bytes }), "ok");
    assert.equal(await mouth.track({ at: "home" }), "ok");
    assert.deepEqual(await mouth.httpSend("http", { n: 1 }), { success: true });
    await eventually(() => (heard.length === 3 && present.length === 1) || undefined);
    assert.deepEqual(heard, [["words", { words: "é漢" }], ["bytes", bytes], ["http", { n: 1 }]]);
    assert.deepEqual(present, ["one"]);
    assert.equal(await one.removeChannel(mouth), "ok");
    await eventually(() => Object.keys(ear.presenceState()).length === 0 || undefined);
  });
});

Deno.test("clients of both versions of the protocol hear each other, and rows", async () => {
  await behindGateway(async ({ client }) => {
    const heard: unknown[] = [];
    const rows: unknown[] = [];
    const [old, now] = ["1.0.0", "2.0.0"].map((vsn) => {
      const channel = client(vsn).channel("room", { config: { broadcast: { ack: true } } });
      channel.on("broadcast", { event: "*" }, ({ event, payload }) => void heard.push([vsn, event, payload]));
      channel.on(
        "postgres_changes",
        { event: "*", schema: "public" },
        ({ eventType }) => void rows.push(vsn + eventType),
      );
      return channel;
    });
    for (const channel of [old!, now!]) await subscribed(channel);
    assert.equal(await old!.send({ type: "broadcast", event: "from", payload: { vsn: "1.0.0" } }), "ok");
    assert.equal(await now!.send({ type: "broadcast", event: "from", payload: { vsn: "2.0.0" } }), "ok");
    await eventually(() => heard.length === 2 || undefined);
    assert.deepEqual(heard, [["2.0.0", "from", { vsn: "1.0.0" }], ["1.0.0", "from", { vsn: "2.0.0" }]]);
    await eventually(() => (rows.includes("1.0.0INSERT") && rows.includes("2.0.0INSERT")) || undefined);
  });
});

Deno.test("a refusal reaches the client with its status through the gateway", async () => {
  await behindGateway(async ({ gateway }) => {
    const address = `ws://127.0.0.1:${gateway.port}/realtime/v1/websocket?vsn=2.0.0`;
    const refusal = async (url: string, headers: Record<string, string> = {}) => {
      const { promise, resolve } = Promise.withResolvers<[number | undefined, string]>();
      const socket = new Ws(url, { headers });
      socket.on("error", () => {});
      socket.on("open", () => socket.close());
      socket.on("upgrade", () => resolve([101, ""]));
      socket.on("unexpected-response", async (_request, answer) => {
        let text = "";
        for await (const chunk of answer) text += chunk;
        resolve([answer.statusCode, JSON.parse(text).error]);
      });
      return await promise;
    };
    const answers = await Promise.all([
      refusal(address),
      refusal(`${address}&apikey=${token(-60)}`),
      refusal(`${address}&apikey=sb_publishable_other`),
      refusal(address, { "x-api-key": PUBLISHABLE_KEY }),
    ]);
    assert.deepEqual(answers, [
      [401, "API key is missing"],
      [401, "Token has expired"],
      [401, "The token provided is not a valid JWT"],
      [101, ""],
    ]);
    const plain = await fetch(address.replace("ws:", "http:"));
    assert.equal(plain.status, 426);
    await plain.body?.cancel();
  });
});

Deno.test("close codes pass through the gateway both ways", async () => {
  await behindGateway(async ({ url }) => {
    const client = await WireClient.open(url);
    client.socket.send("{");
    assert.deepEqual(await client.end(), { code: 1007, reason: "The frame is no JSON" });
    const [leaver, stayer] = [await WireClient.open(url), await WireClient.open(url)];
    for (const socket of [leaver, stayer]) await socket.join("realtime:room", { presence: { enabled: true } });
    leaver.send(["1", "2", "realtime:room", "presence", { event: "track", payload: {} }]);
    await leaver.reply("2");
    leaver.socket.close(1000, "bye");
    await stayer.frame((frame) => Object.keys(frame[4].leaves ?? {}).length === 1);
    stayer.socket.close();
    await stayer.end();
  });
});

Deno.test("after kill -9 the server is started again, and clients join again by themselves", async () => {
  await behindGateway(async ({ client, process }) => {
    const pids = new Set<number>();
    const channel = client().channel("rows")
      .on<{ pid: number }>(
        "postgres_changes",
        { event: "INSERT", schema: "public" },
        (row) => void pids.add(row.new.pid),
      );
    await subscribed(channel);
    const first = process.pid!;
    await eventually(() => pids.has(first) || undefined);
    Deno.kill(first, "SIGKILL");
    await eventually(() => process.pid !== first || undefined);
    assert.ok(await process.port(30_000));
    await eventually(() => pids.has(process.pid ?? 0) || undefined);
  });
});

Deno.test("a stop with clients connected closes each socket with 1012, and the process ends", async () => {
  await behindGateway(async ({ gate, gateway, process, url }) => {
    const clients = await Promise.all(Array.from({ length: 20 }, () => WireClient.open(url)));
    for (const client of clients) await client.join("realtime:room", CHANGES);
    const pid = process.pid!;
    await gate.close();
    await gateway.stop();
    await process.stop();
    assert.equal(alive(pid), false);
    for (const client of clients) assert.equal((await client.end()).code, 1012);
  });
});

Deno.test("the server does not outlive a platform that was killed", async () => {
  const platform = `
    import { Supervisor } from "${new URL("../../local/realtime/supervisor.ts", import.meta.url)}";
    const options = { entry: "${ENTRY}", databaseUrl: "postgres://none", log: console.error };
    const process = new Supervisor(options);
    await process.port(10_000);
    console.log(process.pid);
    setInterval(() => {}, 1_000);`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", platform],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  const pid = Number(new TextDecoder().decode((await reader.read()).value));
  assert.ok(alive(pid));
  child.kill("SIGKILL");
  await reader.cancel();
  await child.status;
  await eventually(() => !alive(pid) || undefined);
});

Deno.test("a reader who does not keep up is closed with a reason, and the gateway holds back nothing for him", async () => {
  await behindGateway(async ({ url, log }) => {
    const slow = new Ws(url);
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    const { promise: closed, resolve: close } = Promise.withResolvers<[number, string]>();
    slow.on("open", open);
    slow.on("close", (code, reason) => close([code, reason.toString()]));
    await opened;
    const topics = Array.from({ length: 20 }, (_, index) => `realtime:${index}`);
    for (const topic of topics) slow.send(JSON.stringify(["1", "1", topic, "phx_join", { config: CHANGES }]));
    const good = await WireClient.open(url);
    await good.join("realtime:room", CHANGES);
    slow.pause();
    await eventually(() => log.find((line) => /too slow/.test(line)), 30_000);
    const heard = good.heard.length;
    await eventually(() => good.heard.length > heard || undefined);
    good.socket.close();
    await good.end();
    slow.resume();
    const [code] = await closed;
    assert.ok([1012, 1013].includes(code), `closed with ${code}`);
  });
});

async function subscribed(channel: ReturnType<SupabaseClient["channel"]>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  channel.subscribe((status) => status === "SUBSCRIBED" && resolve());
  await promise;
}
