// One subscription, and what was committed before it: that is not for it.
import type { Route } from "./routes.ts";
import type { Identity, Listener } from "./types.ts";

export class Subscriber {
  routes: readonly Route[] = [];
  isClosed = false;
  role!: string;
  /** As request.jwt.claims has them. */
  claims!: string;

  constructor(readonly listener: Listener, readonly snapshot: Snapshot, identity: Identity) {
    this.identify(identity);
  }

  identify({ role, claims }: Identity): void {
    this.role = role;
    this.claims = JSON.stringify(claims);
  }
}

/** What pg_current_snapshot() answers: below `xmin` and not among `running` below `xmax` is committed. */
export class Snapshot {
  readonly #xmin: number;
  readonly #xmax: number;
  readonly #running: ReadonlySet<number>;

  constructor(text: string) {
    const [xmin, xmax, running] = text.split(":");
    this.#xmin = Number(xmin);
    this.#xmax = Number(xmax);
    this.#running = new Set(running ? running.split(",").map(Number) : []);
  }

  /** Whether the transaction was committed by then. `xid`: the lower half of its number, as the log has it. */
  sees(xid: number): boolean {
    const full = this.#xmax + ((xid - this.#xmax % 2 ** 32) | 0);
    return full < this.#xmin || (full < this.#xmax && !this.#running.has(full));
  }
}
