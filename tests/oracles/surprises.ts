// The difference between a bill and its naive reading, by kind, from docs/domains/fees.md alone: each reading is a list of
// rules that the oracle of fees prices.
import { naiveFee, type Rule, type Stay } from "./fees.ts";

/** The kinds whose amounts sum to the bill minus the naive bill, in the order in which their rules are restored. */
export const DIFFERENCE_KINDS = [
  "cap_once",
  "cap_ends_at_midnight",
  "cap_ends_before_exit",
  "cap_not_on_day",
  "special_day_price",
] as const;
type Kind = (typeof DIFFERENCE_KINDS)[number];

/** The bill, the naive bill, and what each kind adds. Null when a fee is unknown or the naive bill is not lower. */
export function naiveDifferences(stay: Stay): { bill: number; naive: number; amounts: Map<Kind, number> } | null {
  const bill = totalOf(stay);
  stay = { ...stay, rules: rulesOfStay(stay) };
  const naive = totalOf(reading(stay, []));
  if (bill === null || naive === null || bill <= naive) return null;
  const amounts = new Map<Kind, number>();
  let before = naive;
  const add = (kind: Kind, after: number) => {
    if (after !== before) amounts.set(kind, (amounts.get(kind) ?? 0) + after - before);
    before = after;
  };
  const ofCaps = DIFFERENCE_KINDS.slice(0, 4);
  for (const [place, kind] of ofCaps.entries()) add(kind, totalOf(reading(stay, ofCaps.slice(0, place + 1)))!);
  add(totalOf(withOwnRates(stay)) === bill ? "cap_not_on_day" : "special_day_price", bill);
  return { bill, naive, amounts };
}

/** The rules that are in effect on a date of the stay. */
function rulesOfStay({ rules, time_zone, entry_at, exit_at, price_fixed_at_entry }: Stay): Rule[] {
  const dateOf = (at: string) => Temporal.Instant.from(at).toZonedDateTimeISO(time_zone).toPlainDate().toString();
  const first = dateOf(entry_at);
  const last = price_fixed_at_entry ? first : dateOf(exit_at);
  return rules.filter(({ effective_from, effective_to }) =>
    (effective_from ?? last) <= last && (effective_to ?? first) >= first
  );
}

function totalOf(stay: Stay): number | null {
  const fee = naiveFee(stay);
  return "total" in fee ? fee.total : null;
}

function reading(stay: Stay, restored: readonly Kind[]): Stay {
  return { ...stay, rules: naiveRules(stay.rules, restored), date_overrides: [] };
}

/** Special days with their caps and the lot's own rates. */
function withOwnRates(stay: Stay): Stay {
  const ratesOn = (date: string) =>
    stay.rules.filter((rule) =>
      rule.category !== "cap" && (rule.effective_from ?? date) <= date && (rule.effective_to ?? date) >= date
    ).map((rule) => ({ ...rule, effective_from: null, effective_to: null }));
  const date_overrides = stay.date_overrides.map(({ override_date, pricing }) => ({
    override_date,
    pricing: pricing && [
      ...inOrder(ratesOn(override_date)).map((rule, place) => ({ ...rule, rule_order: place })),
      ...pricing.filter(({ category }) => category === "cap").map((cap) => ({
        ...cap,
        rule_order: 1000 + cap.rule_order,
      })),
    ],
  }));
  return { ...stay, date_overrides };
}

function naiveRules(rules: readonly Rule[], restored: readonly Kind[]): Rule[] {
  const caps = rules.filter(({ category }) => category === "cap");
  const longest = Math.max(0, ...caps.filter((cap) => !cap.time_start).map(hoursOf));
  const read = inOrder(rules).map((rule): Rule => {
    if (!rule.cap_type) return rule;
    const cap = { ...rule };
    if (!restored.includes("cap_once")) cap.cap_repeat = true;
    if (rule.time_start) return cap;
    const isShort = rule.cap_type === "duration" && rule.cap_duration_hours! < 24 &&
      (rule.category !== "cap" || rule.cap_duration_hours === longest);
    if (
      (rule.cap_type === "day" && !restored.includes("cap_ends_at_midnight")) ||
      (isShort && !restored.includes("cap_ends_before_exit"))
    ) {
      cap.cap_type = "duration";
      cap.cap_duration_hours = 24;
    }
    return cap;
  });
  if (restored.includes("cap_not_on_day")) return read;
  const groups = Map.groupBy(
    read.filter(({ category }) => category === "cap"),
    ({ time_start, time_end }) => `${time_start} ${time_end === "00:00" ? "24:00" : time_end}`,
  );
  const added = [...groups.values()].flatMap((group, place): Rule[] => {
    const named = new Set(group.map(({ day_type }) => day_type ?? "all"));
    const others = ["weekday", "saturday", "sunday"].filter((day) => !named.has(day));
    if (named.has("all") || others.length === 0) return [];
    const most = Math.max(...group.map(({ cap_price_minor }) => cap_price_minor!));
    const dearest = group.find(({ cap_price_minor }) => cap_price_minor === most)!;
    return [{ ...dearest, id: `added ${place}`, rule_order: place, day_type: null, other_days: others }];
  });
  return [...read, ...added];
}

function hoursOf({ cap_type, cap_duration_hours }: Rule): number {
  return cap_type === "duration" ? cap_duration_hours! : 24;
}

const DAY_TYPES = ["holiday", "holiday_eve", "sunday", "saturday", "weekday", "all"];

function inOrder(rules: readonly Rule[]): Rule[] {
  const place = ({ day_type }: Rule) => DAY_TYPES.indexOf(day_type ?? "all");
  return [...rules].sort((a, b) => place(a) - place(b) || a.rule_order - b.rule_order || (a.id < b.id ? -1 : 1));
}
