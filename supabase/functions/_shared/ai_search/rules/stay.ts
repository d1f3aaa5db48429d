/** Start and end of the stay, from the times, days and durations of the text. */
import { type Anchor, anchorsOf, chooseAnchors, isRangeOfDates, OWN } from "./anchors.ts";
import { DAY_PARTS, type Point } from "./clocks.ts";
import { type DateToken, inWeek, type Repetition, weeksAhead } from "./dates.ts";
import type { Length } from "./durations.ts";
import { calendarOf, isoDate, momentsOf, wallTimeOf } from "./local_time.ts";
import { type LocalClock, MINUTE, MomentReader } from "./moments.ts";
import type { Finding, Reason } from "./notes.ts";
import type { Scanner } from "./scanner.ts";

const MAX_STAY_MS = 31 * 86_400_000;
/** 5日と6日: two stays. */
const LIST = /^,? ?(?:と|や|か|または|もしくは|and|&|or) ?(?:on )?(?:the )?$/iu;
const CHANGE =
  /変更|(?:に|と)(?:して|直して)|を\d{1,2}(?::\d{2}|時(?:半|\d{1,2}分)?)に|(?<![a-z])(?:instead|change|make (?:it|that))(?![a-z])/iu;
const OVERNIGHT_START = 18 * 60;
const OVERNIGHT_END = 10 * 60;

export interface StayTokens {
  readonly dates: readonly DateToken[];
  readonly points: readonly Point[];
  readonly lengths: readonly Length[];
  readonly repetitions: readonly Repetition[];
}

export interface Stay {
  readonly entry: number | null;
  readonly exit: number | null;
  readonly assumptions: readonly Finding[];
  readonly unresolved: readonly Finding[];
}

/** Combines the times, days and durations of one text. One instance per text. */
export class StayReader extends MomentReader {
  readonly #tokens: StayTokens;
  /** The text changes a stay, whose times are not known: "until 9pm instead". */
  readonly #isChange: boolean;

  constructor(scanner: Scanner, tokens: StayTokens, clock: LocalClock, isRefinement: boolean) {
    super(scanner, clock);
    this.#tokens = tokens;
    this.#isChange = isRefinement && CHANGE.test(scanner.text);
    this.isOnWorkdays = tokens.repetitions.some((repetition) => repetition.isOnWorkdays);
  }

