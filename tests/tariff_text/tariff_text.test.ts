// The grammar of tariff texts: the texts written for it, the way from rules to a sign and back, and hostile texts.
import assert from "node:assert/strict";
import { readTariff } from "../../supabase/functions/_shared/tariff_text/read.ts";
import { MAX_TEXT, REASONS, type TariffRule } from "../../supabase/functions/_shared/tariff_text/types.ts";
import { writeSign } from "../../supabase/functions/_shared/tariff_text/write.ts";
import { canonical, judge, readCases, totalsOf } from "../eval/tariffs.ts";
import { type Chance, chance } from "../support/random.ts";
import { volume } from "../support/sizes.ts";

/** The grammar was mended for these. */
const KNOWN = [...readCases("tariff_text.json"), ...readCases("tariff_text_second.json")];
const CASES = [...KNOWN, ...readCases("tariff_text_third.json")];
const judged = CASES.map(judge);
const HOSTILE_TEXTS = volume("HOSTILE_TEXTS", 2000);

Deno.test("tariff texts: no accepted text has a wrong fee for one of the eight stays", () => {
  assert.deepEqual(
    judged.filter(({ verdict }) => verdict === "wrong").map(({ of, totals }) => [of.id, of.text, totals]),
    [],
  );
});

Deno.test("tariff texts: every text that the grammar was mended for has exactly its rules, or is refused as it must be", () => {
  const known = judged.slice(0, KNOWN.length);
  assert.deepEqual(known.filter(({ verdict }) => verdict !== "exact").map(({ of, verdict }) => [of.id, verdict]), []);
});

Deno.test("tariff texts: the cases have the fees that the naive calculation gives their rules", () => {
  for (const { id, rules, totals } of CASES) {
    if (rules !== undefined) assert.deepEqual(totalsOf(rules), totals, id);
  }
});

Deno.test("tariff texts: a wrong fee of an accepted text is noticed", () => {
  const of = CASES.find(({ rules, totals }) => rules !== undefined && totals?.[0] !== null)!;
  const totals = of.totals!.map((total) => total === null ? null : total + 10);
  assert.equal(judge({ ...of, totals }).verdict, "wrong");
});

Deno.test("tariff texts: a text is accepted if and only if nothing in it is unread", () => {
  for (const { of, reading } of judged) {
    assert.equal(reading.is_accepted, reading.unread.length === 0, of.text);
    for (const { from, to, reason } of reading.unread) {
      assert.ok(from >= 0 && from <= to && to <= of.text.length, of.text);
      assert.ok(REASONS.includes(reason));
    }
  }
});

Deno.test("tariff texts: a last price without days is refused if other days have no price at its hours", () => {
  const [weekdays, holidays, night] = [
    "月〜土 8:00-18:00 20分/100円",
    "日祝 8:00-18:00 30分/100円",
    "18:00-8:00 60分/100円",
  ];
  for (const between of [" ", "\n"]) {
    const { unread } = readTariff([weekdays, holidays, night].join(between));
    assert.deepEqual(unread.map(({ reason }) => reason), ["days_unclear"], between);
    for (const read of [[weekdays, night, holidays, night], [weekdays, night, holidays], [holidays, night]]) {
      assert.equal(readTariff(read.join(between)).is_accepted, true, read.join(between));
    }
  }
});

Deno.test("tariff texts: a price for the time after is refused if the price before it is not known", () => {
  const refused = [
    "以降60分/100円",
    "24時間最大1000円 以降60分100円",
    "8:00-18:00 最大1,200円 以後60分/100円",
    "その後30分100円 夜間最大500円(20:00-8:00)",
    "after 60 min 100円",
  ];
  for (const text of refused) assert.equal(readTariff(text).is_accepted, false, text);
  for (const text of ["最初の1時間300円 24時間最大1000円 以降30分100円", "60分無料 24時間最大1000円 以降30分100円"]) {
    assert.deepEqual(readTariff(text).rules.map(({ category }) => category), ["initial", "cap", "time_band"], text);
  }
});

Deno.test("tariff texts: no maximum, and the price after it", () => {
  for (const text of ["最大料金なし 15分100円", "15分100円 最大料金なし", "最大料金の設定はありません、15分100円"]) {
    const { rules, is_accepted } = readTariff(text);
    assert.deepEqual([is_accepted, rules], [true, readTariff("15分100円").rules], text);
  }
});

