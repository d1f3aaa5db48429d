/** The administration API of the identity provider (/auth/v1 of the project), called with the secret key. */
import type { Config } from "../config.ts";
import { apiKeyHeaders } from "../db/client.ts";
import { neverConnected } from "../db/errors.ts";
import { ApiError, outcomeUnknown } from "../errors.ts";
import { DEADLINES } from "./calls/deadlines.ts";
import { bytesOf, isTimeout, MAX_RESPONSE_BYTES } from "./calls/request.ts";

export interface IdentityProvider {
  /**
   * Creates a user with this address and metadata, and mails an invitation link: both or neither. Has no effect if the
   * address already has a user.
   */
  invite(email: string, metadata: Readonly<Record<string, unknown>>): Promise<void>;
}

/** After a failure the claim expires. */
const RETRY_AFTER = { "Retry-After": "15" };

export function identityProvider(config: () => Config): IdentityProvider {
  return {
    invite: async (email, metadata) => {
      const { gatewayUrl, serviceKeys, consoleUrl } = config();
      const url = new URL(`${gatewayUrl}/auth/v1/invite`);
      if (consoleUrl !== null) url.searchParams.set("redirect_to", consoleUrl);
      const response = await send(url, {
        method: "POST",
        headers: { ...apiKeyHeaders(serviceKeys), "Content-Type": "application/json" },
        body: JSON.stringify({ email, data: metadata }),
      });
      const text = new TextDecoder().decode(await bytesOf(response, MAX_RESPONSE_BYTES) ?? undefined);
      if (!response.ok && codeOf(text) !== "email_exists") throw failure(response.status, text);
    },
  };
}

async function send(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(DEADLINES.identity) });
  } catch (cause) {
    if (!isTimeout(cause) && !(cause instanceof TypeError)) throw cause;
    if (neverConnected.test(`${cause} ${cause.cause}`)) {
      throw new ApiError("service_unavailable", { headers: RETRY_AFTER, cause });
    }
    throw outcomeUnknown(cause);
  }
}

/** On its own errors the identity provider rolls back. For errors of a gateway in between, the outcome is unknown. */
function failure(status: number, text: string): ApiError {
  const cause = new Error(`the identity provider answered ${status}: ${text.slice(0, 500)}`);
  if (status === 502 || status === 504) return outcomeUnknown(cause);
  if (status === 429 || status >= 500) return new ApiError("service_unavailable", { headers: RETRY_AFTER, cause });
  if (status !== 400 && status !== 422) return new ApiError("server_error", { cause });
  const message = "The identity provider rejects this e-mail address. Use another one.";
  return new ApiError("validation_error", {
    message,
    param: "email",
    details: { errors: [{ param: "email", code: "refused", message }] },
    cause,
  });
}

/** The error code. Older versions of the API call it `error_code`. */
function codeOf(text: string): unknown {
  try {
    const error: unknown = JSON.parse(text);
    if (typeof error !== "object" || error === null) return undefined;
    return "error_code" in error ? error.error_code : "code" in error ? error.code : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
