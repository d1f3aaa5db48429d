import { readTariff } from "../tariff_text/read.ts";
import { MAX_TEXT, type TariffRule } from "../tariff_text/types.ts";
import type { SourceRecord } from "./record.ts";
import type { Mapping, Value } from "./definition.ts";
import { hasKey, isMissing, valueAt, valueOf } from "./lookup.ts";
import { integerOf } from "./numbers.ts";
import { narrow } from "./text.ts";

/** A row of pricing_rules. */
export type PricingRule =
  & { readonly category: TariffRule["category"] | "published_total" }
  & Partial<Omit<TariffRule, "category" | "day_type">>
  & {
    readonly rule_order: number;
    readonly day_type?: string | null;
    readonly effective_from?: string;
    readonly effective_to?: string;
    readonly max_units?: number | null;
  };

export type Pricing = { readonly rules: readonly PricingRule[] | null; readonly problem?: string };

type Steps = NonNullable<NonNullable<Mapping["pricing"]>["steps"]>;
type Condition = NonNullable<Mapping["pricing"]>["leave"][number];

interface Step {
  readonly from: number;
  readonly price: number;
}

/** A price list with more steps is rejected as implausible. */
const MAX_RULES = 100;
const TOO_LONG = `the price has more than ${MAX_RULES} steps`;
const MAX_PRICE_MINOR = 100_000_000;

function wholeOf(raw: unknown, least: number, most: number): number | undefined {
  if (isMissing(raw)) return undefined;
  const reading = integerOf(raw);
  return "value" in reading && reading.value >= least && reading.value <= most ? reading.value : undefined;
}

function stepsOf(record: SourceRecord, steps: Steps): readonly Step[] | undefined {
  const listed = valueAt(record, steps.from);
  if (!Array.isArray(listed) || listed.length === 0) return undefined;
  const found: Step[] = [];
  for (const member of listed) {
    const values = typeof member === "object" && member !== null ? member as Record<string, unknown> : {};
    const from = wholeOf(values[steps.starts_at], 0, 527_040), price = wholeOf(values[steps.price], 0, MAX_PRICE_MINOR);
    if (from === undefined || price === undefined) return undefined;
    found.push({ from, price });
  }
  return found.sort((a, b) => a.from - b.from);
}

/** The year before the first one of an era. */
const ERAS: Readonly<Record<string, number>> = { 令和: 2018, R: 2018, 平成: 1988, H: 1988 };
const DATE =
  /^(?:(?<year>\d{4})|(?<era>令和|平成|[RH])(?<eraYear>0?[1-9]|[1-9]\d|元))(?:[-/.]|年)(?<month>\d{1,2})(?:[-/.]|月)(?<day>\d{1,2})日?$/iu;

