// The rules parser's score does not fall: the sentences that were right stay right.
import assert from "node:assert/strict";
import { evaluate, readSentences, summarise } from "../eval/score.ts";

const recorded: Record<string, readonly string[]> = JSON.parse(
  Deno.readTextFileSync(new URL("../eval/known_wrong.json", import.meta.url)),
);

for (const [file, knownWrong] of Object.entries(recorded)) {
  Deno.test(`evaluation: in ${file} only the sentences of tests/eval/known_wrong.json are wrong`, () => {
    const broken = readSentences(file).map(evaluate)
      .filter(({ sentence, wrong }) => wrong.length > 0 && !knownWrong.includes(sentence.id))
      .map(({ sentence, wrong }) => ({
        id: sentence.id,
        text: sentence.text,
        why: sentence.why,
        wrong: wrong.map(({ field, expected, actual }) =>
          `${field}: expected ${JSON.stringify(expected)}, is ${JSON.stringify(actual)}`
        ),
      }));
    assert.deepEqual(broken, []);
  });

  Deno.test(`evaluation: in ${file} no wrong number has the confidence of a certain answer`, () => {
    assert.deepEqual(summarise(readSentences(file).map(evaluate)).certainAndWrong, []);
  });
}

Deno.test("evaluation: every sentence in tests/eval/known_wrong.json still fails, so the file follows each improvement", () => {
  for (const [file, knownWrong] of Object.entries(recorded)) {
    const wrong = readSentences(file).map(evaluate).filter(({ wrong }) => wrong.length > 0);
    assert.deepEqual(wrong.map(({ sentence }) => sentence.id).toSorted(), [...knownWrong].toSorted(), file);
  }
});

Deno.test("evaluation: 95 % of the fields and 85 % of the sentences are right", () => {
  const { fields, fieldsRight, sentences, exact } = summarise(readSentences("sentences.jsonl").map(evaluate));
  assert.ok(sentences >= 300);
  assert.ok(fieldsRight >= 0.95 * fields, `${fieldsRight} of ${fields} fields`);
  assert.ok(exact >= 0.85 * sentences, `${exact} of ${sentences} sentences`);
});

Deno.test("evaluation: of the batches by others, 97 % of the fields and 90 % of the sentences are right, of odd ones 92 % and 70 %", () => {
  for (const [file, ofFields, ofSentences] of [["ordinary.jsonl", 0.97, 0.9], ["odd.jsonl", 0.92, 0.7]] as const) {
    const { fields, fieldsRight, sentences, exact } = summarise(readSentences(file).map(evaluate));
    assert.ok(fieldsRight >= ofFields * fields, `${file}: ${fieldsRight} of ${fields} fields`);
    assert.ok(exact >= ofSentences * sentences, `${file}: ${exact} of ${sentences} sentences`);
  }
});

Deno.test("evaluation: every sentence has a unique id, a reason, and a text of at most 500 characters", () => {
  const sentences = Object.keys(recorded).flatMap(readSentences);
  assert.equal(new Set(sentences.map(({ id }) => id)).size, sentences.length);
  for (const file of Object.keys(recorded)) {
    const texts = readSentences(file).map(({ text, context }) => text + JSON.stringify(context));
    assert.equal(new Set(texts).size, texts.length, file);
  }
  for (const { id, why, text } of sentences) assert.ok(why !== "" && [...text].length <= 500, id);
});
