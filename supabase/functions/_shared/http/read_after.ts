/**
 * Reading one's own writes where read replicas answer reads ([docs/operations/scale.md]). A replica is somewhat behind the primary, and
 * the one lever of the platform's load balancer is the method: GET goes to any database, all else to the primary. So a
 * signed-in caller reads from the primary, unless the request says by `X-Read-After` that the caller's last write was long
 * ago. Every write answers with the value to send from then on.
 */
import type { Caller } from "../auth/token.ts";
import type { Instance } from "../db/client.ts";
import { instanceOf, type Route } from "./route.ts";

export const READ_AFTER_HEADER = "X-Read-After";

/** Far more than a replica that keeps up is behind; one that is further behind is to be removed. */
export const MAX_LAG_MS = 60_000;

/** Which database may answer a request. A value that is no time counts as now: `now` is one for a client to send. */
export function instanceFor(route: Route, headers: Headers, caller: Caller | null | undefined): Instance {
  const usual = instanceOf(route);
  if (usual === "primary" || !caller) return usual;
  const sent = headers.get(READ_AFTER_HEADER);
  const writtenAt = sent !== null && /^\d{1,15}$/.test(sent) ? Number(sent) : Infinity;
  return Date.now() - writtenAt > MAX_LAG_MS ? "any" : "primary";
}

/** The header of a response, for callers whose request may have written something. */
export function readAfterHeader(route: Route | undefined, caller: Caller | null | undefined): [string, string][] {
  if (!route || !caller || !isWrite(route)) return [];
  return [[READ_AFTER_HEADER, String(Date.now())]];
}

export function isWrite(route: Route): boolean {
  return route.method !== "GET" && instanceOf(route) === "primary";
}
