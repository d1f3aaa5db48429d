// A client of the interface as the API tests need it: requests through the gateway, and replies read as their route
// promises them.
import assert from "node:assert/strict";
import type { z } from "zod";
import type { Route } from "../../supabase/functions/_shared/http/route.ts";
import { readAfter, stack } from "../support/stack.ts";

/** Sends exactly what the test says: no key, no token of its own. */
export function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers({ ...readAfter() });
  for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
  return fetch(`${stack().functionsUrl}${path}`, { ...init, headers });
}

export function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}

export function jsonBody(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return { body: JSON.stringify(body), headers: { "content-type": "application/json", ...headers } };
}

/** The reply of a route, whose every field must be one that the schema names. */
export async function replyOf<Schema extends z.ZodType>(route: Route, response: Response, schema: Schema) {
  const text = await response.text();
  assert.equal(response.status, route.reply[0], text);
  assert.equal(route.reply[1], schema, "the route replies with another schema");
  const data: unknown = JSON.parse(text);
  const parsed = schema.parse(data);
  assert.deepEqual(parsed, data, "the reply has fields that its schema does not name");
  return parsed;
}

export function query(values: Record<string, unknown>): string {
  const text = (value: unknown) => typeof value === "object" ? JSON.stringify(value) : String(value);
  return `?${new URLSearchParams(Object.entries(values).map(([key, value]) => [key, text(value)]))}`;
}

/** The tag itself: what compresses on the way weakens it (`W/`), as RFC 9110 wants. */
export function tagOf(response: Response): string | undefined {
  return response.headers.get("etag")?.replace(/^W\//, "");
}
