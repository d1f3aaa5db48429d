// OpenStreetMap's tags of car parks as rules, hours and fields, and back. Rules that tags can carry cost the same after a
// round trip, by the naive oracle.
import assert from "node:assert/strict";
import type { BusinessWindow } from "../../supabase/functions/_shared/import/window.ts";
import { mapRecord } from "../../supabase/functions/_shared/import/lot.ts";
import type { PricingRule } from "../../supabase/functions/_shared/import/pricing.ts";
import { rulesOfTags, type Tags, tagsOfRules } from "../../supabase/functions/_shared/osm/charges.ts";
import { lotOfTags, tagsOfLot } from "../../supabase/functions/_shared/osm/lot_tags.ts";
import { hoursOfWindows, windowsOfHours } from "../../supabase/functions/_shared/osm/opening_hours.ts";
import { recognisedMapping } from "../../tools/importer/mapping/choose.ts";
import { withReading } from "../../tools/importer/readers.ts";
import { openSource } from "../../tools/importer/reading/open.ts";
import { isUnreadable } from "../../supabase/functions/_shared/import/reading/record.ts";
import { naiveFee, type Rule } from "../oracles/fees.ts";
import { Chance } from "../oracles/random_fees.ts";
import { collection, fileOf, point } from "./files.ts";
import { volume } from "../support/sizes.ts";

const ROUNDS = volume("OSM_ROUNDS", 200);

function words(rules: readonly PricingRule[] | null): readonly string[] {
  return (rules ?? []).map((rule) =>
    [
      rule.category,
      rule.day_type,
      rule.time_start === undefined ? undefined : `${rule.time_start}-${rule.time_end}`,
      rule.per_minutes,
      rule.price_minor,
    ].filter((part) => part !== undefined && part !== null).join(" ")
  );
}

const FORMS: readonly (readonly [Tags, readonly string[]])[] = [
  [{}, []],
  [{ fee: "yes" }, []],
  [{ fee: "no" }, ["flat all 0"]],
  [{ fee: "yes", charge: "1.50 EUR/hour" }, ["time_band all 60 150"]],
  [{ charge: "300 JPY/30 minutes" }, ["time_band all 30 300"]],
  [{ charge: "0.02 USD / minute" }, ["time_band all 1 2"]],
  [{ fee: "yes", charge: "5 EUR" }, ["flat all 500"]],
  [{ fee: "yes", charge: "1 EUR/2 hours", "fee:conditional": "no @ (stay < 30 minutes)" }, [
    "grace all 30",
    "time_band all 120 100",
  ]],
  [{ fee: "no", charge: "1 EUR/hour", "fee:conditional": "yes @ stay > 2 hours" }, [
    "grace all 120",
    "time_band all 60 100",
  ]],
  [{ fee: "yes", charge: "1 EUR/hour", "charge:conditional": "0 EUR @ (stay <= 1 hour)" }, [
    "grace all 60",
    "time_band all 60 100",
  ]],
  [{ fee: "yes", charge: "1 EUR/hour", "fee:conditional": "no @ (18:00-08:00)" }, [
    "time_band all 08:00-18:00 60 100",
    "flat all 18:00-08:00 0",
  ]],
  [{ fee: "no", charge: "1 EUR/hour", "fee:conditional": "yes @ (Mo-Fr 09:00-19:00); yes @ (Sa 09:00-13:00)" }, [
    "flat weekday 00:00-09:00 0",
    "time_band weekday 09:00-19:00 60 100",
    "flat weekday 19:00-24:00 0",
    "flat saturday 00:00-09:00 0",
    "time_band saturday 09:00-13:00 60 100",
    "flat saturday 13:00-24:00 0",
    "flat sunday 00:00-24:00 0",
  ]],
  [
    { fee: "no", charge: "1 EUR/hour", "fee:conditional": "yes @ (Mo-Sa 09:00-19:00)" },
    [
      "flat weekday 00:00-09:00 0",
      "time_band weekday 09:00-19:00 60 100",
      "flat weekday 19:00-24:00 0",
      "flat saturday 00:00-09:00 0",
      "time_band saturday 09:00-19:00 60 100",
      "flat saturday 19:00-24:00 0",
      "flat sunday 00:00-24:00 0",
    ],
  ],
  [{ fee: "yes", charge: "2 EUR/hour", "charge:conditional": "3 EUR/hour @ (Sa,Su,PH)" }, [
    "time_band weekday 60 200",
    "time_band saturday 60 300",
    "time_band sunday 60 300",
    "time_band holiday 60 300",
  ]],
  [{ fee: "yes", "charge:conditional": "200 JPY/20 minutes @ (08:00-20:00); 500 JPY @ (20:00-08:00)" }, [
    "time_band all 08:00-20:00 20 200",
    "flat all 20:00-08:00 500",
  ]],
  // A later condition replaces an earlier one.
  [
    {
      fee: "yes",
      charge: "1 EUR/hour",
      "charge:conditional": "2 EUR/hour @ (08:00-20:00); 3 EUR/hour @ (12:00-14:00)",
    },
    [
      "time_band all 08:00-12:00 60 200",
      "time_band all 12:00-14:00 60 300",
      "time_band all 14:00-20:00 60 200",
      "time_band all 20:00-08:00 60 100",
    ],
  ],
];

