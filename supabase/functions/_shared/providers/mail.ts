/** Mail over an HTTP API such as Resend's `POST /emails`: one request per mail. */
import type { Config } from "../config.ts";
import { ApiError } from "../errors.ts";
import type { MailConfig } from "../provider_settings.ts";
import { DEADLINES } from "./calls/deadlines.ts";
import { ProviderDown } from "./calls/errors.ts";
import { type Answer, request, retryAfterOf } from "./calls/request.ts";

/** Retry delay after 429 without `Retry-After`. */
const QUOTA_SECONDS = 60;

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The same for each attempt of a mail, with the same content, so that the mail service sends it once. */
  readonly idempotencyKey: string;
}

/**
 * Outcome of a mail. `rejected`: this mail is never accepted. `later`: retry, after `retryAfter` seconds if the service
 * returned them. `quota`: the service accepts no mail for `retryAfter` seconds. `outage`: no response. `credentials`:
 * the service rejects the key, the sender or the configured address.
 */
export type MailOutcome =
  | { readonly outcome: "sent" | "rejected" | "outage" | "credentials" }
  | { readonly outcome: "later"; readonly retryAfter?: number }
  | { readonly outcome: "quota"; readonly retryAfter: number };

export interface MailSender {
  /** Whether a mail service is configured. */
  readonly isAvailable: boolean;
  send(mail: Mail): Promise<MailOutcome>;
}

export function mailSender(config: () => Config): MailSender {
  return {
    get isAvailable() {
      return config().providers.mail !== null;
    },
    send: (mail) => {
      const settings = config().providers.mail;
      if (settings === null) throw new ApiError("service_unavailable", { details: { reason: "not_configured" } });
      return send(settings, mail);
    },
  };
}

async function send({ apiUrl, apiKey, from }: MailConfig, mail: Mail): Promise<MailOutcome> {
  const { to, subject, text, html, idempotencyKey } = mail;
  try {
    const answer = await request("The mail service", apiUrl.endsWith("/emails") ? apiUrl : `${apiUrl}/emails`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        "idempotency-key": idempotencyKey,
      },
      body: JSON.stringify({ from, to: [to], subject, text, html }),
      deadline: DEADLINES.mail,
    });
    return outcomeOf(answer, nameOf(answer.text));
  } catch (error) {
    if (error instanceof ProviderDown) return { outcome: "outage" };
    throw error;
  }
}

/** `name` is the error name of the service. */
function outcomeOf(answer: Answer, name: string | undefined): MailOutcome {
  if (answer.ok) return { outcome: "sent" };
  const retryAfter = retryAfterOf(answer);
  switch (answer.status) {
    case 400:
    case 413:
    case 422:
      return { outcome: name === "invalid_from_address" ? "credentials" : "rejected" };
    case 401:
    case 403:
    case 404:
    case 405:
      return { outcome: "credentials" };
    case 409:
      // The key was already used: by an attempt that is still running, or by an attempt with other content, which was
      // sent.
      return { outcome: name === "concurrent_idempotent_requests" ? "later" : "sent" };
    case 429:
      return { outcome: "quota", retryAfter: retryAfter ?? QUOTA_SECONDS };
    default:
      return { outcome: "later", ...(retryAfter === undefined ? {} : { retryAfter }) };
  }
}

function nameOf(text: string): string | undefined {
  try {
    const error: unknown = JSON.parse(text);
    if (typeof error !== "object" || error === null || !("name" in error)) return undefined;
    return typeof error.name === "string" ? error.name : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
