// Sets of a lot as the console replaces them: what is rejected and where, what the triggers write, and the fee of rules that
// are not stored.
import assert from "node:assert/strict";
import type { Rule } from "../oracles/fees.ts";
import { workedExamples } from "../support/cases.ts";
import { database } from "../support/database.ts";
import { newAdministrator } from "../support/activities.ts";
import { recordedActs } from "../support/acts.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";
import { newLot } from "../support/rows.ts";
import { type FeeAnswer, seedLots } from "./support/fees.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const administrator = await newAdministrator(db.sql);

type Json = string | number | boolean | null | undefined | readonly Json[] | { readonly [field: string]: Json };
type Row = Record<string, Json> & { id: string };
type Lot = Record<string, Row[]> & { updated_at: string };

async function call<Reply>(name: string, args: Record<string, Json>): Promise<Reply> {
  const names = Object.keys(args).filter((key) => args[key] !== undefined);
  const list = names.map((key, n) => `p_${key} => $${n + 2}`).join(", ");
  const [row] = await db.as(
    { role: "service_role" },
    (sql) =>
      sql.unsafe<{ reply: Reply }[]>(`select to_jsonb(api.admin_${name}($1, ${list})) as reply`, [
        administrator,
        ...names.map((key) => args[key] as never),
      ]),
  );
  return row!.reply;
}

const put = (lot: string, set: string, items: Json) =>
  call<Lot>("put_parking_lot_set", { parking_lot_id: lot, set, items });

const acts = (lot: string) => recordedActs(db.sql, { target_id: lot }, ["action", "changes"]);

const other = await newLot(db.sql);
const [foreign] = (await put(other, "spots", [{ code: "X" }]))["spots"]!;
const band = { category: "time_band", per_minutes: 30, price_minor: 100 };
const cap = { category: "cap", cap_type: "day", cap_price_minor: 900 };
const daytime = { time_start: "08:00", time_end: "22:00" };
const always = { window_type: "business", is_24h: true };
const day = { override_date: "2026-12-31" };
const unknownId = crypto.randomUUID();

