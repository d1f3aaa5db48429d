// PostgREST's answer to an error of Postgres.
import { ConnectionLost, StatementError } from "./connection.ts";
import { type ErrorOptions, RestError } from "./errors.ts";
import { PoolTimeout } from "./pool.ts";

const BY_CODE: Readonly<Record<string, number>> = {
  "21000": 500,
  "22023": 400,
  "23503": 409,
  "23505": 409,
  "25006": 405,
  "42501": 403,
  "42883": 404,
  "42P01": 404,
  "42P17": 500,
  "53400": 500,
  "57P01": 503,
  "57P02": 503,
  "57P03": 503,
  "P0001": 400,
};

const BY_CLASS: Readonly<Record<string, number>> = {
  "08": 503,
  "09": 500,
  "0L": 403,
  "0P": 403,
  "25": 500,
  "28": 403,
  "2D": 500,
  "38": 500,
  "39": 500,
  "3B": 500,
  "40": 500,
  "53": 503,
  "54": 500,
  "55": 500,
  "57": 500,
  "58": 500,
  "F0": 500,
  "HV": 500,
  "P0": 500,
  "XX": 500,
};

const RETRY = { "retry-after": "1" };

/** What a request that failed is answered; undefined for what is no error of the database. */
export function asRestError(error: unknown, role: string): RestError | undefined {
  if (error instanceof RestError) return error;
  if (error instanceof PoolTimeout) return new RestError(504, error.code, error.message, { headers: RETRY });
  if (error instanceof ConnectionLost) {
    return new RestError(503, "PGRST001", "Database client error. Retrying the connection.", {
      details: error.message,
      headers: RETRY,
    });
  }
  return error instanceof StatementError ? ofStatement(error, role) : undefined;
}

function ofStatement(error: StatementError, role: string): RestError {
  const { code, message, detail, hint } = error;
  if (code === "PGRST") return raised(message, detail);
  const status = statusOf(error, role);
  const headers = status === 401 ? { "www-authenticate": "Bearer" } : status === 503 ? RETRY : {};
  return new RestError(status, code, message, { details: detail ?? null, hint: hint ?? null, headers });
}

function statusOf({ code, message }: StatementError, role: string): number {
  if (code.startsWith("PT")) return statusIn(code.slice(2));
  if (code === "42501" && role === "anon") return 401;
  if (code === "22023" && /^role ".*" does not exist$/.test(message)) return 401;
  if (code === "21000" && message.endsWith("requires a WHERE clause")) return 400;
  return BY_CODE[code] ?? BY_CLASS[code.slice(0, 2)] ?? 400;
}

function statusIn(text: string): number {
  const status = Number(text);
  return Number.isInteger(status) && status >= 200 && status <= 599 ? status : 500;
}

/** `raise sqlstate 'PGRST'`: the message is the body, the detail is status and headers. */
function raised(message: string, detail: string | undefined): RestError {
  const body = object(message);
  if (typeof body?.["code"] !== "string" || typeof body["message"] !== "string") {
    return malformed(`Invalid JSON value for MESSAGE: '${message}'`, MESSAGE_KEYS);
  }
  if (detail === undefined) return malformed("DETAIL is missing in the RAISE statement", DETAIL_KEYS);
  const { status, headers } = object(detail) ?? {};
  if (typeof status !== "number" || !areHeaders(headers)) {
    return malformed(`Invalid JSON value for DETAIL: '${detail}'`, DETAIL_KEYS);
  }
  const options: ErrorOptions = { details: text(body["details"]), hint: text(body["hint"]), headers };
  return new RestError(statusIn(String(status)), body["code"], body["message"], options);
}

const MESSAGE_KEYS =
  "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.";
const DETAIL_KEYS =
  "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.";

function malformed(details: string, hint: string): RestError {
  return new RestError(500, "PGRST121", `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`, {
    details,
    hint,
  });
}

function object(json: string): Record<string, unknown> | undefined {
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

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
