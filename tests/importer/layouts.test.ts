// Small files in the layouts of open data. With OPEN_DATA the published files themselves are imported too:
//   OPEN_DATA=/folder/of/files deno task test -- tests/importer/layouts.test.ts
import assert from "node:assert/strict";
import { join } from "node:path";
import { importFile } from "../../tools/importer/run.ts";
import { database } from "../support/database.ts";
import { encoded } from "../support/encodings.ts";
import { collection, fileOf, point } from "./files.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

/** A folder with the published files, by the paths in FILES. */
const OPEN_DATA = Deno.env.get("OPEN_DATA");

interface Expected {
  readonly file: string;
  readonly mapping: string;
  readonly read: number;
  readonly lots: number;
  readonly skipped: number;
  readonly rejected: number;
  readonly warnings?: number;
}

const FILES: readonly Expected[] = [
  {
    file: "takamatsu/municipal_parking.csv",
    mapping: "takamatsu_municipal_parking",
    read: 8,
    lots: 8,
    skipped: 0,
    rejected: 0,
  },
  {
    file: "takamatsu/municipal_parking.xlsx",
    mapping: "takamatsu_municipal_parking",
    read: 8,
    lots: 8,
    skipped: 0,
    rejected: 0,
  },
  {
    file: "yaizu/222127_municipal_parking_lot.csv",
    mapping: "yaizu_municipal_parking",
    read: 4,
    lots: 2,
    skipped: 2,
    rejected: 0,
  },
  {
    file: "yaizu/parking_walkingevent.csv",
    mapping: "yaizu_walking_event_parking",
    read: 16,
    lots: 15,
    skipped: 1,
    rejected: 0,
  },
  {
    file: "swiss_rail_parking/opendata_swiss.geojson",
    mapping: "swiss_rail_parking",
    read: 649,
    lots: 649,
    skipped: 0,
    rejected: 0,
    // Lots that come without their price, because it leaves a question open.
    warnings: 67,
  },
  // Six points are there twice, with the same name and place.
  {
    file: "osm_japan_parking_2014/parking.geojson",
    mapping: "osm_japan_parking_2014",
    read: 5482,
    lots: 5476,
    skipped: 0,
    rejected: 6,
  },
];

for (const { file, mapping, read, lots, skipped, rejected, warnings = 0 } of FILES) {
  Deno.test({
    name: `import layouts: ${file} is recognised and imported whole, and a second run changes nothing`,
    ignore: !OPEN_DATA,
    fn: async () => {
      const options = { file: join(OPEN_DATA!, file), quiet: true };
      const first = await importFile(db.url, options);
      assert.equal(first.mapping, mapping);
      assert.deepEqual(
        [
          first.counts.read,
          first.counts.inserted + first.counts.unchanged,
          first.counts.skipped,
          first.counts.rejected,
        ],
        [read, lots, skipped, rejected],
      );
      assert.equal(first.counts.warnings, warnings);
      const again = await importFile(db.url, options);
      assert.deepEqual([again.counts.unchanged, again.counts.inserted, again.counts.updated], [lots, 0, 0]);
      const [stored] = await db.sql`
      select count(*)::integer as lots, count(licence)::integer as licensed, count(attribution)::integer as attributed
      from public.parking_lots where source = ${first.source}`;
      assert.deepEqual({ ...stored }, { lots, licensed: lots, attributed: lots });
    },
  });
}

async function detailOf(source: string, externalId: string) {
  const [lot] = await db.sql`
    select l.name, l.name_kana, l.address, l.total_spaces, l.structure, l.operator_code, l.time_zone, l.currency,
      l.holiday_calendar, l.phone, l.tag_slugs,
      coalesce((
        select jsonb_agg(jsonb_strip_nulls(to_jsonb(w) - '{id,parking_lot_id}'::text[]) order by w.day_type, w.day_of_week)
        from public.parking_lot_windows w where w.parking_lot_id = l.id
      ), '[]') as windows
    from public.parking_lots l
    where l.source = ${source} and l.external_id = ${externalId}`;
  return lot;
}

