/** Divides tokens into clauses: one for each amount, with what stands before it and in brackets after it. */
import type { Band, Token } from "./tokens.ts";
import type { NamedDay, Reason, Stretch } from "./types.ts";

export interface Days {
  readonly days: readonly NamedDay[];
  /** Of 平日: a public holiday is not among them. */
  readonly isStrict: boolean;
}

/** What a clause can have, each once. */
export interface Clause {
  readonly tokens: Token[];
  /** The line of its amount. */
  line: number;
  days: Days | "all" | undefined;
  /** The days are those of a heading or of an earlier clause. */
  isInherited: boolean;
  /** The heading of the days is on an earlier line that has amounts of its own. */
  isNewLine: boolean;
  /** Days on which the amount does not count. */
  except: readonly NamedDay[] | undefined;
  section: number;
  bands: Band[];
  label: "night" | "day" | undefined;
  isAllDay: boolean;
  durations: number[];
  isCap: boolean;
  isCapInherited: boolean;
  isHeading: boolean;
  isSameDay: boolean;
  isDay: boolean;
  isStay: boolean;
  isAfterEntry: boolean;
  /** 30分を超える場合は入庫時より: what is charged after some time, for that time too. */
  isFromEntry: boolean;
  isEach: boolean;
  isFirst: boolean;
  /** 次の: more first minutes after those before. */
  isNext: boolean;
  isThereafter: boolean;
  isThereafterOf: boolean;
  nth: number | undefined;
  isWithin: boolean;
  isUntil: boolean;
  isFree: boolean;
  isFlat: boolean;
  isOvernight: boolean;
  isLimit: boolean;
  isHours: boolean;
  isNegated: boolean;
  /** ¥250 (8am-8pm) / ¥100: the amount of the other hours. */
  isAfterSlash: boolean;
  /** Its amount is in brackets. */
  isBracketed: boolean;
  repeat: boolean | undefined;
  amount: number | undefined;
}

export interface Fault extends Stretch {
  readonly reason: Reason;
}

export interface Divided {
  readonly clauses: readonly Clause[];
  readonly faults: readonly Fault[];
}

const SEPARATORS: ReadonlySet<string> = new Set(["line", "stop", "comma", "bullet", "colon"]);
const AMOUNTS: ReadonlySet<string> = new Set(["money", "free"]);

/** The words that say when an amount counts. After an amount they begin the next clause. */
const CONDITIONS: ReadonlySet<string> = new Set(["days", "all_days", "band", "all_day", "night_band", "day_band"]);
const WINDOWS: ReadonlySet<string> = new Set([
  "after_entry",
  "duration",
  "same_day",
  "until_midnight",
  "day_unit",
  "stay",
]);

interface Scope {
  readonly days: Days | "all";
  readonly line: number;
  readonly section: number;
  /** The heading stands on a line of its own. */
  readonly isHeading: boolean;
}

export function divide(tokens: readonly Token[]): Divided {
  return new Divider(tokens).run();
}

