// Random price lists and stays. The same seed gives the same ones.
import type { Rule, Stay } from "./fees.ts";

export type RandomStay = Omit<Stay, "holidays">;

/** Around summer time's beginning and end, holidays in lieu, the year's end, and an ordinary week. */
const STARTS = ["2026-03-18", "2026-03-27", "2026-04-28", "2026-10-23", "2026-12-29", "2026-06-01"];
const LENGTHS_S = [7_200, 86_400, 86_400, 5 * 86_400, 20 * 86_400];

export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let word = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  }

  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<Value>(...values: [Value, ...Value[]]): Value {
    return values[this.int(0, values.length - 1)]!;
  }

  happens(share: number): boolean {
    return this.next() < share;
  }
}

export function randomStay(chance: Chance): RandomStay {
  const start = Date.parse(chance.pick(...STARTS as [string, ...string[]])) + chance.int(0, 4 * 86_400) * 1000 +
    chance.pick(0, 0, 0, chance.int(1, 999));
  const exit = start + chance.int(1, chance.pick(...LENGTHS_S as [number, ...number[]])) * 1000 +
    chance.pick(0, 0, 0, chance.int(1, 999));
  const overridden = chance.happens(0.3) ? [new Date(start + chance.int(0, 2) * 86_400_000)] : [];
  return {
    time_zone: chance.pick("Asia/Tokyo", "Asia/Tokyo", "Europe/Zurich"),
    rules: randomRules(chance).map((rule) => ({ ...rule, id: randomId(chance) })),
    date_overrides: overridden.map((date) => ({
      override_date: date.toISOString().slice(0, 10),
      pricing: chance.happens(0.1) ? null : randomRules(chance),
    })),
    entry_at: new Date(start).toISOString(),
    exit_at: new Date(exit).toISOString(),
  };
}

type Terms = Omit<Rule, "id">;

function randomRules(chance: Chance): Terms[] {
  const rules: Terms[] = [];
  const several = (count: number, make: () => Terms) => {
    for (let n = 0; n < count; n++) rules.push({ ...make(), rule_order: chance.int(1, 5) });
  };
  if (chance.happens(0.8)) {
    rules.push({
      category: "time_band",
      rule_order: 9,
      per_minutes: chance.pick(10, 20, 30, 60),
      price_minor: chance.pick(100, 200, 330),
    });
  }
  several(chance.int(0, 3), () => {
    const rate = row(chance, "time_band");
    return {
      ...rate,
      per_minutes: chance.pick(7, 15, 20, 60, 90),
      price_minor: chance.int(0, 5) * 100,
      max_units: rate.time_start && chance.happens(0.4) ? chance.int(1, 8) : null,
      ...ownCap(chance, 0.25),
    };
  });
  several(chance.pick(0, 0, 1), () => ({
    ...row(chance, "flat"),
    price_minor: chance.int(0, 12) * 100,
    ...ownCap(chance, 0.2),
  }));
  several(chance.pick(0, 0, 1, 2), () => ({
    ...row(chance, "initial"),
    per_minutes: chance.pick(15, 30, 60),
    price_minor: chance.int(0, 4) * 100,
  }));
  several(chance.pick(0, 0, 0, 0, 1), () => ({ ...row(chance, "grace"), per_minutes: chance.pick(10, 30, 120) }));
  several(chance.pick(0, 1, 1, 2, 3), () => withCap(chance, row(chance, "cap"), 30));
  return rules.map((rule) => "cap_type" in rule ? withCap(chance, rule, 10) : rule);
}

function row(chance: Chance, category: Rule["category"]): Terms {
  const days = [null, null, "all", "all", "weekday", "saturday", "sunday", "holiday", "holiday_eve"] as const;
  const bands = chance.happens(0.5)
    ? {}
    : { time_start: clock(chance), time_end: chance.pick(clock(chance), clock(chance), "24:00", "00:00") };
  return { category, rule_order: 1, day_type: chance.pick<string | null>(...days), ...bands };
}

function clock(chance: Chance): string {
  return `${String(chance.int(0, 23)).padStart(2, "0")}:${chance.pick("00", "00", "30", "15")}`;
}

/** Marks a rate for a cap of its own. */
function ownCap(chance: Chance, share: number): Partial<Terms> {
  return chance.happens(share) ? { cap_type: "day" } : {};
}

function withCap(chance: Chance, rule: Terms, most: number): Terms {
  if (rule.cap_price_minor !== undefined) return rule;
  const cap_type = chance.pick("duration", "day", "stay", rule.time_start ? "band" : "day");
  return {
    ...rule,
    cap_type,
    cap_duration_hours: cap_type === "duration" ? chance.pick(1, 3, 6, 12, 24, 1.5) : null,
    cap_price_minor: chance.int(0, most) * 100,
    cap_repeat: chance.pick(true, true, false, null),
  };
}

function randomId(chance: Chance): string {
  const hex = () => chance.int(0, 0xffff).toString(16).padStart(4, "0");
  return `${hex()}${hex()}-${hex()}-4${hex().slice(1)}-8${hex().slice(1)}-${hex()}${hex()}${hex()}`;
}
