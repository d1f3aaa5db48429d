// Prices of OpenStreetMap: fee, charge, fee:conditional and charge:conditional, as pricing rules and back.
//
// In these tags a later condition replaces an earlier one. The rows of a lot are ranked by day type and order. Both are
// compared hour by hour: each day of the week has parts, and each part has one price.
import type { PricingRule } from "../import/pricing.ts";
import { DAY_MINUTES, DAYS, HOLIDAY, type Selector, selectorOf, selectorText, type Span, UnreadTag } from "./week.ts";

export type Tags = Readonly<Record<string, string>>;

/** A metered price, or one price however long (no minutes). */
interface Price {
  readonly minutes: number | null;
  readonly amount: number;
}

/** A part of a day with one price. `clause` keeps parts of different conditions apart. */
interface Part extends Span {
  readonly price: Price;
  readonly clause: number;
}

const FREE: Price = { minutes: null, amount: 0 };
const UNITS: Readonly<Record<string, number>> = { hour: 60, hours: 60, h: 60, minute: 1, minutes: 1, min: 1 };

/** Digits after the point of a currency: 0 of JPY, 2 of EUR. */
export function digitsOf(currency: string): number {
  return new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

function minorOf(text: string, currency: string): number {
  const [, whole = "", decimals = ""] = /^(\d{1,7})(?:\.(\d{1,4}))?$/.exec(text) ?? [];
  const digits = digitsOf(currency), kept = decimals.replace(/0+$/, "");
  if (whole === "" || kept.length > digits) throw new UnreadTag(`${text} ${currency} is not an amount of money`);
  return Number(whole) * 10 ** digits + Number(kept.padEnd(digits, "0") || "0");
}

/** `30 minutes`, `1.5 hours`, `hour`. */
export function durationOf(text: string): number {
  const [, number, unit = ""] = /^(?:(\d+(?:\.\d+)?) ?)?([a-z]+)$/.exec(text.trim()) ?? [];
  const minutes = Number(number ?? 1) * (UNITS[unit] ?? NaN);
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > 527_040) {
    throw new UnreadTag(`${JSON.stringify(text.trim())} is not a number of minutes or hours`);
  }
  return minutes;
}

/** `2.50 EUR/hour`, `300 JPY/30 minutes`, `5 EUR`. */
function priceOf(text: string): { readonly price: Price; readonly currency: string } {
  const match = /^([\d.]+) ([A-Z]{3})(?: ?\/ ?(.+))?$/.exec(text.trim());
  if (match === null) throw new UnreadTag(`the charge ${JSON.stringify(text.trim())} is not read`);
  const [, amount = "", currency = "", unit] = match;
  return {
    currency,
    price: { minutes: unit === undefined ? null : durationOf(unit), amount: minorOf(amount, currency) },
  };
}

interface Clause {
  readonly value: string;
  readonly selector: Selector;
  /** The longest stay that the value is for, or the stay from which it is. */
  readonly upTo: number | null;
  readonly over: number | null;
}

/** `no @ (Mo-Fr 18:00-08:00); yes @ stay > 30 minutes`: separated by semicolons outside of brackets. */
function clausesOf(value: string): readonly Clause[] {
  const clauses: Clause[] = [];
  for (const text of value.split(/;(?![^(]*\))/)) {
    if (text.trim() === "") continue;
    const match = /^([^@]+)@ *(?:\((.*)\)|([^()]+))$/.exec(text.trim());
    if (match === null) throw new UnreadTag(`the condition ${JSON.stringify(text.trim())} is not read`);
    const condition = (match[2] ?? match[3] ?? "").trim();
    let upTo: number | null = null, over: number | null = null;
    const times: string[] = [];
    for (const part of condition.split(/ AND /)) {
      const stay = /^stay ?(<=|<|>=|>) ?(.+)$/.exec(part.trim());
      if (stay === null) times.push(part);
      else if (stay[1]!.startsWith("<")) upTo = durationOf(stay[2]!);
      else over = durationOf(stay[2]!);
    }
    const selectors = times.length === 0 ? ["24/7"] : times.length === 1 ? times[0]!.split(";") : [];
    if (selectors.length === 0) throw new UnreadTag(`the condition ${JSON.stringify(condition)} is not read`);
    for (const selector of selectors) {
      clauses.push({ value: match[1]!.trim(), selector: selectorOf(selector), upTo, over });
    }
  }
  return clauses;
}

