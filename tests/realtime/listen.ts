// Clients that listen: the platform's own library, unmodified, and what it was told.
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
export type Heard = RealtimePostgresChangesPayload<Row>;

export interface Binding {
  readonly event?: "*" | "INSERT" | "UPDATE" | "DELETE";
  readonly schema?: string;
  readonly table?: string;
  readonly filter?: string;
}

type RealtimeOptions = NonNullable<SupabaseClientOptions<"public">["realtime"]>;

export interface Who {
  /** The access token; without one, a visitor. */
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

  constructor({ token, realtime = {}, apiUrl = stack().apiUrl, key = stack().publishableKey, isPrivate }: Who = {}) {
    this.token = token;
    this.#isPrivate = isPrivate ?? false;
    this.supabase = createClient(apiUrl, key, {
      realtime,
      ...(token === undefined ? { auth: NO_SESSION } : { accessToken: () => Promise.resolve(this.token ?? null) }),
    });
  }

  /** Joins a channel and waits until its changes come. */
  async listen(name: string, ...bindings: Binding[]): Promise<Listening> {
    const listening = await this.join(name, ...bindings);
    await listening.ready();
    return listening;
  }

  /** Joins a channel and does not wait for the answer. */
  async join(name: string, ...bindings: Binding[]): Promise<Listening> {
    // What is joined sooner than the library has asked for the token is joined without one.
    await this.supabase.realtime.setAuth();
    return new Listening(this.supabase.channel(name, { config: { private: this.#isPrivate } }), bindings);
  }

  /** Whatever the server sent before now has been heard. */
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

/** A joined channel and all that came. */
export class Listening {
  /** Changes in the order in which they came, with the index of the binding that they came for. */
  readonly heard: (Heard & { readonly binding: number })[] = [];
  readonly statuses: Status[] = [];
  readonly system: { status: string; message: string; extension: string; at: number }[] = [];

  constructor(readonly channel: RealtimeChannel, bindings: readonly Binding[]) {
    bindings.forEach((binding, index) => {
      const filter = { event: "*" as const, schema: "public", ...binding };
      // The library has an overload for each event; here the event is a value.
      channel.on("postgres_changes", filter as typeof filter & { event: "*" }, (change: Heard) => {
        this.heard.push({ ...change, binding: index });
      });
    });
    channel.on("system", {}, (message) => this.system.push({ ...message, at: performance.now() }));
    channel.subscribe((status, error) => {
      this.statuses.push({ status, at: performance.now(), ...(error ? { error: error.message } : {}) });
    });
  }

  /** The subscription is stored, so many times by now: what is committed from then on comes. When that was said. */
  async ready(times = 1): Promise<number> {
    try {
      return await eventually(() => {
        const refusal = this.system.find(({ status }) => status === "error");
        if (refusal) throw new Error(refusal.message);
        const stored = this.system.filter(({ extension, status }) =>
          extension === "postgres_changes" && status === "ok"
        );
        return stored[times - 1]?.at;
      }, 30_000);
    } catch (cause) {
      const seen = JSON.stringify([performance.now(), this.statuses, this.system]);
      throw new Error(`Not ${times} times: ${cause}: ${seen}`, { cause });
    }
  }

  /** Waits until the library has said this of the channel, so many times. */
  async said(status: string, times = 1): Promise<Status> {
    return await eventually(() => this.statuses.filter((each) => each.status === status)[times - 1], 30_000);
  }

  /** Waits for the changes that `wanted` picks until there are so many, and gives them. */
  async hears(count: number, wanted: (change: Heard) => boolean = () => true): Promise<Heard[]> {
    try {
      return await eventually(() => {
        const found = this.heard.filter(wanted);
        return found.length >= count ? found : undefined;
      });
    } catch (cause) {
      const { length } = this.heard;
      throw new Error(`Of ${length} changes: ${JSON.stringify([this.statuses, this.system])}`, { cause });
    }
  }

  /** Waits until the change with this key has come, and gives all that came before it. */
  async until(id: string): Promise<Heard[]> {
    await this.hears(1, (change) => keyOf(change) === id);
    return this.heard.slice(0, this.heard.findIndex((change) => keyOf(change) === id));
  }
}

/** What came says at most that there was a change: the role may not read the table. */
export function assertNoRows({ heard }: Listening): void {
  for (const { eventType, errors, new: row, old } of heard) {
    const reason = eventType === "DELETE" ? null : ["Error 401: Unauthorized"];
    assert.deepEqual([errors, row, old], [reason, {}, {}]);
  }
}

export function keyOf({ new: row, old }: Heard): unknown {
  return (row as Row)["id"] ?? (old as Row)["id"];
}
