// Numbers of a model: they neither replace those of the text nor add to them.
import assert from "node:assert/strict";
import { convertModelAnswer } from "../../supabase/functions/_shared/ai_search/model_answer.ts";
import type { ModelAnswer } from "../../supabase/functions/_shared/ai_search/prompt.ts";
import { parseText } from "../../supabase/functions/_shared/ai_search/rules/index.ts";
import type { ParsedSearch } from "../../supabase/functions/_shared/ai_search/rules/index.ts";
import { optionsOf, readSentences } from "../eval/score.ts";
import { NOTHING_FOUND } from "../support/ai.ts";

const NOTHING: ModelAnswer = NOTHING_FOUND;
/** Numbers that no sentence has. */
const INVENTED: ModelAnswer = {
  ...NOTHING,
  entry_at: "2033-03-03T03:17",
  exit_at: "2033-03-04T04:41",
  max_price: 77_777,
  height_m: 9.87,
  width_m: 4.93,
  length_m: 17.31,
  weight_t: 43.7,
  radius_m: 43_219,
};

const numbers = ({ entry_at, exit_at, max_price, radius_m, vehicle, query }: ParsedSearch) => {
  const { type: _, ...measures } = vehicle ?? {};
  return { entry_at, exit_at, max_price, radius_m, measures, price_min: query.price_min, price_max: query.price_max };
};

const sentences = ["sentences.jsonl", "unseen.jsonl", "ordinary.jsonl", "odd.jsonl"].flatMap(readSentences)
  .filter(({ context }) => context === undefined)
  .map((sentence) => {
    const options = optionsOf(sentence);
    return { sentence, options, rules: parseText(sentence.text, options) };
  })
  .filter(({ rules }) => rules.status === "parsed");

for (const [name, answer] of [["invents every number", INVENTED], ["leaves every number out", NOTHING]] as const) {
  Deno.test(`model answer: of a model that ${name} only the numbers of the text remain`, () => {
    for (const { sentence, options, rules } of sentences) {
      const converted = convertModelAnswer(answer, sentence.text, rules, options)!;
      assert.deepEqual(numbers(converted), numbers(rules), sentence.text);
    }
  });
}

Deno.test("model answer: a month that the text does not have is not taken, although the hours are those of the text", () => {
  const later = (at: string | null) => {
    if (at === null) return null;
    const [year, month, day] = at.slice(0, 10).split("-").map(Number);
    const date = new Date(Date.UTC(year!, month! - 1, day! + 45)).toISOString().slice(0, 10);
    return `${date}${at.slice(10, 16)}`;
  };
  for (const { sentence, options, rules } of sentences) {
    const [entry_at, exit_at] = [rules.entry_at, rules.exit_at].map(later);
    const answer = { ...NOTHING, entry_at: entry_at!, exit_at: exit_at! };
    const converted = convertModelAnswer(answer, sentence.text, rules, options)!;
    assert.deepEqual(numbers(converted), numbers(rules), sentence.text);
  }
});

Deno.test("model answer: each number that only the model has is noted, and the confidence is not that of a certain answer", () => {
  for (const { sentence, options, rules } of sentences) {
    const converted = convertModelAnswer(INVENTED, sentence.text, rules, options)!;
    const noted = new Set(converted.unresolved.map(({ value }) => value));
    for (const value of [77_777, 9.87, 4.93, 17.31, 43.7, 43_219]) assert.ok(noted.has(value), sentence.text);
    assert.ok(converted.confidence < 0.8, sentence.text);
  }
});

Deno.test("model answer: of the readings that the text leaves open, the model's is taken", () => {
  const options = { locale: "ja", now: new Date("2026-11-18T12:00:00+09:00"), timeZone: "Asia/Tokyo" } as const;
  const text = "明日3時から渋谷駅に停めたい";
  const rules = parseText(text, options);
  const answer = { ...NOTHING, entry_at: "2026-11-19T03:00", exit_at: "2026-11-19T05:00" };
  const converted = convertModelAnswer(answer, text, rules, options)!;
  assert.deepEqual([rules.entry_at, converted.entry_at, converted.exit_at], [
    "2026-11-19T15:00:00+09:00",
    "2026-11-19T03:00:00+09:00",
    null,
  ]);
});
