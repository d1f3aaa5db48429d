// Prices of the Swiss stations: what their steps become, and that stays over them cost what the oracle says. A small
// file of the same shape is read, or with OPEN_DATA the published one.
//   OPEN_DATA=/folder/of/files SWISS_STAYS=10000 deno task test -- tests/importer/swiss_prices.test.ts
import assert from "node:assert/strict";
import { join } from "node:path";
import { importFile } from "../../tools/importer/run.ts";
import { answers } from "../db/support/fees.ts";
import { naiveFee, type Rule } from "../oracles/fees.ts";
import { Chance } from "../oracles/random_fees.ts";
import { database } from "../support/database.ts";
import { collection, fileOf, point } from "./files.ts";
import { volume } from "../support/sizes.ts";

const STAYS = volume("SWISS_STAYS", 500);
const OPEN_DATA = Deno.env.get("OPEN_DATA");
const MINUTE = 60_000;

const db = await database();
Deno.test.afterAll(() => db.close());

interface Model {
  minimumDuration: number | null;
  viableIncrement: number | null;
  maximumDayPrice: number | string | null;
  priceSegments: readonly { startingFrom: number; price: number }[] | null;
  /** What the operator tells customers beside the price. */
  text?: string;
}

const HOURLY: Model = {
  minimumDuration: 60,
  viableIncrement: 60,
  maximumDayPrice: 400,
  priceSegments: [{ startingFrom: 0, price: 100 }],
};

/** A file of stations, each named by its place in the list, with these prices. */
function stations(models: readonly Model[]): Promise<string> {
  return fileOf(
    "stations.geojson",
    collection(models.map(({ text, ...model }, n) => ({
      id: String(n),
      geometry: point(8.1, 47.3),
      properties: {
        didokId: String(n),
        operator: "SBB",
        displayName: `Testlingen ${n}`,
        publicAccess: true,
        address: { addressLine: "Bahnhofstrasse", city: "Testlingen", postalCode: "9999" },
        pricingModel: { maximumDuration: 10080, ...model },
        additionalInformationForCustomers: text === undefined ? null : { enText: text },
        operationTime: { operatingFrom: "00:00:00", operatingTo: "00:00:00", daysOfWeek: ["MONDAY", "SUNDAY"] },
        capacities: [{ categoryType: "STANDARD", total: 40 }],
        parkingFacilityCategory: "CAR",
        parkingFacilityType: "PARK_AND_RAIL",
      },
    }))),
  );
}

async function imported(models: readonly Model[], source: string = crypto.randomUUID()) {
  return await importFile(db.url, { file: await stations(models), source, quiet: true });
}

async function rulesOf(source: string): Promise<Map<string, (Rule & { lot: string })[]>> {
  const rows = await db.sql<(Rule & { lot: string; place: string })[]>`
    select l.id as lot, l.external_id as place, r.id, r.category, r.rule_order, r.per_minutes, r.price_minor, r.cap_type,
      r.cap_price_minor, r.cap_repeat
    from public.pricing_rules r join public.parking_lots l on l.id = r.parking_lot_id
    where l.source = ${source} order by l.external_id, r.rule_order`;
  return Map.groupBy(rows, (row) => row.place) as Map<string, (Rule & { lot: string })[]>;
}

/** A rule in one line: what it is, for how long, and its price or the most it lets pass. */
function inWords(rule: Rule): string {
  return rule.category === "cap"
    ? `cap ${rule.cap_type} ${rule.cap_price_minor} ${rule.cap_repeat ? "always" : "once"}`
    : `${rule.category} ${rule.per_minutes} ${rule.price_minor}`;
}

