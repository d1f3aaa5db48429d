// How much one client may ask for, and how long the server waits. The figures are those of a hosted project without a
// spending cap; where hosted counts a whole project, one connection is counted here, since the project is one developer's.

export interface Limits {
  readonly clients: number;
  readonly channelsPerClient: number;
  readonly joinsPerSecond: number;
  readonly eventsPerSecond: number;
  readonly bytesPerSecond: number;
  /** Seconds of its rate in events and in bytes that a client may use at once after it was quiet. */
  readonly eventsBurst: number;
  readonly bytesBurst: number;
  readonly presenceCalls: number;
  readonly presenceWindow: number;
  /** Bytes. */
  readonly broadcast: number;
  readonly frame: number;
  /** Milliseconds of silence after which a client counts as gone. */
  readonly idle: number;
  /** How often a token is looked at, at least. */
  readonly tokenCheck: number;
  /** How long a refusal is held back, so that a client that does not learn cannot storm. */
  readonly refusedHandshake: number;
  readonly refusedJoin: number;
  /** Bytes that wait for a reader: above `slowReader` for `slowReaderPatience`, or above `slowReaderEnd`, and he is closed. */
  readonly slowReader: number;
  readonly slowReaderPatience: number;
  readonly slowReaderEnd: number;
}

export const LIMITS: Limits = {
  clients: 10_000,
  channelsPerClient: 100,
  joinsPerSecond: 100,
  eventsPerSecond: 100,
  bytesPerSecond: 100_000,
  eventsBurst: 10,
  bytesBurst: 60,
  presenceCalls: 5,
  presenceWindow: 30_000,
  broadcast: 3_000_000,
  frame: 5_000_000,
  idle: 60_000,
  tokenCheck: 5 * 60_000,
  refusedHandshake: 2_000,
  refusedJoin: 5_000,
  slowReader: 1 << 20,
  slowReaderPatience: 4_000,
  slowReaderEnd: 16 << 20,
};

/** So much a second, and after a quiet time so much at once. */
export class Rate {
  #left: number;
  #counted = performance.now();

  constructor(readonly perSecond: number, readonly burst: number) {
    this.#left = burst;
  }

  /** Whether `amount` still fits; what does not fit is not counted. */
  take(amount = 1): boolean {
    const now = performance.now();
    this.#left = Math.min(this.burst, this.#left + (now - this.#counted) / 1000 * this.perSecond);
    this.#counted = now;
    if (amount > this.#left) return false;
    this.#left -= amount;
    return true;
  }
}

/** So many calls in a window that begins with the first of them. */
export class Window {
  #calls = 0;
  #ends = 0;

  constructor(readonly calls: number, readonly milliseconds: number) {}

  take(): boolean {
    const now = performance.now();
    if (now > this.#ends) {
      this.#ends = now + this.milliseconds;
      this.#calls = 0;
    }
    return ++this.#calls <= this.calls;
  }
}
