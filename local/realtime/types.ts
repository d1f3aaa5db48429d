// The interface between the two halves of the realtime server: the feed reads the write-ahead log and checks who may read
// a change; the channels talk to clients.

import type { Limits } from "./limits.ts";

/** A binding to row changes, as the client sent it. */
export interface Binding {
  event?: string;
  schema?: string;
  table?: string;
  filter?: string;
}

export interface Identity {
  role: string;
  claims: Record<string, unknown>;
}

export interface Listener {
  /** `bindings`: the places of those that the change matches; `change` is JSON. Not called before `subscribe` has returned. */
  change(bindings: number[], change: string): void;
  /** The stream broke: no more changes come. */
  lost(reason: string): void;
}

export interface Subscription {
  /** Replaces the role and the claims. */
  identify(identity: Identity): Promise<void>;
  close(): void;
}

/** Its message is the text of the `system` error frame. */
export class SubscriptionRejected extends Error {}

export interface Feed {
  start(): Promise<void>;
  stop(): Promise<void>;
  subscribe(bindings: readonly Binding[], identity: Identity, listener: Listener): Promise<Subscription>;
  /** Whether the policies of realtime.messages let the caller join this private topic. */
  mayJoin(topic: string, identity: Identity): Promise<boolean>;
}

/** What all connections share. */
export interface ServerContext {
  readonly limits: Limits;
  /** Whether only private channels can be joined. */
  readonly privateOnly: boolean;
  readonly feed: Feed;
  readonly log: (line: string) => void;
}
