import { NetworkError } from "./errors.ts";

/** The parts of a client of supabase-js 2 that this package uses. The client must have a session of its own. */
export interface SupabaseLike {
  readonly auth: {
    getSession(): Promise<{ data: { session: Session | null }; error: Error | null }>;
    onAuthStateChange(
      callback: (event: string, session: Session | null) => void,
    ): { data: { subscription: { unsubscribe(): void } } };
  };
  readonly realtime: { setAuth(): Promise<void> };
  channel(topic: string, options: { config: { private: boolean } }): ChannelLike;
  removeChannel(channel: ChannelLike): Promise<unknown>;
}

export interface Session {
  readonly access_token: string;
  readonly user: { readonly id: string };
}

export interface ChannelLike {
  on(
    type: "postgres_changes",
    filter: { event: "*" | "INSERT"; schema: string; table: string; filter?: string },
    callback: (change: { new: object }) => void,
  ): ChannelLike;
  on(
    type: "system",
    filter: Record<never, never>,
    callback: (message: { extension: string; status: string; message: string }) => void,
  ): ChannelLike;
  subscribe(callback: (status: string, error?: Error) => void): unknown;
}

/** The session, refreshed by supabase-js when it has expired. Null: nobody is signed in. */
export async function currentSession(supabase: SupabaseLike): Promise<Session | null> {
  const { data, error } = await supabase.auth.getSession();
  // The session is still there, but its refresh got no response.
  if (error?.name === "AuthRetryableFetchError") throw new NetworkError(error, false);
  return data.session;
}

/** Whether two access tokens have the same subject. False if that cannot be read. */
export function isSameUser(first: string, second: string): boolean {
  const user = subjectOf(first);
  return user !== undefined && user === subjectOf(second);
}

function subjectOf(token: string): unknown {
  try {
    return JSON.parse(atob(token.split(".")[1]!.replace(/-/g, "+").replace(/_/g, "/"))).sub;
  } catch {
    return undefined;
  }
}
