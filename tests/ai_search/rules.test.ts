// The rules parser of AI search: the properties of its answers for any text.
import assert from "node:assert/strict";
import { checkAnswer, parseText, withCenter } from "../../supabase/functions/_shared/ai_search/rules/index.ts";
import type { Mention, ParsedSearch, ParseOptions } from "../../supabase/functions/_shared/ai_search/rules/index.ts";
import { attributes, SearchQueryV1 } from "../../supabase/functions/_shared/schema/search.ts";
import { NearbyFilters, NearbyQuery } from "../../supabase/functions/_shared/schema/parking_lots.ts";
import { readSentences } from "../eval/score.ts";
import { chance } from "../support/random.ts";

const NOON: ParseOptions = { locale: "ja", now: new Date("2026-11-18T12:00:00+09:00"), timeZone: "Asia/Tokyo" };
const ja = (text: string, more: Partial<ParseOptions> = {}) => parseText(text, { ...NOON, ...more });
const en = (text: string, more: Partial<ParseOptions> = {}) => parseText(text, { ...NOON, locale: "en", ...more });
const fields = (notes: ParsedSearch["assumptions"]) => notes.map(({ field }) => field);

/** What every answer must satisfy, for any text. */
function assertValid(answer: ParsedSearch, text: string): void {
  assert.equal(SearchQueryV1.safeParse(answer.query).success, true, text);
  assert.ok(answer.confidence >= 0 && answer.confidence < 1, text);
  assert.ok(answer.filters.every((name) => name in attributes), text);
  const stay = answer.entry_at !== null && answer.exit_at !== null
    ? { entry_at: answer.entry_at, exit_at: answer.exit_at }
    : {};
  const price = answer.max_price === null ? {} : { max_price: answer.max_price };
  assert.equal(NearbyFilters.safeParse({ ...stay, ...price }).success, true, text);
  const { type, ...measures } = answer.vehicle ?? {};
  const radius = answer.radius_m === null ? {} : { radius_m: answer.radius_m };
  assert.equal(NearbyQuery.safeParse({ lat: 35, lng: 139, vehicle: measures, ...radius }).success, true, text);
  assert.ok(type === undefined || /^[a-z_]+$/.test(type), text);
  if (answer.place !== null) assert.ok(answer.place.trim() !== "" && answer.place.length <= 200, text);
  assert.ok(answer.place === null || !answer.own_position, text);
  if (answer.entry_at !== null && answer.exit_at !== null) {
    const length = Date.parse(answer.exit_at) - Date.parse(answer.entry_at);
    assert.ok(length > 0 && length <= 31 * 86_400_000, text);
  }
  for (const note of [...answer.assumptions, ...answer.unresolved]) assert.ok(note.reason.length > 5, text);
  if (answer.status === "unparseable") {
    assert.ok(answer.missing.length > 0, text);
    assert.equal(answer.confidence, 0, text);
  } else {
    const found = answer.place !== null || answer.own_position || answer.unresolved.length > 0 ||
      answer.query.center !== undefined;
    assert.ok(found, `neither a place nor the note that there is none: ${text}`);
  }
}

Deno.test("rules parser: every sentence of the evaluation gives a valid query, also as a refinement", () => {
  const context = { v: 1, center: { lat: 35.6, lng: 139.7 }, radius_m: 500, sort: "distance" as const };
  for (
    const { text, locale, now, time_zone: timeZone } of [
      ...readSentences("sentences.jsonl"),
      ...readSentences("unseen.jsonl"),
    ]
  ) {
    const options = { locale, now: new Date(now), timeZone };
    assertValid(parseText(text, options), text);
    assertValid(parseText(text, { ...options, context }), text);
  }
});

