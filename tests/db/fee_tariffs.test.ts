// Compiled price lists and the hour price follow the rules after every change.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { seedLots, stayFees } from "./support/fees.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const NOON = { entry_at: "2026-06-03T12:00:00+09:00", exit_at: "2026-06-03T13:00:00+09:00" };
const hourly = (price_minor: number) => ({ category: "time_band" as const, per_minutes: 60, price_minor });

async function newLot(...rules: ReturnType<typeof hourly>[]): Promise<string> {
  return (await seedLots(db.sql, [{ rules }]))[0]!;
}
async function hourPrice(lot: string): Promise<number | null> {
  const [row] = await db.sql<{ hour_price: number | null }[]>`
    select hour_price from public.parking_lots where id = ${lot}`;
  return row!.hour_price;
}
const priceOf = async (lot: string, vehicle_type = "standard") =>
  (await stayFees(db.sql, [{ lot, vehicle_type, ...NOON }]))[0];

interface Group {
  code: string;
  is_default?: boolean;
  display_order?: number;
  vehicle_types?: string[];
}
async function newGroup(lot: string, group: Group, price_minor?: number): Promise<string> {
  const [row] = await db.sql<{ id: string }[]>`
    insert into public.pricing_groups ${db.sql({ parking_lot_id: lot, name: group.code, ...group })} returning id`;
  if (price_minor !== undefined) {
    const rule = { ...hourly(price_minor), parking_lot_id: lot, pricing_group_id: row!.id };
    await db.sql`insert into public.pricing_rules ${db.sql(rule)}`;
  }
  return row!.id;
}

Deno.test("fee tariffs: a rule's insert, update and delete change the price at once", async () => {
  const lot = await newLot(hourly(300));
  assert.deepEqual([await priceOf(lot), await hourPrice(lot)], [300, 300]);
  await db.sql`update public.pricing_rules set price_minor = 400 where parking_lot_id = ${lot}`;
  assert.deepEqual([await priceOf(lot), await hourPrice(lot)], [400, 400]);
  await db.sql`insert into public.pricing_rules ${
    db.sql({ category: "cap", cap_type: "stay", cap_price_minor: 150, parking_lot_id: lot, rule_order: 1 })
  }`;
  assert.deepEqual([await priceOf(lot), await hourPrice(lot)], [150, 150]);
  await db.sql`delete from public.pricing_rules where parking_lot_id = ${lot}`;
  assert.deepEqual([await priceOf(lot), await hourPrice(lot)], ["no_rules", null]);
});

Deno.test("fee tariffs: a rule that moves to another lot changes both", async () => {
  const [from, to] = [await newLot(hourly(300)), await newLot()];
  await db.sql`update public.pricing_rules set parking_lot_id = ${to} where parking_lot_id = ${from}`;
  assert.deepEqual([await hourPrice(from), await hourPrice(to)], [null, 300]);
});

Deno.test("fee tariffs: a lot without rules has no hour price, and one whose rules leave a gap at noon has none", async () => {
  assert.equal(await hourPrice(await newLot()), null);
  const [night] = await seedLots(db.sql, [{ rules: [{ ...hourly(100), time_start: "20:00", time_end: "08:00" }] }]);
  assert.equal(await hourPrice(night!), null);
});

Deno.test("fee tariffs: the hour price is that of an ordinary Wednesday, for any time zone, overrides and holidays", async () => {
  const rules = [
    { ...hourly(500), day_type: "weekday", rule_order: 1 },
    { ...hourly(900), day_type: "holiday", rule_order: 2 },
    { ...hourly(700), day_type: "saturday", rule_order: 3 },
  ];
  const date_overrides = [{ override_date: "2026-06-03", pricing: [hourly(9000)] }];
  const lots = await seedLots(db.sql, [
    { rules, date_overrides },
    { rules, time_zone: "Pacific/Auckland" },
    { rules: [{ ...hourly(200), time_start: "12:00", time_end: "13:00" }], time_zone: "America/New_York" },
  ]);
  assert.deepEqual(await Promise.all(lots.map(hourPrice)), [500, 500, 200]);
});

