/** One request to a provider, with its deadline. */
import { ProviderDown } from "./errors.ts";

/** A response that has arrived completely. */
export class Answer {
  constructor(readonly status: number, readonly headers: Headers, readonly bytes: Uint8Array<ArrayBuffer>) {}

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get text(): string {
    return new TextDecoder().decode(this.bytes);
  }
}

const MIB = 1024 * 1024;

/** Maximum size of a response. Files of reports are larger than all others. */
export const MAX_RESPONSE_BYTES = 4 * MIB;

interface ProviderRequest extends Omit<RequestInit, "signal"> {
  readonly deadline: number | AbortSignal;
  readonly maxBytes?: number;
}

/**
 * Throws ProviderDown if the response has not arrived completely at the deadline, or is longer than `maxBytes`. `name` is
 * the provider's.
 */
export async function request(
  name: string,
  url: string | URL,
  { deadline, maxBytes = MAX_RESPONSE_BYTES, ...init }: ProviderRequest,
): Promise<Answer> {
  const signal = typeof deadline === "number" ? AbortSignal.timeout(deadline) : deadline;
  try {
    const response = await fetch(url, { ...init, signal });
    const bytes = await bytesOf(response, maxBytes);
    if (bytes === null) throw new ProviderDown(`${name} responds with more than ${maxBytes / MIB} MiB`);
    return new Answer(response.status, response.headers, bytes);
  } catch (cause) {
    if (cause instanceof ProviderDown) throw cause;
    throw isTimeout(cause)
      ? new ProviderDown(`${name} does not respond in time`, { why: "too_slow", cause })
      : new ProviderDown(`${name} cannot be reached`, { why: "unreachable", cause });
  }
}

/** The body of a response, or null if it is longer: then the rest is not read. */
export async function bytesOf({ body }: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

export function isTimeout(error: unknown): error is DOMException {
  return error instanceof DOMException && error.name === "TimeoutError";
}

/** A delay that is given as a time is at most a day. */
const MAX_SECONDS = 86_400;

/**
 * `Retry-After` in seconds, from seconds, a date, or the milliseconds since 1970 that Apple sends. Undefined if it is
 * missing or invalid.
 */
export function retryAfterOf({ headers }: { readonly headers: Headers }): number | undefined {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,6}$/.test(value)) return Number(value);
  const at = /^\d{13}$/.test(value) ? Number(value) : Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.min(MAX_SECONDS, Math.max(0, Math.ceil((at - Date.now()) / 1000)));
}
