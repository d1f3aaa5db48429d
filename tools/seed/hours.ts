import type { Random } from "./random.ts";

/** A row of parking_lot_windows; a key that is absent is null. */
export interface Window {
  readonly window_type: "business" | "entry" | "exit" | "after_hours_exit";
  readonly day_type?: string;
  readonly day_of_week?: number;
  readonly is_24h?: boolean;
  readonly is_closed?: boolean;
  readonly open_time?: string;
  readonly close_time?: string;
  readonly effective_from?: string;
  readonly effective_to?: string;
}

/** A row of parking_lot_date_overrides. */
export interface Override {
  readonly override_date: string;
  readonly label: string;
  readonly hours: unknown;
  readonly pricing: unknown;
  readonly note: string | null;
}

const ROUND_THE_CLOCK: readonly Window[] = [{ window_type: "business", day_type: "all", is_24h: true }];

/** Open all day; entry is closed at night, exit is always open. */
function entryByDay(random: Random): Window[] {
  const open_time = random.pick(["06:00", "06:30", "07:00"]);
  return [
    { window_type: "business", day_type: "all", is_24h: true },
    { window_type: "entry", day_type: "all", open_time, close_time: random.pick(["23:00", "24:00"]) },
    { window_type: "exit", day_type: "all", is_24h: true },
  ];
}

/** Office hours; shorter at weekends, closed on Sundays and holidays now and then; a gate lets late cars out. */
function officeHours(random: Random): Window[] {
  const windows: Window[] = [
    { window_type: "business", day_type: "weekday", open_time: "07:00", close_time: random.pick(["22:00", "23:00"]) },
    { window_type: "business", day_type: "saturday", open_time: "08:00", close_time: "21:00" },
  ];
  if (random.chance(0.4)) {
    windows.push({ window_type: "business", day_type: "sunday", is_closed: true });
    windows.push({ window_type: "business", day_type: "holiday", is_closed: true });
  } else {
    windows.push({ window_type: "business", day_type: "sunday", open_time: "09:00", close_time: "20:00" });
    windows.push({ window_type: "business", day_type: "holiday", open_time: "09:00", close_time: "20:00" });
  }
  if (random.chance(0.5)) {
    windows.push({ window_type: "after_hours_exit", day_type: "all", open_time: "22:00", close_time: "01:00" });
  }
  return windows;
}

/** A shop's: the shop's hours and a little longer, and into the night before a holiday. */
function shopHours(random: Random): Window[] {
  return [
    { window_type: "business", day_type: "all", open_time: "09:30", close_time: random.pick(["21:30", "22:00"]) },
    { window_type: "business", day_type: "holiday_eve", open_time: "09:30", close_time: "00:30" },
    { window_type: "business", day_of_week: 5, open_time: "09:30", close_time: "23:30" },
  ];
}

/** A public one, with other hours in summer. */
function municipalHours(random: Random): Window[] {
  const open_time = random.pick(["07:00", "07:30"]);
  return [
    { window_type: "business", day_type: "all", open_time, close_time: "22:00", effective_to: "2026-06-30" },
    {
      window_type: "business",
      day_type: "all",
      open_time: "06:00",
      close_time: "24:00",
      effective_from: "2026-07-01",
      effective_to: "2026-08-31",
    },
    { window_type: "business", day_type: "all", open_time, close_time: "22:00", effective_from: "2026-09-01" },
  ];
}

export function hoursOf(random: Random, kind: "street" | "building" | "municipal"): readonly Window[] {
  if (kind === "municipal") return municipalHours(random);
  if (kind === "street") return random.chance(0.9) ? ROUND_THE_CLOCK : [];
  return random.pick([ROUND_THE_CLOCK, entryByDay(random), officeHours(random), shopHours(random)]);
}

export function overridesOf(random: Random, kind: "street" | "building" | "municipal"): readonly Override[] {
  if (kind === "municipal") {
    return ["2026-12-31", "2027-01-01"].map((override_date) => ({
      override_date,
      label: "年末年始休業",
      hours: { is_closed: true, exit: [{ is_24h: true }] },
      pricing: null,
      note: "出庫のみ可能です。",
    }));
  }
  if (kind === "street" || !random.chance(0.25)) return [];
  return [{
    override_date: "2026-12-31",
    label: "大晦日 特別料金",
    hours: { is_24h: true },
    pricing: [
      { category: "time_band", rule_order: 1, per_minutes: 30, price_minor: 500 },
      { category: "cap", rule_order: 2, cap_type: "day", cap_price_minor: 5000, cap_repeat: true },
    ],
    note: null,
  }];
}
