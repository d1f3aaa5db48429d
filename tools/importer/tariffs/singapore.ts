// Car park rates of Singapore's Land Transport Authority: one text for weekdays (in two columns), one for Saturdays, one
// for Sundays and public holidays, such as "7am-6pm: $1.20 for 1st hr; $0.60 for sub. ½ hr; Aft 6pm: $3 per entry".
//
// A car park is read as a whole or not at all. "1st hr" is the first hour of the stay, if the stay begins in those hours.
// "per entry" is one price until those hours end; without hours, until the day ends. "Aft 6pm" ends where the day's first
// hours begin. Other hours have no price.
import {
  type Band,
  cents,
  clockMinutes,
  covered,
  DAY_MINUTES,
  type DayType,
  type Draft,
  during,
  overlap,
  rulesOfDays,
  type Tariff,
  Unread,
} from "./tariff.ts";

/** Prices of the first minutes, then a metered or one flat price. */
interface Price {
  readonly first: readonly { readonly minutes: number; readonly price: number }[];
  readonly metered?: { readonly minutes: number; readonly price: number };
  readonly flat?: number;
}

/** `to` is absent after "Aft 6pm"; `from` and `to` are absent for all hours. */
interface Part {
  readonly days?: readonly DayType[];
  readonly from?: number;
  readonly to?: number;
  readonly price: Price;
  /** A maximum of each so many hours from entry. */
  readonly cap?: { readonly hours: number; readonly price: number };
}

/** Longer hours of a price by the hour, beside other hours, are a slip such as "7pm-6pm". */
const MOST_MINUTES = 18 * 60;
const SAME = /^(?:charges )?same as (wkdays|weekdays|saturday)\.?$/i;
const SAME_UNTIL = /^charges same as wkdays,? but \$([\d.]+) per entry after ([\d.:]+[ap]m)\.?$/i;

function normalized(text: string): string {
  return text.toLowerCase().replaceAll(/[\s\u00a0]+/g, " ").replaceAll("s$", "$").replaceAll(/\$ /g, "$")
    .replaceAll(/(\d)½/g, "$1.5").replaceAll("½", "0.5").replaceAll(/\b1\/2 (?=h)/g, "0.5 ")
    .replaceAll(/\b12 ?(?:midnight|mn)\b/g, "12am")
    .replaceAll(/\bor part thereof\b/g, "").replaceAll(/\b(?:hours?|hrs?)\b\.?/g, "hr")
    .replaceAll(/(\d|-)(?:hours?|hrs?)\b\.?/g, "$1 hr").replaceAll(/\bmins?\b/g, "min").replaceAll(
      /(\d)mins?\b/g,
      "$1 min",
    )
    .replaceAll(/\bsub(?:sequent)?\b\.?/g, "sub ").replaceAll(/\bafter\b/g, "aft").replaceAll(/\bfor for\b/g, "for")
    .replaceAll(/\(car ?park at [a-z ]+\)/g, "").replaceAll(/\(the (?:following|next) day\)|\(next day\)/g, "")
    .replaceAll(/\s+/g, " ").trim();
}

