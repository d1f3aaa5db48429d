/** Makes pricing rules of clauses. A clause of which no rule can be made is a fault, never a guess. */
import type { Clause, Fault } from "./clauses.ts";
import type { Band } from "./tokens.ts";
import { DAY_TYPES, type DayType, MAX_RULES, type NamedDay, type Reason, type TariffRule } from "./types.ts";

/** A rule, and the clause that it comes from. */
interface Made {
  readonly rule: TariffRule;
  readonly clause: Clause;
}

interface DaySet {
  readonly days: readonly NamedDay[] | "all";
  /** A public holiday on one of these days is excluded: by 平日, or in words. */
  readonly without: "no" | "word" | "explicit";
}

export interface Ruled {
  readonly made: readonly Made[];
  readonly faults: readonly Fault[];
  readonly limit: number | null;
}

type Terms = Partial<Omit<TariffRule, "category" | "day_type">>;

const NO_TERMS = {
  time_start: null,
  time_end: null,
  per_minutes: null,
  price_minor: null,
  cap_type: null,
  cap_duration_hours: null,
  cap_price_minor: null,
  cap_repeat: null,
} as const;

/** A maximum that no stay reaches. */
export const UNREACHED_MINOR = 100_000_000;
/** What one amount of a sign can have. */
const MAX_BANDS = 10;
const MAX_TOKENS = 100;
const MAX_CLAUSES = 200;
/** Maxima of fewer hours are read only where the word stands next to them. */
const SHORT_CAP_MIN = 180;

export function rulesOf(clauses: readonly Clause[], text: { readonly length: number }): Ruled {
  return new Maker(clauses, text.length).run();
}

class Maker {
  readonly #clauses: readonly Clause[];
  readonly #length: number;
  readonly #made: Made[] = [];
  readonly #faults: Fault[] = [];
  readonly #dayWords: { readonly rule: TariffRule; readonly without: DaySet["without"] }[] = [];
  readonly #labels = new Map<"night" | "day", Band | undefined>();
  #limit: number | null = null;

  constructor(clauses: readonly Clause[], length: number) {
    this.#clauses = clauses;
    this.#length = length;
  }

