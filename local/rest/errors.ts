// Errors in PostgREST's format: {code, details, hint, message}, and the code in the header Proxy-Status.
import postgres from "postgres";
import { ConnectionLost } from "./connection.ts";
import { PoolTimeout } from "./pool.ts";

export interface ErrorOptions {
  readonly details?: string | null;
  readonly hint?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export class RestError extends Error {
  readonly details: string | null;
  readonly hint: string | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(readonly status: number, readonly code: string, message: string, options: ErrorOptions = {}) {
    super(message);
    this.details = options.details ?? null;
    this.hint = options.hint ?? null;
    this.headers = options.headers ?? {};
  }
}

/** A feature of PostgREST that the service does not use. */
export function notSupported(feature: string): RestError {
  return new RestError(501, "LOCAL501", `The local Data API does not support ${feature}.`);
}

export const CORS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "Content-Encoding, Content-Location, Content-Range, Content-Type, Date, Location, Server, Transfer-Encoding, Range-Unit",
};

export function errorResponse({ status, code, message, details, hint, headers }: RestError): Response {
  return new Response(JSON.stringify({ code, details, hint, message }), {
    status,
    headers: {
      ...CORS,
      "content-type": "application/json; charset=utf-8",
      "proxy-status": `PostgREST; error=${code}`,
      ...headers,
    },
  });
}

/** The status codes of SQLSTATEs, then of their classes; any other is 400. */
const STATUSES: Readonly<Record<string, number>> = {
  ...{ "21000": 500, "22023": 400, "23503": 409, "23505": 409, "25006": 405, "42501": 403, "42883": 404 },
  ...{ "42P01": 404, "42P17": 500, "53400": 500, "57P01": 503, "57P02": 503, "57P03": 503, "P0001": 400 },
  ...{ "08": 503, "09": 500, "0L": 403, "0P": 403, "25": 500, "28": 403, "2D": 500, "38": 500, "39": 500, "3B": 500 },
  ...{ "40": 500, "53": 503, "54": 500, "55": 500, "57": 500, "58": 500, "F0": 500, "HV": 500, "P0": 500, "XX": 500 },
};

const RETRY = { "retry-after": "1" };

/** The error response to a failed request; undefined for what is not an error of the database. */
export function toRestError(error: unknown, role: string): RestError | undefined {
  if (error instanceof RestError) return error;
  if (error instanceof PoolTimeout) return new RestError(504, error.code, error.message, { headers: RETRY });
  if (error instanceof ConnectionLost) {
    return new RestError(503, "PGRST001", "Database client error. Retrying the connection.", {
      details: error.message,
      headers: RETRY,
    });
  }
  return error instanceof postgres.PostgresError ? fromStatementError(error, role) : undefined;
}

function fromStatementError(error: postgres.PostgresError, role: string): RestError {
  const { code, message, detail, hint } = error;
  if (code === "PGRST") return fromRaise(message, detail);
  const status = statusOf(error, role);
  const headers = status === 401 ? { "www-authenticate": "Bearer" } : status === 503 ? RETRY : {};
  return new RestError(status, code, message, { details: detail ?? null, hint: hint ?? null, headers });
}

function statusOf({ code, message }: postgres.PostgresError, role: string): number {
  if (code.startsWith("PT")) return validStatus(code.slice(2));
  if (code === "42501" && role === "anon") return 401;
  if (code === "22023" && /^role ".*" does not exist$/.test(message)) return 401;
  if (code === "21000" && message.endsWith("requires a WHERE clause")) return 400;
  return STATUSES[code] ?? STATUSES[code.slice(0, 2)] ?? 400;
}

function validStatus(value: unknown): number {
  const status = Number(value);
  return Number.isInteger(status) && status >= 200 && status <= 599 ? status : 500;
}

const MESSAGE_KEYS =
  "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.";
const DETAIL_KEYS =
  "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.";

/** `raise sqlstate 'PGRST'`: the message is the body, the detail has status and headers. */
function fromRaise(message: string, detail: string | undefined): RestError {
  const body = objectOf(message);
  if (typeof body?.["code"] !== "string" || typeof body["message"] !== "string") {
    return invalidRaise(`Invalid JSON value for MESSAGE: '${message}'`, MESSAGE_KEYS);
  }
  if (detail === undefined) return invalidRaise("DETAIL is missing in the RAISE statement", DETAIL_KEYS);
  const { status, headers } = objectOf(detail) ?? {};
  if (typeof status !== "number" || !areHeaders(headers)) {
    return invalidRaise(`Invalid JSON value for DETAIL: '${detail}'`, DETAIL_KEYS);
  }
  const [details, hint] = [body["details"], body["hint"]].map((value) => typeof value === "string" ? value : null);
  return new RestError(validStatus(status), body["code"], body["message"], { details: details!, hint: hint!, headers });
}

function invalidRaise(details: string, hint: string): RestError {
  const message = `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`;
  return new RestError(500, "PGRST121", message, { details, hint });
}

function objectOf(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function areHeaders(value: unknown): value is Record<string, string> {
  return typeof value === "object" && value !== null && Object.values(value).every((one) => typeof one === "string");
}
