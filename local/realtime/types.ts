// What the two halves of the realtime server say to each other: the feed reads the log and decides who may see what;
// the sockets speak to clients.

/** What a channel asks for, as its client sent it. */
export interface Binding {
  event?: string;
  schema?: string;
  table?: string;
  filter?: string;
  select?: string[];
}

export interface Identity {
  role: string;
  claims: Record<string, unknown>;
}

export interface Change {
  schema: string;
  table: string;
  type: "INSERT" | "UPDATE" | "DELETE";
  /** Null where only `errors` is told. */
  commit_timestamp: string | null;
  columns: { name: string; type: string }[];
  record?: Record<string, unknown>;
  old_record?: Record<string, unknown>;
  errors: string[] | null;
}

export interface Listener {
  /** `bindingIndexes`: the bindings that the change is for. */
  change(bindingIndexes: number[], change: Change): void;
  /** The stream has broken: nothing more comes. */
  lost(reason: string): void;
}

export interface Subscription {
  /** New claims replace the old. */
  identify(identity: Identity): Promise<void>;
  close(): void;
}

/** Its message is the text of the `system` error frame. */
export class SubscriptionRejected extends Error {}

export interface Feed {
  start(): Promise<void>;
  stop(): Promise<void>;
  subscribe(bindings: readonly Binding[], identity: Identity, listener: Listener): Promise<Subscription>;
  /** May this caller read and write this private topic (policies of realtime.messages)? */
  authorize(topic: string, identity: Identity): Promise<{ read: boolean; write: boolean }>;
}
