/// <reference lib="dom" />
/** The service through its typed client, and who is signed in. The application calls nothing else. */
import { computed, signal } from "@preact/signals";
import type { User } from "@supabase/auth-js";
import { createParkingClient } from "parking-lot-client";
import { settings } from "./settings.ts";
import { connect } from "./supabase.ts";

export const supabase = connect(settings.api, settings.key);

export const client = createParkingClient({
  url: `${settings.api}/functions`,
  supabase,
});

/** The signed-in user; undefined until the stored session has been read. */
export const user = signal<User | null | undefined>(undefined);
/** True after the link of a recovery mail: the person must set a new password. */
export const isRecovering = signal(false);

supabase.auth.onAuthStateChange((event, session) => {
  if (event === "PASSWORD_RECOVERY") isRecovering.value = true;
  // A refreshed token is the same person: pages do not load again.
  if (user.value?.id !== session?.user.id || user.value === undefined) user.value = session?.user ?? null;
});

/** Why the link of a mail signed nobody in, for example because it was used before. */
export const linkError = signal<Error | null>(null);
void supabase.auth.initialize().then(({ error }) => linkError.value = error);

export const isSignedIn = computed(() => Boolean(user.value));