Deno.test("Swiss prices: each step becomes rules for units, the last rate and the maximum of a calendar day", async () => {
  const { source, counts } = await imported([
    HOURLY,
    { ...HOURLY, maximumDayPrice: null },
    {
      ...HOURLY,
      minimumDuration: 15,
      viableIncrement: 15,
      priceSegments: [
        { startingFrom: 15, price: 25 },
        { startingFrom: 0, price: 0 },
      ],
    },
    { ...HOURLY, priceSegments: [{ startingFrom: 0, price: 50 }, { startingFrom: 120, price: 100 }] },
    { ...HOURLY, text: "Price per hour CHF 1.--. Two additional e-parking spaces." },
  ]);
  assert.equal(counts.warnings, 0);
  const words = [...await rulesOf(source)].map(([, rules]) => rules.map(inWords));
  assert.deepEqual(words, [
    ["time_band 60 100", "cap day 400 always"],
    ["time_band 60 100"],
    ["initial 15 0", "time_band 15 25", "cap day 400 always"],
    ["initial 60 50", "initial 60 50", "time_band 60 100", "cap day 400 always"],
    ["time_band 60 100", "cap day 400 always"],
  ]);
});

Deno.test("Swiss prices: an ambiguous price is not imported, and the report has the reason", async () => {
  const { source, counts, entries } = await imported([
    { ...HOURLY, minimumDuration: 240 },
    { ...HOURLY, viableIncrement: null },
    { ...HOURLY, priceSegments: [{ startingFrom: 30, price: 100 }] },
    { ...HOURLY, priceSegments: [{ startingFrom: 0, price: 100 }, { startingFrom: 90, price: 50 }] },
    { ...HOURLY, priceSegments: [{ startingFrom: 0, price: -1 }] },
    { ...HOURLY, maximumDayPrice: "four francs" },
    { ...HOURLY, maximumDayPrice: null, priceSegments: [{ startingFrom: 0, price: 0 }] },
    { ...HOURLY, text: "Free of charge on Sundays and public holidays." },
    { ...HOURLY, text: "West car park is\nfree of charge" },
    { ...HOURLY, text: "Hourly rate: CHF 1 per hour, min. 2 hours." },
    { ...HOURLY, text: "Price per hour CHF 1.00. No day pass" },
    { ...HOURLY, text: "Goods shed area parking spaces CHF 4/40/400." },
    { ...HOURLY, text: "Only monthly subscriptions available." },
    { ...HOURLY, maximumDayPrice: 0 },
    { ...HOURLY, priceSegments: [{ startingFrom: 0, price: 100 }, { startingFrom: 0, price: 50 }] },
    { ...HOURLY, priceSegments: [{ startingFrom: 0, price: 100 }, { startingFrom: 6060, price: 50 }] },
    { ...HOURLY, priceSegments: [{ startingFrom: 0, price: 100 }, { startingFrom: 6000, price: 50 }] },
    { ...HOURLY, priceSegments: null },
  ]);
  assert.deepEqual([counts.inserted, counts.warnings], [18, 17]);
  assert.equal((await rulesOf(source)).size, 0);
  assert.deepEqual(entries.map(({ problems }) => `${problems[0]?.field}: ${problems[0]?.reason}`), [
    "pricing: at least 240 minutes are charged, but not for what price",
    "pricing: the duration that a price is for is missing",
    "pricing: a price from the start is missing",
    "pricing: the price changes after 90 minutes, which is not a multiple of the unit 60",
    "pricing: the price steps could not be read",
    'pricing: the maximum of a day, "four francs", could not be read',
    "pricing: every price is 0: either free or unknown",
    "pricing: the text says free of charge, on some days or in a part",
    "pricing: the text says free of charge, on some days or in a part",
    "pricing: the text says a least that the steps do not",
    "pricing: the text says no day pass, the steps a most of a day",
    "pricing: the text says another price for a part",
    "pricing: the text says that all or a part is for season or day tickets only",
    "pricing: the maximum of a day is 0: either free or no maximum",
    "pricing: two prices begin after 0 minutes",
    "pricing: the price has more than 100 steps",
    "pricing: the price has more than 100 steps",
  ]);
});

