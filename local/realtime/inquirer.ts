// The connections that Postgres is asked on. They are made anew with each stream: what a crash has left of the old ones may
// never answer.
import postgres from "postgres";
import { Admission } from "./admission.ts";
import { Looker } from "./look.ts";

export interface FeedOptions {
  /** Connects as the superuser. */
  readonly url: string;
  readonly log: (line: string) => void;
}

/** What every session writes and reads values with. */
export const SESSION = { TimeZone: "UTC", DateStyle: "ISO", IntervalStyle: "postgres", bytea_output: "hex" };
/** A policy's plan is made once for everybody of a role, and finds a row by its key. */
const LOOKING = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  jit: "off",
  statement_timeout: 4_000,
  lock_timeout: 1_000,
};
const ASKING = { statement_timeout: 10_000 };

export class Inquirer {
  readonly looker: Looker;
  readonly admission: Admission;
  readonly #connections: readonly postgres.Sql[];

  constructor({ url, log }: FeedOptions) {
    const connect = (max: number, name: string, settings: object) =>
      postgres(url, {
        max,
        onnotice: () => {},
        backoff: () => 0.1,
        fetch_types: false,
        connection: { application_name: name, ...SESSION, ...settings } as never,
      });
    const [looking, asking] = [connect(1, "realtime look", LOOKING), connect(2, "realtime ask", ASKING)];
    this.looker = new Looker(looking, log);
    this.admission = new Admission(asking, log);
    this.#connections = [looking, asking];
  }

  /** What is being asked fails. */
  async end(): Promise<void> {
    await Promise.all(this.#connections.map((sql) => sql.end({ timeout: 0 })));
  }
}
