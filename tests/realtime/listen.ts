// Clients of Realtime: supabase-js, and a record of what it received.
import assert from "node:assert/strict";
import {
  createClient,
  type RealtimeChannel,
  type RealtimePostgresChangesPayload,
  type SupabaseClient,
  type SupabaseClientOptions,
} from "@supabase/supabase-js";
import { eventually } from "../support/eventually.ts";
import { stack } from "../support/stack.ts";

export type Row = Record<string, unknown>;
export type ReceivedChange = RealtimePostgresChangesPayload<Row>;

export interface Binding {
  readonly event?: "*" | "INSERT" | "UPDATE" | "DELETE";
  readonly schema?: string;
  readonly table?: string;
  readonly filter?: string;
}

type RealtimeOptions = NonNullable<SupabaseClientOptions<"public">["realtime"]>;

export interface ClientOptions {
  /** The access token; without one the client is anonymous. */
  readonly token?: string;
  readonly realtime?: RealtimeOptions;
  /** Another address of the platform's gateway. */
  readonly apiUrl?: string;
  readonly key?: string;
  /** Whether the channels that it joins are private. */
  readonly isPrivate?: boolean;
}

/** A client whose token can be changed, as a session that is refreshed changes it. */
export class Client implements AsyncDisposable {
  readonly supabase: SupabaseClient;
  token: string | undefined;
  readonly #isPrivate: boolean;

  constructor(
    { token, realtime = {}, apiUrl = stack().apiUrl, key = stack().publishableKey, isPrivate }: ClientOptions = {},
  ) {
    this.token = token;
    this.#isPrivate = isPrivate ?? false;
    this.supabase = createClient(apiUrl, key, {
      realtime,
      ...(token === undefined ? { auth: NO_SESSION } : { accessToken: () => Promise.resolve(this.token ?? null) }),
    });
  }

  /** Joins a channel and waits until its changes come. */
  async subscribe(name: string, ...bindings: Binding[]): Promise<JoinedChannel> {
    const listening = await this.join(name, ...bindings);
    await listening.ready();
    return listening;
  }

  /** Joins a channel and does not wait for the reply. */
  async join(name: string, ...bindings: Binding[]): Promise<JoinedChannel> {
    // Before the library has the token, a channel is joined without one.
    await this.supabase.realtime.setAuth();
    return new JoinedChannel(this.supabase.channel(name, { config: { private: this.#isPrivate } }), bindings);
  }

  /** Resolves when everything that the server has sent is received. */
  async settled(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.supabase.realtime.onHeartbeat((status) => {
      if (status === "ok") resolve();
    });
    await this.supabase.realtime.sendHeartbeat();
    await promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.supabase.removeAllChannels();
    await this.supabase.realtime.disconnect();
    await eventually(() => this.supabase.realtime.connectionState() === "closed" || undefined);
  }
}

const NO_SESSION = { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false };

export interface Status {
  readonly status: string;
  readonly error?: string;
  readonly at: number;
}

/** A joined channel and everything that it received. */
export class JoinedChannel {
  /** Changes in the order of arrival, with the index of the binding that they match. */
  readonly received: (ReceivedChange & { readonly binding: number })[] = [];
  readonly statuses: Status[] = [];
  readonly system: { status: string; message: string; extension: string; at: number }[] = [];

  constructor(readonly channel: RealtimeChannel, bindings: readonly Binding[]) {
    bindings.forEach((binding, index) => {
      const filter = { event: "*" as const, schema: "public", ...binding };
      // The library has an overload for each event; here the event is a value.
      channel.on("postgres_changes", filter as typeof filter & { event: "*" }, (change: ReceivedChange) => {
        this.received.push({ ...change, binding: index });
      });
    });
    channel.on("system", {}, (message) => this.system.push({ ...message, at: performance.now() }));
    channel.subscribe((status, error) => {
      this.statuses.push({ status, at: performance.now(), ...(error ? { error: error.message } : {}) });
    });
  }

  /** Waits for the message of the subscription, the nth time; returns when it arrived. Later commits are received. */
  async ready(times = 1): Promise<number> {
    try {
      return await eventually(() => {
        const refusal = this.system.find(({ status }) => status === "error");
        if (refusal) throw new Error(refusal.message);
        const stored = this.system.filter(({ extension, status }) =>
          extension === "postgres_changes" && status === "ok"
        );
        return stored[times - 1]?.at;
      });
    } catch (cause) {
      const seen = JSON.stringify([performance.now(), this.statuses, this.system]);
      throw new Error(`Not ${times} times: ${cause}: ${seen}`, { cause });
    }
  }

  /** Waits until the library reports this status of the channel, the nth time. */
  async reaches(status: string, times = 1): Promise<Status> {
    return await eventually(() => this.statuses.filter((each) => each.status === status)[times - 1]);
  }

  /** Waits until so many changes match `wanted`, and returns them. */
  async receives(count: number, wanted: (change: ReceivedChange) => boolean = () => true): Promise<ReceivedChange[]> {
    try {
      return await eventually(() => {
        const found = this.received.filter(wanted);
        return found.length >= count ? found : undefined;
      });
    } catch (cause) {
      const { length } = this.received;
      throw new Error(`Of ${length} changes: ${JSON.stringify([this.statuses, this.system])}`, { cause });
    }
  }

  /** Waits for the change with this key, and returns all changes before it. */
  async until(id: string): Promise<ReceivedChange[]> {
    await this.receives(1, (change) => keyOf(change) === id);
    return this.received.slice(0, this.received.findIndex((change) => keyOf(change) === id));
  }
}

/** Every change has an error and no row: the role may not read the table. */
export function assertNoRows({ received }: JoinedChannel): void {
  for (const { eventType, errors, new: row, old } of received) {
    const reason = eventType === "DELETE" ? null : ["Error 401: Unauthorized"];
    assert.deepEqual([errors, row, old], [reason, {}, {}]);
  }
}

export function keyOf({ new: row, old }: ReceivedChange): unknown {
  return (row as Row)["id"] ?? (old as Row)["id"];
}
