// What was read of the log and waits to be judged.
import type { Item } from "./batch.ts";
import type { Routes } from "./routes.ts";
import type { RowChange } from "./wal.ts";

/** One batch: changes, bytes of the log, and what there is to judge, which is a change for a binding. */
const BATCH = { changes: 500, bytes: 4 * 1024 * 1024, judgements: 2_000 };
/** What may wait before the log is read slower. */
const WAITING = { changes: 2_000, bytes: 16 * 1024 * 1024 };

export class Backlog {
  /** Changes, and the places in the log where their transactions end. */
  #waiting: (RowChange | bigint)[] = [];
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  get isFull(): boolean {
    return this.#waiting.length > WAITING.changes || this.#bytes > WAITING.bytes;
  }

  add(read: RowChange | bigint): void {
    this.#waiting.push(read);
    if (typeof read !== "bigint") this.#bytes += read.size;
  }

  clear(): void {
    this.#waiting = [];
    this.#bytes = 0;
  }

  /** The next batch, and the place that the log has come to with it. */
  take(routes: Routes): { items: Item[]; done: bigint | undefined } {
    const items: Item[] = [];
    let done: bigint | undefined;
    let [bytes, judgements, count] = [0, 0, 0];
    for (const waiting of this.#waiting) {
      if (count >= BATCH.changes || bytes >= BATCH.bytes || judgements >= BATCH.judgements) break;
      count++;
      if (typeof waiting === "bigint") {
        done = waiting;
        continue;
      }
      bytes += waiting.size;
      if (!routes.has(waiting.relation.table)) continue;
      const item = { change: waiting, candidates: routes.candidates(waiting) };
      items.push(item);
      judgements += item.candidates.size;
    }
    this.#waiting.splice(0, count);
    this.#bytes -= bytes;
    return { items, done };
  }
}
