// The realtime server as the platform runs it: in a process of its own, with the gateway in front of it.
import { strict as assert } from "node:assert";
import { fileURLToPath } from "node:url";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
// @ts-types="@types/ws"
import { WebSocket as Ws } from "ws";
import { type Gateway, listen } from "../../local/gateway/gateway.ts";
import { isRunning } from "../../local/process.ts";
import { RealtimeProxy } from "../../local/realtime/proxy.ts";
import { superviseRealtime } from "../../local/realtime/supervisor.ts";
import type { Supervisor } from "../../local/supervisor.ts";
import { PUBLISHABLE_KEY } from "../../local/settings.ts";
import { eventually } from "../support/eventually.ts";
import { token, WireClient } from "../support/realtime_server.ts";

const ENTRY = fileURLToPath(new URL("../support/realtime_entry.ts", import.meta.url));
const CHANGES = { postgres_changes: [{ event: "*", schema: "public" }] };

interface Fixture {
  readonly gateway: Gateway;
  readonly proxy: RealtimeProxy;
  readonly process: Supervisor;
  readonly log: string[];
  readonly url: string;
  /** `vsn`: the version of the protocol. */
  client(vsn?: string): SupabaseClient;
}

async function withGateway(run: (fixture: Fixture) => Promise<void>): Promise<void> {
  const log: string[] = [];
  const write = (line: string) => void log.push(line);
  const process = superviseRealtime({ entry: ENTRY, databaseUrl: "postgres://none", log: write });
  const proxy = new RealtimeProxy(process, write);
  const gateway = listen({ hostname: "127.0.0.1", port: 0, log: write }, () => Promise.resolve(new Response()));
  const notFound = () => Promise.resolve(new Response(null, { status: 404 }));
  const realtime = (request: Request, url: URL) => proxy.handle(request, url);
  const parts = {
    rest: notFound,
    auth: notFound,
    mail: notFound,
    home: notFound,
    functions: notFound,
    storage: notFound,
    applications: () => undefined,
  };
  gateway.open({ ...parts, realtime });
  const clients: SupabaseClient[] = [];
  try {
    await run({
      gateway,
      proxy,
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
    await proxy.close();
    await gateway.stop();
    await process.stop();
  }
}

Deno.test("realtime: supabase-js receives row changes through the gateway, in both versions of the protocol", async () => {
  await withGateway(async ({ client }) => {
    const received: string[] = [];
    for (const vsn of ["1.0.0", "2.0.0"]) {
      const channel = client(vsn).channel("room").on(
        "postgres_changes",
        { event: "*", schema: "public" },
        ({ eventType }) => void received.push(vsn + eventType),
      );
      await subscribed(channel);
    }
    await eventually(() => (received.includes("1.0.0INSERT") && received.includes("2.0.0INSERT")) || undefined);
  });
});

Deno.test("realtime: broadcasts of supabase-js are rejected, by socket and by HTTP", async () => {
  await withGateway(async ({ client }) => {
    const channel = client().channel("room", { config: { broadcast: { ack: true } } });
    await subscribed(channel);
    assert.equal(await channel.send({ type: "broadcast", event: "words", payload: { words: "é漢" } }), "error");
    assert.equal(await channel.track({ at: "home" }), "error");
    await assert.rejects(channel.httpSend("http", { n: 1 }));
  });
});

Deno.test("realtime: an error of the handshake reaches the client with its status through the gateway", async () => {
  await withGateway(async ({ gateway }) => {
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

Deno.test("realtime: the close codes of the server reach the client through the gateway", async () => {
  await withGateway(async ({ url }) => {
    const client = await WireClient.open(url);
    client.socket.send("{");
    assert.deepEqual(await client.end(), { code: 1007, reason: "The frame is not JSON" });
  });
});

Deno.test("realtime: after kill -9 the server is started again, and clients join again by themselves", async () => {
  await withGateway(async ({ client, process }) => {
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

Deno.test("realtime: a stop closes each socket with 1012, and the process ends", async () => {
  await withGateway(async ({ proxy, gateway, process, url }) => {
    const clients = await Promise.all(Array.from({ length: 20 }, () => WireClient.open(url)));
    for (const client of clients) await client.join("realtime:room", CHANGES);
    const pid = process.pid!;
    await proxy.close();
    await gateway.stop();
    await process.stop();
    assert.equal(isRunning(pid), false);
    for (const client of clients) assert.equal((await client.end()).code, 1012);
  });
});

Deno.test("realtime: the process ends when the platform is killed", async () => {
  const platform = `
    import { superviseRealtime } from "${new URL("../../local/realtime/supervisor.ts", import.meta.url)}";
    const options = { entry: "${ENTRY}", databaseUrl: "postgres://none", log: console.error };
    const process = superviseRealtime(options);
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
  assert.ok(isRunning(pid));
  child.kill("SIGKILL");
  await reader.cancel();
  await child.status;
  await eventually(() => !isRunning(pid) || undefined);
});

Deno.test("realtime: a client that does not read is closed with a reason, and the others receive their changes", async () => {
  await withGateway(async ({ url, log }) => {
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
    await eventually(() => log.find((line) => /too slow/.test(line)));
    const count = good.received.length;
    await eventually(() => good.received.length > count || undefined);
    good.socket.close();
    await good.end();
    slow.resume();
    assert.deepEqual(await closed, [1013, "The reader is too slow"]);
  });
});

async function subscribed(channel: ReturnType<SupabaseClient["channel"]>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  channel.subscribe((status) => status === "SUBSCRIBED" && resolve());
  await promise;
}
