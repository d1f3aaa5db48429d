// The fee of a stay, unit by unit, from docs/domains/fees.md alone: slow on purpose, and independent of the SQL.
// The database has to agree with it.
import { HoursOracle, type OverrideHours, type Window as HoursWindow } from "./hours.ts";

export interface Rule {
  id: string;
  category: "time_band" | "flat" | "initial" | "grace" | "cap" | "published_total";
  rule_order: number;
  time_start?: string | null;
  time_end?: string | null;
  day_type?: string | null;
  per_minutes?: number | null;
  price_minor?: number | null;
  cap_type?: "duration" | "day" | "band" | "stay" | null;
  cap_duration_hours?: number | null;
  cap_price_minor?: number | null;
  cap_repeat?: boolean | null;
  effective_from?: string | null;
  effective_to?: string | null;
  max_units?: number | null;
  /** A row that is for these days of the week, after all others. Only naive readings have such rows. */
  other_days?: readonly string[];
}

export interface Stay {
  readonly time_zone: string;
  readonly rules: readonly Rule[];
  readonly date_overrides: readonly {
    override_date: string;
    pricing: readonly Omit<Rule, "id">[] | null;
    hours?: OverrideHours | null;
  }[];
  /** All moments are priced by the rules in effect on the date of entry. */
  readonly price_fixed_at_entry?: boolean;
  /** No unit begins while the lot is closed by these windows. */
  readonly free_while_closed?: boolean;
  readonly windows?: readonly HoursWindow[];
  readonly holidays: ReadonlySet<string>;
  readonly entry_at: string;
  readonly exit_at: string;
}

export type NaiveFee =
  | { readonly total: number }
  | { readonly reason: "no_rules" | "no_rate"; readonly from?: string }
  | { readonly reason: "only_totals"; readonly at_least: number; readonly at_most?: number; readonly from?: undefined };

/** A rule with the overridden date whose row it is, and the name by which ties are settled. */
type Row = Omit<Rule, "id"> & { readonly name: string; readonly set: string | null };
type Family = "rate" | "initial" | "grace" | "cap" | "published_total";
interface Wall {
  readonly date: Temporal.PlainDate;
  readonly name: string;
  readonly second: number;
}
interface Window {
  readonly place: number;
  readonly from: bigint;
}

const MINUTE = 60_000_000n;
const HOUR = 3_600_000_000;
const DAY_S = 86_400;
const SPECIFICITY: Record<string, number> = { all: 0, weekday: 1, saturday: 1, sunday: 1, holiday_eve: 2, holiday: 3 };

/** A stay lasts whole seconds, at least one if it is not empty, from the second of its entry. */
export function inWholeSeconds<Times extends { entry_at: string; exit_at: string }>(stay: Times): Times {
  const entry = Temporal.Instant.from(stay.entry_at);
  const length = entry.until(Temporal.Instant.from(stay.exit_at)).total("seconds");
  const start = entry.round({ smallestUnit: "second", roundingMode: "floor" });
  const exit = start.add({ seconds: length > 0 ? Math.max(1, Math.floor(length)) : 0 });
  return { ...stay, entry_at: start.toString(), exit_at: exit.toString() };
}