/** Items that cannot be stored or evaluated, and the place that is named. */
const WRONG: [set: string, items: Json, param: string][] = [
  ["spots", {}, "spots"],
  ["spots", ["A"], "spots.0"],
  ["spots", Array(1001).fill({ code: "A" }), "spots"],
  ["spots", [{ code: "A" }, { is_reservable: true }], "spots.1.code"],
  ["spots", [{ code: "A" }, { code: "A" }], "spots.1.code"],
  ["spots", [{ code: "A" }, { code: "A\u200b" }], "spots.1.code"],
  ["spots", [{ code: "A", is_ev_charger: null }], "spots.0.is_ev_charger"],
  ["spots", [{ code: "A", ev_connector_type: "hose" }], "spots.0.ev_connector_type"],
  ["spots", [{ code: "A", id: "1" }], "spots.0.id"],
  ["spots", [{ code: "A", id: foreign!.id }], "spots.0.id"],
  ["spots", [{ code: "A", parking_lot_id: other }], "spots.0.parking_lot_id"],
  ["pricing_groups", [{ code: "a", name: "A", vehicle_types: [] }], "pricing_groups.0.vehicle_types"],
  ["pricing_groups", [{ code: "a", name: "A", vehicle_types: ["ufo"] }], "pricing_groups.0.vehicle_types"],
  ["pricing_groups", [{ code: "a", name: "A", vehicle_types: ["bus", "bus"] }], "pricing_groups.0.vehicle_types"],
  [
    "pricing_groups",
    [{ code: "a", name: "A", is_default: true }, { code: "b", name: "B", is_default: true }],
    "pricing_groups.1.is_default",
  ],
  ["pricing_groups", [{ code: "a" }], "pricing_groups.0.name"],
  ["pricing_rules", [band, band, band, { ...band, time_start: "8:00" }], "pricing_rules.3.time_start"],
  ["pricing_rules", [{ ...band, time_start: "08:00" }], "pricing_rules.0.time_end"],
  ["pricing_rules", [{ ...band, time_end: "08:00" }], "pricing_rules.0.time_start"],
  ["pricing_rules", [{ ...band, time_start: "24:00", time_end: "08:00" }], "pricing_rules.0.time_start"],
  ["pricing_rules", [{ ...band, category: "gift" }], "pricing_rules.0.category"],
  ["pricing_rules", [{ ...band, effective_from: "1 Oct" }], "pricing_rules.0.effective_from"],
  ["pricing_rules", [{ ...band, effective_from: "0000-01-01" }], "pricing_rules.0.effective_from"],
  [
    "pricing_rules",
    [band, { ...band, effective_from: "2026-10-02", effective_to: "2026-10-01" }],
    "pricing_rules.1.effective_to",
  ],
  [
    "pricing_rules",
    [{ ...band, effective_to: "2026-10-01" }, { ...band, per_minutes: 60, effective_from: "2026-10-01" }],
    "pricing_rules.1.effective_from",
  ],
  [
    "pricing_rules",
    [band, cap, { ...cap, effective_to: "2026-10-01" }, { ...cap, effective_from: "2026-09-01" }],
    "pricing_rules.3.effective_from",
  ],
  [
    "pricing_rules",
    [{ ...band, effective_to: "2026-09-30" }, band, { ...band, effective_from: "2026-10-01" }],
    "pricing_rules.2.category",
  ],
  [
    "date_overrides",
    [{ ...day, pricing: [{ ...band, effective_from: "2026-10-01" }] }],
    "date_overrides.0.pricing.0.effective_from",
  ],
  ["pricing_groups", [{ code: "a", name: "A", free_while_closed: null }], "pricing_groups.0.free_while_closed"],
  ["pricing_rules", [{ price_minor: 1 }], "pricing_rules.0.category"],
  ["pricing_rules", [{ ...band, per_minutes: 0 }], "pricing_rules.0.per_minutes"],
  ["pricing_rules", [{ category: "time_band", price_minor: 1 }], "pricing_rules.0.per_minutes"],
  ["pricing_rules", [{ category: "initial", per_minutes: 1 }], "pricing_rules.0.price_minor"],
  ["pricing_rules", [{ category: "flat", price_minor: 1, per_minutes: 1 }], "pricing_rules.0.per_minutes"],
  ["pricing_rules", [band, { category: "grace", per_minutes: 5, price_minor: 1 }], "pricing_rules.1.price_minor"],
  [
    "pricing_rules",
    [band, { category: "cap", price_minor: 1, cap_type: "day", cap_price_minor: 1 }],
    "pricing_rules.1.price_minor",
  ],
  ["pricing_rules", [band, { category: "cap", cap_price_minor: 1 }], "pricing_rules.1.cap_type"],
  ["pricing_rules", [band, { category: "cap", cap_type: "day" }], "pricing_rules.1.cap_price_minor"],
  ["pricing_rules", [band, { category: "cap" }], "pricing_rules.1.cap_type"],
  [
    "pricing_rules",
    [band, { category: "cap", cap_type: "duration", cap_price_minor: 1 }],
    "pricing_rules.1.cap_duration_hours",
  ],
  [
    "pricing_rules",
    [band, { category: "cap", cap_type: "day", cap_price_minor: 1, cap_duration_hours: 1 }],
    "pricing_rules.1.cap_duration_hours",
  ],
  [
    "pricing_rules",
    [band, { category: "cap", cap_type: "duration", cap_price_minor: 1, cap_duration_hours: 1e-12 }],
    "pricing_rules.1.cap_duration_hours",
  ],
  ["pricing_rules", [band, { category: "cap", cap_type: "band", cap_price_minor: 1 }], "pricing_rules.1.time_start"],
  ["pricing_rules", [{ ...band, cap_repeat: true }], "pricing_rules.0.cap_repeat"],
  [
    "pricing_rules",
    [{ category: "initial", per_minutes: 1, price_minor: 1, cap_type: "day", cap_price_minor: 1 }],
    "pricing_rules.0.cap_type",
  ],
  ["pricing_rules", [{ ...band, day_type: "monday" }], "pricing_rules.0.day_type"],
  ["pricing_rules", [{ ...band, pricing_group_id: unknownId }], "pricing_rules.0.pricing_group_id"],
  // The first holds at all times; the second never begins.
  ["pricing_rules", [band, { ...band, time_start: "08:00", time_end: "20:00" }], "pricing_rules.1.category"],
  ["pricing_rules", [band, { ...band, max_units: 4 }], "pricing_rules.1.max_units"],
  [
    "pricing_rules",
    [band, { ...band, ...daytime, category: "flat", per_minutes: null, max_units: 4 }],
    "pricing_rules.1.max_units",
  ],
  ["pricing_rules", [{ ...band, ...daytime, max_units: 0 }], "pricing_rules.0.max_units"],
  ["pricing_rules", [{ ...band, ...daytime, max_units: 1001 }], "pricing_rules.0.max_units"],
  ["pricing_rules", [{ ...band, ...daytime, max_units: 1.5 }], "pricing_rules.0.max_units"],
  ["date_overrides", [{ ...day, pricing: [{ ...band, max_units: 4 }] }], "date_overrides.0.pricing.0.max_units"],
  // After the counted units the second counts, and the third never.
  ["pricing_rules", [{ ...band, ...daytime, max_units: 4 }, band, { ...band, ...daytime }], "pricing_rules.2.category"],
  // Twenty rates follow the first.
  ["pricing_rules", Array(22).fill({ ...band, ...daytime, max_units: 1 }), "pricing_rules.21.category"],
  ["windows", [{ is_24h: true }], "windows.0.window_type"],
  ["windows", [{ window_type: "business" }], "windows.0.open_time"],
  ["windows", [{ window_type: "business", open_time: "08:00" }], "windows.0.close_time"],
  ["windows", [{ window_type: "business", close_time: "08:00" }], "windows.0.open_time"],
  ["windows", [{ window_type: "business", open_time: "24:00", close_time: "08:00" }], "windows.0.open_time"],
  ["windows", [{ ...always, is_closed: true }], "windows.0.is_closed"],
  ["windows", [{ ...always, open_time: "08:00", close_time: "09:00" }], "windows.0.open_time"],
  [
    "windows",
    [always, { ...always, effective_from: "2026-02-01", effective_to: "2026-01-31" }],
    "windows.1.effective_to",
  ],
  ["windows", [{ ...always, effective_from: "2026-02-30" }], "windows.0.effective_from"],
  ["windows", [{ ...always, day_type: "weekday", day_of_week: 0 }], "windows.0.day_of_week"],
  ["windows", [{ ...always, day_type: "saturday", day_of_week: 5 }], "windows.0.day_of_week"],
  ["windows", [always, { window_type: "business", day_type: "all", is_closed: true }], "windows.1.is_closed"],
  ["date_overrides", [day, day], "date_overrides.1.override_date"],
  ["date_overrides", [{ label: "x" }], "date_overrides.0.override_date"],
  ["date_overrides", [{ ...day, label: "" }], "date_overrides.0.label"],
  ["date_overrides", [{ ...day, hours: [] }], "date_overrides.0.hours"],
  ["date_overrides", [{ ...day, hours: { lunch: [] } }], "date_overrides.0.hours.lunch"],
  ["date_overrides", [{ ...day, hours: { is_24h: true, is_closed: true } }], "date_overrides.0.hours.is_closed"],
  ["date_overrides", [{ ...day, hours: { entry: {} } }], "date_overrides.0.hours.entry"],
  [
    "date_overrides",
    [{ ...day, hours: { entry: [{ is_24h: true }, { open_time: "08:00" }] } }],
    "date_overrides.0.hours.entry.1",
  ],
  [
    "date_overrides",
    [{ ...day, hours: { entry: [{ open_time: "08:00", close_time: "9:00" }] } }],
    "date_overrides.0.hours.entry.0.close_time",
  ],
  [
    "date_overrides",
    [{ ...day, hours: { entry: [{ is_24h: true }, { is_closed: true }] } }],
    "date_overrides.0.hours.entry",
  ],
  ["date_overrides", [{ ...day, pricing: {} }], "date_overrides.0.pricing"],
  [
    "date_overrides",
    [{ ...day, pricing: [band, { ...band, time_start: "25:00" }] }],
    "date_overrides.0.pricing.1.time_start",
  ],
  [
    "date_overrides",
    [{ ...day, pricing: [{ ...band, pricing_group_id: null }] }],
    "date_overrides.0.pricing.0.pricing_group_id",
  ],
  ["tags", [{ tag_id: unknownId }], "tags.0.tag_id"],
  ["tags", [{}], "tags.0.tag_id"],
  ["images", [{ asset_id: unknownId }], "images.0.asset_id"],
  [
    "images",
    [{ asset_id: unknownId, is_main: true }, { asset_id: crypto.randomUUID(), is_main: true }],
    "images.1.is_main",
  ],
];

