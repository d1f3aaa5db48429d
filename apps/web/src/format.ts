/** Amounts, times and distances as texts of the current language. */
import { language } from "./language.ts";
import { TIME_ZONE } from "./local_time.ts";

const locale = () => language.value === "ja" ? "ja-JP" : "en-GB";

/** An amount in minor units of the currency: `¥1,200`. */
export function money(amount: number, currency = "JPY"): string {
  const format = new Intl.NumberFormat(locale(), { style: "currency", currency, currencyDisplay: "narrowSymbol" });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 0));
}

export function number(value: number, digits = 0): string {
  return new Intl.NumberFormat(locale(), { maximumFractionDigits: digits }).format(value);
}

/** Day and time of day, in the lot's time zone. */
export function dateTime(time: string | Date, timeZone = TIME_ZONE): string {
  return new Intl.DateTimeFormat(locale(), {
    month: "short",
    day: "numeric",
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    timeZone,
  }).format(new Date(time));
}

export function date(time: string | Date, timeZone = TIME_ZONE): string {
  return new Intl.DateTimeFormat(locale(), { year: "numeric", month: "short", day: "numeric", timeZone })
    .format(new Date(time));
}

export function timeOfDay(time: string | Date, timeZone = TIME_ZONE): string {
  return new Intl.DateTimeFormat(locale(), { hour: "2-digit", minute: "2-digit", timeZone }).format(new Date(time));
}

/** `1 h 30 min` */
export function duration(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), Math.round(minutes % 60)];
  const [h, min] = language.value === "ja" ? ["時間", "分"] : [" h", " min"];
  return [hours > 0 ? `${number(hours)}${h}` : "", rest > 0 || hours === 0 ? `${rest}${min}` : ""].filter(Boolean)
    .join(" ");
}

/** `350 m`, `1.2 km` */
export function distance(meters: number): string {
  return meters < 1000 ? `${number(meters)} m` : `${number(meters / 1000, 1)} km`;
}
