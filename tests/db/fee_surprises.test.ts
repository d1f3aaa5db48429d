// Surprises of fees: the worked examples of the consumer centre, the naive reading of an oracle on random price lists, and
// each kind that has an amount of its own.
import assert from "node:assert/strict";
import { priceList, type Rule as SeedRule } from "../../tools/seed/prices.ts";
import { Random } from "../../tools/seed/random.ts";
import type { Rule } from "../oracles/fees.ts";
import { Chance, type RandomStay, randomStay } from "../oracles/random_fees.ts";
import { naiveDifferences } from "../oracles/surprises.ts";
import { holidays, workedExamples } from "../support/cases.ts";
import { database } from "../support/database.ts";
import { answers, type FeeAnswer, type PricedLot, replaceIn, seedLots, type Surprise } from "./support/fees.ts";
import { seed, volume } from "../support/sizes.ts";

const SETS = volume("FEE_SETS", 125, 1_000);
const SEED = seed("FEE_SEED", 3);
const BATCH = 250;

interface Example extends PricedLot {
  readonly id: string;
  readonly time_zone: string;
  readonly rules: readonly Rule[];
  readonly date_overrides?: { override_date: string; pricing: Rule[] | null }[];
  readonly entry_at: string;
  readonly exit_at: string;
  readonly expect: {
    readonly total_amount: number;
    readonly naive_amount?: number;
    readonly surprise?: string;
    readonly surprise_minor?: number;
  };
}

const db = await database();
Deno.test.afterAll(() => db.close());
const japanese = holidays("JP");

type Terms = Partial<Rule>;
const metered = (per_minutes: number, price_minor: number, more: Terms = {}): Terms => ({
  category: "time_band",
  per_minutes,
  price_minor,
  ...more,
});
const cap = (cap_type: NonNullable<Rule["cap_type"]>, cap_price_minor: number, more: Terms = {}): Terms => ({
  category: "cap",
  cap_type,
  cap_price_minor,
  cap_repeat: true,
  ...more,
});
const june = (day: number, time: string) => `2026-06-${String(day).padStart(2, "0")}T${time}:00+09:00`;

async function surprisesOf(lot: PricedLot, entry_at: string, exit_at: string): Promise<readonly Surprise[]> {
  const [id] = await seedLots(db.sql, [lot]);
  const [answer] = await answers(db.sql, [{ lot: id!, entry_at, exit_at }]);
  assert.ok(answer!.surprises, JSON.stringify(answer));
  return answer!.surprises;
}

const shortly = (list: readonly Surprise[]) =>
  list.map(({ kind, at, amount_minor, leave_by, saves }) => ({ kind, at, amount_minor, leave_by, saves }));

const examples = workedExamples<Example[]>("fee-cases.json").filter(({ expect }) => expect.surprise);
const exampleLots = await seedLots(db.sql, examples);
const exampleQuestions = examples.map((example, n) => ({ ...example, lot: exampleLots[n]! }));
const exampleAnswers = await answers(db.sql, exampleQuestions);

Deno.test("fee surprises: there are eight cases of the consumer centre", () => assert.equal(examples.length, 8));

for (const [n, { id, expect }] of examples.entries()) {
  Deno.test(`fee surprises: ${id} costs ${expect.total_amount}, and ${expect.surprise} is named first`, () => {
    const { total_amount, surprises } = exampleAnswers[n]!;
    const [first] = surprises!;
    assert.deepEqual([total_amount, first?.kind, first?.amount_minor], [
      expect.total_amount,
      expect.surprise,
      expect.surprise_minor,
    ]);
  });
}

Deno.test("fee surprises: the oracle has the naive bill of each case", () => {
  const found = examples.map((example) => {
    const rules = example.rules.map((rule, place) => ({ ...rule, id: String(place).padStart(4, "0") }));
    const stay = { ...example, rules, date_overrides: example.date_overrides ?? [], holidays: japanese };
    return [example.id, naiveDifferences(stay)?.naive];
  });
  assert.deepEqual(found, examples.map(({ id, expect }) => [id, expect.naive_amount]));
});