for (const [n, [set, items, param]] of WRONG.entries()) {
  Deno.test(`lot sets: ${set} (wrong set ${n}) is rejected by ${param}, and nothing is stored`, async () => {
    const lot = await newLot(db.sql);
    const version = () => db.sql`select xmin::text, updated_at from public.parking_lots where id = ${lot}`;
    const [before] = await version();
    const { code, status, param: named, message } = await errorOf(put(lot, set, items));
    assert.deepEqual({ code, status, named }, { code: "validation_error", status: 422, named: param });
    assert.match(message, /^\w.*\.$/);
    assert.deepEqual((await version())[0], before);
    assert.deepEqual(await acts(lot), []);
  });
}

Deno.test("lot sets: texts are stored without what cannot be seen", async () => {
  const lot = await newLot(db.sql);
  const { spots } = await put(lot, "spots", [{ code: "A\u200b-1" }, { code: "葛\u{e0100}" }]);
  assert.deepEqual(spots!.map(({ code }) => code).sort(), ["A-1", "葛\u{e0100}"]);
});

Deno.test("lot sets: a rule with its own days or hours may follow one for all times", async () => {
  const lot = await newLot(db.sql);
  await put(lot, "pricing_rules", [{ ...band, time_start: "08:00", time_end: "20:00" }, band]);
  await put(lot, "pricing_rules", [band, { ...band, day_type: "sunday", price_minor: 200 }]);
});

