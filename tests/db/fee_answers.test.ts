// The reply of calc-fee in addition to the amount: lines, caps, unused rules with reasons, notes, errors; long or odd stays.
import assert from "node:assert/strict";
import type { Rule } from "../oracles/fees.ts";
import { database } from "../support/database.ts";
import { errorOf } from "../support/database_errors.ts";
import { answers, type FeeAnswer, outcomeOf, type PricedLot, seedLots, stayFees } from "./support/fees.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

type Terms = Partial<Rule>;
let rules = 0;
/** Ids in order, so that a test can name them. */
const id = () => `00000000-0000-4000-8000-${String(++rules).padStart(12, "0")}`;
const named = (terms: Terms): Terms & { id: string } => ({ id: id(), rule_order: rules, ...terms });
const metered = (per_minutes: number, price_minor: number, more: Terms = {}) =>
  named({ category: "time_band", per_minutes, price_minor, ...more });
const cap = (cap_type: NonNullable<Terms["cap_type"]>, cap_price_minor: number, more: Terms = {}) =>
  named({ category: "cap", cap_type, cap_price_minor, ...more });
const day = { time_start: "08:00", time_end: "22:00" };
const night = { time_start: "22:00", time_end: "08:00" };

async function ask(lot: PricedLot, entry_at: string, exit_at: string, vehicle_type = "standard"): Promise<FeeAnswer> {
  const [seeded] = await seedLots(db.sql, [lot]);
  const [answer] = await answers(db.sql, [{ lot: seeded!, entry_at, exit_at, vehicle_type }]);
  return answer!;
}
/** A time in June 2026 in Japan; the 1st is a Monday. */
const june = (day: number, time: string) => `2026-06-${String(day).padStart(2, "0")}T${time}+09:00`;
const reasons = ({ breakdown }: FeeAnswer) =>
  Object.fromEntries(breakdown!.not_applied.map(({ rule_id, reason }) => [rule_id, reason]));

Deno.test("fee answers: consecutive units of one row are one line, and the discount of a cap is a separate line", async () => {
  const [byDay, byNight] = [metered(20, 100, day), metered(60, 100, night)];
  const most = cap("duration", 1000, { cap_duration_hours: 24, cap_repeat: true });
  const { total_amount, currency, breakdown } = await ask(
    { rules: [byDay, byNight, most] },
    june(1, "10:00:00"),
    june(2, "12:30:00"),
  );
  assert.deepEqual([total_amount, currency], [1800, "JPY"]);
  assert.deepEqual([breakdown!.time_zone, breakdown!.vehicle_type, breakdown!.notes], ["Asia/Tokyo", "standard", []]);
  const line = (rule: Terms, from: string, to: string, units: number, unit_minutes: number) => ({
    kind: "rate",
    rule_id: rule.id,
    override_date: null,
    from,
    to,
    units,
    unit_minutes,
    unit_price: 100,
    amount: units * 100,
  });
  assert.deepEqual(breakdown!.lines, [
    line(byDay, june(1, "10:00:00"), june(1, "22:00:00"), 36, 20),
    line(byNight, june(1, "22:00:00"), june(2, "08:00:00"), 10, 60),
    line(byDay, june(2, "08:00:00"), june(2, "12:40:00"), 14, 20),
    {
      kind: "cap",
      rule_id: most.id,
      override_date: null,
      from: june(1, "10:00:00"),
      to: june(2, "10:00:00"),
      amount: -4200,
    },
  ]);
  assert.deepEqual(breakdown!.caps.map(({ from, charged, reached_at }) => [from, charged, reached_at]), [
    [june(1, "10:00:00"), 1000, june(1, "13:00:00")],
    [june(2, "10:00:00"), 800, null],
  ]);
  assert.deepEqual(breakdown!.not_applied, []);
});

