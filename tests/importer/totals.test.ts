// Published totals against the service's fees: small files in the form of the published ones. With OPEN_DATA the published
// files are priced too:
//   OPEN_DATA=/folder/of/files deno task test -- tests/importer/totals.test.ts
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { importFile } from "../../tools/importer/run.ts";
import { publisherError, totalsOf } from "../../tools/importer/totals.ts";
import { openSource } from "../../tools/importer/reading/open.ts";
import { isUnreadable } from "../../supabase/functions/_shared/import/reading/record.ts";
import { bnlsTotals } from "../../tools/importer/tariffs/totals.ts";
import { askHidden, isMonotone } from "../db/support/published_totals.ts";
import { database } from "../support/database.ts";
import { collection, fileOf, point } from "./files.ts";

const OPEN_DATA = Deno.env.get("OPEN_DATA");

const db = await database();
Deno.test.afterAll(() => db.close());

function carpark(id: string, rate: string, halfHour: string, rates: Readonly<Record<string, string>>) {
  return {
    id,
    address: `${id} Test Street`,
    lat: "43.65",
    lng: "-79.38",
    rate,
    carpark_type: "surface",
    carpark_type_str: "Surface",
    changing_rates: false,
    rate_half_hour: halfHour,
    capacity: "20",
    max_height: "0.00",
    rate_details: {
      periods: [{
        title: "Monday - Sunday & Holidays",
        rates: Object.entries(rates).map(([when, price]) => ({ when, rate: price })),
        notes: [],
      }],
      addenda: [],
    },
  };
}

const CARPARKS = JSON.stringify({
  carparks: [
    carpark("1", "$1.25 / Half Hour", "1.25", {
      "Day Maximum (7am - 6pm)": "$9.00",
      "Night Maximum (6pm - 7am)": "$4.00",
    }),
    carpark("2", "$1.25 / Half Hour", "1.50", { "Maximum (Any 24 hr Period)": "$9.00" }),
    carpark("3", "$1.25 / Half Hour", "1.25", { "Event Rate": "$20.00" }),
    carpark("4", "$1.25 / Half Hour", "1.25", { "Night Maximum (6pm - 7am)": "$4.00" }),
  ],
});

Deno.test("totals: each published total is equal, different or refused, and no lot is stored", async () => {
  const report = await totalsOf(db.url, { file: await fileOf("green-p.json", CARPARKS) });
  assert.equal(report.mapping, "toronto_green_p");
  assert.deepEqual(report.counts, { equal: 2, different: 1, refused: 1, publisher: 0 });
  assert.deepEqual(report.results.map(({ outcome, priced, reason }) => [outcome, priced ?? reason]), [
    ["equal", 125],
    ["different", 125],
    ["refused", 'pricing: the line "Event Rate: $20.00" is not read'],
    ["equal", 125],
  ]);
  const [stored] = await db
    .sql`select count(*)::integer as lots from public.parking_lots where address like '%Test Street'`;
  assert.equal(stored!["lots"], 0);
});

Deno.test("totals: a total that falls with time is the publisher's error, and the others of its lot are not", async () => {
  const header =
    "id,nom,insee,adresse,url,type_usagers,nb_places,Xlong,Ylat,tarif_1h,tarif_2h,tarif_3h,tarif_4h,tarif_24h,type_ouvrage,info";
  const rows = [
    "9-1,Essai,00001,1 rue,,tous,10,2.3,48.8,2.00,3.60,1.50,6.80,27.20,ouvrage,",
    "9-2,Abonnés,00001,2 rue,,abonnés,10,2.3,48.8,2.00,3.60,5,6.80,27.20,ouvrage,",
    "9-3,Essai,00001,3 rue,,tous,10,2.3,48.8,2.00,3.60,,6.80,27.20,ouvrage,",
  ];
  const report = await totalsOf(db.url, { file: await fileOf("bnls.csv", [header, ...rows].join("\n")) });
  assert.deepEqual(report.counts, { equal: 4, different: 0, refused: 4, publisher: 1 });
  assert.equal(report.results.find(({ outcome }) => outcome === "publisher")?.reason, "less than 360 for 120 minutes");
  assert.match(report.results[0]?.reason ?? "", /an error of the publisher: 180 minutes cost less/);
  // The same minutes from another time of day say nothing of each other.
  const night = { minutes: 120, amount_minor: 100, entry: "20:00" };
  assert.equal(publisherError(night, [{ minutes: 60, amount_minor: 250 }, night]), null);
});

