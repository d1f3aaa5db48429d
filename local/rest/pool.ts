// The Data API's connections. A request whose client has disconnected, or that has waited too long, leaves the queue, and
// nothing runs for it. A connection that is lost is replaced for the requests that wait.
import { withTimeout } from "../timeout.ts";
import { Connection, ConnectionLost, type Row, type Statement } from "./connection.ts";

/** No connection was free in time. */
export class PoolTimeout extends Error {
  readonly code = "PGRST003";
}

export interface PoolOptions {
  /** Connects as `authenticator`. */
  readonly address: string;
  /** Connections that work at the same time. */
  readonly size: number;
  /** Connections in all. One whose batch takes long, for example because it waits for a lock, does not count as working. */
  readonly maximum: number;
  /** How many of these one route may hold: a locked table must not stop the routes that do not need it. */
  readonly share: number;
  readonly log: (line: string) => void;
}

/** What a connection is needed for. */
export interface Purpose {
  /** The function; see PoolOptions.share. */
  readonly route: string;
  /** Plans under row-level security depend on the role: a connection that served this role last is preferred. */
  readonly role: string;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Well before the functions' own deadline, so that a statement never runs for a client that has given up. */
export const WAIT_TIMEOUT_MS = 3_500;
const CONNECT_TIMEOUT_SECONDS = 1;
const RECONNECT_BACKOFF_MS = 50;
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

  /** Runs the statements as one transaction, once a connection is free. */
  async run(statements: readonly Statement[], purpose: Purpose): Promise<Row[][]> {
    const lease = await this.#lease(purpose);
    const slow = setTimeout(() => {
      lease.isSlow = true;
      this.#serve();
    }, SLOW_AFTER_MS);
    try {
      return await lease.connection.run(statements);
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
    purpose.signal.addEventListener("abort", leave);
    try {
      return await withTimeout(wait.ready.promise, WAIT_TIMEOUT_MS, () => {
        leave();
        return wait.ready.promise;
      });
    } finally {
      purpose.signal.removeEventListener("abort", leave);
    }
  }

  /** Gives connections to the requests that wait, in their order; opens connections while there are too few. */
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

  /** Opens connections for the requests that wait. One that fails is tried again as long as requests wait. */
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
      const connection = await Connection.open(this.options.address, CONNECT_TIMEOUT_SECONDS);
      if (this.#closed) return connection.close();
      this.#isFailing = false;
      connection.closed.then(() => this.#remove(connection));
      this.#idle.push({ connection, role: "" });
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      if (!this.#isFailing) this.options.log(`${error.message}: ${error.cause}`);
      this.#isFailing = true;
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_BACKOFF_MS));
    }
  }

  #remove(connection: Connection): void {
    const at = this.#idle.findIndex((one) => one.connection === connection);
    if (at >= 0) this.#idle.splice(at, 1);
  }
}

function timeout(): PoolTimeout {
  return new PoolTimeout("Timed out acquiring connection from connection pool.");
}