Deno.test("OpenStreetMap: fee and charge tags, with conditions, become the rows that they say", () => {
  for (const [tags, expected] of FORMS) {
    assert.deepEqual(words(rulesOfTags(tags).rules), expected, JSON.stringify(tags));
  }
});

Deno.test("OpenStreetMap: a charge that is not read, or that leaves a question open, is refused with the reason", () => {
  const refused: readonly (readonly [Tags, RegExp])[] = [
    [{ fee: "interval" }, /fee=interval/],
    [{ fee: "yes", charge: "1 EUR/day" }, /not a number of minutes or hours/],
    [{ fee: "yes", charge: "1 €/h" }, /is not read/],
    [{ fee: "yes", charge: "1.005 EUR/hour" }, /not an amount of money/],
    [{ fee: "yes", charge: "1.50 JPY/hour" }, /not an amount of money/],
    [{ fee: "yes", charge: "Mo-Fr 7.00 BRL" }, /is not read/],
    [{ fee: "yes", charge: "1 EUR/hour;5 EUR/day" }, /not a number of minutes/],
    [{ fee: "no", charge: "1 EUR/hour" }, /fee=no with a charge/],
    [{ fee: "yes", charge: "1 EUR/hour", "fee:conditional": "no @ customers" }, /is not read as days/],
    [{ fee: "yes", charge: "1 EUR/hour", "fee:conditional": "no @ (We)" }, /Monday to Friday/],
    [
      { fee: "yes", charge: "1 EUR/hour", "charge:conditional": "2 EUR/hour @ (Jul-Aug)" },
      /not days of the week|not read as days/,
    ],
    [
      { fee: "yes", charge: "1 EUR/hour", "charge:conditional": "2 EUR/hour @ (stay > 2 hours)" },
      /stays of some length/,
    ],
    [{ fee: "yes", charge: "5 EUR", "charge:conditional": "7 EUR @ (18:00-22:00)" }, /one price for a stay/],
    [{ fee: "yes", "charge:conditional": "7 EUR @ (Sa,Su)" }, /until when/],
    [
      { fee: "yes", "charge:conditional": "1 EUR/hour @ (08:00-20:00); 1 USD/hour @ (20:00-08:00)" },
      /several currencies/,
    ],
    [{ fee: "yes", charge: "1 EUR/hour", "fee:conditional": "no @ (Fr 20:00-08:00)" }, /on some days only/],
    [
      { fee: "yes", charge: "1 EUR/hour", "charge:conditional": "3 EUR/hour @ (PH); 2 EUR/hour @ (Mo-Fr)" },
      /holidays that conditions for days of the week name too/,
    ],
    [
      { fee: "no", charge: "1 EUR/hour", "fee:conditional": "yes @ (Mo-Fr 08:00-20:00); yes @ (PH 10:00-16:00)" },
      /holidays that conditions for days of the week name too/,
    ],
    [{ fee: "yes", charge: "1 EUR/hour", "charge:conditional": "2 EUR/hour" }, /the condition .* is not read/],
  ];
  for (const [tags, reason] of refused) assert.throws(() => rulesOfTags(tags), reason, JSON.stringify(tags));
});

