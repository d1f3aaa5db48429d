// Lots in the formats of other systems: what is exported and imported again differs only where docs/clients/formats.md
// says so. The lots are those of the seed and of Swiss stations; with OPEN_DATA also those of the published file.
//   OPEN_DATA=/folder/of/files deno task test -- tests/importer/formats.test.ts
import assert from "node:assert/strict";
import { join } from "node:path";
import { type FormatName, LOT_FORMATS } from "../../supabase/functions/_shared/formats/formats.ts";
import {
  comparable,
  type ExportedLot,
  type Field,
  FIELDS,
  type Part,
} from "../../supabase/functions/_shared/formats/lot.ts";
import type { PricingRule } from "../../supabase/functions/_shared/import/pricing.ts";
import { weekOfWindows } from "../../supabase/functions/_shared/osm/opening_hours.ts";
import { importFile } from "../../tools/importer/run.ts";
import { database } from "../support/database.ts";
import { collection, fileOf, point } from "./files.ts";

const OPEN_DATA = Deno.env.get("OPEN_DATA");
const FORMATS = Object.entries(LOT_FORMATS) as [FormatName, typeof LOT_FORMATS[FormatName]][];
/** What a lot has where its file says nothing. */
const DEFAULTS: Partial<Record<Field, unknown>> = {
  currency: "JPY",
  time_zone: "Asia/Tokyo",
  holiday_calendar: "JP",
  tags: {},
  windows: [],
  rules: [],
};

