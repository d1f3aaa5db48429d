// Repeatable random numbers: the same seed gives the same run.

export interface Chance {
  /** At least 0, less than 1. */
  next(): number;
  /** 0 to below the bound. */
  below(bound: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

/** Mulberry32. */
export function chance(seed: number): Chance {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  return { next, below, pick: (items) => items[below(items.length)]! };
}
