/** The result of reading a sign, and the currency and bounds of a text. */

/** A rule in the form that `PUT /v1/admin/parking-lots/{id}/pricing-rules` takes. */
export interface TariffRule {
  readonly category: "time_band" | "flat" | "initial" | "grace" | "cap";
  readonly day_type: DayType;
  readonly time_start: string | null;
  readonly time_end: string | null;
  readonly per_minutes: number | null;
  readonly price_minor: number | null;
  readonly cap_type: "duration" | "day" | "band" | "stay" | null;
  readonly cap_duration_hours: number | null;
  readonly cap_price_minor: number | null;
  readonly cap_repeat: boolean | null;
}

export const DAY_TYPES = ["weekday", "saturday", "sunday", "holiday_eve", "holiday"] as const;
export type NamedDay = typeof DAY_TYPES[number];
export type DayType = NamedDay | "all";

/** A stretch of the text, in UTF-16 units: [from, to). */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

export const REASONS = [
  "ambiguous_day",
  "ambiguous_number",
  "amount_without_unit",
  "band",
  "cap_window_missing",
  "contradiction",
  "days_not_expressible",
  "days_unclear",
  "discount",
  "monthly",
  "no_rate",
  "number",
  "open_band",
  "other_currency",
  "overlapping_rates",
  "special_days",
  "tax",
  "too_many_rules",
  "unknown_words",
  "vehicle",
] as const;
export type Reason = typeof REASONS[number];

export interface Unread extends Stretch {
  readonly reason: Reason;
}

export interface Part extends Stretch {
  /** Index of the rule in `rules`. */
  readonly rule: number;
}

export interface TariffReading {
  readonly rules: readonly TariffRule[];
  /** For each rule, the stretches of the text that it comes from. */
  readonly parts: readonly Part[];
  /** What was not understood. Empty if and only if the text is accepted. */
  readonly unread: readonly Unread[];
  readonly max_parking_duration_min: number | null;
  readonly is_accepted: boolean;
}

export const MAX_TEXT = 2000;
export const MAX_RULES = 100;