const DAYS: readonly (readonly [RegExp, readonly DayType[]])[] = [
  [/daily(?=\()/y, ["weekday", "saturday", "sunday", "holiday"]],
  [/daily ?[:,]/y, ["weekday", "saturday", "sunday", "holiday"]],
  [/mon-fri ?:/y, ["weekday"]],
  [/sat, ?sun ?\/ ?ph ?:/y, ["saturday", "sunday", "holiday"]],
  [/wkdays ?:/y, ["weekday"]],
];
const PARTIAL_DAYS = /\b(mon-thu(?:rs?)?|fri|eve of ph|sch(?:ool)? holidays?|sat & ph|sat, sun & eve|sat-sun)\b/;
const TIME = String.raw`\d{1,2}(?:[.:]\d{2})? ?[ap]m|\d{4}(?!\d)`;
const HOURS = new RegExp(String.raw`\(?(?:from )?(${TIME}) ?(?:-|to) ?(${TIME})\)? ?(?::-|[:-])? ?`, "y");
const AFTER = new RegExp(String.raw`(?:aft (${TIME})|from (${TIME})|(${TIME}) onwards) ?[:-]? ?`, "y");
const AMOUNT = String.raw`\$([\d.]*\d)`;
const UNIT = String.raw`(?:(\d+(?:\.\d+)?)[ -]?)?(hr|min)`;
const FIRST = [
  new RegExp(String.raw`${AMOUNT} (?:for|per) 1st ${UNIT}`, "y"),
  new RegExp(String.raw`1st ${UNIT}:? ?${AMOUNT}`, "y"),
] as const;
const FREE_FIRST = new RegExp(String.raw`(?:free (?:for )?1st ${UNIT}|1st ${UNIT}:? ?free)`, "y");
const SUB = [
  new RegExp(String.raw`${AMOUNT}(?: ?\/| per| for|) (?:next )?sub ?${UNIT}`, "y"),
  new RegExp(String.raw`sub ${AMOUNT} per ${UNIT}`, "y"),
  new RegExp(String.raw`${AMOUNT} ?(?:\/|per) ?${UNIT} thereafter`, "y"),
] as const;
const SECOND = new RegExp(String.raw`2nd hr:? ${AMOUNT} per ${UNIT}`, "y");
const ONWARDS = new RegExp(String.raw`(?:(\d)(?:rd|th) hr onwards|aft (\d) ?hr): ${AMOUNT} per ${UNIT}`, "y");
const METERED = new RegExp(String.raw`${AMOUNT} ?(?:\/|per|for) ?${UNIT}(?: block)?(?! thereafter| for sub)`, "y");
const EQUAL_RATE = new RegExp(String.raw`\/ ?${AMOUNT} per ${UNIT}`, "y");
const FLAT = new RegExp(String.raw`${AMOUNT} ?(?:per entry|\/ ?entry|flat)`, "y");
const FREE = /free(?: parking)?(?! 1st| for)/y;
const CAP = new RegExp(String.raw`\(?(?:capped at|max:) ${AMOUNT} (?:per|every) (\d+) ?hr\)?`, "y");
const SEPARATOR = /[ ;.,]+/y;

function minutesOf(number: string | undefined, unit: string): number {
  const minutes = Number(number ?? 1) * (unit === "hr" ? 60 : 1);
  if (!Number.isInteger(minutes) || minutes < 1) throw new Unread(`${number} ${unit} is not a number of minutes`);
  return minutes;
}

class Reader {
  #at = 0;

  constructor(readonly text: string) {}

  get isDone(): boolean {
    return this.#at >= this.text.length;
  }

  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text);
    if (found !== null) this.#at += found[0].length;
    return found;
  }

  separate(): void {
    this.take(SEPARATOR);
  }

  unread(): Unread {
    return new Unread(`${JSON.stringify(this.text.slice(this.#at, this.#at + 60))} is not read`);
  }
}

/** A price after the first minutes, or undefined. */
function laterOf(reader: Reader): Price["metered"] {
  for (const pattern of SUB) {
    const found = reader.take(pattern);
    if (found !== null) return { minutes: minutesOf(found[2], found[3]!), price: cents(found[1]!) };
  }
  return undefined;
}

function meteredOf(reader: Reader): Price["metered"] {
  const found = reader.take(METERED);
  if (found === null) return undefined;
  const metered = { minutes: minutesOf(found[2], found[3]!), price: cents(found[1]!) };
  const equal = reader.take(EQUAL_RATE);
  if (equal !== null && cents(equal[1]!) * metered.minutes !== metered.price * minutesOf(equal[2], equal[3]!)) {
    throw new Unread(`${JSON.stringify(found[0] + equal[0])} are two prices`);
  }
  return metered;
}

function stagesOf(reader: Reader, first: { minutes: number; price: number }[]): Price {
  reader.separate();
  const second = reader.take(SECOND);
  if (second === null) {
    const metered = laterOf(reader) ?? meteredOf(reader);
    return metered === undefined ? { first } : { first, metered };
  }
  if (first[0]!.minutes !== 60) throw new Unread("a price of the 2nd hour that does not begin after one hour");
  const unit = minutesOf(second[2], second[3]!);
  if (60 % unit !== 0) throw reader.unread();
  for (let n = 0; n < 60 / unit; n++) first.push({ minutes: unit, price: cents(second[1]!) });
  reader.separate();
  const onwards = reader.take(ONWARDS);
  if (onwards === null || (onwards[1] !== undefined ? onwards[1] !== "3" : onwards[2] !== "2")) throw reader.unread();
  return { first, metered: { minutes: minutesOf(onwards[4], onwards[5]!), price: cents(onwards[3]!) } };
}

