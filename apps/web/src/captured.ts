/** The requests that `deliver` of outbox.ts sends, as they leave: a change that cannot be sent is kept as it was. */
import { ownerOf } from "./token.ts";

export interface Captured {
  /** The id of the user; empty for a guest. */
  readonly user: string;
  readonly method: string;
  readonly address: string;
  readonly body: string | null;
}

interface Capturing {
  readonly isHeld: boolean;
  captured?: Captured;
}

const requests = new Map<string, Capturing>();

/** Keeps the request with this idempotency key while `send` runs. A held one does not leave: it ends as without a connection. */
export async function capturing<Reply>(
  key: string,
  isHeld: boolean,
  send: () => Promise<Reply>,
): Promise<{ reply: Reply } | { error: unknown; captured: Captured | undefined }> {
  requests.set(key, { isHeld });
  try {
    return { reply: await send() };
  } catch (error) {
    return { error, captured: requests.get(key)?.captured };
  } finally {
    requests.delete(key);
  }
}

/** Keeps the request, if somebody waits for it. */
export async function capture(request: Request): Promise<void> {
  const capturing = requests.get(request.headers.get("Idempotency-Key") ?? "");
  if (capturing === undefined) return;
  if (capturing.captured === undefined) {
    const { method, url } = request;
    const body = await request.clone().text();
    capturing.captured = { user: ownerOf(request), method, address: url, body: body === "" ? null : body };
  }
  if (capturing.isHeld) throw new TypeError("The changes before this one wait for a connection.");
}