Deno.test("totals: a list of which every price is 0 is free only if that is written, and a free lot with prices is refused", async () => {
  const header =
    "id,nom,insee,adresse,url,type_usagers,gratuit,nb_places,Xlong,Ylat,tarif_1h,tarif_2h,tarif_3h,tarif_4h,tarif_24h,type_ouvrage,info";
  const row = (id: string, isFree: number, totals: string) =>
    `9-${id},Essai,00001,1 rue,,tous,${isFree},10,2.3,48.8,${totals},ouvrage,`;
  const rows = [row("1", 1, "0,0,0,0,0"), row("2", 0, "0,0,,,0"), row("3", 1, "0,1.50,,,"), row("4", 0, "0,1.50,,,")];
  const { results } = await totalsOf(db.url, { file: await fileOf("bnls.csv", [header, ...rows].join("\n")) });
  const ofLot = Map.groupBy(results, ({ external_id }) => external_id);
  assert.deepEqual([...ofLot.values()].map((of) => [...new Set(of.map(({ outcome, reason }) => reason ?? outcome))]), [
    ["equal"],
    ["pricing: every price is 0: either free or unknown"],
    ["pricing: the lot is free, and has prices"],
    ["equal"],
  ]);
});

Deno.test("totals: a station's first unit and its calendar day cost what the model states", async () => {
  const station = (id: string, maximumDayPrice: number, price: number) => ({
    id,
    geometry: point(8.1, 47.3),
    properties: {
      didokId: id,
      operator: "SBB",
      displayName: `Testlingen ${id}`,
      publicAccess: true,
      address: { addressLine: "Bahnhofstrasse", city: "Testlingen", postalCode: "9999" },
      pricingModel: {
        minimumDuration: 60,
        viableIncrement: 60,
        maximumDayPrice,
        priceSegments: [{ startingFrom: 0, price }],
      },
      operationTime: { operatingFrom: "00:00:00", operatingTo: "00:00:00", daysOfWeek: ["MONDAY", "SUNDAY"] },
      capacities: [{ categoryType: "STANDARD", total: 40 }],
      parkingFacilityCategory: "CAR",
    },
  });
  const file = await fileOf("stations.geojson", collection([station("a", 500, 150), station("b", 90_000, 150)]));
  const report = await totalsOf(db.url, { file });
  assert.deepEqual(report.results.map(({ minutes, published, outcome }) => [minutes, published, outcome]), [
    [60, 150, "equal"],
    [1440, 500, "equal"],
    [60, 150, "equal"],
  ]);
});

