// The log within the limits of the platform: how many lines in how long, how long a line, and what is said of the others.
import assert from "node:assert/strict";
import { LogWriter, MAX_CHARACTERS, MAX_EVENTS, WINDOW_MS } from "../../supabase/functions/_shared/http/log_writer.ts";
import { LIMITS } from "../bench/platform_limits.ts";

const time = "2026-09-01T00:00:00Z";
const success = { level: "info", time, status: 200 } as const;
const failure = { level: "error", time, status: 500 } as const;

/** A writer at a time that the test sets. */
function writerAt() {
  let now = 0;
  const lines: { at: number; text: string; level: string }[] = [];
  const planned: { at: number; work: () => void }[] = [];
  const writer = new LogWriter({
    now: () => now,
    later: (work, ms) => planned.push({ at: now + ms, work }),
    write: (level, text) => lines.push({ at: now, level, text }),
  });
  const pass = (ms: number) => {
    for (const end = now + ms; now < end; now++) {
      for (const { work } of planned.filter(({ at }) => at === now)) work();
    }
  };
  return { writer, lines, pass };
}

const leftOut = (lines: readonly { text: string }[]) =>
  lines.map(({ text }) => JSON.parse(text)).flatMap(({ level, left_out }) => left_out ? [{ level, left_out }] : []);

Deno.test("log writer: its limits are those of the platform", () => {
  assert.deepEqual([MAX_EVENTS, WINDOW_MS / 1000], [LIMITS.logEvents.count, LIMITS.logEvents.seconds]);
  assert.equal(MAX_CHARACTERS, LIMITS.logLineCharacters);
});

Deno.test("log writer: in no ten seconds are more lines than the platform takes, and every line is written or counted", () => {
  const { writer, lines, pass } = writerAt();
  const sent = { "200": 0, "500": 0 };
  for (let n = 0; n < 40_000; n += 10) {
    const line = n % 70 === 0 ? failure : success;
    writer.write(line);
    sent[line === failure ? "500" : "200"]++;
    pass(10);
  }
  pass(2 * WINDOW_MS);
  for (const { at } of lines) {
    const within = lines.filter((line) => line.at > at - WINDOW_MS && line.at <= at).length;
    assert.ok(within <= MAX_EVENTS, `${within} lines until ${at}`);
  }
  for (const [status, count] of Object.entries(sent)) {
    const written = lines.filter(({ text }) => JSON.parse(text).status === Number(status)).length;
    const counted = leftOut(lines).reduce((sum, { left_out }) => sum + (left_out[status] ?? 0), 0);
    assert.ok(written > 0 && counted > 0);
    assert.equal(written + counted, count, status);
  }
});

Deno.test("log writer: successes leave places for failures, and the count is an error if an error was left out", () => {
  const { writer, lines, pass } = writerAt();
  for (let n = 0; n < MAX_EVENTS; n++) writer.write(success);
  for (let n = 0; n < 10; n++) writer.write(failure);
  assert.equal(lines.filter(({ level }) => level === "error").length, 10);
  pass(WINDOW_MS + 1);
  assert.deepEqual(leftOut(lines), [{ level: "warn", left_out: { "200": 40 } }]);
  for (let n = 0; n < MAX_EVENTS + 20; n++) writer.write(failure);
  writer.write({ level: "error", time });
  pass(WINDOW_MS + 1);
  assert.deepEqual(leftOut(lines).slice(1), [{ level: "error", left_out: { "500": 21, other: 1 } }]);
});

Deno.test("log writer: nothing is counted while every line is written", () => {
  const { writer, lines, pass } = writerAt();
  for (let n = 0; n < 200; n++) {
    writer.write(success);
    pass(WINDOW_MS / 50);
  }
  assert.equal(lines.length, 200);
  assert.deepEqual(leftOut(lines), []);
});

Deno.test("log writer: a long line is cut in its longest text, stays JSON, and has the number of missing characters", () => {
  for (const character of ["x", "\n", "\u0001", "駅", '"', "😀"]) {
    for (const length of [9_000, 10_000, 100_000]) {
      const { writer, lines } = writerAt();
      const cause = character.repeat(length);
      writer.write({ ...failure, request_id: "r", cause } as typeof failure);
      const { text } = lines[0]!;
      assert.ok(text.length <= MAX_CHARACTERS, `${text.length}`);
      const read = JSON.parse(text);
      assert.deepEqual([read.request_id, read.status], ["r", 500]);
      assert.equal(read.cause.length + (read.cut_characters ?? 0), cause.length);
      assert.ok(cause.startsWith(read.cause));
    }
  }
});