Deno.test("import layouts: Takamatsu gives hours, phone, structure and the municipality as operator, in either encoding", async () => {
  const text = [
    "#property,latitude,longitude,name,address,telephoneNumber,referenceObject,note,availableDate,startTime,endTime,availableDateNote",
    "901,34.34,134.05,試験地下駐車場,高松市試験町1-1,087-000-0000,https://example.jp/,,月火水木金土日,06:30,24:00,年中無休",
    "902,34.35,134.06,試験平日駐車場,高松市試験町2-2,,,,月火水木金,07:30,22:00,",
    "903,34.36,134.07,試験終日駐車場,高松市試験町3-3,,,,月火水木金土日,00:00,24:00,",
  ].join("\r\n");
  const report = await importFile(db.url, {
    file: await fileOf("takamatsu.csv", encoded(text, "shift_jis")),
    quiet: true,
  });
  assert.equal(report.mapping, "takamatsu_municipal_parking");
  assert.equal(report.encoding, "shift_jis");
  const first = await detailOf(report.source, "901");
  assert.equal(first?.["structure"], "underground");
  assert.equal(first?.["operator_code"], "municipal");
  assert.equal(first?.["phone"], "087-000-0000");
  assert.deepEqual(first?.["windows"], [
    { window_type: "business", day_type: "all", open_time: "06:30:00", close_time: "24:00:00" },
  ]);
  assert.deepEqual((await detailOf(report.source, "902"))?.["windows"], [
    { window_type: "business", day_type: "weekday", open_time: "07:30:00", close_time: "22:00:00" },
  ]);
  const last = await detailOf(report.source, "903");
  assert.deepEqual(last?.["windows"], [{ window_type: "business", day_type: "all", is_24h: true }]);
  assert.deepEqual(last?.["tag_slugs"], ["open_24h"]);
});

const RECOMMENDED =
  "\ufeff都道府県コード又は市区町村コード,NO,都道府県名,市区町村名,名称,名称_カナ,名称_通称,POIコード,住所,方書,緯度,経度,電話番号,内線番号,法人番号,団体名,利用可能曜日,開始時間,終了時間,利用可能日時特記事項,説明,バリアフリー情報,URL,備考";

Deno.test("import layouts: the recommended Japanese layout is imported without bicycle parks", async () => {
  const rows = [
    "222127,901,静岡県,焼津市,試験駐車場,シケンチュウシャジョウ,,,静岡県焼津市試験1-1,,34.87,138.31,,,,道路課,,,,【開館時間】6：30～21：00,,車椅子対応,,市営駐車場",
    "222127,902,静岡県,焼津市,試験自転車駐車場,シケン,,,静岡県焼津市試験1-2,,34.87,138.32,,,,道路課,,,,【開館時間】24時間,,,,市営駐車場",
  ];
  const file = await fileOf("yaizu.csv", [RECOMMENDED, ...rows].join("\n"));
  const report = await importFile(db.url, { file, quiet: true });
  assert.equal(report.mapping, "yaizu_municipal_parking");
  assert.deepEqual([report.counts.inserted, report.counts.skipped], [1, 1]);
  const lot = await detailOf(report.source, "901");
  assert.equal(lot?.["name_kana"], "シケンチュウシャジョウ");
  assert.deepEqual(lot?.["tag_slugs"], ["barrier_free"]);
  assert.deepEqual(lot?.["windows"], [
    { window_type: "business", day_type: "all", open_time: "06:30:00", close_time: "21:00:00" },
  ]);
});

Deno.test("import layouts: in the recommended Japanese layout ids contain the municipality, and the licence is not set", async () => {
  const row =
    "131016,7,東京都,千代田区,試験駐車場,シケン,,,東京都千代田区1-1,,35.69,139.75,,,,,月火水木金,9:00,17:00,,,,,";
  const report = await importFile(db.url, {
    file: await fileOf("other.csv", [RECOMMENDED, row].join("\n")),
    quiet: true,
  });
  assert.equal(report.mapping, "japan_recommended_parking");
  assert.equal(report.licence, null);
  assert.deepEqual((await detailOf(report.source, "131016-7"))?.["windows"], [
    { window_type: "business", day_type: "weekday", open_time: "09:00:00", close_time: "17:00:00" },
  ]);
});

