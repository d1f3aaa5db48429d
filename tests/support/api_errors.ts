// The common form of every error response, and the wrong requests that can be derived from a route alone.
import assert from "node:assert/strict";
import { catalogue, type Code } from "../../supabase/functions/_shared/errors.ts";
import { ErrorEnvelope } from "../../supabase/functions/_shared/http/envelope.ts";
import { BODY_LIMIT } from "../../supabase/functions/_shared/http/input.ts";
import { keepsAnswers, type Route } from "../../supabase/functions/_shared/http/route.ts";

export interface ExpectedError {
  readonly code: Code;
  /** Checked when given; null means that no field is named. */
  readonly param?: string | null;
  /** The code of the field error for `param`. */
  readonly field?: string;
  /** A field error that is among those of the response, at any place. */
  readonly among?: { readonly param: string; readonly field: string };
}

/** Reads the whole response, checks the common form of errors, and the expected values. */
export async function assertError(response: Response, expected: ExpectedError): Promise<void> {
  const text = await response.text();
  assert.equal(response.status, catalogue[expected.code].status, text);
  assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.equal(response.headers.get("access-control-allow-origin"), "*");
  const { error } = ErrorEnvelope.strict().parse(JSON.parse(text));
  assert.equal(error.code, expected.code, text);
  assert.equal(error.request_id, response.headers.get("x-request-id"));
  assert.match(error.request_id, /^[A-Za-z0-9_-]{8,64}$/);
  assert.ok(error.doc_url?.endsWith(`/v1/openapi/errors/${expected.code}`), `doc_url is ${error.doc_url}`);
  if (response.status === 503) assert.match(response.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  if (expected.code === "unauthorized") assert.match(response.headers.get("www-authenticate") ?? "", /^Bearer/);
  if (expected.param !== undefined) assert.equal(error.param, expected.param, text);
  const listed = expected.among ?? expected;
  if (listed.field !== undefined) {
    const errors = error.details?.["errors"] as { param: string | null; code: string }[];
    const found = errors.filter((one) => one.param === listed.param).map((one) => one.code);
    assert.ok(found.includes(listed.field), text);
  }
}

export interface WrongRequest {
  readonly name: string;
  readonly path: string;
  readonly init: RequestInit;
  readonly expected: ExpectedError;
}

export interface Good {
  /** A query that the route accepts, without the question mark. */
  readonly query?: string;
  /** A path that the route accepts, when its own has parameters. */
  readonly path?: string;
  /** A body that the route accepts, when it needs fields; of no meaning where the route takes none. */
  readonly body?: Record<string, unknown>;
  /** Needed where access is not public. */
  readonly authorization?: string;
  /** A user's own, which is good and does not do where only the service may call. */
  readonly userAuthorization: string;
  readonly badAuthorizations: Record<string, string>;
  /** A method that no route has at this path. */
  readonly otherMethod: string;
}

/**
 * The wrong requests of a route: no token, bad tokens, a bad Idempotency-Key, wrong method, unknown key, empty and
 * unreadable bodies.
 */
export function wrongRequests(route: Route, good: Good): WrongRequest[] {
  const { method, access, body } = route;
  const path = good.path ?? route.path;
  const query = good.query ? `?${good.query}` : "";
  const place = `${method} ${route.path}`;
  const auth: Record<string, string> = good.authorization && access !== "public"
    ? { authorization: good.authorization }
    : {};
  const json = { ...auth, "content-type": "application/json" };
  const wrong: WrongRequest[] = [];
  const add = (name: string, to: string, init: RequestInit, expected: ExpectedError) =>
    wrong.push({ name: `${place} refuses ${name}`, path: to, init: { method, ...init }, expected });

  if (access === "user" || access === "admin" || access === "monitor") {
    const init = body ? { body: "{}", headers: { "content-type": "application/json" } } : {};
    add("a caller without a token", path + query, init, { code: "unauthorized" });
  }
  if (access !== "public") {
    for (const [name, authorization] of Object.entries(good.badAuthorizations)) {
      const headers = body ? { ...json, authorization } : { authorization };
      const init = body ? { body: "{}", headers } : { headers };
      add(name, path + query, init, { code: "unauthorized" });
    }
  }
  if (access === "service") {
    const headers = { ...(body ? json : {}), authorization: good.userAuthorization };
    add("a user", path + query, body ? { body: "{}", headers } : { headers }, { code: "forbidden" });
  }
  const unknown = query ? `${query}&no_such_key=1` : "?no_such_key=1";
  const sent = body ? { body: "{}", headers: json } : { headers: auth };
  add("an unknown query parameter", path + unknown, sent, {
    code: "validation_error",
    param: "no_such_key",
    field: "unknown_key",
  });
  add("a query that is not UTF-8", `${path}?a=%ff`, sent, { code: "validation_error", param: "a", field: "malformed" });
  if (keepsAnswers(route) && auth["authorization"]) {
    const headers = { ...json, "idempotency-key": "not a key" };
    add("a key that is none", path + query, { ...sent, headers }, {
      code: "validation_error",
      param: "Idempotency-Key",
      field: "invalid_format",
    });
  }
  add("another method", path, { method: good.otherMethod, headers: auth }, { code: "method_not_allowed" });
  if (method === "GET") return wrong;

  const malformed = { code: "validation_error", param: null, field: "malformed" } as const;
  if (body && !route.isBodyOptional) {
    add("no body", path, { headers: json }, { code: "validation_error", param: null, field: "required" });
  }
  add("a body that is not JSON", path, { body: "{", headers: json }, malformed);
  add("a body that is not UTF-8", path, { body: new Uint8Array([0x22, 0xff, 0x22]), headers: json }, malformed);
  add("a body that is no object", path, { body: "[]", headers: json }, {
    code: "validation_error",
    param: null,
    field: "invalid_type",
  });
  add("an unknown key", path, { body: '{"no_such_key": 1}', headers: json }, {
    code: "validation_error",
    among: { param: "no_such_key", field: "unknown_key" },
  });
  add("a body of another type", path, { body: "{}", headers: { ...auth, "content-type": "text/plain" } }, {
    code: "unsupported_media_type",
  });
  const tooLarge = " ".repeat((route.bodyLimit ?? BODY_LIMIT) + BODY_LIMIT);
  add("a body that is too large", path, { body: tooLarge, headers: json }, { code: "payload_too_large" });
  return wrong;
}