function priceOf(reader: Reader): Price {
  const free = reader.take(FREE_FIRST);
  if (free !== null) {
    return stagesOf(reader, [{ minutes: minutesOf(free[1] ?? free[3], (free[2] ?? free[4])!), price: 0 }]);
  }
  const [before, after] = FIRST;
  let found = reader.take(before);
  if (found !== null) return stagesOf(reader, [{ minutes: minutesOf(found[2], found[3]!), price: cents(found[1]!) }]);
  found = reader.take(after);
  if (found !== null) return stagesOf(reader, [{ minutes: minutesOf(found[1], found[2]!), price: cents(found[3]!) }]);
  found = reader.take(FLAT);
  if (found !== null) return { first: [], flat: cents(found[1]!) };
  const metered = meteredOf(reader);
  if (metered !== undefined) return { first: [], metered };
  if (reader.take(FREE) !== null) return { first: [], flat: 0 };
  throw reader.unread();
}

/** The parts of a column's text. */
function partsOf(text: string): readonly Part[] {
  const plain = normalized(text);
  const partial = PARTIAL_DAYS.exec(plain);
  if (partial !== null && !DAYS.some(([pattern]) => new RegExp(`^${pattern.source}`).test(plain))) {
    throw new Unread(`the days ${JSON.stringify(partial[0])}: a rule is for all days from Monday to Friday`);
  }
  if (/per min(?:ute)? (?:charging|basis)|per min charging/.test(plain)) {
    throw new Unread("a price of 30 minutes that is charged by the minute");
  }
  const reader = new Reader(plain);
  const parts: Part[] = [];
  let days: readonly DayType[] | undefined;
  while (!reader.isDone) {
    for (const [pattern, named] of DAYS) if (reader.take(pattern) !== null) days = named;
    reader.separate();
    const hours = reader.take(HOURS);
    const after = hours === null ? reader.take(AFTER) : null;
    const from = hours?.[1] ?? after?.[1] ?? after?.[2] ?? after?.[3], to = hours?.[2];
    const start = from === undefined ? undefined : clockMinutes(from.replaceAll(" ", ""));
    const end = to === undefined ? undefined : clockMinutes(to.replaceAll(" ", ""));
    if ((from !== undefined && start === undefined) || (to !== undefined && end === undefined)) throw reader.unread();
    const price = priceOf(reader);
    reader.separate();
    const cap = reader.take(CAP);
    reader.separate();
    parts.push({
      ...(days === undefined ? {} : { days }),
      ...(start === undefined ? {} : { from: start }),
      ...(end === undefined ? {} : { to: end }),
      price,
      ...(cap === null ? {} : { cap: { price: cents(cap[1]!), hours: Number(cap[2]) } }),
    });
  }
  return parts;
}

/** The band of a part; "Aft 6pm" ends where the first hours of the day begin. */
function bandOf(part: Part, parts: readonly Part[]): Band | undefined {
  if (part.from === undefined) return undefined;
  if (part.to !== undefined) return { from: part.from % DAY_MINUTES, to: part.to };
  const first = parts.find(({ from, to }) => from !== undefined && to !== undefined);
  const lateStart = parts.findLast((other) => other.from !== undefined && other !== part && other.to === undefined);
  if (first === undefined || lateStart !== undefined) throw new Unread('where "after" ends is not stated');
  return { from: part.from % DAY_MINUTES, to: first.from! };
}

function rowsOf(parts: readonly Part[]): Draft[] {
  const bands = parts.map((part) => bandOf(part, parts));
  const isLong = (part: Part, n: number) =>
    part.price.flat === undefined && bands[n] !== undefined &&
    covered([bands[n]]).filter(Boolean).length > MOST_MINUTES;
  if (parts.length > 1 && parts.some(isLong)) throw new Unread("hours of more than 18 hours beside others");
  const held = bands.map((band) => band ?? { from: 0, to: DAY_MINUTES });
  held.forEach((band, n) => {
    if (held.slice(n + 1).some((other) => overlap(band, other))) throw new Unread("the hours of two prices overlap");
  });
  if (parts.filter(({ price }) => price.first.length > 0).length > 1) {
    throw new Unread('a "1st hour" in two parts of a day: what a stay across both pays is not stated');
  }
  const caps = parts.flatMap(({ cap }) => cap === undefined ? [] : [cap]);
  // A maximum of a part is one of the stay only if the stay cannot leave the part.
  if (caps.length > 0 && parts.length > 1) throw new Unread("a maximum of one part of a day");
  const rows: Draft[] = [];
  parts.forEach(({ price }, n) => {
    const band = bands[n];
    for (const first of price.first) {
      rows.push({ category: "initial", per_minutes: first.minutes, price_minor: first.price, ...during(band) });
    }
    if (price.metered !== undefined) {
      const { minutes, price: amount } = price.metered;
      rows.push({ category: "time_band", per_minutes: minutes, price_minor: amount, ...during(band) });
    }
    if (price.flat !== undefined) {
      rows.push({ category: "flat", price_minor: price.flat, ...during(band ?? { from: 0, to: DAY_MINUTES }) });
    }
  });
  for (const { hours, price } of caps) {
    rows.push({
      category: "cap",
      cap_type: "duration",
      cap_duration_hours: hours,
      cap_price_minor: price,
      cap_repeat: true,
    });
  }
  return rows;
}