Deno.test("lot sets: rates for the same hours and dates may follow one with max_units, each as it was written", async () => {
  const lot = await newLot(db.sql);
  const dates = { ...daytime, effective_from: "2026-08-01" };
  const rules = [
    { ...band, ...dates, max_units: 1 },
    { ...band, ...dates, max_units: 4 },
    { category: "flat", price_minor: 130, ...dates },
  ];
  const stored = (await put(lot, "pricing_rules", rules))["pricing_rules"]!;
  assert.deepEqual(stored.map(({ max_units }) => max_units), [1, 4, null]);
});

Deno.test("lot sets: rules with dates that do not overlap, or with a usual price after them, are stored with their dates", async () => {
  const lot = await newLot(db.sql);
  const rules = [
    { ...band, effective_from: "2026-08-01", effective_to: "2026-08-31" },
    { ...band, price_minor: 200, effective_from: "2026-09-01" },
    { ...band, price_minor: 300 },
    { ...cap, day_type: "saturday", effective_to: "2026-08-31" },
    { ...cap, day_type: "sunday", effective_to: "2026-09-30" },
  ];
  const stored = (await put(lot, "pricing_rules", rules))["pricing_rules"]!;
  assert.deepEqual(stored.map(({ effective_from, effective_to }) => [effective_from, effective_to]), [
    ["2026-08-01", "2026-08-31"],
    ["2026-09-01", null],
    [null, null],
    [null, "2026-08-31"],
    [null, "2026-09-30"],
  ]);
  const [group] =
    (await put(lot, "pricing_groups", [{ code: "all", name: "All", is_default: true, free_while_closed: true }]))[
      "pricing_groups"
    ]!;
  assert.equal(group!["free_while_closed"], true);
});

