import type { Random } from "./random.ts";

/** A row of pricing_rules; a key that is absent is null. `group` is the code of a pricing group. */
export interface Rule {
  readonly group?: string;
  readonly category: "time_band" | "flat" | "initial" | "grace" | "cap";
  readonly time_start?: string;
  readonly time_end?: string;
  readonly day_type?: string;
  readonly per_minutes?: number;
  readonly price_minor?: number;
  readonly cap_type?: "duration" | "day" | "band" | "stay";
  readonly cap_duration_hours?: number;
  readonly cap_price_minor?: number;
  readonly cap_repeat?: boolean;
}

export interface Group {
  readonly code: string;
  readonly name: string;
  readonly is_default: boolean;
  readonly vehicle_types: readonly string[] | null;
}

export interface PriceList {
  readonly rules: readonly Rule[];
  readonly groups: readonly Group[];
}

function to(step: number, amount: number): number {
  return Math.max(step, Math.round(amount / step) * step);
}

interface Scale {
  readonly unit: number;
  readonly price: number;
  readonly dayCap: number;
  readonly nightCap: number;
}

function scale(random: Random, level: number): Scale {
  const unit = random.pick(level > 0.8 ? [10, 12, 15, 20] : [20, 20, 30]);
  const hourly = random.between(10, 16) * 100 * level;
  return {
    unit,
    price: to(10, hourly * unit / 60),
    dayCap: to(100, hourly * random.between(19, 25) / 10),
    nightCap: to(100, random.between(4, 8) * 100 * level),
  };
}

/** Day and night rates, a cap for each 24 hours and one for each night. */
function dayAndNight({ unit, price, dayCap, nightCap }: Scale): Rule[] {
  return [
    { category: "time_band", time_start: "08:00", time_end: "22:00", per_minutes: unit, price_minor: price },
    { category: "time_band", time_start: "22:00", time_end: "08:00", per_minutes: 60, price_minor: to(10, price / 2) },
    { category: "cap", cap_type: "duration", cap_duration_hours: 24, cap_price_minor: dayCap, cap_repeat: true },
    {
      category: "cap",
      time_start: "22:00",
      time_end: "08:00",
      cap_type: "band",
      cap_price_minor: nightCap,
      cap_repeat: true,
    },
  ];
}

/** One rate at any hour, a cap for each calendar day. */
function oneRate({ unit, price, dayCap }: Scale): Rule[] {
  return [
    { category: "time_band", per_minutes: unit, price_minor: price },
    { category: "cap", cap_type: "day", cap_price_minor: dayCap, cap_repeat: true },
  ];
}

/** Dearer on days off; the first twelve hours are capped once. */
function workdaysAndDaysOff({ unit, price, dayCap }: Scale): Rule[] {
  const dearer = to(10, price * 1.3);
  return [
    { category: "time_band", day_type: "weekday", per_minutes: unit, price_minor: price },
    { category: "time_band", day_type: "saturday", per_minutes: unit, price_minor: dearer },
    { category: "time_band", day_type: "sunday", per_minutes: unit, price_minor: dearer },
    { category: "time_band", day_type: "holiday", per_minutes: unit, price_minor: dearer },
    ...(["weekday", "holiday", "all"] as const).map((day_type): Rule => ({
      category: "cap",
      day_type,
      cap_type: "duration",
      cap_duration_hours: 12,
      cap_price_minor: day_type === "weekday" ? dayCap : to(100, dayCap * 1.3),
      cap_repeat: false,
    })),
  ];
}

/** A building: the first half hour at one price, then by the hour, overnight at one price. */
function overnightFlat({ price, dayCap, nightCap }: Scale): Rule[] {
  return [
    { category: "initial", per_minutes: 30, price_minor: to(50, price * 1.5) },
    {
      category: "time_band",
      time_start: "07:00",
      time_end: "23:00",
      per_minutes: 30,
      price_minor: to(50, price * 1.5),
    },
    { category: "flat", time_start: "23:00", time_end: "07:00", price_minor: to(100, nightCap * 1.5) },
    { category: "cap", cap_type: "day", cap_price_minor: dayCap, cap_repeat: true },
  ];
}

/** A shop's own: free for an hour, and who only turns round pays nothing. */
function freeHour({ unit, price }: Scale): Rule[] {
  return [
    { category: "grace", per_minutes: 10 },
    { category: "initial", per_minutes: 60, price_minor: 0 },
    { category: "time_band", per_minutes: unit, price_minor: price },
  ];
}

/** A rate that caps itself by day, and a bargain for those who come before noon. */
function earlyBird({ unit, price, dayCap }: Scale): Rule[] {
  return [
    {
      category: "time_band",
      time_start: "07:00",
      time_end: "20:00",
      per_minutes: unit,
      price_minor: price,
      cap_type: "band",
      cap_price_minor: dayCap,
      cap_repeat: true,
    },
    { category: "time_band", time_start: "20:00", time_end: "07:00", per_minutes: 60, price_minor: to(10, price / 2) },
    {
      category: "cap",
      time_start: "06:00",
      time_end: "12:00",
      cap_type: "duration",
      cap_duration_hours: 12,
      cap_price_minor: to(100, dayCap * 0.8),
    },
  ];
}

/** One price for the stay, however long. */
function perStay({ dayCap }: Scale): Rule[] {
  return [
    { category: "grace", per_minutes: 15 },
    { category: "flat", price_minor: to(100, dayCap * 0.7) },
  ];
}

/** Public: short stays are cheap, a long stay is capped in all. */
function municipal({ price }: Scale): Rule[] {
  return [
    { category: "grace", per_minutes: 20 },
    { category: "time_band", per_minutes: 30, price_minor: to(10, price * 0.9) },
    { category: "cap", cap_type: "stay", cap_price_minor: to(100, price * 18) },
  ];
}

const CARS: Group = { code: "cars", name: "普通車", is_default: true, vehicle_types: null };
const MOTORCYCLES: Group = {
  code: "motorcycles",
  name: "バイク",
  is_default: false,
  vehicle_types: ["moped", "motorcycle"],
};
const LARGE: Group = { code: "large", name: "大型車", is_default: false, vehicle_types: ["large", "truck", "bus"] };

const STREET = [dayAndNight, dayAndNight, oneRate, oneRate, workdaysAndDaysOff, earlyBird];
const BUILDING = [overnightFlat, overnightFlat, workdaysAndDaysOff, freeHour, oneRate, perStay];

export function priceList(
  random: Random,
  level: number,
  kind: "street" | "building" | "municipal",
  takes: { readonly motorcycles: boolean; readonly large: boolean },
): PriceList {
  const prices = scale(random, level);
  const write = kind === "municipal" ? municipal : random.pick(kind === "street" ? STREET : BUILDING);
  const rules = write(prices);
  if (!takes.motorcycles && !takes.large) return { rules, groups: [] };
  const cars = rules.map((rule) => ({ ...rule, group: CARS.code }));
  const others: Rule[] = [];
  const groups = [CARS];
  if (takes.motorcycles) {
    groups.push(MOTORCYCLES);
    others.push(
      { group: MOTORCYCLES.code, category: "time_band", per_minutes: 60, price_minor: 100 },
      { group: MOTORCYCLES.code, category: "cap", cap_type: "day", cap_price_minor: 500, cap_repeat: true },
    );
  }
  if (takes.large) {
    groups.push(LARGE);
    others.push({ group: LARGE.code, category: "time_band", per_minutes: 30, price_minor: to(100, prices.price * 3) });
  }
  return { rules: [...cars, ...others], groups };
}
