/** Firebase Cloud Messaging, HTTP v1: one request for each device. */
import type { Config } from "../config.ts";
import { Refusal } from "../errors.ts";
import type { PushConfig } from "../provider_settings.ts";
import { CredentialsRejected, GoogleTokens, ProviderDown } from "./google_token.ts";

const SCOPE = "https://www.googleapis.com/auth/firebase.messaging";
const TIMEOUT_MS = 15_000;
/** What Google asks clients to wait that were told nothing: RESOURCE_EXHAUSTED without Retry-After. */
const QUOTA_SECONDS = 60;

export interface PushMessage {
  readonly token: string;
  readonly title: string;
  readonly body: string;
  readonly data: Readonly<Record<string, string>>;
  /** What the app's icon shows. */
  readonly badge: number;
  /** The same for each try of a notification, so that a device shows it once. */
  readonly collapseKey: string;
}

/**
 * What became of a message. `later`: try again, after `retryAfter` seconds where the service says so; `outage`: the service
 * itself is down; `credentials`: it rejects ours, or those it has for Apple.
 */
export type PushOutcome =
  | { readonly outcome: "delivered" | "dead_token" | "wrong_sender" | "payload_fault" | "outage" | "credentials" }
  | { readonly outcome: "later"; readonly retryAfter?: number };

interface FcmError {
  readonly status?: string;
  readonly message?: string;
  readonly details?: readonly {
    readonly errorCode?: string;
    readonly fieldViolations?: readonly { readonly field?: string; readonly description?: string }[];
  }[];
}

export interface PushSender {
  send(message: PushMessage): Promise<PushOutcome>;
}

/** One for the process: it keeps the access token. */
export function pushSender(config: () => Config): PushSender {
  let sender: FcmSender | undefined;
  return { send: (message) => (sender ??= openSender(config())).send(message) };
}

function openSender({ providers: { push } }: Config): FcmSender {
  if (push !== null) return new FcmSender(push);
  throw new Refusal("service_unavailable", { details: { reason: "not_configured" } });
}

class FcmSender implements PushSender {
  readonly #url: string;
  readonly #tokens: GoogleTokens;

  constructor(config: PushConfig) {
    this.#url = `${config.apiUrl}/v1/projects/${config.projectId}/messages:send`;
    this.#tokens = new GoogleTokens(config.account, SCOPE);
  }

  async send(message: PushMessage): Promise<PushOutcome> {
    try {
      const token = await this.#tokens.get();
      const response = await this.#post(token, message);
      const outcome = await outcomeOf(response);
      if (response.status !== 401 || outcome.outcome === "credentials") return outcome;
      // Our token ran out, or was revoked: once more with a new one.
      const again = await outcomeOf(await this.#post(await this.#tokens.get(token), message));
      return again.outcome === "later" ? { outcome: "credentials" } : again;
    } catch (error) {
      if (error instanceof CredentialsRejected) return { outcome: "credentials" };
      if (error instanceof ProviderDown) return { outcome: "outage" };
      throw error;
    }
  }

  async #post(token: string, message: PushMessage): Promise<Response> {
    try {
      return await fetch(this.#url, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ message: payloadOf(message) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (cause) {
      throw new ProviderDown("The messaging service cannot be reached", { cause });
    }
  }
}

function payloadOf({ token, title, body, data, badge, collapseKey }: PushMessage) {
  return {
    token,
    notification: { title, body },
    data,
    android: { priority: "HIGH", collapseKey, notification: { tag: collapseKey, notificationCount: badge } },
    apns: {
      headers: { "apns-priority": "10", "apns-push-type": "alert", "apns-collapse-id": collapseKey },
      payload: { aps: { badge, sound: "default" } },
    },
  };
}

async function outcomeOf(response: Response): Promise<PushOutcome> {
  const text = await response.text();
  if (response.ok) return { outcome: "delivered" };
  const error = errorOf(text);
  const code = error.details?.find(({ errorCode }) => errorCode !== undefined)?.errorCode ?? error.status;
  const retryAfter = secondsOf(response.headers.get("retry-after"));
  switch (code) {
    case "UNREGISTERED":
    case "NOT_FOUND":
      return { outcome: "dead_token" };
    case "SENDER_ID_MISMATCH":
      return { outcome: "wrong_sender" };
    case "INVALID_ARGUMENT":
      return { outcome: isAboutToken(error) ? "dead_token" : "payload_fault" };
    case "THIRD_PARTY_AUTH_ERROR":
    case "PERMISSION_DENIED":
      return { outcome: "credentials" };
    case "QUOTA_EXCEEDED":
    case "RESOURCE_EXHAUSTED":
      return { outcome: "later", retryAfter: retryAfter ?? QUOTA_SECONDS };
    default:
      if (response.status >= 400 && response.status < 500 && response.status !== 401 && response.status !== 429) {
        return { outcome: "payload_fault" };
      }
      return { outcome: "later", ...(retryAfter === undefined ? {} : { retryAfter }) };
  }
}

/** A proxy in front of the service answers in HTML: that is no error of its own. */
function errorOf(text: string): FcmError {
  try {
    return (JSON.parse(text) as { error?: FcmError } | null)?.error ?? {};
  } catch {
    return {};
  }
}

/** An invalid argument is the device's when the error names it; otherwise it is the message's. */
function isAboutToken({ message = "", details = [] }: FcmError): boolean {
  return /registration token/i.test(message) ||
    details.some(({ fieldViolations = [] }) => fieldViolations.some(({ field }) => field === "message.token"));
}

/** `Retry-After` as seconds, whether it is a number or a date. */
function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  if (/^\d{1,6}$/.test(retryAfter.trim())) return Number(retryAfter);
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}
