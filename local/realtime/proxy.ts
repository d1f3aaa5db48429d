// /realtime/v1: sockets between clients and the realtime server's process. A socket is two sockets here, the client's and
// one to the server. A side that does not read what is sent to it is disconnected.
import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
// @ts-types="@types/ws"
import { WebSocket as Backend } from "ws";
import { errorResponse } from "../gateway/envelope.ts";
import { tokenOf } from "../gateway/keys.ts";
import { withTimeout } from "../timeout.ts";

/** The realtime server's process. */
export interface RealtimeProcess {
  /** Its port; undefined when it is not up in time. */
  port(timeoutMs: number): Promise<number | undefined>;
}

/** How long a request waits while the server is started again. */
const START_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 300;
/** A client is disconnected when more than the first waits for it for so long, or more than the second. */
const SLOW_CLIENT_BYTES = 1 << 20;
const SLOW_CLIENT_MS = 4_000;
const MAX_CLIENT_BYTES = 16 << 20;
/** Bytes that may wait for the server. */
const MAX_SERVER_BYTES = 8 << 20;

const [RESTARTING, TOO_SLOW] = [1012, 1013];

export class RealtimeProxy {
  readonly #clients = new Set<WebSocket>();

  constructor(readonly process: RealtimeProcess, readonly log: (line: string) => void) {}

  async handle(request: Request, url: URL): Promise<Response> {
    if (url.pathname.startsWith("/realtime/v1/api/")) {
      return errorResponse(request, 501, "not_implemented", "The local platform has no broadcasts.");
    }
    if (url.pathname !== "/realtime/v1/websocket") return errorResponse(request, 404, "not_found", "No such path.");
    const port = await this.process.port(START_TIMEOUT_MS);
    if (port === undefined) return unavailable(request);
    if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") {
      return errorResponse(request, 426, "validation_error", "This path is for WebSockets.", {
        headers: { upgrade: "websocket" },
      });
    }
    const target = new URL(`ws://127.0.0.1:${port}/socket/websocket${url.search}`);
    const key = target.searchParams.get("apikey");
    if (key !== null) target.searchParams.set("apikey", tokenOf(key) ?? key);
    const header = request.headers.get("x-api-key");
    const backend = await connect(target, header === null ? {} : { "x-api-key": tokenOf(header) ?? header });
    if (backend === undefined) return unavailable(request);
    if (backend instanceof Response) return backend;
    const { socket, response } = Deno.upgradeWebSocket(request, { idleTimeout: 60 });
    this.#pipe(socket, backend);
    this.#clients.add(socket);
    // A client may disconnect before the response; no event follows then.
    const opening = setTimeout(() => {
      backend.terminate();
      this.#clients.delete(socket);
    }, START_TIMEOUT_MS);
    socket.addEventListener("open", () => clearTimeout(opening));
    socket.addEventListener("close", () => this.#clients.delete(socket));
    return response;
  }

  /** Closes every socket; the clients connect again. One that does not answer is not waited for. */
  async close(): Promise<void> {
    const closed = Array.from(this.#clients, (client) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      client.addEventListener("close", () => resolve());
      client.close(RESTARTING, "The platform is stopping");
      return promise;
    });
    await withTimeout(Promise.all(closed), CLOSE_TIMEOUT_MS, () => undefined);
  }

  /** Passes messages on in both directions until one side closes. */
  #pipe(client: WebSocket, backend: Backend): void {
    client.binaryType = "arraybuffer";
    let slowSince = Infinity;
    const closeBoth = (reason: string, waiting: number) => {
      this.log(`${reason}: ${waiting} bytes wait for it`);
      client.close(TOO_SLOW, reason);
      backend.terminate();
    };
    backend.on("message", (data: Buffer) => {
      if (client.readyState !== WebSocket.OPEN) return;
      client.send(data.toString());
      const waiting = client.bufferedAmount;
      slowSince = waiting > SLOW_CLIENT_BYTES ? Math.min(slowSince, performance.now()) : Infinity;
      const isSlow = waiting > MAX_CLIENT_BYTES || performance.now() - slowSince > SLOW_CLIENT_MS;
      if (isSlow) closeBoth("The reader is too slow", waiting);
    });
    backend.on("close", (code, reason) => {
      if (client.readyState > WebSocket.OPEN) return;
      const isCut = code === 1005 || code === 1006;
      if (isCut) client.close(RESTARTING, "The realtime server is restarting");
      else client.close(code, reason.toString());
    });
    backend.on("error", () => {}); // "close" follows
    client.onmessage = ({ data }) => {
      if (backend.readyState !== Backend.OPEN) return;
      backend.send(data);
      if (backend.bufferedAmount > MAX_SERVER_BYTES) closeBoth("The server is too slow", backend.bufferedAmount);
    };
    client.onclose = ({ code, reason }) => {
      if (code === 1000 || code >= 3000) backend.close(code, reason);
      else backend.terminate();
    };
    client.onerror = () => {}; // "close" follows
  }
}

function unavailable(request: Request): Response {
  return errorResponse(request, 503, "service_unavailable", "The realtime server does not respond.", {
    headers: { "retry-after": "1" },
  });
}

/** A socket to the server, or its error response; undefined when it does not respond. */
function connect(target: URL, headers: Record<string, string>): Promise<Backend | Response | undefined> {
  const { promise, resolve } = Promise.withResolvers<Backend | Response | undefined>();
  const backend = new Backend(target, { headers, perMessageDeflate: false, skipUTF8Validation: true });
  backend.once("open", () => resolve(backend));
  // The server has just died and is started again.
  backend.once("error", () => resolve(undefined));
  backend.once("unexpected-response", async (_request, response: IncomingMessage) => {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const type = response.headers["content-type"] ?? "application/json";
    resolve(
      new Response(Buffer.concat(chunks), { status: response.statusCode ?? 500, headers: { "content-type": type } }),
    );
  });
  return promise;
}