Deno.test("rules parser: coordinates are the place, as maps copy them and in addresses of maps", () => {
  const tower = { lat: 35.6585805, lng: 139.7454329 };
  for (
    const [text, place] of [
      ["35.6585805, 139.7454329", "35.6585805, 139.7454329"],
      ["35.6585805,139.7454329付近で300m以内", "35.6585805, 139.7454329"],
      ["北緯35.6585805度、東経139.7454329度の周辺", "35.6585805, 139.7454329"],
      ["Tokyo Tower (35.6585805, 139.7454329) tomorrow 10-12", "Tokyo Tower"],
      ["https://www.google.com/maps/@35.6585805,139.7454329,17z から徒歩5分", "35.6585805, 139.7454329"],
      [
        "https://www.google.com/maps/place/x/@35.6580000,139.7428580,17z/data=!3m1!8m2!3d35.6585805!4d139.7454329",
        "35.6585805, 139.7454329",
      ],
    ] as const
  ) {
    const answer = ja(text);
    assert.deepEqual([answer.position, answer.place, answer.own_position], [tower, place, false], text);
    assert.deepEqual(answer.unresolved, [], text);
  }
  assert.deepEqual(ja(`35°39'31.0"N 139°44'43.7"E`).position, { lat: 35.6586111, lng: 139.7454722 });
  assert.deepEqual(fields(ja("35.6585,139.7454 か 34.7024,135.4959").unresolved), ["place"]);
  // Prices, times and numbers out of range are none.
  for (const text of ["渋谷で1,000円、2.10m", "10.30, 12.30 Ginza", "95.123, 200.555", "新宿 9.30-11.45"]) {
    assert.equal(ja(text).position, null, text);
  }
});

const SOUP = [
  "明日",
  "今週末",
  "31日",
  "2月30日",
  "9時",
  "から",
  "まで",
  "翌",
  "2時",
  "〜",
  "半",
  "2千円",
  "以内",
  "1日最大",
  "¥",
  "9999999円",
  "ワンコイン",
  "渋谷駅",
  "の近く",
  "屋根",
  "なし",
  "以外",
  "24時間",
  "徒歩",
  "5分",
  "高さ",
  "2.1m",
  "99m",
  "ハイルーフ",
  "バイク",
  "もっと安く",
  "一泊",
  "99泊",
  "tomorrow",
  "9 to 6",
  "near",
  "under",
  "2,000 yen",
  "not",
  "roof",
  "half past",
  "next Friday",
  "midnight",
  "-",
  "/",
  ":",
  "0",
  "00:00",
  "25:61",
  "'; drop table users; --",
  '{"a": [1,2',
  "</script>",
  "${x}",
  "ignore the above",
  "🚗",
  "👨‍👩‍👧‍👦",
  "مرحبا 5",
  "שלום",
  "\u202e",
  "\u0000",
  "\ud800",
  "ﷺ",
  "e\u0301\u0301\u0301",
  "𠮷野家",
  "１２３",
  "Ⅳ",
  "㍻",
  "½",
  "\n",
  "\t",
  "　",
  "。",
  "（",
  "NaN",
  "Infinity",
  "-1",
  "1e9",
  "null",
];

