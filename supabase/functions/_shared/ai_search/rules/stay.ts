/** When the stay begins and ends: moments from the times, days and lengths that the text names. */
import { type Anchor, anchorsOf, chooseAnchors } from "./anchors.ts";
import { DAY_PARTS, type Point } from "./clocks.ts";
import type { DateToken, Repetition, Today } from "./dates.ts";
import type { Length } from "./durations.ts";
import { calendarOf, dayOf, isoDate, momentsOf, timestamp, wallTimeOf } from "./local_time.ts";
import type { Finding, Reason } from "./notes.ts";
import type { Scanner } from "./scanner.ts";
import type { Field } from "./types.ts";

const MINUTE = 60_000;
const LONGEST_MS = 31 * 86_400_000;
const OVERNIGHT_START = 18 * 60;
const OVERNIGHT_END = 10 * 60;

export interface StayTokens {
  readonly dates: readonly DateToken[];
  readonly points: readonly Point[];
  readonly lengths: readonly Length[];
  readonly repetitions: readonly Repetition[];
}

export interface Clockwork {
  readonly now: number;
  readonly zone: string;
  readonly today: Today;
}

export interface Stay {
  readonly entry: number | null;
  readonly exit: number | null;
  readonly assumptions: readonly Finding[];
  readonly unresolved: readonly Finding[];
}

interface Choice {
  /** Minutes from the midnight of the day that is named. */
  readonly minute: number;
  readonly reason: Reason | null;
}

export class StayReader {
  readonly #scanner: Scanner;
  readonly #tokens: StayTokens;
  readonly #clock: Clockwork;
  readonly #assumptions: Finding[] = [];
  readonly #unresolved: Finding[] = [];
  readonly #isJapanese: boolean;

  constructor(scanner: Scanner, tokens: StayTokens, clock: Clockwork) {
    this.#scanner = scanner;
    this.#tokens = tokens;
    this.#clock = clock;
    this.#isJapanese = /[ぁ-んァ-ヶ一-龠]/u.test(scanner.text);
  }

  read(): Stay {
    const { lengths, points, repetitions } = this.#tokens;
    const dates = this.#mergeDates(this.#tokens.dates);
    const fromNow = lengths.filter((length) => length.kind === "from_now");
    const all = [...points, ...fromNow].toSorted((a, b) => a.start - b.start);
    const { entry, exit, others } = chooseAnchors(anchorsOf(this.#scanner, all, dates));
    for (const other of others) this.#leave(other, "entry_at", "other_time", null);
    for (const repetition of repetitions) this.#leave(repetition, "entry_at", "repeated", null);
    const found = this.#resolve(entry, exit, dates);
    return { ...this.#check(found, lengths), assumptions: this.#assumptions, unresolved: this.#unresolved };
  }

  #assume(span: { start: number; end: number }, field: Field, reason: Reason, value: string | number | null): void {
    this.#assumptions.push({ text: this.#scanner.slice(span), field, value, reason });
  }

  #leave(span: { start: number; end: number }, field: Field, reason: Reason, value: string | number | null): void {
    this.#unresolved.push({ text: this.#scanner.slice(span), field, value, reason });
  }

  #at(moment: number): string {
    return timestamp(moment, this.#clock.zone);
  }

  /** 11月25日(水), 今週末の土曜: dates beside each other are one day, or disagree. */
  #mergeDates(dates: readonly DateToken[]): DateToken[] {
    const merged: DateToken[] = [];
    for (const date of dates) {
      const last = merged.at(-1);
      const gap = last === undefined ? null : this.#scanner.text.slice(last.end, date.start);
      if (last === undefined || gap === null || !/^(?:の|、|,|\(| ){0,3}$/u.test(gap)) {
        merged.push(date);
        continue;
      }
      merged[merged.length - 1] = this.#one(last, date);
    }
    // "the holidays, from 30 December": what is vague counts for nothing beside a date.
    const named = merged.filter((date) => date.problem !== "vague");
    return named.some((date) => date.day !== null) ? named : merged;
  }

  #one(first: DateToken, second: DateToken): DateToken {
    const whole = { start: first.start, end: second.end };
    const named = first.weekday !== null ? first : second.weekday !== null ? second : null;
    if (named === null) return { ...(first.day === null ? second : first), ...whole };
    const other = named === first ? second : first;
    if (other.span) {
      const isNextWeek = /来週|next week/iu.test(this.#scanner.slice(other));
      const monday = this.#clock.today.day - ((this.#clock.today.weekday + 6) % 7);
      const day = isNextWeek ? monday + 7 + ((named.weekday! + 6) % 7) : named.day;
      return { ...named, day, ...whole };
    }
    if (other.day === null) return { ...other, ...whole };
    if (calendarOf(other.day).weekday === named.weekday) return { ...other, ...whole };
    this.#leave(whole, "entry_at", "conflict", isoDate(other.day));
    return { ...other, ...whole, day: null, problem: null };
  }

  #resolve(entry: Anchor | null, exit: Anchor | null, dates: readonly DateToken[]) {
    const { lengths } = this.#tokens;
    const whole = lengths.find((length) => length.kind === "whole_day");
    const nights = lengths.find((length) => length.kind === "nights");
    const days = lengths.find((length) => length.kind === "days");
    const duration = lengths.find((length) => length.kind === "duration");
    const first = dates[0] ?? null;
    const problem = this.#dateProblem(dates);
    if (problem) return { entry: null, exit: null };
    const isToday = entry !== null && "today" in entry.point && entry.point.today;
    // "9 to 6 tomorrow": the date after the end is the start's as well.
    const shared = entry !== null && exit !== null && entry.date === null && !isToday && exit.date !== null &&
      exit.date.start >= exit.start;
    const entryDate = entry?.date ?? (shared ? exit!.date : null) ??
      (first !== null && exit?.date !== first && !isToday ? first : null);
    const exitDate = shared ? null : exit?.date ?? null;
    if (nights !== undefined) return this.#overnight(nights, entry, exit, entryDate, exitDate);
    if (whole !== undefined && entry === null && exit === null) return this.#wholeDay(whole, entryDate);
    if (days !== undefined && exit === null) return this.#wholeDays(days, entry, entryDate);
    if (entry === null && exit === null && duration === undefined) {
      if (first !== null) this.#noClock(first);
      return { entry: null, exit: null };
    }
    return this.#times(entry, exit, entryDate, exitDate, duration, whole);
  }

