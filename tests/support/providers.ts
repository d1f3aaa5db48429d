// The stand-ins of the providers, as tests script them and look at what they received.
import type { ReceivedMail } from "../../local/standins/mail.ts";

export interface FcmRule {
  readonly token?: string;
  readonly prefix?: string;
  readonly times?: number;
  readonly status: number;
  readonly error_code?: string;
  readonly message?: string;
  readonly retry_after?: number | string;
  readonly html?: boolean;
}

export interface FcmReceived {
  readonly requests: number;
  readonly most_at_once: number;
  readonly accepted: number;
  /** Messages accepted, by device token. */
  readonly devices: Readonly<Record<string, number>>;
}

export interface FcmMessage {
  readonly token: string;
  readonly notification: { readonly title: string; readonly body: string };
  readonly data: Readonly<Record<string, string>>;
  readonly android: { readonly ttl: string };
  readonly apns: {
    readonly headers: Readonly<Record<string, string>>;
    readonly payload: { readonly aps: { readonly badge: number } };
  };
  readonly webpush: { readonly headers: { readonly TTL: string } };
}

/** Of the platform at this address, or of the one that the tests run against. */
function control(name: "fcm" | "mail", url = Deno.env.get("PROVIDERS_URL")): string {
  if (!url) throw new Error("PROVIDERS_URL is not set: run the tests with `deno task test`");
  return `${url}/control/${name}`;
}

export async function scriptFcm(
  script: { reset?: boolean; latency_ms?: number; revoke_tokens?: boolean; rules?: readonly FcmRule[] },
  providersUrl?: string,
): Promise<void> {
  const response = await fetch(control("fcm", providersUrl), { method: "POST", body: JSON.stringify(script) });
  if (!response.ok) throw new Error(`/control/fcm answers ${response.status}: ${await response.text()}`);
}

export async function receivedByFcm(providersUrl?: string): Promise<FcmReceived> {
  return await (await fetch(control("fcm", providersUrl))).json();
}

/** The mails that were accepted for an address. */
export async function receivedMails(to: string): Promise<readonly ReceivedMail[]> {
  const response = await fetch(`${control("mail")}?to=${encodeURIComponent(to)}`);
  return (await response.json()).mails;
}

/** The accepted messages to devices whose token begins so. */
export async function messagesTo(prefix: string): Promise<FcmMessage[]> {
  return (await (await fetch(`${control("fcm")}?prefix=${prefix}`)).json()).messages;
}