class Divider {
  readonly #tokens: readonly Token[];
  readonly #clauses: Clause[] = [];
  readonly #faults: Fault[] = [];
  #clause: Clause;
  #line = 0;
  #scope: Scope | undefined;
  #sections = 0;
  /** The heading of maxima counts: until the next heading of rates, or only on this line. */
  #caps: "none" | "line" | "section" = "none";
  #depth = 0;
  /** The days that count outside of the brackets. */
  #outer: Scope | undefined;
  /** The text has its days in brackets before the amounts: (平日) 30分200円 (土日祝) 30分300円. */
  readonly #hasBracketHeadings: boolean;
  /** Brackets that belong to the amount before them. */
  #suffix = 0;
  readonly #amountAhead: Uint8Array;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
    this.#clause = this.#empty();
    this.#amountAhead = amountsAhead(tokens);
    this.#hasBracketHeadings = isBracketHeading(tokens, tokens.findIndex(({ kind }) => !SEPARATORS.has(kind)));
  }

  run(): Divided {
    for (let at = 0; at < this.#tokens.length; at++) this.#read(this.#tokens[at]!, at);
    this.#finish();
    return { clauses: this.#clauses, faults: this.#faults };
  }

  #empty(): Clause {
    return {
      tokens: [],
      line: this.#line,
      days: undefined,
      isInherited: false,
      isNewLine: false,
      except: undefined,
      section: 0,
      bands: [],
      label: undefined,
      isAllDay: false,
      durations: [],
      isCap: false,
      isCapInherited: false,
      isHeading: false,
      isSameDay: false,
      isDay: false,
      isStay: false,
      isAfterEntry: false,
      isFromEntry: false,
      isEach: false,
      isFirst: false,
      isNext: false,
      isThereafter: false,
      isThereafterOf: false,
      nth: undefined,
      isWithin: false,
      isUntil: false,
      isFree: false,
      isFlat: false,
      isOvernight: false,
      isLimit: false,
      isHours: false,
      isNegated: false,
      isAfterSlash: false,
      isBracketed: false,
      repeat: undefined,
      amount: undefined,
    };
  }

  get #isClosed(): boolean {
    return this.#clause.amount !== undefined;
  }

  #fault(token: Stretch, reason: Reason): void {
    this.#faults.push({ from: token.from, to: token.to, reason });
  }

  #finish(): void {
    const clause = this.#clause;
    if (clause.tokens.length > 0) {
      if (clause.days === undefined && this.#scope !== undefined) {
        const { days, line, section, isHeading } = this.#scope;
        clause.days = days;
        clause.section = section;
        clause.isInherited = true;
        clause.isNewLine = !isHeading && line !== clause.line;
      }
      this.#clauses.push(clause);
    }
    this.#clause = this.#empty();
  }

  /** Puts a token into the clause; a closed one ends before it. */
  #open(token: Token): Clause {
    if (this.#suffix === 0 && (this.#isClosed || this.#isNote())) this.#finish();
    this.#clause.tokens.push(token);
    return this.#clause;
  }

  #attach(token: Token): Clause {
    this.#clause.tokens.push(token);
    return this.#clause;
  }

  /** Whether a token after an amount, without brackets, belongs to that amount. */
  #isSuffix(token: Token, at: number): boolean {
    const clause = this.#clause;
    if (!this.#isClosed || this.#suffix > 0) return this.#suffix > 0;
    const last = this.#tokens[at - 1];
    if (last === undefined || SEPARATORS.has(last.kind) && last.kind !== "comma") return false;
    if (token.kind === "duration" || token.kind === "day_unit") {
      if (last.kind === "slash" || last.kind === "each") return clause.durations.length === 0 && !clause.isDay;
      // ¥400 60分毎, where no other amount can be meant.
      const isEach = last.kind === "money" && this.#tokens[at + 1]?.kind === "each";
      if (isEach && !token.isLatin && this.#amountAhead[at] === 0) return isPlain(clause);
    }
    if (token.isLatin && (token.kind === "after_entry" || token.kind === "flat") && last.kind !== "comma") {
      return token.kind === "flat" ? last.kind === "money" : clause.isCap && clause.durations.length === 1;
    }
    if (token.isLatin && this.#isAfterwards(token, at)) return true;
    if (token.kind === "duration" && clause.isFree && clause.durations.length === 0) {
      const isFor = last.kind === "filler" && this.#tokens[at - 2]?.kind === "free";
      return last.isLatin && (isFor || last.kind === "first" || last.kind === "within");
    }
    if (clause.isCap && token.kind === "within" && token.isLatin && this.#tokens[at + 1]?.kind === "duration") {
      return this.#amountAhead[at] === 0;
    }
    if (clause.isCap && WINDOWS.has(token.kind) && !hasWindow(clause)) return this.#amountAhead[at] === 0;
    if (!token.isLatin || !CONDITIONS.has(token.kind)) return false;
    return last.kind !== "comma" && this.#endsTight(at);
  }

  /** "free for the first 2 hours", "£1.20 per hour thereafter": the words come after their amount. */
  #isAfterwards(token: Token, at: number): boolean {
    const clause = this.#clause;
    const ends = (place: number) => SEPARATORS.has(this.#tokens[place]?.kind ?? "line");
    if (token.kind === "first" || token.kind === "within") {
      return clause.isFree && clause.durations.length === 0 && this.#tokens[at + 1]?.kind === "duration" &&
        ends(at + 2);
    }
    return token.kind === "thereafter" && !clause.isFree && clause.durations.length === 1 && ends(at + 1);
  }

  /** "£2 per hour Mon-Fri 8-18, Sat £3": the days end at a separator that comes before the next amount. */
  #endsTight(at: number): boolean {
    for (const last = Math.min(this.#tokens.length, at + 40); at < last;) {
      const { kind } = this.#tokens[at]!;
      if (SEPARATORS.has(kind)) return kind !== "line" || this.#isLastLine(at);
      if (!CONDITIONS.has(kind) && kind !== "filler" && kind !== "only" && kind !== "open" && kind !== "close") {
        return false;
      }
      at++;
    }
    return true;
  }

  #isLastLine(at: number): boolean {
    return this.#tokens.slice(at, at + 12).every(({ kind }) => kind === "line");
  }

  #read(token: Token, at: number): void {
    switch (token.kind) {
      case "line":
        this.#newLine();
        return;
      case "open":
        this.#depth++;
        if (this.#depth === 1) this.#outer = this.#scope;
        if (this.#suffix > 0 || (this.#isClosed && !this.#holdsAmount(at) && !this.#isHeadingAt(at))) this.#suffix++;
        return;
      case "close":
        this.#depth = Math.max(0, this.#depth - 1);
        // Days of an amount in brackets end with the brackets.
        if (this.#depth === 0 && this.#clause.isBracketed) {
          this.#finish();
          this.#scope = this.#outer;
        }
        this.#suffix = Math.max(0, this.#suffix - 1);
        return;
      case "stop":
      case "bullet":
        if (this.#isClosed || this.#isNote()) this.#finish();
        return;
      case "comma":
        if (this.#suffix === 0 && this.#isNote()) this.#finish();
        return;
      case "colon":
      case "filler":
        return;
      case "slash":
        return;
      case "to":
        if (!token.isLatin && !this.#isDash(token, at)) this.#fault(token, "band");
        return;
      case "from":
        if (!token.isLatin) this.#fault(token, "open_band");
        return;
      case "unknown":
        this.#fault(token, "unknown_words");
        return;
      case "condition":
        this.#fault(token, token.reason);
        return;
      case "same":
        // 30分200円 土日祝も同料金 is only a repetition. After 平日 its rates count on days that they do not name.
        if ([...this.#clauses, this.#clause].some(({ days = this.#scope?.days ?? "all" }) => days !== "all")) {
          this.#fault(token, "days_unclear");
        }
        return;
      case "weekday_name":
        this.#fault(token, "days_not_expressible");
        return;
      case "number":
        this.#fault(token, token.isAmbiguous ? "ambiguous_number" : "number");
        return;
      case "entry":
        // 21:00-8:00に入庫: a condition on the time of the entry.
        if (this.#isOfBand(at)) this.#fault(token, "band");
        return;
      case "clock":
        this.#fault(token, "open_band");
        return;
      case "next_day":
      case "before_noon":
      case "after_noon":
      case "noon":
      case "midnight":
      case "eve":
      case "add":
        this.#word(token);
        return;
      default:
        this.#readAttribute(token, at);
    }
  }

  #isOfBand(at: number): boolean {
    let before = at - 1;
    while (this.#tokens[before]?.kind === "filler") before--;
    const kind = this.#tokens[before]?.kind;
    return kind === "band" || kind === "night_band" || kind === "day_band";
  }

  /** "am Wochenende", "a.m.": alone they say nothing, but only in Latin letters. */
  #word(token: Token): void {
    if (!(token.kind === "before_noon" && token.isLatin)) this.#fault(token, "unknown_words");
  }

  /** A dash between words separates. One before an amount is a minus, and a wave is a range. */
  #isDash(token: Token & { kind: "to" }, at: number): boolean {
    const next = this.#tokens[at + 1];
    const isSpaced = (this.#tokens[at - 1]?.to ?? token.from) < token.from && next !== undefined &&
      token.to < next.from;
    if (token.isDash === true && isSpaced && next?.kind === "money") return true;
    return token.isDash === true && next?.kind !== "money" && next?.kind !== "number";
  }

  #newLine(): void {
    this.#line++;
    this.#suffix = 0;
    this.#depth = 0;
    if (this.#caps === "line") this.#caps = "none";
    const clause = this.#clause;
    if (this.#isClosed || this.#isNote()) this.#finish();
    if (clause.isHeading && clause.amount === undefined) this.#caps = "section";
    const days = this.#scope;
    if (days !== undefined && clause.amount === undefined && clause.days === days.days) {
      this.#scope = { ...days, isHeading: true };
    }
  }

  /** A clause without an amount that says whether maxima repeat, how long a stay is allowed, or when a lot is open. */
  #isNote(): boolean {
    const clause = this.#clause;
    if (this.#isClosed) return false;
    if (clause.repeat !== undefined && clause.tokens.every(({ kind }) => kind !== "rate_heading")) return true;
    if (clause.isLimit && clause.durations.length > 0) return true;
    if (clause.isHours && clause.bands.length > 0) return true;
    return clause.isNegated && clause.isCap;
  }

  #isHeadingAt(at: number): boolean {
    return this.#hasBracketHeadings && isBracketHeading(this.#tokens, at);
  }

  #holdsAmount(at: number): boolean {
    for (let next = at + 1; next < Math.min(this.#tokens.length, at + 40); next++) {
      const { kind } = this.#tokens[next]!;
      if (kind === "close" || kind === "line") return false;
      if (AMOUNTS.has(kind)) return true;
    }
    return false;
  }

  #readAttribute(token: Token, at: number): void {
    const isSuffix = this.#isSuffix(token, at);
    const take = () => isSuffix ? this.#attach(token) : this.#open(token);
    switch (token.kind) {
      case "money": {
        if (token.isOther) this.#fault(token, "other_currency");
        const clause = this.#open(token);
        if (clause.amount !== undefined) this.#fault(token, "contradiction");
        clause.isAfterSlash = this.#tokens[at - 1]?.kind === "slash";
        this.#close(clause, token.minor);
        return;
      }
      case "free": {
        const clause = this.#open(token);
        if (clause.amount !== undefined) this.#fault(token, "contradiction");
        clause.isFree = true;
        this.#close(clause, 0);
        return;
      }
      case "days":
      case "all_days":
        this.#readDays(token, at, isSuffix);
        return;
      case "except":
        // "sauf le dimanche", "except holidays": the days follow. 土日祝を除く: they are read already.
        if (!this.#isBesideDays(token, at)) this.#fault(token, "days_unclear");
        return;
      case "only":
        this.#clause.tokens.push(token);
        return;
      case "band": {
        if (!token.isValid) this.#fault(token, "band");
        const clause = take();
        if (clause.isLimit) this.#fault(token, "contradiction");
        clause.bands.push(token.band);
        return;
      }
      case "all_day":
        take().isAllDay = true;
        return;
      case "night_band":
      case "day_band": {
        const label = token.kind === "night_band" ? "night" : "day";
        const clause = take();
        if (clause.label !== undefined && clause.label !== label) this.#fault(token, "contradiction");
        clause.label = label;
        return;
      }
      case "duration": {
        const clause = take();
        // 400円/60分(最初の60分): said twice.
        if (!isSuffix || !clause.durations.includes(token.minutes)) clause.durations.push(token.minutes);
        return;
      }
      case "nth": {
        const clause = this.#open(token);
        clause.nth = token.nth;
        if (this.#tokens[at + 1]?.kind !== "duration") clause.durations.push(60);
        return;
      }
      case "cap":
      case "cap_heading": {
        const isAfter = this.#isClosed && this.#suffix === 0 && token.kind === "cap" &&
          this.#tokens[at - 1]?.kind === "money" && this.#tokens[at + 1]?.kind !== "negation" &&
          this.#amountAhead[at] === 0;
        const clause = isAfter ? this.#attach(token) : take();
        clause.isCap = true;
        const isBetweenMarks = this.#tokens[at - 1]?.kind === "bullet" && this.#tokens[at + 1]?.kind === "bullet";
        if (token.kind === "cap_heading" || isBetweenMarks) {
          clause.isHeading = true;
          // 【最大料金】 after 【平日】 and 【土日祝】 is a heading of the same rank: its maxima count on all days.
          if (this.#tokens[at - 1]?.kind === "bullet" && clause.days === undefined) this.#scope = undefined;
          this.#caps = SEPARATORS.has(this.#tokens[at + 1]?.kind ?? "line") ? "section" : "line";
        }
        return;
      }
      case "rate_heading": {
        if (this.#isClosed && this.#suffix === 0) this.#finish();
        if (this.#suffix === 0 && !this.#clause.isCap) {
          // 通常料金 after maxima of some days begins again.
          if (this.#caps !== "none" && this.#clause.tokens.length === 0) this.#scope = undefined;
          this.#caps = "none";
        }
        return;
      }
      case "same_day":
        take().isSameDay = true;
        return;
      case "until_midnight":
        take().isSameDay = true;
        return;
      case "day_unit":
        take().isDay = true;
        return;
      case "day_cap": {
        const clause = take();
        clause.isDay = true;
        clause.isCap = true;
        return;
      }
      case "stay":
        take().isStay = true;
        return;
      case "after_entry": {
        const clause = take();
        clause.isAfterEntry = true;
        clause.isFromEntry = clause.isThereafter;
        return;
      }
      case "each": {
        const isNext = this.#suffix === 0 && SEPARATORS.has(this.#tokens[at - 1]?.kind ?? "line");
        const clause = isNext ? this.#open(token) : this.#attach(token);
        clause.isEach = true;
        return;
      }
      case "next": {
        const clause = this.#open(token);
        clause.isFirst = true;
        clause.isNext = true;
        return;
      }
      case "first":
        take().isFirst = true;
        return;
      case "thereafter": {
        const clause = take();
        clause.isThereafter = true;
        if (clause.durations.length > 0 && !isSuffix) clause.isThereafterOf = true;
        return;
      }
      case "thereafter_each": {
        const clause = take();
        clause.isThereafter = true;
        clause.isEach = true;
        return;
      }
      case "within":
        take().isWithin = true;
        return;
      case "until":
        // "up to 1 hour £2" has it before its duration, 1時間まで200円 after it.
        if (token.isLatin && this.#tokens[at + 1]?.kind === "duration") {
          this.#open(token).isUntil = true;
          return;
        }
        // "£2 per hour up to £12 for 24 hours"
        if (token.isLatin && this.#tokens[at + 1]?.kind === "money") {
          this.#open(token).isCap = true;
          return;
        }
        this.#clause.tokens.push(token);
        if (this.#isClosed && !this.#clause.isCap) this.#fault(token, "unknown_words");
        this.#clause.isUntil = true;
        return;
      case "flat":
        take().isFlat = true;
        return;
      case "overnight":
        this.#open(token).isOvernight = true;
        return;
      case "stay_limit":
        this.#open(token).isLimit = true;
        return;
      case "hours_of_lot":
        this.#open(token).isHours = true;
        return;
      case "negation":
        this.#clause.tokens.push(token);
        if (!this.#clause.isCap) this.#fault(token, "unknown_words");
        this.#clause.isNegated = true;
        if (this.#isNote()) {
          this.#finish();
          this.#caps = "none";
        }
        return;
      case "no_cap": {
        // "no maximum on weekends" is about some of the prices.
        const next = this.#tokens[at + 1]?.kind ?? "line";
        if (!SEPARATORS.has(next) && next !== "money") this.#fault(token, "contradiction");
        const clause = this.#open(token);
        clause.isCap = true;
        clause.isNegated = true;
        this.#finish();
        this.#caps = "none";
        return;
      }
      case "repeat":
      case "once":
        this.#readRepeat(token);
        return;
    }
  }

  #readRepeat(token: Token & { kind: "repeat" | "once" }): void {
    const value = token.kind === "repeat";
    const clause = this.#clause;
    clause.tokens.push(token);
    if (clause.repeat !== undefined && clause.repeat !== value) this.#fault(token, "contradiction");
    clause.repeat = value;
  }

  #close(clause: Clause, amount: number): void {
    clause.amount = amount;
    clause.line = this.#line;
    clause.isBracketed = this.#depth > 0;
    if (this.#endsCaps(clause)) this.#caps = "none";
    if (!clause.isCap && this.#caps !== "none" && !clause.isFree) {
      clause.isCap = true;
      clause.isCapInherited = true;
    }
  }

  /** 最大料金 1,000円 60分200円: no maximum is for an hour or less, so it is a rate. */
  #endsCaps(clause: Clause): boolean {
    const last = this.#clauses.at(-1);
    return !clause.isCap && clause.durations[0]! <= 60 && last?.isCap === true && last.amount !== undefined;
  }

  #readDays(token: Token & { kind: "days" | "all_days" }, at: number, isSuffix: boolean): void {
    const days: Days | "all" = token.kind === "days" ? { days: token.days, isStrict: token.strict === true } : "all";
    if (this.#isExcepted(at)) {
      const clause = this.#clause;
      clause.tokens.push(token);
      if (days === "all" || clause.except !== undefined || (!this.#isClosed && clause.tokens.length === 1)) {
        this.#fault(token, "days_unclear");
      } else clause.except = days.days;
      return;
    }
    const isOwn = isSuffix || this.#depth > 0;
    const clause = isSuffix ? this.#attach(token) : this.#open(token);
    if (clause.days !== undefined) this.#fault(token, "days_unclear");
    clause.days = days;
    if (isOwn && this.#isClosed) return;
    // Days before an amount count until the next ones; section 0 has none.
    this.#sections++;
    clause.section = days === "all" ? 0 : this.#sections;
    this.#scope = days === "all" ? undefined : { days, line: this.#line, section: clause.section, isHeading: false };
  }

  /** 土日祝を除く has the word after its days, "except Sundays" before them. */
  #isExcepted(at: number): boolean {
    const next = this.#tokens[at + 1];
    if (next?.kind === "except" && !next.isLatin) return true;
    const last = this.#tokens[at - 1]?.kind === "filler" ? this.#tokens[at - 2] : this.#tokens[at - 1];
    return last?.kind === "except" && last.isLatin;
  }

  #isBesideDays(token: Token, at: number): boolean {
    if (!token.isLatin) return this.#tokens[at - 1]?.kind === "days";
    const next = this.#tokens[at + 1]?.kind === "filler" ? this.#tokens[at + 2] : this.#tokens[at + 1];
    return next?.kind === "days";
  }
}

function isBracketHeading(tokens: readonly Token[], at: number): boolean {
  const [open, days, close] = tokens.slice(Math.max(0, at), at + 3);
  return at >= 0 && open?.kind === "open" && (days?.kind === "days" || days?.kind === "all_days") &&
    close?.kind === "close";
}

/** An amount with nothing but its days and hours. */
function isPlain({ tokens }: Clause): boolean {
  return tokens.every(({ kind }) => kind === "money" || CONDITIONS.has(kind));
}

function hasWindow(clause: Clause): boolean {
  return clause.durations.length > 0 || clause.isSameDay || clause.isDay || clause.isStay || clause.bands.length > 0;
}

/** For each token, 1 if an amount follows on its line before the line or sentence ends. */
function amountsAhead(tokens: readonly Token[]): Uint8Array {
  const ahead = new Uint8Array(tokens.length + 1);
  for (let at = tokens.length - 1; at >= 0; at--) {
    const { kind } = tokens[at]!;
    ahead[at] = kind === "line" || kind === "stop" ? 0 : AMOUNTS.has(kind) ? 1 : ahead[at + 1]!;
  }
  return ahead;
}
