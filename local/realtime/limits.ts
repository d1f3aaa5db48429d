// The limits of a client, and how long the server waits. The figures are those of a hosted project without a spending cap.
// Hosted counts a whole project; here one connection is counted, since the project belongs to one developer.

export interface Limits {
  readonly clients: number;
  readonly channelsPerClient: number;
  readonly joinsPerSecond: number;
  readonly eventsPerSecond: number;
  /** Seconds of the rate that a client may use at once after a pause. */
  readonly eventsBurstSeconds: number;
  readonly maxFrameBytes: number;
  readonly idleTimeoutMs: number;
  /** The longest time between two checks of a token. */
  readonly tokenCheckMs: number;
  /** Errors are delayed, so that a client that retries at once does no harm. */
  readonly handshakeErrorDelayMs: number;
  readonly joinErrorDelayMs: number;
}

export const LIMITS: Limits = {
  clients: 10_000,
  channelsPerClient: 100,
  joinsPerSecond: 100,
  eventsPerSecond: 100,
  eventsBurstSeconds: 10,
  maxFrameBytes: 5_000_000,
  idleTimeoutMs: 60_000,
  tokenCheckMs: 5 * 60_000,
  handshakeErrorDelayMs: 2_000,
  joinErrorDelayMs: 5_000,
};

/** A token bucket. */
export class RateLimiter {
  #left: number;
  #filledAt = performance.now();

  constructor(readonly perSecond: number, readonly burst: number) {
    this.#left = burst;
  }

  /** Whether one more fits. */
  consume(): boolean {
    const now = performance.now();
    this.#left = Math.min(this.burst, this.#left + (now - this.#filledAt) / 1000 * this.perSecond);
    this.#filledAt = now;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