/** `2026-10-01`, `2026/10/1`, `20261001`, `2026年10月1日`, `令和8年10月1日` and `R8.10.1` as YYYY-MM-DD. */
export function dateOf(raw: unknown): string | undefined {
  const text = narrow(String(raw)).trim().replace(/^(\d{4})(\d{2})(\d{2})$/, "$1-$2-$3");
  const { era, eraYear, month, day, ...parts } = DATE.exec(text)?.groups ?? {};
  if (month === undefined || day === undefined) return undefined;
  const year = parts["year"] ?? ERAS[era!.toUpperCase()]! + (eraYear === "元" ? 1 : Number(eraYear));
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const time = Date.parse(`${date}T00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date) ? date : undefined;
}

function rate(category: "initial" | "time_band", minutes: number, price: number): Omit<PricingRule, "rule_order"> {
  return {
    category,
    per_minutes: minutes,
    price_minor: price,
    cap_type: null,
    cap_price_minor: null,
    cap_repeat: null,
  };
}

/** The rules of a record by its mapping: of a list of steps, or of the text of a sign. */
export function pricingOf(
  record: SourceRecord,
  { steps, text, leave }: NonNullable<Mapping["pricing"]>,
  currency: string,
): Pricing {
  return steps === undefined ? textPricing(record, text!, leave, currency) : stepPricing(record, steps, leave);
}

/** A text counts as a whole or not at all. */
function textPricing(record: SourceRecord, text: Value, leave: readonly Condition[], currency: string): Pricing {
  const raw = valueOf(record, text);
  if (isMissing(raw)) return { rules: null };
  const problem = (reason: string): Pricing => ({ rules: null, problem: reason });
  const left = leave.find(({ when }) => hasKey(record, when) !== false);
  if (left !== undefined) return problem(left.reason);
  if (typeof raw !== "string") return problem("the text of the fees is not a text");
  if ([...raw].length > MAX_TEXT) return problem(`the text of the fees is longer than ${MAX_TEXT} characters`);
  const { rules, unread, is_accepted } = readTariff(raw, { currency });
  if (is_accepted) return { rules: rules.map((rule, place) => ({ ...rule, rule_order: place + 1 })) };
  const named = unread.slice(0, 3).map(({ from, to, reason }) => `${reason} ${JSON.stringify(raw.slice(from, to))}`);
  return problem(`the text of the fees was not understood: ${named.join(", ")}`);
}

/**
 * Converts a record's price steps to pricing rules. Every unit of a step with an end becomes an `initial` rule. The
 * last step becomes the rate after that, and the maximum of a day becomes a cap. An ambiguous price is a problem and
 * becomes no rule.
 */
function stepPricing(record: SourceRecord, steps: Steps, leave: readonly Condition[]): Pricing {
  if (isMissing(valueAt(record, steps.from))) return { rules: null };
  const problem = (reason: string): Pricing => ({ rules: null, problem: reason });
  const left = leave.find(({ when }) => hasKey(record, when) !== false);
  if (left !== undefined) return problem(left.reason);
  const found = stepsOf(record, steps);
  if (found === undefined) return problem("the price steps could not be read");
  if (found.every(({ price }) => price === 0)) return problem("every price is 0: either free or unknown");
  const unit = wholeOf(valueOf(record, steps.unit_minutes), 1, 527_040);
  if (unit === undefined) return problem("the duration that a price is for is missing");
  const minimum = steps.minimum_minutes === undefined ? undefined : valueOf(record, steps.minimum_minutes);
  if (minimum !== undefined && wholeOf(minimum, 1, unit) === undefined) {
    return problem(`at least ${minimum} minutes are charged, but not for what price`);
  }
  if (found[0]?.from !== 0) return problem("a price from the start is missing");
  const rules: Omit<PricingRule, "rule_order">[] = [];
  for (const [index, { from, price }] of found.entries()) {
    const until = found[index + 1]?.from;
    if (until === undefined) {
      rules.push(rate("time_band", unit, price));
    } else if (until === from) {
      return problem(`two prices begin after ${from} minutes`);
    } else if ((until - from) / unit > MAX_RULES) {
      return problem(TOO_LONG);
    } else if ((until - from) % unit !== 0) {
      return problem(`the price changes after ${until} minutes, which is not a multiple of the unit ${unit}`);
    } else {
      rules.push(...Array.from({ length: (until - from) / unit }, () => rate("initial", unit, price)));
    }
  }
  const rawCap = steps.day_cap === undefined ? undefined : valueOf(record, steps.day_cap);
  if (rawCap !== undefined) {
    const cap = wholeOf(rawCap, 0, MAX_PRICE_MINOR);
    if (cap === undefined) return problem(`the maximum of a day, ${JSON.stringify(rawCap)}, could not be read`);
    if (cap === 0) return problem("the maximum of a day is 0: either free or no maximum");
    rules.push({
      category: "cap",
      per_minutes: null,
      price_minor: null,
      cap_type: "day",
      cap_price_minor: cap,
      cap_repeat: true,
    });
  }
  if (rules.length > MAX_RULES) return problem(TOO_LONG);
  const dates: { effective_from?: string; effective_to?: string } = {};
  for (const field of ["effective_from", "effective_to"] as const) {
    const raw = steps[field] === undefined ? undefined : valueOf(record, steps[field]);
    if (raw === undefined) continue;
    const date = dateOf(raw);
    if (date === undefined) return problem(`the date ${JSON.stringify(raw)} of the price could not be read`);
    dates[field] = date;
  }
  if (
    dates.effective_from !== undefined && dates.effective_to !== undefined && dates.effective_to < dates.effective_from
  ) {
    return problem(`the price ends on ${dates.effective_to}, before it begins`);
  }
  return { rules: rules.map((rule, place) => ({ ...rule, rule_order: place + 1, ...dates })) };
}