Deno.test("fee tariffs: a price beyond the range of integer gives no hour price, and its rule can be stored", async () => {
  const lot = await newLot({ ...hourly(2_000_000_000), per_minutes: 1 });
  assert.equal(await hourPrice(lot), null);
  assert.equal(await priceOf(lot), 120_000_000_000);
});

Deno.test("fee tariffs: the group that names a vehicle prices it, of several the one that is shown first", async () => {
  const lot = await newLot(hourly(300));
  await newGroup(lot, { code: "late", vehicle_types: ["motorcycle"], display_order: 2 }, 90);
  await newGroup(lot, { code: "early", vehicle_types: ["moped", "motorcycle"], display_order: 1 }, 80);
  assert.deepEqual([await priceOf(lot, "motorcycle"), await priceOf(lot, "moped"), await priceOf(lot)], [80, 80, 300]);
});

Deno.test("fee tariffs: each group counts the units of its own rules", async () => {
  const band = { time_start: "08:00", time_end: "22:00" };
  const [lot] = await seedLots(db.sql, [{
    rules: [{ ...hourly(300), ...band, max_units: 1, rule_order: -1 }, hourly(100)],
  }]) as [
    string,
  ];
  const group = await newGroup(lot, { code: "small", vehicle_types: ["kei"] }, 50);
  const step = { ...hourly(200), ...band, max_units: 2, rule_order: -1, parking_lot_id: lot, pricing_group_id: group };
  await db.sql`insert into public.pricing_rules ${db.sql(step)}`;
  const stay = { lot, ...NOON, exit_at: "2026-06-03T16:00:00+09:00" };
  assert.deepEqual(
    await stayFees(db.sql, ["standard", "kei"].map((vehicle_type) => ({ ...stay, vehicle_type }))),
    [300 + 3 * 100, 2 * 200 + 2 * 50],
  );
});

Deno.test("fee tariffs: rules of no group are the default group's, and a group without vehicles prices none", async () => {
  const lot = await newLot(hourly(300));
  await newGroup(lot, { code: "default", is_default: true }, 100);
  await newGroup(lot, { code: "nobody" }, 10);
  await db.sql`
    update public.pricing_rules set rule_order = -1 where parking_lot_id = ${lot} and pricing_group_id is null`;
  assert.equal(await priceOf(lot), 300);
  await db
    .sql`update public.pricing_rules set rule_order = 1 where parking_lot_id = ${lot} and pricing_group_id is null`;
  assert.equal(await priceOf(lot), 100);
});

Deno.test("fee tariffs: the rules of the default group and of no group are listed as one list, before those of other groups", async () => {
  const [lot] = await seedLots(db.sql, [{ rules: [{ ...hourly(2), rule_order: 2 }] }]) as [string];
  await newGroup(lot, { code: "large", display_order: -1, vehicle_types: ["truck"] }, 4);
  const group = await newGroup(lot, { code: "all", is_default: true, display_order: 5 }, 1);
  await db.sql`insert into public.pricing_rules ${
    db.sql({ ...hourly(3), rule_order: 3, parking_lot_id: lot, pricing_group_id: group })
  }`;
  const [row] = await db.sql<
    { rules: { price_minor: number }[] }[]
  >`select private.pricing_rules_json(${lot}) as rules`;
  assert.deepEqual(row!.rules.map(({ price_minor }) => price_minor), [1, 2, 3, 4]);
});

Deno.test("fee tariffs: a default group that names other vehicles prices no standard car", async () => {
  const lot = await newLot();
  await newGroup(lot, { code: "bikes", is_default: true, vehicle_types: ["motorcycle"] }, 100);
  assert.deepEqual([await priceOf(lot, "motorcycle"), await priceOf(lot)], [100, "vehicle_type_not_priced"]);
  assert.equal(await hourPrice(lot), null);
});

Deno.test("fee tariffs: a group that names a vehicle and has no rules leaves it without a price", async () => {
  const lot = await newLot(hourly(300));
  await newGroup(lot, { code: "trucks", vehicle_types: ["truck"] });
  assert.deepEqual([await priceOf(lot, "truck"), await priceOf(lot)], ["no_rules", 300]);
});

