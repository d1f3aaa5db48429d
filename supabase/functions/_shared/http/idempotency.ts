/**
 * A POST that can be sent again. With an `Idempotency-Key`, whatever the handler calls in the database goes through
 * `api.once`, which keeps each reply together with its effect. A handler of a POST is a mapping of these replies, so the
 * same replies are the same answer, and nothing else has to be remembered.
 */
import type { Database } from "../db/client.ts";
import { prefixed } from "../db/rpc.ts";
import { Refusal } from "../errors.ts";

export const KEY_HEADER = "Idempotency-Key";
export const REPLAYED_HEADER = "Idempotent-Replayed";

/** The key of a request; undefined when it has none. */
export function keyOf(headers: Headers): string | undefined {
  const key = headers.get(KEY_HEADER);
  if (key === null) return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw Refusal.ofFields([{
    param: KEY_HEADER,
    code: "invalid_format",
    message: "The key must be 1 to 255 visible ASCII characters.",
  }]);
}

interface Kept<T> {
  readonly replayed: boolean;
  readonly reply: T;
}

/** One request with a key: its calls of the database, and whether they were answered from what was kept. */
export class Once {
  readonly #calls = new Map<string, number>();
  #fresh = 0;

  private constructor(readonly key: string, readonly fingerprint: string) {}

  static async of(key: string, request: Request, sent: unknown): Promise<Once> {
    const { pathname, search } = new URL(request.url);
    return new Once(key, await sha256(canonical([request.method, pathname + search, sent ?? null])));
  }

  /** Every call was answered before: the answer is a replay. One that found only a part of its replies is not. */
  get replayed(): boolean {
    return this.#calls.size > 0 && this.#fresh === 0;
  }

  /** The same database, each of whose functions runs once for this key. */
  through(db: Database): Database {
    return {
      rpc: async <T>(name: string, args: Record<string, unknown> = {}) => {
        const nth = (this.#calls.get(name) ?? 0) + 1;
        this.#calls.set(name, nth);
        const { key, fingerprint } = this;
        const call = { key, fingerprint, function: name, arguments: prefixed(args), nth };
        const { replayed, reply } = await db.rpc<Kept<T>>("once", call);
        if (!replayed) this.#fresh++;
        return reply;
      },
    };
  }
}

/** JSON in which the order of keys and the white space of what was sent make no difference. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join()}}`;
}

async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
