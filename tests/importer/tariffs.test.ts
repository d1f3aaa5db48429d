// Price lists in words: what their lines become, what is refused, and what stays cost. The lists here are written for the
// tests. With OPEN_DATA the published lists are read too, and 40 of them cost what a person read:
//   OPEN_DATA=/folder/of/files deno task test -- tests/importer/tariffs.test.ts
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { PricingRule } from "../../supabase/functions/_shared/import/pricing.ts";
import { openSource } from "../../tools/importer/reading/open.ts";
import { isUnreadable } from "../../supabase/functions/_shared/import/reading/record.ts";
import { greenPTariff } from "../../tools/importer/tariffs/green_p.ts";
import { singaporeTariff } from "../../tools/importer/tariffs/singapore.ts";
import type { Tariff } from "../../tools/importer/tariffs/tariff.ts";
import { naiveFee, type Rule } from "../oracles/fees.ts";
import CHECKED from "./checked_tariffs.json" with { type: "json" };

const OPEN_DATA = Deno.env.get("OPEN_DATA");

type Values = Readonly<Record<string, unknown>>;

function priced(zone: string, rules: readonly PricingRule[], entry: string, exit: string): number | null {
  const offset = zone === "America/Toronto" ? "-04:00" : "+08:00";
  const fee = naiveFee({
    time_zone: zone,
    rules: rules.map((rule, n) => ({ id: String(n), ...rule }) as Rule),
    date_overrides: [],
    holidays: new Set(["2026-09-07"]),
    entry_at: `${entry}:00${offset}`,
    exit_at: `${exit}:00${offset}`,
  });
  return "total" in fee ? fee.total : null;
}

function greenP(rate: string, periods: readonly object[], more: Values = {}, addenda: readonly string[] = []): Values {
  return { rate, rate_details: { periods, addenda }, changing_rates: false, ...more };
}

function period(title: string, rates: Readonly<Record<string, string>>, notes: readonly string[] = []) {
  return { title, rates: Object.entries(rates).map(([when, rate]) => ({ when, rate })), notes };
}

function rates(weekday: string, second = "-", saturday = "Same as wkdays", sunday = "Same as wkdays"): Values {
  return {
    weekdays_rate_1: weekday,
    weekdays_rate_2: second,
    saturday_rate: saturday,
    sunday_publicholiday_rate: sunday,
  };
}

function inWords(tariff: Tariff): readonly string[] {
  if ("problem" in tariff) return [tariff.problem];
  return tariff.rules.map((rule) =>
    [
      rule.category,
      rule.day_type,
      rule.time_start === undefined ? undefined : `${rule.time_start}-${rule.time_end}`,
      rule.per_minutes,
      rule.price_minor,
      rule.cap_type,
      rule.cap_duration_hours,
      rule.cap_price_minor,
    ].filter((part) => part !== undefined && part !== null).join(" ")
  );
}

Deno.test("Green P: the half-hour price holds in the hours of the lines, and each maximum caps its own hours", () => {
  const whole = period("Monday - Sunday & Holidays", {
    "Day Maximum (7am - 6pm)": "$9.00",
    "Night Maximum (6pm - 7am)": "$4.50",
  });
  assert.deepEqual(inWords(greenPTariff(greenP("$1.25 / Half Hour", [whole]))), [
    "time_band all 30 125",
    "cap all 07:00-18:00 band 900",
    "cap all 18:00-07:00 band 450",
  ]);
  const parts = [
    period("Monday - Friday", { "Night Maximum (5pm - 9pm)": "$5.00" }, ["FREE PARKING BEFORE 5pm"]),
    period("Saturday/Sunday/Holidays", { "Maximum (9am - 11:59pm)": "NO MAXIMUM" }, ["There are no elevators here"]),
  ];
  assert.deepEqual(inWords(greenPTariff(greenP("$1.00 / Half Hour", parts))), [
    "flat weekday 00:00-17:00 0",
    "time_band weekday 17:00-21:00 30 100",
    "cap weekday 17:00-21:00 band 500",
    "time_band saturday 09:00-24:00 30 100",
    "time_band sunday 09:00-24:00 30 100",
    "time_band holiday 09:00-24:00 30 100",
  ]);
  const rolling = period("Monday to Sunday", { "Maximum (Any 12 hour Period)": "$7.00" });
  assert.deepEqual(inWords(greenPTariff(greenP("$2.00 / Half Hour", [rolling]))), [
    "time_band all 30 200",
    "cap all duration 12 700",
  ]);
  const flat = period("Monday - Friday & Holidays", { "Flat Rate (5am - 2am)": "$3.00" });
  assert.deepEqual(
    inWords(greenPTariff(greenP("$0.00 / Half Hour", [flat], {}, ["NO PARKING FROM 2AM - 5AM EVERY NIGHT"]))),
    [
      "flat weekday 05:00-02:00 300",
      "flat holiday 05:00-02:00 300",
    ],
  );
});

