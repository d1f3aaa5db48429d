/// <reference lib="dom" />
/** The service through its typed client, and who is signed in. The application calls nothing else. */
import { computed, signal } from "@preact/signals";
import type { User } from "@supabase/auth-js";
import { createParkingClient } from "parking-lot-client";
import { type Arrival, readArrival } from "./mail_links.ts";
import { settings } from "./settings.ts";
import { connect } from "./supabase.ts";

export const supabase = connect(settings.api, settings.key);

export const client = createParkingClient({ url: settings.api, supabase });

/** The signed-in user; undefined until the stored session has been read. */
export const user = signal<User | null | undefined>(undefined);
/** True after the link of a recovery mail: the user must set a new password. */
export const isRecovering = signal(false);

supabase.auth.onAuthStateChange((event, session) => {
  if (event === "PASSWORD_RECOVERY") isRecovering.value = true;
  // A refreshed token is the same user: pages do not load again.
  if (user.value?.id !== session?.user.id || user.value === undefined) user.value = session?.user ?? null;
});

/** Where the links of mails lead: this page. */
export const PAGE = `${location.origin}${location.pathname}`;

/** What the link of a mail did, if it signed nobody in; an `Error` if its code could not be exchanged. */
export const linkResult = signal<Exclude<Arrival, { kind: "code" }> | Error | null>(null);

/** Uses up what the address brings, and takes it out of the address. */
async function arrive(): Promise<void> {
  const { arrival, rest } = readArrival(location.href);
  if (rest !== location.href) history.replaceState(null, "", rest);
  if (arrival?.kind !== "code") {
    if (arrival !== undefined) linkResult.value = arrival;
    return;
  }
  const { error } = await supabase.auth.exchangeCodeForSession(arrival.code, { flowId: arrival.flowId });
  linkResult.value = error;
}
void arrive();
addEventListener("hashchange", () => void arrive());

export const isSignedIn = computed(() => Boolean(user.value));
