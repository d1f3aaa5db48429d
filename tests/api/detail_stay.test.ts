// What the detail says of hours and of a planned stay, against the worked examples, the evaluator and calc-fee.
import assert from "node:assert/strict";
import postgres from "postgres";
import { LotDetail } from "../../supabase/functions/_shared/schema/lot_detail.ts";
import { readParkingLot } from "../../supabase/functions/parking-lots/detail.ts";
import type { LotHours } from "../oracles/hours.ts";
import { addLots } from "../support/hours.ts";
import { Random, randomLot } from "../support/random_hours.ts";
import { newLot } from "../support/rows.ts";
import { stack } from "../support/stack.ts";
import { ask, jsonBody, query, replyOf } from "./client.ts";

interface Case extends Omit<LotHours, "date_overrides"> {
  readonly id: string;
  readonly at: string;
  readonly date_overrides?: LotHours["date_overrides"];
  readonly expect: { is_open: boolean | null; can_enter: boolean | null; can_exit: boolean | null };
}

const cases: Case[] = JSON.parse(
  await Deno.readTextFile(new URL("../cases/hours-cases.json", import.meta.url)),
);
const sql = postgres(stack().dbUrl, { max: 1, onnotice: () => {} });
const mine: string[] = [];
Deno.test.afterAll(async () => {
  await sql`delete from public.parking_lots where id = any (${mine})`;
  await sql.end();
});

async function add(lots: readonly LotHours[]): Promise<string[]> {
  const ids = await addLots(sql, lots);
  mine.push(...ids);
  return ids;
}

const detail = async (lot: string, values: Record<string, unknown>) =>
  await replyOf(readParkingLot, await ask(`/parking-lots/${lot}${query(values)}`), LotDetail);
const moment = (text: string | null) => text === null ? null : new Date(text);

Deno.test("detail stay: a planned stay of zero length gives the result of every worked example of hours", async () => {
  const ids = await add(cases.map((example) => ({ ...example, date_overrides: example.date_overrides ?? [] })));
  for (const [n, { id, at, expect }] of cases.entries()) {
    const { planned_stay: stay } = await detail(ids[n]!, { entry_at: at, exit_at: at });
    assert.deepEqual(
      { is_open: stay!.is_open_at_entry, can_enter: stay!.can_enter_at, can_exit: stay!.can_exit_at },
      expect,
      id,
    );
  }
});

Deno.test("detail stay: the current state and its end are those of the evaluator", async () => {
  const random = new Random(7);
  const ids = await add(Array.from({ length: 40 }, () => randomLot(random, "Asia/Tokyo", ["2026-01-01"])));
  const evaluated = async (lot: string) => {
    const [row] = await sql`
      select h.is_open, h.can_enter, h.can_exit, n.is_open_changes_at, n.can_enter_changes_at, n.can_exit_changes_at
      from private.hours_at(array[${lot}::uuid], now()) h, private.next_changes(${lot}, now()) n`;
    return { ...row! };
  };
  const answers = new Set<unknown>();
  for (const lot of ids) {
    const before = await evaluated(lot);
    const { is_open_now, derived, next_change_at } = await detail(lot, {});
    const after = await evaluated(lot);
    assert.equal(is_open_now, derived.is_open_now);
    const returned = {
      is_open: derived.is_open_now,
      can_enter: derived.can_enter_now,
      can_exit: derived.can_exit_now,
      is_open_changes_at: moment(next_change_at.is_open_now),
      can_enter_changes_at: moment(next_change_at.can_enter_now),
      can_exit_changes_at: moment(next_change_at.can_exit_now),
    };
    // A minute may turn between the questions.
    assert.deepEqual(returned, JSON.stringify(returned) === JSON.stringify(before) ? before : after);
    answers.add(is_open_now);
  }
  assert.deepEqual(answers, new Set([true, false, null]));
});

