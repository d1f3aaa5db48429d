/** Amounts, times and distances as texts of the current language. */
import { locale } from "./language.ts";
import { TIME_ZONE } from "./local_time.ts";
import { pageTexts } from "./texts/pages.ts";

const text = pageTexts(({ format }) => format);

/** An amount in minor units of the currency: `¥1,200`. */
export function money(amount: number, currency?: string): string {
  return moneyParts(amount, currency).map(({ value }) => value).join("");
}

/** How many digits of an amount in minor units are below the unit: 0 for yen, 2 for euros. */
export function fractionDigits(currency: string): number {
  return new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 0;
}

/** The amount in parts, of which one is the sign of the currency. */
export function moneyParts(amount: number, currency = "JPY"): Intl.NumberFormatPart[] {
  const format = new Intl.NumberFormat(locale.value, { style: "currency", currency, currencyDisplay: "narrowSymbol" });
  const parts = format.formatToParts(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 0));
  // In Japanese the sign is as wide as a kanji; people write the narrow one.
  return parts.map((part) => part.value === "￥" ? { ...part, value: "¥" } : part);
}

export function number(value: number, digits = 0): string {
  return new Intl.NumberFormat(locale.value, { maximumFractionDigits: digits }).format(value);
}

/** Day and time of day, in the lot's time zone. */
export function dateTime(time: string | Date, timeZone = TIME_ZONE): string {
  return new Intl.DateTimeFormat(locale.value, {
    month: "short",
    day: "numeric",
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    timeZone,
  }).format(new Date(time));
}

export function date(time: string | Date, timeZone = TIME_ZONE): string {
  return new Intl.DateTimeFormat(locale.value, { year: "numeric", month: "short", day: "numeric", timeZone })
    .format(new Date(time));
}

/** `Mon 23 Nov 2026`, of a date without a time. */
export function dateName(date: string, parts: Intl.DateTimeFormatOptions = {}): string {
  return new Intl.DateTimeFormat(locale.value, {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    timeZone: "UTC",
    ...parts,
  }).format(new Date(`${date}T00:00Z`));
}

/** The name of a day of the week; 0 is Sunday. */
export function weekdayName(day: number, length: "long" | "short" = "short"): string {
  // 1 November 2026 is a Sunday.
  return new Intl.DateTimeFormat(locale.value, { weekday: length, timeZone: "UTC" }).format(
    Date.UTC(2026, 10, 1 + day),
  );
}

export function timeOfDay(time: string | Date, timeZone = TIME_ZONE): string {
  return new Intl.DateTimeFormat(locale.value, { hour: "2-digit", minute: "2-digit", timeZone }).format(new Date(time));
}

/** The name of a time zone, and how far its clocks are from UTC at a time: `Central European Time` and `UTC+1`. */
export function zoneParts(timeZone: string, time: string): { readonly name: string; readonly offset: string } {
  const part = (timeZoneName: "longGeneric" | "shortOffset") =>
    new Intl.DateTimeFormat(locale.value, { timeZone, timeZoneName }).formatToParts(new Date(time))
      .find(({ type }) => type === "timeZoneName")!.value;
  return { name: part("longGeneric"), offset: part("shortOffset").replace(/^GMT$/, "GMT+0").replace("GMT", "UTC") };
}

/** `1 h 30 min` */
export function duration(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), Math.round(minutes % 60)];
  const units = text.value;
  return [hours > 0 ? `${number(hours)}${units.hours}` : "", rest > 0 || hours === 0 ? `${rest}${units.minutes}` : ""]
    .filter(Boolean)
    .join(" ");
}

/** `350 m`, `1.2 km` */
export function distance(meters: number): string {
  return meters < 1000 ? `${number(meters)} m` : `${number(meters / 1000, 1)} km`;
}
