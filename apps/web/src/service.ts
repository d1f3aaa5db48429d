/// <reference lib="dom" />
/** The service through its typed client, and who is signed in. The application calls nothing else. */
import { computed, effect, signal } from "@preact/signals";
import type { User } from "@supabase/auth-js";
import { createParkingClient } from "parking-lot-client";
import { capture } from "./captured.ts";
import { type Arrival, readArrival } from "./mail_links.ts";
import { counted } from "./quiet.ts";
import { fetchOrKept, forgetReads } from "./reads.ts";
import { settings } from "./settings.ts";
import { connect } from "./supabase.ts";

export const supabase = connect(settings.api, settings.key);

/** Sends a request. Without a connection, a read is answered by what was kept. */
export async function send(request: Request): Promise<Response> {
  await capture(request);
  return await counted(fetchOrKept(request, (id) => id === (user.peek()?.id ?? "")));
}

export const client = createParkingClient({
  url: settings.api,
  supabase: {
    ...supabase,
    auth: {
      getSession: supabase.getSession,
      onAuthStateChange: (callback) => supabase.auth.onAuthStateChange(callback),
    },
  },
  fetch: send,
});

/** The signed-in user; undefined until it is known that nobody is. */
export const user = signal<User | null | undefined>(supabase.storedSession()?.user);
/** True after the link of a recovery mail: the user must set a new password. */
export const isRecovering = signal(false);

supabase.auth.onAuthStateChange((event, refreshed) => {
  // Without a connection an old session cannot be refreshed, and is still that of the user.
  const session = refreshed ?? (event === "INITIAL_SESSION" ? supabase.storedSession() : null);
  if (event === "PASSWORD_RECOVERY") isRecovering.value = true;
  // A refreshed token is the same user: pages do not load again.
  if (user.value?.id !== session?.user.id || user.value === undefined) user.value = session?.user ?? null;
});

// Nothing of a user who has left stays in this browser.
effect(() => {
  if (user.value === undefined) return;
  forgetReads(user.value?.id ?? "").catch((error: unknown) =>
    console.warn("What was kept for another user could not be removed.", error)
  );
});

/** Performs what a user leaves behind: on signing out, and when another one signs in. */
export function whenUserLeaves(forget: () => void): void {
  let last: string | undefined;
  effect(() => {
    const id = user.value?.id;
    if (last !== undefined && last !== id) forget();
    last = id;
  });
}

/** Where the links of mails lead: this page. */
export const PAGE = `${location.origin}${location.pathname}`;

/** What the link of a mail did, if it signed nobody in; an `Error` if its code could not be exchanged. */
export const linkResult = signal<Exclude<Arrival, { kind: "code" }> | Error | null>(null);

/** Uses up what the address brings, and takes it out of the address. */
async function arrive(): Promise<void> {
  const { arrival, rest } = readArrival(location.href);
  if (rest !== location.href) history.replaceState(history.state, "", rest);
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
