import assert from "node:assert/strict";
import postgres from "postgres";
import { Fee, PricingRules } from "../../supabase/functions/_shared/schema/fees.ts";
import { NearbyParkingLots } from "../../supabase/functions/_shared/schema/parking_lots.ts";
import { nearbyParkingLots } from "../../supabase/functions/parking-lots/nearby.ts";
import { FoundLots } from "../../supabase/functions/_shared/schema/search.ts";
import { searchParkingLots } from "../../supabase/functions/parking-lots/search.ts";
import { LotDetail } from "../../supabase/functions/_shared/schema/lot_detail.ts";
import { readParkingLot } from "../../supabase/functions/parking-lots/detail.ts";
import { calculateFee } from "../../supabase/functions/parking-lots/fee.ts";
import { listPricingRules } from "../../supabase/functions/parking-lots/pricing_rules.ts";
import { seedLots } from "../db/support/fees.ts";
import type { Rule } from "../oracles/fees.ts";
import { workedExamples } from "../support/cases.ts";
import { signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { newLot } from "../support/rows.ts";
import { stack } from "../support/stack.ts";
import { ask, bearer, jsonBody, query, replyOf } from "./client.ts";

interface Example {
  readonly id: string;
  readonly why: string;
  readonly time_zone: string;
  readonly rules: readonly Rule[];
  readonly date_overrides?: { override_date: string; pricing: Rule[] | null }[];
  readonly entry_at: string;
  readonly exit_at: string;
  readonly vehicle_type: string;
  readonly expect: { readonly total_amount?: number; readonly at_least?: number; readonly at_most?: number };
}

const sql = postgres(stack().dbUrl, { max: 1, onnotice: () => {} });
const examples = [
  ...workedExamples<Example[]>("fee-cases.json"),
  ...workedExamples<Example[]>("fee-total-cases.json"),
];
const lots = await seedLots(sql, examples);
const [lot, hidden] = await seedLots(sql, [
  {
    rules: [
      {
        category: "time_band",
        rule_order: 1,
        time_start: "08:00",
        time_end: "24:00",
        per_minutes: 20,
        price_minor: 100,
      },
      { category: "cap", rule_order: 2, cap_type: "duration", cap_duration_hours: 1.5, cap_price_minor: 300 },
    ],
  },
  { rules: [{ category: "flat", price_minor: 100 }] },
]);
await sql`update public.parking_lots set status = 'suspended' where id = ${hidden!}`;
Deno.test.afterAll(async () => {
  await sql`delete from public.parking_lots where id = any (${[...lots, lot!, hidden!]})`;
  await sql.end();
});

const question = (body: unknown, headers: Record<string, string> = {}) => ({
  method: "POST",
  ...jsonBody(body, headers),
});
const place = (id: string) => `/parking-lots/${id}/calc-fee`;
const june = (time: string) => `2026-06-01T${time}+09:00`;
const stay = { entry_at: june("10:00:00"), exit_at: june("11:00:00") };

for (const [n, { id, why, entry_at, exit_at, vehicle_type, expect }] of examples.entries()) {
  Deno.test(`fees: ${id} through the gateway: ${why}`, async () => {
    const response = await ask(place(lots[n]!), question({ entry_at, exit_at, vehicle_type }));
    if (expect.total_amount === undefined) {
      const { error } = await response.clone().json();
      await assertError(response, { code: "fee_unknown" });
      assert.deepEqual([error.details.at_least, error.details.at_most], [expect.at_least, expect.at_most]);
      return;
    }
    const fee = await replyOf(calculateFee, response, Fee);
    assert.equal(fee.total_amount, expect.total_amount);
    assert.equal(fee.breakdown.lines.reduce((sum, { amount }) => sum + amount, 0), fee.total_amount);
  });
}

Deno.test("fees: anonymous and authenticated users get the same fee; the default vehicle type is standard", async () => {
  const { token } = await signUp();
  const anonymous = await replyOf(calculateFee, await ask(place(lot!), question(stay)), Fee);
  const user = await replyOf(calculateFee, await ask(place(lot!), question(stay, bearer(token))), Fee);
  assert.deepEqual(user, anonymous);
  assert.deepEqual([anonymous.total_amount, anonymous.breakdown.vehicle_type], [300, "standard"]);
});

Deno.test("fees: an unknown fee is an error with the reason and the gap", async () => {
  const response = await ask(place(lot!), question({ entry_at: june("00:30:00"), exit_at: june("01:00:00") }));
  const { error } = await response.clone().json();
  await assertError(response, { code: "fee_unknown" });
  assert.deepEqual(error.details, { reason: "no_rate", from: june("00:30:00"), until: june("08:00:00") });
});

Deno.test("fees: where only sums are published, calc-fee, detail, nearby and search have the same bounds", async () => {
  const [id] = await seedLots(sql, [{
    rules: [60, 120].map((per_minutes) => ({
      category: "published_total" as const,
      per_minutes,
      price_minor: 5 * per_minutes,
    })),
  }]);
  lots.push(id!);
  await sql`update public.parking_lots set lat = -41.5, lng = 168.5 where id = ${id!}`;
  const stay = { entry_at: june("10:00:00"), exit_at: june("11:30:00") };
  const refusal = { code: "fee_unknown", reason: "only_totals", at_least: 300, at_most: 600, currency: "JPY" };
  const { error } = await (await ask(place(id!), question(stay))).json();
  assert.deepEqual({ code: error.code, ...error.details }, refusal);
  const detail = await replyOf(readParkingLot, await ask(`/parking-lots/${id}${query(stay)}`), LotDetail);
  assert.deepEqual([detail.planned_stay?.fee, detail.planned_stay?.fee_refusal], [null, refusal]);
  const near = async (max_price: number) => {
    const filters = { ...stay, max_price };
    const response = await ask(`/parking-lots/nearby${query({ lat: -41.5, lng: 168.5, radius_m: 100, filters })}`);
    return (await replyOf(nearbyParkingLots, response, NearbyParkingLots)).map((lot) => lot.fee_refusal);
  };
  assert.deepEqual([await near(600), await near(599)], [[refusal], []]);
  const { items } = await replyOf(
    searchParkingLots,
    await ask(`/parking-lots${query({ ids: id, ...stay })}`),
    FoundLots,
  );
  assert.deepEqual(items.map((item) => "deleted" in item ? null : item.fee_refusal), [refusal]);
});

Deno.test("fees: a lot that is not public or does not exist is 404", async () => {
  for (const id of [hidden!, crypto.randomUUID()]) {
    await assertError(await ask(place(id), question(stay)), { code: "lot_not_found" });
    await assertError(await ask(`/parking-lots/${id}/pricing-rules`), { code: "lot_not_found" });
  }
});

Deno.test("fees: a suspended user is rejected", async () => {
  const { id, token } = await signUp();
  await sql`update public.app_users set status = 'suspended' where id = ${id}`;
  await assertError(await ask(place(lot!), question(stay, bearer(token))), { code: "forbidden" });
  const rules = await ask(`/parking-lots/${lot}/pricing-rules`, { headers: bearer(token) });
  await assertError(rules, { code: "forbidden" });
});

const wrong: [what: string, body: unknown, param: string][] = [
  ["no entry", { exit_at: stay.exit_at }, "entry_at"],
  ["no exit", { entry_at: stay.entry_at }, "exit_at"],
  ["an entry before 2000", { ...stay, entry_at: "1999-12-31T23:59:59Z" }, "entry_at"],
  ["an exit after 2099", { ...stay, exit_at: "2100-01-01T00:00:00Z" }, "exit_at"],
  ["an offset that no clock has", { ...stay, entry_at: "2026-06-01T10:00:00+16:00" }, "entry_at"],
  ["an entry without an offset", { ...stay, entry_at: "2026-06-01T10:00:00" }, "entry_at"],
  ["an exit that is no time", { ...stay, exit_at: "noon" }, "exit_at"],
  ["an exit on a day that does not exist", { ...stay, exit_at: "2026-06-31T10:00:00Z" }, "exit_at"],
  ["an exit before the entry", { ...stay, exit_at: june("09:59:59") }, "exit_at"],
  ["a stay of more than 366 days", { ...stay, exit_at: "2027-06-02T10:00:01+09:00" }, "exit_at"],
  ["an unknown vehicle type", { ...stay, vehicle_type: "submarine" }, "vehicle_type"],
  ["an empty vehicle type", { ...stay, vehicle_type: "" }, "vehicle_type"],
  ["a vehicle type that is no text", { ...stay, vehicle_type: 5 }, "vehicle_type"],
];
for (const [what, body, param] of wrong) {
  Deno.test(`fees: ${what} is a validation error of ${param}`, async () => {
    await assertError(await ask(place(lot!), question(body)), { code: "validation_error", param });
  });
}

Deno.test("fees: an invalid lot id is a validation error", async () => {
  await assertError(await ask(place("1"), question(stay)), { code: "validation_error", param: "id" });
  await assertError(await ask("/parking-lots/1/pricing-rules"), { code: "validation_error", param: "id" });
});

Deno.test("fees: the pricing rules of a lot come in their order and unchanged", async () => {
  const { items, next_cursor } = await replyOf(
    listPricingRules,
    await ask(`/parking-lots/${lot}/pricing-rules`),
    PricingRules,
  );
  assert.equal(next_cursor, null);
  const none = {
    parking_lot_id: lot!,
    pricing_group_id: null,
    day_type: null,
    effective_from: null,
    effective_to: null,
    max_units: null,
  };
  assert.deepEqual(items.map(({ id: _, ...rule }) => rule), [
    {
      ...none,
      category: "time_band",
      rule_order: 1,
      time_start: "08:00",
      time_end: "24:00",
      per_minutes: 20,
      price_minor: 100,
      cap_type: null,
      cap_duration_hours: null,
      cap_price_minor: null,
      cap_repeat: null,
    },
    {
      ...none,
      category: "cap",
      rule_order: 2,
      time_start: null,
      time_end: null,
      per_minutes: null,
      price_minor: null,
      cap_type: "duration",
      cap_duration_hours: 1.5,
      cap_price_minor: 300,
      cap_repeat: null,
    },
  ]);
});

Deno.test("pricing-rules: pages add up to the rules of the detail, group by group, and total counts them", async () => {
  const many = await newLot(sql, { name: "Many rules", lat: 35.2, lng: 139.2 });
  const groups = await sql<{ id: string }[]>`
    insert into public.pricing_groups (parking_lot_id, code, name, is_default, display_order, vehicle_types)
    values (${many}, 'd', 'd', true, 9, null), (${many}, 'b', 'b', false, 1, '{kei}'), (${many}, 'a', 'a', false, 0, '{large}')
    returning id`;
  for (const group of [null, ...groups.map(({ id }) => id)]) {
    for (const order of [-1, 1, 1, 2]) {
      await sql`
        insert into public.pricing_rules (parking_lot_id, pricing_group_id, category, rule_order, per_minutes, price_minor)
        values (${many}, ${group}, 'time_band', ${order}, 30, 100)`;
    }
  }
  const list = async (query: string) =>
    await replyOf(listPricingRules, await ask(`/parking-lots/${many}/pricing-rules?${query}`), PricingRules);
  const whole = await list("limit=100&include=total");
  assert.deepEqual([whole.items.length, whole.total, whole.next_cursor], [16, 16, null]);
  const paged = [];
  for (let cursor = "";;) {
    const { items, next_cursor } = await list(`limit=3${cursor}`);
    paged.push(...items);
    if (next_cursor === null) break;
    cursor = `&cursor=${next_cursor}`;
  }
  assert.deepEqual(paged, whole.items);
  const detail = await (await ask(`/parking-lots/${many}`)).json();
  assert.deepEqual(detail.pricing_rules, whole.items);
  await sql`delete from public.parking_lots where id = ${many}`;
});