  read(): Stay {
    const { lengths, points, repetitions } = this.#tokens;
    const dates = this.#mergeDates(this.#tokens.dates);
    const fromNow = lengths.filter((length) => length.kind === "from_now");
    const all = [...points, ...fromNow].toSorted((a, b) => a.start - b.start);
    const { entry, exit, others } = chooseAnchors(anchorsOf(this.scanner, all, dates));
    for (const other of others) this.leave(other, "entry_at", "other_time", null);
    for (const repetition of repetitions) {
      if (!this.#isDayOf(repetition, dates)) this.leave(repetition, "entry_at", "repeated", null);
    }
    for (const length of lengths) if (length.kind === "change") this.leave(length, "entry_at", "change", null);
    const found = this.#resolve(entry, exit, dates);
    if (entry !== null && exit !== null && found.exit !== null && isRangeOfDates(this.scanner, all, dates)) {
      const days = { start: dates[0]!.start, end: dates[1]!.end };
      this.assume(days, "exit_at", "dates_of_range", this.at(found.exit));
    }
    return { ...this.#check(found, lengths), assumptions: this.assumptions, unresolved: this.unresolved };
  }

  /** 平日の月曜, "weekday Monday": one such day. */
  #isDayOf(repetition: Repetition, [date, ...others]: readonly DateToken[]): boolean {
    if (date === undefined || date.day === null || others.length > 0 || !repetition.isOnWorkdays) return false;
    const isNext = /^(?:の| |、)?$/u.test(this.scanner.text.slice(repetition.end, date.start));
    return isNext && calendarOf(date.day).weekday % 6 !== 0;
  }

  /** 11月25日(水), 今週末の土曜: adjacent dates are one day, or contradict each other. */
  #mergeDates(dates: readonly DateToken[]): DateToken[] {
    const merged: DateToken[] = [];
    for (const date of dates) {
      const last = merged.at(-1);
      const gap = last === undefined ? null : this.scanner.text.slice(last.end, date.start);
      if (gap !== null && LIST.test(gap)) {
        this.leave(date, "entry_at", "repeated", date.day === null ? null : isoDate(date.day));
        continue;
      }
      if (last === undefined || gap === null || !/^(?:の|、|,|\.|\(| ){0,3}$/u.test(gap)) {
        merged.push(date);
        continue;
      }
      merged[merged.length - 1] = this.#single(last, date);
    }
    // "the holidays, from 30 December": a vague date is ignored next to an exact date.
    // 来週 有馬で 金曜の10時: the day is one of that week.
    const week = merged.find((date) =>
      date.problem === "vague" && /週|week|来月|来年|next/iu.test(this.scanner.slice(date))
    );
    const named = merged.filter((date) => date.problem !== "vague")
      .map((date) => week === undefined || date.weekday === null ? date : this.#single(week, date));
    return named.some((date) => date.day !== null) ? named : merged;
  }

  #single(first: DateToken, second: DateToken): DateToken {
    const whole = { start: first.start, end: second.end };
    const named = first.weekday !== null ? first : second.weekday !== null ? second : null;
    if (named === null) return { ...(first.day === null ? second : first), ...whole };
    const other = named === first ? second : first;
    if (other.span) {
      const words = this.scanner.slice(other), weeks = weeksAhead(words);
      // 来月の金曜: one of four or five.
      if (/来月|来年|next (?:month|year)/iu.test(words)) return { ...other, ...whole };
      return { ...named, day: weeks > 0 ? inWeek(this.clock.today, weeks, named.weekday!) : named.day, ...whole };
    }
    if (other.day === null) return { ...other, ...whole };
    if (calendarOf(other.day).weekday === named.weekday) return { ...other, ...whole };
    this.leave(whole, "entry_at", "conflict", isoDate(other.day));
    return { ...other, ...whole, day: null, problem: null };
  }

  #resolve(entry: Anchor | null, exit: Anchor | null, dates: readonly DateToken[]) {
    const { lengths } = this.#tokens;
    const whole = lengths.find((length) => length.kind === "whole_day");
    // 泊まりで2泊: the number counts.
    const nights = lengths.filter((length) => length.kind === "nights").toSorted((a, b) => b.nights - a.nights)[0];
    const days = lengths.find((length) => length.kind === "days");
    const [duration, ...others] = lengths.filter((length) => length.kind === "duration");
    for (const other of others) {
      if (other.minutes !== duration!.minutes) this.leave(other, "exit_at", "several", other.minutes);
    }
    const first = dates[0] ?? null;
    const problem = this.#dateProblem(dates);
    if (problem) return { entry: null, exit: null };
    const isToday = entry !== null && "today" in entry.point && entry.point.today;
    // "9 to 6 tomorrow", "9am Saturday 3pm": the date after the end, or after the start, also applies to the start.
    const shared = entry !== null && exit !== null && entry.date === null && !isToday && exit.date !== null &&
      exit.date.daysAfter !== 1 &&
      (exit.date.start >= exit.start || OWN.test(this.scanner.text.slice(entry.end, exit.date.start)));
    const entryDate = entry?.date ?? (shared ? exit!.date : null) ??
      (first !== null && exit?.date !== first && !isToday ? first : null);
    const exitDate = shared ? null : exit?.date ?? null;
    // "Friday in Ginza 10 to 12, Saturday": a day that no time has.
    for (const date of entry === null && exit === null ? [] : dates) {
      if (!date.span && date !== entryDate && date !== exitDate) this.leave(date, "entry_at", "other_day", null);
    }
    // "overnight, 20 hours from 4pm": the hours count.
    const isTimed = nights?.nights === 1 && entry !== null && exit === null && duration !== undefined;
    if (nights !== undefined && !isTimed) return this.#overnight(nights, entry, exit, entryDate, exitDate);
    if (whole !== undefined && entry === null && exit === null) return this.#wholeDay(whole, entryDate);
    if (days !== undefined && exit === null) return this.#wholeDays(days, entry, entryDate);
    if (entry === null && exit === null && duration === undefined) {
      if (first !== null) this.#noClock(first);
      return { entry: null, exit: null };
    }
    const found = this.#times(entry, exit, entryDate, exitDate, duration, whole);
    if (days !== undefined && found.entry !== null && found.exit !== null) {
      const [last, start] = [found.exit, found.entry].map((at) => wallTimeOf(at, this.clock.zone).day);
      // 3日間 12/5 9時~12/7 18時: three days, of which the first and the last count.
      if (![days.days, days.days - 1].includes(last! - start!)) {
        this.leave(days, "exit_at", "conflict", this.at(found.exit));
      }
    }
    return found;
  }

