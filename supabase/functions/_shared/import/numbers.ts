import { narrow } from "./text.ts";

export type Reading<T> = { readonly value: T } | { readonly problem: string };

function quoted(raw: unknown): string {
  const text = typeof raw === "string" ? raw : JSON.stringify(raw);
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/** The decimal sign of a file's numbers. */
export type DecimalSign = "." | ",";

const GROUPED: Record<DecimalSign, RegExp> = {
  ".": /^[-+]?(?:\d+|\d{1,3}(?:[,' ]\d{3})+)?(?:\.\d*)?(?:e[-+]?\d{1,2})?$/i,
  ",": /^[-+]?(?:\d+|\d{1,3}(?:[.' ]\d{3})+)?(?:,\d*)?$/,
};
/** What can only be read in one way: a comma with three digits behind it may be either sign. */
const CLEAR = /^[^,]*$|,\d{3}(?:,\d{3}|\.\d)/;
const WHOLE_GROUPS = /^[-+]?\d{1,3}(?:,\d{3})+$/;

/**
 * Parses a number in any width, with separators between thousands and without other text. Where the decimal sign is not
 * given, it is the point, and a text in which a comma could be one is refused: 1,234 is a thousand or one and a bit.
 */
export function numberOf(raw: unknown, decimal?: DecimalSign): Reading<number> {
  if (typeof raw === "number" && Number.isFinite(raw)) return { value: raw };
  const text = typeof raw === "string" ? narrow(raw).replaceAll("’", "'").replace(/^−/, "-") : "";
  const sign = decimal ?? ".";
  const isNumber = (sign: DecimalSign) => /^[-+]?[.,]?\d/.test(text) && GROUPED[sign].test(text);
  if (!isNumber(sign) || decimal === undefined && !CLEAR.test(text)) {
    const hint = decimal === undefined && isNumber(",")
      ? " (`decimal` of the mapping says which sign is before decimals)"
      : "";
    return { problem: `is not a number: ${quoted(raw)}${hint}` };
  }
  const separators = sign === "." ? /[,' ]/g : /[.' ]/g;
  return { value: Number(text.replace(separators, "").replace(",", ".")) };
}

/** Parses a whole number: here commas between groups of three are separators, unless they are the decimal sign. */
export function integerOf(raw: unknown, decimal?: DecimalSign): Reading<number> {
  const isGrouped = decimal === undefined && typeof raw === "string" && WHOLE_GROUPS.test(narrow(raw));
  const reading = numberOf(raw, isGrouped ? "." : decimal);
  if ("problem" in reading || Number.isInteger(reading.value)) return reading;
  return { problem: `is not a whole number: ${quoted(raw)}` };
}

const LEAD = /[-+]?\d(?:[\d.,' ]*\d)?(?![\d]*[a-z]\w*\d)/.source;
/** A number at the start of a text, and a second one if the two are a range, a part or a floor and its number. */
const LEADS = new RegExp(`^(${LEAD})(?: ?(?:[-~〜‐‑‒–—―−/⁄]|(?:f|階)? ?:) ?(${LEAD}))?`, "i");

/**
 * Whether the number at the start of a text is greater than a bound: `2基`, `1,000台`, `2～3基`. Undefined if there is none,
 * or if it depends on what a comma means, or on which number of two is meant.
 */
export function isGreater(raw: unknown, bound: number): boolean | undefined {
  if (typeof raw === "number") return raw > bound;
  const [, ...leads] = LEADS.exec(narrow(String(raw)).replace(/^−/, "-")) ?? [];
  const answers = new Set(
    leads.flatMap((lead) =>
      ([".", ","] as const).flatMap((sign) => {
        const reading = lead === undefined ? undefined : numberOf(lead, sign);
        return reading !== undefined && "value" in reading ? [reading.value > bound] : [];
      })
    ),
  );
  return answers.size === 1 ? [...answers][0] : undefined;
}

const DEGREES =
  /^(-?)([NSEW]|[北南]緯?|[東西]経?)?\s*(\d{1,3})(?:(\.\d+)\s*[°度]?|\s*[°度]\s*(?:(\d{1,2})\s*['′分]\s*(?:(\d{1,2}(?:\.\d+)?)\s*(?:["″秒]|''|′′)?)?)?)\s*([NSEW]?)$/iu;

/**
 * Parses decimal degrees, with a point or a comma, because no degrees have thousands; or degrees, minutes and seconds:
 * 35°40′52.5″N, 北緯35度40分52秒, 35.68°N. The letter of the other axis is refused.
 */
export function degreesOf(raw: unknown, axis?: "lat" | "lng"): Reading<number> {
  const text = typeof raw === "string" ? narrow(raw).replace(/^−/, "-") : "";
  const plain = numberOf(typeof raw === "string" ? text.replace(/^([-+]?\d{1,3}),(\d+)$/, "$1.$2") : raw, ".");
  if ("value" in plain || typeof raw !== "string") return plain;
  const match = DEGREES.exec(text);
  if (match === null) return plain;
  const [, minus, before = "", degrees, decimals = "", minutes = "0", seconds = "0", after = ""] = match;
  const direction = (before + after).toUpperCase();
  if (
    Number(minutes) >= 60 || Number(seconds) >= 60 || minus !== "" && direction !== "" || before !== "" && after !== ""
  ) {
    return plain;
  }
  if (axis !== undefined && (axis === "lat" ? /[EW東西]/u : /[NS南北]/u).test(direction)) {
    return { problem: `is on the other axis: ${quoted(raw)}` };
  }
  const size = Number(`${degrees}${decimals}`) + Number(minutes) / 60 + Number(seconds) / 3600;
  return { value: minus !== "" || /[SW南西]/u.test(direction) ? -size : size };
}
