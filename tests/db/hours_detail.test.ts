import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { addLots } from "../support/hours.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const everyDay = {
  time_zone: "Asia/Tokyo",
  windows: [{ window_type: "business", is_24h: true }],
  date_overrides: [],
} as const;
type Lots = { parking_lot_id: string }[];
const AT = "2026-06-01T12:00:00+09:00";

Deno.test("hours: a lot that is not public has no row for anonymous and authenticated users, and has one for the service", async () => {
  const [open, closed] = await addLots(db.sql, [{ ...everyDay, windows: [...everyDay.windows], date_overrides: [] }, {
    ...everyDay,
    windows: [...everyDay.windows],
    date_overrides: [{ override_date: "2026-06-01", hours: { is_closed: true } }],
  }]);
  await db.sql`update public.parking_lots set status = 'suspended' where id = ${closed!}`;
  for (const role of ["anon", "authenticated", "service_role"] as const) {
    const visible = role === "service_role" ? [open, closed].sort() : [open];
    await db.as({ role, sub: crypto.randomUUID() }, async (sql) => {
      const ids = (rows: Lots) => [...rows].map((row) => row.parking_lot_id).sort();
      assert.deepEqual(
        ids(await sql<Lots>`select parking_lot_id from private.hours_at(${[open!, closed!]}, ${AT})`),
        visible,
      );
      assert.deepEqual(
        ids(await sql<Lots>`select parking_lot_id from private.planned_stays(${[open!, closed!]}, ${AT}, ${AT})`),
        visible,
      );
      const changes = await sql`select * from private.next_changes(${closed!}, ${AT})`;
      assert.equal(changes.length, role === "service_role" ? 1 : 0);
      const [detail] = await sql`
        select private.hours_json(${closed!}) as hours, private.date_overrides_json(${closed!}) as overrides`;
      assert.equal(detail!.hours.windows.length, role === "service_role" ? 1 : 0);
      assert.equal(detail!.overrides.length, role === "service_role" ? 1 : 0);
    });
  }
});

Deno.test("hours: a lot requested twice has one row, one that does not exist has none", async () => {
  const [id] = await addLots(db.sql, [{ ...everyDay, windows: [], date_overrides: [] }]);
  const rows = await db.sql`select * from private.hours_at(${[id!, id!, crypto.randomUUID()]}, ${AT})`;
  assert.deepEqual([...rows], [{ parking_lot_id: id, is_open: null, can_enter: null, can_exit: null }]);
  assert.equal((await db.sql`select * from private.hours_at('{}', ${AT})`).length, 0);
});

Deno.test("hours: lots of different time zones are evaluated by their own clocks in one call", async () => {
  const hours = {
    windows: [{ window_type: "business" as const, open_time: "08:00", close_time: "20:00" }],
    date_overrides: [],
  };
  const ids = await addLots(db.sql, [{ ...hours, time_zone: "Asia/Tokyo" }, { ...hours, time_zone: "Europe/Zurich" }, {
    ...hours,
    time_zone: "Pacific/Kiritimati",
  }, { ...hours, time_zone: "Pacific/Pago_Pago" }]);
  const rows = await db.sql`select * from private.hours_at(${ids}, ${"2026-06-01T19:30:00Z"})`;
  const open = new Map(rows.map((row) => [row.parking_lot_id, row.is_open]));
  assert.deepEqual(ids.map((id) => open.get(id)), [false, false, true, true]);
});

Deno.test("hours: the next change is null when it is more than 14 days ahead, and found on the fourteenth day", async () => {
  const [never, late, tooLate] = await addLots(db.sql, [
    {
      ...everyDay,
      windows: [{ window_type: "business", open_time: "00:00", close_time: "00:00" }],
      date_overrides: [],
    },
    {
      ...everyDay,
      windows: [...everyDay.windows],
      date_overrides: [{ override_date: "2026-06-15", hours: { entry: [] } }],
    },
    {
      ...everyDay,
      windows: [...everyDay.windows],
      date_overrides: [{ override_date: "2026-06-16", hours: { entry: [] } }],
    },
  ]);
  const changes = async (id: string) => [
    ...await db.sql`
      select is_open_changes_at, can_enter_changes_at, can_exit_changes_at from private.next_changes(${id}, ${AT})`,
  ];
  const none = { is_open_changes_at: null, can_enter_changes_at: null, can_exit_changes_at: null };
  assert.deepEqual(await changes(never!), [none]);
  assert.deepEqual(await changes(late!), [{ ...none, can_enter_changes_at: new Date("2026-06-15T00:00:00+09:00") }]);
  assert.deepEqual(await changes(tooLate!), [none]);
});

