// A request's turn at one of the Data API's connections. Whoever has gone meanwhile, or has waited as long as PostgREST
// lets anybody wait, gets none: what a client was told did not happen must not happen afterwards, and nobody waits for the
// statements of clients that are gone.
import { AsyncLocalStorage } from "node:async_hooks";
import type { ReservedSql } from "postgres";

/** PostgREST's db-pool-acquisition-timeout. */
const PATIENCE = 10_000;

/** The turn of the request that runs. */
export const turns = new AsyncLocalStorage<Turn>();

export class MissedTurn extends Error {
  readonly code = "PGRST003";
}

export class Turn {
  #isMissed = false;

  /** `client` aborts when the client goes. */
  constructor(readonly client: AbortSignal) {}

  get isMissed(): boolean {
    return this.#isMissed;
  }

  /** The connection that is coming, unless it comes too late. */
  async take(coming: Promise<ReservedSql>): Promise<ReservedSql> {
    const { promise: missed, resolve } = Promise.withResolvers<undefined>();
    const leave = () => resolve(undefined);
    const timer = setTimeout(leave, PATIENCE);
    this.client.addEventListener("abort", leave);
    if (this.client.aborted) leave();
    try {
      const connection = await Promise.race([missed, coming]);
      if (connection !== undefined) return connection;
    } finally {
      clearTimeout(timer);
      this.client.removeEventListener("abort", leave);
    }
    this.#isMissed = true;
    coming.then((late) => late.release(), () => {}); // one that never comes needs no release
    throw new MissedTurn("Timed out acquiring connection from connection pool.");
  }
}