export function naiveFee(asGiven: Stay): NaiveFee {
  const stay = inWholeSeconds(asGiven);
  const entry = micros(stay.entry_at);
  const exit = micros(stay.exit_at);
  if (entry === exit) return { total: 0 };
  const prices = new PriceList(stay.price_fixed_at_entry ? { ...stay, rules: rulesOfEntry(stay) } : stay);
  const nextOpen = stay.free_while_closed ? openings(stay) : (at: bigint) => at;
  if (prices.isEmpty) return { reason: "no_rules" };
  for (const row of mostSpecific(prices.inForce("grace", entry))) {
    if (exit - entry <= BigInt(row.per_minutes!) * MINUTE) return { total: 0 };
  }
  const totals = mostSpecific(prices.inForce("published_total", entry));
  if (totals.length > 0) return feeOfTotals(totals, stay, exit - entry);

  const left = new Map<string, bigint>();
  const begun = new Map<string, number>();
  let total = 0n;
  const charge = (row: Row, at: bigint) => {
    let cost = BigInt(row.price_minor!);
    const windows = [...prices.windows(row, at, entry)];
    for (const [name, cap] of windows) cost = smaller(cost, left.get(name) ?? cap);
    for (const [name, cap] of windows) left.set(name, (left.get(name) ?? cap) - cost);
    total += cost;
  };
  let now = nextOpen(entry);
  for (const row of mostSpecific(prices.inForce("initial", entry))) {
    if (now >= exit) break;
    charge(row, now);
    now = nextOpen(now + BigInt(row.per_minutes!) * MINUTE);
  }
  while (now < exit) {
    const begins = (row: Row) => begun.get(prices.occurrence(row, now)) ?? 0;
    const row = prices.inForce("rate", now).find((row) => begins(row) < (row.max_units ?? Infinity));
    if (!row) return { reason: "no_rate", from: instant(now).toString() };
    begun.set(prices.occurrence(row, now), begins(row) + 1);
    charge(row, now);
    now = nextOpen(
      row.category === "flat" ? prices.endOfFlat(row, now, exit) : now + BigInt(row.per_minutes!) * MINUTE,
    );
  }
  return { total: Number(total) };
}

/** What the published sums say of a stay of some length, if a price never falls with time. */
function feeOfTotals(
  totals: readonly Row[],
  { entry_at, exit_at, time_zone, date_overrides }: Stay,
  length: bigint,
): NaiveFee {
  const dateOf = (at: Temporal.Instant) => at.toZonedDateTimeISO(time_zone).toPlainDate().toString();
  const entry = Temporal.Instant.from(entry_at);
  const last = dateOf(Temporal.Instant.from(exit_at).subtract({ microseconds: 1 }));
  const isSpecial = date_overrides.some(({ override_date, pricing }) =>
    pricing !== null && override_date > dateOf(entry) && override_date <= last
  );
  const points = totals.map((row) => [BigInt(row.per_minutes!) * MINUTE, row.price_minor!] as const);
  const falls = points.some(([long, less]) => points.some(([short, more]) => short <= long && more > less));
  if (isSpecial || falls) return { reason: "no_rate", from: entry.toString() };
  const at_least = Math.max(0, ...points.filter(([minutes]) => minutes <= length).map(([, price]) => price));
  const longer = points.filter(([minutes]) => minutes >= length).map(([, price]) => price);
  if (longer.length === 0) return { reason: "only_totals", at_least };
  const at_most = Math.min(...longer);
  return at_least === at_most ? { total: at_least } : { reason: "only_totals", at_least, at_most };
}

function rulesOfEntry({ entry_at, time_zone, rules }: Stay): Rule[] {
  const date = Temporal.Instant.from(entry_at).toZonedDateTimeISO(time_zone).toPlainDate().toString();
  return rules.filter((rule) => isInEffect(rule, date)).map((rule) => ({
    ...rule,
    effective_from: null,
    effective_to: null,
  }));
}

/** The first moment from one on at which the lot is not known to be closed. */
function openings({ time_zone, windows, date_overrides, holidays }: Stay): (at: bigint) => bigint {
  const hours = new HoursOracle(
    { time_zone, windows: [...windows ?? []], date_overrides: [...date_overrides] },
    holidays,
  );
  return (at) => {
    // Hours begin and end at full minutes.
    if (hours.answers(Number(at / 1000n)).is_open !== false) return at;
    const opening = hours.next("is_open", Number(at / 1000n), (value) => value !== false);
    if (opening === null) throw new Error("A fortnight without an opening");
    return BigInt(opening) * 1000n;
  };
}

function isInEffect(
  { effective_from, effective_to }: Pick<Rule, "effective_from" | "effective_to">,
  date: string,
): boolean {
  return (effective_from ?? date) <= date && date <= (effective_to ?? date);
}

class PriceList {
  readonly #stay: Stay;
  readonly #rows: readonly Row[];
  readonly #overridden: ReadonlySet<string>;
  readonly #kinds: ReadonlyMap<string, readonly Row[]>;
  readonly #days = new Map<string, readonly Row[]>();
  readonly #walls = new Map<bigint, Wall>();
  readonly #occurrences = new Map<string, { from: bigint; to: bigint }[]>();

