// Subscriptions by table.
import type { Identity, Listener } from "./types.ts";
import { type RowChange, valueOf } from "./wal.ts";

/** One subscription of a client, with all its bindings. */
export class Subscriber {
  isClosed = false;
  role!: string;
  /** As request.jwt.claims has them. */
  claims!: string;

  constructor(readonly listener: Listener, readonly snapshot: Snapshot, identity: Identity) {
    this.identify(identity);
  }

  identify({ role, claims }: Identity): void {
    this.role = role;
    this.claims = JSON.stringify(claims);
  }
}

/** A binding for one table, as Postgres has checked it. */
export interface TableBinding {
  readonly bindingIndex: number;
  readonly table: number;
  readonly event: string;
  readonly filters: readonly Filter[];
}

export interface TableSubscription extends TableBinding {
  readonly subscriber: Subscriber;
}

/** bool, int8, int2, int4, text, oid, date, varchar, timestamp, timestamptz, uuid: equal values have equal texts. */
const COMPARED_AS_TEXT = new Set([16, 20, 21, 23, 25, 26, 1082, 1043, 1114, 1184, 2950]);

export interface FilterRow {
  readonly column: string;
  readonly operator: string;
  readonly value: string;
  /** The oid of the column's type. */
  readonly type: number;
  /** The value, or those of `in`, as the type writes them. */
  readonly values: readonly (string | null)[];
}

export class Filter {
  readonly column: string;
  readonly operator: string;
  readonly value: string;
  readonly type: number;
  /** The texts that pass, if that can be decided without Postgres. */
  readonly #accepted: ReadonlySet<string | null> | undefined;

  constructor({ column, operator, value, type, values }: FilterRow) {
    this.column = column;
    this.operator = operator;
    this.value = value;
    this.type = type;
    const isPlain = (operator === "eq" || operator === "in") && COMPARED_AS_TEXT.has(type);
    this.#accepted = isPlain ? new Set(values) : undefined;
  }

  /** Undefined if Postgres has to compare. A null, or a column that the log does not have, never passes. */
  passes(change: RowChange): boolean | undefined {
    const text = valueOf(change, this.column);
    if (text === undefined || text === null) return false;
    return this.#accepted?.has(text);
  }
}

/** Whether the change has the event of the subscription and was not committed before it. */
export function matchesEvent({ event, subscriber }: TableSubscription, { type, transaction }: RowChange): boolean {
  return (event === "*" || event === type) && !subscriber.snapshot.contains(transaction.xid);
}

export class SubscriptionIndex {
  readonly #tables = new Map<number, Set<TableSubscription>>();
  readonly #ofSubscribers = new Map<Subscriber, readonly TableSubscription[]>();

  of(table: number): ReadonlySet<TableSubscription> {
    return this.#tables.get(table) ?? new Set();
  }

  /** Replaces the subscriptions of a subscriber. */
  set(subscriber: Subscriber, bindings: readonly TableBinding[]): void {
    this.remove(subscriber);
    const subscriptions = bindings.map((binding) => ({ ...binding, subscriber }));
    this.#ofSubscribers.set(subscriber, subscriptions);
    for (const one of subscriptions) getOrMake(this.#tables, one.table, () => new Set<TableSubscription>()).add(one);
  }

  remove(subscriber: Subscriber): void {
    for (const one of this.#ofSubscribers.get(subscriber) ?? []) this.#tables.get(one.table)?.delete(one);
    this.#ofSubscribers.delete(subscriber);
  }
}

/** The result of pg_current_snapshot(): transactions below `xmin`, and those below `xmax` that do not run, are committed. */
export class Snapshot {
  readonly #xmin: number;
  readonly #xmax: number;
  readonly #running: ReadonlySet<number>;

  constructor(text: string) {
    const [xmin, xmax, running] = text.split(":");
    this.#xmin = Number(xmin);
    this.#xmax = Number(xmax);
    this.#running = new Set(running ? running.split(",").map(Number) : []);
  }

  /** Whether the transaction was committed. `xid`: the lower half of its number, as the log has it. */
  contains(xid: number): boolean {
    const full = this.#xmax + ((xid - this.#xmax % 2 ** 32) | 0);
    return full < this.#xmin || (full < this.#xmax && !this.#running.has(full));
  }
}

export function getOrMake<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  if (!map.has(key)) map.set(key, make());
  return map.get(key)!;
}