  run(): Ruled {
    if (this.#clauses.length > MAX_CLAUSES) {
      return { made: [], faults: [{ from: 0, to: this.#length, reason: "too_many_rules" }], limit: null };
    }
    for (const [index, clause] of this.#clauses.entries()) this.#read(clause, index);
    this.#applyNotes();
    this.#checkRates();
    this.#checkCaps();
    this.#excludeHolidays();
    if (this.#made.length > MAX_RULES) this.#faults.push({ from: 0, to: this.#length, reason: "too_many_rules" });
    return { made: this.#made, faults: this.#faults, limit: this.#limit };
  }

  #fault(clause: Clause, reason: Reason): void {
    const from = Math.min(...clause.tokens.map((token) => token.from));
    const to = Math.max(...clause.tokens.map((token) => token.to));
    this.#faults.push({ from, to, reason });
  }

  #read(clause: Clause, index: number): void {
    if (clause.bands.length > MAX_BANDS || clause.tokens.length > MAX_TOKENS) {
      return this.#fault(clause, "too_many_rules");
    }
    this.#share(clause, index);
    this.#shareLength(clause, index);
    if (this.#repeats(clause, index)) Object.assign(clause, { amount: undefined, repeat: true });
    if (clause.isLimit) {
      if (clause.amount !== undefined || clause.durations.length !== 1) this.#fault(clause, "number");
      else this.#limit = clause.durations[0]!;
    } else if (clause.amount === undefined) this.#readNote(clause);
    else if (clause.isCap) this.#readCap(clause, index);
    else if (clause.isNegated) this.#fault(clause, "contradiction");
    else if (clause.isFree) this.#readFree(clause, index);
    else this.#readRate(clause, index);
  }

  /** 24時間最大 平日900円 土日祝1,200円: what stands before the days of one amount counts for the next ones too. */
  #share(clause: Clause, index: number): void {
    const last = this.#clauses[index - 1];
    if (last === undefined || last.amount === undefined || last.line !== clause.line || last.isFree) return;
    const isBare = clause.tokens.every(({ kind }) => kind === "days" || kind === "all_days" || kind === "money");
    if (!isBare || clause.isInherited || clause.days === undefined) return;
    const place = last.tokens.findIndex(({ kind }) => kind === "days" || kind === "all_days");
    const amount = last.tokens.findIndex(({ kind }) => kind === "money");
    const terms = last.tokens.slice(0, Math.max(0, place));
    const isFirst = terms.some(({ kind }) => kind === "duration" || kind === "band" || kind === "same_day");
    // All but the amount stands before the days, so that it belongs to both.
    if (!isFirst || amount !== place + 1 || last.isInherited) return;
    const { durations, bands, label, isCap, isCapInherited, isSameDay, isAfterEntry, isEach } = last;
    Object.assign(clause, { durations, bands, label, isCap, isCapInherited, isSameDay, isAfterEntry, isEach });
  }

  /** 60分200円(8~20時)100円(20~8時): one length for two amounts. After a slash the other hours need no words. */
  #shareLength(clause: Clause, index: number): void {
    const last = this.#clauses[index - 1], next = this.#clauses[index + 1];
    if (last?.amount === undefined || last.line !== clause.line || clause.amount === undefined) return;
    const kinds = (one: Clause) => one.tokens.map(({ kind }) => kind).join(" ");
    if (!/^(?:days )?(?:each )?duration (?:each )?money band$/.test(kinds(last)) || last.isFree) return;
    const isOther = clause.isAfterSlash && kinds(clause) === "money" && (next?.line ?? -1) !== clause.line;
    // 60分200円(8~20時)1,000円(20~8時): a larger amount can be for the whole night.
    if (!isOther && kinds(clause) !== "money band" || clause.amount > last.amount) return;
    const [{ start, end }] = last.bands as [Band];
    if (isOther) clause.bands = [{ start: end % 1440, end: start === 0 ? 1440 : start }];
    if (!isOther || start % 1440 !== end % 1440) clause.durations = last.durations;
  }

  /** 24時間最大1,000円 以後24時間ごとに1,000円: the maximum repeats. */
  #repeats({ isThereafter, isEach, durations, amount }: Clause, index: number): boolean {
    const last = this.#clauses[index - 1];
    return isThereafter && isEach && durations.length === 1 && amount !== undefined && last?.isCap === true &&
      last.amount === amount && last.durations.length === 1 && last.durations[0] === durations[0];
  }

  #readNote(clause: Clause): void {
    if (clause.isHours && clause.bands.length > 0) return;
    if (clause.repeat !== undefined || (clause.isNegated && clause.isCap)) return;
    const { durations, bands, days, isInherited, isHeading } = clause;
    const isEmpty = durations.length === 0 && bands.length === 0 && (days === undefined || isInherited);
    const hasMore = clause.tokens.some(({ kind }) => kind !== "cap_heading");
    if (isEmpty && isHeading && !hasMore && this.#clauses.some(({ isCap, amount }) => isCap && amount !== undefined)) {
      return;
    }
    this.#fault(clause, durations.length > 0 ? "number" : bands.length > 0 ? "band" : "amount_without_unit");
  }

  /** The days of a clause. Null after a fault. */
  #daysOf(clause: Clause): DaySet | null {
    const { days, except } = clause;
    const named = days === undefined || days === "all" ? undefined : days;
    if (except === undefined) {
      return named === undefined
        ? { days: "all", without: "no" }
        : { days: ordered(named.days), without: named.isStrict ? "word" : "no" };
    }
    if (except.includes("holiday_eve") || named?.days.includes("holiday_eve")) {
      this.#fault(clause, "days_not_expressible");
      return null;
    }
    const base = named?.days ?? ["weekday", "saturday", "sunday", "holiday"];
    const left = ordered(base.filter((day) => !except.includes(day)));
    const hasHoliday = except.includes("holiday");
    // Without a word on holidays, one counts as its day of the week, as a rule without a row for holidays does.
    const kept = hasHoliday || named !== undefined || !except.some((day) => day !== "weekday")
      ? left
      : left.filter((day) => day !== "holiday");
    if (kept.length === 0) {
      this.#fault(clause, "contradiction");
      return null;
    }
    return { days: kept, without: hasHoliday ? "explicit" : named?.isStrict ? "word" : "no" };
  }

