/** The language of the short texts in results. */
import { type Lang, langOf } from "../_shared/ai_search/reply.ts";

export type { Lang };

/** That of the argument, else the first of `Accept-Language`, else that of the service. */
export function langFor(argument: Lang | undefined, headers: Headers): Lang {
  const first = headers.get("accept-language")?.split(/[,;]/)[0]?.trim();
  return argument ?? (first === undefined || first === "" || first === "*" ? "ja" : langOf(first));
}

/** An amount in minor units. */
export function money(amount: number, currency: string, lang: Lang): string {
  const format = new Intl.NumberFormat(lang, { style: "currency", currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 0));
}

/** A timestamp of a response, which has the clock of the lot's time zone. */
export function clock(timestamp: string): string {
  return timestamp.slice(0, 16).replace("T", " ");
}
