/**
 * Writes lines within the limits of the platform, which drops further lines of a function and cuts longer ones. What is left
 * out is counted, and the count is a line of its own.
 */

/** From the least to the most important. A failure on our side is an error, a slow request is a warning. */
export const LOG_LEVELS = ["info", "warn", "error"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** Limits of the platform: so many lines in so many milliseconds, and so many characters a line. */
export const MAX_EVENTS = 100;
export const WINDOW_MS = 10_000;
export const MAX_CHARACTERS = 10_000;

/** Of these lines, successful requests have at most so many, so that failures are not left out for them. */
const MAX_SUCCESSES = 60;
/** One place is for the line with the count. */
const MAX_LINES = MAX_EVENTS - 1;

export interface Line {
  readonly level: LogLevel;
  readonly time: string;
  readonly status?: number;
}

export interface LogWriterOptions {
  readonly write: (level: LogLevel, text: string) => void;
  readonly now?: () => number;
  /** Calls a function after so many milliseconds. */
  readonly later?: (work: () => void, ms: number) => void;
}

export class LogWriter {
  /** When the lines of the last window were written. */
  readonly #written: number[] = [];
  /** The lines left out since the last count, by status. */
  #leftOut = new Map<string, number>();
  #hasLostErrors = false;
  readonly #options: Required<LogWriterOptions>;

  constructor(options: LogWriterOptions) {
    this.#options = { now: () => performance.now(), later: (work, ms) => void setTimeout(work, ms), ...options };
  }

  write(line: Line): void {
    const now = this.#options.now();
    while (this.#written.length > 0 && this.#written[0]! <= now - WINDOW_MS) this.#written.shift();
    if (this.#written.length >= (isSuccess(line) ? MAX_SUCCESSES : MAX_LINES)) return this.#leaveOut(line);
    this.#written.push(now);
    this.#options.write(line.level, fitted(line));
  }

  #leaveOut({ level, status }: Line): void {
    if (this.#leftOut.size === 0) this.#options.later(() => this.#writeCount(), WINDOW_MS);
    const kind = String(status ?? "other");
    this.#leftOut.set(kind, (this.#leftOut.get(kind) ?? 0) + 1);
    this.#hasLostErrors ||= level === "error";
  }

  #writeCount(): void {
    const level = this.#hasLostErrors ? "error" : "warn";
    const message = `Lines were left out: the platform takes ${MAX_EVENTS} in ${WINDOW_MS / 1000} seconds`;
    const left_out = Object.fromEntries(this.#leftOut);
    this.#leftOut = new Map();
    this.#hasLostErrors = false;
    this.#options.write(level, JSON.stringify({ level, time: new Date().toISOString(), message, left_out }));
  }
}

function isSuccess({ level, status }: Line): boolean {
  return level === "info" && status !== undefined && status < 400;
}

/** The line as JSON that the platform does not cut: its longest text is cut here, and says how much is missing. */
function fitted(line: object): string {
  let text = JSON.stringify(line);
  const fields: Record<string, unknown> = { ...line };
  while (text.length > MAX_CHARACTERS) {
    const [name, longest] = Object.entries(fields)
      .flatMap(([name, value]) =>
        typeof value === "string" && name !== "cut_characters" ? [[name, value] as const] : []
      )
      .reduce((a, b) => b[1].length > a[1].length ? b : a);
    // A character of the text has one or more in JSON. Some are for the field below.
    const cut = Math.min(longest.length, text.length - MAX_CHARACTERS + 50);
    fields[name] = longest.slice(0, longest.length - cut);
    fields["cut_characters"] = Number(fields["cut_characters"] ?? 0) + cut;
    text = JSON.stringify(fields);
  }
  return text;
}
