/** The same numbers for the same seed on every machine: the seed data are generated once and compared ever after. */
export class Random {
  #state: number;

  constructor(seed: string) {
    this.#state = 2166136261;
    for (const character of seed) this.#state = Math.imul(this.#state ^ (character.codePointAt(0) ?? 0), 16777619);
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.between(0, items.length - 1)];
    if (item === undefined) throw new Error("Nothing to pick from");
    return item;
  }
}
