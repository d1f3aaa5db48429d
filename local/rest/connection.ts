// One connection to Postgres. A request is one batch of statements, sent together: they run as one transaction in one round
// trip, and are rolled back when one fails.
import postgres, { type ReservedSql, type Sql } from "postgres";
import { connectionOptions } from "../postgres/connection_options.ts";

export interface Statement {
  readonly text: string;
  readonly values: readonly string[];
}

/** A row: the text of each column. */
export type Row = readonly (string | null)[];

/** The connection was lost, or could not be opened. Whether a batch that ran was committed is unknown. */
export class ConnectionLost extends Error {}

const BEGIN: Statement = { text: "begin", values: [] };
const COMMIT: Statement = { text: "commit", values: [] };

export class Connection {
  readonly #sql: Sql;
  readonly #closed = Promise.withResolvers<void>();
  #reserved: ReservedSql | undefined;
  #isClosed = false;
  #batch: PromiseWithResolvers<Row[][]> | undefined;

  private constructor(address: string, timeoutSeconds: number) {
    this.#sql = postgres(address, {
      ...connectionOptions,
      max: 1,
      max_lifetime: null,
      fetch_types: false,
      connect_timeout: timeoutSeconds,
      connection: { application_name: "Data API" },
      onclose: () => {
        this.#isClosed = true;
        this.#batch?.reject(lost());
        this.#closed.resolve();
      },
    });
  }

  /** Connects as the user of the address. */
  static async open(address: string, timeoutSeconds: number): Promise<Connection> {
    const connection = new Connection(address, timeoutSeconds);
    try {
      await connection.#sql`select`; // connects
      // What waits on a reserved connection never runs on the next one, where its role and claims are not set.
      connection.#reserved = await connection.#sql.reserve();
      return connection;
    } catch (cause) {
      connection.close();
      throw new ConnectionLost("Postgres did not accept the connection", { cause });
    }
  }

  /** Resolves when the connection is closed. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Runs the statements as one transaction, and returns the rows of each. One batch at a time. */
  async run(statements: readonly Statement[]): Promise<Row[][]> {
    if (this.#batch !== undefined) throw new Error("A batch runs already");
    if (this.#isClosed) throw lost();
    const batch = this.#batch = Promise.withResolvers<Row[][]>();
    this.#send([BEGIN, ...statements, COMMIT]).then((results) => batch.resolve(results.slice(1, -1)), batch.reject);
    try {
      return await batch.promise;
    } catch (error) {
      throw error instanceof postgres.PostgresError ? error : lost(error);
    } finally {
      this.#batch = undefined;
    }
  }

  /** Ends the connection; a batch that runs fails. */
  close(): void {
    this.#sql.end({ timeout: 0 }).catch(() => {}); // it may be lost already
  }

  /** Returns when all have ended, and so has their transaction. Throws the first error. */
  async #send(statements: readonly Statement[]): Promise<Row[][]> {
    const results = await Promise.allSettled(
      statements.map(({ text, values }) => this.#reserved!.unsafe(text, [...values], { prepare: true }).values()),
    );
    return results.map((result) => {
      if (result.status === "rejected") throw result.reason;
      return [...result.value] as Row[];
    });
  }
}

function lost(cause?: unknown): ConnectionLost {
  return cause instanceof ConnectionLost ? cause : new ConnectionLost("The connection to Postgres was lost", { cause });
}
