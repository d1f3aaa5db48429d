// Times of day in every form, with every day word and length: what is said is what is read.
import assert from "node:assert/strict";
import { parseText } from "../../supabase/functions/_shared/ai_search/rules/index.ts";

const NOW = new Date("2026-11-18T09:00:00+09:00");
const TODAY = Date.parse("2026-11-18T00:00:00+09:00");
const HOUR = 3_600_000, DAY = 86_400_000;

const parse = (text: string, locale: "ja" | "en") => parseText(text, { locale, now: NOW, timeZone: "Asia/Tokyo" });
const hours = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

interface Spoken {
  readonly words: string;
  /** Minutes from midnight of the day; two when the words do not say which half of the day. */
  readonly minutes: readonly number[];
}

const both = (minute: number) => minute < 720 && minute >= 60 ? [minute, minute + 720] : [minute];
const padded = (hour: number) => String(hour).padStart(2, "0");
const wide = (text: string) => text.replace(/\d/gu, (digit) => "０１２３４５６７８９"[Number(digit)]!);

const JAPANESE: readonly Spoken[] = hours(0, 29).flatMap((hour) => [
  { words: `${hour}時`, minutes: both(hour * 60) },
  { words: wide(`${hour}時`), minutes: both(hour * 60) },
  { words: `${hour}時半`, minutes: both(hour * 60 + 30) },
  { words: `${hour}時15分`, minutes: both(hour * 60 + 15) },
  { words: `${hour}:30`, minutes: both(hour * 60 + 30) },
  { words: wide(`${hour}：00`), minutes: both(hour * 60) },
  { words: `${padded(hour)}:45`, minutes: hour < 10 ? [hour * 60 + 45] : both(hour * 60 + 45) },
  ...hour >= 1 && hour <= 11
    ? [
      { words: `午前${hour}時`, minutes: [hour * 60] },
      { words: `午後${hour}時半`, minutes: [hour * 60 + 750] },
      { words: `午後${hour}:10`, minutes: [hour * 60 + 730] },
    ]
    : [],
]);

const ENGLISH: readonly Spoken[] = [
  ...hours(1, 11).flatMap((hour) =>
    (["am", "pm"] as const).flatMap((half) => {
      const from = hour * 60 + (half === "pm" ? 720 : 0);
      return [
        { words: `${hour}${half}`, minutes: [from] },
        { words: `${hour} ${half}`, minutes: [from] },
        { words: `${hour}:15 ${half}`, minutes: [from + 15] },
        { words: `${hour}.30${half}`, minutes: [from + 30] },
        { words: `half past ${hour} ${half}`, minutes: [from + 30] },
        { words: `quarter past ${hour}${half}`, minutes: [from + 15] },
        { words: `quarter to ${hour} ${half}`, minutes: [from - 15] },
      ];
    })
  ),
  ...hours(13, 23).flatMap((hour) => [
    { words: `${hour}:00`, minutes: [hour * 60] },
    { words: `${hour}:30`, minutes: [hour * 60 + 30] },
  ]),
];

const LENGTHS: readonly (readonly [ja: string, en: string, minutes: number])[] = [
  ["30分", "30 minutes", 30],
  ["1時間", "1 hour", 60],
  ["1時間半", "1.5 hours", 90],
  ["90分", "90 minutes", 90],
  ["2時間30分", "2 hours 30 minutes", 150],
  ["3時間", "3 hours", 180],
  ["３時間", "three hours", 180],
  ["12時間", "12 hours", 720],
];

const DAYS_JA = [["明日", 1], ["あした", 1], ["あさって", 2], ["明後日", 2], ["しあさって", 3], [
  "11月25日",
  7,
]] as const;
const DAYS_EN = [["tomorrow", 1], ["on 25 November", 7], ["Nov 25", 7], ["the day after tomorrow", 2]] as const;