  #add(clause: Clause, category: TariffRule["category"], set: DaySet, terms: Terms): void {
    const days: readonly DayType[] = set.days === "all" ? ["all"] : set.days;
    for (const day_type of days) {
      if (this.#made.length > MAX_RULES) return;
      const rule: TariffRule = { category, day_type, ...NO_TERMS, ...terms };
      this.#made.push({ rule, clause });
      this.#dayWords.push({ rule, without: set.without });
    }
  }

  // ---- Free minutes and rates ---------------------------------------------------------------------------------------

  #readFree(clause: Clause, index: number): void {
    const set = this.#daysOf(clause);
    if (set === null) return;
    if (clause.isDay || clause.isSameDay || clause.isEach || clause.isStay || clause.repeat !== undefined) {
      return this.#fault(clause, "contradiction");
    }
    const bands = this.#bandsOf(clause);
    if (bands === null) return;
    if (clause.durations.length === 0) {
      if (clause.isFirst || clause.isThereafter || clause.isWithin || clause.isAfterEntry) {
        return this.#fault(clause, "amount_without_unit");
      }
      for (const band of bands) this.#add(clause, "flat", set, { ...timesOf(band), price_minor: 0 });
      return;
    }
    if (clause.durations.length > 1 || clause.isThereafter || clause.isFlat || clause.isOvernight) {
      return this.#fault(clause, "contradiction");
    }
    const per_minutes = clause.durations[0]!;
    const next = this.#clauses[index + 1];
    const isGrace = next?.isThereafter ? next.isFromEntry && !next.isCap : clause.isWithin;
    for (const band of bands) {
      if (!isGrace && this.#initials(clause).length > 0 && !clause.isNext) return this.#fault(clause, "contradiction");
      if (isGrace) this.#add(clause, "grace", set, { ...timesOf(band), per_minutes });
      else this.#add(clause, "initial", set, { ...timesOf(band), per_minutes, price_minor: 0 });
    }
  }