const HOURS: readonly (readonly [string, string])[] = [
  ["24/7", "24/7"],
  ["08:00-20:00", "Mo-Su 08:00-20:00"],
  ["Mo-Fr 08:00-20:00; Sa 09:00-18:00", "Mo-Fr 08:00-20:00; Sa 09:00-18:00"],
  ["Fr,Sa 18:00-02:00", "Fr,Sa 18:00-02:00"],
  ["Mo-Fr 08:00-20:00; PH 10:00-16:00", "Mo-Fr 08:00-20:00; PH 10:00-16:00"],
  ["off", "off"],
  ["Mo-Su,PH 06:30-24:00", "Mo-Su 06:30-24:00"],
  ["Mo-Fr 08:00-12:00,13:00-18:00; PH off", "Mo-Fr 08:00-12:00,13:00-18:00; PH off"],
  ["Mo-Sa 07:00-22:00; We off", "Mo,Tu,Th-Sa 07:00-22:00"],
  ["Mo-Su 08:00-20:00; Su 10:00-18:00", "Mo-Sa 08:00-20:00; Su 10:00-18:00"],
];

Deno.test("OpenStreetMap: opening hours become windows, and the windows become hours that mean the same", () => {
  for (const [value, written] of HOURS) {
    const windows = windowsOfHours(value);
    assert.equal(hoursOfWindows(windows), written);
    assert.deepEqual(new Set(windowsOfHours(written).map((one) => JSON.stringify(one))).size, windows.length);
    assert.equal(hoursOfWindows(windowsOfHours(written)), written);
  }
  for (
    const value of [
      "sunrise-sunset",
      "Apr-Oct 08:00-20:00",
      "Mo-Fr",
      "25:00-26:70",
      "Mo[1] 10:00-12:00",
      '"by phone"',
      "",
      "22:00-02:00; Tu off",
      "PH off; Mo-Sa 08:00-18:00",
    ]
  ) {
    if (value === "Mo-Fr") assert.deepEqual(windowsOfHours(value)[0]?.is_24h, true);
    else assert.throws(() => windowsOfHours(value), /./, value);
  }
});

const ZONE = "Asia/Tokyo";

function cost(rules: readonly PricingRule[], entry: number, exit: number): number | string {
  const fee = naiveFee({
    time_zone: ZONE,
    rules: rules.map((rule, n) => ({ id: String(n), ...rule }) as Rule),
    date_overrides: [],
    holidays: new Set(["2026-09-21", "2026-09-22", "2026-09-23"]),
    entry_at: new Date(entry).toISOString(),
    exit_at: new Date(exit).toISOString(),
  });
  return "total" in fee ? fee.total : fee.reason;
}

/** Rows of the kinds that tags can carry, and now and then one that they cannot. */
function randomRules(chance: Chance): readonly PricingRule[] {
  const days = ["all", "all", "all", "weekday", "saturday", "sunday", "holiday"] as const;
  const at = () => `${String(chance.int(0, 23)).padStart(2, "0")}:${chance.happens(0.5) ? "00" : "30"}`;
  const rules: Omit<PricingRule, "rule_order">[] = [];
  for (let n = chance.int(1, 4); n > 0; n--) {
    const isFree = chance.happens(0.2), isFlat = isFree || chance.happens(0.2);
    const start = at(), end = at();
    rules.push({
      category: isFlat ? "flat" : "time_band",
      day_type: days[chance.int(0, days.length - 1)]!,
      ...(chance.happens(0.3) || start === end ? {} : { time_start: start, time_end: end === "00:00" ? "24:00" : end }),
      ...(isFlat ? {} : { per_minutes: [15, 20, 30, 60][chance.int(0, 3)]! }),
      price_minor: isFree ? 0 : chance.int(1, 9) * 100,
    });
  }
  if (chance.happens(0.2)) rules.push({ category: "grace", day_type: "all", per_minutes: chance.int(1, 4) * 15 });
  if (chance.happens(0.1)) rules.push({ category: "cap", cap_type: "day", cap_price_minor: 1000, cap_repeat: true });
  return rules.map((rule, n) => ({ ...rule, rule_order: n + 1 }));
}