function assertStay(text: string, locale: "ja" | "en", day: number, spoken: Spoken, minutes: number): string[] {
  const { entry_at, exit_at, place, unresolved } = parse(text, locale);
  const starts = spoken.minutes.map((minute) => TODAY + day * DAY + minute * 60_000);
  const isStart = entry_at !== null && starts.includes(Date.parse(entry_at));
  const isEnd = exit_at !== null && entry_at !== null &&
    Date.parse(exit_at) - Date.parse(entry_at) === minutes * 60_000;
  return isStart && isEnd && place !== null && unresolved.length === 0
    ? []
    : [`${text}: ${entry_at} ${exit_at} ${place} ${unresolved.map(({ text, reason }) => text + reason).join()}`];
}

Deno.test("clocks: a day, a time and a length are a stay, in every Japanese form", () => {
  const wrong = DAYS_JA.flatMap(([day, after], index) =>
    JAPANESE.flatMap((spoken, n) => {
      const [length, , minutes] = LENGTHS[(n + index) % LENGTHS.length]!;
      const { words } = spoken;
      return [
        `${day}${words}から${length}、横浜駅`,
        `${day}の${words}から${length}横浜駅で`,
        `横浜駅 ${day} ${words}から ${length}`,
        `${day}、${words}〜${length}、横浜駅`,
      ].flatMap((text) => assertStay(text, "ja", after, spoken, minutes));
    })
  );
  assert.deepEqual(wrong.slice(0, 20), [], `${wrong.length}`);
});

Deno.test("clocks: a day, a time and a length are a stay, in every English form", () => {
  const wrong = DAYS_EN.flatMap(([day, after], index) =>
    ENGLISH.flatMap((spoken, n) => {
      const [, length, minutes] = LENGTHS[(n + index) % LENGTHS.length]!;
      const { words } = spoken;
      return [
        `near Yokohama station ${day} at ${words} for ${length}`,
        `${words} ${day} for ${length}, Yokohama station`,
        `Yokohama station, ${day}, from ${words}, ${length}`,
      ].flatMap((text) => assertStay(text, "en", after, spoken, minutes));
    })
  );
  assert.deepEqual(wrong.slice(0, 20), [], `${wrong.length}`);
});

Deno.test("clocks: the half of the day that is said is kept at both ends of a range", () => {
  const wrong = ENGLISH.flatMap((from) =>
    ENGLISH.filter((_, index) => index % 7 === 3).flatMap((until) => {
      if (until.minutes[0]! <= from.minutes[0]!) return [];
      const text = `${from.words} to ${until.words} tomorrow, Ebisu`;
      return assertStay(text, "en", 1, from, until.minutes[0]! - from.minutes[0]!);
    })
  );
  assert.deepEqual(wrong.slice(0, 20), [], `${wrong.length}`);
});

Deno.test("clocks: 翌 is the day after the day that is said, also after an hour above 24", () => {
  const wrong: string[] = [];
  for (const hour of hours(13, 29)) {
    for (const end of hours(0, 12)) {
      if (hour * 60 >= 1440 + end * 60) continue;
      const text = `明日${hour}時から翌${end}時まで渋谷駅`;
      const { entry_at, exit_at } = parse(text, "ja");
      const start = TODAY + DAY + hour * HOUR;
      const isRight = entry_at !== null && Date.parse(entry_at) === start && exit_at !== null &&
        Date.parse(exit_at) === TODAY + 2 * DAY + end * HOUR;
      if (!isRight) wrong.push(`${text}: ${entry_at} ${exit_at}`);
    }
  }
  assert.deepEqual(wrong.slice(0, 20), [], `${wrong.length}`);
});

Deno.test("clocks: of a range of lengths the longer one is assumed", () => {
  const ranges = [
    ["5時間から6時間 上野", 360],
    ["30分から1時間 上野", 60],
    ["2、3時間 上野", 180],
    ["1時間〜1時間半 上野", 90],
    ["2 to 3 hours in Ueno", 180],
    ["30 minutes to 1 hour in Ueno", 60],
    ["1 hour or 2 hours, Ueno", 120],
  ] as const;
  for (const [text, minutes] of ranges) {
    const { entry_at, exit_at, confidence, assumptions } = parse(text, /[a-z]/.test(text) ? "en" : "ja");
    assert.equal(Date.parse(exit_at!) - Date.parse(entry_at!), minutes * 60_000, text);
    assert.ok(confidence < 0.8 && assumptions.some(({ field }) => field === "exit_at"), text);
  }
});