  /** Says why a date cannot be used; with one such date there is no stay. */
  #dateProblem(dates: readonly DateToken[]): boolean {
    let isBad = false;
    for (const date of dates) {
      if (date.day === null) {
        isBad = true;
        if (date.problem === null) continue; // said where it was found
        const reason = date.problem === "vague" ? "vague_date" : date.problem;
        this.#leave(date, "entry_at", reason, null);
      }
    }
    return isBad;
  }

  #noClock(date: DateToken): void {
    const day = this.#future(date, 24 * 60 - 1);
    if (day !== null) this.#leave(date, "entry_at", "no_clock", isoDate(day));
  }

  #times(
    entry: Anchor | null,
    exit: Anchor | null,
    entryDate: DateToken | null,
    exitDate: DateToken | null,
    duration: Extract<Length, { kind: "duration" }> | undefined,
    whole: Length | undefined,
  ) {
    const { today, now } = this.#clock;
    let start: number | null = null, end: number | null = null;
    if (entry !== null) {
      start = this.#entryMoment(entry, exit, entryDate);
      if (start === null) {
        // What is wrong with the start has been said; the end may still be known by its own date.
        const day = exit === null ? null : exitDate?.day ?? entryDate?.day ?? null;
        return { entry: null, exit: day === null ? null : this.#endOn(exit!, day, day === today.day) };
      }
    } else if (exit !== null) {
      const day = exitDate?.day ?? entryDate?.day ?? today.day;
      if (duration !== undefined) {
        end = day === today.day ? this.#exitMoment(exit, now, null, exitDate) : this.#endOn(exit, day, false);
        if (end !== null) {
          start = end - duration.minutes * MINUTE;
          this.#assume(duration, "entry_at", "start_from_end", this.#at(start));
          return { entry: start, exit: end };
        }
      } else if (day !== today.day) {
        end = this.#endOn(exit, day, false);
        this.#leave(exit, "entry_at", "no_clock", null);
        return { entry: null, exit: end };
      } else {
        start = now;
        this.#assume(exit, "entry_at", "from_now", this.#at(now));
      }
    } else if (duration !== undefined) {
      if (entryDate !== null && entryDate.day !== today.day) {
        this.#noClock(entryDate);
        return { entry: null, exit: null };
      }
      start = now;
      this.#assume(duration, "entry_at", "from_now", this.#at(now));
    }
    if (start === null) return { entry: null, exit: null };
    if (exit !== null) {
      end = this.#exitMoment(exit, start, entry, exitDate);
      if (end !== null && duration !== undefined && Math.abs(end - start - duration.minutes * MINUTE) > MINUTE) {
        this.#leave(duration, "exit_at", "conflict", this.#at(end));
      }
    } else if (duration !== undefined) {
      end = start + duration.minutes * MINUTE;
      const reasons = { half_day: "half_day", couple: "couple", range: "longer" } as const;
      if (duration.assumed !== null) this.#assume(duration, "exit_at", reasons[duration.assumed], this.#at(end));
    } else if (entry?.point.kind === "part" && DAY_PARTS[entry.point.part].isSpan) {
      end = this.#endOfPart(entry, start);
    } else if (whole !== undefined) {
      end = momentsOf(wallTimeOf(start, this.#clock.zone).day + 1, 0, this.#clock.zone)[0] ?? null;
      if (end !== null) this.#assume(whole, "exit_at", "whole_day", this.#at(end));
    }
    return { entry: start, exit: end };
  }

  #endOfPart(entry: Anchor, start: number): number | null {
    const part = DAY_PARTS[(entry.point as Extract<Point, { kind: "part" }>).part];
    const end = momentsOf(wallTimeOf(start, this.#clock.zone).day, part.until, this.#clock.zone)[0] ?? null;
    if (end === null || end <= start) return null;
    this.#assume(entry, "exit_at", "day_part", this.#at(end));
    return end;
  }

  #entryMoment(entry: Anchor, exit: Anchor | null, date: DateToken | null): number | null {
    const { now, zone, today } = this.#clock;
    const { point } = entry;
    if (point.kind === "now") return now;
    if (point.kind === "from_now") return now + point.minutes * MINUTE;
    const choice = this.#entryMinute(entry, exit, date);
    if (choice === null) return null;
    const base = point.kind === "part" || point.daysAfter > 0 ? point.daysAfter : 0;
    let day = (date?.day ?? today.day) + base;
    let { minute } = choice;
    const reasons: (Reason | null)[] = [choice.reason, date?.assumed ?? null];
    const isPast = (atDay: number, atMinute: number) => (momentsOf(atDay, atMinute, zone)[0] ?? Infinity) < now;
    if (isPast(day, minute)) {
      const isToday = point.today || date?.day === today.day;
      const part = point.kind === "part" ? DAY_PARTS[point.part] : undefined;
      if (isToday && point.kind === "clock" && minute < 300 && (point.half === "24h" || point.half === "night")) {
        // Midnight "today" is the one to come.
        return this.#moment(entry, "entry_at", day, minute + 1440, ["late_night_date"]);
      }
      if (isToday && part !== undefined && !isPast(day, Math.max(part.until, part.from + 180))) {
        this.#assume(entry, "entry_at", "from_now", this.#at(now));
        return now;
      }
      if (isToday && point.kind === "clock" && point.half === null && !isPast(day, minute + 720)) {
        minute += 720;
        reasons.push("afternoon");
      } else {
        const next = date === null && !point.today ? day + 1 : date === null ? null : this.#future(date, minute, entry);
        if (next === null) {
          if (date === null) this.#leave(entry, "entry_at", "past", this.#at(momentsOf(day, minute, zone)[0] ?? now));
          return null;
        }
        if (date === null) {
          const isBare = point.kind === "clock" && point.half === null && !isPast(day, minute + 720);
          reasons.push(isBare && !this.#isJapanese && exit === null ? "past_means_next_bare" : "past_means_next");
        }
        day = next + (date === null ? 0 : base);
      }
    }
    return this.#moment(entry, "entry_at", day, minute, reasons);
  }

  /** The moment of a wall time; a time that the clock leaves out is none, of one that it shows twice the first is taken. */
  #moment(
    anchor: Anchor,
    field: Field,
    day: number,
    minute: number,
    reasons: readonly (Reason | null)[],
  ): number | null {
    const moments = momentsOf(day, minute, this.#clock.zone);
    const moment = moments[0];
    if (moment === undefined) {
      this.#leave(anchor, field, "skipped", isoDate(day));
      return null;
    }
    for (const reason of reasons) if (reason !== null) this.#assume(anchor, field, reason, this.#at(moment));
    if (moments.length > 1) this.#assume(anchor, field, "first_of_two", this.#at(moment));
    return moment;
  }

  #entryMinute(entry: Anchor, exit: Anchor | null, date: DateToken | null): Choice | null {
    const { point } = entry;
    if (point.kind === "part") return { minute: DAY_PARTS[point.part].from, reason: "day_part" };
    if (point.kind !== "clock") return null;
    const { minute, half, colon } = point;
    const hour = Math.floor(minute / 60);
    if (half === "24h") return { minute, reason: null };
    if (half === "am") return { minute: hour === 12 ? minute - 720 : minute, reason: null };
    if (half === "pm") return { minute: hour < 12 ? minute + 720 : minute, reason: null };
    if (half === "noon") return { minute: hour <= 5 ? minute + 720 : minute, reason: null };
    if (half === "night") {
      if (hour >= 5 && hour < 12) return { minute: minute + 720, reason: null };
      if (hour === 12) return { minute: minute + 720, reason: null };
      const isOfDay = date !== null && date.day !== this.#clock.today.day;
      return isOfDay || point.today || this.#isLate(minute)
        ? { minute: minute + 1440, reason: isOfDay ? "late_night_date" : null }
        : { minute, reason: null };
    }
    return this.#bareMinute(minute, hour, colon, exit);
  }

  /** Whether a time after midnight is the coming night's: it is for all who ask before it. */
  #isLate(minute: number): boolean {
    return wallTimeOf(this.#clock.now, this.#clock.zone).minute > minute;
  }

  /** An hour from 1 to 12 without a word that says which half of the day it is in. */
  #bareMinute(minute: number, hour: number, colon: boolean, exit: Anchor | null): Choice {
    const end = exit?.point.kind === "clock" ? exit.point : null;
    if (!this.#isJapanese && end !== null && (end.half === "pm" || end.half === "night") && hour < 12) {
      const endMinute = end.minute % 720 + 720;
      if (minute + 720 < endMinute) return { minute: minute + 720, reason: "later_half" };
      return { minute, reason: null };
    }
    if (end !== null && end.half === "am" && !this.#isJapanese) return { minute, reason: null };
    const isLate = this.#isJapanese ? hour <= 5 && !colon : hour <= 6;
    const is24h = end?.half === "24h" && end.minute >= 780 && end.minute < 1440;
    if (isLate && !is24h) return { minute: minute + 720, reason: "afternoon" };
    if (isLate || hour <= 5) return { minute, reason: "morning" };
    // "7 to 9" is as often in the evening; "9 to 6" is not.
    const isShort = end !== null && end.half === null && end.minute > minute && end.minute < 720;
    if (!this.#isJapanese && hour <= 8 && isShort) return { minute, reason: "morning" };
    return { minute, reason: null };
  }

  /** The first day from now on that the date stands for, or null when it cannot be in the future. */
  #future(date: DateToken, minute: number, span: { start: number; end: number } = date): number | null {
    const { now, zone } = this.#clock;
    const isPast = (day: number) => (momentsOf(day, minute, zone)[0] ?? Infinity) < now;
    const { day } = date;
    if (day === null || !isPast(day)) return day;
    const { year, month, date: dateOfMonth } = calendarOf(day);
    const field = "entry_at";
    if (date.ifPast === "week") {
      this.#assume(date, field, "past_means_next", isoDate(day + 7));
      return day + 7;
    }
    if (date.ifPast === "month" || date.ifPast === "year") {
      const next = date.ifPast === "year"
        ? dayOf(year + 1, month, dateOfMonth)
        : dayOf(month === 12 ? year + 1 : year, month % 12 + 1, dateOfMonth);
      if (next === undefined) {
        this.#leave(date, field, "no_such_day", null);
        return null;
      }
      this.#assume(
        date,
        field,
        date.ifPast === "year" ? "past_means_next_year" : "past_means_next_month",
        isoDate(next),
      );
      return next;
    }
    this.#leave(
      { start: Math.min(date.start, span.start), end: Math.max(date.end, span.end) },
      field,
      "past",
      isoDate(day),
    );
    return null;
  }

  /** All readings of an end, in minutes from the midnight of its day. */
  #exitMinutes(exit: Anchor, entry: Anchor | null): readonly number[] {
    const { point } = exit;
    if (point.kind === "part") {
      const { until, from } = DAY_PARTS[point.part];
      return [until, from].toSorted((a, b) => a === until ? -1 : b === until ? 1 : 0);
    }
    if (point.kind !== "clock") return [];
    const { minute, half } = point;
    const hour = Math.floor(minute / 60);
    switch (half) {
      case "24h":
        return [minute];
      case "am":
        return [hour === 12 ? minute - 720 : minute];
      case "pm":
        return [hour < 12 ? minute + 720 : minute];
      case "noon":
        return [hour <= 5 ? minute + 720 : minute];
      case "night":
        return [hour >= 6 ? minute + 720 : minute];
      default: {
        const start = entry?.point;
        const is24h = start?.kind === "clock" && start.half === "24h" && start.minute > 780;
        return is24h ? [minute] : [minute, minute + 720];
      }
    }
  }

  #exitMoment(exit: Anchor, start: number, entry: Anchor | null, date: DateToken | null): number | null {
    const { zone, now } = this.#clock;
    const { point } = exit;
    // 9時に停めて3時間後に出る: after the start, not after now.
    if (point.kind === "from_now") return (entry?.point.kind === "clock" ? start : now) + point.minutes * MINUTE;
    if (point.kind === "now") return null;
    const startDay = wallTimeOf(start, zone).day;
    // A night that began before midnight belongs to the day before.
    const day = date === null ? startDay + point.daysAfter : this.#exitDay(date, start);
    if (day === null) return null;
    const minutes = this.#exitMinutes(exit, entry);
    const pick = (ofDay: number) => {
      const open = minutes.filter((minute) => (momentsOf(ofDay, minute, zone)[0] ?? start + 1) > start);
      return point.kind === "part" ? open[0] : open.toSorted((a, b) => a - b)[0];
    };
    const reasons: (Reason | null)[] = [point.kind === "part" ? "day_part" : null];
    let minute = pick(day), onDay = day;
    if (minute === undefined && date === null && point.daysAfter === 0) {
      onDay = day + 1;
      minute = pick(onDay);
      reasons.push("next_day");
      // "10pm to 6am Friday": the night before Friday, or the one after.
      if (exit.date !== null) reasons.push("which_night");
    }
    if (minute === undefined) {
      this.#leave(exit, "exit_at", "conflict", null);
      return null;
    }
    if (point.kind === "clock" && point.half === null && minute !== point.minute) {
      const isInHalf = entry?.point.kind === "clock" &&
        (entry.point.half === "pm" || entry.point.half === "night" || entry.point.half === "noon");
      reasons.push(isInHalf ? null : "later_half");
    }
    return this.#moment(exit, "exit_at", onDay, minute, reasons);
  }

  /** The end's own date, in the year or month that the start is in. */
  #exitDay(date: DateToken, start: number): number | null {
    let { day } = date;
    if (day === null) return null;
    const startDay = wallTimeOf(start, this.#clock.zone).day;
    for (let step = 0; step < 2 && day !== null && day < startDay; step++) {
      const { year, month, date: dateOfMonth } = calendarOf(day);
      if (date.ifPast === "week") day += 7;
      else if (date.ifPast === "year") day = dayOf(year + 1, month, dateOfMonth) ?? null;
      else if (date.ifPast === "month") {
        day = dayOf(month === 12 ? year + 1 : year, month % 12 + 1, dateOfMonth) ?? null;
      }
    }
    return day;
  }

  /** The end on a day of its own, where there is no start to be after. */
  #endOn(exit: Anchor, day: number, mustBeAhead: boolean): number | null {
    const { point } = exit;
    if (point.kind === "now" || point.kind === "from_now") return null;
    const minutes = this.#exitMinutes(exit, null);
    const first = Math.floor((minutes[0] ?? 0) / 60);
    const isLate = point.kind === "clock" && point.half === null && first <= 5 && minutes.length > 1;
    const minute = isLate ? minutes[1] : minutes[0];
    if (minute === undefined) return null;
    const reason: Reason | null = point.kind === "part" ? "day_part" : isLate ? "afternoon" : null;
    const moment = this.#moment(exit, "exit_at", day + point.daysAfter, minute, [reason]);
    return moment !== null && mustBeAhead && moment <= this.#clock.now ? null : moment;
  }

  #overnight(
    nights: Extract<Length, { kind: "nights" }>,
    entry: Anchor | null,
    exit: Anchor | null,
    entryDate: DateToken | null,
    exitDate: DateToken | null,
  ) {
    const { now, zone, today } = this.#clock;
    let start: number | null;
    if (entry !== null) start = this.#entryMoment(entry, exit, entryDate);
    else {
      const day = entryDate === null ? today.day : this.#future(entryDate, 24 * 60 - 1);
      if (day === null) return { entry: null, exit: null };
      const moment = momentsOf(day, OVERNIGHT_START, zone)[0] ?? now;
      start = Math.max(moment, now);
      const reason = moment < now ? "from_now" : "overnight_start";
      this.#assume(nights, "entry_at", reason, this.#at(start));
      if (entryDate?.assumed) this.#assume(entryDate, "entry_at", entryDate.assumed, this.#at(start));
    }
    if (start === null) return { entry: null, exit: null };
    if (exit !== null && exitDate !== null) {
      return { entry: start, exit: this.#exitMoment(exit, start, entry, exitDate) };
    }
    const wall = wallTimeOf(start, zone);
    // Who comes after midnight counts the night that has begun.
    const lastDay = wall.day + nights.nights - (wall.minute < 300 ? 1 : 0);
    if (exit !== null) return { entry: start, exit: this.#endOn(exit, lastDay, false) };
    const end = momentsOf(lastDay, OVERNIGHT_END, zone)[0] ?? null;
    if (end !== null) this.#assume(nights, "exit_at", "overnight_end", this.#at(end));
    return { entry: start, exit: end };
  }

  #wholeDay(whole: Length, date: DateToken | null) {
    const { now, zone, today } = this.#clock;
    const day = date === null ? today.day : this.#future(date, 24 * 60 - 1);
    if (day === null) return { entry: null, exit: null };
    const start = Math.max(momentsOf(day, 0, zone)[0] ?? now, now);
    // Without a date a day is 24 hours from now.
    const end = date === null ? now + 1440 * MINUTE : momentsOf(day + 1, 0, zone)[0] ?? null;
    const reason: Reason = date === null ? "whole_days" : "whole_day";
    this.#assume(whole, "entry_at", start === now ? "from_now" : reason, this.#at(start));
    if (end !== null) this.#assume(whole, "exit_at", reason, this.#at(end));
    return { entry: start, exit: end };
  }

  #wholeDays(days: Extract<Length, { kind: "days" }>, entry: Anchor | null, date: DateToken | null) {
    const { now, zone, today } = this.#clock;
    let start: number | null;
    if (entry !== null) start = this.#entryMoment(entry, null, date);
    else if (date === null || date.day === today.day) {
      start = now;
      this.#assume(days, "entry_at", "from_now", this.#at(now));
    } else {
      const day = this.#future(date, 24 * 60 - 1);
      start = day === null ? null : momentsOf(day, 0, zone)[0] ?? null;
      if (start !== null) this.#assume(date, "entry_at", "whole_day", this.#at(start));
    }
    if (start === null) return { entry: null, exit: null };
    const wall = wallTimeOf(start, zone);
    const end = momentsOf(wall.day + days.days, wall.minute, zone)[0] ?? null;
    if (end !== null) this.#assume(days, "exit_at", "whole_days", this.#at(end));
    return { entry: start, exit: end };
  }

  /** What no stay can be is left open; what is missing is named. */
  #check(found: { entry: number | null; exit: number | null }, lengths: readonly Length[]) {
    let { entry, exit } = found;
    const whole = { start: 0, end: 0 };
    const inRange = (at: number | null) => at === null || (at >= Date.UTC(2000, 0) && at < Date.UTC(2099, 11));
    if (!inRange(entry) || !inRange(exit)) {
      this.#leave(whole, "entry_at", "out_of_range", null);
      return { entry: null, exit: null };
    }
    if (entry !== null && exit !== null && exit <= entry) {
      this.#leave(whole, "exit_at", "conflict", this.#at(exit));
      exit = null;
    } else if (entry !== null && exit !== null && exit - entry > LONGEST_MS) {
      this.#leave(whole, "exit_at", "too_long", this.#at(exit));
      exit = null;
    } else if (entry === null && exit !== null && exit < this.#clock.now) exit = null;
    const some = lengths.find((length) => length.kind === "some_time");
    if (some !== undefined && exit === null) this.#leave(some, "exit_at", "some_time", null);
    else if (entry !== null && exit === null && !this.#unresolved.some(({ field }) => field === "exit_at")) {
      this.#leave(whole, "exit_at", "no_exit", null);
    }
    if (entry === null && exit === null) this.#assumptions.length = 0;
    return { entry, exit };
  }
}