/** What each minute of each day has: the place of the last clause that holds, or -1. */
function timeline(selectors: readonly Selector[]): Int16Array[] {
  const days = DAYS.map(() => new Int16Array(DAY_MINUTES).fill(-1));
  selectors.forEach(({ days: named, spans }, n) => {
    for (const { from, to } of spans ?? [{ from: 0, to: DAY_MINUTES }]) {
      if (to > DAY_MINUTES && named !== null) throw new UnreadTag("hours that end on the next day, on some days only");
      for (const day of named ?? DAYS.keys()) {
        for (let minute = from; minute < to; minute++) days[day]![minute % DAY_MINUTES] = n;
      }
    }
  });
  return days;
}

/**
 * On a holiday the conditions of its day of the week hold too. Raises UnreadTag where one of them would decide a minute of
 * a holiday: the rows of a lot do not know which day of the week a holiday is.
 */
function checkHoliday(selectors: readonly Selector[], winners: Int16Array, isAsked: (minute: number) => boolean): void {
  selectors.forEach(({ days, spans }, n) => {
    if (days === null || days.includes(HOLIDAY)) return;
    for (const { from, to } of spans ?? [{ from: 0, to: DAY_MINUTES }]) {
      for (let minute = from; minute < to; minute++) {
        if (winners[minute]! < n && isAsked(minute)) {
          throw new UnreadTag("hours of holidays that conditions for days of the week name too");
        }
      }
    }
  });
}

function partsOf(clauses: Int16Array, priceAt: (clause: number) => Price | null): Part[] {
  const parts: Part[] = [];
  for (let minute = 0; minute < DAY_MINUTES;) {
    const clause = clauses[minute]!, from = minute;
    while (minute < DAY_MINUTES && clauses[minute] === clause) minute++;
    const price = priceAt(clause);
    if (price !== null) parts.push({ from, to: minute, price, clause });
  }
  return parts;
}

/** Joins the part before midnight with the one after it, where every day is the same. */
function joined(parts: readonly Part[]): readonly Part[] {
  const first = parts[0], last = parts.at(-1);
  if (parts.length < 2 || first === undefined || last === undefined) return parts;
  if (first.from !== 0 || last.to !== DAY_MINUTES || first.clause !== last.clause) return parts;
  return [...parts.slice(1, -1), { ...last, to: DAY_MINUTES + first.to }];
}

function clock(minutes: number): string {
  const within = minutes > DAY_MINUTES ? minutes - DAY_MINUTES : minutes;
  return `${String(Math.floor(within / 60)).padStart(2, "0")}:${String(within % 60).padStart(2, "0")}`;
}

type Row = Omit<PricingRule, "rule_order">;

function rowOf({ from, to, price }: Part, day_type: NonNullable<PricingRule["day_type"]>, isWhole: boolean): Row {
  return {
    category: price.minutes === null ? "flat" : "time_band",
    day_type,
    ...(isWhole ? {} : { time_start: clock(from), time_end: clock(to) }),
    ...(price.minutes === null ? {} : { per_minutes: price.minutes }),
    price_minor: price.amount,
  };
}

/** Rows of parts of each day. Days that differ between Monday and Friday have no day type. */
function rowsOf(days: readonly (readonly Part[])[], namesHolidays: boolean): Row[] {
  const content = (parts: readonly Part[]) => JSON.stringify(parts.map(({ from, to, price }) => [from, to, price]));
  const used = days.slice(0, namesHolidays ? HOLIDAY + 1 : HOLIDAY);
  const [first] = used;
  const rows = (parts: readonly Part[], day_type: NonNullable<PricingRule["day_type"]>) =>
    parts.map((part) =>
      rowOf(
        part,
        day_type,
        // A flat row without a band would hold to the end of the stay, also on the next day.
        part.to - part.from === DAY_MINUTES &&
          (part.price.minutes !== null || (day_type === "all" && part.price.amount === 0)),
      )
    );
  if (used.every((parts) => content(parts) === content(first!))) return rows(joined(first!), "all");
  if (days.slice(0, 5).some((parts) => content(parts) !== content(first!))) {
    throw new UnreadTag("a rule is for all days from Monday to Friday");
  }
  if (
    used.some((parts) =>
      parts.some(({ from, to, price }) =>
        price.minutes === null && price.amount > 0 && (from === 0 || to === DAY_MINUTES)
      )
    )
  ) {
    throw new UnreadTag("one price for hours around midnight, on some days only");
  }
  return [
    ...rows(days[0]!, "weekday"),
    ...rows(days[5]!, "saturday"),
    ...rows(days[6]!, "sunday"),
    ...(namesHolidays ? rows(days[HOLIDAY]!, "holiday") : []),
  ];
}

