/** The kinds of value that fields of several resources share. */
import { z } from "zod";

/** As Postgres takes them: of any version, or of none. Rows come from elsewhere as well. */
/** The example is the first lot of supabase/seed.sql, so that a request that is made of the examples finds it. */
export const Id = z.guid().meta({ examples: ["555c77e1-60d8-4123-9321-94515af67cff"] });

/** With an offset: the same moment everywhere. */
export const Timestamp = z.iso.datetime({
  offset: true,
  error:
    "Must be an RFC 3339 timestamp with an offset, for example 2026-09-01T09:30:00+09:00. In a URL, write + as %2B.",
}).meta({ examples: ["2026-09-01T09:30:00+09:00"] });

/** What Postgres can read as well: no offset beyond its time zones, no endless fraction of a second. */
function isReadable(text: string): boolean {
  return text.length <= 64 && !/[+-](1[6-9]|2\d):\d\d$/.test(text);
}

/** Any moment since our era began. */
export const Instant = Timestamp.refine(
  (text) => isReadable(text) && !text.startsWith("0000"),
  "Must be a timestamp in the years 1 to 9999, with an offset below 16 hours.",
);

const EARLIEST = Date.UTC(2000, 0);
const LATEST = Date.UTC(2100, 0);

/**
 * A moment that a request asks about. Nobody parks beyond these bounds, and times there cannot all be written as a
 * Timestamp: offsets have seconds, years five digits.
 */
export const Moment = Timestamp.refine((text) => {
  const at = Date.parse(text);
  return at >= EARLIEST && at < LATEST && isReadable(text);
}, "Must be a timestamp from 2000 to 2099.");

export const AvgRating = z.number().min(0).max(5).meta({
  description: "Mean of the approved reviews, 1 to 5. 0 if `review_count` is 0.",
  examples: [4.2],
});

/** A time of day as every reply writes it. */
export const ClockTime = z.string().regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/).meta({
  description: "HH:MM in the lot's time zone. 24:00 is the end of the day.",
  examples: ["08:00"],
});

/** Text counted in characters (code points), as the database and JSON Schema count, not in UTF-16 units. */
export function text(min: number, max: number) {
  return z.string().superRefine((value, context) => {
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

export const Color = z.string().regex(/^#[0-9a-f]{6}$/, "Must be a color #rrggbb in lower case.").meta({
  examples: ["#1565c0"],
});

/** The address of a page or picture elsewhere. */
export const WebAddress = z.string().regex(/^https?:\/\/[!-~]+$/, "Must be an http or https address in ASCII.").max(
  2000,
).meta({
  examples: ["https://example.com/picture.webp"],
});

export const LotParams = z.strictObject({ id: Id.meta({ description: "The parking lot" }) });

/** What stands in a route's reply with 204. */
export const Nothing = z.null();

/** A stay whose price takes more than a page's work: such a read is counted (api.read_counted). */
export function isLongStay(
  stay: { readonly entry_at?: string | undefined; readonly exit_at?: string | undefined },
): boolean {
  if (stay.entry_at === undefined || stay.exit_at === undefined) return false;
  // What the database counts is longer than 24 hours, to the microsecond.
  return Date.parse(stay.exit_at) - Date.parse(stay.entry_at) >= 86_400_000;
}
