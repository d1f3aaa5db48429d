// /realtime/v1: sockets and broadcasts, handed on to the realtime server's process. A socket is two sockets here, the
// client's and one to the server; neither is read faster than the other takes.
import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
// @ts-types="@types/ws"
import { WebSocket as Backend } from "ws";
import { ANY_ORIGIN, preflight } from "./cors.ts";
import { refusal } from "./envelope.ts";
import { knock, tokenOf } from "./keys.ts";
import { withTimeout } from "../timeout.ts";

/** Where the realtime server listens now; undefined when it did not come up in time. */
export type FindPort = (patience: number) => Promise<number | undefined>;

/** How long a request waits for a server that is being started again. */
const PATIENCE = 5_000;
/** Bytes that may wait for a client before its server's side is not read on, and for how long. */
const MUCH = 256 << 10;
const LITTLE = 64 << 10;
const SLOW = 10_000;
const LOOK_EVERY = 20;
const FAREWELL = 300;
/** Bytes that may wait for the server. */
const TOO_MUCH = 8 << 20;

const [RESTARTING, TOO_SLOW] = [1012, 1013];

export class RealtimeGate {
  readonly #clients = new Set<WebSocket>();

  constructor(readonly port: FindPort) {}

  async handle(request: Request, url: URL): Promise<Response> {
    const port = await this.port(PATIENCE);
    if (port === undefined) return unavailable(request);
    const path = url.pathname.slice("/realtime/v1".length);
    if (path === "/websocket") return await this.#socket(request, url, port);
    if (path.startsWith("/api/")) return await this.#api(request, url, `http://127.0.0.1:${port}${path}${url.search}`);
    return refusal(request, 404, "not_found", "No such path");
  }

  /** Lets every client go; each looks for the server again. One that does not answer is not waited for. */
  async close(): Promise<void> {
    const gone = Array.from(this.#clients, (client) => {
      const { promise, resolve: left } = Promise.withResolvers<void>();
      client.addEventListener("close", () => left());
      client.close(RESTARTING, "The platform is stopping");
      return promise;
    });
    await withTimeout(Promise.all(gone), FAREWELL, () => undefined);
  }

  async #socket(request: Request, url: URL, port: number): Promise<Response> {
    if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") {
      return refusal(request, 426, "validation_error", "This path is for WebSockets", {
        headers: { upgrade: "websocket" },
      });
    }
    const target = new URL(`ws://127.0.0.1:${port}/socket/websocket${url.search}`);
    const key = target.searchParams.get("apikey");
    if (key !== null) target.searchParams.set("apikey", tokenOf(key) ?? key);
    const header = request.headers.get("x-api-key");
    const headers: Record<string, string> = header === null ? {} : { "x-api-key": tokenOf(header) ?? header };
    const backend = await connect(target, headers);
    if (backend === undefined) return unavailable(request);
    if (backend instanceof Response) return backend;
    const { socket, response } = Deno.upgradeWebSocket(request, { idleTimeout: 60 });
    join(socket, backend);
    this.#clients.add(socket);
    const opening = setTimeout(() => {
      // The client went before it was answered, and nothing more is heard of it.
      backend.terminate();
      this.#clients.delete(socket);
    }, PATIENCE);
    socket.addEventListener("open", () => clearTimeout(opening));
    socket.addEventListener("close", () => this.#clients.delete(socket));
    return response;
  }

  async #api(request: Request, url: URL, target: string): Promise<Response> {
    if (request.method === "OPTIONS") return preflight(request);
    const caller = knock(request, url);
    if ("refused" in caller) return caller.refused;
    const type = request.headers.get("content-type");
    const answer = await fetch(target, {
      method: request.method,
      headers: { authorization: caller.authorization, ...(type === null ? {} : { "content-type": type }) },
      body: request.body,
    });
    const headers = new Headers(ANY_ORIGIN);
    const answered = answer.headers.get("content-type");
    if (answered !== null) headers.set("content-type", answered);
    return new Response(answer.body, { status: answer.status, headers });
  }
}

function unavailable(request: Request): Response {
  return refusal(request, 503, "service_unavailable", "The realtime server does not answer", {
    headers: { "retry-after": "1" },
  });
}

/** A socket to the server, or the server's refusal; undefined when it does not answer. */
function connect(target: URL, headers: Record<string, string>): Promise<Backend | Response | undefined> {
  const { promise, resolve } = Promise.withResolvers<Backend | Response | undefined>();
  const backend = new Backend(target, { headers, perMessageDeflate: false, skipUTF8Validation: true });
  backend.once("open", () => resolve(backend));
  // It has just died, and is being started again.
  backend.once("error", () => resolve(undefined));
  backend.once("unexpected-response", async (_request, answer: IncomingMessage) => {
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk);
    const type = answer.headers["content-type"] ?? "application/json";
    resolve(
      new Response(Buffer.concat(chunks), { status: answer.statusCode ?? 500, headers: { "content-type": type } }),
    );
  });
  return promise;
}

/** Each hears what the other says, until one ends. */
function join(client: WebSocket, backend: Backend): void {
  client.binaryType = "arraybuffer";
  let look: ReturnType<typeof setInterval> | undefined;

  const leave = (code: number, reason: string) => {
    clearInterval(look);
    if (client.readyState <= WebSocket.OPEN) client.close(code, reason);
    backend.terminate();
  };
  const wait = () => {
    if (look !== undefined) return;
    backend.pause();
    const since = performance.now();
    look = setInterval(() => {
      if (client.bufferedAmount > LITTLE) {
        if (performance.now() - since > SLOW) leave(TOO_SLOW, "The reader is too slow");
        return;
      }
      clearInterval(look);
      look = undefined;
      backend.resume();
    }, LOOK_EVERY);
  };

  backend.on("message", (data: Buffer, isBinary) => {
    if (client.readyState !== WebSocket.OPEN) return;
    client.send(isBinary ? new Uint8Array(data) : data.toString());
    if (client.bufferedAmount > MUCH) wait();
  });
  backend.on("close", (code, reason) => {
    clearInterval(look);
    if (client.readyState > WebSocket.OPEN) return;
    // What has no code of its own has died.
    if (code === 1005 || code === 1006) client.close(RESTARTING, "The realtime server is gone");
    else client.close(code, reason.toString());
  });
  backend.on("error", () => leave(RESTARTING, "The realtime server is gone"));

  client.onmessage = ({ data }) => {
    if (backend.readyState !== Backend.OPEN) return;
    backend.send(data);
    if (backend.bufferedAmount > TOO_MUCH) leave(TOO_SLOW, "The server is too slow");
  };
  client.onclose = ({ code, reason }) => {
    clearInterval(look);
    if (code === 1000 || code >= 3000) backend.close(code, reason);
    else backend.terminate();
  };
  // "close" follows, and says all there is.
  client.onerror = () => {};
}
