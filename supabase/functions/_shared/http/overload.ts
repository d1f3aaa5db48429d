/** Overload: how many requests a function works on at once. The local platform's gateway rejects further ones itself. */

/** Requests of one process at once. Further requests are rejected with 503 at once. */
export const MAX_IN_FLIGHT = 100;
/** Seconds. */
export const OVERLOAD_RETRY_AFTER = "1";
