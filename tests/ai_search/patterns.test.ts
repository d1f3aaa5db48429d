// Patterns of the rules parser take time that grows with the text, not with its square.
import assert from "node:assert/strict";
import { localClock, takeTokens } from "../../supabase/functions/_shared/ai_search/rules/parse.ts";
import { readPlace } from "../../supabase/functions/_shared/ai_search/rules/place.ts";
import { Scanner } from "../../supabase/functions/_shared/ai_search/rules/scanner.ts";
import { normalise } from "../../supabase/functions/_shared/ai_search/rules/text.ts";

const clock = localClock({ now: new Date("2026-11-18T12:00:00+09:00"), timeZone: "Asia/Tokyo" });

/** Everything that reads the text itself, without the bound of 500 characters that a request has. */
function scan(text: string): void {
  const scanner = new Scanner(normalise(text));
  const tokens = takeTokens(scanner, clock);
  readPlace(scanner, { hasMore: true, distances: tokens.distances, wantsNearest: false, hasContext: false });
}

/** Each pattern that runs during `work`, and how often. */
function runs(work: () => void): Map<string, number> {
  const counts = new Map<string, number>();
  const { exec } = RegExp.prototype;
  RegExp.prototype.exec = function (this: RegExp, text: string) {
    counts.set(this.source, (counts.get(this.source) ?? 0) + 1);
    return exec.call(this, text);
  };
  try {
    work();
  } finally {
    RegExp.prototype.exec = exec;
  }
  return counts;
}

const UNITS = [
  "渋",
  "1",
  "あ",
  "ア",
  " ",
  "-",
  "の",
  "明日",
  "1円",
  "1,",
  "1:",
  "1/2 ",
  "9時から",
  "5分",
  "屋根なし",
  "高さ",
  "24時間",
  "もっと",
  "から",
  "a",
  "a ",
  "9-",
  "9 to ",
  "from ",
  "two ",
  "free ",
  "not ",
  "half past ",
  "tomorrow",
  "within ",
  "the ",
  "(",
  '"',
  "1ft",
  "{",
  "ﷺ",
  "1円でも安",
  "100 yen cheaper ",
  "9時、いや",
  "no wait ",
  "🚗",
  "like 9 ",
];

Deno.test("rules parser: no pattern has an unbounded quantifier, so each takes linear time", () => {
  const sources = runs(() =>
    UNITS.forEach((unit) => scan(`${unit.repeat(5)} 明日9時から渋谷駅で2000円以内 near Ueno park`))
  );
  assert.ok(sources.size > 100, `only ${sources.size} patterns ran`);
  const unbounded = [...sources.keys()].filter((source) => {
    const bare = source.replace(/\\./gu, "x").replace(/\[[^\]]*\]/gu, "x");
    return /[*+]|\{\d+,\}/u.test(bare);
  });
  assert.deepEqual(unbounded, []);
});

for (const unit of UNITS) {
  Deno.test(`rules parser: twice as many of ${JSON.stringify(unit)} take at most about twice the work`, () => {
    const work = (length: number) => {
      const text = unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
      return [...runs(() => scan(text)).values()].reduce((sum, count) => sum + count, 0);
    };
    const half = work(5000), whole = work(10_000);
    assert.ok(whole <= 2.3 * half + 1000, `${half} runs of patterns, then ${whole}`);
  });
}