Deno.test("tariff texts: a sign whose steps begin again in each band is refused", () => {
  const night = "22:00〜8:00 1回610円";
  for (
    const day of [
      "8:00〜22:00 1時間120円 2時間240円 3時間360円 4時間480円 以降610円",
      "8:00〜22:00 1時間まで120円 2時間まで240円 3時間まで360円 4時間まで480円 4時間超610円",
      "8:00〜22:00 60分120円(4時間まで) 4時間超 610円",
      "8:00〜22:00 60分120円 4時間超610円",
      "8:00〜22:00 最初の4時間 60分120円、以降610円",
      "8:00〜22:00 入庫後4時間まで60分120円、以降60分50円",
    ]
  ) {
    for (const text of [`${day}\n${night}`, `${night}\n${day}`]) {
      assert.equal(readTariff(text, { currency: "JPY" }).is_accepted, false, text);
    }
  }
});

Deno.test("tariff texts: each rule names the stretch of the text with its price", () => {
  const text = "8:00-20:00 30分200円\n最大料金 駐車後24時間 1,200円(繰り返し可)";
  const { rules, parts } = readTariff(text);
  assert.deepEqual(rules.map(({ category }) => category), ["time_band", "cap"]);
  assert.deepEqual(parts.map(({ rule, from, to }) => [rule, text.slice(from, to)]), [
    [0, "8:00-20:00 30分200円"],
    [1, "最大料金 駐車後24時間 1,200円(繰り返し可"],
  ]);
});

Deno.test("tariff texts: a word or number that no rule comes from is refused at each place of a text", () => {
  const words = ["雨天時", "7", "500円", "会員", "特定日", "18時以降", "金曜", "バイク", "xyz", "税別", "1泊", "～"];
  const text = "8:00-20:00 30分200円 20:00-8:00 60分100円 24時間最大900円";
  for (const word of words) {
    for (const place of [0, text.indexOf(" 20:00"), text.indexOf(" 24時間"), text.length]) {
      const odd = `${text.slice(0, place)} ${word} ${text.slice(place)}`;
      assert.equal(readTariff(odd).is_accepted, false, odd);
    }
  }
});

Deno.test("tariff texts: a condition that is cut off never leaves a rule without it", () => {
  const text = "30分200円 当日最大900円(24時まで・土日祝除く)";
  for (let end = text.indexOf("900円") + 4; end < text.length; end++) {
    const { rules, is_accepted } = readTariff(text.slice(0, end));
    const hasDays = text.slice(0, end).includes("土");
    if (is_accepted && hasDays) assert.ok(rules.some(({ day_type }) => day_type !== "all"), text.slice(0, end));
  }
});

Deno.test("tariff texts: the sign written from rules is read as the same rules, in both languages", () => {
  const random = chance(20261123);
  for (let round = 0; round < 500; round++) {
    const rules = randomTariff(random);
    const { ja, en } = writeSign(rules, "JPY");
    for (const text of [ja, en]) {
      const reading = readTariff(text);
      assert.deepEqual(reading.unread.map((one) => [one.reason, text.slice(one.from, one.to)]), [], text);
      assert.deepEqual(canonical(reading.rules), canonical(rules), text);
    }
  }
});

Deno.test("tariff texts: the signs of the cases are read as the rules of the cases", () => {
  for (const { of, reading } of judged) {
    const currency = of.currency ?? "JPY";
    if (!reading.is_accepted) continue;
    const { ja, en } = writeSign(reading.rules, currency);
    for (const text of [ja, en]) {
      const again = readTariff(text, { currency });
      assert.deepEqual(canonical(again.rules), canonical(reading.rules), `${of.text}\n→\n${text}`);
      assert.deepEqual(again.unread, [], `${of.text}\n→\n${text}`);
    }
  }
});

Deno.test("tariff texts: hostile texts are refused or read, with a bounded number of rules and stretches", () => {
  const random = chance(34);
  let slowest = 0;
  for (let round = 0; round < HOSTILE_TEXTS; round++) {
    const text = hostile(random);
    const { rules, parts, unread, is_accepted } = readTariff(text);
    slowest = Math.max(slowest, leastMs(() => readTariff(text), slowest));
    assert.ok(rules.length <= 110, text);
    // The work is bounded: 200 amounts, each of 100 words at most.
    assert.ok(parts.length <= 110 * 100 && unread.length <= 4 * MAX_TEXT, text);
    assert.equal(is_accepted, unread.length === 0);
  }
  console.log(`tariff texts: ${HOSTILE_TEXTS} hostile texts, the slowest ${slowest.toFixed(1)} ms`);
});

Deno.test("tariff texts: too many amounts, or too many words for one amount, are refused as a whole", () => {
  for (const text of ["5円".repeat(201), `${"8:00-9:00 ".repeat(11)}30分200円`, `${"毎".repeat(101)}30分200円`]) {
    const { is_accepted, unread } = readTariff(text);
    assert.equal(is_accepted, false, text);
    assert.ok(unread.some(({ reason }) => reason === "too_many_rules"), text);
  }
});

Deno.test("tariff texts: a text above the bound is rejected before it is read", () => {
  assert.throws(() => readTariff("あ".repeat(MAX_TEXT + 1)), RangeError);
});

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

