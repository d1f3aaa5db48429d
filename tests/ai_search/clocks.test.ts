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

Deno.test("clocks: the half of the day in the text is kept at both ends of a range", () => {
  const wrong = ENGLISH.flatMap((from) =>
    ENGLISH.filter((_, index) => index % 7 === 3).flatMap((until) => {
      if (until.minutes[0]! <= from.minutes[0]!) return [];
      const text = `${from.words} to ${until.words} tomorrow, Ebisu`;
      return assertStay(text, "en", 1, from, until.minutes[0]! - from.minutes[0]!);
    })
  );
  assert.deepEqual(wrong.slice(0, 20), [], `${wrong.length}`);
});

Deno.test("clocks: 翌 is the day after the named day, also after an hour above 24", () => {
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

Deno.test("clocks: two hours from 24 are of one night, after every day", () => {
  const wrong: string[] = [];
  for (const [day, after] of [["明日の", 1], ["今夜", 0], ["金曜", 2], ["25日の", 7], ["11月25日", 7]] as const) {
    for (const hour of hours(24, 28)) {
      for (const end of hours(hour + 1, 29)) {
        for (const text of [`${day}${hour}時から${end}時まで渋谷駅`, `渋谷駅 ${day}${hour}:30~${end}:30`]) {
          const { entry_at, exit_at } = parse(text, "ja");
          const half = text.includes(":30") ? HOUR / 2 : 0;
          const isRight = entry_at !== null && Date.parse(entry_at) === TODAY + after * DAY + hour * HOUR + half &&
            exit_at !== null && Date.parse(exit_at) === TODAY + after * DAY + end * HOUR + half;
          if (!isRight) wrong.push(`${text}: ${entry_at} ${exit_at}`);
        }
      }
    }
  }
  assert.deepEqual(wrong.slice(0, 20), [], `${wrong.length}`);
});

Deno.test("clocks: a bare hour before 'to' and an hour with its half are a range, never minutes to an hour", () => {
  const wrong: string[] = [];
  for (const from of hours(1, 12)) {
    for (const to of hours(1, 12)) {
      for (const words of [`from ${from} to ${to}pm`, `${from} to ${to} pm`, `${from} until ${to}pm`]) {
        const { entry_at, exit_at } = parse(`parking near Ginza station tomorrow ${words}`, "en");
        const start = entry_at === null ? NaN : (Date.parse(entry_at) - TODAY - DAY) / HOUR;
        const end = exit_at === null ? NaN : (Date.parse(exit_at) - TODAY - DAY) / HOUR;
        const isRight = start % 12 === from % 12 && start < 24 && end === to % 12 + (end < 24 ? 12 : 36) && end > start;
        if (!isRight) wrong.push(`${words}: ${entry_at} ${exit_at}`);
      }
    }
  }
  assert.deepEqual(wrong.slice(0, 20), [], `${wrong.length}`);
});

Deno.test("clocks: a day of the month without a month is that day, with and without 'the'", () => {
  const wrong: string[] = [];
  for (const day of hours(19, 30)) {
    const nth = `${day}${day === 21 ? "st" : day === 22 ? "nd" : day === 23 ? "rd" : "th"}`;
    for (
      const words of [
        `on ${nth} from 10 to 14`,
        `on the ${nth} 10am-2pm`,
        `${nth} 10:00-14:00`,
        `from ${nth} 10am to 2pm`,
      ]
    ) {
      const { entry_at, exit_at } = parse(`Nikko ${words}`, "en");
      const start = Date.parse("2026-11-01T10:00:00+09:00") + (day - 1) * DAY;
      if (Date.parse(entry_at ?? "") !== start || Date.parse(exit_at ?? "") !== start + 4 * HOUR) {
        wrong.push(`${words}: ${entry_at} ${exit_at}`);
      }
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

/** Both ends with a day and a time of their own; {D} is the day, {T} the time. */
const DATED_ENDS = {
  en: {
    forms: [
      "arriving {T1} {D1}, leaving {T2} {D2}",
      "arrive {D1} {T1}, leave {D2} {T2}",
      "in {T1} {D1} out {T2} {D2}",
      "{D1} {T1} out {D2} {T2}",
      "in at {T1} {D1}, out at {T2} {D2}",
      "in {D1} at {T1} and out {D2} at {T2}",
      "check in {T1} on {D1}, check out {T2} on {D2}",
      "drop off {T1} {D1}, pick up {T2} {D2}",
      "there by {T1} {D1} and back at {T2} on {D2}",
      "{T1} {D1} to {T2} {D2}",
      "{T1} {D1} - {T2} {D2}",
      "from {D1} {T1} until {D2} {T2}",
      "from {T1} on {D1} until {T2} on {D2}",
    ],
    times: [["7pm", "9am"], ["7 pm", "9 am"], ["19:00", "09:00"], ["7:00pm", "9:00am"]],
    days: [["Friday", "Sunday"], ["Fri", "Sun"], ["Nov 20", "Nov 22"], ["11/20", "11/22"]],
    places: ["Hakone, {}", "{}, Hakone"],
  },
  ja: {
    forms: [
      "{T1}{D1}入庫 {T2}{D2}出庫",
      "{D1}{T1}入庫 {D2}{T2}出庫",
      "{D1}{T1}イン、{D2}{T2}アウト",
      "入庫{D1}{T1} 出庫{D2}{T2}",
      "入庫：{D1} {T1}、出庫：{D2} {T2}",
      "{D1}の{T1}に入れて{D2}の{T2}に出します",
      "{D1}{T1}から{D2}{T2}まで",
      "{D1}{T1}〜{D2}{T2}",
      "{T1} {D1} 〜 {T2} {D2}",
    ],
    times: [["19時", "9時"], ["19:00", "9:00"], ["午後7時", "午前9時"]],
    days: [["金曜", "日曜"], ["金曜日", "日曜日"], ["11月20日", "11月22日"], ["11/20", "11/22"]],
    places: ["箱根 {}", "{} 箱根"],
  },
} as const;

for (const locale of ["en", "ja"] as const) {
  Deno.test(`clocks: each end of a stay has its own day, before or after its time, in every form (${locale})`, () => {
    const { forms, times, days, places } = DATED_ENDS[locale];
    const wrong: string[] = [];
    for (const form of forms) {
      for (const [t1, t2] of times) {
        for (const [d1, d2] of days) {
          for (const place of places) {
            const values: Record<string, string> = { T1: t1, T2: t2, D1: d1, D2: d2 };
            const stay = form.replaceAll(/\{(..)\}/g, (_, name: string) => values[name]!);
            if (/\d\d?\/\d\d?:?\d{2}/.test(stay) || /\d{4}\/\d/.test(stay)) continue; // 11/2019時 is no date
            const text = place.replace("{}", stay);
            const { entry_at, exit_at } = parse(text, locale);
            const isRight = entry_at === "2026-11-20T19:00:00+09:00" && exit_at === "2026-11-22T09:00:00+09:00";
            if (!isRight) wrong.push(`${text}: ${entry_at} ${exit_at}`);
          }
        }
      }
    }
    assert.deepEqual(wrong.slice(0, 20), [], `${wrong.length}`);
  });
}

Deno.test("clocks: the first time of a part of the day is a time, and no place", () => {
  for (
    const [text, hour, place] of [
      ["午後イチから2時間 梅田", 13, "梅田"],
      ["昼いちで梅田に2時間", 13, "梅田"],
      ["午後一番で霞が関 2時間", 13, "霞が関"],
      ["午後一で霞が関 2時間", 13, "霞が関"],
      ["夕方イチ 天神 2時間", 17, "天神"],
      ["どこか箱根で13時から2時間", 13, "箱根"],
      ["通勤で13時から2時間 品川", 13, "品川"],
      ["停めっぱなしにしたい 13時から2時間 箱根", 13, "箱根"],
    ] as const
  ) {
    const answer = parse(text, "ja");
    assert.deepEqual([answer.entry_at, answer.place], [`2026-11-18T${hour}:00:00+09:00`, place], text);
  }
});

/** Every half hour of a week that begins on a Monday, as the time at which a text is read. */
const WEEK = Array.from({ length: 7 * 48 }, (_, at) => Date.parse("2026-11-16T00:00:00+09:00") + at * HOUR / 2);
const readAt = (text: string, locale: "ja" | "en", now: number) => {
  const { entry_at, exit_at } = parseText(text, { locale, now: new Date(now), timeZone: "Asia/Tokyo" });
  return [entry_at, exit_at].map((at) => at === null ? null : Date.parse(at));
};
const midnight = (now: number) => now - (now - WEEK[0]!) % DAY;

Deno.test("clocks: hours of today that have begun are from now to their end, and those that are over are none, at any time", () => {
  for (
    const [text, locale] of [
      ["今日10時から15時 渋谷", "ja"],
      ["今日の午前10時から午後3時まで渋谷", "ja"],
      ["today 10am to 3pm Ueno", "en"],
      ["today 10:00-15:00 Ueno", "en"],
    ] as const
  ) {
    for (const now of WEEK) {
      const [start, end] = [midnight(now) + 10 * HOUR, midnight(now) + 15 * HOUR];
      const expected = now <= start ? [start, end] : now < end ? [now, end] : [null, null];
      const [entry, exit] = readAt(text, locale, now);
      assert.deepEqual([entry, entry === null ? null : exit], expected, `${text}, ${new Date(now).toISOString()}`);
    }
  }
});

Deno.test("clocks: hours of working days are on the next one, and those of the weekend on its next day, at any time", () => {
  for (
    const [text, locale, days] of [
      ["平日9時〜18時 大手町", "ja", [0, 1, 2, 3, 4]],
      ["月〜金 9:00〜18:00 大手町", "ja", [0, 1, 2, 3, 4]],
      ["Monday-Friday 9-5 Otemachi", "en", [0, 1, 2, 3, 4]],
      ["weekdays 9am to 5pm Otemachi", "en", [0, 1, 2, 3, 4]],
      ["今週末 9時から18時 鎌倉", "ja", [5, 6]],
      ["this weekend 9am-5pm Kamakura", "en", [5, 6]],
    ] as const
  ) {
    for (const now of WEEK) {
      const starts = Array.from({ length: 14 }, (_, day) => day).filter((day) => days.some((one) => one === day % 7))
        .map((day) => WEEK[0]! + day * DAY + 9 * HOUR);
      const ofToday = starts.find((start) => start < now && start + 9 * HOUR > now && days.length === 2);
      const [entry] = readAt(text, locale, now);
      const next = starts.find((start) => start >= now)!;
      // Hours of this weekend that have begun may be those of today or of the next day.
      const expected = ofToday === undefined ? [next] : [now, next];
      assert.ok(
        expected.includes(entry!),
        `${text}, ${new Date(now).toISOString()}: ${new Date(entry!).toISOString()}`,
      );
    }
  }
});

Deno.test("clocks: an end that has just passed is that of the next day, and never certain, at any time", () => {
  for (
    const [text, locale, hour] of [["18時まで天神で", "ja", 18], ["until 6am, Shinjuku, from now", "en", 6]] as const
  ) {
    for (const now of WEEK) {
      const { entry_at, exit_at, confidence } = parseText(text, { locale, now: new Date(now), timeZone: "Asia/Tokyo" });
      const today = midnight(now) + hour * HOUR;
      const end = today > now ? today : today + DAY;
      assert.deepEqual(
        [entry_at, exit_at].map((at) => Date.parse(at!)),
        [now, end],
        `${text}, ${new Date(now).toISOString()}`,
      );
      assert.equal(confidence < 0.8, end - now > 20 * HOUR, `${text}, ${new Date(now).toISOString()}: ${confidence}`);
    }
  }
});

Deno.test("clocks: two days of a range have one time each, before or after them, and that is never certain", () => {
  for (
    const [locale, forms, days, times] of [
      ["ja", ["{d}、{t} 成田", "{d} {t} 成田", "成田 {t} {d}", "{t}、{d}で成田"], [
        "11/20〜11/22",
        "11月20日から22日",
        "20日〜22日",
        "11/20-11/22",
        "金曜から日曜",
      ], ["9時〜18時", "9:00-18:00", "9時から18時まで"]],
      ["en", ["{d}, {t}, Narita", "Narita {d} {t}", "{t}, {d}, Narita"], [
        "Nov 20-22",
        "November 20 to 22",
        "Nov 20 to Nov 22",
        "the 20th to the 22nd",
        "Friday to Sunday",
      ], ["9am-6pm", "from 9am to 6pm", "9:00-18:00"]],
    ] as const
  ) {
    for (const [form, day, time] of forms.flatMap((f) => days.flatMap((d) => times.map((t) => [f, d, t] as const)))) {
      const text = form.replace("{d}", day).replace("{t}", time);
      const { entry_at, exit_at, confidence, place } = parse(text, locale);
      const expected = ["2026-11-20T09:00:00+09:00", "2026-11-22T18:00:00+09:00", locale === "ja" ? "成田" : "Narita"];
      assert.deepEqual([entry_at, exit_at, place], expected, text);
      assert.ok(confidence < 0.8, `${text}: ${confidence}`);
    }
  }
  // One time is that of the entry or of the exit, and of two days the first is read.
  const ends = [
    "5日〜7日 10時から 成田",
    "from Friday to Sunday at 10am, Narita",
    "20日と21日 10時から18時 幕張",
    "渋谷 〜18時",
  ];
  assert.deepEqual(
    ends.map((text) => parse(text, /[a-z]/.test(text) ? "en" : "ja")).map((one) => [one.entry_at, one.exit_at]),
    [
      ["2026-12-05T10:00:00+09:00", null],
      [null, "2026-11-22T10:00:00+09:00"],
      ["2026-11-20T10:00:00+09:00", "2026-11-20T18:00:00+09:00"],
      ["2026-11-18T09:00:00+09:00", "2026-11-18T18:00:00+09:00"],
    ],
  );
});