Deno.test("Green P: a list with a part that is not read has no rules, and the reason names the part", () => {
  const day = { "Day Maximum (7am - 6pm)": "$9.00" };
  const refusals: readonly [Values, RegExp][] = [
    [greenP("$1.00 / Half Hour", []), /^no line states the hours/],
    [greenP("$1.00 / Half Hour", [period("Monday - Thursday", day)]), /^the days "Monday - Thursday"/],
    [greenP("$1.00 / Half Hour", [period("Mondays", day)]), /^the title "Mondays"/],
    [
      greenP("$1.00 / Half Hour", [period("Monday - Sunday", { ...day, "Event Rate": "$20.00" })]),
      /Event Rate: \$20\.00/,
    ],
    [greenP("$1.00 / Half Hour", [period("Monday - Sunday", day, ["$2.00 Each HOUR"])]), /Each HOUR/],
    [
      greenP("$1.00 / Half Hour", [period("Monday - Sunday", day, ["Rate 1/2 HR - $2.00"])]),
      /another price of a half hour/,
    ],
    [greenP("$1.00 / Half Hour", [period("Monday - Sunday", day)], {}, ["ENTRY BEFORE 9AM ONLY"]), /^the addition/],
    [greenP("$1.00 / Half Hour", [period("Monday - Sunday", day)], { changing_rates: true }), /changing/],
    [greenP("$0.00 / Half Hour", [period("Monday - Sunday", day)]), /either free or unknown/],
    [
      greenP("$1.00 / Half Hour", [period("Monday - Sunday", { "Maximum (7am - 6pm)": "$0.50" })]),
      /less than the price/,
    ],
    [
      greenP("$1.00 / Half Hour", [period("Monday - Sunday", { ...day, "Night Maximum (5pm - 7am)": "$4.00" })]),
      /overlap/,
    ],
    [
      greenP("$0.00 / Half Hour", [
        period("Monday - Sunday", { "Flat Rate (5am - 3pm)": "$2.00", "Flat Rate (3pm - 2am)": "$2.00" }),
      ]),
      /whether a stay across both pays both/,
    ],
  ];
  for (const [values, reason] of refusals) {
    const tariff = greenPTariff(values);
    assert.match("problem" in tariff ? tariff.problem : "", reason);
  }
});

Deno.test("Singapore: first hours, later units, prices per entry and free hours become rules of their days", () => {
  const cases: readonly [Values, readonly string[]][] = [
    [rates("7am-6pm: $1.30 for 1st hr; $0.70 for sub. ½ hr or part thereof", "Aft 6pm: $3 per entry"), [
      "initial all 07:00-18:00 60 130",
      "time_band all 07:00-18:00 30 70",
      "flat all 18:00-07:00 300",
    ]],
    [rates("Daily: 1st hr: Free; $2 for sub. hr", "-", "-", "-"), ["initial all 60 0", "time_band all 60 200"]],
    [rates("1st hr $1.10; 2nd hr $0.60 per ½ hr; Aft 2hrs: $0.40 per 15 mins"), [
      "initial all 60 110",
      "initial all 30 60",
      "initial all 30 60",
      "time_band all 15 40",
    ]],
    [rates("8.01am-5pm: $0.05 per min/$3 per hr", "5.01pm-7.59am: Free", "Same as wkdays", "$4 flat"), [
      "time_band weekday 08:00-17:00 1 5",
      "flat weekday 17:00-08:00 0",
      "time_band saturday 08:00-17:00 1 5",
      "flat saturday 17:00-08:00 0",
      "flat sunday 00:00-24:00 400",
      "flat holiday 00:00-24:00 400",
    ]],
    [
      rates("0800-1800: $1 per ½ hr", "Aft 6pm: $2 per entry", "Charges same as wkdays, but $2.50 per entry after 1pm"),
      [
        "time_band weekday 08:00-18:00 30 100",
        "flat weekday 18:00-08:00 200",
        "time_band saturday 08:00-13:00 30 100",
        "flat saturday 13:00-08:00 250",
        "time_band sunday 08:00-18:00 30 100",
        "flat sunday 18:00-08:00 200",
        "time_band holiday 08:00-18:00 30 100",
        "flat holiday 18:00-08:00 200",
      ],
    ],
    [rates("$3 per hr (Capped at $20 every 24hrs)"), ["time_band all 60 300", "cap all duration 24 2000"]],
  ];
  for (const [values, words] of cases) assert.deepEqual(inWords(singaporeTariff(values)), words);
});

