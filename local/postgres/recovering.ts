// A set of connections that belongs to a library, and is replaced as a whole when one of them is lost: the library's driver
// does not always recover from that, and forgets who waited for it. Here requests wait before the driver, for the set that
// there is when their turn comes.

import { isLostConnection } from "../../postgres_client/driver_faults.ts";

export interface ConnectionSet {
  /** Ends the connections; what still runs on them gets a few seconds. */
  close(): Promise<void>;
}

export interface RecoveringOptions<Set extends ConnectionSet> {
  /** Connects. `onLost` is to be called when a connection is lost. */
  readonly open: (onLost: () => void) => Promise<Set>;
  /** Tasks that run at the same time: no more than the set has connections for. */
  readonly size: number;
  /** How long a request waits for its turn, and how long it may then run. */
  readonly waitTimeoutMs: number;
  readonly runTimeoutMs: number;
  readonly log: (line: string) => void;
}

/** The database was away, or nothing was free, for as long as a request may wait. */
export class Unavailable extends Error {}

interface Generation<Set> {
  readonly opening: Promise<Set>;
  isLost: boolean;
}

const RECONNECT_PAUSE_MS = 100;
/** A query fails a moment before its connection is reported lost. */
const NEWS_OF_LOSS_MS = 50;

export class Recovering<Set extends ConnectionSet> {
  #current: Generation<Set>;
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  #stopped = false;

  constructor(readonly options: RecoveringOptions<Set>) {
    this.#current = this.#open();
  }

  /** Settles when the first set is there. */
  async ready(): Promise<void> {
    await this.#current.opening;
  }

  /** Runs a task on the current set. Throws Unavailable when it was lost meanwhile or took too long. */
  async run<Result>(task: (set: Set) => Promise<Result>): Promise<Result> {
    const wait = new Deadline(this.options.waitTimeoutMs);
    let generation: Generation<Set>;
    let set: Set;
    try {
      await this.#enter(wait);
      generation = this.#current;
      set = await this.#opened(generation, wait);
    } finally {
      wait.clear();
    }
    const result = task(set);
    const leave = () => this.#leave(generation);
    result.then(leave, leave);
    const deadline = new Deadline(this.options.runTimeoutMs);
    try {
      const reply = await Promise.race([result, deadline.over]);
      if (!isFailure(reply)) return reply;
      await new Promise((resolve) => setTimeout(resolve, NEWS_OF_LOSS_MS));
      if (generation.isLost) throw new Unavailable("The connection to the database was lost.");
      return reply;
    } catch (error) {
      // The database ends what runs too long; a set that does not answer even then may never do so.
      if (deadline.isOver || isLostConnection(error)) this.#lose(generation);
      if (generation.isLost) throw new Unavailable("The connection to the database was lost.", { cause: error });
      throw error;
    } finally {
      deadline.clear();
    }
  }

  async close(): Promise<void> {
    this.#stopped = true;
    await this.#current.opening.then((set) => set.close(), () => {}); // one that never opened has nothing to close
  }

  async #enter(deadline: Deadline): Promise<void> {
    if (this.#running < this.options.size) {
      this.#running++;
      return;
    }
    const { promise: turn, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    try {
      await Promise.race([turn, deadline.over]);
    } catch (error) {
      const at = this.#waiting.indexOf(resolve);
      if (at >= 0) this.#waiting.splice(at, 1);
      else this.#next();
      throw error;
    }
  }

  /** The set of this generation; who does not get it in time gives its place back. */
  async #opened(generation: Generation<Set>, wait: Deadline): Promise<Set> {
    try {
      return await Promise.race([generation.opening, wait.over]);
    } catch (error) {
      this.#leave(generation);
      throw error;
    }
  }

  /** Places belong to the current set: what ends on an older one frees none. */
  #leave(generation: Generation<Set>): void {
    if (generation === this.#current) this.#next();
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
  }

  #lose(generation: Generation<Set>): void {
    if (generation.isLost || generation !== this.#current) return;
    generation.isLost = true;
    generation.opening.then((set) => set.close()).catch((error) =>
      this.options.log(`A lost set was not closed: ${error}`)
    );
    if (this.#stopped) return;
    this.#current = this.#open();
    this.#running = 0;
    while (this.#running < this.options.size && this.#waiting.length > 0) {
      this.#running++;
      this.#waiting.shift()!();
    }
  }

  #open(): Generation<Set> {
    const generation: Generation<Set> = { opening: this.#connect(() => this.#lose(generation)), isLost: false };
    return generation;
  }

  async #connect(onLost: () => void): Promise<Set> {
    for (let failures = 0;; failures++) {
      try {
        return await this.options.open(onLost);
      } catch (error) {
        if (this.#stopped) throw error;
        if (failures === 0) this.options.log(`The database is away: ${error}`);
        await new Promise((resolve) => setTimeout(resolve, RECONNECT_PAUSE_MS));
      }
    }
  }
}

/** A library that catches its driver's errors answers with a failure of its own. */
function isFailure(reply: unknown): boolean {
  return reply instanceof Response && reply.status >= 500;
}

class Deadline {
  readonly over: Promise<never>;
  readonly clear: () => void;
  isOver = false;

  constructor(milliseconds: number) {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {}); // raced, or of no interest any more
    const timer = setTimeout(() => {
      this.isOver = true;
      reject(new Unavailable("The database did not answer in time."));
    }, milliseconds);
    this.over = promise;
    this.clear = () => clearTimeout(timer);
  }
}
