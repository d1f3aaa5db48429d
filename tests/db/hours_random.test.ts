// The evaluator of hours against the naive oracle, on random hours.
import assert from "node:assert/strict";
import { FORTNIGHT, HoursOracle, type LotHours } from "../oracles/hours.ts";
import { database } from "../support/database.ts";
import { addLots } from "../support/hours.ts";
import { Random, randomLot } from "../support/random_hours.ts";
import { seed, volume } from "../support/sizes.ts";

// Fortnights that hold public holidays of Japan (which all these lots keep), their eves and, but for the second, clock changes:
// in Zurich at two or three, in Beirut, in Havana and on the Azores at midnight, which is then skipped or comes twice.
const FORTNIGHTS = [
  { from: "2026-03-16", zones: ["Europe/Zurich", "Europe/Zurich", "Atlantic/Azores", "Asia/Beirut"] },
  { from: "2026-09-14", zones: ["Asia/Tokyo", "Asia/Tokyo", "America/Los_Angeles", "Asia/Kathmandu"] },
  {
    from: "2026-10-22",
    zones: ["Europe/Zurich", "Europe/Zurich", "Atlantic/Azores", "America/Havana", "Asia/Beirut"],
  },
];
const MINUTE = 60_000;
const ANSWERS = ["is_open", "can_enter", "can_exit"] as const;

const sets = volume("HOURS_SETS", 150, 1_200);
const random = new Random(seed("HOURS_SEED", 20260320));
const holidaysOfJapan: Record<string, unknown> =
  JSON.parse(await Deno.readTextFile(new URL("../cases/holidays.json", import.meta.url))).JP;
const holidays = new Set(Object.keys(holidaysOfJapan));

interface Subject {
  id: string;
  lot: LotHours;
  oracle: HoursOracle;
}

const db = await database();
Deno.test.afterAll(() => db.close());

const groups: { start: number; ids: string[]; subjects: Map<string, Subject>; lots: Subject[] }[] = [];
for (const { from, zones } of FORTNIGHTS) {
  const start = Date.parse(`${from}T00:00:00Z`);
  const dates = Array.from(
    { length: 15 },
    (_, n) => new Date(start + (n - 1) * 24 * 60 * MINUTE).toISOString().slice(0, 10),
  );
  const lots = Array.from(
    { length: Math.ceil(sets / FORTNIGHTS.length) },
    () => randomLot(random, random.pick(zones), dates),
  );
  const ids = await addLots(db.sql, lots);
  const subjects = new Map(
    lots.map((lot, n): [string, Subject] => [ids[n]!, { id: ids[n]!, lot, oracle: new HoursOracle(lot, holidays) }]),
  );
  groups.push({ start, ids, subjects, lots: [...subjects.values()] });
}

const iso = (at: number | null) => at === null ? null : new Date(at).toISOString();
const time = (value: Date | null) => value === null ? null : value.getTime();
const within = (start: number) => start + random.integer(0, FORTNIGHT / MINUTE - 1) * MINUTE;

/** A moment of the fortnight that a rule may hinge on: a local time at which windows begin and end, and a second around it. */
function hinge(start: number, { lot }: Subject): number {
  const date = Temporal.Instant.fromEpochMilliseconds(within(start)).toZonedDateTimeISO(lot.time_zone).toPlainDate();
  const times = ["00:00", "02:30", ...lot.windows.flatMap((row) => [row.open_time, row.close_time])]
    .filter((text) => typeof text === "string" && text !== "24:00");
  const local = date.toPlainDateTime(Temporal.PlainTime.from(random.pick(times)!));
  const disambiguation = random.pick(["earlier", "later"] as const);
  return local.toZonedDateTime(lot.time_zone, { disambiguation }).epochMilliseconds + random.pick([0, 0, -1000, 1000]);
}