/** A function, what is changed in it, and into what. */
const breaks: readonly [wrong: string, name: string, from: string, to: string][] = [
  ["caps are not read as repeated", "naive_tariff", "v_repeats[v_rule] := true;", ""],
  ["caps of a day are not read as 24 hours", "naive_tariff", "v_types[v_rule] := 'duration';", ""],
  ["caps are not read for every day", "naive_tariff", "v_covered & 1 = 1 or", "true or"],
  ["a cap for some days is no trap on others", "cap_traps", "& p_every_day = 0", "< 0"],
  ["special prices are not told from missing caps", "fee_differences", "if v_bill <> p_total then", "if false then"],
];
for (const [wrong, name, from, to] of breaks) {
  Deno.test(`fee surprises: the cases detect when ${wrong}`, async () => {
    const undo = new Error("undo");
    await assert.rejects(
      db.sql.begin(async (sql) => {
        await replaceIn(sql, name, from, to);
        const found = await answers(sql, exampleQuestions);
        assert.notDeepEqual(
          found.map(({ surprises }) => [surprises![0]?.kind, surprises![0]?.amount_minor]),
          examples.map(({ expect }) => [expect.surprise, expect.surprise_minor]),
        );
        throw undo;
      }),
      undo,
    );
  });
}

interface Found {
  readonly bill: number | null;
  readonly amounts: Record<string, number>;
  readonly shown: number;
}

/** The bill of each stay, the signed amounts of private.fee_differences, and how many surprises the answer has. */
async function differencesOf(stays: readonly RandomStay[]): Promise<Found[]> {
  const lots = await seedLots(db.sql, stays);
  const questions = stays.map(({ entry_at, exit_at }, n) => ({ lot: lots[n]!, entry_at, exit_at }));
  const rows = await db.sql<{ answer: FeeAnswer; amounts: Record<string, number> }[]>`
    select private.fee_answer(q.lot, 'standard', q.entry_at, q.exit_at) as answer, (
      select coalesce(jsonb_object_agg(d.kind, d.amount) filter (where d.amount <> 0), '{}')
      from private.stay_tariffs(array[q.lot], 'standard', q.entry_at, q.exit_at) t
      cross join lateral private.compute_fee(
        t.tariff, t.time_zone, t.holidays, t.overridden, q.entry_at, q.exit_at, true
      ) w
      cross join lateral private.fee_differences(
        t.tariff, null, t.time_zone, t.holidays, t.overridden, q.entry_at, q.exit_at, w.total, null
      ) f
      cross join lateral unnest(f) d
      where w.total is not null
    ) as amounts
    from rows from (jsonb_to_recordset(${JSON.stringify(questions)}::text::jsonb)
      as (lot uuid, entry_at timestamptz, exit_at timestamptz)) with ordinality as q (lot, entry_at, exit_at, place)
    order by q.place`;
  return rows.map(({ answer, amounts }) => ({
    bill: answer.total_amount ?? null,
    amounts,
    shown: answer.surprises?.length ?? 0,
  }));
}

const chance = new Chance(SEED);
const stays: RandomStay[] = [];
const found: Found[] = [];
for (let done = 0; done < SETS; done += BATCH) {
  const batch = Array.from({ length: Math.min(BATCH, SETS - done) }, () => randomStay(chance));
  stays.push(...batch);
  found.push(...await differencesOf(batch));
}

Deno.test(`random surprises: of ${SETS} stays, the bill minus the oracle's naive bill is the sum of the amounts, kind by kind`, () => {
  let some = 0;
  for (const [n, { bill, amounts }] of found.entries()) {
    const expected = naiveDifferences({ ...stays[n]!, holidays: japanese });
    const context = () =>
      JSON.stringify({ amounts, expected: expected && [...expected.amounts], stay: stays[n] }, null, 1);
    assert.deepEqual(amounts, Object.fromEntries(expected?.amounts ?? []), context());
    if (!expected) continue;
    some++;
    const sum = Object.values(amounts).reduce((total, amount) => total + amount, 0);
    assert.equal(bill! - expected.naive, sum, context());
  }
  assert.ok(some > SETS / 10, `${some} stays have a difference`);
});

Deno.test("random surprises: at most seven stays in a thousand have more than two, and none has more than five", () => {
  const known = found.filter(({ bill }) => bill !== null);
  const many = known.filter(({ shown }) => shown > 2);
  assert.ok(many.length <= Math.ceil(known.length * 0.007), `${many.length} of ${known.length}`);
  assert.ok(known.every(({ shown }) => shown <= 5));
});

/** A price list without a trap: caps that repeat every day and run a day or longer, or a band; no flat price of a band. */
function isPlain(rule: SeedRule): boolean {
  if (rule.category === "flat") return rule.time_start === undefined;
  if (rule.cap_type === undefined || rule.cap_type === "stay") return true;
  const isLong = rule.cap_type === "band" || (rule.cap_type === "duration" && rule.cap_duration_hours! >= 24);
  return rule.cap_repeat === true && rule.day_type === undefined && isLong;
}

