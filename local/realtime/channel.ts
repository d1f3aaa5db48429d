// One topic that one client has joined: its rights, its row changes, its broadcasts, its presence, and its end.
import { Changes } from "./changes.ts";
import { TimeoutError, withTimeout } from "../timeout.ts";
import { type Join, numberBindings, readJoin } from "./join.ts";
import { type Limits, Window } from "./limits.ts";
import { encode, type Frame, isObject, UserBroadcast, type Version } from "./serializer.ts";
import { type Bearer, expired, isKey, TokenRejected, type Tokens } from "./tokens.ts";
import type { Member, Topic, Topics } from "./topics.ts";
import { type Feed, SubscriptionRejected } from "./types.ts";

/** What a channel has from its connection. */
export interface Host {
  readonly version: Version;
  /** The connection's own token. */
  readonly token: string;
  readonly limits: Limits;
  /** Whether only private channels can be joined. */
  readonly privateOnly: boolean;
  readonly tokens: Tokens;
  readonly feed: Feed;
  readonly topics: Topics;
  send(frame: string | Uint8Array, isBinary?: boolean): void;
  /** The channel is over: its topic may be joined anew. */
  forget(channel: Channel): void;
  log(line: string): void;
}

/** Why a client may not join. */
class JoinRejected extends Error {}

interface Rights {
  readonly read: boolean;
  readonly write: boolean;
}

const ALL: Rights = { read: true, write: true };

