/**
 * One line of JSON per request, of successful ones for a share of them. Tokens, bodies and query values are never logged.
 * Requests are counted elsewhere: what is not logged is counted too.
 */
import { type Line, LOG_LEVELS, type LogLevel, LogWriter } from "./log_writer.ts";

export interface LogSettings {
  /** Lines below this level are not written. */
  readonly level: LogLevel;
  /** Requests that take at least this many milliseconds are logged as warnings. */
  readonly slowRequestMs: number;
  /** The share of successful requests that is logged, from 0 to 1. Failures and slow requests are always logged. */
  readonly successShare: number;
}

export const DEFAULT_LOG: LogSettings = { level: "info", slowRequestMs: 1_000, successShare: 0.1 };

export interface LogLine extends Line {
  readonly request_id: string;
  /** The W3C trace that the request belongs to. */
  readonly trace_id: string;
  /** The X-Request-Id of the client, if it is printable and not too long. */
  readonly client_request_id?: string;
  readonly method: string;
  /** The path of the route, not of the request; null when no route matched. */
  readonly route: string | null;
  /** The share of such requests that is logged, where it is not all of them. */
  readonly sample?: number;
  /** 499 if the client closed the connection before the response. */
  readonly status: number;
  readonly ms: number;
  /** The request took at least as long as SLOW_REQUEST_MS. */
  readonly slow?: true;
  readonly db_ms: number;
  readonly user_id: string | null;
  readonly code: string | null;
  /** Why a receipt or a notification of a store is invalid. */
  readonly reason?: string;
  /** The cause of a response with a status from 500. */
  readonly cause?: string;
}

export type Log = (line: LogLine) => void;

/** A stack that is longer says nothing more. */
const LONGEST_CAUSE = 4_000;

const writer = new LogWriter({
  write: (level, text) => (level === "error" ? console.error : level === "warn" ? console.warn : console.log)(text),
});

/** All lines of a process are written here, because the platform's limits are those of the process. */
export const logToConsole = (line: Line): void => writer.write(line);

/** Logs a failure that no response reports. */
export function logFailure(message: string, failure: unknown): void {
  const line = { level: "error", time: new Date().toISOString(), message, cause: describe(failure) } as const;
  logToConsole(line);
}

/**
 * The line as it is written, or undefined if it is not: it is below the level, or a success that is not in the sample. The
 * services of a trace that use this rule log the same requests, because the trace's id decides.
 */
export function sampled(line: LogLine, { level, successShare }: LogSettings): LogLine | undefined {
  if (LOG_LEVELS.indexOf(line.level) < LOG_LEVELS.indexOf(level)) return undefined;
  if (line.level !== "info" || line.status >= 400 || successShare === 1) return line;
  const isInSample = parseInt(line.trace_id.slice(-8), 16) / 2 ** 32 < successShare;
  return isInSample ? { ...line, sample: successShare } : undefined;
}

export function describe(failure: unknown): string {
  const chain: string[] = [];
  for (
    let error = failure;
    error !== undefined && chain.length < 5;
    error = error instanceof Error ? error.cause : undefined
  ) {
    chain.push(error instanceof Error ? error.stack ?? `${error.name}: ${error.message}` : String(error));
  }
  return chain.join("\ncaused by: ").slice(0, LONGEST_CAUSE);
}
