// The worked examples, exactly; and the proof that they would notice a walk that is wrong.
import assert from "node:assert/strict";
import { naiveFee, type Rule } from "../oracles/fees.ts";
import type { OverrideHours, Window } from "../oracles/hours.ts";
import { holidays, workedExamples } from "../support/cases.ts";
import { database } from "../support/database.ts";
import { answers, outcomeOf, replaceIn, seedLots, stayFees } from "./support/fees.ts";

interface Example {
  readonly id: string;
  readonly why: string;
  readonly time_zone: string;
  readonly rules: readonly Rule[];
  readonly date_overrides?: { override_date: string; pricing: Rule[] | null; hours?: OverrideHours | null }[];
  readonly price_fixed_at_entry?: boolean;
  readonly free_while_closed?: boolean;
  readonly windows?: Window[];
  readonly entry_at: string;
  readonly exit_at: string;
  readonly vehicle_type: string;
  readonly expect: {
    readonly total_amount?: number;
    readonly refusal?: string;
    readonly at_least?: number;
    readonly at_most?: number;
  };
}

interface Bounds {
  readonly at_least?: number;
  readonly at_most?: number;
}

const boundsOf = ({ at_least, at_most }: Bounds) => [at_least, at_most];

const db = await database();
Deno.test.afterAll(() => db.close());

const calendar = workedExamples<Example[]>("fee-calendar-cases.json");
const totals = workedExamples<Example[]>("fee-total-cases.json");
const steps = workedExamples<Example[]>("fee-step-cases.json");
const examples = [...workedExamples<Example[]>("fee-cases.json"), ...calendar, ...totals, ...steps];
const lots = await seedLots(db.sql, examples);
const questions = examples.map((example, n) => ({ ...example, lot: lots[n]! }));
const expected = examples.map(({ expect }) => expect.refusal ?? expect.total_amount!);
const results = await answers(db.sql, questions);
const priced = await stayFees(db.sql, questions);

Deno.test("fee cases: there are worked examples", () =>
  assert.ok(examples.length - calendar.length - totals.length - steps.length >= 62));
Deno.test("fee cases: there are fifty worked examples of the calendar", () => assert.ok(calendar.length >= 50));

for (const [n, example] of examples.entries()) {
  Deno.test(`fee cases: ${example.id}: ${example.why}`, () => {
    const answer = results[n]!;
    assert.equal(answer.refusal?.code ?? answer.total_amount, expected[n]);
    assert.equal(priced[n], outcomeOf(answer), "stay_fees");
    assert.deepEqual(boundsOf(answer.refusal ?? {}), boundsOf(example.expect));
  });
}

Deno.test("fee cases: the naive oracle agrees with the worked examples", () => {
  for (const [n, example] of examples.entries()) {
    const rules = example.rules.map((rule, place) => ({ ...rule, id: String(place).padStart(4, "0") }));
    const fee = naiveFee({ ...example, rules, date_overrides: example.date_overrides ?? [], holidays: holidays("JP") });
    assert.equal("total" in fee ? fee.total : "fee_unknown", expected[n], example.id);
    assert.deepEqual(boundsOf(fee as Bounds), boundsOf(example.expect), example.id);
  }
});