Deno.test("hours: hours that end with a date end at its first midnight, where clocks skip midnight or reach it twice", async () => {
  const until = (time_zone: string, effective_to: string) => ({
    time_zone,
    windows: [{ window_type: "business" as const, open_time: "08:00", close_time: "20:00", effective_to }],
    date_overrides: [],
  });
  const ends = [
    { lot: until("America/Havana", "2026-10-31"), at: "2026-10-31T22:00:00-04:00", end: "2026-11-01T00:00:00-04:00" },
    { lot: until("Asia/Beirut", "2026-10-24"), at: "2026-10-24T21:00:00+03:00", end: "2026-10-25T00:00:00+02:00" },
    { lot: until("Asia/Beirut", "2026-03-28"), at: "2026-03-28T21:00:00+02:00", end: "2026-03-29T01:00:00+03:00" },
  ];
  const ids = await addLots(db.sql, ends.map((end) => end.lot));
  for (const [n, { at, end }] of ends.entries()) {
    const [changes] = await db.sql`select is_open_changes_at from private.next_changes(${ids[n]!}, ${at})`;
    assert.deepEqual(changes, { is_open_changes_at: new Date(end) });
    const [after] = await db.sql`select is_open from private.hours_at(${[ids[n]!]}, ${end})`;
    assert.deepEqual(after, { is_open: null });
  }
});

Deno.test("hours: an exit period that a clock change removes is not returned", async () => {
  const [id] = await addLots(db.sql, [{
    time_zone: "Europe/Zurich",
    windows: [{ window_type: "exit", open_time: "02:10", close_time: "03:05" }],
    date_overrides: [],
  }]);
  const [stay] = await db.sql`
    select locked_in, next_exit_at
    from private.planned_stays(${[id!]}, ${"2026-03-28T12:00:00+01:00"}, ${"2026-03-28T12:00:00+01:00"})`;
  assert.deepEqual(stay, { locked_in: true, next_exit_at: new Date("2026-03-30T02:10:00+02:00") });
});

Deno.test("hours: the first exit is returned only when the car is locked in, and only within 14 days", async () => {
  const closedUntil = (date: string) => ({
    ...everyDay,
    windows: [
      { window_type: "business" as const, is_24h: true },
      { window_type: "exit" as const, is_closed: true },
      {
        window_type: "exit" as const,
        open_time: "09:00",
        close_time: "10:00",
        effective_from: date,
        effective_to: date,
        day_of_week: 1,
      },
    ],
    date_overrides: [],
  });
  const ids = await addLots(db.sql, [closedUntil("2026-06-15"), closedUntil("2026-06-22"), {
    ...everyDay,
    windows: [...everyDay.windows],
    date_overrides: [],
  }]);
  const rows = await db.sql`select * from private.planned_stays(${ids}, ${AT}, ${AT})`;
  const stays = new Map(rows.map((row) => [row.parking_lot_id, [row.locked_in, row.next_exit_at]]));
  assert.deepEqual(ids.map((id) => stays.get(id)), [[true, new Date("2026-06-15T09:00:00+09:00")], [true, null], [
    false,
    null,
  ]]);
});

Deno.test("hours: the detail's hours list every window with the specification's keys, and the business ones in the older form", async () => {
  const [id, bare] = await addLots(db.sql, [{
    time_zone: "Asia/Tokyo",
    windows: [
      { window_type: "after_hours_exit", open_time: "22:00", close_time: "24:00", is_24h: false, is_closed: false },
      { window_type: "business", day_type: "sunday", is_closed: true },
      {
        window_type: "business",
        day_type: "weekday",
        open_time: "07:30",
        close_time: "22:00",
        effective_from: "2026-04-01",
      },
      { window_type: "business", day_of_week: 6, is_24h: true, effective_to: "2026-12-31" },
    ],
    date_overrides: [],
  }, { time_zone: "Asia/Tokyo", windows: [], date_overrides: [] }]);
  const [row] = await db.sql`select private.hours_json(${id!}) as hours, private.hours_json(${bare!}) as bare`;
  const blank = { day_type: null, day_of_week: null, is_24h: null, is_closed: null, open_time: null, close_time: null };
  const open = { effective_from: null, effective_to: null };
  const { windows, legacy_business } = row!.hours;
  for (const window of windows) {
    assert.match(window.id, /^[0-9a-f-]{36}$/);
    delete window.id;
  }
  assert.deepEqual(windows, [
    { ...blank, ...open, window_type: "business", day_type: "sunday", is_closed: true },
    { ...blank, ...open, window_type: "business", day_of_week: 6, is_24h: true, effective_to: "2026-12-31" },
    {
      ...blank,
      ...open,
      window_type: "business",
      day_type: "weekday",
      open_time: "07:30",
      close_time: "22:00",
      effective_from: "2026-04-01",
    },
    {
      ...blank,
      ...open,
      window_type: "after_hours_exit",
      is_24h: false,
      is_closed: false,
      open_time: "22:00",
      close_time: "24:00",
    },
  ]);
  assert.deepEqual(legacy_business, [
    { day_type: "sunday", open_time: null, close_time: null, is_24h: null },
    { day_type: null, open_time: null, close_time: null, is_24h: true },
    { day_type: "weekday", open_time: "07:30", close_time: "22:00", is_24h: null },
  ]);
  assert.deepEqual(row!.bare, { windows: [], legacy_business: [] });
});

