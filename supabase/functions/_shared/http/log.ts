/** One line of JSON per request. Tokens, bodies and query values are never logged. */

/** From the least to the most important. A failure on our side is an error, a slow request is a warning. */
export const LOG_LEVELS = ["info", "warn", "error"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogSettings {
  /** Lines below this level are not written. */
  readonly level: LogLevel;
  /** Requests that take at least this many milliseconds are logged as warnings. */
  readonly slowRequestMs: number;
}

export const DEFAULT_LOG: LogSettings = { level: "info", slowRequestMs: 1_000 };

export interface LogLine {
  readonly level: LogLevel;
  readonly time: string;
  readonly request_id: string;
  /** The W3C trace that the request belongs to. */
  readonly trace_id: string;
  /** The X-Request-Id of the client, if it is printable and not too long. */
  readonly client_request_id?: string;
  readonly method: string;
  /** The path of the route, not of the request; null when no route matched. */
  readonly route: string | null;
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

/** The hosted platform cuts lines at 10,000 characters. */
const LONGEST_CAUSE = 4_000;

export const logToConsole: Log = (line) => {
  const write = line.level === "error" ? console.error : line.level === "warn" ? console.warn : console.log;
  write(JSON.stringify(line));
};

/** Whether lines of a level are written. */
export function isLogged(level: LogLevel, settings: LogSettings): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(settings.level);
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