  constructor(stay: Stay) {
    this.#stay = stay;
    const overrides = stay.date_overrides.filter(({ pricing }) => pricing !== null);
    this.#overridden = new Set(overrides.map(({ override_date }) => override_date));
    this.#rows = [
      ...stay.rules.map(({ id, ...rule }) => ({ ...rule, name: id, set: null })),
      ...overrides.flatMap(({ override_date, pricing }) =>
        pricing!.map((rule, place) => ({ ...rule, name: String(place).padStart(4, "0"), set: override_date }))
      ),
    ];
    this.#kinds = Map.groupBy(this.#rows.filter(({ category }) => category === "cap"), (cap) => {
      const band = cap.cap_type === "band" ? bandOf(cap) : null;
      return [cap.cap_type, cap.cap_duration_hours, band].join(" ");
    });
  }

  get isEmpty(): boolean {
    return this.#rows.length === 0;
  }

  /** The rows of a family in force at a moment, the one that goes before the others first. */
  inForce(family: Family, at: bigint): Row[] {
    return this.#ofDay(family, at).filter((row) => this.#holds(row, at));
  }

  /** The windows of caps that a unit of this row lies in: their names, and what they allow. */
  *windows(row: Row, at: bigint, entry: bigint): Generator<[name: string, cap: bigint]> {
    if (row.category !== "cap" && row.cap_type) {
      const window = this.#window(row, at, entry);
      if (window && (window.place === 0 || row.cap_repeat)) {
        yield [`own ${row.set} ${row.name} ${window.from}`, BigInt(row.cap_price_minor!)];
      }
    }
    for (const [kind, caps] of this.#kinds) {
      const window = this.#window(caps[0]!, at, entry);
      if (!window) continue;
      const first = window.from > entry ? window.from : entry;
      const [counting] = this.#ofDay("cap", first).filter((cap) => caps.includes(cap))
        .filter((cap) => cap.cap_type === "band" || this.#holds(cap, first))
        .filter((cap) => window.place === 0 || cap.cap_repeat);
      if (counting) yield [`${kind} ${window.from}`, BigInt(counting.cap_price_minor!)];
    }
  }

  /** A row in the occurrence of its band that has a moment, by the date on which it begins. */
  occurrence(row: Row, at: bigint): string {
    const isOfYesterday = this.#secondOf(at) < (bandOf(row)?.[0] ?? 0);
    return `${row.set} ${row.name} ${this.#dateOf(at).subtract({ days: isOfYesterday ? 1 : 0 })}`;
  }

  endOfFlat(row: Row, now: bigint, exit: bigint): bigint {
    const band = bandOf(row);
    if (!band) return exit;
    const second = this.#secondOf(now);
    const begunToday = second >= band[0] && second < band[1];
    return this.#instantOf(begunToday ? this.#dateOf(now) : this.#dateOf(now).subtract({ days: 1 }), band[1]);
  }

  /** The wall clock at a moment, asked many times for each unit: Temporal takes most of the time of this oracle. */
  #wall(at: bigint): Wall {
    let known = this.#walls.get(at);
    if (known === undefined) {
      const wall = instant(at).toZonedDateTimeISO(this.#stay.time_zone);
      const date = wall.toPlainDate();
      const second = wall.hour * 3600 + wall.minute * 60 + wall.second + wall.millisecond / 1e3 +
        wall.microsecond / 1e6;
      known = { date, name: date.toString(), second };
      this.#walls.set(at, known);
    }
    return known;
  }

  #dateOf(at: bigint): Temporal.PlainDate {
    return this.#wall(at).date;
  }

  #secondOf(at: bigint): number {
    return this.#wall(at).second;
  }

  #instantOf(date: Temporal.PlainDate, second: number): bigint {
    const time = Temporal.PlainTime.from("00:00").add({ seconds: second % DAY_S });
    const wall = date.add({ days: Math.floor(second / DAY_S) }).toPlainDateTime(time);
    return wall.toZonedDateTime(this.#stay.time_zone, { disambiguation: "later" }).epochNanoseconds / 1000n;
  }

  /** The occurrences of a band, from the two days before the entry on. */
  #occurrence(entry: bigint, place: number, start: number, end: number): { from: bigint; to: bigint } {
    const key = `${start} ${end}`;
    const known = this.#occurrences.get(key) ?? [];
    this.#occurrences.set(key, known);
    return known[place] ??= ((date) => ({ from: this.#instantOf(date, start), to: this.#instantOf(date, end) }))(
      this.#dateOf(entry).add({ days: place - 2 }),
    );
  }

  #holds(row: Row, at: bigint): boolean {
    const band = bandOf(row);
    if (!band) return true;
    const second = this.#secondOf(at);
    return [second, second + DAY_S].some((each) => each >= band[0] && each < band[1]);
  }

  #ofFamily(family: Family, at: bigint): Row[] {
    const date = this.#wall(at).name;
    const set = this.#overridden.has(date) ? date : null;
    return this.#rows.filter((row) => familyOf(row) === family && row.set === set && isInEffect(row, date));
  }

  #ofDay(family: Family, at: bigint): readonly Row[] {
    const key = `${family} ${this.#wall(at).name}`;
    let known = this.#days.get(key);
    if (known === undefined) {
      const types = this.#dayTypes(family, at);
      known = this.#ofFamily(family, at).filter((row) =>
        (row.other_days ?? [row.day_type ?? "all"]).some((day) => types.includes(day))
      ).sort((a, b) => specificity(b) - specificity(a) || a.rule_order - b.rule_order || (a.name < b.name ? -1 : 1));
      this.#days.set(key, known);
    }
    return known;
  }

  #dayTypes(family: Family, at: bigint): string[] {
    const date = this.#dateOf(at);
    const week = date.dayOfWeek === 6 ? "saturday" : date.dayOfWeek === 7 ? "sunday" : "weekday";
    if (this.#stay.holidays.has(this.#wall(at).name)) {
      const named = this.#ofFamily(family, at).some((row) => row.day_type === "holiday");
      return [named ? "holiday" : week, "all"];
    }
    const isEve = this.#stay.holidays.has(date.add({ days: 1 }).toString());
    return isEve ? ["holiday_eve", week, "all"] : [week, "all"];
  }

  /** The window of the row's series that holds a moment. */
  #window(row: Row, at: bigint, entry: bigint): Window | null {
    if (row.cap_type === "stay") return { place: 0, from: entry };
    if (row.cap_type === "duration") {
      const span = BigInt(Math.round(row.cap_duration_hours! * HOUR));
      return { place: Number((at - entry) / span), from: entry + ((at - entry) / span) * span };
    }
    const [start, end] = row.cap_type === "day" ? [0, DAY_S] : bandOf(row)!;
    let place = -1;
    for (let day = 0;; day++) {
      const { from, to } = this.#occurrence(entry, day, start, end);
      if (to > entry) place++;
      if (from > at) return null;
      if (at < to) return { place, from };
    }
  }
}

/** Seconds since midnight; the end lies after the start, perhaps on the next day. */
function bandOf({ time_start, time_end }: Row): [start: number, end: number] | null {
  if (!time_start || !time_end) return null;
  const start = secondsOf(time_start);
  const end = secondsOf(time_end) || DAY_S;
  return [start, end > start ? end : end + DAY_S];
}

function secondsOf(time: string): number {
  const [hours, minutes, seconds] = time.split(":").map(Number);
  return hours! * 3600 + minutes! * 60 + (seconds ?? 0);
}

function familyOf({ category }: Row): Family {
  return category === "time_band" || category === "flat" ? "rate" : category;
}

function specificity({ day_type, other_days }: Row): number {
  if (other_days) return -1;
  return SPECIFICITY[day_type ?? "all"]!;
}

function mostSpecific(rows: Row[]): Row[] {
  return rows.filter((row) => specificity(row) === specificity(rows[0]!));
}

function micros(text: string): bigint {
  return Temporal.Instant.from(text).epochNanoseconds / 1000n;
}

function instant(us: bigint): Temporal.Instant {
  return Temporal.Instant.fromEpochNanoseconds(us * 1000n);
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
