/** Firebase Cloud Messaging, HTTP v1: one request per device. */
import type { Config } from "../config.ts";
import type { PushConfig } from "../provider_settings.ts";
import { DEADLINES } from "./calls/deadlines.ts";
import { CredentialsRejected, ProviderDown } from "./calls/errors.ts";
import { type Answer, request, retryAfterOf } from "./calls/request.ts";
import { googleTokens, type Tokens } from "./calls/tokens.ts";

const SCOPE = "https://www.googleapis.com/auth/firebase.messaging";
/** Google's recommended delay for RESOURCE_EXHAUSTED without Retry-After. */
const QUOTA_SECONDS = 60;
/** Maximum size of a message at FCM. A longer text is shortened. The inbox has the full text. */
const MAX_BYTES = 4096;

export interface PushMessage {
  readonly token: string;
  readonly title: string;
  readonly body: string;
  readonly data: Readonly<Record<string, string>>;
  /** Number on the app icon. */
  readonly badge: number;
  /** The same for each attempt of a notification, so that a device shows it once. */
  readonly tag: string;
  /** From then on a device that was not connected does not get it any more. */
  readonly expiresAt: Date;
}

/**
 * Outcome of a message. `later`: retry, after `retryAfter` seconds if FCM returned them. `outage`: FCM is down.
 * `credentials`: FCM rejects our credentials, or Apple rejects those stored at FCM. `not_configured`: there are no
 * credentials.
 */
export type PushOutcome =
  | {
    readonly outcome:
      | "delivered"
      | "dead_token"
      | "wrong_sender"
      | "payload_fault"
      | "undeliverable"
      | "outage"
      | "credentials"
      | "not_configured";
  }
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

/** One per process, because it caches the access token. */
export function pushSender(config: () => Config, { timeoutMs = DEADLINES.push as number } = {}): PushSender {
  let sender: FcmSender | undefined;
  return {
    send: async (message) => {
      const { push } = config().providers;
      if (push === null) return { outcome: "not_configured" };
      return await (sender ??= new FcmSender(push, timeoutMs)).send(message);
    },
  };
}

class FcmSender implements PushSender {
  readonly #url: string;
  readonly #tokens: Tokens;
  readonly #timeoutMs: number;

  constructor(config: PushConfig, timeoutMs: number) {
    this.#url = `${config.apiUrl}/v1/projects/${config.projectId}/messages:send`;
    this.#tokens = googleTokens(config.account, SCOPE, timeoutMs);
    this.#timeoutMs = timeoutMs;
  }

  async send(message: PushMessage): Promise<PushOutcome> {
    try {
      const outcome = await this.#tokens.use(
        async (token) => outcomeOf(await this.#post(token, message)),
        (outcome) => outcome === "unauthenticated",
      );
      return outcome === "unauthenticated" ? { outcome: "credentials" } : outcome;
    } catch (error) {
      if (error instanceof CredentialsRejected) return { outcome: "credentials" };
      if (error instanceof ProviderDown) return { outcome: "outage" };
      throw error;
    }
  }

  async #post(token: string, message: PushMessage): Promise<Answer> {
    return await request("The messaging service", this.#url, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: requestOf(message),
      deadline: this.#timeoutMs,
    });
  }
}

function requestOf(message: PushMessage): string {
  const request = JSON.stringify({ message: payloadOf(message) });
  const excess = byteLength(request) - MAX_BYTES;
  if (excess <= 0) return request;
  return JSON.stringify({ message: payloadOf({ ...message, body: shortened(message.body, excess) }) });
}

/** Shortens the text by this many bytes of its JSON, and adds an ellipsis. */
function shortened(text: string, excess: number): string {
  const kept = [...text];
  let left = excess + byteLength("…");
  while (left > 0 && kept.length > 0) left -= byteLength(JSON.stringify(kept.pop())) - 2;
  return `${kept.join("")}…`;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Without a collapse key for Android: FCM keeps at most four for a device, and would drop other messages. */
function payloadOf({ token, title, body, data, badge, tag, expiresAt }: PushMessage) {
  const ttl = Math.max(0, Math.floor((expiresAt.getTime() - Date.now()) / 1000));
  return {
    token,
    notification: { title, body },
    data,
    android: { priority: "HIGH", ttl: `${ttl}s`, notification: { tag, notificationCount: badge } },
    apns: {
      headers: {
        "apns-priority": "10",
        "apns-push-type": "alert",
        "apns-collapse-id": tag,
        "apns-expiration": `${Math.floor(expiresAt.getTime() / 1000)}`,
      },
      payload: { aps: { badge, sound: "default" } },
    },
    webpush: { headers: { TTL: `${ttl}` } },
  };
}

function outcomeOf(answer: Answer): PushOutcome | "unauthenticated" {
  if (answer.ok) return { outcome: "delivered" };
  const error = errorOf(answer.text);
  const code = error.details?.find(({ errorCode }) => errorCode !== undefined)?.errorCode ?? error.status;
  const retryAfter = retryAfterOf(answer);
  switch (code) {
    case "UNREGISTERED":
      return { outcome: "dead_token" };
    case "SENDER_ID_MISMATCH":
      return { outcome: "wrong_sender" };
    case "INVALID_ARGUMENT":
      return { outcome: isAboutToken(error) ? "dead_token" : "payload_fault" };
    case "UNSPECIFIED_ERROR":
      return { outcome: "undeliverable" };
    case "THIRD_PARTY_AUTH_ERROR":
      return { outcome: "credentials" };
  }
  switch (answer.status) {
    case 401:
      return "unauthenticated";
    case 403:
      return { outcome: "credentials" };
    case 429:
      return { outcome: "later", retryAfter: retryAfter ?? QUOTA_SECONDS };
    default:
      // Includes a 404 that is not about the device. FCM returns it for an unknown project, and then no device may be
      // deleted.
      return { outcome: "later", ...(retryAfter === undefined ? {} : { retryAfter }) };
  }
}

/** A proxy in front of FCM responds in HTML. That is not an FCM error. */
function errorOf(text: string): FcmError {
  try {
    return (JSON.parse(text) as { error?: FcmError } | null)?.error ?? {};
  } catch {
    return {};
  }
}

/** An invalid argument concerns the device if the error names it. Otherwise it concerns the message. */
function isAboutToken({ message = "", details = [] }: FcmError): boolean {
  return /registration token/i.test(message) ||
    details.some(({ fieldViolations = [] }) => fieldViolations.some(({ field }) => field === "message.token"));
}