Deno.test("Singapore: a text that is not read whole, or that leaves a question open, is refused with the reason", () => {
  const refusals: readonly [Values, RegExp][] = [
    [rates("$0.018 /min"), /not a whole number of cents/],
    [rates("$0.50 /30 mins (Per Minute Charging)"), /charged by the minute/],
    [rates("Mon-Thu: 7am-5pm: $1 per hr"), /^the days "mon-thu"/],
    [rates("7am-5pm: $1 per hr", "-", "Same as wkdays", "-"), /Sundays and public holidays/],
    [rates("7am-5pm: $1 per hr", "4pm-11pm: $2 per entry"), /overlap/],
    [
      rates("7am-5pm: $2 for 1st hr; $1 for sub. hr", "Aft 5pm: $2 for 1st hr; $1 for sub. hr"),
      /in two parts of a day/,
    ],
    [rates("$1 per hr", "Aft 6pm: $2 per entry"), /where "after" ends/],
    [rates("7am-5pm: $1 per hr (Lunch surcharge of $1)"), /lunch surcharge/],
    [rates("7am-5pm: $1 per hr; max $9"), /max \$9/],
    [rates("Season Parking Only"), /^no price: Season Parking Only/],
    [rates("7am-5pm: $1 per hr", "Aft 5pm: $2 per entry", "Closed", "Closed"), /^no price: Closed/],
    [
      rates(
        "7am-12am: $1 per hr; Aft 12am: $2 per hr",
        "-",
        "Same as wkdays",
        "7am-12am: $1 per hr; Aft 12am: $3 per hr",
      ),
      /hours after midnight/,
    ],
    [rates("7pm-6pm: $1 per hr", "Aft 6pm: $2 per entry"), /more than 18 hours/],
    [rates("$0.05 per min/$4 per hr"), /two prices/],
    [rates("-"), /no price of weekdays/],
  ];
  for (const [values, reason] of refusals) {
    const tariff = singaporeTariff(values);
    assert.match("problem" in tariff ? tariff.problem : JSON.stringify(tariff), reason);
  }
});

Deno.test("Singapore: hostile texts are refused or read in linear time, and do not raise an error", () => {
  const texts = [
    "$",
    "((((",
    "7am-",
    "½".repeat(5000),
    "$1 per hr;".repeat(500),
    "1st ".repeat(2000),
    "9".repeat(9000),
  ];
  for (const text of texts) {
    const tariff = singaporeTariff(rates(text));
    assert.ok("problem" in tariff || tariff.rules.length > 0);
    assert.ok("problem" in greenPTariff(greenP(text, [period(text, { [text]: text }, [text])])));
  }
});

const PUBLISHED = [
  {
    set: "toronto_green_p",
    file: "toronto_green_p/green-p-parking-2019.json",
    zone: "America/Toronto",
    read: greenPTariff,
    idOf: (values: Values, _position: number) => String(values["id"]),
    expected: { lots: 252, lotsRead: 184, lines: 547, linesRead: 376 },
  },
  {
    set: "singapore_carpark_rates",
    file: "singapore_lta/CarparkRates.csv",
    zone: "Asia/Singapore",
    read: singaporeTariff,
    idOf: (_values: Values, position: number) => String(position),
    expected: { lots: 357, lotsRead: 194, lines: 1270, linesRead: 712 },
  },
] as const;

for (const { set, file, zone, read, idOf, expected } of PUBLISHED) {
  Deno.test({
    name: `${set}: every published line is read or refused with a reason, and 20 lists cost what a person read`,
    // A folder need not have every published file.
    ignore: !OPEN_DATA || !existsSync(join(OPEN_DATA, file)),
    fn: async () => {
      const counts = { lots: 0, lotsRead: 0, lines: 0, linesRead: 0 };
      const checked = new Map(Object.entries(CHECKED[set]));
      for await (const record of (await openSource(join(OPEN_DATA!, file))).records) {
        assert.ok(!isUnreadable(record));
        const tariff = read(record.values);
        counts.lots++;
        counts.lines += tariff.lines;
        if ("problem" in tariff) {
          assert.ok(tariff.problem.length > 0);
          continue;
        }
        counts.lotsRead++;
        counts.linesRead += tariff.lines;
        const id = idOf(record.values, record.position);
        for (const { entry, exit, amount } of checked.get(id) ?? []) {
          assert.equal(priced(zone, tariff.rules, entry, exit), amount, `${set} ${id} ${entry} to ${exit}`);
        }
        checked.delete(id);
      }
      assert.deepEqual(counts, expected);
      assert.deepEqual([...checked.keys()], []);
    },
  });
}
