/** Runs operations a few at the same time. */

/** Runs each operation that it is given, at most so many at the same time; the others wait for their turn. */
export function limited(concurrency: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= concurrency) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}

export async function forEach<Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const run = limited(concurrency);
  await Promise.all(items.map((item) => run(() => work(item))));
}