Deno.test("fee surprises: 200 plain price lists of the seed have none", async () => {
  const random = new Random("surprises");
  const lists: SeedRule[][] = [];
  while (lists.length < 200) {
    const kind = random.pick(["street", "building", "municipal"] as const);
    const { rules } = priceList(random, 0.5 + lists.length / 200, kind, { motorcycles: false, large: false });
    if (rules.every(isPlain)) lists.push([...rules]);
  }
  const lots = await seedLots(db.sql, lists.map((rules) => ({ rules: rules as unknown as Rule[] })));
  const ends = [june(1, "12:07"), june(1, "19:00"), june(2, "16:20"), june(5, "09:40")];
  for (const exit_at of ends) {
    const list = await answers(db.sql, lots.map((lot) => ({ lot, entry_at: june(1, "10:00"), exit_at })));
    const surprised = list.findIndex(({ surprises }) => surprises!.length > 0);
    assert.ok(surprised < 0, JSON.stringify([exit_at, list[surprised]?.surprises, lists[surprised]]));
  }
});

Deno.test("fee surprises: a cap of twelve hours ends before the exit, a shorter one next to it is read as it is", async () => {
  const lot = {
    rules: [
      metered(60, 200),
      cap("duration", 500, { cap_duration_hours: 3 }),
      cap("duration", 1000, { cap_duration_hours: 12 }),
    ],
  };
  assert.deepEqual(shortly(await surprisesOf(lot, june(1, "08:00"), june(1, "22:00"))), [
    { kind: "cap_ends_before_exit", at: june(1, "20:00"), amount_minor: 400, leave_by: june(1, "20:00"), saves: 400 },
  ]);
});

Deno.test("fee surprises: free minutes that the stay just passes, and their end soon after the exit", async () => {
  const lot = () => ({ rules: [{ category: "grace", per_minutes: 30 }, metered(60, 400)] as Terms[] });
  const grace = { at: june(1, "10:30"), amount_minor: 400, leave_by: june(1, "10:30"), saves: 400 };
  const at = async (time: string) => shortly(await surprisesOf(lot(), june(1, "10:00"), june(1, time)));
  assert.deepEqual(await at("10:45"), [{ kind: "grace_exceeded", ...grace }]);
  assert.deepEqual(await at("10:46"), []);
  assert.deepEqual(await at("10:16"), []);
  const soon = shortly(
    await surprisesOf({ rules: [...lot().rules.slice(0, 1), metered(20, 100)] }, june(1, "10:00"), june(1, "10:20")),
  );
  assert.deepEqual(soon, [{ kind: "next_step_soon", ...grace, amount_minor: 200, saves: 200 }]);
});

Deno.test("fee surprises: a night at one price that begins just after or just before the exit, or just after the entry", async () => {
  const lot = () => ({
    rules: [
      metered(60, 100, { time_start: "08:00", time_end: "20:00" }),
      { category: "flat", price_minor: 900, time_start: "20:00", time_end: "08:00" } as Terms,
    ],
  });
  const step = { at: june(1, "20:00"), amount_minor: 900, leave_by: june(1, "20:00"), saves: 900 };
  assert.deepEqual(shortly(await surprisesOf(lot(), june(1, "18:00"), june(1, "19:50"))), [
    { kind: "next_step_soon", ...step },
  ]);
  assert.deepEqual(shortly(await surprisesOf(lot(), june(1, "18:00"), june(1, "20:10"))), [
    { kind: "cheaper_if_earlier", ...step },
  ]);
  assert.deepEqual(shortly(await surprisesOf(lot(), june(1, "18:00"), june(1, "20:16"))), []);
  assert.deepEqual(shortly(await surprisesOf(lot(), june(2, "07:50"), june(2, "08:30"))), [
    { kind: "cheaper_if_later", at: june(2, "08:00"), amount_minor: 900, leave_by: null, saves: 900 },
  ]);
});