Deno.test("fee answers: initial, flat and grace have lines of their kind", async () => {
  const [free, first] = [
    named({ category: "initial", per_minutes: 30, price_minor: 0 }),
    named({ category: "initial", per_minutes: 60, price_minor: 500 }),
  ];
  const flat = named({ category: "flat", price_minor: 800, ...night });
  const { breakdown } = await ask(
    { rules: [free, first, flat, metered(60, 200)] },
    june(1, "20:00:00"),
    june(1, "23:00:00"),
  );
  assert.deepEqual(
    breakdown!.lines.map(({ kind, units, unit_minutes, amount }) => [kind, units, unit_minutes, amount]),
    [
      ["initial", 1, 30, 0],
      ["initial", 1, 60, 500],
      ["rate", 1, 60, 200],
      ["flat", 1, null, 800],
    ],
  );
  assert.equal(breakdown!.lines.at(-1)!.to, june(2, "08:00:00"));

  const grace = named({ category: "grace", per_minutes: 30 });
  const within = await ask({ rules: [grace, metered(60, 200)] }, june(1, "20:00:00"), june(1, "20:30:00"));
  assert.deepEqual(within.breakdown!.lines.map(({ kind, rule_id, amount }) => [kind, rule_id, amount]), [
    ["grace", grace.id, 0],
  ]);
  assert.equal(within.total_amount, 0);
});

Deno.test("fee answers: each rule that does not apply has a reason", async () => {
  const applied = metered(60, 100, { rule_order: 1 });
  const why = {
    day_type: metered(60, 100, { day_type: "saturday" }),
    time: metered(60, 100, { ...night, rule_order: 0 }),
    order: metered(30, 50, { rule_order: 9 }),
    exceeded: named({ category: "grace", per_minutes: 10 }),
    not_reached: cap("stay", 9000),
    window: cap("day", 100, { ...night, cap_repeat: true }),
  };
  const answer = await ask({ rules: [applied, ...Object.values(why)] }, june(1, "10:00:00"), june(1, "12:00:00"));
  const expected = Object.fromEntries(Object.entries(why).map(([reason, rule]) => [rule.id, reason]));
  // Its hours were not those of the stay, which is the nearer reason.
  expected[why.window.id] = "time";
  assert.deepEqual(reasons(answer), expected);
});

Deno.test("fee answers: a cap that another of its kind precedes has no window", async () => {
  const all = cap("duration", 900, { cap_duration_hours: 24, cap_repeat: true });
  const monday = cap("duration", 300, { cap_duration_hours: 24, cap_repeat: true, day_type: "weekday" });
  const answer = await ask({ rules: [metered(60, 100), all, monday] }, june(1, "10:00:00"), june(1, "20:00:00"));
  assert.equal(answer.total_amount, 300);
  assert.deepEqual(reasons(answer), { [all.id]: "window" });
});

Deno.test("fee answers: a free stay within grace gives this reason for other rules and for initial rows that are not reached", async () => {
  const [grace, rate] = [named({ category: "grace", per_minutes: 30 }), metered(60, 200)];
  const free = await ask({ rules: [grace, rate] }, june(1, "20:00:00"), june(1, "20:10:00"));
  assert.deepEqual(reasons(free), { [rate.id]: "within_grace" });
  const first = named({ category: "initial", per_minutes: 60, price_minor: 100 });
  const second = named({ category: "initial", per_minutes: 60, price_minor: 300 });
  const short = await ask({ rules: [first, second] }, june(1, "20:00:00"), june(1, "20:10:00"));
  assert.deepEqual(reasons(short), { [second.id]: "not_reached" });
});