Deno.test("totals: lists of totals in the forms of Heidelberg and Deutsche Bahn are rules, and those by the time of entry are refused", async () => {
  const value = (of: unknown) => ({ type: "Text", value: of });
  const prices = [[60, 2.3, "Day"], [120, 4.6, "Day"], [180, 4, "Day"], [60, 0.5, "Night"], [120, 1, "Night"]];
  const garage = {
    id: "urn:test:1",
    type: "OffStreetParking",
    name: value("Testgarage"),
    lat: value(49.41),
    lon: value(8.69),
    dayStart: value("08:00"),
    dayEnd: value("20:00"),
    openingHours: value("06:00"),
    closingHours: value("22:00"),
    staticParkingSiteId: value("1"),
    maximumAllowedHeight: value(1.9),
    maximumAllowedWidth: value(""),
    totalSpotNumber: value(80),
    handicappedParkingSpots: value(2),
    prices: value(prices.map(([minutes, price, tarif]) => ({ minutes, price, tarif }))),
  };
  const heidelberg = await totalsOf(db.url, {
    file: await fileOf("heidelberg.json", JSON.stringify([garage], null, 1)),
  });
  assert.equal(heidelberg.mapping, "heidelberg_parking");
  assert.deepEqual(
    heidelberg.results.map(({ outcome, minutes, published }) => [outcome, minutes, published]),
    [["refused", 60, 230], ["refused", 60, 50], ["refused", 120, 460], ["refused", 120, 100], ["publisher", 180, 400]],
  );
  assert.match(heidelberg.results[0]?.reason ?? "", /differ by the time of entry/);
  const one = {
    ...garage,
    dayEnd: value("08:00"),
    prices: value(prices.slice(0, 2).map(([minutes, price, tarif]) => ({ minutes, price, tarif }))),
  };
  const allDay = await totalsOf(db.url, { file: await fileOf("heidelberg.json", JSON.stringify([one], null, 1)) });
  assert.deepEqual(allDay.counts, { equal: 2, different: 0, refused: 0, publisher: 0 });
  const site = {
    id: "900001",
    name: [{ name: "Parkplatz Testlingen", context: "NAME" }],
    provider: { facilityNumber: "900001" },
    address: {
      streetAndNumber: "Bahnhofstr. 1",
      zip: "10000",
      city: "Testlingen",
      location: { latitude: 52.5, longitude: 13.4 },
    },
    station: { name: "Testlingen" },
    capacity: [{ type: "PARKING", total: "55" }, { type: "HANDICAPPED_PARKING", total: "0" }],
    access: { outOfService: { isOutOfService: false }, openingHours: { is24h: true } },
    tariff: {
      prices: [["30min", 0.8], ["1hour", 1.6], ["20min", null], ["1day", 5], ["1monthLongTerm", 44]].map((
        [duration, price],
      ) => ({
        group: { groupName: "standard" },
        duration,
        price,
      })),
    },
  };
  const file = await fileOf("bahn.json", JSON.stringify({ _embedded: [site] }));
  const bahn = await totalsOf(db.url, { file });
  assert.equal(bahn.mapping, "bahn_parking");
  assert.deepEqual(bahn.results.map(({ minutes, published }) => [minutes, published]), [[30, 80], [60, 160], [
    1440,
    500,
  ]]);
  const report = await importFile(db.url, { file, quiet: true, source: crypto.randomUUID() });
  assert.deepEqual([report.counts.inserted, report.counts.warnings], [1, 0]);
  const stored = await db.sql`
    select r.category, r.per_minutes, r.price_minor from public.pricing_rules r
    join public.parking_lots l on l.id = r.parking_lot_id where l.source = ${report.source} order by r.rule_order`;
  assert.deepEqual(stored.map((rule) => Object.values(rule)), [
    ["published_total", 30, 80],
    ["published_total", 60, 160],
    ["published_total", 1440, 500],
  ]);
  assert.equal((await importFile(db.url, { file, quiet: true, source: report.source })).counts.unchanged, 1);
});

Deno.test("totals command: prints counts and lines, and its exit code states whether a total is different", async () => {
  const main = fileURLToPath(new URL("../../tools/importer/totals.ts", import.meta.url));
  const command = async (...args: string[]) => {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", main, ...args],
      env: { DB_URL: db.url, NO_COLOR: "1" },
    }).output();
    const decoder = new TextDecoder();
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  };
  const file = await fileOf("green-p.json", CARPARKS);
  const { code, stdout } = await command(file);
  assert.equal(code, 3);
  assert.match(stdout, /^toronto_green_p: 4 published totals of 4 lots$/m);
  assert.match(stdout, /^equal +2$/m);
  assert.match(stdout, /^different: record 2 \(2 Green P 2\), 30 min, published 150: priced 125$/m);
  assert.match(stdout, /^refused 1, pricing: the line .* is not read: record 3$/m);
  const rows = (await command(file, "--json")).stdout.trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(rows.map(({ outcome }) => outcome), ["equal", "different", "refused", "equal"]);
  assert.equal((await command(file, "--entry", "noon")).code, 2);
  assert.equal((await command("--nonsense")).code, 2);
  const away = await command(file, "--db-url", "postgresql://postgres:postgres@127.0.0.1:1/postgres");
  assert.deepEqual([away.code, away.stderr.startsWith("The database does not respond")], [1, true], away.stderr);
  assert.deepEqual([(await command("/no/such/file")).code, (await command("--help")).code], [1, 0]);
});

