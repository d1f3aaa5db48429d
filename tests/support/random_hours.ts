// Random hours of lots around a fortnight, from a seed.
import type { Kind, LotHours, Override, OverrideHours, Span, Window } from "../oracles/hours.ts";

export class Random {
  constructor(private state: number) {}

  /** Mulberry32: [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  integer(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.integer(0, items.length - 1)]!;
  }
}

const KINDS: Kind[] = ["business", "business", "business", "entry", "exit", "after_hours_exit"];
const DAY_TYPES = [null, null, null, "all", "weekday", "saturday", "sunday", "holiday", "holiday_eve"];
// Among them the hours that clocks skip or repeat: 02:00 in Zurich, midnight in Havana and on the Azores.
const TIMES = [
  "00:00",
  "00:15",
  "00:30",
  "01:00",
  "02:00",
  "02:15",
  "02:45",
  "03:00",
  "06:00",
  "09:00",
  "12:30",
  "18:00",
];

function time(random: Random): string {
  if (random.chance(0.6)) return random.pick(TIMES);
  return `${String(random.integer(0, 23)).padStart(2, "0")}:${String(random.integer(0, 59)).padStart(2, "0")}`;
}

function openClose(random: Random): { open_time: string; close_time: string } {
  const open_time = time(random);
  const close_time = random.chance(0.1) ? "24:00" : random.chance(0.08) ? open_time : time(random);
  return { open_time, close_time };
}

function randomWindow(random: Random, dates: readonly string[]): Window {
  const row: Window = {
    window_type: random.pick(KINDS),
    day_type: random.pick(DAY_TYPES),
    day_of_week: random.chance(0.3) ? random.integer(0, 6) : null,
  };
  const what = random.next();
  if (what < 0.1) row.is_24h = true;
  else if (what < 0.18) row.is_closed = true;
  else if (what < 0.24) row.is_24h = row.is_closed = random.pick([null, false]);
  else {Object.assign(row, openClose(random), {
      is_24h: random.pick([null, false]),
      is_closed: random.pick([null, false]),
    });}
  // What a flag says counts, with times or without.
  if ((row.is_24h || row.is_closed) && random.chance(0.2)) Object.assign(row, openClose(random));
  if (random.chance(0.2)) {
    const range = [random.pick(dates), random.pick(dates)].sort();
    if (random.chance(0.7)) row.effective_from = range[0]!;
    if (random.chance(0.7)) row.effective_to = range[1]!;
  }
  return row;
}

function randomSpans(random: Random): Span[] {
  return Array.from({ length: random.pick([0, 1, 1, 1, 2, 3]) }, (): Span => {
    const what = random.next();
    return what < 0.1 ? { is_closed: true } : what < 0.2 ? { is_24h: true } : openClose(random);
  });
}

function randomOverride(random: Random, override_date: string): Override {
  if (random.chance(0.1)) return { override_date, hours: null };
  const hours: OverrideHours = {};
  if (random.chance(0.5)) {
    for (const kind of ["business", "entry", "exit", "after_hours_exit"] as const) {
      if (random.chance(kind === "business" ? 0.6 : 0.3)) hours[kind] = randomSpans(random);
    }
  }
  if (random.chance(0.35)) hours.is_closed = random.chance(0.85);
  if (random.chance(0.25)) hours.is_24h = random.chance(0.85);
  return { override_date, hours };
}

/** Hours whose ranges and overrides lie on or about the given dates. */
export function randomLot(random: Random, time_zone: string, dates: readonly string[]): LotHours {
  const windows = Array.from(
    { length: random.integer(0, random.pick([1, 3, 6, 12])) },
    () => randomWindow(random, dates),
  );
  // Half of the lots keep to business hours, which then answer for everything.
  if (random.chance(0.35)) {
    for (const row of windows) {
      row.window_type = random.pick(["business", "after_hours_exit"]);
    }
  }
  const overridden = new Set(
    random.chance(0.6) ? Array.from({ length: random.integer(1, 4) }, () => random.pick(dates)) : [],
  );
  return { time_zone, windows, date_overrides: [...overridden].map((date) => randomOverride(random, date)) };
}
