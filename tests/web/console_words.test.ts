// What the console says about acts, badges and faults: lines of a record, rows of conditions, sections of the runbook.
import assert from "node:assert/strict";
import { changeLines, nameIn } from "../../apps/web/src/console/kit/act_changes.ts";
import {
  newRule,
  OPERATORS,
  readConditions,
  writeConditions,
} from "../../apps/web/src/console/screens/reference/badge_rules.ts";
import { texts as english } from "../../apps/web/src/texts/en/console.ts";
import { texts as japanese } from "../../apps/web/src/texts/ja/console.ts";

Deno.test("console: a record has a line for each changed value, and none for what follows from it", () => {
  const rule = { id: "a", price_minor: 300, per_minutes: 30 };
  assert.deepEqual(
    changeLines({
      id: { old: null, new: "x" },
      name: { old: "Old", new: "New" },
      phone: { old: null, new: "03" },
      website: { old: "https://example.com", new: null },
      tags: { old: [], new: null },
      pricing_rules: {
        old: [rule, { id: "b", price_minor: 1 }],
        new: [{ ...rule, price_minor: 330 }, { id: "c", price_minor: 2 }],
      },
      reason: "A new sign",
    }),
    [
      { path: ["name"], kind: "changed", before: "Old", after: "New" },
      { path: ["phone"], kind: "set", after: "03" },
      { path: ["website"], kind: "removed", before: "https://example.com" },
      { path: ["pricing_rules", "price_minor"], kind: "changed", before: 300, after: 330, nth: 1 },
      { path: ["pricing_rules"], kind: "added", after: 1 },
      { path: ["pricing_rules"], kind: "dropped", before: 1 },
      { path: ["reason"], kind: "told", after: "A new sign" },
    ],
  );
  assert.deepEqual(changeLines({ reason: null }), []);
  assert.equal(nameIn({ title: { old: null, new: "Autumn" } }), "Autumn");
  assert.equal(nameIn({ title: { old: "Gone", new: null } }), "Gone");
  assert.equal(nameIn({ body: { old: "a", new: "b" } }), undefined);
});

Deno.test("console: both languages have a sentence for the same acts, with who and what", () => {
  const [en, ja] = [english.kit.actTable, japanese.kit.actTable];
  assert.deepEqual(Object.keys(en.sentences), Object.keys(ja.sentences));
  for (const sentence of [...Object.values(en.sentences), ...Object.values(ja.sentences)]) {
    assert.match(sentence, /\{who\}/);
    assert.deepEqual(sentence.match(/\{(?!who\}|what\}|user\})/g), null, sentence);
  }
});

Deno.test("console: conditions of a badge are the same after they were rows, and what has no rows stays", () => {
  const plain = { activity: ["session_end"], measure: "count" };
  const wheres = [
    undefined,
    ...OPERATORS.map((operator) => ({ [operator]: newRule(operator).value })),
    { not: { weekdays: [0] } },
    { all: [{ hours: { from: 22, to: 5 } }, { not: { min: { field: "rating", value: 4 } } }] },
    { any: [{ dates: { from: "2026-01-01", to: "2026-02-01" } }, { weekdays: [1] }] },
    { all: [{ any: [{ weekdays: [1] }] }, { weekdays: [2] }] },
    { not: { not: { weekdays: [1] } } },
  ];
  for (const where of wheres) {
    const conditions = where === undefined ? plain : { ...plain, where };
    assert.deepEqual(writeConditions(readConditions(conditions)), conditions);
  }
  assert.equal(readConditions({ ...plain, where: { all: [{ any: [{ weekdays: [1] }] }] } }).rules.length, 0);
});

Deno.test("console: each section of the runbook that a screen links to is a heading of its page", async () => {
  const module = new URL("../../apps/web/src/console/kit/runbook.tsx", import.meta.url);
  const links = [...(await Deno.readTextFile(module)).matchAll(/"(\w+)\.html#([\w-]+)"/g)];
  assert.ok(links.length > 4);
  for (const [, page, anchor] of links) {
    const text = await Deno.readTextFile(new URL(`../../docs/operations/${page}.md`, import.meta.url));
    const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!.toLowerCase().replaceAll(" ", "-"));
    assert.ok(anchors.includes(anchor!), `${page}.md has no ${anchor}`);
  }
});