Deno.test("Swiss prices: a second import changes only changed prices, and other rules keep their ids", async () => {
  const source = crypto.randomUUID();
  await imported([HOURLY, HOURLY], source);
  const before = await rulesOf(source);
  assert.equal((await imported([HOURLY, HOURLY], source)).counts.unchanged, 2);
  assert.deepEqual(await rulesOf(source), before);

  const { counts } = await imported([HOURLY, { ...HOURLY, maximumDayPrice: 500 }], source);
  assert.deepEqual([counts.unchanged, counts.updated], [1, 1]);
  const after = await rulesOf(source);
  assert.deepEqual(after.get("0"), before.get("0"));
  assert.equal(after.get("1")![0]!.id, before.get("1")![0]!.id);
  assert.deepEqual(after.get("1")!.map(inWords), ["time_band 60 100", "cap day 500 always"]);

  // A rule written twice, and one that only looks the same, are not in the file.
  await db.sql`
    insert into public.pricing_rules (parking_lot_id, rule_order, category, per_minutes, price_minor, day_type)
    values (${after.get("0")![0]!.lot}, 1, 'time_band', 60, 100, null),
      (${after.get("0")![0]!.lot}, 1, 'time_band', 60, 100, 'sunday')`;
  const tidied = await imported([HOURLY, { ...HOURLY, maximumDayPrice: 500 }], source);
  assert.deepEqual([tidied.counts.unchanged, tidied.counts.updated], [1, 1]);
  assert.deepEqual((await rulesOf(source)).get("0")!.map(inWords), ["time_band 60 100", "cap day 400 always"]);
  const kept = await rulesOf(source);
  assert.equal((await imported([HOURLY, { ...HOURLY, maximumDayPrice: 500 }], source)).counts.unchanged, 2);

  // A price that cannot be read leaves the one that is there: somebody may have written it by hand.
  await imported([HOURLY, { ...HOURLY, minimumDuration: 240 }], source);
  assert.deepEqual(await rulesOf(source), kept);
});

Deno.test(`Swiss prices: ${STAYS} random stays cost the same as in the oracle`, async () => {
  const source = crypto.randomUUID();
  const file = OPEN_DATA ? join(OPEN_DATA, "swiss_rail_parking/opendata_swiss.geojson") : await stations([
    HOURLY,
    { ...HOURLY, minimumDuration: 240 },
    {
      ...HOURLY,
      maximumDayPrice: 1000,
      priceSegments: [{ startingFrom: 0, price: 200 }, { startingFrom: 60, price: 100 }],
    },
    {
      ...HOURLY,
      minimumDuration: 15,
      viableIncrement: 15,
      priceSegments: [
        { startingFrom: 0, price: 0 },
        { startingFrom: 15, price: 25 },
      ],
    },
  ]);
  const { counts } = await importFile(db.url, { file, mapping: "swiss_rail_parking", source, quiet: true });
  const rules = await rulesOf(source);
  if (OPEN_DATA) assert.deepEqual([counts.inserted, counts.warnings, rules.size], [649, 67, 582]);
  const lots = await db.sql<{ id: string; place: string }[]>`
    select id, external_id as place from public.parking_lots where source = ${source} order by external_id`;
  const chance = new Chance(20261121);
  const asked = Array.from({ length: STAYS }, () => {
    const { id, place } = lots[chance.int(0, lots.length - 1)]!;
    const entry = Date.UTC(2026, 0) + chance.int(0, 365 * 1440) * MINUTE;
    // Minutes for most, days for some: both what a unit is and what a day is has to be met.
    const exit = entry + chance.int(0, chance.happens(0.25) ? 20 * 1440 : 12 * 60) * MINUTE;
    return { lot: id, place, entry_at: new Date(entry).toISOString(), exit_at: new Date(exit).toISOString() };
  });
  const told = await answers(db.sql, asked.map(({ lot, entry_at, exit_at }) => ({ lot, entry_at, exit_at })));
  const found = told.map(({ total_amount, refusal }) => refusal?.reason ?? total_amount);
  const expected = asked.map(({ place, entry_at, exit_at }) => {
    const fee = naiveFee({
      time_zone: "Europe/Zurich",
      rules: rules.get(place) ?? [],
      date_overrides: [],
      holidays: new Set<string>(),
      entry_at,
      exit_at,
    });
    return "total" in fee ? fee.total : fee.reason;
  });
  const differs = found.findIndex((one, n) => one !== expected[n]);
  assert.ok(differs < 0, JSON.stringify({ found: found[differs], expected: expected[differs], ...asked[differs] }));
  assert.ok(found.includes("no_rules") && found.some((one) => typeof one === "number" && one > 0));
});
