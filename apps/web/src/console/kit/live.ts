/** A live channel of the console, for as long as a part of the page shows it. */
import { useEffect, useState } from "preact/hooks";
import type { LiveHandlers, LiveStatus, LiveSubscription } from "parking-lot-client";

export interface LiveState<State> {
  readonly state: State | undefined;
  readonly status: LiveStatus;
  /** Why the channel has ended. */
  readonly error: unknown;
}

export function useLive<State extends { items: unknown[] }>(
  subscribe: (handlers: LiveHandlers<State>) => LiveSubscription,
): LiveState<State> {
  const [live, setLive] = useState<LiveState<State>>({ state: undefined, status: "connecting", error: undefined });
  useEffect(() => {
    const subscription = subscribe({
      onState: (state) => setLive((old) => ({ ...old, state })),
      onStatus: (status) => setLive((old) => ({ ...old, status })),
      onError: (error) => setLive((old) => ({ ...old, error, status: "offline" })),
    });
    return () => void subscription.close();
  }, []);
  return live;
}
