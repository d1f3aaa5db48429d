// apps/web/src/console: an act on several entries, a table as CSV, and lists that are ordered by hand.
import assert from "node:assert/strict";
import { actOnEach } from "../../apps/web/src/console/kit/bulk.ts";
import { csvOf } from "../../apps/web/src/console/kit/download.ts";
import { moved, tagsWith } from "../../apps/web/src/console/screens/parking_lots/sets/order.ts";

Deno.test("bulk: acts run one after another, end at the first that fails, and say what was done and what was not tried", async () => {
  const tried: number[] = [];
  const progress: number[] = [];
  const error = new Error("conflict");
  const outcome = await actOnEach([1, 2, 3, 4], async (entry) => {
    tried.push(entry);
    await Promise.resolve();
    if (entry === 3) throw error;
  }, { onProgress: (done) => progress.push(done) });
  assert.deepEqual(outcome, { done: [1, 2], failed: { entry: 3, error }, left: [4] });
  assert.deepEqual([tried, progress], [[1, 2, 3], [1, 2]]);
});

Deno.test("bulk: a stop is taken before the next entry", async () => {
  const stop = new AbortController();
  const outcome = await actOnEach([1, 2, 3], () => Promise.resolve(stop.abort()), { signal: stop.signal });
  assert.deepEqual(outcome, { done: [1], left: [2, 3] });
});

Deno.test("csv: what a spreadsheet would take for a formula is text, and amounts stay numbers", () => {
  const cells = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\tx", "\rx", "＝1", "-5", "+5", "plain", "a-b"];
  assert.deepEqual(cells.map((cell) => csvOf([[cell]]).trimEnd()), [
    "'=1+1",
    "'+cmd|' /C calc'!A0",
    "'-2+3",
    "'@SUM(A1)",
    "'\tx",
    '"\'\rx"',
    "'＝1",
    "-5",
    "+5",
    "plain",
    "a-b",
  ]);
});

Deno.test("lists by hand: an entry goes to another place", () => {
  assert.deepEqual([moved(["a", "b", "c"], 0, 2), moved(["a", "b", "c"], 2, 0), moved(["a", "b", "c"], 1, 2)], [
    ["b", "c", "a"],
    ["c", "a", "b"],
    ["a", "c", "b"],
  ]);
});

Deno.test("lists by hand: tags that were not changed here stay as another user saved them", () => {
  const newest = [{ tag_id: "a", state: true }, { tag_id: "b", state: false }, { tag_id: "c", state: null }];
  assert.deepEqual(tagsWith(newest, new Map<string, boolean | null | undefined>([["b", undefined], ["d", null]])), [
    { tag_id: "a", state: true },
    { tag_id: "c", state: null },
    { tag_id: "d", state: null },
  ]);
});
