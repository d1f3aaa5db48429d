/**
 * Reasons for assumptions and open questions, in the user's language, each with its factor for the confidence. A factor
 * below 0.8 is an invented number or a choice between interpretations. An answer with such a factor is never certain.
 */
import type { Field, Locale, Note } from "./types.ts";

const REASONS = {
  // Assumptions about the stay
  past_means_next: [
    0.95,
    "その時刻は過ぎているため、次に来る日時としました。",
    "That time is in the past, so the next one is used.",
  ],
  past_means_next_bare: [
    0.78,
    "その時刻は過ぎているため、次の日の午前としました。",
    "That time is in the past, so the next morning is used.",
  ],
  past_means_next_year: [
    0.75,
    "その日は過ぎているため、来年としました。",
    "That date is in the past, so next year is used.",
  ],
  past_means_next_month: [
    0.85,
    "その日は過ぎているため、来月としました。",
    "That day is in the past, so next month is used.",
  ],
  from_now: [0.93, "開始の時刻がないため、今からとしました。", "No start is given, so the stay starts now."],
  day_part: [
    0.74,
    "時刻がはっきりしないため、この時刻としました。",
    "No exact time is given, so this default is used.",
  ],
  afternoon: [
    0.74,
    "午前か午後か書かれていないため、午後としました。",
    "Morning or afternoon is not given, so afternoon is used.",
  ],
  morning: [
    0.76,
    "午前か午後か書かれていないため、書かれたとおりの時刻としました。",
    "Morning or afternoon is not given, so the hour is used as written.",
  ],
  later_half: [
    0.94,
    "開始より後になるように読みました。",
    "The later half of the day is used, so that it is after the start.",
  ],
  next_day: [
    0.94,
    "終了が開始より前のため、翌日としました。",
    "The end is before the start, so it is on the next day.",
  ],
  nearly_a_day: [
    0.74,
    "終了が開始より前のため、翌日としました。",
    "The end is before the start, so it is on the next day.",
  ],
  end_past: [
    0.72,
    "終了の時刻は過ぎているため、翌日としました。",
    "The end is in the past, so that of the next day is used.",
  ],
  half_day: [0.74, "半日は6時間としました。", "Half a day is counted as 6 hours."],
  overnight_start: [0.74, "泊まりの開始の時刻がないため、18時としました。", "A night without a start begins at 18:00."],
  overnight_end: [0.76, "泊まりの終了の時刻がないため、10時としました。", "A night without an end ends at 10:00."],
  whole_day: [0.76, "0時から24時までとしました。", "The day is counted from midnight to midnight."],
  whole_days: [0.78, "1日を24時間としました。", "A day is counted as 24 hours."],
  weekend: [
    0.77,
    "週末のどの日か書かれていないため、この日としました。",
    "The weekend has two days, and this one is used.",
  ],
  next_week: [0.76, "来週のこの曜日としました。", "That day of next week is used."],
  month_first: [0.76, "月/日の順としました。", "The date is read as month/day."],
  couple: [0.88, "2時間としました。", "This is counted as two hours."],
  longer: [0.78, "幅があるため、長いほうとしました。", "The longer one of a range of durations is used."],
  late_night_date: [
    0.7,
    "その日の夜が明ける前、つまり翌日の未明としました。",
    "The night after that day is used.",
  ],
  dates_of_range: [
    0.78,
    "日付は入庫の日と出庫の日としました。",
    "The dates are those of the entry and of the exit.",
  ],
  after_start: [0.76, "開始の日から数えました。", "The days are counted from the start."],
  which_night: [0.75, "日付は開始の日としました。", "The date is used for the start."],
  first_of_two: [
    0.76,
    "時計が戻るためこの時刻は2回あり、最初のほうとしました。",
    "The clock is set back and shows this time twice, so the first one is used.",
  ],
  start_from_end: [
    0.85,
    "終了の時刻と長さから計算しました。",
    "The start is calculated from the end and the duration.",
  ],
  // Assumptions about conditions
  about_price: [0.86, "およその金額を上限としました。", "The amount is used as a maximum."],
  price_unit: [0.82, "円としました。", "The amount is in yen."],
  price_of_hour: [0.97, "1時間あたりの料金の上限としました。", "The amount is used as a maximum for one hour."],
  price_of_day: [
    0.9,
    "1日の料金の上限を、駐車全体の上限としました。",
    "The maximum for a day is used as the maximum for the stay.",
  ],
  rate: [0.93, "1時間あたりの料金に換算しました。", "The amount is converted to the price of one hour."],
  meaning: [0.92, "この条件を指すものと読みました。", "The text is read as this condition."],
  vehicle_kind: [0.92, "この車種としました。", "The text is read as this kind of vehicle."],
  no_height: [
    0.95,
    "車の高さがないため、高さでは絞り込みません。",
    "No height is given, so lots are not filtered by height.",
  ],
  measure_unit: [
    0.85,
    "単位または何の寸法かが書かれていないため、この値としました。",
    "The unit or the dimension is not given, so this one is used.",
  ],
  walk_unsaid: [0.92, "ここまでの距離の上限としました。", "The distance is used as a maximum."],
  radius_halved: [0.76, "範囲を半分にしました。", "The radius is halved."],
  radius_doubled: [0.76, "範囲を2倍にしました。", "The radius is doubled."],
  place_unsure: [0.85, "残りの言葉を場所としました。", "The remaining words are used as the place."],
  // Open questions
  no_clock: [0.93, "何時からか書かれていません。", "The time of day is not given."],
  no_exit: [0.94, "いつまで停めるか書かれていません。", "The duration of the stay is not given."],
  no_such_day: [0.75, "その月にその日はありません。", "That month has no such day."],
  holiday: [
    0.8,
    "祝日の日付は分かりません。日付で書いてください。",
    "The date of this holiday is unknown. Please give the date.",
  ],
  vague_date: [
    0.85,
    "どの日か決められません。日付で書いてください。",
    "It could be several days. Please give the date.",
  ],
  past: [0.75, "その時刻は過ぎています。", "That time is in the past."],
  skipped: [
    0.75,
    "夏時間の始まりのため、その時刻はありません。",
    "That time does not exist, because the clock is set forward.",
  ],
  other_time: [
    0.72,
    "ほかにも時刻があり、どれを使うか決められません。",
    "The text contains more times than a stay needs.",
  ],
  other_day: [
    0.75,
    "ほかにも日付があり、どれを使うか決められません。",
    "The text contains more days than a stay needs.",
  ],
  conflict: [
    0.7,
    "日付と曜日、または時刻と長さが合いません。",
    "The date and the weekday, or the times and the duration, do not match.",
  ],
  repeated: [
    0.76,
    "繰り返しの検索はできません。次の1回だけを見ます。",
    "A search is for one stay, so only the next one is used.",
  ],
  too_long: [0.75, "駐車は31日までです。", "A stay is at most 31 days."],
  not_a_time: [0.75, "時刻として読めません。", "This is not a valid time of day."],
  change: [
    0.85,
    "前の検索の時刻は残っていません。時刻で書いてください。",
    "The times of the search before are not kept. Please give the times.",
  ],
  some_time: [0.94, "長さが数で書かれていません。", "The duration is not a number."],
  currency: [
    0.8,
    "料金は円で比べます。円で書いてください。",
    "Prices are compared in yen. Please give the amount in yen.",
  ],
  more_prices: [0.72, "金額が二つ以上あり、どれを使うか決められません。", "There are several amounts."],
  several: [0.74, "値が二つ以上あり、どれを使うか決められません。", "There are several values."],
  price_for_day: [
    0.85,
    "1日あたりの金額は、1日より長い駐車の上限になりません。",
    "An amount for a day does not limit a stay of several days.",
  ],
  out_of_range: [0.8, "検索できる範囲を超えています。", "This is outside of the range of a search."],
  no_condition: [0.94, "この条件では検索できません。", "The search does not support this condition."],
  excluded: [0.92, "この条件を除く検索はできません。", "The search cannot exclude this."],
  by_vehicle: [0.92, "乗り物での所要時間は距離に直せません。", "Minutes by vehicle cannot be converted to metres."],
  how_cheap: [
    0.95,
    "いくらまでか書かれていません。安い順にしました。",
    "The text does not give a price limit, so lots are sorted by price.",
  ],
  no_place: [0.92, "場所が書かれていません。", "The place is not given."],
  whose_place: [
    0.86,
    "その場所がどこか分かりません。地名で書いてください。",
    "The location of this place is unknown. Please name the place.",
  ],
  two_places: [0.74, "場所が二つ以上あります。", "There are several places."],
  of_event: [
    0.79,
    "駐車の時刻ではなく、ほかの予定の時刻かもしれません。",
    "This can be the time of something else than the stay.",
  ],
  not_understood: [0.79, "この部分は読み取れませんでした。", "This part was not understood."],
  // Differences between a model's answer and the text
  lost: [0.72, "文にありますが、答えにありません。", "The text contains this, but the answer does not."],
  invented: [0.6, "答えにありますが、文にありません。", "The answer contains this, but the text does not."],
} as const satisfies Record<string, readonly [number, string, string]>;

export type Reason = keyof typeof REASONS;

/** Result of a recogniser, before it is put into words. */
export interface Finding {
  readonly text: string;
  readonly field: Field;
  readonly value: string | number | null;
  readonly reason: Reason;
}

export function noteOf(finding: Finding, locale: Locale): Note {
  const [, japanese, english] = REASONS[finding.reason];
  const { text, field, value } = finding;
  return { text: text.trim().slice(0, 200), field, value, reason: locale === "ja" ? japanese : english };
}

/** The product of the factors of all findings. Below 1, because a text is never certain. */
export function confidenceOf(findings: readonly Finding[]): number {
  const product = findings.reduce((left, { reason }) => left * REASONS[reason][0], 0.98);
  return Math.round(Math.max(0.05, product) * 100) / 100;
}
