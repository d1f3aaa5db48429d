/**
 * Reading one's own writes with read replicas (docs/operations/scale.md). A replica lags behind the primary. The platform's
 * load balancer only looks at the method: GET goes to any database, everything else to the primary. Authenticated users read
 * from the primary, unless `X-Read-After` shows that their last write is old enough. Each write returns the value to send next.
 */
import type { Caller } from "../auth/token.ts";
import type { Instance } from "../db/client.ts";
import { instanceOf, type Route } from "./route.ts";

export const READ_AFTER_HEADER = "X-Read-After";

/** Far more than the usual lag. A replica with a longer lag has to be removed. */
export const MAX_LAG_MS = 60_000;

/** The database for a request. An invalid value counts as now, so clients may send `now`. */
export function instanceFor(route: Route, headers: Headers, caller: Caller | null | undefined): Instance {
  const usual = instanceOf(route);
  if (usual === "primary" || !caller) return usual;
  const sent = headers.get(READ_AFTER_HEADER);
  const writtenAt = sent !== null && /^\d{1,15}$/.test(sent) ? Number(sent) : Infinity;
  return Date.now() - writtenAt > MAX_LAG_MS ? "any" : "primary";
}

/** The response header for users whose request may have written something. */
export function readAfterHeader(route: Route | undefined, caller: Caller | null | undefined): [string, string][] {
  if (!route || !caller || !isWrite(route)) return [];
  return [[READ_AFTER_HEADER, String(Date.now())]];
}

export function isWrite(route: Route): boolean {
  return route.method !== "GET" && instanceOf(route) === "primary";
}