Deno.test("import: a list of Green P is stored with its rules, and an unread list has a warning and no rules", async () => {
  const file = await fileOf("green-p.json", CARPARKS);
  const report = await importFile(db.url, { file, quiet: true, source: crypto.randomUUID() });
  assert.deepEqual([report.mapping, report.counts.inserted, report.counts.warnings], ["toronto_green_p", 4, 1]);
  const rules = await db.sql`
    select l.external_id, r.category, r.time_start, r.cap_type, r.cap_price_minor
    from public.pricing_rules r join public.parking_lots l on l.id = r.parking_lot_id
    where l.source = ${report.source} and l.external_id in ('1', '3') order by l.external_id, r.rule_order`;
  assert.deepEqual(
    rules.map((rule) => [rule["external_id"], rule["category"], rule["time_start"], rule["cap_price_minor"]]),
    [
      ["1", "time_band", null, null],
      ["1", "cap", "07:00:00", 900],
      ["1", "cap", "18:00:00", 400],
    ],
  );
  assert.equal((await importFile(db.url, { file, quiet: true, source: report.source })).counts.unchanged, 4);
});

const PUBLISHED = [
  ["swiss_rail_parking/opendata_swiss.geojson", { equal: 1158, different: 0, refused: 80, publisher: 0 }],
  ["toronto_green_p/green-p-parking-2019.json", { equal: 183, different: 0, refused: 46, publisher: 0 }],
  ["bnls_france/bnls_2022.csv", { equal: 1938, different: 0, refused: 79, publisher: 26 }],
  ["heidelberg/heidelberg.json", { equal: 206, different: 0, refused: 184, publisher: 1 }],
  ["bahn/bahn_v2.json", { equal: 914, different: 0, refused: 0, publisher: 0 }],
] as const;

Deno.test({
  name: "totals: of the French lists whose totals never fall, a hidden total lies within the bounds",
  ignore: !OPEN_DATA || !existsSync(join(OPEN_DATA, "bnls_france/bnls_2022.csv")),
  fn: async () => {
    const lists = [];
    for await (const read of (await openSource(join(OPEN_DATA!, "bnls_france/bnls_2022.csv"))).records) {
      const totals = isUnreadable(read) ? [] : bnlsTotals(read.values);
      if (totals.length > 0 && isMonotone(totals)) lists.push(totals);
    }
    assert.ok(lists.length > 300, `${lists.length} lists`);
    for (const isOddHidden of [true, false]) {
      const { shown, hidden, wrong, bounded } = await askHidden(db.sql, lists, isOddHidden);
      console.log(`${lists.length} lists, ${shown} shown, ${hidden} hidden, ${bounded} of them between two others`);
      assert.deepEqual(wrong, []);
    }
  },
});

for (const [file, counts] of PUBLISHED) {
  Deno.test({
    name: `totals: no published total of ${file} is different`,
    // A folder need not have every published file.
    ignore: !OPEN_DATA || !existsSync(join(OPEN_DATA, file)),
    fn: async () => {
      const report = await totalsOf(db.url, { file: join(OPEN_DATA!, file) });
      assert.deepEqual(report.results.filter(({ outcome }) => outcome === "different"), []);
      assert.deepEqual(report.counts, counts);
    },
  });
}