  #readRate(clause: Clause, index: number): void {
    if (clause.isThereafter) {
      // After a maximum, or after nothing, what the time before costs is not known.
      const before = clause.isFromEntry ? this.#of("grace") : this.#of("initial", "grace");
      if (before.length === 0) return this.#fault(clause, "contradiction");
      this.#inherit(clause, index);
    }
    const set = this.#daysOf(clause);
    const bands = set && this.#bandsOf(clause);
    if (set === null || bands === null) return;
    if (this.#isUnclear(clause, index)) return this.#fault(clause, "days_unclear");
    if (clause.repeat === false || clause.isStay) return this.#fault(clause, "contradiction");
    let durations = clause.durations;
    // 24時間 30分200円: at any hour.
    if (durations.length === 2 && durations[0] === 1440 && !clause.isThereafter && !clause.isAfterEntry) {
      durations = durations.slice(1);
    }
    // 30分を超え1時間まで100円 is a total.
    if (clause.isThereafterOf && clause.isUntil && !clause.isEach) return this.#fault(clause, "contradiction");
    if (clause.isThereafterOf && durations.length === 2) {
      const begun = clause.isFromEntry ? this.#of("grace").at(-1)!.rule.per_minutes : this.#begun(clause);
      // 最初の30分0円 31分以降10分50円: the 31st minute is the next one.
      if (durations[0] !== begun && durations[0]! - 1 !== begun) return this.#fault(clause, "contradiction");
      durations = durations.slice(1);
    } else if (clause.isThereafterOf) return this.#fault(clause, "amount_without_unit");
    if (durations.length > 1) return this.#fault(clause, "contradiction");
    if (durations.length === 0) return this.#readFlat(clause, set, bands);
    if (clause.isFlat || clause.isOvernight || clause.isSameDay) return this.#fault(clause, "contradiction");
    const per_minutes = durations[0]!;
    if (clause.isDay && per_minutes !== 1440) return this.#fault(clause, "contradiction");
    const next = this.#clauses[index + 1];
    // 1時間300円 以降30分100円: the first hour, though no word says so.
    const isBegun = next?.isThereafter === true && !next.isCap && next.amount !== undefined && !clause.isThereafter &&
      !clause.isEach && bands.every((band) => band === null);
    if (isBegun || this.#isInitial(clause)) return this.#readInitial(clause, index, set, bands, per_minutes);
    for (const band of bands) {
      this.#add(clause, "time_band", set, { ...timesOf(band), per_minutes, price_minor: clause.amount! });
    }
  }

  /** 土日祝60分無料 30分100円: whether the rate counts on other days too cannot be known. */
  #isUnclear(clause: Clause, index: number): boolean {
    if (!clause.isInherited || clause.isNewLine || clause.isThereafter || clause.section === 0) return false;
    const opened = this.#clauses.slice(0, index).find(({ section, isInherited }) =>
      section === clause.section && !isInherited
    );
    if (opened === undefined || opened.amount === undefined || !(opened.isFree || opened.isCap)) return false;
    const sections = new Set(this.#clauses.filter(({ section }) => section > 0).map(({ section }) => section));
    const rated = this.#clauses.filter(({ section, isCap, isFree, amount }) =>
      section > 0 && !isCap && !isFree && amount !== undefined
    );
    return sections.size < 2 || new Set(rated.map(({ section }) => section)).size < sections.size;
  }

  #isInitial(clause: Clause): boolean {
    return !clause.isThereafter &&
      (clause.isFirst || clause.nth !== undefined || clause.isWithin ||
        ((clause.isUntil || clause.isAfterEntry) && !clause.isEach));
  }

  /** The first minutes, or the total up to a number of minutes: of those the earlier ones are taken off. */
  #readInitial(clause: Clause, index: number, set: DaySet, bands: readonly (Band | null)[], minutes: number): void {
    const next = this.#clauses[index + 1], last = this.#clauses[index - 1];
    const isTotal = (other: Clause | undefined) =>
      other !== undefined && other.amount !== undefined && !other.isCap && this.#isInitial(other) &&
      (other.isUntil || other.isWithin) && !other.isFirst;
    if (!clause.isFirst && clause.nth === undefined && !next?.isThereafter && !isTotal(next) && !isTotal(last)) {
      return this.#fault(clause, "amount_without_unit");
    }
    if (bands.length > 1) return this.#fault(clause, "band");
    let per_minutes = minutes, price_minor = clause.amount!;
    const isAnother = clause.isNext || clause.nth !== undefined || (isTotal(clause) && isTotal(last));
    if (!isAnother && this.#initials(clause).length > 0) return this.#fault(clause, "contradiction");
    if (clause.nth !== undefined && this.#begun(clause) !== (clause.nth - 1) * minutes) {
      return this.#fault(clause, "contradiction");
    }
    if (isTotal(clause) && isTotal(last)) {
      per_minutes -= this.#begun(clause);
      price_minor -= this.#begunPrice(clause);
      if (per_minutes <= 0 || price_minor < 0) return this.#fault(clause, "contradiction");
    }
    this.#add(clause, "initial", set, { ...timesOf(bands[0]!), per_minutes, price_minor });
  }

  /** The initial rules before a clause, of one of its days. */
  #initials(clause: Clause): TariffRule[] {
    const own = clause.days === undefined || clause.days === "all" ? "all" : clause.days.days[0]!;
    return this.#made.filter(({ rule }) => rule.category === "initial" && rule.day_type === own)
      .map(({ rule }) => rule);
  }

  #begun(clause: Clause): number {
    return this.#initials(clause).reduce((sum, { per_minutes }) => sum + per_minutes!, 0);
  }

  #begunPrice(clause: Clause): number {
    return this.#initials(clause).reduce((sum, { price_minor }) => sum + price_minor!, 0);
  }

  /** 以降 continues the clause before it: its days and its band. */
  #inherit(clause: Clause, index: number): void {
    const last = this.#clauses.slice(0, index).findLast(({ isBracketed }) => !isBracketed);
    if (last === undefined || last.isCap) return;
    if (clause.bands.length === 0 && clause.label === undefined && !clause.isAllDay) clause.bands = last.bands;
    if (clause.days === undefined || clause.isInherited) clause.days = last.days;
  }

  #readFlat(clause: Clause, set: DaySet, bands: readonly (Band | null)[]): void {
    const price_minor = clause.amount!;
    if (clause.isThereafter || clause.isFirst || clause.isWithin || clause.isUntil) {
      return this.#fault(clause, "amount_without_unit");
    }
    if (clause.isDay || clause.isSameDay) {
      if (!clause.isDay || !clause.isSameDay) {
        return this.#fault(clause, clause.isDay ? "ambiguous_day" : "amount_without_unit");
      }
      return this.#add(clause, "flat", set, { time_start: "00:00", time_end: "24:00", price_minor });
    }
    if (clause.isOvernight && bands.some((band) => band === null)) return this.#fault(clause, "amount_without_unit");
    if (!clause.isFlat && !clause.isOvernight) return this.#fault(clause, "amount_without_unit");
    for (const band of bands) this.#add(clause, "flat", set, { ...timesOf(band), price_minor });
  }

  /** The bands of a rate; null in the list is any hour. Null after a fault. */
  #bandsOf(clause: Clause): readonly (Band | null)[] | null {
    if (clause.isHours) return [null];
    if (clause.isAllDay && clause.bands.length === 0) return [null];
    if (clause.isAllDay) {
      this.#fault(clause, "band");
      return null;
    }
    if (clause.bands.length > 0) {
      return clause.bands.map((band) => isWhole(band) && !clause.isDay && !clause.isFlat ? null : band);
    }
    if (clause.label === undefined) return [null];
    const band = this.#labelled(clause.label);
    if (band === undefined) {
      this.#fault(clause, "band");
      return null;
    }
    return [band];
  }

  /** The band that the text itself calls night or day; else the only band of its rates that is one. */
  #labelled(label: "night" | "day"): Band | undefined {
    if (!this.#labels.has(label)) this.#labels.set(label, this.#findLabelled(label));
    return this.#labels.get(label);
  }

  #findLabelled(label: "night" | "day"): Band | undefined {
    const named = distinct(this.#clauses.filter((one) => one.label === label).flatMap(({ bands }) => bands));
    if (named.length > 0) return named.length === 1 ? named[0] : undefined;
    const rates = distinct(
      this.#clauses.filter(({ isCap, isHours, amount }) => !isCap && !isHours && amount !== undefined)
        .flatMap(({ bands }) => bands),
    );
    if (rates.length !== 2) return undefined;
    const found = rates.filter(({ start, end }) => (end <= start || start === 0) === (label === "night"));
    return found.length === 1 ? found[0] : undefined;
  }

  // ---- Maxima -------------------------------------------------------------------------------------------------------

  #readCap(clause: Clause, index: number): void {
    const { durations, isFree, isFirst, isThereafter, nth, isFlat, isOvernight, isNegated } = clause;
    if (isFree || isFirst || isThereafter || nth !== undefined || isOvernight || isNegated || durations.length > 1) {
      return this.#fault(clause, "contradiction");
    }
    this.#settleDays(clause);
    const set = this.#daysOf(clause);
    if (set === null) return;
    const windows = this.#windowsOf(clause, index);
    if (typeof windows === "string") return this.#fault(clause, windows);
    if (isFlat && windows[0]?.cap_type !== "stay") return this.#fault(clause, "contradiction");
    if (clause.repeat === false && clause.isEach) return this.#fault(clause, "contradiction");
    const repeat = clause.repeat ?? (clause.isEach ? true : null);
    for (const window of windows) {
      const cap_repeat = window.cap_type === "stay" ? null : repeat;
      this.#add(clause, "cap", set, { ...window, cap_price_minor: clause.amount!, cap_repeat });
    }
  }

  /** The days of a maximum that has none of its own. See docs/domains/tariff_text.md, "Days". */
  #settleDays(clause: Clause): void {
    if (!clause.isInherited) return;
    const sections = new Set(
      this.#clauses.filter(({ isCap, amount, section }) => !isCap && amount !== undefined && section > 0)
        .map(({ section }) => section),
    );
    const capped = new Set(
      this.#clauses.filter(({ isCap, amount, isNewLine }) => isCap && amount !== undefined && !isNewLine)
        .map(({ section }) => section),
    );
    if (clause.isNewLine) clause.days = "all";
    else if (sections.size === 0 && clause.section > 0) this.#fault(clause, "days_unclear");
    else if (sections.size > 1 && [...sections].some((section) => !capped.has(section))) {
      this.#fault(clause, "days_unclear");
    }
  }

  #windowsOf(clause: Clause, index: number): Terms[] | Reason {
    const { durations, bands, isSameDay, isDay, isStay, isAllDay, label } = clause;
    const minutes = durations[0];
    if (isStay) {
      return minutes === undefined && bands.length === 0 && !isDay && !isSameDay && label === undefined
        ? [{ cap_type: "stay" }]
        : "contradiction";
    }
    if (isAllDay) return "ambiguous_day";
    if (minutes !== undefined) {
      if (isSameDay || bands.length > 0 || (isDay && minutes !== 1440)) return "contradiction";
      if (minutes < (clause.isCapInherited ? SHORT_CAP_MIN : 60)) return "cap_window_missing";
      if (label !== undefined) return "contradiction";
      return [{ cap_type: "duration", cap_duration_hours: minutes / 60 }];
    }
    if (isSameDay) {
      return bands.every(isCalendarDay) && label === undefined ? [{ cap_type: "day" }] : "contradiction";
    }
    if (isDay && bands.length === 0) return "ambiguous_day";
    if (bands.length > 0) return bands.map(capOf);
    if (label !== undefined) {
      const band = this.#labelled(label);
      return band === undefined ? "band" : [capOf(band)];
    }
    if (clause.isAfterEntry) return "cap_window_missing";
    return this.#bandOfLine(clause, index);
  }

  /** "8:00-20:00 30分200円 最大800円": the maximum of the band before it, if each band of the line has one. */
  #bandOfLine(clause: Clause, index: number): Terms[] | Reason {
    const own = this.#clauses.filter(({ line, amount }) => line === clause.line && amount !== undefined);
    const banded = own.filter(({ isCap, bands }) => !isCap && bands.length > 0);
    const open = own.filter((one) => one.isCap && one.bands.length === 0 && one.durations.length === 0);
    const last = this.#clauses[index - 1];
    if (last === undefined || !banded.includes(last) || banded.length !== open.length) return "cap_window_missing";
    return last.bands.map(capOf);
  }

  // ---- The whole ----------------------------------------------------------------------------------------------------

  /** ※最大料金は繰り返し適用: for the maxima of that kind that do not say it themselves. */
  #applyNotes(): void {
    for (const note of this.#clauses) {
      if (note.amount !== undefined || note.isLimit || note.isHours) continue;
      if (note.repeat !== undefined) this.#applyRepeat(note, note.repeat);
      else if (note.isNegated && note.isCap && this.#made.some(({ rule }) => rule.category === "cap")) {
        this.#fault(note, "contradiction");
      } else if (note.isNegated && (note.days !== undefined || note.bands.length > 0 || note.label !== undefined)) {
        this.#fault(note, "days_unclear");
      }
    }
  }

  #applyRepeat(note: Clause, repeat: boolean): void {
    const { durations, isSameDay, isDay, bands, label, days, isInherited, isFirst, isThereafter, except } = note;
    // 超過後は繰り返し: a maximum that repeats does so after its first window.
    if (
      isDay || bands.length > 0 || isFirst || (isThereafter && !repeat) || durations.length > 1 || except !== undefined
    ) {
      return this.#fault(note, "contradiction");
    }
    if (days !== undefined && !isInherited) return this.#fault(note, "days_unclear");
    const isMeant = ({ cap_type, cap_duration_hours }: TariffRule) =>
      durations.length > 0
        ? cap_type === "duration" && cap_duration_hours! * 60 === durations[0]
        : isSameDay
        ? cap_type === "day"
        : label === undefined || cap_type === "band";
    let count = 0;
    for (const [index, { rule, clause }] of this.#made.entries()) {
      if (rule.category !== "cap" || rule.cap_type === "stay" || !isMeant(rule)) continue;
      count++;
      if (rule.cap_repeat === repeat) continue;
      if (rule.cap_repeat !== null) {
        if (durations.length > 0 || isSameDay || label !== undefined) this.#fault(note, "contradiction");
        continue;
      }
      const changed = { ...rule, cap_repeat: repeat };
      this.#made[index] = { rule: changed, clause };
      const word = this.#dayWords.findIndex((one) => one.rule === rule);
      this.#dayWords[word] = { ...this.#dayWords[word]!, rule: changed };
    }
    if (count === 0) this.#fault(note, "contradiction");
  }

  #of(...categories: TariffRule["category"][]): Made[] {
    return this.#made.filter(({ rule }) => categories.includes(rule.category));
  }

  /** At one moment of one kind of day one rate counts. A rate of named days goes before one of all days. */
  #checkRates(): void {
    const rates = this.#of("time_band", "flat");
    // 1時間まで200円 2時間まで400円: of longer stays nothing is known, and nothing is said of them.
    const isPriced = rates.length > 0 || this.#of("initial").some(({ rule }) => rule.price_minor! > 0);
    if (!isPriced) this.#faults.push({ from: 0, to: this.#length, reason: "no_rate" });
    for (const [index, { rule, clause }] of rates.entries()) {
      if (rates.slice(0, index).some((other) => other.rule.day_type === rule.day_type && overlap(other.rule, rule))) {
        this.#fault(clause, "overlapping_rates");
      } else if (this.#mayCountOnAllDays({ rule, clause }, rates)) this.#fault(clause, "days_unclear");
    }
    const graces = this.#of("grace");
    for (const [index, { rule, clause }] of graces.entries()) {
      if (graces.slice(0, index).some((other) => other.rule.day_type === rule.day_type)) {
        this.#fault(clause, "contradiction");
      }
    }
  }

  /** 月-土 8-18時 20分100円 日祝 8-18時 30分100円 18-8時 60分100円: whether the nights of the other days have the last rate. */
  #mayCountOnAllDays({ rule, clause }: Made, rates: readonly Made[]): boolean {
    if (!clause.isInherited || rates.some((other) => other.clause.section > clause.section)) return false;
    const before = rates.filter((other) => other.clause.section > 0 && other.clause.section < clause.section);
    return before.some(({ rule: { day_type } }) =>
      !rates.some((other) => [day_type, "all"].includes(other.rule.day_type) && overlap(other.rule, rule))
    );
  }

  /** Two maxima of one window and one kind of day contradict each other. */
  #checkCaps(): void {
    const seen = new Set<string>();
    for (const { rule, clause } of this.#of("cap")) {
      const key = [rule.day_type, rule.cap_type, rule.cap_duration_hours, rule.time_start, rule.time_end].join(" ");
      if (seen.has(key)) this.#fault(clause, "contradiction");
      seen.add(key);
    }
  }

  /**
   * A family without a row for holidays counts a holiday as its day of the week. Where the text excludes holidays, the
   * family needs such a row: a maximum of all days is repeated for holidays, or one is added that no stay reaches.
   */
  #excludeHolidays(): void {
    for (const family of [["time_band", "flat"], ["initial"], ["grace"]] as const) {
      const rows = this.#of(...family);
      if (rows.some(({ rule }) => rule.day_type === "holiday")) continue;
      const excluding = rows.find(({ rule }) => {
        const without = this.#withoutOf(rule);
        return without === "explicit" || (without === "word" && family[0] !== "time_band");
      });
      if (excluding !== undefined) this.#fault(excluding.clause, "days_not_expressible");
    }
    const caps = this.#of("cap");
    if (caps.some(({ rule }) => rule.day_type === "holiday")) return;
    const hasWeekend = caps.some(({ rule }) => rule.day_type === "saturday" || rule.day_type === "sunday");
    const excluding = caps.find(({ rule }) => {
      const without = this.#withoutOf(rule);
      return without === "explicit" || (without === "word" && !hasWeekend);
    });
    if (excluding === undefined) return;
    const general = caps.filter(({ rule }) => rule.day_type === "all");
    for (const { rule, clause } of general) this.#made.push({ rule: { ...rule, day_type: "holiday" }, clause });
    if (general.length === 0) {
      this.#made.push({
        rule: {
          ...NO_TERMS,
          category: "cap",
          day_type: "holiday",
          cap_type: "stay",
          cap_price_minor: UNREACHED_MINOR,
        },
        clause: excluding.clause,
      });
    }
  }

  #withoutOf(rule: TariffRule): DaySet["without"] {
    return this.#dayWords.find((one) => one.rule === rule)?.without ?? "no";
  }
}

