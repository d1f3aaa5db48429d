// /realtime/v1: sockets between clients and the realtime server's process. A socket is two sockets here, the client's and
// one to the server. Neither is read faster than the other accepts data.
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
  /** Whether the process that listened on this port has ended. */
  hasEnded(port: number): Promise<boolean>;
}

/** How long a request waits while the server is started again. */
const START_TIMEOUT_MS = 5_000;
/** Bytes that may wait for a client: above the first the server's side is paused, below the second it is resumed. */
const HIGH_WATERMARK = 256 << 10;
const LOW_WATERMARK = 64 << 10;
const SLOW_CLIENT_TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 20;
const CLOSE_TIMEOUT_MS = 300;
/** Bytes that may wait for the server. */
const MAX_WAITING_BYTES = 8 << 20;

const [RESTARTING, TOO_SLOW] = [1012, 1013];

export class RealtimeProxy {
  readonly #clients = new Set<WebSocket>();

  constructor(readonly process: RealtimeProcess) {}

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
    pipe(socket, backend, () => this.process.hasEnded(port));
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

/** Passes messages on in both directions until one side closes. */
function pipe(client: WebSocket, backend: Backend, hasServerEnded: () => Promise<boolean>): void {
  client.binaryType = "arraybuffer";
  let polling: ReturnType<typeof setInterval> | undefined;

  const closeBoth = (code: number, reason: string) => {
    clearInterval(polling);
    if (client.readyState <= WebSocket.OPEN) client.close(code, reason);
    backend.terminate();
  };
  const pause = () => {
    if (polling !== undefined) return;
    backend.pause();
    const since = performance.now();
    polling = setInterval(() => {
      if (client.bufferedAmount > LOW_WATERMARK) {
        if (performance.now() - since > SLOW_CLIENT_TIMEOUT_MS) closeBoth(TOO_SLOW, "The reader is too slow");
        return;
      }
      clearInterval(polling);
      polling = undefined;
      backend.resume();
    }, POLL_INTERVAL_MS);
  };

  backend.on("message", (data: Buffer) => {
    if (client.readyState !== WebSocket.OPEN) return;
    client.send(data.toString());
    if (client.bufferedAmount > HIGH_WATERMARK) pause();
  });
  backend.on("close", async (code, reason) => {
    clearInterval(polling);
    if (client.readyState > WebSocket.OPEN) return;
    if (code !== 1005 && code !== 1006) return client.close(code, reason.toString());
    // The connection was cut. A server that runs cuts only those whose reader does not take its close frame.
    if (await hasServerEnded()) client.close(RESTARTING, "The realtime server is restarting");
    else client.close(TOO_SLOW, "The reader is too slow");
  });
  backend.on("error", () => {}); // "close" follows

  client.onmessage = ({ data }) => {
    if (backend.readyState !== Backend.OPEN) return;
    backend.send(data);
    if (backend.bufferedAmount > MAX_WAITING_BYTES) closeBoth(TOO_SLOW, "The server is too slow");
  };
  client.onclose = ({ code, reason }) => {
    clearInterval(polling);
    if (code === 1000 || code >= 3000) backend.close(code, reason);
    else backend.terminate();
  };
  client.onerror = () => {}; // "close" follows
}