Deno.test("lot sets: rows keep their ids: of items with an id, with the same code or date, or with the same fields", async () => {
  const lot = await newLot(db.sql);
  const ids = async (set: string, items: Json) => (await put(lot, set, items))[set]!.map(({ id }) => id);
  const spots = await ids("spots", [{ code: "A" }, { code: "B" }]);
  assert.deepEqual(await ids("spots", [{ code: "A", is_reservable: true }, { code: "B" }]), spots);
  // Two that exchange their codes.
  assert.deepEqual(
    await ids("spots", [{ id: spots[1]!, code: "A" }, { id: spots[0]!, code: "B" }]),
    spots.toReversed(),
  );
  const groups = await ids("pricing_groups", [{ code: "a", name: "A", is_default: true }, { code: "b", name: "B" }]);
  assert.deepEqual(
    await ids("pricing_groups", [
      { id: groups[0]!, code: "b", name: "A" },
      { id: groups[1]!, code: "a", name: "B", is_default: true },
    ]),
    groups.toReversed(),
  );
  const rules = await ids("pricing_rules", [band, { ...band, day_type: "sunday" }]);
  assert.deepEqual(await ids("pricing_rules", [band, { ...band, day_type: "sunday" }]), rules);
  const [changed, kept] = await ids("pricing_rules", [
    { ...band, id: rules[0]!, price_minor: 150 },
    { ...band, day_type: "sunday", rule_order: 2 },
  ]);
  assert.deepEqual([changed, kept], rules);
  const chosen = crypto.randomUUID();
  assert.deepEqual(await ids("windows", [{ ...always, id: chosen }]), [chosen]);
  assert.deepEqual(await ids("windows", [always]), [chosen]);
  const overrides = await ids("date_overrides", [{ ...day, label: "New Year's Eve" }]);
  assert.deepEqual(await ids("date_overrides", [{ ...day, hours: { is_closed: true } }]), overrides);
});

Deno.test("lot sets: a group with rules cannot be removed", async () => {
  const lot = await newLot(db.sql);
  const [group] = (await put(lot, "pricing_groups", [{ code: "a", name: "A" }]))["pricing_groups"]!;
  await put(lot, "pricing_rules", [{ ...band, pricing_group_id: group!.id }]);
  const { code, status, details } = await errorOf(put(lot, "pricing_groups", []));
  assert.deepEqual([code, status, details], ["conflict", 409, { reason: "pricing_group_in_use" }]);
  await put(lot, "pricing_rules", []);
  assert.deepEqual((await put(lot, "pricing_groups", []))["pricing_groups"], []);
});

const [tag] = await db.sql<{ id: string }[]>`select id from public.tags where slug = 'covered'`;
const [file] = await db.sql<{ id: string }[]>`
  insert into public.assets (storage_key, category) values ('lots/test.jpg', 'parking_lot') returning id`;

/** Of each set many items, and then others. */
const SETS: Record<string, [Json[], Json[]]> = {
  spots: [Array.from({ length: 300 }, (_, n) => ({ code: `A${n}`, is_ev_charger: true })), [{ code: "A0" }]],
  pricing_groups: [[{ code: "a", name: "A" }, { code: "b", name: "B" }], [{ code: "a", name: "C", is_default: true }]],
  pricing_rules: [
    Array.from({ length: 24 }, (_, n) => ({
      ...band,
      time_start: `${n}`.padStart(2, "0") + ":00",
      time_end: `${n + 1}`.padStart(2, "0") + ":00",
    })),
    [band],
  ],
  windows: [Array.from({ length: 7 }, (_, n) => ({ ...always, day_of_week: n })), [always]],
  date_overrides: [
    Array.from({ length: 28 }, (_, n) => ({ override_date: `2027-02-${n + 1}`.replace(/-(\d)$/, "-0$1") })),
    [
      { ...day, pricing: [band] },
    ],
  ],
  tags: [[{ tag_id: tag!.id }], [{ tag_id: tag!.id, state: false }]],
  images: [[{ asset_id: file!.id, is_main: true }], []],
};