Deno.test(`OpenStreetMap: ${ROUNDS} random price lists cost the same after a round trip, or are listed as lost`, () => {
  const chance = new Chance(34);
  let carried = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const rules = randomRules(chance);
    const { tags, lost } = tagsOfRules(rules, "JPY");
    if (lost.length > 0) {
      assert.deepEqual(
        Object.keys(tags).filter((key) => key !== "fee"),
        [],
        "a charge that would be wrong is not written",
      );
      continue;
    }
    let back: readonly PricingRule[];
    try {
      back = rulesOfTags(tags).rules ?? [];
    } catch (error) {
      throw new Error(`${JSON.stringify(rules)} as ${JSON.stringify(tags)}`, { cause: error });
    }
    carried++;
    assert.deepEqual(tagsOfRules(back, "JPY").tags, tags);
    for (let stay = 0; stay < 12; stay++) {
      const entry = Date.UTC(2026, 8, 14) + chance.int(0, 12 * 1440) * 60_000;
      const exit = entry + chance.int(1, chance.happens(0.3) ? 3000 : 400) * 60_000;
      const before = cost(rules, entry, exit), after = cost(back, entry, exit);
      assert.equal(after, before, JSON.stringify({ rules, tags, back, entry: new Date(entry), exit: new Date(exit) }));
    }
  }
  assert.ok(carried > ROUNDS / 4, `${carried} carried`);
});

Deno.test("OpenStreetMap: rules of tags become the same tags and the same rules", () => {
  for (const [tags, expected] of FORMS) {
    const { rules, currency } = rulesOfTags(tags);
    if (rules === null) continue;
    const written = tagsOfRules(rules, currency ?? "JPY");
    assert.deepEqual(written.lost, [], JSON.stringify(tags));
    const back = rulesOfTags(written.tags);
    assert.deepEqual(words(back.rules).toSorted(), expected.toSorted(), JSON.stringify([tags, written.tags]));
  }
});

Deno.test("OpenStreetMap: what tags cannot carry is listed, and no charge is written", () => {
  const rate: PricingRule = { category: "time_band", rule_order: 1, per_minutes: 30, price_minor: 200 };
  const lists: readonly (readonly [readonly PricingRule[], string])[] = [
    [
      [rate, { category: "cap", rule_order: 2, cap_type: "day", cap_price_minor: 900, cap_repeat: true }],
      "a maximum price",
    ],
    [[rate, { category: "initial", rule_order: 2, per_minutes: 60, price_minor: 0 }], "a price of the first minutes"],
    [[{ ...rate, day_type: "holiday_eve" }], "a price of the eve of a holiday"],
    [[Object.assign({ effective_from: "2026-12-01" }, rate)], "a price with dates"],
    [
      [{ ...rate, time_start: "08:00", time_end: "22:00", max_units: 4 }, { ...rate, rule_order: 2 }],
      "a price of some units of a band",
    ],
    [
      [rate, { category: "flat", rule_order: 2, price_minor: 500 }],
      "one price for a stay, on some days or beside others",
    ],
    [[{ ...rate, cap_type: "day", cap_price_minor: 900, cap_repeat: true }], "a maximum price"],
    [
      [rate, { ...rate, rule_order: 0, price_minor: 0, time_start: "20:00", time_end: "08:00" }],
      "free units that may run on into paid hours",
    ],
  ];
  for (const [rules, lost] of lists) {
    assert.deepEqual(tagsOfRules(rules, "JPY"), { tags: { fee: "yes" }, lost: [lost] });
  }
});