const STATES: Readonly<Record<string, boolean>> = { yes: true, no: false };

export interface Charges {
  /** Null: the tags state no price. */
  readonly rules: readonly PricingRule[] | null;
  readonly currency: string | null;
}

/** The pricing rules of fee and charge tags. Raises UnreadTag where a part of them is not read. */
export function rulesOfTags(tags: Tags): Charges {
  const { fee, charge } = tags;
  const fees = clausesOf(tags["fee:conditional"] ?? ""), charges = clausesOf(tags["charge:conditional"] ?? "");
  if (fee === undefined && charge === undefined && fees.length + charges.length === 0) {
    return { rules: null, currency: null };
  }
  if (fee !== undefined && STATES[fee] === undefined) throw new UnreadTag(`fee=${fee} is not read`);
  const isPaid = fee === undefined ? true : STATES[fee]!;
  const currencies = new Set<string>();
  const priced = (text: string) => {
    const { price, currency } = priceOf(text);
    currencies.add(currency);
    return price;
  };
  const usual = charge === undefined ? null : priced(charge);
  let grace: number | null = null;
  const feeHours: { readonly selector: Selector; readonly isPaid: boolean }[] = [];
  for (const { value, selector, upTo, over } of fees) {
    const state = STATES[value];
    if (state === undefined) throw new UnreadTag(`fee:conditional=${value} is not read`);
    if (upTo === null && over === null) {
      feeHours.push({ selector, isPaid: state });
      continue;
    }
    const isGrace = upTo !== null ? isPaid && !state && over === null : !isPaid && state;
    if (!isGrace || grace !== null || fees.length > 1 || selector.days !== null || selector.spans !== null) {
      throw new UnreadTag("a condition of the length of the stay, and others");
    }
    grace = upTo ?? over;
  }
  const isUsuallyPaid = grace === null ? isPaid : true;
  const hours: { readonly selector: Selector; readonly price: Price }[] = [];
  for (const { value, selector, upTo, over } of charges) {
    const price = priced(value);
    if (
      upTo !== null && over === null && price.amount === 0 && grace === null && selector.days === null &&
      selector.spans === null
    ) {
      grace = upTo;
    } else if (upTo !== null || over !== null) {
      throw new UnreadTag("a charge for stays of some length");
    } else {
      if (price.minutes === null && price.amount > 0 && selector.spans === null) {
        throw new UnreadTag("one price on some days: until when is not stated");
      }
      hours.push({ selector, price });
    }
  }
  if (currencies.size > 1) throw new UnreadTag(`several currencies: ${[...currencies].join(", ")}`);
  const [currency = null] = currencies;
  const order = (rows: readonly Row[]): Charges => ({
    rules: rows.length === 0 ? null : [
      ...(grace === null ? [] : [{ category: "grace" as const, day_type: "all" as const, per_minutes: grace }]),
      ...rows,
    ].map((row, n) => ({ ...row, rule_order: n + 1 })),
    currency,
  });
  if (usual !== null && usual.minutes === null && usual.amount > 0) {
    if (hours.length + feeHours.length > 0) throw new UnreadTag("one price for a stay, and conditions");
    if (!isUsuallyPaid) throw new UnreadTag("fee=no with a charge");
    return order([{ category: "flat", day_type: "all", price_minor: usual.amount }]);
  }
  if (!isUsuallyPaid && feeHours.length === 0 && (usual !== null || hours.length > 0)) {
    throw new UnreadTag("fee=no with a charge");
  }
  // A minute is free or paid by the fee tags; where it is paid, the charge tags have its price.
  const isPaidAt = timeline(feeHours.map(({ selector }) => selector));
  const chargeAt = timeline(hours.map(({ selector }) => selector));
  const priceAt = (code: number): Price | null => {
    const feeClause = Math.floor(code / 1000) - 1, chargeClause = code % 1000 - 1;
    const paid = feeClause < 0 ? isUsuallyPaid : feeHours[feeClause]!.isPaid;
    return !paid ? FREE : chargeClause < 0 ? usual : hours[chargeClause]!.price;
  };
  const namesHolidays = [...feeHours, ...hours].some(({ selector }) => selector.days?.includes(HOLIDAY));
  if (namesHolidays) {
    const onHoliday = isPaidAt[HOLIDAY]!;
    const isPaidMinute = (minute: number) => {
      const clause = onHoliday[minute]!;
      return clause < 0 ? isUsuallyPaid : feeHours[clause]!.isPaid;
    };
    checkHoliday(feeHours.map(({ selector }) => selector), onHoliday, () => true);
    checkHoliday(hours.map(({ selector }) => selector), chargeAt[HOLIDAY]!, isPaidMinute);
  }
  if (feeHours.length > 20 || hours.length > 100) throw new UnreadTag("more than 100 conditions");
  const days = DAYS.map((_, day) => {
    const codes = isPaidAt[day]!.map((clause, minute) => {
      const isFree = !(clause < 0 ? isUsuallyPaid : feeHours[clause]!.isPaid);
      return (clause + 1) * 1000 + (isFree ? 0 : chargeAt[day]![minute]! + 1);
    });
    return partsOf(codes, priceAt);
  });
  return order(rowsOf(days, namesHolidays));
}

