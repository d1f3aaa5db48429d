// The rate limit on sign-in attempts of one IP address, counted over the last sixty seconds.

const WINDOW_MS = 60_000;

export class AttemptLimit {
  readonly #attempts = new Map<string, number[]>();

  constructor(readonly perMinute: number) {}

  /** Counts one attempt; false when the limit is exceeded. */
  allow(address: string, now = performance.now()): boolean {
    const recent = (this.#attempts.get(address) ?? []).filter((at) => at > now - WINDOW_MS);
    const allowed = recent.length < this.perMinute;
    if (allowed) recent.push(now);
    this.#attempts.set(address, recent);
    if (this.#attempts.size > 10_000) this.#removeExpired(now);
    return allowed;
  }

  #removeExpired(now: number): void {
    for (const [address, attempts] of this.#attempts) {
      if ((attempts.at(-1) ?? 0) <= now - WINDOW_MS) this.#attempts.delete(address);
    }
  }
}
