// Clients that go before they are answered: nothing of ours has failed, and the log says so.
import assert from "node:assert/strict";
import { z } from "zod";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import type { LogLine } from "../../supabase/functions/_shared/http/log.ts";
import { route } from "../../supabase/functions/_shared/http/route.ts";
import { eventually } from "../support/eventually.ts";
import { RawClient } from "../support/raw_client.ts";
import { configFor } from "./fake_rest.ts";

const Thing = z.object({ id: z.string() });

interface Running {
  readonly port: number;
  readonly lines: LogLine[];
  /** Resolves when a handler that is held has begun. */
  readonly begun: Promise<void>;
  /** Lets it go on. */
  release(): void;
  /** Resolves when the server detects that a client has disconnected. */
  readonly left: Promise<void>;
}

/** The app in a real server, with handlers that are held until they are released. */
async function withApp(run: (running: Running) => Promise<void>): Promise<void> {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const common = { access: "public", summary: "A thing", reply: [200, Thing], errors: [] } as const;
  const routes = [
    route({
      method: "POST",
      path: "/things",
      ...common,
      body: z.strictObject({ name: z.string() }),
      handle: () => ({ id: "a" }),
    }),
    route({ method: "DELETE", path: "/things", ...common, handle: () => ({ id: "a" }) }),
    route({
      method: "GET",
      path: "/held",
      ...common,
      handle: async () => {
        begin();
        await held;
        return { id: "a" };
      },
    }),
    route({
      method: "GET",
      path: "/broken",
      ...common,
      handle: async () => {
        begin();
        await held;
        throw new Error("the cause");
      },
    }),
  ];
  const lines: LogLine[] = [];
  const app = createApp(routes, { config: () => configFor("http://127.0.0.1:1"), log: (line) => lines.push(line) });
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    request.signal.addEventListener("abort", () => leave());
    return app.fetch(request);
  });
  try {
    await run({ port: server.addr.port, lines, begun, release, left });
  } finally {
    release();
    await server.shutdown();
  }
}

for (const [how, leave] of [["closes", "close"], ["closes its half of", "closeWrite"]] as const) {
  for (const method of ["POST", "DELETE"]) {
    Deno.test(`client left: ${method}: a client that ${how} the connection during its body is logged as 499, not as an error`, async () => {
      await withApp(async ({ port, lines }) => {
        await using client = await RawClient.connect(port);
        await client.send(
          `${method} /things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"name":`,
        );
        await client[leave]();
        const line = await eventually(() => lines[0]);
        assert.deepEqual([line.status, line.level, line.code, line.cause], [499, "info", null, undefined]);
        assert.deepEqual([line.method, line.route], [method, "/things"]);
      });
    });
  }
}

Deno.test("client left: a client that closes the connection during its request is logged as 499", async () => {
  await withApp(async ({ port, lines, begun, release, left }) => {
    await using client = await RawClient.connect(port);
    await client.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n");
    await begun;
    await client.close();
    await left;
    release();
    const line = await eventually(() => lines[0]);
    assert.deepEqual([line.status, line.level, line.code], [499, "info", null]);
  });
});

Deno.test("client left: an error of the service is logged as one, also when the client has disconnected", async () => {
  await withApp(async ({ port, lines, begun, release, left }) => {
    await using client = await RawClient.connect(port);
    await client.send("GET /broken HTTP/1.1\r\nHost: a\r\n\r\n");
    await begun;
    await client.close();
    await left;
    release();
    const line = await eventually(() => lines[0]);
    assert.deepEqual([line.status, line.level, line.code], [500, "error", "server_error"]);
  });
});

Deno.test("client left: a client that closes the connection after its response is not logged as 499", async () => {
  await withApp(async ({ port, lines }) => {
    await using client = await RawClient.connect(port);
    await client.send(
      'POST /things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{"name":"a"}',
    );
    assert.match(await client.receive(), /^HTTP\/1.1 200/);
    await client.close();
    assert.equal(lines[0]?.status, 200);
  });
});