Deno.test(`random hours: ${sets} random sets of windows agree with the oracle at any minute, for all lots in one call`, async () => {
  for (const { start, ids, subjects } of groups) {
    for (let n = 0; n < 60; n++) {
      const at = within(start);
      const rows = await db.sql`select * from private.hours_at(${ids}, ${iso(at)})`;
      assert.equal(rows.length, ids.length);
      for (const { parking_lot_id, ...answers } of rows) {
        const { lot, oracle } = subjects.get(parking_lot_id)!;
        assert.deepEqual(answers, oracle.answers(at), `${iso(at)} ${JSON.stringify(lot)}`);
      }
    }
  }
});

Deno.test("random hours: hours around opening, closing, midnight and clock changes are those of the oracle, to the second", async () => {
  for (const { start, subjects, lots } of groups) {
    const moments = lots.flatMap((subject) =>
      Array.from({ length: 30 }, () => ({ id: subject.id, at: iso(hinge(start, subject)) }))
    );
    const rows = await db.sql`
      select m.at, h.*
      from jsonb_to_recordset(${db.sql.json(moments)}) as m (id uuid, at timestamptz)
      cross join lateral private.hours_at(array[m.id], m.at) as h`;
    assert.equal(rows.length, moments.length);
    for (const { at, parking_lot_id, ...answers } of rows) {
      const { lot, oracle } = subjects.get(parking_lot_id)!;
      assert.deepEqual(answers, oracle.answers(at.getTime()), `${at.toISOString()} ${JSON.stringify(lot)}`);
    }
  }
});

Deno.test("random hours: the next change is the first minute at which the oracle's result changes", async () => {
  for (const { start, subjects, lots } of groups) {
    const moments = lots.flatMap((subject) =>
      [within(start), hinge(start, subject)].map((at) => ({ id: subject.id, at: iso(at) }))
    );
    const rows = await db.sql`
      select m.id, m.at, c.*
      from jsonb_to_recordset(${db.sql.json(moments)}) as m (id uuid, at timestamptz)
      cross join lateral private.next_changes(m.id, m.at) as c`;
    assert.equal(rows.length, moments.length);
    for (const { id, at, ...changes } of rows) {
      const { lot, oracle } = subjects.get(id)!;
      for (const answer of ANSWERS) {
        const change = time(changes[`${answer}_changes_at`]);
        assert.equal(
          iso(change),
          iso(oracle.nextChange(answer, at.getTime())),
          `${answer} after ${iso(at)} ${JSON.stringify(lot)}`,
        );
      }
    }
  }
});

Deno.test("random hours: a planned stay has the oracle's restrictions, and the first exit when the car is locked in", async () => {
  let lockedIn = 0;
  for (const { start, ids, subjects } of groups) {
    for (let n = 0; n < 8; n++) {
      const entry = within(start);
      const exit = entry + random.pick([0, 45, 9 * 60, 30 * 60, 5 * 24 * 60]) * MINUTE;
      const rows = await db.sql`select * from private.planned_stays(${ids}, ${iso(entry)}, ${iso(exit)})`;
      assert.equal(rows.length, ids.length);
      for (const { parking_lot_id, next_exit_at, entry_at, exit_at, ...stay } of rows) {
        const { lot, oracle } = subjects.get(parking_lot_id)!;
        const [before, after] = [oracle.answers(entry), oracle.answers(exit)];
        const locked = after.can_exit === null ? null : !after.can_exit;
        const message = `${iso(entry)} to ${iso(exit)} ${JSON.stringify(lot)}`;
        assert.deepEqual(stay, {
          is_open_at_entry: before.is_open,
          can_enter_at: before.can_enter,
          can_exit_at: after.can_exit,
          locked_in: locked,
        }, message);
        assert.deepEqual([time(entry_at), time(exit_at)], [entry, exit]);
        const wayOut = locked ? oracle.next("can_exit", exit, (value) => value === true) : null;
        assert.equal(iso(time(next_exit_at)), iso(wayOut), message);
        if (locked) lockedIn++;
      }
    }
  }
  assert.ok(lockedIn > sets, `only ${lockedIn} stays were locked in`);
});
