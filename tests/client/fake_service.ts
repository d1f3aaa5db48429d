// A service that answers with what a test scripts, and keeps the requests it received.
import { createParkingClient, type ParkingClient, type ParkingClientOptions } from "../../client/src/index.ts";

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  readonly token: string | null;
  readonly body: string;
}

/** A response, or an error of `fetch`. The last one is repeated. */
export type Scripted = (request: Request, n: number) => Response | Promise<Response>;

export interface FakeService {
  readonly received: Received[];
  readonly url: string;
  client(options?: Partial<ParkingClientOptions>): ParkingClient;
  [Symbol.asyncDispose](): Promise<void>;
}

/** An HTTP server on a free port. */
export function fakeService(...responses: Scripted[]): FakeService {
  const received: Received[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const n = received.length;
    received.push({
      method: request.method,
      path: pathname + search,
      key: request.headers.get("Idempotency-Key"),
      token: request.headers.get("Authorization"),
      body: await request.text(),
    });
    return await responses[Math.min(n, responses.length - 1)]!(request, n);
  });
  // As of a service at a domain of its own.
  const url = `http://127.0.0.1:${server.addr.port}/v1`;
  return {
    received,
    url,
    // Waits of a few milliseconds, so that no test waits for the backoff.
    client: (options) =>
      createParkingClient({ url, accessToken: "token", retry: { maxDelaySeconds: 0.01 }, ...options }),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

export const json = (body: unknown, init: ResponseInit = {}) => () => Response.json(body, init);

/** An error response as the service writes it. */
export function apiError(status: number, code: string, more: object = {}, headers: HeadersInit = {}): Scripted {
  const error = { code, message: "A message.", request_id: "request-1", param: null, ...more };
  return () => Response.json({ error }, { status, headers });
}
