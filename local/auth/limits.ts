// The limit on guessing: so many attempts a minute from one address, counted over the last sixty seconds.

const WINDOW = 60_000;

export class AttemptLimit {
  readonly #attempts = new Map<string, number[]>();

  constructor(readonly perMinute: number) {}

  /** Counts one attempt; false when the address has used up its minute. */
  allow(address: string, now = performance.now()): boolean {
    const recent = (this.#attempts.get(address) ?? []).filter((at) => at > now - WINDOW);
    const allowed = recent.length < this.perMinute;
    if (allowed) recent.push(now);
    this.#attempts.set(address, recent);
    if (this.#attempts.size > 10_000) this.#forget(now);
    return allowed;
  }

  #forget(now: number): void {
    for (const [address, attempts] of this.#attempts) {
      if ((attempts.at(-1) ?? 0) <= now - WINDOW) this.#attempts.delete(address);
    }
  }
}
