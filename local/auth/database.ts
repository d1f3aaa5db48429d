// The auth server's connections to the database. They are replaced together when one is lost, because the driver does not
// always end the requests that wait for a lost one.
import postgres, { type Sql } from "postgres";
import { isLostConnection } from "../postgres/driver_faults.ts";
import { connectionOptions } from "../postgres/connection_options.ts";
import { withTimeout } from "../timeout.ts";

/** The database is down, or a request took too long. Its clients may retry. */
export class Unavailable extends Error {}

const CONNECTIONS = 5;
const REQUEST_TIMEOUT_MS = 4_500;
/** Less than the timeout of a request, so that a statement that waits for a lock ends before its request does. */
const STATEMENT_TIMEOUT_MS = 2_500;
const CONNECT_TIMEOUT_SECONDS = 2;

export class AuthDatabase {
  #sql: Sql;

  /** `address`: of the database as `supabase_auth_admin`. */
  constructor(readonly address: string) {
    this.#sql = this.#connect();
  }

  /** Runs a task. Throws `Unavailable` if its connection is lost or it takes too long. */
  async run<Result>(task: (sql: Sql) => Promise<Result>): Promise<Result> {
    const sql = this.#sql;
    try {
      return await withTimeout(task(sql), REQUEST_TIMEOUT_MS, () => {
        throw new Unavailable("The database did not respond in time.");
      });
    } catch (cause) {
      if (!(cause instanceof Unavailable) && !isLostConnection(cause)) throw cause;
      if (sql === this.#sql) {
        this.#sql = this.#connect();
        sql.end({ timeout: 0 }).catch(() => {}); // its connections are lost
      }
      throw new Unavailable("The connection to the database was lost.", { cause });
    }
  }

  async close(): Promise<void> {
    await this.#sql.end({ timeout: 3 });
  }

  #connect(): Sql {
    return postgres(this.address, {
      max: CONNECTIONS,
      ...connectionOptions,
      connect_timeout: CONNECT_TIMEOUT_SECONDS,
      max_lifetime: null,
      connection: { statement_timeout: STATEMENT_TIMEOUT_MS },
    });
  }
}
