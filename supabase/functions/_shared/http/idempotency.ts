/**
 * The `Idempotency-Key` of a POST. The database stores each reply together with its effect (api.run_command). The handler only
 * maps these replies, so the same replies give the same response. Nothing else is stored.
 */
import { ApiError } from "../errors.ts";
import { searchOf } from "./input.ts";

export const KEY_HEADER = "Idempotency-Key";
export const REPLAYED_HEADER = "Idempotent-Replayed";

export interface IdempotencyKey {
  readonly key: string;
  /** SHA-256 of the request. */
  readonly fingerprint: string;
}

/** The key of a request whose body is `sent`; undefined without one. */
export async function readIdempotencyKey(request: Request, sent: unknown): Promise<IdempotencyKey | undefined> {
  const key = readKey(request.headers);
  if (key === undefined) return undefined;
  const path = new URL(request.url).pathname + searchOf(request.url);
  return { key, fingerprint: await sha256(canonical([request.method, path, sent ?? null])) };
}

/** Throws for a header that is not a key. */
export function readKey(headers: Headers): string | undefined {
  const key = headers.get(KEY_HEADER);
  if (key === null) return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw ApiError.ofFields([{
    param: KEY_HEADER,
    code: "invalid_format",
    message: "The idempotency key must be 1 to 255 visible ASCII characters.",
  }]);
}

/** JSON with sorted keys and without white space. */
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