Deno.test("fee tariffs: a change of a group changes prices at once: its vehicles, its order, its end", async () => {
  const lot = await newLot(hourly(300));
  const group = await newGroup(lot, { code: "small", vehicle_types: ["kei"] }, 200);
  assert.deepEqual([await priceOf(lot, "kei"), await hourPrice(lot)], [200, 300]);
  await db.sql`update public.pricing_groups set vehicle_types = '{kei,standard}' where id = ${group}`;
  assert.deepEqual([await priceOf(lot, "kei"), await hourPrice(lot)], [200, 200]);
  await db.sql`delete from public.pricing_groups where id = ${group}`;
  assert.deepEqual([await priceOf(lot, "kei"), await hourPrice(lot)], [300, 300]);
});

Deno.test("fee tariffs: a date's own prices are those of every vehicle", async () => {
  const [lot] = await seedLots(db.sql, [{
    rules: [hourly(300)],
    date_overrides: [{ override_date: "2026-06-03", pricing: [hourly(1000)] }],
  }]);
  await newGroup(lot!, { code: "bikes", vehicle_types: ["motorcycle"] }, 50);
  assert.deepEqual([await priceOf(lot!), await priceOf(lot!, "motorcycle")], [1000, 1000]);
});

Deno.test("fee tariffs: deleting a lot deletes its compiled lists", async () => {
  const lot = await newLot(hourly(300));
  await db.sql`delete from public.parking_lots where id = ${lot}`;
  assert.equal((await db.sql`select from private.tariffs where parking_lot_id = ${lot}`).count, 0);
});

Deno.test("fee tariffs: the compiled lists equal a full recompilation, also after a truncate", async () => {
  const stale = () =>
    db.sql`
      (select * from private.compiled_tariffs((select array_agg(id) from public.parking_lots))
        where not (is_default and vehicle_types is null and (tariff).rule_ids is null)
       except select parking_lot_id, place, is_default, vehicle_types, tariff from private.tariffs)
      union all
      (select parking_lot_id, place, is_default, vehicle_types, tariff from private.tariffs
       except select * from private.compiled_tariffs((select array_agg(id) from public.parking_lots)))`;
  assert.ok((await db.sql`select from private.tariffs`).count > 10);
  assert.equal((await stale()).count, 0);
  await db.sql.begin(async (sql) => {
    await sql`truncate public.pricing_rules`;
    const [left] = await sql<{ tariffs: number; prices: number }[]>`
      select (select count(*)::integer from private.tariffs where (tariff).rule_ids is not null) as tariffs,
        (select count(hour_price)::integer from public.parking_lots) as prices`;
    assert.deepEqual({ ...left }, { tariffs: 0, prices: 0 });
    throw new Error("undo");
  }).catch((error: Error) => assert.equal(error.message, "undo"));
});

Deno.test("fee tariffs: two writers of one lot's rules at the same time leave a list with both", async () => {
  const lot = await newLot(hourly(300));
  const written = Promise.withResolvers<void>();
  const isWaited = Promise.withResolvers<void>();
  const first = db.sql.begin(async (sql) => {
    await sql`insert into public.pricing_rules ${
      sql({ category: "cap", cap_type: "stay", cap_price_minor: 250, parking_lot_id: lot })
    }`;
    written.resolve();
    await isWaited.promise;
  });
  await written.promise;
  const second = db.sql`insert into public.pricing_rules ${
    db.sql({ category: "initial", per_minutes: 30, price_minor: 0, parking_lot_id: lot })
  }`.execute();
  await eventually(async () => {
    const waiting = await db.sql`
      select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    return waiting.count > 0 || undefined;
  }).finally(isWaited.resolve);
  await Promise.all([first, second]);
  const [row] = await db.sql<{ rules: number }[]>`
    select cardinality((tariff).rule_ids) as rules from private.tariffs where parking_lot_id = ${lot}`;
  assert.equal(row!.rules, 3);
  assert.equal(await priceOf(lot), 250);
});
