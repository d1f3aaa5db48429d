/** The parts of supabase-js that the application uses: sign-in and the live channels. The whole of it is 17 KB larger. */
import { GoTrueClient, type Session } from "@supabase/auth-js";
import { RealtimeClient } from "@supabase/realtime-js";
import type { SupabaseLike } from "parking-lot-client";

export interface Supabase extends SupabaseLike {
  readonly auth: GoTrueClient;
  /** The session in the storage, also one that is too old. */
  storedSession(): Session | null;
  readonly getSession: GoTrueClient["getSession"];
  /** Makes a client with no stored session: what it does changes nothing in this browser. */
  separateAuth(): GoTrueClient;
  /** Whether this browser requested the mail of this flow, and can exchange the code of its link. */
  hasFlow(id: string): boolean;
}

/** As long before its end the auth client refreshes a session. */
const EXPIRY_MARGIN_MS = 90_000;
/** The auth client repeats a refresh for half a minute. */
const REFRESH_WAIT_MS = 3_000;

/** Connects to a project as `createClient` of supabase-js does, with the session under the same name in the storage. */
export function connect(api: string, key: string): Supabase {
  const { hostname } = new URL(api);
  const storageKey = `sb-${hostname.split(".")[0]}-auth-token`;
  const project = { url: `${api}/auth/v1`, headers: { apikey: key, Authorization: `Bearer ${key}` } };
  const auth = new GoTrueClient({
    ...project,
    storageKey,
    // The code of a link has a value only where its verifier is stored: in the browser that requested the mail.
    flowType: "pkce",
    experimental: { appendPkceFlowIdToRedirects: true },
    // mail_links.ts reads what a link brings. A session in an address is not used: any website can write one there.
    detectSessionInUrl: false,
  });
  const storedSession = (): Session | null => JSON.parse(localStorage.getItem(storageKey) ?? "null");
  /** The session. An old one is refreshed; without an answer in time it is the old one, whose user stays signed in. */
  const getSession: GoTrueClient["getSession"] = async () => {
    const session = storedSession();
    const read = auth.getSession();
    if (session === null || (session.expires_at ?? 0) * 1_000 > Date.now() + EXPIRY_MARGIN_MS) return await read;
    const old = { data: { session }, error: null };
    const late = new Promise<typeof old>((resolve) => setTimeout(resolve, REFRESH_WAIT_MS, old));
    const result = await Promise.race([read, late]);
    return result.error?.name === "AuthRetryableFetchError" ? old : result;
  };
  const realtime = new RealtimeClient(`${api.replace(/^http/, "ws")}/realtime/v1`, {
    params: { apikey: key },
    accessToken: async () => (await getSession()).data.session?.access_token ?? key,
  });
  // Open channels continue with a refreshed token.
  auth.onAuthStateChange(() => void realtime.setAuth());
  return {
    auth,
    separateAuth: () =>
      new GoTrueClient({
        ...project,
        storageKey: `${storageKey}-link`,
        persistSession: false,
        autoRefreshToken: false,
        detectSessionInUrl: false,
      }),
    storedSession,
    getSession,
    hasFlow: (id) => localStorage.getItem(`${storageKey}-flow-${id}-code-verifier`) !== null,
    realtime,
    channel: (topic, options) => realtime.channel(topic, options),
    removeChannel: (channel) => realtime.removeChannel(channel as ReturnType<RealtimeClient["channel"]>),
  };
}
