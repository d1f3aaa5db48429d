/** A tariff while it is edited: its rules, what differs from the stored ones, and the fees of some stays. */
import type { components, ResponseBody } from "parking-lot-client";
import { fromLocalInput, toLocalInput } from "../../../../local_time.ts";

type Schemas = components["schemas"];
export type Lot = ResponseBody<"/v1/admin/parking-lots/{id}", "get">;
export type Rule = Schemas["AdminPricingRule"];
export type RuleInput = Schemas["PricingRuleInput"];
export type Category = RuleInput["category"];
export type Fee = Schemas["Fee"];

/** A rule in the editor. Its id names it in the results of the service too. */
export interface Draft extends Required<Omit<RuleInput, "rule_order">> {
  readonly id: string;
}

export function draftOf(rule: Rule): Draft {
  const { rule_order: _, ...fields } = rule;
  return fields;
}

/** A rule with the least that its category needs. */
export function newRule(category: Category, id: string, groupId: string | null): Draft {
  const isRate = category === "time_band" || category === "initial" || category === "published_total";
  return {
    id,
    pricing_group_id: groupId,
    category,
    time_start: null,
    time_end: null,
    day_type: "all",
    per_minutes: isRate ? 60 : category === "grace" ? 15 : null,
    price_minor: null,
    cap_type: category === "cap" ? "day" : null,
    cap_duration_hours: null,
    cap_price_minor: null,
    cap_repeat: category === "cap" ? true : null,
    effective_from: null,
    effective_to: null,
    max_units: null,
  };
}

/** The fields that an administrator edits. */
const FIELDS = [
  "day_type",
  "time_start",
  "time_end",
  "per_minutes",
  "price_minor",
  "cap_type",
  "cap_duration_hours",
  "cap_price_minor",
  "cap_repeat",
  "effective_from",
  "effective_to",
  "max_units",
  "pricing_group_id",
] as const satisfies readonly (keyof Draft)[];

/** The fields of a rule that differ from the stored rule. */
export function changedIn(draft: Draft, stored: Draft | undefined): ReadonlySet<keyof Draft> {
  return new Set(stored === undefined ? [] : FIELDS.filter((field) => draft[field] !== stored[field]));
}

export function isSame(drafts: readonly Draft[], stored: readonly Draft[]): boolean {
  return JSON.stringify(drafts.map(sorted)) === JSON.stringify(stored.map(sorted));
}

const sorted = (draft: Draft) => [draft.id, draft.category, ...FIELDS.map((field) => draft[field])];

/** A stay whose fees are compared. */
export interface Stay {
  readonly name: "one" | "three" | "twelve" | "overnight";
  readonly entry_at: string;
  readonly exit_at: string;
}

const HOUR_MS = 3_600_000;

/** The date after today by the clocks of a lot. */
export function tomorrow(now: Date, timeZone: string): string {
  return toLocalInput(new Date(now.getTime() + 24 * HOUR_MS), timeZone).slice(0, 10);
}

/** Four stays of a date: 1, 3 and 12 hours by day, and a night. */
export function comparedStays(day: string, timeZone: string): Stay[] {
  const stay = (name: Stay["name"], from: string, hours: number): Stay => {
    const entry = fromLocalInput(`${day}T${from}`, timeZone);
    return { name, entry_at: entry, exit_at: new Date(Date.parse(entry) + hours * HOUR_MS).toISOString() };
  };
  return [
    stay("one", "10:00", 1),
    stay("three", "10:00", 3),
    stay("twelve", "08:00", 12),
    stay("overnight", "20:00", 12),
  ];
}

/** The stay whose fee is drawn: a day and a night from the morning on. */
export function drawnStay(stays: readonly Stay[]): Pick<Stay, "entry_at" | "exit_at"> {
  const { entry_at } = stays.find(({ name }) => name === "twelve")!;
  return { entry_at, exit_at: new Date(Date.parse(entry_at) + 24 * HOUR_MS).toISOString() };
}

/**
 * How the fee of a stay rises: its amount from each moment on, in hours after the entry. It repeats the service's own
 * lines and caps. Undefined if the last amount is not the fee.
 */
export function curveOf(
  { total_amount, breakdown }: Fee,
  entryAt: string,
): [hour: number, amount: number][] | undefined {
  const caps = breakdown.caps.map((cap) => ({
    ...cap,
    left: cap.cap,
    begin: Date.parse(cap.from),
    end: Date.parse(cap.to),
  }));
  const rates = new Set(breakdown.lines.filter(({ kind }) => kind !== "cap").map(({ rule_id }) => rule_id));
  const units = breakdown.lines.flatMap((line) => {
    if (line.kind === "cap" || line.kind === "grace") return [];
    const begin = Date.parse(line.from);
    const step = (line.unit_minutes ?? 0) * 60_000;
    return Array.from({ length: line.units }, (_, nth) => ({
      at: begin + nth * step,
      price: line.unit_price,
      rule: line.rule_id,
    }));
  }).toSorted((a, b) => a.at - b.at);
  let amount = 0;
  const points: [number, number][] = [];
  for (const { at, price, rule } of units) {
    // A cap in the columns of a rate limits the charges of that rate only.
    const bounding = caps.filter(({ begin, end, rule_id }) =>
      begin <= at && at < end && (!rates.has(rule_id) || rule_id === rule)
    );
    const charged = Math.min(price, ...bounding.map(({ left }) => left));
    for (const cap of bounding) cap.left -= charged;
    if (charged === 0) continue;
    amount += charged;
    points.push([(at - Date.parse(entryAt)) / HOUR_MS, amount]);
  }
  return amount === total_amount ? points : undefined;
}