for (const [set, versions] of Object.entries(SETS)) {
  Deno.test(`lot sets: ${set}: one act with the old and the new set, a new updated_at, a few writes of the search entry`, async () => {
    const lot = await newLot(db.sql);
    await db.sql`
      create or replace function private.count_entry() returns trigger language plpgsql as
        $$ begin insert into public.entry_writes values (new.parking_lot_id); return null; end $$`;
    await db.sql`create table if not exists public.entry_writes (lot uuid)`;
    await db.sql`grant all on public.entry_writes to service_role`;
    await db.sql`
      create or replace trigger count after insert or update on private.search_entries
      for each row execute function private.count_entry()`;
    let [before, old] = ["", [] as Json];
    for (const items of versions) {
      await db.sql`truncate public.entry_writes`;
      const reply = await put(lot, set, items);
      assert.equal(reply[set]!.length, items.length);
      assert.ok(reply.updated_at > before);
      before = reply.updated_at;
      const { action, changes } = (await acts(lot)).at(-1)!;
      assert.equal(action, "parking_lot.update");
      assert.deepEqual(Object.keys(changes), [set]);
      const change = changes[set] as { old: Json; new: Json[] };
      assert.deepEqual(change.old, old);
      assert.equal(change.new.length, items.length);
      old = change.new;
      const [{ n: writes } = { n: -1 }] = await db.sql<{ n: number }[]>`
        select count(*)::integer as n from public.entry_writes where lot = ${lot}`;
      assert.ok(writes >= 0 && writes <= 4, `${writes} writes`);
      // Again: nothing changes, nothing is recorded.
      const count = (await acts(lot)).length;
      const again = await put(lot, set, items);
      assert.deepEqual([again.updated_at, again[set]], [reply.updated_at, reply[set]]);
      assert.equal((await acts(lot)).length, count);
      // The same with the ids that were read, as a console sends it.
      const read = (change.new as Record<string, Json>[]).map((row) => ({ ...row }));
      assert.equal((await put(lot, set, read)).updated_at, reply.updated_at);
    }
    // The search entry equals a new derivation.
    const [stored] = await db.sql`select to_jsonb(e) as e from private.search_entries e where parking_lot_id = ${lot}`;
    await db.sql`delete from private.search_entries where parking_lot_id = ${lot}`;
    await db.sql`select private.refresh_tariffs(array[${lot}::uuid]), private.refresh_lot_facts(array[${lot}::uuid])`;
    await db.sql`select private.refresh_search_entries(array[${lot}::uuid])`;
    const [made] = await db.sql`select to_jsonb(e) as e from private.search_entries e where parking_lot_id = ${lot}`;
    const sorted = (row: { e?: { terms: string[] } } | undefined) => ({ ...row!.e, terms: row!.e!.terms.toSorted() });
    assert.deepEqual(sorted(stored), sorted(made));
  });
}

interface Example {
  readonly id: string;
  readonly time_zone: string;
  readonly rules: readonly Rule[];
  readonly date_overrides?: { override_date: string; pricing: Rule[] | null }[];
  readonly entry_at: string;
  readonly exit_at: string;
  readonly vehicle_type: string;
}

/** The answer, or what fee_unknown says. */
async function outcome(calls: Promise<unknown>): Promise<unknown> {
  try {
    return await calls;
  } catch {
    const { code, details } = await errorOf(calls);
    return { code, details };
  }
}

const examples = workedExamples<Example[]>("fee-cases.json");
/** Breakdowns name rules by their ids. */
const given = (rules: readonly Rule[]) => rules.map((rule) => ({ ...rule, id: crypto.randomUUID() }));

