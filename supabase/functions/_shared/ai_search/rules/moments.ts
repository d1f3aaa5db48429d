/** Resolves a time of the text to an instant: half of the day, day, and whether the local time exists in the zone. */
import type { Anchor } from "./anchors.ts";
import { DAY_PARTS } from "./clocks.ts";
import type { DateToken, Today } from "./dates.ts";
import { calendarOf, dayOf, isoDate, momentsOf, timestamp, wallTimeOf } from "./local_time.ts";
import type { Finding, Reason } from "./notes.ts";
import type { Scanner } from "./scanner.ts";
import type { Field } from "./types.ts";

export const MINUTE = 60_000;
const LONG_MS = 20 * 60 * MINUTE;

export interface LocalClock {
  readonly now: number;
  readonly zone: string;
  readonly today: Today;
}

interface Choice {
  /** Minutes from midnight of the mentioned day. */
  readonly minute: number;
  readonly reason: Reason | null;
}

/** Resolves the times one after another and records assumptions and open questions. */
export class MomentReader {
  protected readonly scanner: Scanner;
  protected readonly clock: LocalClock;
  protected readonly assumptions: Finding[] = [];
  protected readonly unresolved: Finding[] = [];
  readonly #isJapanese: boolean;
  /** The text is about working days: a start without a date is on the next one. Holidays are not known. */
  protected isOnWorkdays = false;
  /** Days between the day that the text names for the start and the day of the start: 25時, 翌2時から. */
  #carriedDays = 0;

  constructor(scanner: Scanner, clock: LocalClock) {
    this.scanner = scanner;
    this.clock = clock;
    this.#isJapanese = /[ぁ-んァ-ヶ一-龠]/u.test(scanner.text);
  }

  protected assume(
    span: { start: number; end: number },
    field: Field,
    reason: Reason,
    value: string | number | null,
  ): void {
    this.assumptions.push({ text: this.scanner.slice(span), field, value, reason });
  }

  protected leave(
    span: { start: number; end: number },
    field: Field,
    reason: Reason,
    value: string | number | null,
  ): void {
    this.unresolved.push({ text: this.scanner.slice(span), field, value, reason });
  }

  protected at(moment: number): string {
    return timestamp(moment, this.clock.zone);
  }