/** A file or folder of OPEN_DATA; undefined if it is not there. */
async function inOpenData(name: string): Promise<string | undefined> {
  if (OPEN_DATA === undefined) return undefined;
  try {
    await Deno.stat(join(OPEN_DATA, name));
    return join(OPEN_DATA, name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

const db = await database();
Deno.test.afterAll(() => db.close());

/** All lots of a source as api.export_parking_lots returns them. */
async function exported(source: string): Promise<ExportedLot[]> {
  const lots: ExportedLot[] = [];
  for (let cursor: string | null = null;;) {
    const [row]: { page: { items: ExportedLot[]; next_cursor: string | null } }[] = await db.sql`
      select api.export_parking_lots(p_cursor => ${cursor}) as page`;
    lots.push(...row!.page.items.filter((lot) => lot.source === source));
    cursor = row!.page.next_cursor;
    if (cursor === null) return lots;
  }
}

/** A value in a form that is equal for values of the same meaning. */
function meaning(field: Field, value: unknown): unknown {
  if (value === undefined || value === null) return DEFAULTS[field] ?? null;
  if (field === "windows") {
    const windows = value as ExportedLot["windows"];
    return windows.length === 0 ? [] : weekOfWindows(windows);
  }
  return field === "rules" ? comparable(value as readonly PricingRule[]) : value;
}

/** Of the lot's own file, not of the lot. */
const OF_FILE: readonly Field[] = ["id", "source", "external_id", "source_url", "licence", "attribution", "updated_at"];

function assertSame(name: FormatName, before: ExportedLot, after: ExportedLot): void {
  const { carries } = LOT_FORMATS[name];
  for (const field of FIELDS) {
    if (OF_FILE.includes(field)) continue;
    const part: boolean | Part = carries[field];
    // Without a code in the file, the importer makes one of the name.
    if (field === "operator_code" && carries.operator_code === false) continue;
    const back = part === true ? before[field] : part === false ? undefined : part.back(before);
    const expected = meaning(field, back), found = meaning(field, after[field]);
    if (field === "tags" && after.windows.length > 0 && !("open_24h" in (expected as object))) {
      // A lot with hours has the tag that follows from them.
      const { open_24h: _, ...others } = found as Record<string, boolean>;
      assert.deepEqual(others, expected, `${name}: ${field} of ${before.name}`);
    } else assert.deepEqual(found, expected, `${name}: ${field} of ${before.name}`);
  }
}

async function assertRoundTrip(source: string): Promise<void> {
  const lots = await exported(source);
  assert.ok(lots.length > 0, source);
  for (const [name, { head, list, write }] of FORMATS) {
    const written = lots.map(write);
    const document = await fileOf(
      `${name}.json`,
      JSON.stringify({ ...head, [list]: written, next_cursor: null, has_more: false }),
    );
    const lines = [...written, { next_cursor: null, has_more: true }].map((value) => JSON.stringify(value)).join("\n");
    const target = `${source} ${name} ${crypto.randomUUID()}`;
    const first = await importFile(db.url, { file: document, source: target, quiet: true });
    assert.deepEqual(first.counts, {
      read: lots.length,
      inserted: lots.length,
      updated: 0,
      unchanged: 0,
      skipped: 0,
      rejected: 0,
      warnings: 0,
    }, `${name}: ${JSON.stringify(first.entries.slice(0, 3))}`);
    const again = await importFile(db.url, {
      file: await fileOf(`${name}.ndjson`, lines),
      source: target,
      quiet: true,
    });
    assert.equal(again.counts.unchanged, lots.length, `${name}: the same lots as lines`);
    assert.equal(again.counts.skipped, 1, `${name}: the last line of a page`);
    const imported = new Map((await exported(target)).map((lot) => [lot.external_id, lot]));
    for (const lot of lots) assertSame(name, lot, imported.get(lot.id)!);
    await db.sql`delete from public.parking_lots where source = ${target}`;
  }
}

Deno.test("formats: the seed comes back as it was, but for what the page states", async () => {
  await assertRoundTrip("seed");
});

Deno.test("formats: most hours and prices of the seed are carried, and what OpenStreetMap has no tags for is not", async () => {
  const lots = await exported("seed");
  const share = (name: FormatName, field: "windows" | "rules") => {
    const part = LOT_FORMATS[name].carries[field];
    const known = lots.filter((lot) => lot[field].length > 0);
    const carried = known.filter((lot) => part === true || (part !== false && part.back(lot) !== undefined));
    return carried.length / known.length;
  };
  for (const [name] of FORMATS) assert.ok(share(name, "windows") > 0.8, name);
  assert.ok(share("jsonld", "rules") > 0.85 && share("parkapi", "rules") > 0.85 && share("osm", "rules") > 0.05);
});

/** The models of the library parkapi-sources, as Python: the fields of a class with their validators. */
async function fieldsOfModels(folder: string): Promise<Map<string, string>> {
  const texts = await Promise.all(
    [["base_parking_inputs", "StaticBaseParkingInput"], ["parking_site_inputs", "StaticParkingSiteInput"]].map(
      async ([file, name]) => {
        const text = await Deno.readTextFile(join(folder, `${file}.py`));
        return text.slice(text.indexOf(`class ${name}(`)).split(/\n@|\n {4}@|\n {4}def /)[0]!;
      },
    ),
  );
  return new Map(
    texts.flatMap((text) =>
      [...text.matchAll(/^ {4}(\w+): ([\s\S]*?)(?=^ {4}\w+: |(?![\s\S]))/gm)].map(([, name, of]) =>
        [name!, of!] as const
      )
    ),
  );
}

const models = await inOpenData("parkapi_v3");

Deno.test({
  // The models are base_parking_inputs.py, parking_site_inputs.py and enums.py of ParkenDD/parkapi-sources-v3.
  name: "formats: ParkAPI sites have the fields, lengths and codes of the published models in OPEN_DATA/parkapi_v3",
  ignore: models === undefined,
  fn: async () => {
    const fields = await fieldsOfModels(models!);
    const types = await Deno.readTextFile(join(models!, "enums.py"));
    assert.ok(fields.size > 20, String(fields.size));
    const required = [...fields].filter(([, of]) => !of.includes("Default(")).map(([name]) => name);
    assert.deepEqual(required.sort(), [
      "capacity",
      "has_realtime_data",
      "lat",
      "lon",
      "name",
      "purpose",
      "static_data_updated_at",
      "type",
      "uid",
    ]);
    for (const lot of (await exported("seed")).filter(({ total_spaces }) => total_spaces !== null)) {
      const { source: _, ...site } = LOT_FORMATS.parkapi.write(lot) as Record<string, unknown>;
      for (const name of required) assert.ok(site[name] !== undefined, `${name} of ${lot.name}`);
      for (const [name, value] of Object.entries(site)) {
        const validator = fields.get(name) ?? assert.fail(`ParkAPI has no ${name}`);
        const [, kind, longest] =
          /(String|Url|Integer|Boolean|Numeric|DateTime|Enum|List|GeoJSONGeometry)(?:\w*)\((?:.*max_length=(\d+))?/
            .exec(validator) ?? [];
        if (kind === "String" || kind === "Url") {
          assert.ok(typeof value === "string" && value.length <= Number(longest), name);
        } else if (kind === "Integer") assert.ok(Number.isInteger(value) && Number(value) >= 0, name);
        else if (kind === "Boolean") assert.equal(typeof value, "boolean", name);
        else if (kind === "Numeric") assert.equal(typeof value, "number", name);
        else if (kind === "DateTime") assert.ok(!Number.isNaN(Date.parse(String(value))), name);
        else if (kind === "Enum") assert.ok(types.includes(`= '${value}'`), `${name}: ${value}`);
        else if (kind === "List") assert.ok(Array.isArray(value), name);
        else assert.fail(`${name}: ${validator}`);
      }
    }
  },
});

const CAR_PARK = {
  operator: "SBB",
  publicAccess: true,
  address: { addressLine: "Bahnhofstrasse", city: "Testlingen", postalCode: "9999" },
  capacities: [{ categoryType: "STANDARD", total: 40 }, { categoryType: "DISABLED_PARKING_SPACE", total: 1 }],
  parkingFacilityCategory: "CAR",
  parkingFacilityType: "PARK_AND_RAIL",
};

Deno.test("formats: Swiss stations come back as they were, but for what the page states", async () => {
  const segments = [[{ startingFrom: 0, price: 100 }], [{ startingFrom: 0, price: 50 }, {
    startingFrom: 120,
    price: 150,
  }], null];
  const hours = [["00:00:00", "00:00:00"], ["06:00:00", "22:30:00"], ["18:00:00", "02:00:00"]] as const;
  const days = [["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"], ["SATURDAY", "SUNDAY"]];
  const features = segments.flatMap((priceSegments, p) =>
    hours.flatMap(([operatingFrom, operatingTo], h) =>
      days.map((daysOfWeek, d) => ({
        id: `${p}${h}${d}`,
        geometry: point(8.1, 47.3),
        properties: {
          ...CAR_PARK,
          didokId: `${p}${h}${d}`,
          displayName: `Testlingen ${p}${h}${d}`,
          operationTime: { operatingFrom, operatingTo, daysOfWeek },
          pricingModel: {
            maximumDuration: 10080,
            minimumDuration: 60,
            viableIncrement: 60,
            maximumDayPrice: 400,
            priceSegments,
          },
        },
      }))
    )
  );
  const file = await fileOf("stations.geojson", collection(features));
  const { counts } = await importFile(db.url, { file, source: "stations", quiet: true });
  assert.equal(counts.inserted, features.length);
  await assertRoundTrip("stations");
});

const swissFile = await inOpenData("swiss_rail_parking/opendata_swiss.geojson");

Deno.test({
  name: "formats: the published Swiss file comes back as it was, but for what the page states",
  ignore: swissFile === undefined,
  fn: async () => {
    const { counts } = await importFile(db.url, { file: swissFile!, source: "swiss file", quiet: true });
    assert.ok(counts.inserted > 0);
    await assertRoundTrip("swiss file");
  },
});