Deno.test("OpenStreetMap: capacity, height, longest stay and access are read and written", () => {
  const tags = {
    capacity: "120",
    maxheight: "2.1",
    maxstay: "2 hours",
    opening_hours: "Mo-Su 06:00-23:00",
    fee: "yes",
    charge: "300 JPY/30 minutes",
  };
  const { problems, rules, windows, ...fields } = lotOfTags(tags);
  assert.deepEqual(problems, []);
  assert.deepEqual(fields, { total_spaces: 120, max_height_m: 2.1, max_parking_duration_min: 120, currency: "JPY" });
  assert.deepEqual(tagsOfLot({ ...fields, currency: "JPY", rules: rules!, windows: windows! }), {
    tags: { amenity: "parking", access: "yes", ...tags },
    lost: [],
  });
  assert.equal(lotOfTags({ maxheight: `6'8"` }).max_height_m, 2.03);
  assert.equal(lotOfTags({ maxheight: "default", maxstay: "unlimited" }).max_height_m, null);
  assert.deepEqual(
    lotOfTags({ capacity: "~50", maxheight: "low", maxstay: "1 week", opening_hours: "dawn-dusk", fee: "sometimes" })
      .problems
      .map(({ tag }) => tag),
    ["fee", "capacity", "maxheight", "maxstay", "opening_hours"],
  );
  assert.deepEqual(
    tagsOfLot({ currency: "JPY", structure: "mechanical", tags: { wheelchair_accessible: true, ev_charging: false } }),
    {
      tags: { amenity: "parking", access: "yes", "capacity:disabled": "yes", "capacity:charging": "no" },
      lost: ["the structure mechanical"],
    },
  );
});

Deno.test("OpenStreetMap: features and elements of Overpass are recognised and become the same lot", async () => {
  const tags = {
    amenity: "parking",
    name: "試験駐車場",
    parking: "underground",
    capacity: "40",
    "capacity:disabled": "2",
    opening_hours: "24/7",
    charge: "400 JPY/hour",
  };
  const files = [
    await fileOf(
      "osm.geojson",
      collection([
        { id: "way/7", geometry: point(139.7, 35.6), properties: { "@id": "way/7", ...tags } },
        { id: "way/8", geometry: point(139.7, 35.6), properties: { "@id": "way/8", ...tags, access: "private" } },
      ]),
    ),
    await fileOf(
      "osm.json",
      JSON.stringify({
        version: 0.6,
        elements: [
          { type: "way", id: 7, center: { lat: 35.6, lon: 139.7 }, tags },
          { type: "node", id: 8, lat: 35.6, lon: 139.7, tags: { ...tags, access: "private" } },
        ],
      }),
    ),
  ];
  for (const file of files) {
    const { format, records } = await openSource(file);
    const read = [];
    for await (const record of records) if (!isUnreadable(record)) read.push(record);
    const mapping = await recognisedMapping(format, read);
    assert.equal(mapping.name, "osm_parking_japan");
    const [open, closed] = read.map((record) => withReading(record, mapping, mapRecord));
    assert.deepEqual(closed, { skipped: "not open to the public (access)" });
    assert.ok(open !== undefined && "lot" in open, JSON.stringify(open));
    const { lot } = open;
    assert.equal(lot.externalId, "way/7");
    assert.deepEqual(
      ["name", "lat", "lng", "total_spaces", "structure"].map((field) => lot.fields.get(field as "name")),
      [
        "試験駐車場",
        35.6,
        139.7,
        40,
        "underground",
      ],
    );
    assert.deepEqual([lot.tags["wheelchair_accessible"], lot.tags["open_24h"], lot.warnings], [true, true, []]);
    assert.deepEqual(words(lot.pricing), ["time_band all 60 400"]);
    assert.deepEqual((lot.windows as readonly BusinessWindow[]).map(({ is_24h }) => is_24h), [true]);
  }
});
