// Lots whose public holidays are not known: every response about a stay names that, and a part of a country has the country's.
import assert from "node:assert/strict";
import type { z } from "zod";
import { LotDetail } from "../../supabase/functions/_shared/schema/lot_detail.ts";
import { NearbyParkingLots } from "../../supabase/functions/_shared/schema/parking_lots.ts";
import { FoundLots } from "../../supabase/functions/_shared/schema/search.ts";
import { calculateFee } from "../../supabase/functions/parking-lots/fee.ts";
import { readParkingLot } from "../../supabase/functions/parking-lots/detail.ts";
import { nearbyParkingLots } from "../../supabase/functions/parking-lots/nearby.ts";
import { searchParkingLots } from "../../supabase/functions/parking-lots/search.ts";
import { Fee } from "../../supabase/functions/_shared/schema/fees.ts";
import { newLot } from "../support/rows.ts";
import { signUp } from "../support/people.ts";
import { ask, bearer, jsonBody, query, replyOf } from "./client.ts";
import { inDatabase } from "./lots.ts";
import { inMinutes, post } from "./sessions.ts";

const NOTE = "holiday_calendar_unknown";
/** Where only these lots are. */
const center = { lat: -51.7, lng: -61.3 };
const STAY = { entry_at: "2027-05-03T10:00:00+09:00", exit_at: "2027-05-03T12:00:00+09:00" };

interface Kind {
  readonly calendar: string;
  readonly price?: boolean;
  readonly hours?: boolean;
  /** What planned_stay has. */
  readonly isUnknown: boolean;
  readonly amount: number;
}
const KINDS: Record<string, Kind> = {
  "prices for holidays in a calendar without days": { calendar: "ZX", price: true, isUnknown: true, amount: 200 },
  "hours for holidays in a calendar without days": { calendar: "ZX", hours: true, isUnknown: true, amount: 200 },
  "nothing for holidays in a calendar without days": { calendar: "ZX", isUnknown: false, amount: 200 },
  // 3 May is Constitution Memorial Day.
  "prices for holidays in a part of Japan": { calendar: "JP-13", price: true, isUnknown: false, amount: 1000 },
};
const lots = new Map<string, string>();

Deno.test.beforeAll(() =>
  inDatabase(async (sql) => {
    for (const [name, { calendar, price, hours }] of Object.entries(KINDS)) {
      const id = await newLot(sql, { ...center, name, holiday_calendar: calendar });
      lots.set(name, id);
      const rules = [["weekday", 100], ["saturday", 100], ["sunday", 100], ...price ? [["holiday", 500]] : []];
      for (const [day_type, price_minor] of rules) {
        await sql`
          insert into public.pricing_rules (parking_lot_id, category, day_type, per_minutes, price_minor)
          values (${id}, 'time_band', ${day_type!}, 60, ${price_minor!})`;
      }
      for (const day_type of ["all", ...hours ? ["holiday"] : []]) {
        await sql`
          insert into public.parking_lot_windows (parking_lot_id, window_type, day_type, open_time, close_time)
          values (${id}, 'business', ${day_type}, '08:00', '20:00')`;
      }
    }
  })
);
Deno.test.afterAll(async () => {
  await inDatabase((sql) =>
    sql`update public.parking_lots set status = 'closed' where id = any (${[...lots.values()]})`
  );
});

const expected = Object.entries(KINDS).map(([name, { isUnknown }]) => [name, isUnknown]);
type Listed = { readonly name: string; readonly planned_stay?: { readonly holiday_calendar_unknown: boolean } | null };
const listed = (items: readonly Listed[]) =>
  expected.map(([name]) => [name, items.find((item) => item.name === name)?.planned_stay?.holiday_calendar_unknown]);

Deno.test("nearby: planned_stay has holiday_calendar_unknown for hours and prices of unknown holidays, in every order", async () => {
  for (const sort of ["distance", "price", "recommended"]) {
    const reply = await ask(`/parking-lots/nearby${query({ ...center, radius_m: 500, filters: STAY, sort })}`);
    assert.deepEqual(listed(await replyOf(nearbyParkingLots, reply, NearbyParkingLots)), expected, sort);
  }
});

Deno.test("parking-lots: planned_stay of a search has holiday_calendar_unknown, in GeoJSON and lines too", async () => {
  const path = `/parking-lots${query({ center, radius_m: 500, ...STAY })}`;
  const { items } = await replyOf(searchParkingLots, await ask(path), FoundLots);
  assert.deepEqual(listed(items as Listed[]), expected);
  for (const accept of ["application/geo+json", "application/x-ndjson"]) {
    const text = await (await ask(path, { headers: { accept } })).text();
    assert.equal(text.match(/"holiday_calendar_unknown":true/g)?.length, 2, accept);
    assert.equal(text.match(/"holiday_calendar_unknown":false/g)?.length, 2, accept);
  }
});

for (const [name, { price, isUnknown, amount }] of Object.entries(KINDS)) {
  Deno.test(`detail and calc-fee: a lot with ${name} has the amount ${amount}, ${isUnknown ? "and names that they are" : "not"} unknown`, async () => {
    const id = lots.get(name)!;
    const { planned_stay } = await replyOf(readParkingLot, await ask(`/parking-lots/${id}${query(STAY)}`), LotDetail);
    const calculated = await replyOf(
      calculateFee,
      await ask(`/parking-lots/${id}/calc-fee`, { method: "POST", ...jsonBody(STAY) }),
      Fee,
    );
    assert.deepEqual(planned_stay!.holiday_calendar_unknown, isUnknown);
    assert.deepEqual(calculated.total_amount, amount);
    for (const fee of [planned_stay!.fee as z.output<typeof Fee>, calculated]) {
      assert.equal(fee.breakdown.notes.includes(NOTE), isUnknown && price === true);
    }
  });
}

Deno.test("codes: holiday_calendar_unknown has a text in both languages", async () => {
  for (const [lang, text] of [["ja", /祝日が不明/], ["en", /holidays are unknown/]] as const) {
    const reply = await ask(`/codes${query({ lang })}`);
    assert.match(await reply.text(), text);
  }
});

Deno.test("sessions: the meter and the receipt of a lot with prices for unknown holidays have the note, those of another have not", async () => {
  for (const [name, { price, isUnknown }] of Object.entries(KINDS)) {
    const { token } = await signUp();
    const started = await post("", token, { parking_lot_id: lots.get(name)!, client_request_id: crypto.randomUUID() });
    assert.equal(started.status, 201, await started.clone().text());
    const { session_id } = await started.json();
    const current = await (await ask("/me/parking-sessions/current", { headers: bearer(token) })).json();
    assert.equal(current.meter.notes.includes(NOTE), isUnknown && price === true, name);
    await inDatabase((sql) =>
      sql`update public.parking_sessions set started_at = now() - interval '2 hours' where id = ${session_id}`
    );
    const ended = await post(`/${session_id}/finalize`, token, { exit_at: inMinutes(0) });
    assert.equal(ended.status, 200, await ended.clone().text());
    const { breakdown } = await (await ask(`/me/parking-sessions/${session_id}`, { headers: bearer(token) })).json();
    assert.equal(breakdown.notes.includes(NOTE), isUnknown && price === true, name);
  }
});