Deno.test("hours: the detail's date overrides are the lot's, by date, with the specification's keys", async () => {
  const hours = { business: [{ open_time: "08:00", close_time: "15:00" }] };
  const [id, bare] = await addLots(db.sql, [
    {
      ...everyDay,
      windows: [],
      date_overrides: [{ override_date: "2026-12-31", hours }, { override_date: "2026-12-30", hours: null }],
    },
    { ...everyDay, windows: [], date_overrides: [] },
  ]);
  await db.sql`
    update public.parking_lot_date_overrides set label = null, note = 'Works' where parking_lot_id = ${id!} and hours is null`;
  const [row] = await db.sql`
    select private.date_overrides_json(${id!}) as overrides, private.date_overrides_json(${bare!}) as bare`;
  const overrides = row!.overrides.map(({ id, ...rest }: { id: string }) => {
    assert.match(id, /^[0-9a-f-]{36}$/);
    return rest;
  });
  assert.deepEqual(overrides, [
    { override_date: "2026-12-30", label: "", hours: null, pricing: null, note: "Works" },
    { override_date: "2026-12-31", label: "Override", hours, pricing: null, note: null },
  ]);
  assert.deepEqual(row!.bare, []);
});

Deno.test("hours: windows, overrides and rules show HH:MM for any stored form", async () => {
  const [id] = await addLots(db.sql, [{ ...everyDay, windows: [], date_overrides: [] }]);
  await db.sql`
    insert into public.parking_lot_windows (parking_lot_id, window_type, open_time, close_time)
    values (${id!}, 'business', '08:00:30', '23:59:59.5')`;
  const span = { open_time: "08:00:00", close_time: "24:00:00" };
  await db.sql`
    insert into public.parking_lot_date_overrides (parking_lot_id, override_date, hours, pricing)
    values (${id!}, '2026-12-31',
      ${db.sql.json({ business: [span, { is_closed: true }], exit: [], is_24h: false })},
      ${
    db.sql.json([{ category: "flat", price_minor: 100, time_start: "8:00", time_end: "20:00:00" }, {
      category: "flat",
      price_minor: 200,
      time_start: null,
      time_end: null,
    }])
  })`;
  await db.sql`
    insert into public.pricing_rules (parking_lot_id, category, rule_order, price_minor, time_start, time_end)
    values (${id!}, 'flat', 1, 100, '08:00:15', '24:00:00')`;
  const [row] = await db.sql`
    select private.hours_json(${id!}) as hours, private.date_overrides_json(${id!}) as overrides,
      private.pricing_rules_json(${id!}) as rules`;
  const { hours, overrides, rules } = row!;
  assert.deepEqual([hours.windows[0].open_time, hours.windows[0].close_time], ["08:00", "23:59"]);
  assert.deepEqual([hours.legacy_business[0].open_time, hours.legacy_business[0].close_time], ["08:00", "23:59"]);
  assert.deepEqual(overrides[0].hours, {
    business: [{ open_time: "08:00", close_time: "24:00" }, { is_closed: true }],
    exit: [],
    is_24h: false,
  });
  assert.deepEqual(overrides[0].pricing, [
    { category: "flat", price_minor: 100, time_start: "08:00", time_end: "20:00" },
    { category: "flat", price_minor: 200, time_start: null, time_end: null },
  ]);
  assert.deepEqual([rules[0].time_start, rules[0].time_end], ["08:00", "24:00"]);
});
