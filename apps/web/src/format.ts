/** Amounts, times and distances as texts of the current language. */
import { locale } from "./language.ts";
import { TIME_ZONE } from "./local_time.ts";
import { pageTexts } from "./texts/pages.ts";

const text = pageTexts(({ format }) => format);

/** An amount in minor units of the currency: `¥1,200`. */
export function money(amount: number, currency = "JPY"): string {
  const format = new Intl.NumberFormat(locale.value, { style: "currency", currency, currencyDisplay: "narrowSymbol" });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 0));
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

export function timeOfDay(time: string | Date, timeZone = TIME_ZONE): string {
  return new Intl.DateTimeFormat(locale.value, { hour: "2-digit", minute: "2-digit", timeZone }).format(new Date(time));
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
