// web/: times of form fields by the clocks of a time zone; what formats dates.
import assert from "node:assert/strict";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { files } from "../../apps/web/build.ts";
import { dayAfter, fromLocalInput, toLocalInput } from "../../apps/web/src/local_time.ts";

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

const CHANGES: readonly (readonly [value: string, time: string, timeZone: string, shown?: string])[] = [
  // The hour that exists twice is the first one.
  ["2026-10-25T02:30", "2026-10-25T00:30:00.000Z", "Europe/Berlin"],
  ["2026-10-25T02:00", "2026-10-25T00:00:00.000Z", "Europe/Berlin"],
  ["2026-10-25T03:00", "2026-10-25T02:00:00.000Z", "Europe/Berlin"],
  ["2026-10-25T01:30", "2026-10-25T00:30:00.000Z", "Europe/London"],
  ["2026-11-01T01:30", "2026-11-01T05:30:00.000Z", "America/New_York"],
  ["2026-04-05T01:45", "2026-04-04T14:45:00.000Z", "Australia/Lord_Howe"],
  // A time that is left out is later.
  ["2027-03-28T02:30", "2027-03-28T01:30:00.000Z", "Europe/Berlin", "2027-03-28T03:30"],
  ["2027-03-28T02:00", "2027-03-28T01:00:00.000Z", "Europe/Berlin", "2027-03-28T03:00"],
  ["2027-03-28T01:30", "2027-03-28T01:30:00.000Z", "Europe/London", "2027-03-28T02:30"],
  ["2027-03-14T02:30", "2027-03-14T07:30:00.000Z", "America/New_York", "2027-03-14T03:30"],
  ["2026-10-04T02:15", "2026-10-03T15:45:00.000Z", "Australia/Lord_Howe", "2026-10-04T02:45"],
  // Samoa left out a day.
  ["2011-12-30T12:00", "2011-12-30T22:00:00.000Z", "Pacific/Apia", "2011-12-31T12:00"],
  ["2026-11-01T01:30", "2026-10-31T19:45:00.000Z", "Asia/Kathmandu"],
];

for (const [value, time, timeZone, shown = value] of CHANGES) {
  Deno.test(`local time: ${value} in ${timeZone} is ${time}, which is ${shown}`, () => {
    assert.equal(fromLocalInput(value, timeZone), time);
    assert.equal(toLocalInput(time, timeZone), shown);
  });
}

Deno.test("local time: around a change of the clocks each time is itself, or the first of two", () => {
  for (
    const [timeZone, day] of [
      ["Europe/Berlin", "2026-10-25"],
      ["Europe/Berlin", "2027-03-28"],
      ["America/New_York", "2026-11-01"],
      ["America/New_York", "2027-03-14"],
      ["Australia/Lord_Howe", "2026-04-05"],
      ["Australia/Lord_Howe", "2026-10-04"],
      ["Pacific/Auckland", "2026-09-27"],
    ] as const
  ) {
    const first = new Map<string, string>();
    for (
      let time = Date.parse(day) - 36 * 60 * 60_000;
      time < Date.parse(day) + 36 * 60 * 60_000;
      time += 30 * 60_000
    ) {
      const at = new Date(time).toISOString();
      const value = toLocalInput(at, timeZone);
      if (!first.has(value)) first.set(value, at);
    }
    for (const [value, at] of first) assert.equal(fromLocalInput(value, timeZone), at, `${value} in ${timeZone}`);
  }
});

Deno.test("local time: days are counted by the calendar", () => {
  assert.deepEqual([0, 1, 7].map((days) => dayAfter("2026-10-25T00:10", days)), [
    "2026-10-25",
    "2026-10-26",
    "2026-11-01",
  ]);
  assert.equal(dayAfter("2028-02-28", 1), "2028-02-29");
});

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
