// Waits for a condition with a deadline, instead of a fixed sleep.
import { withTimeout } from "../../local/timeout.ts";

/** Longer than a worker works (45 s) and a message that it lost stays hidden (12 s), so that load alone fails no test. */
const DEADLINE_MS = 90_000;
/** The last look has so long to end, where the deadline is near. */
const MOMENT_MS = 1_000;
/** The pauses grow, so that a look that is a request of a user stays below the limit of the user's reads. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS, GROWTH] = [20, 400, 1.2];

/**
 * The first value of `look` that is not undefined; fails when none came within `milliseconds`, also where `look` itself does
 * not end: a query that a broken connection has lost never does.
 */
export async function eventually<Value>(
  look: () => Promise<Value | undefined> | Value | undefined,
  milliseconds = DEADLINE_MS,
): Promise<Value> {
  const deadline = performance.now() + milliseconds;
  const late = (): never => {
    throw new Error(`Timed out after ${milliseconds} ms`);
  };
  for (let pause = FIRST_PAUSE_MS;; pause = Math.min(pause * GROWTH, LONGEST_PAUSE_MS)) {
    const value = await withTimeout(Promise.resolve(look()), Math.max(deadline - performance.now(), MOMENT_MS), late);
    if (value !== undefined) return value;
    if (performance.now() > deadline) late();
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