  protected entryMoment(entry: Anchor, exit: Anchor | null, date: DateToken | null): number | null {
    const { now, zone, today } = this.clock;
    const { point } = entry;
    if (point.kind === "now") return now;
    if (point.kind === "from_now") return now + point.minutes * MINUTE;
    const choice = this.#entryMinute(entry, exit, date);
    if (choice === null) return null;
    const base = point.kind === "part" || point.daysAfter > 0 ? point.daysAfter : 0;
    let day = (date === null ? this.#openDay(today.day) : date.day ?? today.day) + base;
    let { minute } = choice;
    const reasons: (Reason | null)[] = [choice.reason, date?.assumed ?? null];
    const isPast = (atDay: number, atMinute: number) => (momentsOf(atDay, atMinute, zone)[0] ?? Infinity) < now;
    if (isPast(day, minute)) {
      const isToday = point.today || date?.day === today.day;
      const part = point.kind === "part" ? DAY_PARTS[point.part] : undefined;
      if (isToday && point.kind === "clock" && minute < 300 && (point.half === "24h" || point.half === "night")) {
        // Midnight "today" is the coming midnight.
        this.#carriedDays = base + 1;
        return this.#moment(entry, "entry_at", day, minute + 1440, ["late_night_date"]);
      }
      const end = part === undefined ? endOfSameDay(minute, exit) : Math.max(part.until, part.from + 180) + 1;
      if (isToday && end !== null && !isPast(day, end - 1)) {
        this.assume(entry, "entry_at", "from_now", this.at(now));
        return now;
      }
      const isOver = end !== null && exit?.point.kind === "clock" && exit.point.half !== null;
      if (isToday && point.kind === "clock" && point.half === null && !isOver && !isPast(day, minute + 720)) {
        minute += 720;
        reasons.push("afternoon");
      } else {
        const next = date === null && !point.today ? day + 1 : date === null ? null : this.future(date, minute, entry);
        if (next === null) {
          if (date === null) this.leave(entry, "entry_at", "past", this.at(momentsOf(day, minute, zone)[0] ?? now));
          return null;
        }
        if (date === null) {
          const isBare = point.kind === "clock" && point.half === null && !isPast(day, minute + 720);
          reasons.push(isBare && !this.#isJapanese && exit === null ? "past_means_next_bare" : "past_means_next");
        }
        day = date === null ? this.#openDay(next) : next + base;
      }
    }
    this.#carriedDays = base + Math.floor(minute / 1440);
    return this.#moment(entry, "entry_at", day, minute, reasons);
  }

  /** The day, or the next Monday in a text about working days. */
  #openDay(day: number): number {
    const { weekday } = calendarOf(day);
    return this.isOnWorkdays && weekday % 6 === 0 ? day + (weekday === 6 ? 2 : 1) : day;
  }

  /** The instant of a local time. A skipped local time has none, and for a repeated one the first instant is used. */
  #moment(
    anchor: Anchor,
    field: Field,
    day: number,
    minute: number,
    reasons: readonly (Reason | null)[],
  ): number | null {
    const moments = momentsOf(day, minute, this.clock.zone);
    const moment = moments[0];
    if (moment === undefined) {
      this.leave(anchor, field, "skipped", isoDate(day));
      return null;
    }
    for (const reason of reasons) if (reason !== null) this.assume(anchor, field, reason, this.at(moment));
    if (moments.length > 1) this.assume(anchor, field, "first_of_two", this.at(moment));
    return moment;
  }

  #entryMinute(entry: Anchor, exit: Anchor | null, date: DateToken | null): Choice | null {
    const { point } = entry;
    if (point.kind === "part") return { minute: DAY_PARTS[point.part].from, reason: "day_part" };
    if (point.kind !== "clock") return null;
    const { minute, half, colon } = point;
    const hour = Math.floor(minute / 60);
    if (half === "24h") return { minute, reason: this.#isMidnightOf(point, date) ? "late_night_date" : null };
    if (half === "am") return { minute: hour === 12 ? minute - 720 : minute, reason: null };
    if (half === "pm") return { minute: hour < 12 ? minute + 720 : minute, reason: null };
    if (half === "noon") return { minute: hour <= 5 ? minute + 720 : minute, reason: null };
    if (half === "night") {
      if (hour >= 5 && hour < 12) return { minute: minute + 720, reason: null };
      if (hour === 12) return { minute: minute + 720, reason: null };
      const isOfDay = date !== null && date.day !== this.clock.today.day;
      return isOfDay || point.today || this.#isLate(minute)
        ? { minute: minute + 1440, reason: isOfDay ? "late_night_date" : null }
        : { minute, reason: null };
    }
    return this.#bareMinute(minute, hour, colon, exit);
  }

