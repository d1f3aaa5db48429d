/// <reference lib="dom" />
/** What the application keeps in this browser for times without a connection, each entry for one user. */
import { type DBSchema, type IDBPDatabase, openDB } from "idb";

/** A reply of the service. */
export interface KeptRead {
  /** The id of the user; empty for a guest. */
  readonly user: string;
  /** The address without the origin; replies of one slot replace each other. */
  readonly slot: string;
  readonly address: string;
  readonly at: number;
  readonly body: string;
  readonly headers: readonly (readonly [string, string])[];
}

/** Why the service refused a change. */
export interface Refusal {
  readonly code: string;
  /** What `details.reason` has. */
  readonly reason: unknown;
}

/** A change that could not be sent. */
export interface Waiting {
  /** Its idempotency key. */
  readonly id: string;
  readonly user: string;
  /** What it is, for its text. */
  readonly kind: WaitingKind;
  readonly at: number;
  readonly method: string;
  readonly address: string;
  readonly body: string | null;
  readonly refusal?: Refusal;
}

/** What belongs to the user among the values of `localStorage`, by its use. Nothing of it stays when the user leaves. */
export const OF_USER = {
  lastSearch: "last_search",
  plan: "parking_plan",
  vehicle: "vehicle",
  zone: "map_zone",
} as const;

export function forgetValues(): void {
  for (const name of Object.values(OF_USER)) localStorage.removeItem(name);
}

export type WaitingKind =
  | "error_report"
  | "review"
  | "saved_lot"
  | "session_cancel"
  | "session_end"
  | "session_notes";

interface Schema extends DBSchema {
  reads: { key: [string, string]; value: KeptRead; indexes: { at: number; user: string } };
  waiting: { key: string; value: Waiting; indexes: { user: string } };
}

let opened: Promise<IDBPDatabase<Schema>> | undefined;

export function storage(): Promise<IDBPDatabase<Schema>> {
  return opened ??= openDB<Schema>("explorer", 1, {
    upgrade(db) {
      const reads = db.createObjectStore("reads", { keyPath: ["user", "slot"] });
      reads.createIndex("at", "at");
      reads.createIndex("user", "user");
      db.createObjectStore("waiting", { keyPath: "id" }).createIndex("user", "user");
    },
    // Another version of the application changes the storage in another tab.
    blocking: (_before, _blocked, event) => (event.target as IDBDatabase).close(),
    terminated: () => opened = undefined,
  });
}
