// Price lists of the Toronto Parking Authority (Green P): a price of a half hour, and lines such as
// "Day Maximum (7am - 6pm)": "$14.00".
//
// A list is read as a whole or not at all. The half-hour price holds in the hours that its lines name; other hours have no
// price. A maximum holds for each occurrence of its hours, or for each "24 hr Period" from entry.
import {
  type Band,
  cents,
  clockMinutes,
  covered,
  type DayType,
  type Draft,
  during,
  overlap,
  rulesOfDays,
  type Tariff,
  Unread,
} from "./tariff.ts";

interface Line {
  readonly when: string;
  readonly rate: string;
}

interface Period {
  readonly title: string;
  readonly rates: readonly Line[];
  readonly notes: readonly string[];
}

/** What lines of some days say. */
interface Stated {
  /** Hours of the half-hour price. */
  readonly metered: Band[];
  readonly free: Band[];
  readonly flat: { readonly band: Band; readonly price: number }[];
  readonly caps:
    ({ readonly band: Band; readonly price: number } | { readonly hours: number; readonly price: number })[];
}

const DAY_NAMES = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const SHORT: Readonly<Record<string, string>> = { sat: "saturday", sun: "sunday", sundays: "sunday" };
const WHOLE_DAY: Band = { from: 0, to: 1440 };

function plain(text: string): string {
  return text.replaceAll(/[\s\u00a0\u00c2]+/g, " ").trim();
}

/** `Monday - Friday`, `Saturday/Sunday/Holidays`, `Monday - Sunday & Holidays`; undefined for a text of another kind. */
function daysOf(title: string): readonly DayType[] | undefined {
  const named = new Set<string>();
  const text = plain(title).toLowerCase().replace(/\bweekends?\b/, "saturday & sunday").replace(
    /\bstatutory holidays?\b/,
    "holidays",
  )
    .replace(/\bto\b/g, "-").replaceAll(/\band\b/g, "&");
  for (const part of text.split(/[&,/]/)) {
    const [from, to, ...more] = part.split("-").map((name) => SHORT[name.trim()] ?? name.trim());
    if (more.length > 0 || from === undefined) return undefined;
    if (/^holidays?$/.test(from) && to === undefined) {
      named.add("holiday");
      continue;
    }
    const start = DAY_NAMES.indexOf(from), end = to === undefined ? start : DAY_NAMES.indexOf(to);
    if (start < 0 || end < 0) return undefined;
    for (let day = start;; day = (day + 1) % 7) {
      named.add(DAY_NAMES[day]!);
      if (day === end) break;
    }
  }
  const days: DayType[] = [];
  const workdays = DAY_NAMES.slice(0, 5).filter((day) => named.has(day));
  if (workdays.length > 0 && workdays.length < 5) {
    throw new Unread(`the days ${JSON.stringify(plain(title))}: a rule is for all days from Monday to Friday`);
  }
  if (workdays.length === 5) days.push("weekday");
  if (named.has("saturday")) days.push("saturday");
  if (named.has("sunday")) days.push("sunday");
  if (named.has("holiday") || days.length === 3) days.push("holiday");
  return days;
}

function bandOf(text: string): Band | undefined {
  const match = /^\(?\s*([\d:]+\s*[ap]m)\s*-\s*([\d:]+\s*[ap]m)\s*\)$/i.exec(plain(text));
  const from = clockMinutes(match?.[1] ?? ""), to = clockMinutes(match?.[2] ?? "");
  return from === undefined || to === undefined ? undefined : { from, to };
}

const ROLLING = [
  /^maximum \(any (\d+) (?:hr|hour) period\)$/i,
  /^any (\d+) hour period$/i,
  /^(\d+)[ -]hour rolling maximum$/i,
  /^maximum \((\d+) hour rolling max\)$/i,
  /^maximum \(rolling (\d+) hour ?\)$/i,
];
const NO_MAXIMUM = /^no (?:day )?max(?:imum)?(?: - half hour rates apply)?$/i;