  /** Records why a date cannot be used. With one such date there is no stay. */
  #dateProblem(dates: readonly DateToken[]): boolean {
    let isBad = false;
    for (const date of dates) {
      if (date.day === null) {
        isBad = true;
        if (date.problem === null) continue; // already recorded where it was found
        const reason = date.problem === "vague" || date.problem === "other_day" ? "vague_date" : date.problem;
        this.leave(date, "entry_at", reason, null);
      }
    }
    return isBad;
  }

  #noClock(date: DateToken): void {
    const day = this.future(date, 24 * 60 - 1);
    if (day !== null) this.leave(date, "entry_at", "no_clock", isoDate(day));
  }

  #times(
    entry: Anchor | null,
    exit: Anchor | null,
    entryDate: DateToken | null,
    exitDate: DateToken | null,
    duration: Extract<Length, { kind: "duration" }> | undefined,
    whole: Length | undefined,
  ) {
    const { today, now } = this.clock;
    let start: number | null = null, end: number | null = null;
    if (entry !== null) {
      start = this.entryMoment(entry, exit, entryDate);
      if (start === null) {
        // The problem with the start is already recorded. The end can still be resolved by its own date.
        const day = exit === null ? null : exitDate?.day ?? entryDate?.day ?? null;
        return { entry: null, exit: day === null ? null : this.endOn(exit!, day, day === today.day) };
      }
    } else if (exit !== null) {
      const day = exitDate?.day ?? entryDate?.day ?? today.day;
      if (duration !== undefined) {
        end = day === today.day ? this.exitMoment(exit, now, null, exitDate) : this.endOn(exit, day, false);
        if (end !== null) {
          start = end - duration.minutes * MINUTE;
          if (start < now) {
            this.leave(duration, "entry_at", "past", this.at(start));
            return { entry: null, exit: end };
          }
          this.assume(duration, "entry_at", "start_from_end", this.at(start));
          return { entry: start, exit: end };
        }
      } else if (day !== today.day) {
        end = this.endOn(exit, day, false);
        this.leave(exit, "entry_at", "no_clock", null);
        return { entry: null, exit: end };
      } else if (this.#isChange) {
        this.leave(exit, "entry_at", "change", null);
        return { entry: null, exit: this.exitMoment(exit, now, null, exitDate) };
      } else {
        start = now;
        this.assume(exit, "entry_at", "from_now", this.at(now));
      }
    } else if (duration !== undefined) {
      if (entryDate !== null && entryDate.day !== today.day) {
        this.#noClock(entryDate);
        return { entry: null, exit: null };
      }
      if (this.#isChange) {
        this.leave(duration, "entry_at", "change", null);
        return { entry: null, exit: null };
      }
      start = now;
      this.assume(duration, "entry_at", "from_now", this.at(now));
    }
    if (start === null) return { entry: null, exit: null };
    if (exit !== null) {
      end = this.exitMoment(exit, start, entry, exitDate);
      if (end !== null && duration !== undefined && Math.abs(end - start - duration.minutes * MINUTE) > MINUTE) {
        this.leave(duration, "exit_at", "conflict", this.at(end));
      }
    } else if (duration !== undefined) {
      end = start + duration.minutes * MINUTE;
      const reasons = { half_day: "half_day", couple: "couple", range: "longer" } as const;
      if (duration.assumed !== null) this.assume(duration, "exit_at", reasons[duration.assumed], this.at(end));
    } else if (entry?.point.kind === "part" && DAY_PARTS[entry.point.part].isSpan) {
      end = this.#endOfPart(entry, start);
    } else if (whole !== undefined) {
      end = momentsOf(wallTimeOf(start, this.clock.zone).day + 1, 0, this.clock.zone)[0] ?? null;
      if (end !== null) this.assume(whole, "exit_at", "whole_day", this.at(end));
    }
    return { entry: start, exit: end };
  }

  #endOfPart(entry: Anchor, start: number): number | null {
    const part = DAY_PARTS[(entry.point as Extract<Point, { kind: "part" }>).part];
    const end = momentsOf(wallTimeOf(start, this.clock.zone).day, part.until, this.clock.zone)[0] ?? null;
    if (end === null || end <= start) return null;
    this.assume(entry, "exit_at", "day_part", this.at(end));
    return end;
  }

  #overnight(
    nights: Extract<Length, { kind: "nights" }>,
    entry: Anchor | null,
    exit: Anchor | null,
    entryDate: DateToken | null,
    exitDate: DateToken | null,
  ) {
    const { now, zone, today } = this.clock;
    let start: number | null;
    if (entry !== null) start = this.entryMoment(entry, exit, entryDate);
    else {
      const day = entryDate === null ? today.day : this.future(entryDate, 24 * 60 - 1);
      if (day === null) return { entry: null, exit: null };
      const moment = momentsOf(day, OVERNIGHT_START, zone)[0] ?? now;
      start = Math.max(moment, now);
      const reason = moment < now ? "from_now" : "overnight_start";
      this.assume(nights, "entry_at", reason, this.at(start));
      if (entryDate?.assumed) this.assume(entryDate, "entry_at", entryDate.assumed, this.at(start));
    }
    if (start === null) return { entry: null, exit: null };
    if (exit !== null && exitDate !== null) {
      return { entry: start, exit: this.exitMoment(exit, start, entry, exitDate) };
    }
    const wall = wallTimeOf(start, zone);
    // After midnight, users count the current night.
    const lastDay = wall.day + nights.nights - (wall.minute < 300 ? 1 : 0);
    if (exit !== null) return { entry: start, exit: this.endOn(exit, lastDay, false) };
    const end = momentsOf(lastDay, OVERNIGHT_END, zone)[0] ?? null;
    if (end !== null) this.assume(nights, "exit_at", "overnight_end", this.at(end));
    return { entry: start, exit: end };
  }

  #wholeDay(whole: Length, date: DateToken | null) {
    const { now, zone, today } = this.clock;
    const day = date === null ? today.day : this.future(date, 24 * 60 - 1);
    if (day === null) return { entry: null, exit: null };
    const start = Math.max(momentsOf(day, 0, zone)[0] ?? now, now);
    // Without a date, a day is 24 hours from now.
    const end = date === null ? now + 1440 * MINUTE : momentsOf(day + 1, 0, zone)[0] ?? null;
    const reason: Reason = date === null ? "whole_days" : "whole_day";
    this.assume(whole, "entry_at", start === now ? "from_now" : reason, this.at(start));
    if (end !== null) this.assume(whole, "exit_at", reason, this.at(end));
    return { entry: start, exit: end };
  }

  #wholeDays(days: Extract<Length, { kind: "days" }>, entry: Anchor | null, date: DateToken | null) {
    const { now, zone, today } = this.clock;
    let start: number | null;
    if (entry !== null) start = this.entryMoment(entry, null, date);
    else if (date === null || date.day === today.day) {
      start = now;
      this.assume(days, "entry_at", "from_now", this.at(now));
    } else {
      const day = this.future(date, 24 * 60 - 1);
      start = day === null ? null : momentsOf(day, 0, zone)[0] ?? null;
      if (start !== null) this.assume(date, "entry_at", "whole_day", this.at(start));
    }
    if (start === null) return { entry: null, exit: null };
    const wall = wallTimeOf(start, zone);
    const end = momentsOf(wall.day + days.days, wall.minute, zone)[0] ?? null;
    if (end !== null) this.assume(days, "exit_at", "whole_days", this.at(end));
    return { entry: start, exit: end };
  }

  /** An impossible stay becomes an open question. Missing parts are listed. */
  #check(found: { entry: number | null; exit: number | null }, lengths: readonly Length[]) {
    let { entry, exit } = found;
    const whole = { start: 0, end: 0 };
    const inRange = (at: number | null) => at === null || (at >= Date.UTC(2000, 0) && at < Date.UTC(2099, 11));
    if (!inRange(entry) || !inRange(exit)) {
      this.leave(whole, "entry_at", "out_of_range", null);
      return { entry: null, exit: null };
    }
    if (entry !== null && exit !== null && exit <= entry) {
      this.leave(whole, "exit_at", "conflict", this.at(exit));
      exit = null;
    } else if (entry !== null && exit !== null && exit - entry > MAX_STAY_MS) {
      this.leave(whole, "exit_at", "too_long", this.at(exit));
      exit = null;
    } else if (entry === null && exit !== null && exit < this.clock.now) exit = null;
    const some = lengths.find((length) => length.kind === "some_time");
    if (some !== undefined && exit === null) this.leave(some, "exit_at", "some_time", null);
    else if (entry !== null && exit === null && !this.unresolved.some(({ field }) => field === "exit_at")) {
      this.leave(whole, "exit_at", "no_exit", null);
    }
    if (entry === null && exit === null) this.assumptions.length = 0;
    return { entry, exit };
  }
}