function randomTariff(random: Chance): TariffRule[] {
  const pick = <T>(list: readonly T[]): T => random.pick(list);
  const price = () => 10 * (1 + random.below(300));
  const groups = pick([
    [["all"]],
    [["weekday"], ["saturday", "sunday", "holiday"]],
    [["weekday", "saturday"], ["sunday", "holiday"]],
    [["weekday"], ["saturday"], ["sunday", "holiday"]],
  ]) as TariffRule["day_type"][][];
  const rules: TariffRule[] = [];
  const add = (
    days: readonly TariffRule["day_type"][],
    category: TariffRule["category"],
    terms: Partial<TariffRule>,
  ) => {
    for (const day_type of days) rules.push({ ...NO_TERMS, category, ...terms, day_type });
  };
  const [start, end] = pick([["08:00", "20:00"], ["07:30", "22:00"], ["09:00", "24:00"]] as const);
  const rest = [end === "24:00" ? "00:00" : end, start] as const;
  const [hasGrace, hasInitial] = [random.next() < 0.2, random.next() < 0.3];
  for (const days of groups) {
    if (hasGrace) add(days, "grace", { per_minutes: pick([10, 15, 30]) });
    if (hasInitial) add(days, "initial", { per_minutes: pick([30, 60, 120]), price_minor: pick([0, price()]) });
    if (random.next() < 0.4) add(days, "time_band", { per_minutes: pick([10, 15, 20, 30, 60]), price_minor: price() });
    else {
      add(days, "time_band", {
        time_start: start,
        time_end: end,
        per_minutes: pick([15, 30, 60]),
        price_minor: price(),
      });
      const [time_start, time_end] = rest;
      if (random.next() < 0.3) add(days, "flat", { time_start, time_end, price_minor: pick([0, price()]) });
      else add(days, "time_band", { time_start, time_end, per_minutes: 60, price_minor: price() });
    }
  }
  const repeat = () => pick([true, false, null]);
  for (const days of random.next() < 0.5 ? groups : [["all"]] as TariffRule["day_type"][][]) {
    if (random.next() < 0.5) {
      const hours = pick([3, 6, 12, 24, 4.5]);
      add(days, "cap", {
        cap_type: "duration",
        cap_duration_hours: hours,
        cap_price_minor: price(),
        cap_repeat: repeat(),
      });
    }
    if (random.next() < 0.4) add(days, "cap", { cap_type: "day", cap_price_minor: price(), cap_repeat: repeat() });
    if (random.next() < 0.4) {
      const [time_start, time_end] = rest;
      add(days, "cap", { time_start, time_end, cap_type: "band", cap_price_minor: price(), cap_repeat: repeat() });
    }
    if (random.next() < 0.1) add(days, "cap", { cap_type: "stay", cap_price_minor: price() });
  }
  // Maxima of some days only need a row for holidays: the signs of the cases have those.
  const caps = rules.filter(({ category }) => category === "cap");
  const isWhole = caps.every(({ day_type }) => day_type === "all") ||
    caps.some(({ day_type }) => day_type === "holiday");
  return isWhole ? rules : rules.filter(({ category }) => category !== "cap");
}

const PIECES = [
  "30分",
  "200円",
  "8:00",
  "～",
  "20:00",
  "最大",
  "当日",
  "24時間",
  "(",
  ")",
  "（",
  "）",
  "平日",
  "土日祝",
  "除く",
  "\n",
  "9".repeat(40),
  "((((((((((",
  "))))))))))",
  "、",
  "・",
  "/",
  "¥",
  "€",
  "無料",
  "以降",
  "最初の",
  "繰り返し",
  "1回限り",
  "〇一二三四五六七八九",
  "万".repeat(20),
  "1,".repeat(20),
  "1.".repeat(20),
  ":",
  "-".repeat(30),
  "per hour",
  "max",
  "\u0000",
  "\uD800",
  "\u200B",
  "🚗",
  "a".repeat(50),
  "ﾊﾟ",
  "①",
  "½",
  "年末年始",
  "まで",
  "から",
  "翌",
  "mon-fri",
  "je ",
];

/** The time of a call. If it is above the limit, the least of four: the machine has other work. */
function leastMs(call: () => void, limit: number): number {
  let least = Infinity;
  for (let nth = 0; nth < 4 && least > limit; nth++) {
    const started = performance.now();
    call();
    least = Math.min(least, performance.now() - started);
  }
  return least;
}

function hostile(random: Chance): string {
  let text = "";
  const length = 1 + random.below(MAX_TEXT);
  const only = random.next() < 0.3 ? random.pick(PIECES) : undefined;
  while (text.length < length) {
    text += only ?? (random.next() < 0.2 ? String.fromCharCode(random.below(0xFFFF)) : random.pick(PIECES));
  }
  return text.slice(0, MAX_TEXT);
}
