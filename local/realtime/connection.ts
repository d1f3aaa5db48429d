// One client's socket: frames in, frames out, its channels, and the limits it is held to.
import { Buffer } from "node:buffer";
// @ts-types="@types/ws"
import type { WebSocket } from "ws";
import { Channel, type Host } from "./channel.ts";
import { type Limits, Rate } from "./limits.ts";
import { BadFrame, decodeBinary, decodeText, encode, type Frame, type Version } from "./serializer.ts";
import type { Tokens } from "./tokens.ts";
import type { Topics } from "./topics.ts";
import type { Feed } from "./types.ts";

/** What every connection shares. */
export interface Shared {
  readonly limits: Limits;
  readonly privateOnly: boolean;
  readonly tokens: Tokens;
  readonly feed: Feed;
  readonly topics: Topics;
  readonly log: (line: string) => void;
}

/** How long a client may take to say goodbye. */
const FAREWELL = 1_000;

const TOO_MANY = "Too many messages per second";

export class Connection implements Host {
  readonly limits: Limits;
  readonly privateOnly: boolean;
  readonly tokens: Tokens;
  readonly feed: Feed;
  readonly topics: Topics;
  readonly log: (line: string) => void;
  readonly #channels = new Map<string, Channel>();
  readonly #joins: Rate;
  readonly #events: Rate;
  readonly #bytes: Rate;
  #heard = performance.now();
  /** Since when more waits for the reader than should. */
  #behind: number | undefined;
  #closed = false;

  constructor(readonly socket: WebSocket, readonly version: Version, readonly token: string, shared: Shared) {
    const { limits } = shared;
    this.limits = limits;
    this.privateOnly = shared.privateOnly;
    this.tokens = shared.tokens;
    this.feed = shared.feed;
    this.topics = shared.topics;
    this.log = shared.log;
    this.#joins = new Rate(limits.joinsPerSecond, limits.joinsPerSecond);
    this.#events = new Rate(limits.eventsPerSecond, limits.eventsPerSecond * limits.eventsBurst);
    this.#bytes = new Rate(limits.bytesPerSecond, limits.bytesPerSecond * limits.bytesBurst);
    socket.on("message", (data: Buffer, isBinary: boolean) => this.#receive(data, isBinary));
    socket.on("ping", () => this.#heard = performance.now());
    socket.on("close", () => this.#end());
    // A frame that is too large, or a connection that broke: "close" follows.
    socket.on("error", (error: Error) => this.log(`A client's connection: ${error.message}`));
  }

  send(frame: string | Uint8Array, isBinary = typeof frame !== "string"): void {
    if (this.#closed) return;
    this.socket.send(frame, { binary: isBinary });
    if (this.socket.bufferedAmount > this.limits.slowReader) this.#judgeReader(performance.now());
  }

  forget(channel: Channel): void {
    if (this.#channels.get(channel.topic) === channel) this.#channels.delete(channel.topic);
  }

  /** Looks, now and then, whether the client is still there and keeps up. */
  check(now: number): void {
    if (this.#closed) return;
    if (now - this.#heard > this.limits.idle) this.close(1000, "idle timeout");
    else this.#judgeReader(now);
  }

  close(code: number, reason: string): void {
    if (this.#closed) return;
    this.#end();
    this.socket.close(code, reason);
    setTimeout(() => this.socket.terminate(), FAREWELL);
  }

  #judgeReader(now: number): void {
    const waiting = this.socket.bufferedAmount;
    if (waiting <= this.limits.slowReader) {
      this.#behind = undefined;
      return;
    }
    this.#behind ??= now;
    if (now - this.#behind <= this.limits.slowReaderPatience && waiting <= this.limits.slowReaderEnd) return;
    this.log(`A reader is too slow: ${waiting} bytes wait for it`);
    this.close(1013, "The reader is too slow");
  }

  #end(): void {
    this.#closed = true;
    for (const channel of this.#channels.values()) channel.close();
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#closed) return;
    this.#heard = performance.now();
    try {
      const frame = isBinary ? decodeBinary(data) : decodeText(this.version, data.toString());
      const within = this.#events.take() && this.#bytes.take(data.length);
      if (within) this.#handle(frame);
      else this.#tooMany(frame);
    } catch (error) {
      if (error instanceof BadFrame) return this.close(1007, error.message);
      this.log(`A client's frame: ${error instanceof Error ? error.stack : error}`);
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
    if (!this.#joins.take()) {
      this.#reply(frame, "error", { reason: "ClientJoinRateLimitReached: Too many joins per second" });
      return this.close(1000, "Too many joins per second");
    }
    this.#channels.get(topic)?.replace();
    if (this.#channels.size >= this.limits.channelsPerClient) {
      const reason = "ChannelRateLimitReached: Too many channels";
      setTimeout(() => this.#reply(frame, "error", { reason }), this.limits.refusedJoin);
      return;
    }
    const channel = new Channel(this, topic, joinRef ?? ref);
    this.#channels.set(topic, channel);
    channel.join(ref, payload);
  }

  /** A channel that says too much is closed; a client that says too much outside of its channels, altogether. */
  #tooMany({ topic }: Frame): void {
    const channel = this.#channels.get(topic);
    if (channel === undefined) this.close(1008, TOO_MANY);
    else channel.shutDown(TOO_MANY);
  }

  #reply({ joinRef, ref, topic }: Frame, status: "ok" | "error", response: unknown): void {
    this.send(encode(this.version, { joinRef, ref, topic, event: "phx_reply" }, JSON.stringify({ status, response })));
  }
}