/** Texts that state no price of a short stay. */
const WITHOUT_PRICE =
  /elevator|^monthly permits (?:are|at) |^the monthly permit at this location|monthlypermits@|^\d{3}-\d{3}-\d{4}$|^please note there is reduced parking due to construction|^overnight residential parking with valid street permit\.$|^please note$|^garage entrance via|^please be advised$/i;

function addLine(stated: Stated, { when, rate }: Line, base: number): void {
  const said = plain(when), price = plain(rate);
  const unread = () => new Unread(`the line ${JSON.stringify(`${said}: ${price}`)} is not read`);
  const amount = /^\$(\d+(?:\.\d+)?)$/.exec(price)?.[1];
  for (const pattern of ROLLING) {
    const hours = Number(pattern.exec(said)?.[1] ?? 0);
    if (hours === 0) continue;
    if (amount === undefined) throw unread();
    stated.metered.push(WHOLE_DAY);
    stated.caps.push({ hours, price: cents(amount) });
    return;
  }
  const [, kind, hours] = /^((?:day |night |evening )?maximum|flat rate|)\s*(\(?[^()]*\))$/i.exec(said) ?? [];
  const band = hours === undefined ? undefined : bandOf(hours);
  if (band === undefined || kind === undefined) throw unread();
  if (/^free$/i.test(price)) {
    stated.free.push(band);
  } else if (/^flat/i.test(kind)) {
    if (amount === undefined) throw unread();
    stated.flat.push({ band, price: cents(amount) });
  } else if (NO_MAXIMUM.test(price)) {
    stated.metered.push(band);
  } else if (amount !== undefined && kind !== "") {
    // A maximum below the price of one unit would be the price itself.
    if (cents(amount) < base) throw new Unread(`the maximum ${price} is less than the price of a half hour`);
    stated.metered.push(band);
    stated.caps.push({ band, price: cents(amount) });
  } else {
    throw unread();
  }
}

function addNote(stated: Stated, note: string, base: number): void {
  const text = plain(note);
  const halfHour = /^rate (?:1\/2 hr|per 1\/2 hour) - \$(\d+(?:\.\d+)?)$/i.exec(text)?.[1];
  const freeBefore = /^free parking before (\d+ ?[ap]m)$/i.exec(text)?.[1];
  const line = /^(.*\)|\d+-hour rolling maximum)\s*(?:-|for)?\s*(\$[\d.]+|no maximum)$/i.exec(text);
  if (halfHour !== undefined) {
    if (cents(halfHour) !== base) throw new Unread(`the note ${JSON.stringify(text)} has another price of a half hour`);
  } else if (freeBefore !== undefined) {
    stated.free.push({ from: 0, to: clockMinutes(freeBefore)! });
  } else if (line !== null) {
    addLine(stated, { when: line[1]!, rate: line[2]! }, base);
  } else if (text !== "" && !WITHOUT_PRICE.test(text)) {
    throw new Unread(`the note ${JSON.stringify(text)} is not read`);
  }
}

/** Rows of one day type. Hours of two lines must not overlap; a line for any hours stands alone. */
function rowsOf({ metered, free, flat, caps }: Stated, base: number): Draft[] {
  const bands = [...metered, ...free, ...flat.map(({ band }) => band)];
  bands.forEach((band, n) => {
    if (bands.slice(n + 1).some((other) => overlap(band, other))) throw new Unread("the hours of two lines overlap");
  });
  if (flat.length > 1) {
    throw new Unread("flat rates of two parts of a day: whether a stay across both pays both is not stated");
  }
  if (metered.length > 0 && base === 0) throw new Unread("the price of a half hour is 0: either free or unknown");
  const rows: Draft[] = free.map((band) => ({ category: "flat", price_minor: 0, ...during(band) }));
  rows.push(...flat.map(({ band, price }): Draft => ({ category: "flat", price_minor: price, ...during(band) })));
  const unit: Draft = { category: "time_band", per_minutes: 30, price_minor: base };
  if (covered(metered).every((is) => is)) rows.push(unit);
  else rows.push(...metered.map((band): Draft => ({ ...unit, ...during(band) })));
  for (const cap of caps) {
    rows.push({
      category: "cap",
      ...("hours" in cap
        ? { cap_type: "duration", cap_duration_hours: cap.hours }
        : { cap_type: "band", ...during(cap.band) }),
      cap_price_minor: cap.price,
      cap_repeat: true,
    });
  }
  return rows;
}

