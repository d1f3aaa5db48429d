// The sockets of the realtime server without its database: a feed that a test controls, and a client that sends and
// receives frames as they are on the wire.
import type { Limits } from "../../local/realtime/limits.ts";
import { RealtimeServer } from "../../local/realtime/server.ts";
import {
  type Binding,
  type Feed,
  type Identity,
  type Listener,
  type Subscription,
  SubscriptionRejected,
} from "../../local/realtime/types.ts";
import { ANON_KEY, JWT_SECRET } from "../../local/settings.ts";
import { withTimeout } from "../../local/timeout.ts";
import { eventually } from "./eventually.ts";
import { token as signedToken } from "./tokens.ts";

/** A frame of version 2: the join's ref, its own ref, topic, event, payload. */
// deno-lint-ignore no-explicit-any -- what is on the wire
export type WireFrame = [string | null, string | null, string, string, any];

/** A change as a client receives it. */
export interface Change {
  schema: string;
  table: string;
  type: "INSERT" | "UPDATE" | "DELETE";
  /** Null in a change that carries only `errors`. */
  commit_timestamp: string | null;
  columns: { name: string; type: string }[];
  record?: Record<string, unknown>;
  old_record?: Record<string, unknown>;
  errors: string[] | null;
}

interface Subscribed {
  readonly bindings: readonly Binding[];
  readonly identities: Identity[];
  readonly listener: Listener;
}

export class TestFeed implements Feed {
  readonly subscribed = new Set<Subscribed>();
  /** The error of the next subscription. */
  error: string | undefined;
  isOpen = true;
  /** Delays subscriptions until it resolves. */
  gate: Promise<void> = Promise.resolve();

  start = () => Promise.resolve();
  stop = () => Promise.resolve();
  mayJoin = () => this.gate.then(() => this.isOpen);

  async subscribe(bindings: readonly Binding[], identity: Identity, listener: Listener): Promise<Subscription> {
    await this.gate;
    if (this.error !== undefined) throw new SubscriptionRejected(this.error);
    const subscribed = { bindings, identities: [identity], listener };
    this.subscribed.add(subscribed);
    return {
      identify: (next) => {
        if (this.error !== undefined) return Promise.reject(new SubscriptionRejected(this.error));
        subscribed.identities.push(next);
        return Promise.resolve();
      },
      close: () => this.subscribed.delete(subscribed),
    };
  }

  /** Every subscriber receives the change, for these of its bindings. */
  change(change: Change, bindings = [0]): void {
    for (const { listener } of this.subscribed) listener.change(bindings, JSON.stringify(change));
  }
}

export class WireClient {
  readonly received: string[] = [];
  readonly frames: WireFrame[] = [];
  closed: { code: number; reason: string } | undefined;
  #received = Promise.withResolvers<void>();

  private constructor(readonly socket: WebSocket) {
    socket.onmessage = ({ data }) => {
      this.received.push(data);
      this.frames.push(JSON.parse(data));
      this.#received.resolve();
      this.#received = Promise.withResolvers();
    };
    socket.onclose = ({ code, reason }) => this.closed = { code, reason };
  }

  static async open(url: string): Promise<WireClient> {
    const client = new WireClient(new WebSocket(url));
    await new Promise((resolve, reject) => {
      client.socket.onopen = resolve;
      client.socket.onerror = () => reject(new Error("The socket did not open"));
    });
    client.socket.onerror = () => {};
    return client;
  }

  send(frame: unknown): void {
    this.socket.send(JSON.stringify(frame));
  }

  /** The first frame that matches, once it is received. */
  async frame(matches: (frame: WireFrame) => boolean, milliseconds = 10_000): Promise<WireFrame> {
    const deadline = performance.now() + milliseconds;
    for (;;) {
      const found = this.frames.find(matches);
      if (found !== undefined) return found;
      await withTimeout(this.#received.promise, deadline - performance.now(), () => {
        throw new Error(`No such frame among: ${JSON.stringify(this.frames)}`);
      });
    }
  }

  async reply(ref: string): Promise<{ status: string; response: unknown }> {
    return (await this.frame((frame) => frame[1] === ref && frame[3] === "phx_reply"))[4];
  }

  /** Joins and returns the reply. The ref of the join is `ref` too. */
  async join(topic: string, config: unknown = {}, ref = "1", token?: string) {
    this.send([ref, ref, topic, "phx_join", { config, ...(token === undefined ? {} : { access_token: token }) }]);
    return await this.reply(ref);
  }

  /** Waits until the server has handled all that was sent. */
  async settled(): Promise<void> {
    const ref = `settled-${crypto.randomUUID()}`;
    this.send([null, ref, "phoenix", "heartbeat", {}]);
    await this.reply(ref);
  }

  async end(): Promise<{ code: number; reason: string }> {
    return await eventually(() => this.closed);
  }
}

export interface RunningServer {
  readonly feed: TestFeed;
  readonly port: number;
  readonly log: string[];
  /** The address of a socket, with these query parameters. */
  url(query?: Record<string, string>): string;
  connect(query?: Record<string, string>): Promise<WireClient>;
}

/** Errors are not delayed, so that tests are fast. */
const WITHOUT_DELAYS: Partial<Limits> = { handshakeErrorDelayMs: 0, joinErrorDelayMs: 0 };

export async function withServer(run: (server: RunningServer) => Promise<void>, limits: Partial<Limits> = {}) {
  const feed = new TestFeed();
  const log: string[] = [];
  const write = (line: string) => void log.push(line);
  const server = new RealtimeServer({ feed, limits: { ...WITHOUT_DELAYS, ...limits }, log: write });
  const port = await server.listen(0);
  const clients: WireClient[] = [];
  const url = (query: Record<string, string> = {}) => {
    const search = new URLSearchParams({ vsn: "2.0.0", apikey: ANON_KEY, ...query });
    return `ws://127.0.0.1:${port}/socket/websocket?${search}`;
  };
  const connect = async (query?: Record<string, string>) => {
    const client = await WireClient.open(url(query));
    clients.push(client);
    return client;
  };
  try {
    await run({ feed, port, log, url, connect });
  } finally {
    await server.stop();
    for (const client of clients) await client.end();
  }
}

/** A token that expires in so many seconds. */
export function token(seconds = 3600, claims: Record<string, unknown> = {}, without: string[] = []): string {
  const exp = Math.floor(Date.now() / 1000) + seconds;
  return signedToken(crypto.randomUUID(), { secret: JWT_SECRET, claims: { exp, ...claims }, without });
}

export function insertion(record: Record<string, unknown>): Change {
  const columns = Object.keys(record).map((name) => ({ name, type: "text" }));
  return {
    schema: "public",
    table: "things",
    type: "INSERT",
    commit_timestamp: "2026-01-02T03:04:05.678Z",
    columns,
    record,
    errors: null,
  };
}
