/**
 * Work under a lease. A lease is short (`private.lease_seconds`), so that the work of a killed consumer is soon taken by
 * another one.
 */
import { logFailure } from "../http/log.ts";

/** How often a working consumer extends its leases. A lease outlasts three missed extensions. */
const EXTEND_MS = 3_000;
/** Work that lasts longer than this is stuck: its lease ends, and another consumer takes it. */
const MAX_LEASE_MS = 120_000;

/** Works under a lease that `extend` extends. A failed extension is logged, because a later one can still be in time. */
export async function underLease<Result>(
  extend: () => Promise<unknown>,
  work: () => Promise<Result>,
  { everyMs = EXTEND_MS, maxMs = MAX_LEASE_MS } = {},
): Promise<Result> {
  const until = performance.now() + maxMs;
  let extending: Promise<void> | undefined;
  const timer = setInterval(() => {
    if (performance.now() >= until) return clearInterval(timer);
    extending ??= extend().then(() => {}, (failure) => logFailure("A consumer could not extend its lease", failure))
      .finally(() => extending = undefined);
  }, everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await extending;
  }
}
