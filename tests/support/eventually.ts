// Waits for a condition with a deadline, instead of a fixed sleep.

/** The first value of `look` that is not undefined; fails when none came within `milliseconds`. */
export async function eventually<Value>(
  look: () => Promise<Value | undefined> | Value | undefined,
  milliseconds = 10_000,
): Promise<Value> {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    const value = await look();
    if (value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(`It did not come about within ${milliseconds} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
