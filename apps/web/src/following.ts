/** What the application follows on every page while a user is signed in: the inbox, the sessions and the badges. */
import { computed, effect, type Signal, signal } from "@preact/signals";
import type { Badges, Inbox, LiveHandlers, LiveStatus, LiveSubscription, Sessions } from "parking-lot-client";
import { client, user } from "./service.ts";
import "./theme.ts";

export interface Followed<State> {
  /** Undefined until the first read. */
  readonly state: State | undefined;
  readonly status: LiveStatus;
  /** Why nothing is followed any more. */
  readonly error: Error | undefined;
}

const NOTHING = { state: undefined, status: "connecting", error: undefined } as const;

export const inbox = signal<Followed<Inbox>>(NOTHING);
export const sessions = signal<Followed<Sessions>>(NOTHING);
export const badges = signal<Followed<Badges>>(NOTHING);
/** Badges that were earned while the application was open, oldest first, for their animation. */
export const earnedBadges = signal<Badges["items"]>([]);

/** Whether an app user is signed in. An administrator may be none: then there is no inbox to follow. */
export const isAppUser = signal(false);

effect(() => {
  isAppUser.value = Boolean(user.value && !user.value.app_metadata["admin"]);
  if (!user.value || isAppUser.peek()) return;
  const abort = new AbortController();
  client.GET("/v1/me", { signal: abort.signal }).then(
    ({ data }) => isAppUser.value = data.app_user !== null,
    (error: unknown) => abort.signal.aborted || console.warn("The account could not be read.", error),
  );
  return () => abort.abort();
});

/** The id of the app user; undefined for others. */
const userId = computed(() => isAppUser.value ? user.value?.id : undefined);

/** Follows a channel for each app user who signs in. */
function follow<State extends { items: unknown[] }>(
  followed: Signal<Followed<State>>,
  subscribe: (handlers: LiveHandlers<State>) => LiveSubscription,
  onEvent: LiveHandlers<State>["onEvent"],
): void {
  effect(() => {
    if (userId.value === undefined) return;
    const change = (values: Partial<Followed<State>>) => followed.value = { ...followed.peek(), ...values };
    const subscription = subscribe({
      onState: (state) => change({ state }),
      onStatus: (status) => change({ status }),
      onError: (error) => change({ error }),
      ...(onEvent ? { onEvent } : {}),
    });
    return () => {
      void subscription.close();
      followed.value = NOTHING;
      earnedBadges.value = [];
    };
  });
}

follow(inbox, client.live.inbox, undefined);
follow(sessions, client.live.sessions, undefined);
follow(badges, client.live.badges, ({ kind, row }) => {
  if (kind === "insert") earnedBadges.value = [...earnedBadges.peek(), row];
});