/** `FREE PARKING`: "Monday - Friday": "AFTER 3pm", "Saturday & Sunday": "ALL DAY". */
function freeLine({ when, rate }: Line): { readonly days: readonly DayType[]; readonly band: Band } | undefined {
  const after = /^after (\d+ ?[ap]m)$/i.exec(plain(rate))?.[1];
  const isWholeDay = /^all day$/i.test(plain(rate));
  const days = after === undefined && !isWholeDay ? undefined : daysOf(when);
  if (days === undefined) return undefined;
  return { days, band: after === undefined ? WHOLE_DAY : { from: clockMinutes(after)!, to: 1440 } };
}

function read(values: Readonly<Record<string, unknown>>, periods: readonly Period[]): Map<DayType, Draft[]> {
  const base = cents(/^\$(\d+(?:\.\d+)?) \/ Half Hour$/.exec(plain(String(values["rate"] ?? "")))?.[1] ?? "");
  if (values["changing_rates"] === true) throw new Unread("the list says that its rates are changing");
  const { addenda = [] } = values["rate_details"] as { addenda?: readonly string[] };
  for (const text of addenda) {
    if (!/^no parking from \d+am (?:-|to) [\d:]+am(?: every night)?$/i.test(plain(text))) {
      throw new Unread(`the addition ${JSON.stringify(plain(text))} is not read`);
    }
  }
  const stated = new Map<DayType, Stated>();
  const of = (day: DayType) => stated.getOrInsertComputed(day, () => ({ metered: [], free: [], flat: [], caps: [] }));
  for (const { title, rates, notes } of periods) {
    const isFree = /^free parking$/i.test(plain(title));
    let days = isFree ? [] : daysOf(title);
    if (days === undefined) throw new Unread(`the title ${JSON.stringify(plain(title))} is not read as days`);
    for (const line of rates) {
      const free = freeLine(line);
      if (free !== undefined) {
        for (const day of free.days) of(day).free.push(free.band);
        continue;
      }
      if (WITHOUT_PRICE.test(plain(line.when)) && !/\$|\d/.test(line.rate)) {
        if (line.rate !== "" && !WITHOUT_PRICE.test(plain(line.rate))) {
          throw new Unread(`the line ${JSON.stringify(`${plain(line.when)}: ${plain(line.rate)}`)} is not read`);
        }
        continue;
      }
      const heading = line.rate === "" ? daysOf(line.when) : undefined;
      if (heading !== undefined) days = heading;
      else for (const day of days) addLine(of(day), line, base);
      if (isFree) throw new Unread(`the line ${JSON.stringify(plain(line.when))} is not read`);
    }
    for (const note of notes) {
      if (days.length === 0) throw new Unread(`the note ${JSON.stringify(plain(note))} is for no days`);
      for (const day of days) addNote(of(day), note, base);
    }
  }
  return new Map([...stated].map(([day, lines]) => [day, rowsOf(lines, base)]));
}

export function greenPTariff(values: Readonly<Record<string, unknown>>): Tariff {
  const periods = (values["rate_details"] as { periods?: readonly Period[] } | undefined)?.periods ?? [];
  const lines = periods.reduce((sum, { rates }) => sum + rates.length, 0);
  try {
    if (periods.length === 0) throw new Unread("no line states the hours of the half-hour price");
    const rules = rulesOfDays(read(values, periods));
    if (rules.length === 0) throw new Unread("no line states a price");
    return { lines, rules };
  } catch (error) {
    if (!(error instanceof Unread)) throw error;
    return { lines, problem: error.message };
  }
}