for (const example of examples) {
  Deno.test(`preview-fee: ${example.id}: the result of calc-fee once the same rules are stored, and nothing is stored`, async () => {
    const [lot] = await seedLots(db.sql, [{
      time_zone: example.time_zone,
      rules: [{ ...band, rule_order: 1 }] as never,
    }]);
    const state = () =>
      db.sql`
        select to_jsonb(l) as lot, l.xmin::text as version, private.console_lot_json(l.id) as whole,
          (select jsonb_agg(to_jsonb(t)) from private.tariffs t where t.parking_lot_id = l.id) as tariffs,
          (select to_jsonb(e) from private.search_entries e where e.parking_lot_id = l.id) as entry,
          (select count(*)::integer from private.lot_change_queue q where q.parking_lot_id = l.id) as changes
        from public.parking_lots l where id = ${lot!}`;
    const before = await state();
    const { entry_at, exit_at, vehicle_type } = example;
    const pricing_rules = given(example.rules) as unknown as Json;
    const date_overrides = (example.date_overrides ?? []) as unknown as Json;
    const preview = await outcome(
      call("preview_parking_lot_fee", {
        parking_lot_id: lot!,
        entry_at,
        exit_at,
        vehicle_type,
        pricing_rules,
        date_overrides,
      }),
    );
    assert.deepEqual(await state(), before);
    assert.deepEqual(await acts(lot!), []);
    await put(lot!, "pricing_rules", pricing_rules);
    await put(lot!, "date_overrides", date_overrides);
    const fee = await outcome(db.as({ role: "anon" }, async (sql) => {
      const [row] = await sql<{ fee: FeeAnswer }[]>`
        select api.calculate_fee(${lot!}, ${entry_at}::text::timestamptz, ${exit_at}::text::timestamptz, ${vehicle_type})::jsonb as fee`;
      return row!.fee;
    }));
    assert.deepEqual(preview, fee);
  });
}

Deno.test("preview-fee: a group and its rules of one request, and no lock is left", async () => {
  const lot = await newLot(db.sql, { status: "draft" });
  const id = crypto.randomUUID();
  await db.as({ role: "service_role" }, async (sql) => {
    const [row] = await sql<{ fee: FeeAnswer }[]>`
      select api.admin_preview_parking_lot_fee(${administrator}, ${lot}, '2026-06-03T12:00+09', '2026-06-03T13:00+09', 'bus',
        p_pricing_groups => ${sql.json([{ id, code: "bus", name: "Bus", vehicle_types: ["bus"] }])},
        p_pricing_rules => ${sql.json([{ ...band, pricing_group_id: id, price_minor: 900 }])}) as fee`;
    assert.equal(row!.fee.total_amount, 1800);
    // The transaction goes on; another one changes the lot at once.
    await db.sql.begin(async (another) => {
      await another`set local lock_timeout = '1s'`;
      await another`update public.parking_lots set name = 'Not locked' where id = ${lot}`;
    });
  });
  const wrong = await errorOf(call("preview_parking_lot_fee", {
    parking_lot_id: lot,
    entry_at: "2026-06-03T12:00:00+09:00",
    exit_at: "2026-06-03T13:00:00+09:00",
    pricing_rules: [{ ...band, per_minutes: 0 }],
  }));
  assert.equal(wrong.param, "pricing_rules.0.per_minutes");
});

Deno.test("lot sets: the record of a change has its reason, and a reason alone changes nothing", async () => {
  const lot = await newLot(db.sql);
  const change = (items: Json, reason: Json) =>
    call<Lot>("put_parking_lot_set", { parking_lot_id: lot, set: "pricing_rules", items, reason });
  await change([band], "  The sign was photographed.  ");
  await change([{ ...band, id: undefined }], "Again");
  await change([], " ");
  const reasons = (await acts(lot)).map(({ changes }) => [Object.keys(changes).toSorted(), changes["reason"]]);
  assert.deepEqual(reasons, [[["pricing_rules", "reason"], "The sign was photographed."], [[
    "pricing_rules",
  ], undefined]]);
  assert.equal((await errorOf(change([band], "x".repeat(501)))).param, "reason");
});

Deno.test("lot sets: only the service may call the functions, on behalf of an administrator of lots", async () => {
  const lot = await newLot(db.sql);
  const calls = db.as(
    { role: "authenticated", sub: administrator },
    (sql) => sql`select api.admin_put_parking_lot_set(${administrator}, ${lot}, 'spots', '[]')`,
  );
  assert.equal(await sqlstate(calls), "42501");
  const unknown = db.as(
    { role: "service_role" },
    (sql) => sql`select api.admin_put_parking_lot_set(${crypto.randomUUID()}, ${lot}, 'nonsense', '1')`,
  );
  assert.equal((await errorOf(unknown)).code, "forbidden");
});
