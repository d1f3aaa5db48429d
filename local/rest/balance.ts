// Which database handles a request of the Data API, as with the load balancer of a hosted project: a GET may go to the
// replica, all other requests go to the primary.
import type { Rest } from "./rest.ts";

export interface Balanced {
  readonly primary: Rest;
  readonly replica: Rest | undefined;
  /** Whether the replica runs. */
  readonly isReplicaUp: () => boolean;
  /** Which GETs the replica handles. */
  readonly reads: "half" | "all";
}

export class Balancer {
  #reads = 0;

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
    return reads === "all" || this.#reads++ % 2 === 0 ? replica : primary;
  }
}