export class Channel implements Member {
  readonly version: Version;
  hearsPresence = false;
  /** The part of the topic after `realtime:`. */
  readonly #name: string;
  readonly #presenceCalls: Window;
  #state: "joining" | "joined" | "closed" = "joining";
  /** Frames that came before the answer to the join. */
  #waiting: Frame[] = [];
  #join!: Join;
  #token!: string;
  #bearer!: Bearer;
  #rights = ALL;
  #room?: Topic;
  /** Subscribing and new tokens, one after another. */
  #work: Promise<void> = Promise.resolve();
  #changes: Changes | undefined;
  #tokenTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly host: Host, readonly topic: string, readonly joinRef: string | null) {
    this.version = host.version;
    this.#name = topic.slice("realtime:".length);
    this.#presenceCalls = new Window(host.limits.presenceCalls, host.limits.presenceWindow);
  }

  send(frame: string | Uint8Array, isBinary?: boolean): void {
    this.host.send(frame, isBinary);
  }

  async join(ref: string | null, payload: unknown): Promise<void> {
    try {
      await this.#admit(payload);
    } catch (error) {
      return this.#refuse(ref, this.#reason(error));
    }
    if (this.#state === "closed") return;
    const { bindings, wait, hearsPresence } = this.#join;
    const numbered = numberBindings(bindings);
    const changes = bindings.length > 0 ? this.#changesOf(numbered.map(({ id }) => id)) : undefined;
    this.#changes = changes;
    if (wait !== undefined && changes !== undefined) {
      try {
        await withTimeout(changes.subscribe(this.#bearer), wait);
      } catch (error) {
        return this.#refuse(ref, this.#reason(error));
      }
      if (this.#isClosed) return;
    }
    this.#state = "joined";
    this.#room = this.host.topics.enter(this.topic, this.#join.isPrivate, this);
    this.#reply(ref, "ok", { postgres_changes: numbered });
    if (hearsPresence) this.#sendPresence();
    this.#watchToken();
    if (this.#join.replicationReady) this.#system("system", "ok", "Replication connection established");
    if (wait === undefined) this.#queue(() => changes?.subscribeAndTell(this.#bearer));
    else changes?.announce();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const frame of waiting) this.receive(frame);
  }

  receive(frame: Frame): void {
    if (this.#state === "joining") {
      if (frame.event === "phx_leave") this.#leave(frame);
      else this.#waiting.push(frame);
    } else if (this.#state === "joined") {
      if (frame.event === "phx_leave") this.#leave(frame);
      else if (frame.event === "broadcast") this.#broadcast(frame);
      else if (frame.event === "presence") this.#presence(frame);
      else if (frame.event === "access_token") this.#takeToken(frame.payload);
    }
  }

  /** Ends the channel for a reason that the client is told; it does not join again by itself. */
  shutDown(message: string): void {
    if (this.#state === "closed") return;
    this.#system("system", "error", message);
    this.#push("phx_close", {}, this.joinRef);
    this.close();
  }

  /** Makes room for another channel of the same topic. */
  replace(): void {
    this.#push("phx_close", {}, this.joinRef);
    this.close();
  }

  /** Ends the channel without a word. */
  close(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#waiting = [];
    clearTimeout(this.#tokenTimer);
    if (this.#room !== undefined) this.host.topics.leave(this.#room, this.#join.isPrivate, this);
    this.#changes?.close();
    this.host.forget(this);
  }

  get #isClosed(): boolean {
    return this.#state === "closed";
  }

  async #admit(payload: unknown): Promise<void> {
    if (this.#name === "") throw new JoinRejected("TopicNameRequired: You must provide a topic name");
    this.#join = readJoin(payload);
    if (this.host.privateOnly && !this.#join.isPrivate) {
      throw new JoinRejected("PrivateOnly: This project only allows private channels");
    }
    this.hearsPresence = this.#join.hearsPresence;
    this.#token = this.#join.token ?? this.host.token;
    this.#bearer = await this.host.tokens.verify(this.#token);
    if (!this.#join.isPrivate) {
      if (!this.#join.replay) return;
      throw new JoinRejected("UnableToReplayMessages: Replay is not allowed for public channels");
    }
    this.#rights = await this.host.feed.authorize(this.#name, this.#bearer);
    if (!this.#rights.read) throw new JoinRejected(`Unauthorized: ${this.#mayNotRead()}`);
  }

  #mayNotRead(): string {
    return `You do not have permissions to read from this Channel topic: ${this.#name}`;
  }

  #reason(error: unknown): string {
    if (error instanceof JoinRejected) return error.message;
    if (error instanceof TokenRejected) return `${error.code}: ${error.message}`;
    if (error instanceof SubscriptionRejected) return `RealtimeDisabledForConfiguration: ${error.message}`;
    if (error instanceof TimeoutError) {
      const waited = `Timed out after ${error.milliseconds}ms waiting for the postgres_changes subscription`;
      return `PostgresChangesSubscribeTimeout: ${waited}`;
    }
    this.host.log(`${this.topic}: ${error instanceof Error ? error.stack : error}`);
    return "Unknown Error on Channel";
  }

  /** Says no, later: what joins again at once shall not be a storm. The topic is free meanwhile. */
  #refuse(ref: string | null, reason: string): void {
    if (this.#isClosed) return;
    this.close();
    setTimeout(() => this.#reply(ref, "error", { reason }), this.host.limits.refusedJoin);
  }

  #leave(frame: Frame): void {
    this.#reply(frame.ref, "ok", {});
    this.replace();
  }

  #broadcast({ ref, payload }: Frame): void {
    if (!this.#rights.write || !(payload instanceof UserBroadcast || isObject(payload))) return;
    const size = payload instanceof UserBroadcast ? payload.bytes.length : JSON.stringify(payload).length;
    const fits = size <= this.host.limits.broadcast;
    if (fits) this.#room?.broadcast(payload, this.#join.self ? undefined : this);
    if (!this.#join.ack) return;
    this.#reply(ref, fits ? "ok" : "error", fits ? {} : { reason: "payload_size_exceeded" });
  }

  #presence({ ref, payload }: Frame): void {
    if (!isObject(payload) || typeof payload["event"] !== "string") return this.#reply(ref, "ok", {});
    if (!this.#presenceCalls.take()) return this.shutDown("Client presence rate limit exceeded");
    const event = payload["event"].toLowerCase();
    const said = payload["payload"] ?? {};
    if (event === "untrack") {
      const diff = this.#room?.presence.untrack(this);
      if (diff !== undefined) this.#room?.announce(diff);
      return this.#reply(ref, "ok", {});
    }
    if (event !== "track" || !this.#rights.write) return this.#reply(ref, "error", {});
    if (!isObject(said)) return this.#reply(ref, "error", { reason: "Presence track payload must be a map" });
    if (JSON.stringify(said).length > this.host.limits.broadcast) return this.shutDown("Track message size exceeded");
    this.#reply(ref, "ok", {});
    const diff = this.#room?.presence.track(this, this.#join.presenceKey, said);
    if (diff !== undefined) this.#room?.announce(diff);
    if (this.hearsPresence) return;
    // Who tracks wants to know of the others, also when the join did not say so.
    this.hearsPresence = true;
    this.#sendPresence();
  }

  #sendPresence(): void {
    this.#push("presence_state", this.#room!.presence.state());
  }

  #takeToken(payload: unknown): void {
    const token = isObject(payload) ? payload["access_token"] : undefined;
    if (typeof token !== "string" || isKey(token) || token === this.#token) return;
    this.#token = token;
    this.#queue(async () => {
      try {
        this.#bearer = await this.host.tokens.verify(token);
        await this.#renewRights();
      } catch (error) {
        if (error instanceof TokenRejected) return this.shutDown(error.message);
        throw error;
      }
      if (this.#isClosed) return;
      this.#watchToken();
      await this.#changes?.identify(this.#bearer);
    });
  }

  async #renewRights(): Promise<void> {
    if (!this.#join.isPrivate) return;
    this.#rights = await this.host.feed.authorize(this.#name, this.#bearer);
    if (this.#rights.read) return;
    this.shutDown(`You no longer have permission to read from this Channel topic: ${this.#name}`);
  }

  /** Looks at the token again when it ends, or in a while; a clock that was set counts then. */
  #watchToken(): void {
    clearTimeout(this.#tokenTimer);
    const left = this.#bearer.expires * 1000 - Date.now();
    if (left <= 0) return this.shutDown(expired(this.#bearer.expires).message);
    this.#tokenTimer = setTimeout(() => this.#watchToken(), Math.min(this.host.limits.tokenCheck, left + 1));
  }

  #changesOf(ids: readonly number[]): Changes {
    const { version, topic, host } = this;
    const frame = { joinRef: null, ref: null, topic, event: "postgres_changes" };
    return new Changes(host.feed, this.#join.bindings, ids, {
      change: (payload) => host.send(encode(version, frame, payload)),
      system: (status, message) => this.#system("postgres_changes", status, message),
      lost: () => this.#crash(),
    });
  }

  /** Ends the channel so that the client joins again by itself. */
  #crash(): void {
    if (this.#isClosed) return;
    this.#push("phx_error", { reason: "channel_crash" }, this.joinRef);
    this.close();
  }

  #queue(task: () => Promise<void> | undefined): void {
    this.#work = this.#work.then(() => this.#isClosed ? undefined : task()).catch((error) => {
      this.host.log(`${this.topic}: ${error instanceof Error ? error.stack : error}`);
      this.#crash();
    });
  }

  #system(extension: string, status: "ok" | "error", message: string): void {
    if (!this.#isClosed) this.#push("system", { status, message, extension, channel: this.#name });
  }

  #reply(ref: string | null, status: "ok" | "error", response: unknown): void {
    this.#push("phx_reply", { status, response }, ref);
  }

  #push(event: string, payload: unknown, ref: string | null = null): void {
    const { version, joinRef, topic } = this;
    this.host.send(encode(version, { joinRef, ref, topic, event }, JSON.stringify(payload)));
  }
}
