// Words that no rule reads, and times of something else than the stay, are never in a certain answer.
import assert from "node:assert/strict";
import { parseText } from "../../supabase/functions/_shared/ai_search/rules/index.ts";
import { CERTAIN, evaluate, readSentences } from "../eval/score.ts";

const confidenceOf = (text: string) =>
  parseText(text, {
    locale: /[ぁ-んァ-ヶ一-龠]/u.test(text) ? "ja" : "en",
    now: new Date("2026-11-18T10:00:00+09:00"),
    timeZone: "Asia/Tokyo",
  }).confidence;

const UNCERTAIN: Readonly<Record<string, readonly string[]>> = {
  "a number that no rule reads": ["5、6日の10時から16時 伊勢神宮", "Kawasaki 3pm... actually make that 4... until 8"],
  "a word that no rule reads": [
    "EV only spots are a no-go, Osaka castle",
    "it's almost noon, parking in Gotanda for two hours",
    "leave Odaiba 8pm having arrived 3pm",
    "この日の10時から2時間 上野",
    "twice the usual 2 hours in Kanazawa",
    "quarter past eight tomorrow evening for three quarters of an hour, Omiya",
    "仙台駅、金土の夜7時から11時",
    "9時台に着いて11時台に出る 銀座三越",
    "午後3時15分前から1時間 京都",
  ],
  "a negation, a condition or a comparison": [
    "今週の土曜10時〜15時じゃなくて日曜で 横浜",
    "19時から22時まで、ただし日曜は除く 赤坂",
    "10 to 5 but not on Sunday, Nara, this weekend",
    "2時間未満なら無料の駐車場 幕張",
    "more than 3 hours but fewer than 5 from 11am Kobe",
    "1時間300円×3時間 藤沢",
    "24時間以内の料金が1500円まで 北千住",
    "show starts 7:30pm Friday, arrive an hour before, Tokyo Dome",
    "1時間前に着きたい、コンサートは18時 横浜アリーナ",
    "16時に子供のお迎え、それまで3時間停める 世田谷",
    "24時間以上停められる 大船",
    "バイクは停められない方がいい 大船",
    "徒歩5分か6分 大船",
    "水曜の13時から一時間おきに 西宮",
    "at least 300 m away from Ofuna station",
    "a 10 minute walk or more is okay, Ofuna",
  ],
  "the time of something else": [
    "営業時間8時〜22時の駐車場 浦和",
    "my train leaves at 18:40 from Tokyo station, park from 4pm",
    "ferry leaves Friday 23:59, Kobe port",
    "it's midnight, parking in Ueno for 2 hours",
    "train at 7:52 tomorrow, Omiya station, back 19:30",
    "10時に予約の美容院、2時間半かかる 自由が丘",
    "Is there parking open past midnight in Shimokitazawa?",
  ],
  "a second day": ["土曜に銀座、日曜の10時から12時", "Saturday in Ginza, Sunday 10am to noon"],
};

for (const [name, texts] of Object.entries(UNCERTAIN)) {
  Deno.test(`rules parser: with ${name} an answer is not certain`, () => {
    const certain = texts.filter((text) => confidenceOf(text) >= CERTAIN);
    assert.deepEqual(certain, []);
  });
}

Deno.test("rules parser: no sentence with a word or a number added that no rule reads gives a certain answer", () => {
  const sentences = [...readSentences("sentences.jsonl"), ...readSentences("ordinary.jsonl")];
  const added = sentences.flatMap((sentence) =>
    [", 37", ", zorp", "、黄昏中"].map((more) => ({ ...sentence, text: `${sentence.text}${more}` }))
  );
  const certain = added.filter((sentence) =>
    // A name after coordinates is that of the place.
    !/\d\.\d{3}/.test(sentence.text) && evaluate(sentence).answer.confidence >= CERTAIN
  );
  assert.deepEqual(certain.map(({ text }) => text), []);
});

Deno.test("rules parser: a word of a name is no negation, no condition and no comparison", () => {
  for (
    const text of ["parking near Never Land tomorrow 10am to 12pm", "from 10am to noon tomorrow near Almost Home Cafe"]
  ) {
    assert.ok(confidenceOf(text) >= CERTAIN, text);
  }
});
