// Which database answers a request of the Data API, as the load balancer of a hosted project has it: a GET goes to any, all
// else to the primary.
import type { Rest } from "./rest.ts";

export interface Balanced {
  readonly primary: Rest;
  readonly replica: Rest | undefined;
  /** Whether the replica runs: one that does not is left out. */
  readonly isReplicaUp: () => boolean;
  /** Which GETs the replica answers. */
  readonly reads: "half" | "all";
}

export class Balancer {
  #turn = 0;

  constructor(readonly options: Balanced) {}

  handle(request: Request, url: URL, client: string): Promise<Response> {
    return this.#next(request.method).handle(request, url, client);
  }

  async stop(): Promise<void> {
    await Promise.all([this.options.primary.stop(), this.options.replica?.stop()]);
  }

  #next(method: string): Rest {
    const { primary, replica, isReplicaUp, reads } = this.options;
    if (replica === undefined || method !== "GET" || !isReplicaUp()) return primary;
    return reads === "all" || this.#turn++ % 2 === 0 ? replica : primary;
  }
}
