// The realtime server: sockets that speak Phoenix channels. It listens for the gateway only.
import { createServer, type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
// @ts-types="@types/ws"
import { WebSocketServer } from "ws";
import { Connection } from "./connection.ts";
import { LIMITS, type Limits } from "./limits.ts";
import type { Version } from "./serializer.ts";
import { TokenRejected, verifyToken } from "./tokens.ts";
import type { Feed, ServerContext } from "./types.ts";

export interface ServerOptions {
  readonly feed: Feed;
  readonly limits?: Partial<Limits>;
  /** Whether only private channels can be joined. */
  readonly privateOnly?: boolean;
  readonly log: (line: string) => void;
}

const PATH = "/socket/websocket";
const CHECK_INTERVAL_MS = 1_000;

/** The error response to a handshake. */
class HandshakeRejected extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

export class RealtimeServer {
  readonly #context: ServerContext;
  readonly #connections = new Set<Connection>();
  readonly #http: Server;
  readonly #sockets: WebSocketServer;
  #checks: ReturnType<typeof setInterval> | undefined;

  constructor({ feed, limits, privateOnly = false, log }: ServerOptions) {
    const all = { ...LIMITS, ...limits };
    this.#context = { limits: all, privateOnly, feed, log };
    this.#sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: all.maxFrameBytes });
    this.#http = createServer((_request, response) => response.writeHead(404).end());
    this.#http.on("upgrade", (request, socket, head) => void this.#upgrade(request, socket, head));
  }

  /** Listens on the loopback interface; returns the port. */
  async listen(port: number): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#http.once("error", reject);
    this.#http.listen(port, "127.0.0.1", () => resolve());
    await promise;
    this.#checks = setInterval(() => {
      const now = performance.now();
      for (const connection of this.#connections) connection.check(now);
    }, CHECK_INTERVAL_MS);
    return (this.#http.address() as AddressInfo).port;
  }

  /** Closes every socket with code 1012, so that each client connects to the next server. */
  async stop(): Promise<void> {
    clearInterval(this.#checks);
    for (const connection of this.#connections) connection.close(1012, "The server is restarting");
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#http.close(() => resolve());
    this.#http.closeAllConnections();
    await promise;
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Uint8Array): Promise<void> {
    const { log, limits } = this.#context;
    socket.on("error", (error: Error) => log(`A client's handshake: ${error.message}`));
    try {
      const { version, token } = await this.#authenticate(request);
      this.#sockets.handleUpgrade(request, socket, head as never, (opened) => {
        const connection = new Connection(opened, version, token, this.#context);
        this.#connections.add(connection);
        opened.on("close", () => this.#connections.delete(connection));
      });
    } catch (error) {
      const isRejected = error instanceof HandshakeRejected;
      if (!isRejected) log(`A client's handshake: ${error instanceof Error ? error.stack : error}`);
      const response = isRejected
        ? errorResponse(error.status, error.message)
        : errorResponse(500, "Error connecting to Realtime");
      setTimeout(() => socket.end(response), limits.handshakeErrorDelayMs);
    }
  }

  async #authenticate(request: IncomingMessage): Promise<{ version: Version; token: string }> {
    const url = new URL(request.url ?? "/", "http://realtime");
    if (url.pathname !== PATH) throw new HandshakeRejected(404, "Not found");
    const version = versionOf(url.searchParams.get("vsn") ?? "1.0.0");
    const token = request.headers["x-api-key"] ?? url.searchParams.get("apikey");
    if (typeof token !== "string" || token === "") throw new HandshakeRejected(401, "API key is missing");
    try {
      await verifyToken(token);
    } catch (error) {
      if (error instanceof TokenRejected) throw new HandshakeRejected(401, error.short);
      throw error;
    }
    if (this.#connections.size >= this.#context.limits.clients) {
      throw new HandshakeRejected(429, "Too many connected users");
    }
    return { version, token };
  }
}

function versionOf(text: string): Version {
  if (/^1\.0\.\d+$/.test(text)) return 1;
  if (/^2\.0\.\d+$/.test(text)) return 2;
  throw new HandshakeRejected(403, `Serializer version ${text} is not supported`);
}

function errorResponse(status: number, error: string): string {
  const body = JSON.stringify({ error });
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
    `Content-Length: ${new TextEncoder().encode(body).length}\r\nConnection: close\r\n\r\n${body}`;
}
