// The socket of one client: its frames, its channels and its limits.
import type { Buffer } from "node:buffer";
// @ts-types="@types/ws"
import type { WebSocket } from "ws";
import { Channel } from "./channel.ts";
import { RateLimiter } from "./limits.ts";
import { BadFrame, decodeBinary, decodeText, encode, type Frame, type Version } from "./serializer.ts";
import type { ServerContext } from "./types.ts";

/** How long a client may take to answer a close frame. */
const CLOSE_TIMEOUT_MS = 1_000;

const TOO_MANY = "Too many messages per second";

export class Connection {
  readonly #channels = new Map<string, Channel>();
  readonly #joins: RateLimiter;
  readonly #events: RateLimiter;
  #lastFrameAt = performance.now();
  #closed = false;

  /** `token`: the connection's own, for channels that send none. */
  constructor(
    readonly socket: WebSocket,
    readonly version: Version,
    readonly token: string,
    readonly context: ServerContext,
  ) {
    const { joinsPerSecond, eventsPerSecond, eventsBurstSeconds } = context.limits;
    this.#joins = new RateLimiter(joinsPerSecond, joinsPerSecond);
    this.#events = new RateLimiter(eventsPerSecond, eventsPerSecond * eventsBurstSeconds);
    socket.on("message", (data: Buffer, isBinary: boolean) => this.#receive(data, isBinary));
    socket.on("ping", () => this.#lastFrameAt = performance.now());
    socket.on("close", () => this.#end());
    // The frame was too large, or the connection broke: "close" follows.
    socket.on("error", (error: Error) => context.log(`A client's connection: ${error.message}`));
  }

  /** `payload` is JSON. */
  send(frame: Omit<Frame, "payload">, payload: string): void {
    if (!this.#closed) this.socket.send(encode(this.version, frame, payload));
  }

  /** Frees the channel's topic. */
  remove(channel: Channel): void {
    if (this.#channels.get(channel.topic) === channel) this.#channels.delete(channel.topic);
  }

  /** Closes the connection if its client is idle. */
  check(now: number): void {
    if (now - this.#lastFrameAt > this.context.limits.idleTimeoutMs) this.close(1000, "idle timeout");
  }

  close(code: number, reason: string): void {
    if (this.#closed) return;
    this.#end();
    this.socket.close(code, reason);
    setTimeout(() => this.socket.terminate(), CLOSE_TIMEOUT_MS);
  }

  #end(): void {
    this.#closed = true;
    for (const channel of this.#channels.values()) channel.close();
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#closed) return;
    this.#lastFrameAt = performance.now();
    try {
      const frame = isBinary ? decodeBinary(data) : decodeText(this.version, data.toString());
      if (this.#events.consume()) this.#handle(frame);
      else this.#rejectMessage(frame);
    } catch (error) {
      if (error instanceof BadFrame) return this.close(1007, error.message);
      this.context.log(`A client's frame: ${error instanceof Error ? error.stack : error}`);
      this.close(1011, "The frame could not be handled");
    }
  }

  #handle(frame: Frame): void {
    const { topic, event, ref } = frame;
    if (topic === "phoenix" && event === "heartbeat") return this.#reply(frame, "ok", {});
    if (event === "phx_join") return this.#join(frame);
    const channel = this.#channels.get(topic);
    if (channel !== undefined) channel.receive(frame);
    else if (event === "phx_leave") this.#reply(frame, "ok", {});
    else if (ref !== null) this.#reply(frame, "error", { reason: "unmatched topic" });
  }

  #join(frame: Frame): void {
    const { topic, ref, joinRef, payload } = frame;
    if (!topic.startsWith("realtime:")) return this.#reply(frame, "error", { reason: "unmatched topic" });
    if (!this.#joins.consume()) {
      this.#reply(frame, "error", { reason: "ClientJoinRateLimitReached: Too many joins per second" });
      return this.close(1000, "Too many joins per second");
    }
    this.#channels.get(topic)?.replace();
    const { channelsPerClient, joinErrorDelayMs } = this.context.limits;
    if (this.#channels.size >= channelsPerClient) {
      const reason = "ChannelRateLimitReached: Too many channels";
      setTimeout(() => this.#reply(frame, "error", { reason }), joinErrorDelayMs);
      return;
    }
    const channel = new Channel(this, topic, joinRef ?? ref);
    this.#channels.set(topic, channel);
    channel.join(ref, payload);
  }

  /** Closes the channel that the message is for, or the connection if there is none. */
  #rejectMessage({ topic }: Frame): void {
    const channel = this.#channels.get(topic);
    if (channel === undefined) this.close(1008, TOO_MANY);
    else channel.shutDown(TOO_MANY);
  }

  #reply({ joinRef, ref, topic }: Frame, status: "ok" | "error", response: unknown): void {
    this.send({ joinRef, ref, topic, event: "phx_reply" }, JSON.stringify({ status, response }));
  }
}