function ordered(days: readonly NamedDay[]): NamedDay[] {
  return DAY_TYPES.filter((day) => days.includes(day));
}

const isCalendarDay = ({ start, end }: Band) => start === 0 && end === 1440;
const isWhole = ({ start, end }: Band) => end - start === 1440 || start === end;

function distinct(bands: readonly Band[]): Band[] {
  return bands.filter((band, index) =>
    bands.findIndex(({ start, end }) => start === band.start && end === band.end) === index
  );
}

function capOf(band: Band): Terms {
  return isCalendarDay(band) ? { cap_type: "day" } : { cap_type: "band", ...timesOf(band) };
}

function timesOf(band: Band | null): Pick<TariffRule, "time_start" | "time_end"> {
  return band === null
    ? { time_start: null, time_end: null }
    : { time_start: timeOf(band.start), time_end: timeOf(band.end) };
}

function timeOf(minute: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

function minuteOf(time: string): number {
  const [hours, minutes] = time.split(":").map(Number);
  return hours! * 60 + minutes!;
}

/** Stretches of a day, in minutes: a band over midnight has two. */
function stretches({ time_start, time_end }: TariffRule): [number, number][] {
  if (time_start === null || time_end === null) return [[0, 1440]];
  const start = minuteOf(time_start), end = minuteOf(time_end);
  return end > start ? [[start, end]] : [[start, 1440], [0, end]];
}

function overlap(one: TariffRule, other: TariffRule): boolean {
  return stretches(one).some(([from, to]) => stretches(other).some(([start, end]) => from < end && start < to));
}