/** A function, what is changed in it, and into what. */
const breaks: readonly [wrong: string, name: string, from: string, to: string][] = [
  [
    "a unit begins at exit",
    "compute_fee",
    "extract(epoch from p_exit) * 1000000",
    "extract(epoch from p_exit) * 1000000 + 1",
  ],
  [
    "a unit ends with its band",
    "compute_fee",
    "v_length := c_units[v_rule];\n      v_kind",
    "v_length := least(c_units[v_rule], v_edge_end - v_now);\n      v_kind",
  ],
  [
    "a unit too many is counted",
    "compute_fee",
    "(v_until - v_now + v_length - 1) / v_length",
    "(v_until - v_now) / v_length + 1",
  ],
  ["caps are forgotten", "compute_fee", "if v_room < v_gross then v_net := v_room; end if;", ""],
  ["caps do not fill", "compute_fee", "v_window_room[v_s] := v_window_room[v_s] - v_net;", ""],
  ["caps always repeat", "compute_fee", "v_window.is_first or c_cap_repeats[v_first]", "true"],
  ["caps never repeat", "compute_fee", "v_window.is_first or c_cap_repeats[v_first]", "v_window.is_first"],
  ["caps of a kind of day never count", "cap_of_window", "return v_rule;", "return 0;"],
  ["a flat unit lasts to the end of the stay", "compute_fee", "if c_starts[v_rule] is null then", "if true then"],
  ["initial rows are skipped", "compute_fee", "if v_stage <= cardinality(v_stages) then", "if false then"],
  [
    "grace is refused at its last moment",
    "compute_fee",
    "if c_exit - c_entry <= c_units",
    "if c_exit - c_entry < c_units",
  ],
  ["holidays are days like others", "bits_in_force", "THEN 33", "THEN (p_date_bits & 31)"],
  ["eves are days like others", "date_bits", "THEN 16", "THEN 0"],
  ["Sundays are weekdays", "date_bits", "THEN 8", "THEN 2"],
  ["overrides are forgotten", "stay_tariffs", "case when l.id = any (v_overridden) then", "case when false then"],
  [
    "a gap costs nothing",
    "compute_fee",
    "if v_rule = 0 then",
    "if v_rule = 0 then v_now := v_until; continue; elsif false then",
  ],
  ["the last rule goes before the first", "with_plans", "order by r.rule) as rates", "order by r.rule desc) as rates"],
  [
    "rates are in effect on all dates",
    "plan_of_day",
    "private.is_in_effect(p_from[v_plan], p_to[v_plan], p_date)",
    "true",
  ],
  [
    "caps are in effect on all dates",
    "cap_of_window",
    "private.is_in_effect(p_tariff.from_dates[v_rule], p_tariff.to_dates[v_rule], c_date)",
    "true",
  ],
  [
    "free minutes are in effect on all dates",
    "rows_at_entry",
    "private.is_in_effect(c_from_dates[v_rule], c_to_dates[v_rule], c_date)",
    "true",
  ],
  ["no price is fixed at entry", "stay_tariffs", "case when l.price_fixed_at_entry then", "case when false then"],
  ["closed hours are charged", "tariff_of_stay", "if v_result.free_while_closed then", "if false then"],
  ["a stay between two sums costs the next one", "walk_of_totals", "v_result.at_least < v_result.at_most or ", ""],
  [
    "a sum is only for shorter stays",
    "walk_of_totals",
    "if c_units[v_rule] <= p_exit - p_entry then",
    "if c_units[v_rule] < p_exit - p_entry then",
  ],
  ["sums may fall with time", "walk_of_totals", "where s.price < s.most", "where false"],
  ["sums hold into a special date", "walk_of_totals", "<= c_last)", "< c_first)"],
  ["units of a band are not counted", "compute_fee", "c_max_units[v_rule] - v_left + v_units", "0"],
  ["units are counted by the day", "compute_fee", "v_now - v_midnight < c_starts[v_rule])::integer", "false)::integer"],
  [
    "units are counted from entry to exit",
    "compute_fee",
    "when v_occurrences[v_rule] = v_occurrence then",
    "when true then",
  ],
  [
    "one unit too many begins in a band",
    "compute_fee",
    "c_max_units[v_rule] - case when",
    "c_max_units[v_rule] + 1 - case when",
  ],
  ["units of a band are not bounded together", "compute_fee", "v_units := least(v_units, v_left);", ""],
  ["no rate follows after the counted units", "with_plans", "v_next_rates := v_next_rates || v_rate;", ""],
  ["one rate follows after the counted units", "compute_fee", "v_next := v_next + 1;", "v_next := 1000;"],
  [
    "the rate after it does not change in a band",
    "with_plans",
    "v_rule = v_last and p_tariff.max_units is null",
    "v_rule = v_last",
  ],
  ["clocks never change", "clock_offset", "return round(", "return 3600000000; return round("],
];
for (const [wrong, name, from, to] of breaks) {
  Deno.test(`fee cases: the worked examples detect when ${wrong}`, async () => {
    const undo = new Error("undo");
    await assert.rejects(
      db.sql.begin(async (sql) => {
        await replaceIn(sql, name, from, to);
        if (name === "with_plans") await sql`select private.refresh_tariffs(${lots})`;
        await sql`set local statement_timeout = '5s'`;
        const outcomes = (await stayFees(sql, questions)).map((outcome) =>
          typeof outcome === "string" ? "fee_unknown" : outcome
        );
        assert.notDeepEqual(outcomes, expected);
        throw undo;
      }),
      undo,
    );
  });
}