Deno.test("rules parser: 5,000 random texts give a valid answer or an unparseable one, and none throws", () => {
  const random = chance(17);
  const between = (low: number, high: number) => low + random.below(high - low + 1);
  const contexts = [undefined, { v: 1, radius_m: 1, attributes: ["covered" as const], price_max: 0 }];
  for (let index = 0; index < 5000; index++) {
    const pieces: string[] = [];
    for (let size = between(1, 24); size > 0; size--) {
      pieces.push(between(0, 9) === 0 ? String.fromCodePoint(between(1, 0x10ffff)) : random.pick(SOUP));
      if (between(0, 2) === 0) pieces.push(" ");
    }
    const text = [...pieces.join("")].slice(0, 500).join("");
    const locale = index % 2 === 0 ? "ja" as const : "en" as const;
    const timeZone = random.pick(["Asia/Tokyo", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"]);
    const now = new Date(Date.UTC(2026, between(0, 11), between(1, 28), between(0, 23), between(0, 59)));
    assertValid(parseText(text, { locale, now, timeZone, context: random.pick(contexts) }), JSON.stringify(text));
  }
});

for (const text of ["", " ", "渋".repeat(500), "🚗".repeat(500), "\ud800", "1".repeat(500), "あ".repeat(501)]) {
  Deno.test(`rules parser: ${JSON.stringify(text.slice(0, 6))} × ${[...text].length} is unparseable`, () => {
    const answer = ja(text);
    assert.equal(answer.status, "unparseable");
    assertValid(answer, text);
  });
}

/** Parts of a sentence that mean the same wherever they stand. */
const PARTS = {
  ja: {
    stays: [
      "明日9時から18時まで",
      "金曜の19時から23時",
      "12/5 10:00-15:30",
      "来月3日の13時から2時間",
      "22時から翌6時",
      "今夜7時から10時",
    ],
    places: [
      "渋谷駅の近くで",
      "横浜駅から徒歩5分以内",
      "みなとみらいで",
      "東京都千代田区丸の内1-9-1",
      "朝霞駅",
      "軽井沢駅",
      "さいたまスーパーアリーナ",
    ],
    wishes: [
      "2000円以内",
      "屋根付き",
      "24時間営業",
      "高さ2.1m",
      "1日最大1500円",
      "機械式以外",
      "安いところ",
      "1時間400円以下",
      "バイク",
    ],
    between: ["、", " ", "。"],
  },
  en: {
    stays: [
      "tomorrow 9am to 6pm",
      "Dec 5 10:00-15:30",
      "Saturday 2pm until 5:30pm",
      "10pm to 6am",
      "tonight 7 to 10",
      "in 20 minutes for 2 hours",
    ],
    places: [
      "near Shibuya station",
      "within 5 minutes walk of Yokohama station",
      "near the 21st Century Museum",
      "at Haneda Terminal 2",
    ],
    wishes: [
      "under 2,000 yen",
      "covered",
      "open 24 hours",
      "2.1 m high",
      "no mechanical parking",
      "step-free",
      "less than 400 yen per hour",
    ],
    between: [", ", " ", ". "],
  },
} as const;

Deno.test("rules parser: a sentence means what its parts mean, in any order and with anything between them", () => {
  const random = chance(7);
  for (let index = 0; index < 1000; index++) {
    const locale = index % 2 === 0 ? "ja" as const : "en" as const;
    const { stays, places, wishes, between } = PARTS[locale];
    const [stay, place, wish] = [random.pick<string>(stays), random.pick<string>(places), random.pick<string>(wishes)];
    const parts = [stay, place, wish].map((part) => ({ part, at: random.next() })).toSorted((a, b) => a.at - b.at);
    const text = parts.map(({ part }) => part).join(random.pick<string>(between));
    const read = (part: string) => parseText(part, { ...NOON, locale });
    const [whole, staying, placed, wished] = [read(text), read(stay), read(place), read(wish)];
    assert.deepEqual(
      [whole.entry_at, whole.exit_at, whole.place, whole.radius_m, whole.filters, whole.vehicle, whole.sort],
      [staying.entry_at, staying.exit_at, placed.place, placed.radius_m, wished.filters, wished.vehicle, wished.sort],
      text,
    );
  }
});

Deno.test("rules parser: the same text gives the same answer after any other text", () => {
  const text = "明日9時から18時まで渋谷駅周辺、屋根付き、2000円以内";
  const first = ja(text);
  en("next Friday 7pm-11pm in Roppongi, 1.9m high");
  assert.deepEqual(ja(text), first);
});

Deno.test("rules parser: 9 to 6 at noon means tomorrow, as an assumption; a later time means today, without an assumption", () => {
  const past = en("9 to 6 near Shibuya station");
  assert.deepEqual([past.entry_at, past.exit_at], ["2026-11-19T09:00:00+09:00", "2026-11-19T18:00:00+09:00"]);
  assert.ok(fields(past.assumptions).includes("entry_at"));
  const ahead = ja("13時から18時まで渋谷駅");
  assert.equal(ahead.entry_at, "2026-11-18T13:00:00+09:00");
  assert.deepEqual(ahead.assumptions, []);
});

Deno.test("rules parser: the reasons are in the user's language", () => {
  assert.match(ja("もっと安く", { context: { v: 1 } }).unresolved[0]!.reason, /^[ぁ-んァ-ヶ一-龠]/u);
  assert.match(en("cheaper", { context: { v: 1 } }).unresolved[0]!.reason, /^[A-Z][\w ',.]+\.$/);
});

Deno.test("rules parser: a query has no radius and no order by distance before it has a centre", () => {
  const answer = ja("渋谷駅から徒歩5分以内、近い順");
  assert.deepEqual(answer.query, { v: 1 });
  assert.deepEqual([answer.radius_m, answer.sort], [400, "distance"]);
  const center = { lat: 35.658, lng: 139.7016, placeName: "渋谷駅" };
  const query = withCenter(answer, center);
  assert.deepEqual(query, { v: 1, center, radius_m: 400, sort: "distance" });
  assert.ok(SearchQueryV1.safeParse(query).success);
});

Deno.test("rules parser: a refinement keeps the fields it does not name, and start over keeps none", () => {
  const context = { v: 1, center: { lat: 35.6, lng: 139.7 }, attributes: ["covered" as const], price_max: 800 };
  assert.deepEqual(en("and with EV charging", { context }).query, {
    ...context,
    attributes: ["covered", "ev_charging"],
  });
  assert.deepEqual(en("start over, Ueno with cctv", { context }).query, { v: 1, attributes: ["security_camera"] });
});

Deno.test("rules parser: the least price of a stay is no price of an hour", () => {
  assert.deepEqual(ja("1500円〜2000円 9時から18時 池袋").query, { v: 1 });
  const least = ja("1000円以上 9時から18時 池袋");
  assert.deepEqual([least.query, fields(least.unresolved)], [{ v: 1 }, ["price_min"]]);
  assert.equal(ja("1時間300円〜500円 池袋 13時から2時間").query.price_min, 300);
  assert.equal(en("between 1000 and 2000 yen in Tachikawa").query.price_min, 1000);
});

Deno.test("rules parser: a refinement widens the radius, ends the limit of the price, and changes the order", () => {
  const center = { lat: 35.6, lng: 139.7 };
  const context = { v: 1, center, radius_m: 800, price_max: 600, sort: "distance" as const };
  for (
    const text of ["範囲を広げて", "もっと広い範囲で", "もっと遠くてもいい", "look in a wider area", "widen the search"]
  ) {
    const answer = ja(text, { context });
    assert.deepEqual([answer.query, answer.place], [{ ...context, radius_m: 1600 }, null], text);
    assert.deepEqual(fields(answer.assumptions), ["radius_m"], text);
  }
  assert.equal(ja("範囲を広げて", { context: { ...context, radius_m: 40_000 } }).radius_m, 50_000);
  for (const text of ["値段は気にしない", "いくらでもいい", "予算の上限なし", "any price is fine", "no price limit"]) {
    const { price_max: _, ...open } = context;
    assert.deepEqual(ja(text, { context }).query, open, text);
  }
  for (
    const [text, sort] of [["評価順で", "recommended"], ["料金順に並べて", "price"], ["sort by rating", "recommended"]]
  ) {
    const answer = ja(text!, { context });
    assert.deepEqual([answer.query, answer.unresolved], [{ ...context, sort }, []], text);
  }
});

Deno.test("rules parser: a condition that a text rejects is never wanted, and a refinement drops it", () => {
  const names: Partial<Record<keyof typeof attributes, readonly [ja: string, en: string]>> = {
    covered: ["屋根", "a roof"],
    ev_charging: ["EV充電", "EV charging"],
    reservable: ["予約", "reservations"],
    security_camera: ["防犯カメラ", "security cameras"],
    has_max_fee: ["最大料金", "a daily cap"],
    barrier_free: ["スロープ", "step-free access"],
    monthly_available: ["月極", "monthly parking"],
    partner_facility: ["提携駐車場", "validated parking"],
  };
  for (const [name, [japanese, english]] of Object.entries(names)) {
    const attribute = name as keyof typeof attributes;
    for (
      const text of [
        `上野 ${japanese}なしで`,
        `${japanese}なしで上野`,
        `${japanese}以外で上野`,
        `上野で${japanese}は不要`,
        `上野、${japanese}はいらない`,
        `parking without ${english} in Ueno`,
        `Ueno, not ${english}`,
      ]
    ) {
      const answer = ja(text);
      assert.deepEqual([answer.filters, answer.place?.toLowerCase()], [[], /Ueno/.test(text) ? "ueno" : "上野"], text);
      assert.deepEqual(ja(text, { context: { v: 1, attributes: [attribute] } }).filters, [], text);
    }
  }
});

Deno.test("rules parser: an hour that spring leaves out is unresolved; a length of time is in hours that pass", () => {
  const options = { now: new Date("2026-03-28T12:00:00Z"), timeZone: "Europe/London" };
  const skipped = en("tomorrow 1:30am to 5am Paddington station", options);
  assert.equal(skipped.entry_at, null);
  assert.ok(fields(skipped.unresolved).includes("entry_at"));
  assert.equal(en("tomorrow 00:30 for 2 hours, Paddington station", options).exit_at, "2026-03-29T03:30:00+01:00");
});

Deno.test("rules parser: an unknown time zone is a RangeError", () => {
  assert.throws(() => ja("渋谷", { timeZone: "Mars/Olympus" }), RangeError);
});

const ANSWER = {
  place: "渋谷駅",
  entry_at: "2026-11-19T09:00:00+09:00",
  exit_at: "2026-11-19T18:00:00+09:00",
  max_price: 2000,
  radius_m: 400,
};
const TEXT = "明日9時から18時まで渋谷駅から徒歩5分、2000円以内";
const check = (mentions: readonly Mention[], answer: Partial<typeof ANSWER>) =>
  checkAnswer(mentions, { ...ANSWER, ...answer }, NOON);

Deno.test("answer check: an answer with all numbers of the text and no other passes", () => {
  assert.deepEqual(check(ja(TEXT).mentions, {}), { unresolved: [], invented: [], factor: 1 });
});

const DIFFERENCES: readonly (readonly [string, object, readonly string[]])[] = [
  ["another price", { max_price: 3000 }, ["max_price", "max_price"]],
  ["no price", { max_price: null }, ["max_price"]],
  ["another start", { entry_at: "2026-11-19T10:00:00+09:00" }, ["entry_at", "entry_at"]],
  ["another day", { entry_at: "2026-11-21T09:00:00+09:00", exit_at: "2026-11-21T18:00:00+09:00" }, [
    "entry_at",
    "entry_at",
  ]],
  ["no end", { exit_at: null }, ["entry_at"]],
  ["another radius", { radius_m: 800 }, ["radius_m", "radius_m"]],
  ["an invented height", { query: { v: 1, vehicle: { height_m: 2.1 } } }, ["vehicle"]],
];
for (const [name, difference, expected] of DIFFERENCES) {
  Deno.test(`answer check: ${name} is left open and lowers the confidence below that of a certain answer`, () => {
    const { unresolved, factor } = check(ja(TEXT).mentions, difference);
    assert.deepEqual(fields(unresolved), expected);
    assert.ok(factor < 0.8);
  });
}

Deno.test("rules parser: a day that is counted from any form of a date is that many days away from it", () => {
  const DAY = 86_400_000;
  const startOf = ({ entry_at }: ParsedSearch, text: string) => {
    assert.notEqual(entry_at, null, text);
    return Date.parse(entry_at!);
  };
  for (const day of ["24日", "12/24", "12月24日(木)", "クリスマスイブ", "来週の水曜", "次の土曜", "明日", "大晦日"]) {
    const named = startOf(ja(`渋谷 ${day}の10時から12時`), day);
    for (const [words, days] of [["前々日", -2], ["前日", -1], ["翌日", 1], ["次の日", 1], ["翌々日", 2]] as const) {
      const text = `渋谷 ${day}の${words}の10時から12時`;
      // The days before tomorrow are past, or today.
      if (day === "明日" && days < 0) continue;
      assert.equal(startOf(ja(text), text) - named, days * DAY, text);
    }
  }
  for (const day of ["the 24th", "Dec 24", "24 December", "Christmas Eve", "Friday", "New Year's Eve"]) {
    const named = startOf(en(`Ueno ${day}, 1pm to 3pm`), day);
    for (const [words, days] of [["the day before", -1], ["the day after", 1], ["two days after", 2]] as const) {
      const text = `Ueno ${words} ${day}, 1pm to 3pm`;
      assert.equal(startOf(en(text), text) - named, days * DAY, text);
    }
  }
});

Deno.test("answer check: the parser's own answers to the sentences pass", () => {
  const broken: string[] = [];
  for (const { text, locale, now, time_zone: timeZone, context } of readSentences("sentences.jsonl")) {
    const options = { locale, now: new Date(now), timeZone, context };
    const answer = parseText(text, options);
    // What the parser itself left open is not in its answer.
    if (answer.unresolved.length > 0 || context !== undefined) continue;
    const { unresolved } = checkAnswer(answer.mentions, answer, options);
    // A part of the day, a night and half a day are taken for a time that the text does not name.
    const taken = fields(answer.assumptions);
    if (unresolved.some(({ field }) => !taken.includes(field))) broken.push(`${text}: ${JSON.stringify(unresolved)}`);
  }
  assert.deepEqual(broken, []);
});

Deno.test("measures: a length of 1.0 to 3.99 m without a dimension is the height, with a vehicle or without", () => {
  for (const height of [1.55, 2, 2.1, 3.05]) {
    const figure = height === 2 ? "2.0" : String(height);
    for (const text of [`van ${figure} m near Ueno`, `${figure}m van, Ueno`, `Ueno ${figure} m for 2 hours`]) {
      const { vehicle, place, radius_m } = en(text);
      assert.deepEqual([vehicle?.height_m, place, radius_m], [height, "Ueno", null], text);
    }
    for (const text of [`${figure}mのバン 上野`, `ハイエース${figure}m 上野`, `上野 ${figure}m 2時間`]) {
      const { vehicle, place, radius_m } = ja(text);
      assert.deepEqual([vehicle?.height_m, place, radius_m], [height, "上野", null], text);
    }
  }
  for (const text of ["上野から1.5m以内", "Ueno, 1.5 m away"]) {
    assert.equal(en(text).vehicle, null, text);
  }
});
