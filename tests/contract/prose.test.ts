// Pages, contract, names of tests, and the names, comments and messages of SQL are in plain words: tools/prose/main.ts has the rules, tools/prose/denied_words.ts the words.
import assert from "node:assert/strict";
import { inContract, inFile, inMarkdown, inSql, inTests, MAX_WORDS, proseFiles } from "../../tools/prose/main.ts";

for (const path of proseFiles()) {
  Deno.test(`prose: ${path}: every sentence is short, and its words are plain`, () => {
    assert.deepEqual(inFile(path).map(({ place, message }) => `${path}:${place}: ${message}`), []);
  });
}

const long = (words: number) => `${Array.from({ length: words }, () => "word").join(" ")}.`;

Deno.test("prose: each breach in a page is found at its line", () => {
  const page = [
    "# A heading",
    "",
    `Short. ${long(MAX_WORDS + 1)}`,
    "",
    "- The server",
    "  tells the client.",
    "- It starts anew. Whoever reads it is asked.",
    "",
    "| Code | Means |",
    "| --- | --- |",
    "| `a` | Who reads this is lost |",
    "",
    "The row is gone. A row behind it. What is left is deleted. It is no user's.",
  ].join("\n");
  const found = inMarkdown(page).map(({ place, message }) => `${place} ${message.split(" (")[0]!}`);
  assert.deepEqual(found, [
    `3 a sentence of ${MAX_WORDS + 1} words`,
    "5 “tells”: write returns, shows, reports",
    "7 “anew”: write again",
    "7 “Whoever”: write a user who, a client that",
    "7 “asked”: write called, queried, requested",
    "11 “Who reads this is lost”: write a subject with a name: a user who …",
    "13 “gone”: write deleted, removed",
    "13 “behind”: write after",
    "13 “What is left is deleted.”: write a subject with a name",
    "13 “is no user's”: write does not belong to",
  ]);
});

Deno.test("prose: code, addresses and sentences of the maximum length in a page are no findings", () => {
  const page = [
    long(MAX_WORDS),
    "Run `tell anew` at <https://told.example/whoever>, behind a proxy or behind the hosted edge.",
    "```sh",
    "tell nobody",
    "```",
    "<!-- told -->",
    "| `told` | A user asks for it. Who may read it? |",
    "[The page](told.md#nobody) lists the stand-ins.",
  ].join("\n");
  assert.deepEqual(inMarkdown(page), []);
});

Deno.test("prose: in a migration names, comments, comments on objects and messages are checked, code and lists of interfaces are not", () => {
  const migration = [
    `-- The story. ${long(MAX_WORDS + 1)}`,
    "--",
    "-- It is told",
    "-- anew.",
    `-- Interface: ${long(MAX_WORDS + 1)}`,
    "",
    "create function private.asked() returns text",
    "security definer -- nobody may",
    "as $$",
    "  -- Whoever waits.",
    "  perform private.raise_error('gone', 404, 'The row is gone.');",
    `  return 'told ' || '{"nobody": [${long(MAX_WORDS)}]}';`,
    "$$;",
    "comment on function private.asked() is",
    "  'Tells a user''s name: {told, [anew]}. Errors: conflict, not_found.';",
    "select cron.schedule('tell_renames', '9 seconds', 'nobody');",
    "",
  ].join("\n");
  assert.deepEqual(inSql(migration).map(({ place, message }) => `${place} ${message.split(" (")[0]!}`), [
    `1 a sentence of ${MAX_WORDS + 1} words`,
    "2 “told”: write returns, shows, reports",
    "2 “anew”: write again",
    "8 “nobody”: write no user, no client",
    "10 “Whoever”: write a user who, a client that",
    "11 “gone”: write deleted, removed",
    "14 “Tells”: write returns, shows, reports",
    "7 “asked”: write called, queried, requested",
    "16 “tell”: write returns, shows, reports",
  ]);
});

Deno.test("prose: the names of tests and of their steps are checked, their values and their code are not", () => {
  const [test, step] = ["Deno.test", "step"]; // not as calls, which would be names of this file
  const tests = [
    `${test}("the reply says why", async (t) => {`,
    `  await t.${step}("it is told \${anew}", () => assert.equal(told, "nobody"));`,
    "});",
    `${test}.ignore({ name: "${long(MAX_WORDS + 1)}" });`,
  ].join("\n");
  assert.deepEqual(inTests(tests).map(({ place, message }) => `${place} ${message.split(" (")[0]!}`), [
    "1 “says”: write states, returns, names",
    "2 “told”: write returns, shows, reports",
    `4 a sentence of ${MAX_WORDS + 1} words`,
  ]);
});

Deno.test("prose: in the contract summaries, descriptions and messages are checked, a user's texts are not", () => {
  const contract = {
    paths: { "/a": { get: { summary: "Tell", description: "Fine.", tags: ["anew"] } } },
    components: {
      examples: { one: { summary: "Anew", value: { error: { message: "Nobody." }, description: "told" } } },
      schemas: { A: { properties: { description: { type: "string", description: "Tell" } } } },
    },
  };
  assert.deepEqual(inContract(contract).map(({ place }) => place), [
    "/paths/~1a/get/summary",
    "/components/examples/one/summary",
    "/components/examples/one/value/error/message",
  ]);
});
