// JSON lines of a list: how a response ends, and where the next one goes on.
import assert from "node:assert/strict";
import { type EndLine, MAX_LINES, pagesAsLines } from "../../supabase/functions/_shared/http/lines.ts";

/** A list of so many numbers. A feed always has a cursor, and says whether there is more. */
function listOf(length: number, isFeed = false) {
  const asked: number[] = [];
  const read = ({ limit, cursor }: { limit: number; cursor: string | undefined }) => {
    asked.push(limit);
    const start = Number(cursor ?? 0);
    const items = Array.from({ length: Math.min(limit, length - start) }, (_, n) => start + n);
    const end = start + items.length;
    const hasMore = end < length;
    return Promise.resolve(
      isFeed ? { items, next_cursor: `${end}`, has_more: hasMore } : { items, next_cursor: hasMore ? `${end}` : null },
    );
  };
  return { asked, read };
}

const isEnd = (line: number | EndLine): line is EndLine => typeof line === "object";
const isItem = (line: number | EndLine): line is number => typeof line === "number";

/** The numbers of all responses, and their last lines. */
async function follow(length: number, limit: number, pageSize: number, isFeed = false) {
  const { asked, read } = listOf(length, isFeed);
  const [items, ends]: [number[], EndLine[]] = [[], []];
  for (let cursor: string | undefined, isDone = false; !isDone;) {
    const lines = await Array.fromAsync(pagesAsLines({ limit, pageSize, cursor }, read));
    const end = lines.filter(isEnd);
    assert.ok(end.length <= 1 && (end.length === 0 || isEnd(lines.at(-1)!)), "the cursor is in the last line");
    items.push(...lines.filter(isItem));
    ends.push(...end);
    cursor = end[0]?.next_cursor ?? undefined;
    isDone = !end[0]?.has_more;
  }
  return { items, ends, asked };
}

const upTo = (length: number) => Array.from({ length }, (_, n) => n);

Deno.test("lines: a list that fits ends after its last item", async () => {
  for (const length of [0, 1, 9, 10]) {
    assert.deepEqual(await follow(length, 10, 4), {
      items: upTo(length),
      ends: [],
      asked: [4, 4, 2].slice(0, Math.max(1, Math.ceil(length / 4))),
    });
  }
});

Deno.test("lines: a longer list goes on at the cursor of the last line, and no item is missing or twice", async () => {
  for (const [limit, pageSize] of [[10, 4], [4, 10], [1, 1], [12, 4]] as const) {
    const { items, ends } = await follow(25, limit, pageSize);
    assert.deepEqual(items, upTo(25));
    assert.deepEqual(
      ends.map(({ next_cursor }) => next_cursor),
      upTo(25).filter((n) => n > 0 && n % limit === 0).map(String),
    );
    assert.ok(ends.every(({ has_more }) => has_more));
  }
});

Deno.test("lines: a feed always ends with its cursor, and has_more states whether there is more now", async () => {
  const { items, ends } = await follow(25, 10, 4, true);
  assert.deepEqual(items, upTo(25));
  assert.deepEqual(ends, [
    { next_cursor: "10", has_more: true },
    { next_cursor: "20", has_more: true },
    { next_cursor: "25", has_more: false },
  ]);
});

Deno.test("lines: a response reads no more pages than full ones would be, and continues after short ones", async () => {
  let read = 0;
  const empty = () => Promise.resolve({ items: [] as number[], next_cursor: `${++read}` });
  const lines = await Array.fromAsync(pagesAsLines({ limit: MAX_LINES, pageSize: 100, cursor: undefined }, empty));
  assert.deepEqual([read, lines], [MAX_LINES / 100, [{ next_cursor: `${MAX_LINES / 100}`, has_more: true }]]);
});
