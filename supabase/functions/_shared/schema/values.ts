/** Value types used by several resources. */
import { z } from "zod";
import { sharedParameters } from "./parameters.ts";

/** UUID of any version, or of none, like in Postgres, because imported rows can have any. */
/** The example is the first lot of supabase/seed.sql, so that a request made from the examples finds it. */
export const Id = z.guid().meta({ id: "Id", examples: ["555c77e1-60d8-4123-9321-94515af67cff"] });

/** The leap second, without its digits: what is before, its fraction, its offset. */
const LEAP_SECOND = /^(\d{4}-\d\d-\d\dT\d\d:\d\d):60(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/**
 * The spelling of RFC 3339 that every reader of times accepts: `T` and `Z` in upper case, and the second 60 as the one
 * after it, as in Postgres.
 */
function canonical(text: string): string {
  const upper = text.toUpperCase();
  const [, minute, fraction = "", offset] = LEAP_SECOND.exec(upper) ?? [];
  const before = `${minute}:59${offset}`;
  if (minute === undefined || !isReadable(before) || !DateTime.safeParse(before).success) return upper;
  const after = new Date(Date.parse(before) + 1000).toISOString();
  return after.replace(".000Z", `${fraction}Z`);
}

/** With an offset, so that it is the same time everywhere. */
const DateTime = z.iso.datetime({
  offset: true,
  error:
    "Must be an RFC 3339 timestamp with an offset, for example 2026-09-01T09:30:00+09:00. In a URL, write + as %2B.",
});

export const Timestamp = z.string().overwrite(canonical).check(DateTime).meta({
  id: "Timestamp",
  description:
    "RFC 3339 with an offset. In a request `t` and `z` may be in lower case, and the second 60 is the next second.",
  examples: ["2026-09-01T09:30:00+09:00"],
});

/** Postgres must be able to read it too: it limits offsets and fractions of a second. */
function isReadable(text: string): boolean {
  return text.length <= 64 && !/[+-](1[6-9]|2\d):\d\d$/.test(text);
}

/** Any time since the year 1. */
export const Instant = Timestamp.refine(
  (text) => isReadable(text) && !text.startsWith("0000"),
  "Must be a timestamp in the years 1 to 9999, with an offset below 16 hours.",
);

const EARLIEST = Date.UTC(2000, 0);
const LATEST = Date.UTC(2100, 0);

/**
 * A time in a request. Stays outside of these bounds do not occur. Some times there cannot be written as a Timestamp,
 * because offsets have seconds or years five digits.
 */
export const Moment = Timestamp.refine((text) => {
  const at = Date.parse(text);
  return at >= EARLIEST && at < LATEST && isReadable(text);
}, "Must be a timestamp from 2000 to 2099.");

export const AvgRating = z.number().min(0).max(5).meta({
  description: "Mean of the approved reviews, 1 to 5. 0 if `review_count` is 0.",
  examples: [4.2],
});

/** A time of day, in the format of all responses. */
export const ClockTime = z.string().regex(
  /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/,
  "Must be a time of day from 00:00 to 24:00.",
).meta({
  id: "ClockTime",
  description: "HH:MM in the lot's time zone. 24:00 is the end of the day.",
  examples: ["08:00"],
});

/** NFC, except for compatibility ideographs, each of which it would replace by another kanji: names have them. */
function composed(text: string): string {
  return text.replace(/[^\uf900-\ufaff\u{2f800}-\u{2fa1f}]+/gu, (part) => part.normalize("NFC"));
}

/**
 * Text in NFC whose length is counted in characters (code points), like in Postgres and JSON Schema, not in UTF-16 units.
 */
export function text(min: number, max: number) {
  return z.string().overwrite(composed).superRefine((value, context) => {
    const length = [...value].length;
    if (length < min) {
      context.addIssue({
        code: "too_small",
        minimum: min,
        origin: "string",
        inclusive: true,
        input: value,
      });
    }
    if (length > max) {
      context.addIssue({
        code: "too_big",
        maximum: max,
        origin: "string",
        inclusive: true,
        input: value,
      });
    }
  }).meta({ minLength: min, maxLength: max });
}

export const CurrencyCode = z.string().regex(
  /^[A-Z]{3}$/,
  "Must be a currency code of three capital letters, for example JPY.",
).meta({ examples: ["JPY"] });

/** The calendar of public holidays: a country, or a part of one. */
export const HolidayCalendar = z.string().regex(
  /^[A-Z]{2}(-[A-Z0-9]{1,3})?$/,
  "Must be a country code, or one with a region, for example JP or CH-ZH.",
).meta({ examples: ["JP"] });

export const Color = z.string().regex(/^#[0-9a-f]{6}$/, "Must be a color #rrggbb in lower case.").meta({
  examples: ["#1565c0"],
});

/** The address of an external page or picture. */
export const WebAddress = z.string().regex(/^https?:\/\/[!-~]+$/, "Must be an http or https address in ASCII.").max(
  2000,
).meta({
  examples: ["https://example.com/picture.webp"],
});

/** The id of a resource in a path, as the shared parameter `name`. */
export function pathId(name: string, description: string) {
  return Id.meta({ description }).register(sharedParameters, { id: name });
}

export const LotParams = z.strictObject({ id: pathId("ParkingLotId", "The parking lot") });

/** The reply of a route with status 204. */
export const Nothing = z.null();

/** A stay whose fee is expensive to calculate. Such a read is counted (api.read_counted). */
export function isLongStay(
  stay: { readonly entry_at?: string | undefined; readonly exit_at?: string | undefined },
): boolean {
  if (stay.entry_at === undefined || stay.exit_at === undefined) return false;
  // The database counts stays longer than 24 hours, with microsecond precision.
  return Date.parse(stay.exit_at) - Date.parse(stay.entry_at) >= 86_400_000;
}
