// A client of supabase-js whose session and channels a test controls.
import type { SupabaseLike } from "../../client/src/index.ts";
import { token } from "../support/tokens.ts";

type Session = { readonly access_token: string; readonly user: { readonly id: string } };
type Message = { extension: string; status: string; message: string };

export class FakeChannel {
  isLeft = false;
  onChange!: (change: { new: object }) => void;
  #onSystem!: (message: Message) => void;
  #onStatus!: (status: string, error?: Error) => void;

  constructor(readonly topic: string, readonly options: unknown) {}

  on(type: string, _filter: object, callback: (message: never) => void): this {
    if (type === "system") this.#onSystem = callback as (message: Message) => void;
    else this.onChange = callback as (change: { new: object }) => void;
    return this;
  }

  subscribe(callback: (status: string, error?: Error) => void): void {
    this.#onStatus = callback;
  }

  /** The server has joined the channel, and changes arrive. */
  join(): void {
    this.#onStatus("SUBSCRIBED");
    this.system("ok", "Subscribed to PostgreSQL");
  }

  system(status: string, message: string): void {
    this.#onSystem({ extension: "postgres_changes", status, message });
  }

  status(status: string, message?: string): void {
    this.#onStatus(status, message === undefined ? undefined : new Error(message));
  }

  change(row: object = {}): void {
    this.onChange({ new: row });
  }
}

export class FakeSupabase implements SupabaseLike {
  readonly channels: FakeChannel[] = [];
  /** The names of errors of the next reads of the session. */
  readonly errors: string[] = [];
  session: Session | null;
  #onAuth: ((event: string, session: Session | null) => void) | undefined;

  constructor(user: string = crypto.randomUUID()) {
    this.session = sessionOf(user);
  }

  readonly auth = {
    getSession: () => {
      const name = this.errors.shift();
      const error = name === undefined ? null : Object.assign(new Error("no session"), { name });
      return Promise.resolve({ data: { session: error ? null : this.session }, error });
    },
    onAuthStateChange: (callback: (event: string, session: Session | null) => void) => {
      this.#onAuth = callback;
      return { data: { subscription: { unsubscribe: () => this.#onAuth = undefined } } };
    },
  };
  readonly realtime = { setAuth: () => Promise.resolve() };

  get isObserved(): boolean {
    return this.#onAuth !== undefined;
  }

  authChange(event: string, session: Session | null): void {
    this.session = session;
    this.#onAuth?.(event, session);
  }

  channel(topic: string, options: unknown): FakeChannel {
    const channel = new FakeChannel(topic, options);
    this.channels.push(channel);
    return channel;
  }

  removeChannel(channel: unknown): Promise<unknown> {
    (channel as FakeChannel).isLeft = true;
    return Promise.resolve("ok");
  }
}

export function sessionOf(user: string, claims: Record<string, unknown> = {}): Session {
  return { access_token: token(user, { secret: "secret of the test", claims }), user: { id: user } };
}
