/** One line of JSON a request: what happened and to whom, never a token, a body or the values of a query. */

export interface LogLine {
  readonly level: "info" | "error";
  readonly time: string;
  readonly request_id: string;
  /** The X-Request-Id that the client sent, where it is printable and not too long. */
  readonly client_request_id?: string;
  readonly method: string;
  /** The path of the route, not of the request; null when no route matched. */
  readonly route: string | null;
  /** 499 where the client had gone before it was answered. */
  readonly status: number;
  readonly ms: number;
  readonly db_ms: number;
  readonly user_id: string | null;
  readonly code: string | null;
  /** Why a receipt or a notification of a store is not valid. */
  readonly reason?: string;
  /** What lay behind an answer from 500 on. */
  readonly cause?: string;
}

export type Log = (line: LogLine) => void;

/** The hosted platform cuts lines at 10,000 characters. */
const LONGEST_CAUSE = 4_000;

export const logToConsole: Log = (line) => {
  const write = line.level === "error" ? console.error : console.log;
  write(JSON.stringify(line));
};

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
