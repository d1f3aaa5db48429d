// One topic that one client has joined: its token, its row changes and its end.
import { type JoinRequest, numberBindings, readJoin } from "./join.ts";
import { type Frame, isObject } from "./serializer.ts";
import { expired, isApiKey, type TokenIdentity, TokenRejected, verifyToken } from "./tokens.ts";
import { type Binding, type ServerContext, type Subscription, SubscriptionRejected } from "./types.ts";

/** The error reply to a join. */
class JoinRejected extends Error {}

/** The connection of a channel. */
export interface ChannelConnection {
  readonly token: string;
  readonly context: ServerContext;
  send(frame: Omit<Frame, "payload">, payload: string): void;
  remove(channel: Channel): void;
}

export class Channel {
  /** The part of the topic after `realtime:`. */
  readonly #name: string;
  #state: "joining" | "joined" | "closed" = "joining";
  /** Frames that arrive before the reply to the join. */
  #pending: Frame[] = [];
  #isPrivate = false;
  #token!: string;
  #identity!: TokenIdentity;
  #subscription: Subscription | undefined;
  /** Subscribing and new tokens, one after another. */
  #tasks: Promise<void> = Promise.resolve();
  #tokenTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly connection: ChannelConnection, readonly topic: string, readonly joinRef: string | null) {
    this.#name = topic.slice("realtime:".length);
  }

  async join(ref: string | null, payload: unknown): Promise<void> {
    const request = readJoin(payload);
    try {
      await this.#authorize(request);
    } catch (error) {
      return this.#rejectJoin(ref, this.#reasonOf(error));
    }
    if (this.#isClosed) return;
    this.#state = "joined";
    const bindings = numberBindings(request.bindings);
    this.#reply(ref, "ok", { postgres_changes: bindings });
    this.#watchToken();
    const ids = bindings.map(({ id }) => id);
    if (ids.length > 0) this.#enqueue(() => this.#confirm(this.#subscribe(request.bindings, ids)));
    for (const frame of this.#pending.splice(0)) this.receive(frame);
  }

  receive(frame: Frame): void {
    const { event, ref } = frame;
    if (event === "phx_leave") {
      this.#reply(ref, "ok", {});
      this.replace();
    } else if (this.#state === "joining") this.#pending.push(frame);
    else if (event === "access_token") this.#setToken(frame.payload);
    else if (ref !== null) this.#reply(ref, "error", { reason: notSupported(event) });
  }

  /** Closes the channel with a reason; the client does not join again by itself. */
  shutDown(message: string): void {
    if (this.#isClosed) return;
    this.#system("system", "error", message);
    this.replace();
  }

  /** Closes the channel because the client leaves or joins the topic again. */
  replace(): void {
    this.#push("phx_close", {}, this.joinRef);
    this.close();
  }

  /** Closes the channel and sends nothing. */
  close(): void {
    if (this.#isClosed) return;
    this.#state = "closed";
    this.#pending = [];
    clearTimeout(this.#tokenTimer);
    this.#subscription?.close();
    this.connection.remove(this);
  }

  get #isClosed(): boolean {
    return this.#state === "closed";
  }

  async #authorize({ token, isPrivate, unsupported }: JoinRequest): Promise<void> {
    const { context } = this.connection;
    if (this.#name === "") throw new JoinRejected("TopicNameRequired: You must provide a topic name");
    if (unsupported !== undefined) throw new JoinRejected(notSupported(unsupported));
    if (context.privateOnly && !isPrivate) {
      throw new JoinRejected("PrivateOnly: This project only allows private channels");
    }
    this.#isPrivate = isPrivate;
    this.#token = token ?? this.connection.token;
    this.#identity = await verifyToken(this.#token);
    if (await this.#mayRead()) return;
    const reason = `You do not have permissions to read from this Channel topic: ${this.#name}`;
    throw new JoinRejected(`Unauthorized: ${reason}`);
  }

  async #mayRead(): Promise<boolean> {
    return !this.#isPrivate || await this.connection.context.feed.mayJoin(this.#name, this.#identity);
  }

  #reasonOf(error: unknown): string {
    if (error instanceof JoinRejected) return error.message;
    if (error instanceof TokenRejected) return `${error.code}: ${error.message}`;
    this.connection.context.log(`${this.topic}: ${error instanceof Error ? error.stack : error}`);
    return "Unknown Error on Channel";
  }

  /** Replies with a delay, so that a client that joins again at once does no harm. The topic is free at once. */
  #rejectJoin(ref: string | null, reason: string): void {
    if (this.#isClosed) return;
    this.close();
    setTimeout(() => this.#reply(ref, "error", { reason }), this.connection.context.limits.joinErrorDelayMs);
  }

  #setToken(payload: unknown): void {
    const token = isObject(payload) ? payload["access_token"] : undefined;
    if (typeof token !== "string" || isApiKey(token) || token === this.#token) return;
    this.#token = token;
    this.#enqueue(async () => {
      try {
        this.#identity = await verifyToken(token);
      } catch (error) {
        if (error instanceof TokenRejected) return this.shutDown(error.message);
        throw error;
      }
      if (!await this.#mayRead()) {
        return this.shutDown(`You no longer have permission to read from this Channel topic: ${this.#name}`);
      }
      if (this.#isClosed) return;
      this.#watchToken();
      if (this.#subscription !== undefined) await this.#confirm(this.#subscription.identify(this.#identity));
    });
  }

  /** Checks the expiry again when it is reached, and now and then before, because the clock may be set. */
  #watchToken(): void {
    clearTimeout(this.#tokenTimer);
    const { expires } = this.#identity;
    const left = expires * 1000 - Date.now();
    if (left <= 0) return this.shutDown(expired(expires).message);
    const { tokenCheckMs } = this.connection.context.limits;
    this.#tokenTimer = setTimeout(() => this.#watchToken(), Math.min(tokenCheckMs, left + 1));
  }

  /** `ids`: the number of each binding in the reply to the join. */
  async #subscribe(bindings: readonly Binding[], ids: readonly number[]): Promise<void> {
    const head = { joinRef: null, ref: null, topic: this.topic, event: "postgres_changes" };
    const subscription = await this.connection.context.feed.subscribe(bindings, this.#identity, {
      change: (indexes, change) => {
        const matched = new Set(indexes.map((index) => ids[index]));
        if (!this.#isClosed) this.connection.send(head, `{"ids":[${[...matched]}],"data":${change}}`);
      },
      lost: () => this.#crash(),
    });
    if (this.#isClosed) subscription.close();
    else this.#subscription = subscription;
  }

  /** Sends the outcome of a subscription. A rejected one is not tried again. */
  async #confirm(subscribing: Promise<void>): Promise<void> {
    try {
      await subscribing;
      this.#system("postgres_changes", "ok", "Subscribed to PostgreSQL");
    } catch (error) {
      if (!(error instanceof SubscriptionRejected)) throw error;
      this.#system("postgres_changes", "error", error.message);
      this.#subscription?.close();
      this.#subscription = undefined;
    }
  }

  /** Closes the channel so that the client joins again by itself. */
  #crash(): void {
    if (this.#isClosed) return;
    this.#push("phx_error", { reason: "channel_crash" }, this.joinRef);
    this.close();
  }

  #enqueue(task: () => Promise<void>): void {
    this.#tasks = this.#tasks.then(() => this.#isClosed ? undefined : task()).catch((error) => {
      this.connection.context.log(`${this.topic}: ${error instanceof Error ? error.stack : error}`);
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
    this.connection.send({ joinRef: this.joinRef, ref, topic: this.topic, event }, JSON.stringify(payload));
  }
}

function notSupported(feature: string): string {
  return `NotSupported: The local platform has no ${feature}.`;
}