  /** "Sunday midnight": the one before Sunday or the one after it. 24時 is after it. */
  #isMidnightOf(point: Anchor["point"], date: DateToken | null): boolean {
    const isMidnight = point.kind === "clock" && point.minute === 1440 && !this.#isJapanese;
    return isMidnight && date !== null && date.day !== this.clock.today.day;
  }

  /** Whether a time after midnight belongs to the coming night. That holds if the current time is before it. */
  #isLate(minute: number): boolean {
    return wallTimeOf(this.clock.now, this.clock.zone).minute > minute;
  }

  /** An hour from 1 to 12 without a half of the day. */
  #bareMinute(minute: number, hour: number, colon: boolean, exit: Anchor | null): Choice {
    const end = exit?.point.kind === "clock" ? exit.point : null;
    const isMidnight = end?.half === "24h" && end.minute === 1440;
    if (!this.#isJapanese && end !== null && (end.half === "pm" || end.half === "night" || isMidnight) && hour < 12) {
      const endMinute = isMidnight ? 1440 : end.minute % 720 + 720;
      if (minute + 720 < endMinute) return { minute: minute + 720, reason: "later_half" };
      return { minute, reason: null };
    }
    if (end !== null && end.half === "am" && !this.#isJapanese) return { minute, reason: null };
    const isLate = this.#isJapanese ? hour <= 5 && !colon : hour <= 6;
    const is24h = end?.half === "24h" && end.minute >= 780 && end.minute < 1440;
    if (isLate && !is24h) return { minute: minute + 720, reason: "afternoon" };
    if (isLate || hour <= 5) return { minute, reason: "morning" };
    // "7 to 9" is equally often in the evening. "9 to 6" is not.
    const isShort = end !== null && end.half === null && end.minute > minute && end.minute < 720;
    if (!this.#isJapanese && hour <= 8 && isShort) return { minute, reason: "morning" };
    return { minute, reason: null };
  }

  /** The first matching day from now on, or null if the date cannot be in the future. */
  protected future(date: DateToken, minute: number, span: { start: number; end: number } = date): number | null {
    const { now, zone } = this.clock;
    const isPast = (day: number) => (momentsOf(day, minute, zone)[0] ?? Infinity) < now;
    const { day } = date;
    if (day === null || !isPast(day)) return day;
    const { year, month, date: dateOfMonth } = calendarOf(day);
    const field = "entry_at";
    if (date.ifPast === "week") {
      // On Saturday evening 今週末の10時 is on Sunday, and on Sunday evening on Saturday.
      const weekday = date.assumed === "weekend" ? calendarOf(day).weekday : null;
      const next = weekday === 6 ? day + 1 : day + (weekday === 0 ? 6 : 7);
      if (next !== day + 1) this.assume(date, field, "past_means_next", isoDate(next));
      return next;
    }
    if (date.ifPast === "month" || date.ifPast === "year") {
      const next = date.ifPast === "year"
        ? dayOf(year + 1, month, dateOfMonth)
        : dayOf(month === 12 ? year + 1 : year, month % 12 + 1, dateOfMonth);
      if (next === undefined) {
        this.leave(date, field, "no_such_day", null);
        return null;
      }
      this.assume(
        date,
        field,
        date.ifPast === "year" ? "past_means_next_year" : "past_means_next_month",
        isoDate(next),
      );
      return next;
    }
    this.leave(
      { start: Math.min(date.start, span.start), end: Math.max(date.end, span.end) },
      field,
      "past",
      isoDate(day),
    );
    return null;
  }

  /** All interpretations of an end, in minutes from midnight of its day. */
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
        return hour >= 6 ? [minute + 720] : [minute, minute + 1440];
      default: {
        const start = entry?.point;
        const is24h = start?.kind === "clock" && start.half === "24h" && start.minute > 780;
        return is24h ? [minute] : [minute, minute + 720];
      }
    }
  }

  protected exitMoment(exit: Anchor, start: number, entry: Anchor | null, date: DateToken | null): number | null {
    const { zone, now } = this.clock;
    const { point } = exit;
    // 9時に停めて3時間後に出る: after the start, not after now.
    if (point.kind === "from_now") return (entry?.point.kind === "clock" ? start : now) + point.minutes * MINUTE;
    if (point.kind === "now") return null;
    const startDay = wallTimeOf(start, zone).day;
    // 翌 and hours from 24 count from the day that the text names: 25時から翌3時, 25時から27時 are two hours.
    const isCounted = point.daysAfter > 0 || point.kind === "clock" && point.minute >= 1440;
    const named = startDay - (isCounted ? this.#carriedDays : 0);
    // 明日から3日後: after the start, rather than after today.
    const isAfterStart = date !== null && date.daysAfter !== null && startDay !== this.clock.today.day &&
      (entry?.date?.daysAfter ?? null) === null;
    const day = date === null
      ? named + point.daysAfter
      : isAfterStart
      ? startDay + date.daysAfter
      : this.#exitDay(date, start);
    if (day === null) return null;
    const minutes = this.#exitMinutes(exit, entry);
    const pick = (ofDay: number) => {
      const open = minutes.filter((minute) => (momentsOf(ofDay, minute, zone)[0] ?? start + 1) > start);
      return point.kind === "part" ? open[0] : open.toSorted((a, b) => a - b)[0];
    };
    const reasons: (Reason | null)[] = [
      point.kind === "part" ? "day_part" : null,
      isAfterStart && date.daysAfter! > 1 ? "after_start" : null,
      this.#isMidnightOf(point, date) ? "late_night_date" : null,
    ];
    let minute = pick(day), onDay = day;
    if (minute === undefined && date === null && point.daysAfter === 0) {
      onDay = day + 1;
      minute = pick(onDay);
      const isNearlyDay = minute !== undefined && (momentsOf(onDay, minute, zone)[0] ?? start) - start > LONG_MS;
      reasons.push(isNearlyDay ? "nearly_a_day" : "next_day");
      // "10pm to 6am Friday": the night before Friday, or the night after it.
      if (exit.date !== null) reasons.push("which_night");
    }
    if (minute === undefined) {
      this.leave(exit, "exit_at", "conflict", null);
      return null;
    }
    if (point.kind === "clock" && point.half === null && minute !== point.minute) {
      const isInHalf = entry?.point.kind === "clock" &&
        (entry.point.half === "pm" || entry.point.half === "night" || entry.point.half === "noon");
      reasons.push(isInHalf ? null : "later_half");
    }
    // 18時まで at 18:20: nearly a day from now is hardly meant.
    const isFromNow = (entry === null || entry.point.kind === "now") && date === null && point.daysAfter === 0;
    const isLong = (momentsOf(onDay, minute, zone)[0] ?? start) - start > LONG_MS;
    if (isFromNow && isLong) reasons.push("end_past");
    return this.#moment(exit, "exit_at", onDay, minute, reasons);
  }

  /** The end's own date, in the year or month of the start. */
  #exitDay(date: DateToken, start: number): number | null {
    let { day } = date;
    if (day === null) return null;
    const startDay = wallTimeOf(start, this.clock.zone).day - this.#carriedDays;
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

  /** The end on its own day, if there is no start. */
  protected endOn(exit: Anchor, day: number, mustBeAhead: boolean): number | null {
    const { point } = exit;
    if (point.kind === "now" || point.kind === "from_now") return null;
    const minutes = this.#exitMinutes(exit, null);
    const first = Math.floor((minutes[0] ?? 0) / 60);
    const isLate = point.kind === "clock" && point.half === null && first <= 5 && minutes.length > 1;
    const isNight = point.kind === "clock" && point.half === "night" && minutes.length > 1;
    const minute = isLate || isNight ? minutes[1] : minutes[0];
    if (minute === undefined) return null;
    const reason: Reason | null = point.kind === "part"
      ? "day_part"
      : isNight
      ? "late_night_date"
      : isLate
      ? "afternoon"
      : null;
    const moment = this.#moment(exit, "exit_at", day + point.daysAfter, minute, [reason]);
    return moment !== null && mustBeAhead && moment <= this.clock.now ? null : moment;
  }
}

/** 10時から15時, 9-5: the end on the day of the start, if it is not as likely twelve hours later; else null. */
function endOfSameDay(start: number, exit: Anchor | null): number | null {
  if (exit?.point.kind !== "clock" || exit.date !== null || exit.point.daysAfter > 0) return null;
  const { minute, half } = exit.point;
  const isLate = half === "pm" ? minute < 720 : half === null && minute <= start;
  const end = isLate ? minute + 720 : half === "pm" || half === "24h" ? minute : 0;
  return end > start && end <= start + 720 ? end : null;
}
