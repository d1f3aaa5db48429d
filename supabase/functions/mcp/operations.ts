/** Operations of the contract, called in this process as a client calls them: the same limits, checks, errors and log. */
import { createApp } from "../_shared/http/app.ts";
import { ErrorEnvelope } from "../_shared/http/envelope.ts";
import { type NamedRoute, type Route, routesOf } from "../_shared/http/route.ts";
import { searchCounts } from "../_shared/http/search_counts.ts";
import { aiGateway } from "../_shared/providers/ai_gateway.ts";
import { geocoder } from "../_shared/providers/geocoder.ts";
import { objectStorage } from "../_shared/storage/object_storage.ts";
import { listCodes } from "../codes/routes.ts";
import { readCurrentSession } from "../me/parking_sessions.ts";
import { saveParkingLot } from "../me/saved_parking_lots.ts";
import { readParkingLot } from "../parking-lots/detail.ts";
import { calculateFee } from "../parking-lots/fee.ts";
import { nearbyParkingLots } from "../parking-lots/nearby.ts";
import { listReviews } from "../parking-lots/reviews.ts";
import { searchParkingLots } from "../parking-lots/search.ts";
import { finalizeSession, startSession } from "../parking-sessions/routes.ts";
import { searchInWords } from "../search/ai.ts";

export const operations = {
  calculateFee,
  finalizeSession,
  listCodes,
  listReviews,
  nearbyParkingLots,
  readCurrentSession,
  readParkingLot,
  saveParkingLot,
  searchInWords,
  searchParkingLots,
  startSession,
};

const router = createApp(routesOf(operations) as NamedRoute[], {
  ai: aiGateway,
  geocoder,
  searches: searchCounts,
  storage: objectStorage,
});

type Envelope = typeof ErrorEnvelope["_zod"]["output"];

/** An error response of an operation. */
export class OperationError extends Error {
  override readonly name = "OperationError";

  constructor(readonly status: number, readonly envelope: Envelope, readonly retryAfter: string | null) {
    super(envelope.error.message);
  }
}

interface Sent {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

export type Call = (route: Route, sent: Sent) => Promise<unknown>;

/** Headers of the assistant's request that are about its own body, or about caches and retries of it. */
const OWN_HEADERS = [
  "accept",
  "content-encoding",
  "content-length",
  "content-type",
  "idempotency-key",
  "if-match",
  "if-none-match",
  "transfer-encoding",
];

/** Calls operations with the token, the address and the trace of a request. */
export function operationsOf(request: Request): Call {
  const headers = new Headers(request.headers);
  for (const name of OWN_HEADERS) headers.delete(name);
  headers.set("accept", "application/json");
  return async (route, { params = {}, query = {}, body }) => {
    const path = route.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name]!));
    const url = new URL(path, "http://operations");
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, textOf(value));
    }
    const own = new Headers(headers);
    if (body !== undefined) own.set("content-type", "application/json");
    const response = await router.fetch(
      new Request(url, {
        method: route.method,
        headers: own,
        signal: request.signal,
        ...body === undefined ? {} : { body: JSON.stringify(body) },
      }),
    );
    const answer: unknown = await response.json();
    if (response.ok) return answer;
    throw new OperationError(response.status, ErrorEnvelope.parse(answer), response.headers.get("retry-after"));
  };
}

/** A value as the router reads it from a query: lists have commas, objects are JSON. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(",");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