Deno.test("detail stay: a planned stay has the evaluator's restrictions, and the first exit when the car is locked in", async () => {
  const random = new Random(11);
  const ids = await add(
    Array.from({ length: 30 }, () => randomLot(random, "Asia/Tokyo", ["2026-09-21", "2026-09-22"])),
  );
  let lockedIn = 0;
  for (const lot of ids) {
    const entry = Date.UTC(2026, 8, 18) + random.integer(0, 7 * 24 * 60) * 60_000;
    const [entry_at, exit_at] = [entry, entry + random.integer(0, 1440) * 60_000]
      .map((at) => new Date(at).toISOString());
    const { vehicle_type, fee, fee_refusal, ...stay } = (await detail(lot, { entry_at, exit_at })).planned_stay!;
    const [row] = await sql`
      select * from private.planned_stays(array[${lot}::uuid], ${entry_at!}, ${exit_at!})`;
    const { parking_lot_id: _, ...expected } = row!;
    const times = {
      entry_at: moment(stay.entry_at),
      exit_at: moment(stay.exit_at),
      next_exit_at: moment(stay.next_exit_at),
    };
    assert.deepEqual({ ...stay, ...times }, { ...expected, holiday_calendar_unknown: false });
    assert.deepEqual([vehicle_type, fee, fee_refusal], ["standard", null, { code: "fee_unknown", reason: "no_rules" }]);
    if (stay.locked_in) lockedIn++;
  }
  assert.ok(lockedIn > 0, "no stay was locked in");
});

Deno.test("detail stay: the first and the last allowed moment have an answer", async () => {
  const [id] = await sql<{ id: string }[]>`
    select l.id from public.parking_lots l join public.pricing_rules r on r.parking_lot_id = l.id
    where l.source = 'seed' and l.status = 'active' and r.cap_type = 'day' limit 1`;
  for (
    const [entry_at, exit_at] of [["2000-01-01T00:00:00Z", "2000-01-01T00:30:00Z"], [
      "2099-12-31T23:00:00Z",
      "2099-12-31T23:59:59Z",
    ]]
  ) {
    const { planned_stay } = await detail(id!.id, { entry_at, exit_at });
    assert.deepEqual([moment(planned_stay!.entry_at), moment(planned_stay!.exit_at)], [
      moment(entry_at!),
      moment(exit_at!),
    ]);
    assert.ok(planned_stay!.fee!.total_amount > 0);
  }
});

Deno.test("detail stay: the fee of a planned stay, or why it is not known, is the answer of calc-fee", async () => {
  const lots = await sql<{ id: string }[]>`
    select l.id from public.parking_lots l
    where l.source = 'seed' and l.status = 'active' order by l.external_id limit 30`;
  assert.equal(lots.length, 30);
  // Priced by day alone, for cars alone: some stays have no price.
  for (let n = 0; n < 10; n++) {
    const id = await newLot(sql);
    mine.push(id);
    await sql`
      with cars as (
        insert into public.pricing_groups (parking_lot_id, code, name, is_default, vehicle_types)
        values (${id}, 'cars', 'Cars', true, '{standard}')
      )
      insert into public.pricing_rules (parking_lot_id, category, time_start, time_end, per_minutes, price_minor)
      values (${id}, 'time_band', '08:00', '20:00', 30, 200)`;
    lots.push({ id });
  }
  const random = new Random(13);
  const reasons = new Set<string | undefined>();
  for (const { id } of lots) {
    const entry = Date.UTC(2026, 8, 18) + random.integer(0, 7 * 24 * 60) * 60_000;
    const args = {
      entry_at: new Date(entry).toISOString(),
      exit_at: new Date(entry + random.integer(0, 3000) * 60_000).toISOString(),
      vehicle_type: random.pick(["standard", "motorcycle"]),
    };
    const { fee, fee_refusal, vehicle_type } = (await detail(id, args)).planned_stay!;
    const response = await ask(`/parking-lots/${id}/calc-fee`, { method: "POST", ...jsonBody(args) });
    const answer = await response.json();
    assert.equal(vehicle_type, args.vehicle_type);
    if (response.status === 200) {
      assert.deepEqual([fee, fee_refusal], [answer, null]);
    } else {
      assert.deepEqual([fee, fee_refusal], [null, { code: answer.error.code, ...answer.error.details }]);
    }
    reasons.add(fee_refusal?.reason);
  }
  assert.deepEqual(reasons, new Set([undefined, "no_rate", "vehicle_type_not_priced"]));
});