Deno.test("fee answers: an overridden date is priced by its own rows only, and the lot's rows have this reason", async () => {
  const usual = metered(60, 100);
  const lot = { rules: [usual], date_overrides: [{ override_date: "2026-06-02", pricing: [metered(60, 500)] }] };
  const one = await ask(lot, june(2, "10:00:00"), june(2, "12:00:00"));
  assert.equal(one.total_amount, 1000);
  assert.deepEqual(reasons(one), { [usual.id]: "override" });
  assert.deepEqual(one.breakdown!.lines.map(({ rule_id, override_date }) => [rule_id, override_date]), [
    [null, "2026-06-02"],
  ]);
  const two = await ask({ ...lot, rules: [{ ...usual, id: id() }] }, june(1, "23:00:00"), june(2, "01:00:00"));
  assert.deepEqual([two.total_amount, two.breakdown!.not_applied], [600, []]);
});

Deno.test("fee answers: rules for other vehicles have this reason", async () => {
  const usual = metered(60, 100);
  const [lot] = await seedLots(db.sql, [{ rules: [usual] }]);
  const group = id();
  const bike = metered(60, 50);
  await db.sql`
    insert into public.pricing_groups (id, parking_lot_id, code, name, vehicle_types)
    values (${group}, ${lot!}, 'bikes', 'Bikes', '{motorcycle}')`;
  await db.sql`
    insert into public.pricing_rules (id, parking_lot_id, pricing_group_id, category, per_minutes, price_minor)
    values (${bike.id}, ${lot!}, ${group}, 'time_band', 60, 50)`;
  const stay = { lot: lot!, entry_at: june(1, "10:00:00"), exit_at: june(1, "11:00:00") };
  const [car, motorcycle] = await answers(db.sql, [stay, { ...stay, vehicle_type: "motorcycle" }]);
  assert.deepEqual([car!.total_amount, reasons(car!)], [100, { [bike.id]: "group" }]);
  assert.deepEqual([motorcycle!.total_amount, reasons(motorcycle!)], [50, { [usual.id]: "group" }]);
});

Deno.test("fee answers: notes for holidays priced as their day of the week, a cap that may repeat, a stay longer than allowed", async () => {
  const notes = async (lot: PricedLot, from: string, to: string) => (await ask(lot, from, to)).breakdown!.notes;
  const [from, to] = ["2026-03-20T10:00:00+09:00", "2026-03-20T11:00:00+09:00"]; // a holiday, a Friday
  const weekday = () => metered(60, 200, { day_type: "weekday" });
  assert.deepEqual(await notes({ rules: [weekday()] }, from, to), ["holiday_rates_not_given"]);
  assert.deepEqual(await notes({ rules: [metered(60, 200)] }, from, to), []);
  assert.deepEqual(await notes({ rules: [weekday(), metered(60, 300, { day_type: "holiday" })] }, from, to), []);
  assert.deepEqual(await notes({ rules: [weekday()] }, june(1, "10:00:00"), june(1, "11:00:00")), []);

  const capped = (cap_repeat: boolean | null) => ({
    rules: [metered(60, 200), cap("duration", 900, { cap_duration_hours: 12, cap_repeat })],
  });
  const halfADay = [june(1, "08:00:00"), june(1, "20:00:00")] as const;
  const longer = [june(1, "08:00:00"), june(1, "20:00:01")] as const;
  assert.deepEqual(await notes(capped(null), ...longer), ["cap_repeat_not_given"]);
  assert.deepEqual(await notes(capped(null), ...halfADay), []);
  assert.deepEqual(await notes(capped(false), ...longer), []);

  const [lot] = await seedLots(db.sql, [{ rules: [metered(60, 200)] }]);
  await db.sql`update public.parking_lots set max_parking_duration_min = 60 where id = ${lot!}`;
  const stays = [june(1, "11:00:00"), june(1, "11:00:01")].map((exit_at) => ({
    lot: lot!,
    entry_at: june(1, "10:00:00"),
    exit_at,
  }));
  assert.deepEqual((await answers(db.sql, stays)).map(({ breakdown }) => breakdown!.notes), [[], [
    "exceeds_max_duration",
  ]]);
});

