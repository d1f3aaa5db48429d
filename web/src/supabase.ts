/** The parts of supabase-js that the application uses: sign-in and the live channels. The whole of it is 17 KB larger. */
import { GoTrueClient } from "@supabase/auth-js";
import { RealtimeClient } from "@supabase/realtime-js";
import type { SupabaseLike } from "parking-lot-client";

export interface Supabase extends SupabaseLike {
  readonly auth: GoTrueClient;
}

/** Connects to a project as `createClient` of supabase-js does, with the session under the same name in the storage. */
export function connect(api: string, key: string): Supabase {
  const { hostname } = new URL(api);
  const auth = new GoTrueClient({
    url: `${api}/auth/v1`,
    headers: { apikey: key, Authorization: `Bearer ${key}` },
    storageKey: `sb-${hostname.split(".")[0]}-auth-token`,
  });
  const realtime = new RealtimeClient(`${api.replace(/^http/, "ws")}/realtime/v1`, {
    params: { apikey: key },
    accessToken: async () => (await auth.getSession()).data.session?.access_token ?? key,
  });
  // Open channels continue with a refreshed token.
  auth.onAuthStateChange(() => void realtime.setAuth());
  return {
    auth,
    realtime,
    channel: (topic, options) => realtime.channel(topic, options),
    removeChannel: (channel) => realtime.removeChannel(channel as ReturnType<RealtimeClient["channel"]>),
  };
}
