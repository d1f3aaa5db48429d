// Waits for a condition with a deadline, instead of a fixed sleep.

/** Longer than a worker works (45 s) and a message that it lost stays hidden (12 s), so that load alone fails no test. */
const DEADLINE_MS = 90_000;

/** The first value of `look` that is not undefined; fails when none came within `milliseconds`. */
export async function eventually<Value>(
  look: () => Promise<Value | undefined> | Value | undefined,
  milliseconds = DEADLINE_MS,
): Promise<Value> {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    const value = await look();
    if (value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(`It did not come about within ${milliseconds} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
