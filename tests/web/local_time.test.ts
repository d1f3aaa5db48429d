// web/: times of form fields by the clocks of a time zone; what formats dates.
import assert from "node:assert/strict";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { files } from "../../apps/web/build.ts";
import { fromLocalInput, toLocalInput } from "../../apps/web/src/local_time.ts";

const CASES: readonly (readonly [value: string, time: string, timeZone: string])[] = [
  ["2026-09-01T09:30", "2026-09-01T00:30:00.000Z", "Asia/Tokyo"],
  ["2026-01-01T00:00", "2025-12-31T15:00:00.000Z", "Asia/Tokyo"],
  ["2024-02-29T23:59", "2024-02-29T14:59:00.000Z", "Asia/Tokyo"],
  ["2026-07-01T12:00", "2026-07-01T10:00:00.000Z", "Europe/Berlin"],
  ["2026-01-01T12:00", "2026-01-01T11:00:00.000Z", "Europe/Berlin"],
  // The hours around a change of the clocks.
  ["2026-03-29T01:30", "2026-03-29T00:30:00.000Z", "Europe/Berlin"],
  ["2026-03-29T03:30", "2026-03-29T01:30:00.000Z", "Europe/Berlin"],
  ["2026-10-25T03:30", "2026-10-25T02:30:00.000Z", "Europe/Berlin"],
  ["2026-03-08T03:30", "2026-03-08T10:30:00.000Z", "America/Los_Angeles"],
  ["2026-09-01T00:15", "2026-08-31T18:30:00.000Z", "Asia/Kathmandu"],
];

for (const [value, time, timeZone] of CASES) {
  Deno.test(`local time: ${value} in ${timeZone} is ${time}, and back`, () => {
    assert.equal(fromLocalInput(value, timeZone), time);
    assert.equal(toLocalInput(time, timeZone), value);
  });
}

Deno.test("local time: times of two years return to themselves in Japan", () => {
  for (let time = Date.UTC(2026, 0, 1); time < Date.UTC(2028, 0, 1); time += (24 * 60 + 5) * 60_000) {
    const at = new Date(time).toISOString();
    assert.equal(fromLocalInput(toLocalInput(at)), at);
  }
});

Deno.test("dates: no page formats a date by itself", async () => {
  const source = fileURLToPath(new URL("../../apps/web/src/", import.meta.url));
  const own: string[] = [];
  for (const path of await files(source)) {
    const name = relative(source, path);
    // The time zone of the device is no format.
    const code = /\.tsx?$/.test(name)
      ? (await Deno.readTextFile(path)).replaceAll("DateTimeFormat().resolved", "")
      : "";
    if (/Intl\.DateTimeFormat\(|toLocale(Date|Time)?String/.test(code)) own.push(name);
  }
  assert.deepEqual(own.sort(), ["format.ts", "local_time.ts"]);
});