Deno.test("import layouts: Yaizu's walking event skips places that are not car parks", async () => {
  const text = [
    "NO,区分,名称,カタカナ,緯度,経度,留意事項,備考",
    "901,駐車場,試験第一,シケンダイイチ,34.871,138.32,,",
    "902,レンタサイクル,試験自転車,シケン,34.872,138.32,,",
  ].join("\n");
  const report = await importFile(db.url, { file: await fileOf("event.csv", text), quiet: true });
  assert.equal(report.mapping, "yaizu_walking_event_parking");
  assert.deepEqual([report.counts.inserted, report.counts.skipped], [1, 1]);
});

Deno.test("import layouts: Swiss rail gives capacity, operator, zone, currency, hours by day and tags", async () => {
  const properties = {
    didokId: "99999",
    operator: "SBB",
    displayName: "Testlingen",
    publicAccess: true,
    address: { addressLine: " Bahnhofstrasse", city: "Testlingen", postalCode: "9999" },
    pricingModel: { maximumDuration: 1440, maximumDayPrice: 500 },
    operationTime: { operatingFrom: "07:00:00", operatingTo: "19:00:00", daysOfWeek: ["MONDAY", "SATURDAY"] },
    capacities: [
      { categoryType: "STANDARD", total: 40 },
      { categoryType: "DISABLED_PARKING_SPACE", total: 2 },
      { categoryType: "RESERVABLE_PARKING_SPACE", total: 0 },
      { categoryType: "WITH_CHARGING_STATION", total: 0 },
    ],
    parkingFacilityCategory: "CAR",
    parkingFacilityType: "PARK_AND_RAIL",
  };
  const swapped = { id: "swapped", geometry: point(47.3, 8.1), properties };
  const bicycles = {
    id: "bikes",
    geometry: point(8.1, 47.3),
    properties: { ...properties, parkingFacilityCategory: "BIKE" },
  };
  const file = await fileOf(
    "swiss.geojson",
    collection([{ id: "a", geometry: point(8.1, 47.3), properties }, swapped, bicycles]),
  );
  const report = await importFile(db.url, { file, quiet: true });
  assert.equal(report.mapping, "swiss_rail_parking");
  assert.deepEqual([report.counts.inserted, report.counts.rejected, report.counts.skipped], [1, 1, 1]);
  assert.match(report.entries[0]?.problems[0]?.reason ?? "", /latitude and longitude are swapped/);
  const { windows, ...lot } = await detailOf(report.source, "a") ?? {};
  assert.deepEqual({ ...lot }, {
    name: "Testlingen",
    name_kana: null,
    address: "Bahnhofstrasse, 9999 Testlingen",
    total_spaces: 40,
    structure: null,
    operator_code: "sbb",
    time_zone: "Europe/Zurich",
    currency: "CHF",
    holiday_calendar: "CH",
    phone: null,
    tag_slugs: ["has_max_fee", "near_station", "wheelchair_accessible"],
  });
  assert.deepEqual(
    windows,
    [1, 6].map((day_of_week) => ({
      window_type: "business",
      day_of_week,
      open_time: "07:00:00",
      close_time: "19:00:00",
    })),
  );
});

Deno.test("import layouts: points without a name get the general word for a car park, and a repeated point is one lot", async () => {
  const first = { geometry: point(142.4744169, 43.7684979), properties: {} };
  const named = { geometry: point(139.7, 35.6), properties: { name: " タイムズ (Times) " } };
  const file = await fileOf("osm.geojson", collection([first, named, first]));
  const report = await importFile(db.url, { file, quiet: true });
  assert.equal(report.mapping, "osm_japan_parking_2014");
  assert.equal(report.licence, "ODbL-1.0");
  assert.deepEqual([report.counts.inserted + report.counts.unchanged, report.counts.rejected], [2, 1]);
  assert.equal(report.entries[0]?.position, 3);
  const names = await db.sql`
    select name from public.parking_lots
    where source = ${report.source} and (lat, lng) in ((43.7684979, 142.4744169), (35.6, 139.7)) order by lat`;
  assert.deepEqual(names.map((row) => row["name"]), ["タイムズ (Times)", "駐車場"]);
});