const SPECIFICITY: Readonly<Record<string, number>> = { all: 0, weekday: 1, saturday: 1, sunday: 1, holiday: 2 };
const DAYS_OF: Readonly<Record<string, readonly number[]>> = {
  all: [0, 1, 2, 3, 4, 5, 6, HOLIDAY],
  weekday: [0, 1, 2, 3, 4],
  saturday: [5],
  sunday: [6],
  holiday: [HOLIDAY],
};

/** Why tags cannot carry a rule; undefined if they can. */
function lostBecause(rule: PricingRule, rules: readonly PricingRule[]): string | undefined {
  const { category, cap_type, day_type, time_start, price_minor } = rule;
  if (category === "cap" || (cap_type !== undefined && cap_type !== null)) return "a maximum price";
  if (category === "initial") return "a price of the first minutes";
  const { effective_from, effective_to } = rule as { effective_from?: string | null; effective_to?: string | null };
  if ((effective_from ?? effective_to ?? null) !== null) return "a price with dates";
  if ((rule.max_units ?? null) !== null) return "a price of some units of a band";
  if (SPECIFICITY[day_type ?? "all"] === undefined) return "a price of the eve of a holiday";
  const isBanded = time_start !== undefined && time_start !== null;
  if (category === "grace") {
    const isOnly = rules.filter((other) => other.category === "grace").length === 1;
    return isOnly && (day_type ?? "all") === "all" && !isBanded
      ? undefined
      : "a free time on some days or at some hours";
  }
  const rates = rules.filter((other) => other.category === "flat" || other.category === "time_band");
  if (category === "flat") {
    if (!isBanded && (rates.length > 1 || (day_type ?? "all") !== "all")) {
      return "one price for a stay, on some days or beside others";
    }
    const isOfDays = rates.some((other) => (other.day_type ?? "all") !== "all");
    if (isBanded && isOfDays && (price_minor ?? 0) > 0) return "one price for some hours, beside prices of some days";
  }
  if (category === "time_band" && price_minor === 0 && rules.some((other) => (other.price_minor ?? 0) > 0)) {
    return "free units that may run on into paid hours";
  }
  return undefined;
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}

/** The selector of a row: a band that ends on the next day is for all days, or is the part of its own days. */
function spansOf({ time_start, time_end, day_type }: PricingRule): readonly Span[] | null {
  if (time_start === undefined || time_start === null || time_end === undefined || time_end === null) return null;
  const from = minutesOf(time_start), end = minutesOf(time_end);
  if (end > from) return [{ from, to: end }];
  // The calendar day is the moment's own, also after midnight.
  if ((day_type ?? "all") === "all") return [{ from, to: end + DAY_MINUTES }];
  return [{ from, to: DAY_MINUTES }, ...(end === 0 ? [] : [{ from: 0, to: end }])];
}