/** Rows that begin after midnight and before the day's first hours: listed last, they may be of the next day. */
function smallHours(parts: readonly Part[]): string {
  const late = parts.filter(({ from }, n) => n > 0 && from !== undefined && from % DAY_MINUTES < (parts[0]!.from ?? 0));
  return JSON.stringify(late.map((part) => [bandOf(part, parts), part.price]));
}

function isBlank(text: string): boolean {
  return /^-?$/.test(text.trim());
}

/** Weekday parts until an hour, and one price after it. */
function cutAt(parts: readonly Part[], at: number, price: number): readonly Part[] {
  const [first] = parts;
  if (first?.from === undefined || first.to === undefined || !(first.from < at && at < first.to)) {
    throw new Unread('"same as weekdays, but" where weekdays have no hours around it');
  }
  return [{ ...first, to: at }, { from: at, to: first.from, price: { first: [], flat: price } }];
}

function read(
  columns: { weekday: readonly string[]; saturday: string; sunday: string },
): Map<DayType, readonly Draft[]> {
  const weekday = [...new Set(columns.weekday.filter((text) => !isBlank(text)).map(normalized))].flatMap(partsOf);
  if (weekday.length === 0) throw new Unread("no price of weekdays");
  const like = (text: string, saturday: readonly Part[] | undefined): readonly Part[] => {
    if (/^(?:closed|season|carpark not|for tenants|hdb coupon|ura coupon)/i.test(text.trim())) {
      throw new Unread(`no price: ${text.trim()}`);
    }
    const same = SAME.exec(text.trim()), until = SAME_UNTIL.exec(text.trim());
    if (until !== null) return cutAt(weekday, clockMinutes(until[2]!)!, cents(until[1]!));
    if (same === null) return partsOf(text);
    if (!/^sat/i.test(same[1]!)) return weekday;
    if (saturday === undefined) throw new Unread("the same as Saturdays, which have no price");
    return saturday;
  };
  const named = (parts: readonly Part[], day: DayType) => parts.some(({ days }) => days?.includes(day));
  const isDaily = (day: DayType) => named(weekday, day);
  const saturday = isBlank(columns.saturday)
    ? isDaily("saturday") ? weekday : undefined
    : like(columns.saturday, undefined);
  const sunday = isBlank(columns.sunday)
    ? isDaily("sunday") ? weekday : saturday !== undefined && named(saturday, "sunday") ? saturday : undefined
    : like(columns.sunday, saturday);
  // Without rows for holidays a holiday would cost what its day of the week costs.
  if (sunday === undefined) throw new Unread("no price of Sundays and public holidays");
  for (const [day, parts] of [["weekday", weekday], ["saturday", saturday], ["sunday", sunday]] as const) {
    const of = parts === weekday ? "weekday" : parts === saturday ? "saturday" : day;
    if (parts?.some(({ days }) => days !== undefined && !days.includes(of))) throw new Unread("days of another column");
  }
  if (new Set([weekday, saturday ?? weekday, sunday].map(smallHours)).size > 1) {
    throw new Unread("hours after midnight with another price on other days: of which day is not stated");
  }
  const days = new Map<DayType, readonly Draft[]>([["weekday", rowsOf(weekday)]]);
  if (saturday !== undefined) days.set("saturday", rowsOf(saturday));
  days.set("sunday", rowsOf(sunday)).set("holiday", rowsOf(sunday));
  return days;
}

export function singaporeTariff(values: Readonly<Record<string, unknown>>): Tariff {
  const of = (column: string) => String(values[column] ?? "");
  const texts = ["weekdays_rate_1", "weekdays_rate_2", "saturday_rate", "sunday_publicholiday_rate"].map(of);
  const [first = "", second = "", saturday = "", sunday = ""] = texts;
  const lines = texts.filter((text) => !isBlank(text)).length;
  try {
    const without = texts.find((text) =>
      /^(?:closed|season parking|carpark not in use|for tenants only|hdb coupon|ura coupon)/i.test(text.trim())
    );
    if (without !== undefined) throw new Unread(`no price: ${without.trim()}`);
    return { lines, rules: rulesOfDays(read({ weekday: [first, second], saturday, sunday })) };
  } catch (error) {
    if (!(error instanceof Unread)) throw error;
    return { lines, problem: error.message };
  }
}