Deno.test("fee surprises: a stay that is too long, and an exit that is closed, cost what the time costs", async () => {
  const [lot] = await seedLots(db.sql, [{ rules: [metered(60, 200)] }]);
  await db.sql`update public.parking_lots set max_parking_duration_min = 120 where id = ${lot!}`;
  const ask = async () => {
    const [answer] = await answers(db.sql, [{ lot: lot!, entry_at: june(1, "18:00"), exit_at: june(1, "22:30") }]);
    return shortly(answer!.surprises!);
  };
  const tooLong = {
    kind: "stay_too_long",
    at: june(1, "20:00"),
    amount_minor: 600,
    leave_by: june(1, "20:00"),
    saves: 600,
  };
  assert.deepEqual(await ask(), [tooLong]);
  await db.sql`
    insert into public.parking_lot_windows (parking_lot_id, window_type, day_type, open_time, close_time)
    values (${lot!}, 'business', 'all', '08:00', '22:00')`;
  assert.deepEqual(await ask(), [
    { kind: "closed_at_exit", at: june(1, "22:30"), amount_minor: 1800, leave_by: null, saves: null },
    tooLong,
  ]);
});

Deno.test("fee surprises: a vehicle with a dearer list of its own, and none for one with a cheaper list", async () => {
  const [lot] = await seedLots(db.sql, [{ rules: [metered(60, 100)] }]);
  for (const [code, types, price] of [["large", "{large}", 300], ["bikes", "{motorcycle}", 50]] as const) {
    const group = crypto.randomUUID();
    await db.sql`
      insert into public.pricing_groups (id, parking_lot_id, code, name, vehicle_types)
      values (${group}, ${lot!}, ${code}, ${code}, ${types}::text::text[])`;
    await db.sql`
      insert into public.pricing_rules (parking_lot_id, pricing_group_id, category, per_minutes, price_minor)
      values (${lot!}, ${group}, 'time_band', 60, ${price})`;
  }
  const stay = { lot: lot!, entry_at: june(1, "10:00"), exit_at: june(1, "13:00") };
  const list = await answers(
    db.sql,
    ["large", "motorcycle", "standard"].map((vehicle_type) => ({ ...stay, vehicle_type })),
  );
  assert.deepEqual(list.map(({ surprises }) => shortly(surprises!)), [
    [{ kind: "other_vehicle_price", at: june(1, "10:00"), amount_minor: 600, leave_by: null, saves: null }],
    [],
    [],
  ]);
});

Deno.test("fee surprises: one needs 100 yen or a tenth of the bill, and from the third on both", async () => {
  const amounts = async (price: number, hours: number) => {
    const short = cap("duration", hours * price, { cap_duration_hours: hours });
    const list = await surprisesOf(
      { rules: [metered(60, price), short] },
      june(1, "00:00"),
      june(1, `${hours + 1}:00`),
    );
    return list.map(({ amount_minor }) => amount_minor);
  };
  assert.deepEqual(await amounts(50, 9), [50]); // of 500
  assert.deepEqual(await amounts(90, 19), []); // of 1,800
  assert.deepEqual(await amounts(100, 19), [100]); // of 2,000
  const shown = async (total: number, found: readonly number[]) => {
    const [row] = await db.sql<{ list: Surprise[] }[]>`
      select s.surprises as list from private.surprises_json(array[row (
        ${total}::bigint, 'JPY', 'Asia/Tokyo', array(
          select row ('cap_once', timestamptz '2026-06-01', a, null, null)::private.fee_surprise
          from unnest(${JSON.stringify(found).replace("[", "{").replace("]", "}")}::text::bigint[]) a
        )
      )::private.surprising_bill]) s`;
    return row!.list.map(({ amount_minor }) => amount_minor);
  };
  assert.deepEqual(await shown(2000, [105, 150, 190, 200, 120, 900]), [900, 200]);
  assert.deepEqual(await shown(2000, [700, 600, 500, 400, 300, 250]), [700, 600, 500, 400, 300]);
});

Deno.test("fee surprises: each kind is a code, and has a text with its amount in both languages", async () => {
  const rows = await db.sql<{ code: string; texts: Record<string, string> | null }[]>`
    select c.code, private.surprise_texts(c.code) as texts from public.codes c
    where c.category_id = 'fee_surprise' and c.lang = 'en'`;
  assert.equal(rows.length, 12);
  for (const { code, texts } of rows) {
    assert.deepEqual(Object.keys(texts ?? {}).sort(), ["en", "ja"], code);
    for (const text of Object.values(texts!)) assert.match(text, /\{amount\}/, code);
  }
  const message = exampleAnswers[0]!.surprises![0]!;
  assert.equal(message.message_key, "fee_surprise.cap_once");
  assert.equal(message.message.en, "The maximum fee applies once only. After 2 Jun 09:00 this adds ¥6,200.");
  assert.equal(message.message.ja, "最大料金は1回限りです。6/2 09:00以降は6,200円高くなります。");
});