Deno.test("fee answers: an unknown rate has its start, and its end if the next rate is known", async () => {
  const byDay = { rules: [metered(60, 100, day)] };
  const gap = await ask(byDay, june(1, "21:30:00"), june(1, "23:00:00"));
  assert.deepEqual(gap.refusal, {
    code: "fee_unknown",
    reason: "no_rate",
    from: june(1, "22:30:00"),
    until: june(2, "08:00:00"),
  });
  const saturdays = { rules: [metered(60, 100, { day_type: "saturday" })] };
  const week = await ask(saturdays, june(7, "10:00:00"), june(7, "11:00:00"));
  assert.deepEqual([week.refusal!.from, week.refusal!.until], [june(7, "10:00:00"), june(13, "00:00:00")]);
  const never = await ask({ rules: [cap("stay", 100)] }, june(1, "10:00:00"), june(1, "11:00:00"));
  assert.deepEqual(never.refusal, { code: "fee_unknown", reason: "no_rate", from: june(1, "10:00:00") });
  const [override] = [{ override_date: "2026-06-05", pricing: [metered(60, 100)] }];
  const later = await ask({ date_overrides: [override] }, june(1, "10:00:00"), june(1, "11:00:00"));
  assert.deepEqual([later.refusal!.reason, later.refusal!.until], ["no_rate", june(5, "00:00:00")]);
});

Deno.test("fee answers: an empty stay costs nothing, also without rules and for a vehicle without a price", async () => {
  const now = june(1, "10:00:00");
  assert.deepEqual(outcomeOf(await ask({}, now, now)), 0);
  assert.deepEqual((await ask({ rules: [metered(60, 100)] }, now, now)).breakdown!.lines, []);
});

Deno.test("fee answers: an exit before the entry and a stay of more than 366 days are rejected and name the exit", async () => {
  const [lot] = await seedLots(db.sql, [{ rules: [metered(60, 100)] }]);
  for (const exit of [june(1, "09:59:59"), "2027-06-02T10:00:01+09:00"]) {
    const call = db.sql`select private.fee_answer(${lot!}, 'standard', ${june(1, "10:00:00")}, ${exit})`;
    const { code, status, param } = await errorOf(call);
    assert.deepEqual([code, status, param], ["validation_error", 422, "exit_at"], exit);
  }
  const [longest] = await answers(db.sql, [
    { lot: lot!, entry_at: june(1, "10:00:00"), exit_at: "2027-06-02T10:00:00+09:00" },
  ]);
  assert.equal(longest!.total_amount, 366 * 24 * 100);
});

