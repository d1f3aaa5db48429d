// Sessions that API tests start, end and age, with a priced lot.
import * as rows from "../support/rows.ts";
import { ask, bearer, jsonBody } from "./client.ts";
import { inDatabase } from "./lots.ts";

/** POST /parking-sessions<path>. */
export function post(path: string, token: string, body?: unknown, headers: Record<string, string> = {}) {
  const signed = { ...bearer(token), ...headers };
  return ask(`/parking-sessions${path}`, {
    method: "POST",
    ...(body === undefined ? { headers: signed } : jsonBody(body, signed)),
  });
}

/** Moves the start of a session into the past, as the rows of tests do. */
export const age = (id: string, minutes: number) => inDatabase((sql) => rows.age(sql, id, minutes));

/** A lot at which every 30 minutes begun cost 200, at any hour. */
export const aPricedLot = (columns?: Parameters<typeof rows.pricedLot>[1]) =>
  inDatabase((sql) => rows.pricedLot(sql, columns));

/** So many minutes from now, as a client writes it. */
export function inMinutes(minutes: number): string {
  return new Date(Date.now() + minutes * 60_000).toISOString();
}
