// The Data API's connections. Requests wait here, before the driver: one whose client is gone or who has waited too long
// leaves the queue, and nothing runs for it. A connection that is lost is replaced for the requests that wait.
import { Connection, ConnectionLost, type Row, type Statement } from "./connection.ts";

/** The code of PostgREST for a request that waited in vain. */
export class PoolTimeout extends Error {
  readonly code = "PGRST003";
}

export interface PoolOptions {
  /** Connects as `authenticator`. */
  readonly address: string;
  /** Connections that work at the same time: what keeps the cores busy. */
  readonly size: number;
  /** Connections in all. A connection whose batch takes long (it waits for a lock, say) does not count as working. */
  readonly maximum: number;
  /** Of these, how many one route may hold: a locked table must not stop the routes that do not need it. */
  readonly share: number;
  readonly log: (line: string) => void;
}

/** Who waits for a connection, and for what. */
export interface Purpose {
  /** What is called; see PoolOptions.share. */
  readonly route: string;
  /** Plans under row-level security belong to a role: a connection that served this role last is preferred. */
  readonly role: string;
  /** Aborts when the client goes. */
  readonly signal: AbortSignal;
}

/** Well before the functions' own deadline, so that what runs is always for somebody. */
export const WAIT_TIMEOUT_MS = 3_500;
const CONNECT_TIMEOUT_MS = 1_000;
const RECONNECT_PAUSE_MS = 50;
const SLOW_AFTER_MS = 500;

interface ConnectionWait {
  readonly purpose: Purpose;
  readonly ready: PromiseWithResolvers<Lease>;
}

interface Lease {
  readonly connection: Connection;
  readonly purpose: Purpose;
  isSlow: boolean;
}

export class ConnectionPool {
  readonly #idle: { connection: Connection; role: string }[] = [];
  readonly #leases = new Set<Lease>();
  readonly #waiting: ConnectionWait[] = [];
  #connecting = 0;
  #isFailing = false;
  #closed = false;

  constructor(readonly options: PoolOptions) {}

  /**
   * Runs the statements as one transaction, once a connection is free. With `check` it is committed only when the check of
   * its rows does not throw, which takes a round trip more.
   */
  async run(
    statements: readonly Statement[],
    purpose: Purpose,
    check?: (results: readonly Row[][]) => void,
  ): Promise<Row[][]> {
    const lease = await this.#lease(purpose);
    const slow = setTimeout(() => {
      lease.isSlow = true;
      this.#serve();
    }, SLOW_AFTER_MS);
    try {
      if (check === undefined) return await lease.connection.run(statements);
      return await checked(lease.connection, statements, check);
    } finally {
      clearTimeout(slow);
      this.#release(lease);
    }
  }

  /** Ends the connections; requests that still wait get an error. */
  close(): void {
    this.#closed = true;
    for (const { ready } of this.#waiting.splice(0)) ready.reject(new ConnectionLost("The Data API is stopping"));
    for (const { connection } of [...this.#idle.splice(0), ...this.#leases]) connection.close();
  }

  async #lease(purpose: Purpose): Promise<Lease> {
    if (this.#closed) throw new ConnectionLost("The Data API is stopping");
    if (purpose.signal.aborted) throw timeout();
    const wait: ConnectionWait = { purpose, ready: Promise.withResolvers<Lease>() };
    const leave = () => {
      const at = this.#waiting.indexOf(wait);
      if (at < 0) return;
      this.#waiting.splice(at, 1);
      wait.ready.reject(timeout());
    };
    this.#waiting.push(wait);
    this.#serve();
    const timer = setTimeout(leave, WAIT_TIMEOUT_MS);
    purpose.signal.addEventListener("abort", leave);
    try {
      return await wait.ready.promise;
    } finally {
      clearTimeout(timer);
      purpose.signal.removeEventListener("abort", leave);
    }
  }

  /** Gives connections to those who wait, in their order; opens connections while somebody has none. */
  #serve(): void {
    for (let at = 0; at < this.#waiting.length && this.#mayWork();) {
      const wait = this.#waiting[at]!;
      if (this.#held(wait.purpose.route) >= this.options.share) {
        at++;
        continue;
      }
      const connection = this.#take(wait.purpose.role);
      if (connection === undefined) return this.#open();
      this.#waiting.splice(at, 1);
      const lease = { connection, purpose: wait.purpose, isSlow: false };
      this.#leases.add(lease);
      wait.ready.resolve(lease);
    }
  }

  #mayWork(): boolean {
    let working = 0;
    for (const { isSlow } of this.#leases) if (!isSlow) working++;
    return working < this.options.size && this.#leases.size < this.options.maximum;
  }

  #held(route: string): number {
    let held = 0;
    for (const { purpose } of this.#leases) if (purpose.route === route) held++;
    return held;
  }

  #take(role: string): Connection | undefined {
    const at = this.#idle.findLastIndex((one) => one.role === role);
    return (at < 0 ? this.#idle.pop() : this.#idle.splice(at, 1)[0])?.connection;
  }

  #release(lease: Lease): void {
    this.#leases.delete(lease);
    if (!lease.connection.isClosed) this.#idle.push({ connection: lease.connection, role: lease.purpose.role });
    this.#serve();
  }

  /** Opens a connection for the requests that wait; one that fails is tried again as long as any waits. */
  #open(): void {
    const wanted = Math.min(this.#waiting.length, this.options.size);
    while (this.#connecting < wanted && this.#connecting + this.#leases.size < this.options.maximum) {
      this.#connecting++;
      this.#connect().finally(() => {
        this.#connecting--;
        this.#serve();
      });
    }
  }

  async #connect(): Promise<void> {
    try {
      const connection = await Connection.open(this.options.address, CONNECT_TIMEOUT_MS);
      if (this.#closed) return connection.close();
      this.#isFailing = false;
      connection.closed.then(() => this.#forget(connection));
      this.#idle.push({ connection, role: "" });
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      if (!this.#isFailing) this.options.log(`${error.message}: ${error.cause}`);
      this.#isFailing = true;
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_PAUSE_MS));
    }
  }

  #forget(connection: Connection): void {
    const at = this.#idle.findIndex((one) => one.connection === connection);
    if (at >= 0) this.#idle.splice(at, 1);
  }
}

const [BEGIN, COMMIT, ROLLBACK] = ["begin", "commit", "rollback"].map((text) => ({ text, values: [] }));

async function checked(
  connection: Connection,
  statements: readonly Statement[],
  check: (results: readonly Row[][]) => void,
): Promise<Row[][]> {
  try {
    const [, ...results] = await connection.run([BEGIN!, ...statements]);
    check(results);
    await connection.run([COMMIT!]);
    return results;
  } catch (error) {
    if (!connection.isClosed) await connection.run([ROLLBACK!]);
    throw error;
  }
}

function timeout(): PoolTimeout {
  return new PoolTimeout("Timed out acquiring connection from connection pool.");
}