Deno.test("fee answers: a fraction of a second begins no further unit, in no price of the stay", async () => {
  const [day, night] = [
    metered(60, 100, { time_start: "08:00", time_end: "22:00" }),
    metered(60, 10, { time_start: "22:00", time_end: "08:00" }),
  ];
  const grace = named({ category: "grace", per_minutes: 10 });
  const initial = named({ category: "initial", per_minutes: 60, price_minor: 500 });
  const hourly = metered(60, 100);
  const table: readonly (readonly [readonly Terms[], from: string, to: string, total: number])[] = [
    [[hourly], "10:00:00.000001", "11:00:00.000001", 100],
    [[hourly], "10:00:00", "11:00:00.000001", 100],
    [[hourly], "10:00:00", "11:00:00.999999", 100],
    [[hourly], "10:00:00", "11:00:01", 200],
    [[hourly], "10:00:00.9", "11:00:01.1", 100],
    [[hourly], "10:00:00.9", "11:00:01.8", 100],
    [[hourly], "10:00:00.9", "11:00:01.9", 200],
    [[hourly], "10:00:00.1", "11:00:00.9", 100],
    [[hourly], "10:00:00", "10:00:00.5", 100],
    [[hourly], "10:00:00.999999", "10:00:01", 100],
    [[hourly], "10:00:00.5", "10:00:00.5", 0],
    [[grace, hourly], "10:00:00", "10:10:00.7", 0],
    [[grace, hourly], "10:00:00", "10:10:01", 100],
    [[grace, hourly], "10:00:00.5", "10:10:01.4", 0],
    [[initial, hourly], "10:00:00.3", "11:00:01.2", 500],
    [[day, night], "21:00:00.5", "22:00:01.4", 100],
    [[day, night], "21:00:00.5", "22:00:01.5", 110],
    [[day, night], "22:00:00.8", "22:59:59.9", 10],
    [[day, night], "07:59:59.9", "08:00:00.8", 10],
  ];
  const lots = await seedLots(
    db.sql,
    table.map(([rules]) => ({ rules: rules.map((rule) => ({ ...rule, id: id() })) })),
  );
  const stays = table.map(([, from, to], n) => ({ lot: lots[n]!, entry_at: june(1, from), exit_at: june(1, to) }));
  const totals = table.map(([, , , total]) => total);
  assert.deepEqual((await answers(db.sql, stays)).map(({ total_amount }) => total_amount), totals);
  assert.deepEqual(await stayFees(db.sql, stays), totals);
  for (const [n, { lot, entry_at, exit_at }] of stays.entries()) {
    const [row] = await db.sql`
      select (private.fee_meter(${lot}, 'standard', ${entry_at}::text::timestamptz, ${exit_at}::text::timestamptz) ->> 'amount')::integer as meter,
        ${lot} = any (private.lots_within_amount(
          array[${lot}]::uuid[], 'standard', ${entry_at}::text::timestamptz, ${exit_at}::text::timestamptz, ${totals[
      n
    ]!}
        )) as is_within`;
    assert.deepEqual(row, { meter: totals[n], is_within: true }, JSON.stringify(stays[n]));
  }
  // The lots of a search are priced together.
  const [entry_at, exit_at] = [june(1, "10:00:00.9"), june(1, "11:00:01.8")];
  const together = await db.sql`
    select distinct amount::integer from private.stay_fees(${
    lots.slice(0, 11)
  }::uuid[], 'standard', ${entry_at}::text::timestamptz, ${exit_at}::text::timestamptz)`;
  assert.deepEqual(together.map(({ amount }) => amount), [100]);
});

Deno.test("fee answers: a fraction of a second after a cap or free minutes is no surprise", async () => {
  const lot = { rules: [named({ category: "grace", per_minutes: 30 }), metered(60, 400)] };
  const [seeded] = await seedLots(db.sql, [lot]);
  const [free, over] = await answers(db.sql, [
    { lot: seeded!, entry_at: june(1, "10:00:00.2"), exit_at: june(1, "10:30:00.9") },
    { lot: seeded!, entry_at: june(1, "10:00:00.2"), exit_at: june(1, "10:30:01.2") },
  ]);
  assert.deepEqual([free!.total_amount, free!.surprises], [0, []]);
  assert.deepEqual([over!.total_amount, over!.surprises!.map(({ kind }) => kind)], [400, ["grace_exceeded"]]);
});

Deno.test("fee answers: a year under daily caps costs 365 caps, whether they are of 24 hours or of calendar days", async () => {
  const [entry, exit] = ["2026-06-01T00:00:00+09:00", "2027-06-01T00:00:00+09:00"];
  const withCap = (terms: Terms, type: "duration" | "day") => ({
    rules: [metered(20, 100, day), metered(60, 100, night), cap(type, 1000, { cap_repeat: true, ...terms })],
  });
  const day24 = await ask(withCap({ cap_duration_hours: 24 }, "duration"), entry, exit);
  assert.deepEqual([day24.total_amount, day24.breakdown!.caps.length], [365_000, 365]);
  assert.equal((await ask(withCap({}, "day"), entry, exit)).total_amount, 365_000);
});

