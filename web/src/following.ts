/** What the application follows on every page while a person is signed in: the inbox and the badges. */
import { computed, effect, type Signal, signal } from "@preact/signals";
import type { Badges, Inbox, LiveHandlers, LiveStatus, LiveSubscription } from "parking-lot-client";
import { client, user } from "./service.ts";

export interface Followed<State> {
  /** Undefined until the first read. */
  readonly state: State | undefined;
  readonly status: LiveStatus;
  /** Why nothing is followed any more. */
  readonly error: Error | undefined;
}

const NOTHING = { state: undefined, status: "connecting", error: undefined } as const;

export const inbox = signal<Followed<Inbox>>(NOTHING);
export const badges = signal<Followed<Badges>>(NOTHING);
/** Badges that were earned while the application was open, oldest first, for their animation. */
export const earnedBadges = signal<Badges["items"]>([]);

const userId = computed(() => user.value?.id);

/** Follows a channel for each person who signs in. */
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
    };
  });
}

follow(inbox, client.live.inbox, undefined);
follow(badges, client.live.badges, ({ kind, row }) => {
  if (kind === "insert") earnedBadges.value = [...earnedBadges.peek(), row];
});