function amountText(amount: number, currency: string): string {
  const digits = digitsOf(currency);
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`;
}

function unitText(minutes: number): string {
  if (minutes === 60) return "hour";
  if (minutes % 60 === 0) return `${minutes / 60} hours`;
  return minutes === 1 ? "minute" : `${minutes} minutes`;
}

function priceText({ minutes, amount }: Price, currency: string): string {
  return minutes === null ? amountText(amount, currency) : `${amountText(amount, currency)}/${unitText(minutes)}`;
}

/** Selectors that together hold some parts of each day, each minute once. */
function selectorsOf(days: readonly (readonly Part[])[], namesHolidays: boolean, isFlat: boolean): readonly Selector[] {
  const used = [...DAYS.keys()].slice(0, namesHolidays ? HOLIDAY + 1 : HOLIDAY);
  const key = (parts: readonly Part[]) => JSON.stringify(parts.map(({ from, to }) => [from, to]));
  const groups = Map.groupBy(used.filter((day) => days[day]!.length > 0), (day) => key(days[day]!));
  return [...groups].flatMap(([, named]) => {
    const isEvery = named.length === used.length;
    const parts = isEvery ? joined(days[named[0]!]!) : days[named[0]!]!;
    // One price of each calendar day needs its hours: without them it would be one price of the stay.
    const isWhole = !isFlat && parts.length === 1 && parts[0]!.from === 0 && parts[0]!.to === DAY_MINUTES;
    return [{ days: isEvery ? null : named, spans: isWhole ? null : parts.map(({ from, to }) => ({ from, to })) }];
  });
}

export interface ChargeTags {
  readonly tags: Tags;
  /** What the tags do not carry. If there is something, they state no charge: it would be wrong. */
  readonly lost: readonly string[];
}

/** Fee and charge tags of pricing rules. Tags that could not be read back are not written. */
export function tagsOfRules(rules: readonly PricingRule[], currency: string): ChargeTags {
  const written = writtenTags(rules, currency);
  try {
    rulesOfTags(written.tags);
  } catch (error) {
    if (!(error instanceof UnreadTag)) throw error;
    return { tags: { fee: "yes" }, lost: [error.message] };
  }
  return written;
}

function writtenTags(rules: readonly PricingRule[], currency: string): ChargeTags {
  const rates = rules.filter(({ category }) => category === "time_band" || category === "flat");
  if (rates.length === 0) return { tags: {}, lost: [] };
  const lost = [...new Set(rules.flatMap((rule) => lostBecause(rule, rules) ?? []))];
  const paid = { fee: rates.every(({ price_minor }) => price_minor === 0) ? "no" : "yes" };
  if (lost.length > 0) return { tags: { fee: "yes" }, lost };
  const grace = rules.find(({ category }) => category === "grace")?.per_minutes;
  const graceTag: Tags = grace === undefined || grace === null || paid.fee === "no" ? {} : {
    "fee:conditional": `no @ (stay <= ${
      unitText(grace) === "hour" ? "1 hour" : unitText(grace) === "minute" ? "1 minute" : unitText(grace)
    })`,
  };
  // The weakest first, because a later condition replaces an earlier one.
  const ranked = rates.toSorted((a, b) =>
    SPECIFICITY[a.day_type ?? "all"]! - SPECIFICITY[b.day_type ?? "all"]! || b.rule_order - a.rule_order
  );
  const priceOfRow = ({ category, per_minutes, price_minor }: PricingRule): Price => ({
    minutes: category === "flat" || price_minor === 0 ? null : per_minutes ?? null,
    amount: price_minor ?? 0,
  });
  const [only] = ranked;
  if (ranked.length === 1 && (only!.day_type ?? "all") === "all" && (only!.time_start ?? null) === null) {
    const price = priceOfRow(only!);
    return {
      tags: price.amount === 0 ? { fee: "no" } : { fee: "yes", charge: priceText(price, currency), ...graceTag },
      lost: [],
    };
  }
  const namesHolidays = rates.some(({ day_type }) => day_type === "holiday");
  const winners = DAYS.map(() => new Int16Array(DAY_MINUTES).fill(-1));
  // Metered rows of one price are one, because a unit runs on from the one into the other.
  const placeOf = (row: PricingRule, n: number) => {
    if (row.category === "flat" && (row.price_minor ?? 0) > 0) return n;
    const key = JSON.stringify(priceOfRow(row));
    return ranked.findIndex((other) => (other.category === row.category) && JSON.stringify(priceOfRow(other)) === key);
  };
  ranked.forEach((row, n) => {
    for (const { from, to } of spansOf(row) ?? [{ from: 0, to: DAY_MINUTES }]) {
      for (const day of DAYS_OF[row.day_type ?? "all"]!) {
        for (let minute = from; minute < to; minute++) winners[day]![minute % DAY_MINUTES] = n;
      }
    }
  });
  const used = namesHolidays ? HOLIDAY + 1 : HOLIDAY;
  // A flat unit runs to the end of its band, also where other rows begin in it.
  const isCut = ranked.some((row, n) => {
    if (row.category !== "flat") return false;
    const spans = spansOf(row) ?? [];
    const length = spans.reduce((sum, { from, to }) => sum + to - from, 0);
    const runsOn = spans.length > 1 || spans.some(({ to }) => to > DAY_MINUTES);
    if (runsOn && ((row.day_type ?? "all") !== "all" || length === DAY_MINUTES)) return true;
    return DAYS_OF[row.day_type ?? "all"]!.filter((day) => day < used).some((day) => {
      const held = winners[day]!.filter((winner) => winner === n).length;
      return held !== length && (runsOn || held !== 0);
    });
  });
  if (isCut) return { tags: { fee: "yes" }, lost: ["one price for hours that other rows interrupt"] };
  const places = ranked.map(placeOf);
  const clauses = winners.map((day) => day.map((winner) => winner < 0 ? -1 : places[winner]!));
  // Without rows for holidays a holiday is a day of the week.
  const days = clauses.map((day) => partsOf(day, (clause) => clause < 0 ? null : priceOfRow(ranked[clause]!)));
  const conditions = ranked.flatMap((row, n) => {
    const price = priceOfRow(row);
    const of = days.map((parts) => parts.filter(({ clause }) => clause === n));
    return selectorsOf(of, namesHolidays, price.minutes === null && price.amount > 0).map((selector) => ({
      price,
      text: selectorText(selector),
    }));
  });
  // Holidays come last, because on a holiday the conditions of its day of the week hold too.
  const rank = (text: string) => Number(text.includes("PH"));
  conditions.sort((a, b) =>
    rank(a.text) - rank(b.text) || a.price.amount - b.price.amount || (a.text < b.text ? -1 : 1)
  );
  if (conditions.every(({ price }) => price.amount === 0)) {
    const isWhole = days.slice(0, used).every((parts) =>
      parts.reduce((sum, { from, to }) => sum + to - from, 0) === DAY_MINUTES
    );
    return isWhole
      ? { tags: { fee: "no" }, lost: [] }
      : { tags: {}, lost: ["free hours, beside hours without a price"] };
  }
  const [first] = conditions;
  if (conditions.length === 1 && first!.text === "24/7") {
    return { tags: { fee: "yes", charge: priceText(first!.price, currency), ...graceTag }, lost: [] };
  }
  const free = conditions.filter(({ price }) => price.amount === 0),
    charged = conditions.filter(({ price }) => price.amount > 0);
  const holiday = days[HOLIDAY]!.filter(({ price }) => price.amount > 0).map(({ from, to }) => ({ from, to }));
  const paidHoliday = namesHolidays && holiday.length > 0
    ? [`yes @ (${selectorText({ days: [HOLIDAY], spans: holiday })})`]
    : [];
  if (free.length > 0 && grace !== undefined) return { tags: { fee: "yes" }, lost: ["a free time, beside free hours"] };
  return {
    tags: {
      ...paid,
      ...graceTag,
      ...(free.length > 0 && charged.length > 0
        ? { "fee:conditional": [...free.map(({ text }) => `no @ (${text})`), ...paidHoliday].join("; ") }
        : {}),
      ...(charged.length === 0 ? {} : {
        "charge:conditional": charged.map(({ price, text }) => `${priceText(price, currency)} @ (${text})`).join(
          "; ",
        ),
      }),
    },
    lost: [],
  };
}