Deno.test("fee answers: in Zurich a day has 23 hours when summer time begins and 25 when it ends", async () => {
  const zurich = { time_zone: "Europe/Zurich" };
  const perDay = () => [named({ category: "flat", price_minor: 1000, time_start: "00:00", time_end: "24:00" })];
  const spring = await ask({ ...zurich, rules: perDay() }, "2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00");
  assert.deepEqual([spring.total_amount, spring.breakdown!.lines[0]!.to], [1000, "2026-03-30T00:00:00+02:00"]);
  const hourly = async (from: string, to: string) =>
    (await ask({ ...zurich, rules: [metered(60, 100)] }, from, to)).total_amount;
  assert.equal(await hourly("2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00"), 2300);
  assert.equal(await hourly("2026-10-25T00:00:00+02:00", "2026-10-26T00:00:00+01:00"), 2500);
  // 02:00–03:00 does not exist on the one night, and exists twice on the other.
  const small = () => [
    metered(30, 100, { time_start: "02:00", time_end: "03:00" }),
    metered(30, 10, { time_start: "03:00", time_end: "02:00" }),
  ];
  const night = async (date: string, from: string, to: string) =>
    (await ask({ ...zurich, rules: small() }, `${date}T00:00:00${from}`, `${date}T05:00:00${to}`)).total_amount;
  assert.equal(await night("2026-03-29", "+01:00", "+02:00"), 80);
  assert.equal(await night("2026-10-25", "+02:00", "+01:00"), 480);
});

interface Meter {
  readonly amount: number;
  readonly next_increase_at: string | null;
  readonly next_amount: number | null;
  readonly cap_reached: boolean;
  readonly known_until: string;
  readonly curve: readonly { at: string; amount: number }[];
}
async function meter(lot: PricedLot, entry: string, now: string): Promise<Meter> {
  const [seeded] = await seedLots(db.sql, [lot]);
  const [row] = await db.sql<{ meter: Meter }[]>`
    select private.fee_meter(${seeded!}, 'standard', ${entry}, ${now}) as meter`;
  return row!.meter;
}

Deno.test("fee answers: the meter has the next increase, a reached cap, the end of grace and the start of an unknown rate", async () => {
  const running = await meter({ rules: [metered(20, 100)] }, june(1, "10:00:00"), june(1, "10:35:00"));
  assert.deepEqual(
    [running.amount, running.next_increase_at, running.next_amount, running.cap_reached],
    [200, june(1, "10:40:00"), 300, false],
  );
  const capped = { rules: [metered(20, 100), cap("duration", 300, { cap_duration_hours: 24, cap_repeat: true })] };
  const reached = await meter(capped, june(1, "10:00:00"), june(1, "12:00:00"));
  assert.deepEqual([reached.amount, reached.next_increase_at, reached.cap_reached], [300, june(2, "10:00:00"), true]);
  const whole = await meter({ rules: [metered(20, 100), cap("stay", 300)] }, june(1, "10:00:00"), june(1, "12:00:00"));
  assert.deepEqual([whole.next_increase_at, whole.next_amount, whole.cap_reached], [null, null, true]);
  const grace = { rules: [named({ category: "grace", per_minutes: 30 }), metered(20, 100)] };
  const free = await meter(grace, june(1, "10:00:00"), june(1, "10:05:00"));
  assert.deepEqual([free.amount, free.next_increase_at, free.next_amount], [0, june(1, "10:30:00"), 200]);
  const ends = { rules: [named({ category: "grace", per_minutes: 60 }), metered(10, 100, day)] };
  const freeAtNight = await meter(ends, june(1, "21:30:00"), june(1, "21:40:00"));
  assert.deepEqual(freeAtNight.curve, [{ at: june(1, "22:30:00"), amount: 0 }]);
  assert.deepEqual([freeAtNight.known_until, freeAtNight.next_increase_at], [june(1, "22:30:00"), null]);
  const byDay = await meter({ rules: [metered(60, 100, day)] }, june(1, "20:00:00"), june(1, "20:10:00"));
  assert.deepEqual([byDay.known_until, byDay.curve.at(-1)], [june(1, "22:00:00"), {
    at: june(1, "22:00:00"),
    amount: 200,
  }]);
});
