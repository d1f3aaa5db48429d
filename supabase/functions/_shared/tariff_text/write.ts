/** Writes a sign from pricing rules, one line for each price: what a person compares with the text. */
import { UNREACHED_MINOR } from "./rules.ts";
import { DAY_TYPES, type DayType, type NamedDay, type TariffRule } from "./types.ts";

export interface SignText {
  readonly ja: string;
  readonly en: string;
}

interface Line {
  readonly rule: TariffRule;
  readonly days: readonly DayType[];
  /** Holidays are excluded from a maximum of other days. */
  readonly withoutHolidays: boolean;
  readonly isNext: boolean;
}

interface Language {
  readonly days: Readonly<Record<DayType, string>>;
  readonly dayLink: string;
  /** A maximum of a group of days, with the holidays that it leaves out. */
  readonly withoutHolidays: string;
  readonly repeats: string;
  readonly once: string;
  readonly price: (minor: number, currency: string) => string;
  readonly free: string;
  readonly perMinutes: (minutes: number, price: string) => string;
  readonly first: (minutes: number, price: string, isNext: boolean) => string;
  readonly grace: (minutes: number) => string;
  readonly flat: (price: string) => string;
  readonly within: (hours: number, price: string) => string;
  readonly sameDay: (price: string) => string;
  readonly band: (price: string) => string;
  readonly stay: (price: string) => string;
}

function decimal(minor: number, currency: string): string {
  const { maximumFractionDigits: digits = 0 } = new Intl.NumberFormat("en", { style: "currency", currency })
    .resolvedOptions();
  return (minor / 10 ** digits).toFixed(digits);
}

const JAPANESE: Language = {
  days: { all: "全日", weekday: "平日", saturday: "土曜", sunday: "日曜", holiday: "祝日", holiday_eve: "祝前日" },
  dayLink: "・",
  withoutHolidays: "(祝日を除く)",
  repeats: "(繰り返し)",
  once: "(1回限り)",
  price: (minor, currency) => currency === "JPY" ? `${minor}円` : `${currency} ${decimal(minor, currency)}`,
  free: "無料",
  perMinutes: (minutes, price) => `${minutes}分 ${price}`,
  first: (minutes, price, isNext) => `${isNext ? "次の" : "最初の"}${minutes}分 ${price}`,
  grace: (minutes) => `${minutes}分以内の出庫は無料`,
  flat: (price) => `1回 ${price}`,
  within: (hours, price) => `入庫後${Number.isInteger(hours) ? `${hours}時間` : `${hours * 60}分`}最大 ${price}`,
  sameDay: (price) => `当日最大(24時まで) ${price}`,
  band: (price) => `最大 ${price}`,
  stay: (price) => `1駐車につき最大 ${price}`,
};

const ENGLISH: Language = {
  days: {
    all: "Every day",
    weekday: "Weekdays",
    saturday: "Saturdays",
    sunday: "Sundays",
    holiday: "Public holidays",
    holiday_eve: "Days before public holidays",
  },
  dayLink: ", ",
  withoutHolidays: " (except public holidays)",
  repeats: " (repeats)",
  once: " (once only)",
  price: (minor, currency) => currency === "JPY" ? `¥${minor}` : `${currency} ${decimal(minor, currency)}`,
  free: "free",
  perMinutes: (minutes, price) => `${price} per ${minutes} min`,
  first: (minutes, price, isNext) => `${isNext ? "next" : "first"} ${minutes} min ${price}`,
  grace: (minutes) => `stays up to ${minutes} min free`,
  flat: (price) => `flat rate ${price}`,
  within: (hours, price) =>
    `max ${price} for ${Number.isInteger(hours) ? `${hours} hours` : `${hours * 60} min`} from entry`,
  sameDay: (price) => `max ${price} until midnight`,
  band: (price) => `max ${price}`,
  stay: (price) => `max ${price} per stay`,
};

export function writeSign(rules: readonly TariffRule[], currency: string): SignText {
  const lines = linesOf(rules);
  return { ja: written(lines, JAPANESE, currency), en: written(lines, ENGLISH, currency) };
}

/** Rules that differ only in their day are one line. */
function linesOf(rules: readonly TariffRule[]): Line[] {
  const caps = rules.filter(({ category }) => category === "cap");
  const content = ({ day_type: _, ...rest }: TariffRule) => JSON.stringify(rest);
  const general = new Set(caps.filter(({ day_type }) => day_type === "all").map(content));
  // Rows that only keep a holiday from counting as its day of the week.
  const isKeeper = (rule: TariffRule) =>
    rule.category === "cap" && rule.day_type === "holiday" &&
    (general.has(content(rule)) || (rule.cap_type === "stay" && rule.cap_price_minor === UNREACHED_MINOR));
  const excludes = rules.some(isKeeper);
  const lines: Line[] = [];
  let initials = new Set<DayType>();
  for (const rule of rules.filter((rule) => !isKeeper(rule))) {
    const last = lines.at(-1);
    if (last !== undefined && !last.days.includes(rule.day_type) && content(last.rule) === content(rule)) {
      lines[lines.length - 1] = { ...last, days: [...last.days, rule.day_type] };
    } else {
      const isInitial = rule.category === "initial";
      const withoutHolidays = excludes && rule.category === "cap" && rule.day_type !== "all";
      lines.push({ rule, days: [rule.day_type], withoutHolidays, isNext: isInitial && initials.has(rule.day_type) });
    }
    if (rule.category === "initial") initials = new Set([...initials, rule.day_type]);
  }
  return lines;
}

function written(lines: readonly Line[], language: Language, currency: string): string {
  const hasDays = lines.some(({ days }) => !days.includes("all"));
  return lines.map((line) => {
    const { rule, days } = line;
    const band = rule.time_start === null ? "" : `${rule.time_start}-${rule.time_end} `;
    const named = days.includes("all") ? ["all" as const] : DAY_TYPES.filter((day: NamedDay) => days.includes(day));
    const prefix = hasDays ? `${named.map((day) => language.days[day]).join(language.dayLink)} ` : "";
    const sentence = `${prefix}${band}${termsOf(line, language, currency)}`;
    return sentence.charAt(0).toUpperCase() + sentence.slice(1);
  }).join("\n");
}

function termsOf({ rule, isNext, withoutHolidays }: Line, language: Language, currency: string): string {
  const price = rule.price_minor === 0 ? language.free : language.price(rule.price_minor ?? 0, currency);
  switch (rule.category) {
    case "time_band":
      return language.perMinutes(rule.per_minutes!, language.price(rule.price_minor!, currency));
    case "initial":
      return language.first(rule.per_minutes!, price, isNext);
    case "grace":
      return language.grace(rule.per_minutes!);
    case "flat":
      return rule.price_minor === 0 ? price : language.flat(price);
    case "cap": {
      const repeat = rule.cap_repeat === null ? "" : rule.cap_repeat ? language.repeats : language.once;
      return `${windowOf(rule, language, currency)}${repeat}${withoutHolidays ? language.withoutHolidays : ""}`;
    }
  }
}

function windowOf(rule: TariffRule, language: Language, currency: string): string {
  const price = language.price(rule.cap_price_minor!, currency);
  switch (rule.cap_type) {
    case "duration":
      return language.within(rule.cap_duration_hours!, price);
    case "day":
      return language.sameDay(price);
    case "stay":
      return language.stay(price);
    default:
      return language.band(price);
  }
}
