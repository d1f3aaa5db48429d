// apps/web/src/console/screens/parking_lots/import: files of lots, read by the importer's reader.
import assert from "node:assert/strict";
import {
  guessMapping,
  LIMITS,
  lotsOf,
  partsOf,
  previewOf,
  readLots,
} from "../../apps/web/src/console/screens/parking_lots/import/lot_file.ts";
import { ImportFailure } from "../../supabase/functions/_shared/import/failure.ts";
import { UnsureEncoding } from "../../supabase/functions/_shared/import/reading/encoding.ts";
import { encoded, iso2022jp, utf16 } from "../support/encodings.ts";

const fileOf = (content: string | Uint8Array<ArrayBuffer>, name = "lots") => new File([content], name);

/** The lots that the columns of a file make where they are not mapped by hand. */
async function lotsIn(file: File) {
  const { columns, rows, unreadable } = await readLots(file);
  return { lots: lotsOf(rows, guessMapping(columns)), unreadable };
}

async function refusal(file: File): Promise<string> {
  const error = await readLots(file).then(() => assert.fail("It was read"), (error) => error);
  assert.ok(error instanceof ImportFailure, String(error));
  return error.message;
}

const SEPARATORS = [",", ";", "\t"];
const table = (separator: string, ...rows: string[][]) =>
  rows.map((cells) => cells.map((cell) => cell.includes(separator) ? `"${cell}"` : cell).join(separator) + "\r\n")
    .join("");

const utf8 = (text: string) => new TextEncoder().encode(text);
const JAPANESE: readonly (readonly [string, (text: string) => Uint8Array<ArrayBuffer>])[] = [
  ["UTF-8", utf8],
  ["UTF-8 with a byte order mark", (text) => utf8(`\ufeff${text}`)],
  ["UTF-16, the low byte first", (text) => utf16(text, true)],
  ["UTF-16, the high byte first", (text) => utf16(text, false)],
  ["Shift_JIS", (text) => encoded(text, "shift_jis")],
  ["ISO-2022-JP", iso2022jp],
];

for (const [name, bytesOf] of JAPANESE) {
  Deno.test(`import file: ${name} is recognised, with each separator`, async () => {
    for (const separator of SEPARATORS) {
      const text = table(
        separator,
        ["管理番号", "名称", "緯度", "経度", "備考"],
        ["k1", "駅前;北口,の駐車場", "35,1", "139.5", ""],
        ["k2", "二番\n町", "35.2", "139.6", "屋根あり"],
      );
      assert.deepEqual(await lotsIn(fileOf(bytesOf(text.replace("二番\n町", '"二番\n町"')))), {
        lots: [
          { external_id: "k1", name: "駅前;北口,の駐車場", lat: "35,1", lng: "139.5" },
          { external_id: "k2", name: "二番\n町", lat: "35.2", lng: "139.6" },
        ],
        unreadable: [],
      }, JSON.stringify(separator));
    }
  });
}

for (
  const [encoding, name] of [
    ["windows-1252", "Genève, gare"],
    ["windows-1252", "Straße – 24 € ‘Süd’"],
    ["windows-1252", "2 m²"],
    ["euc-jp", "駐車場の名前"],
    ["euc-jp", "瓠絅"], // which are kanji in Shift_JIS too
  ] as const
) {
  Deno.test(`import file: ${name} in ${encoding} is a choice between encodings, with each separator`, async () => {
    for (const separator of SEPARATORS) {
      const file = fileOf(encoded(table(separator, ["id", "name"], ["1", "plain"], ["2", name]), encoding));
      const error = await readLots(file).then(() => undefined, (error) => error);
      assert.ok(error instanceof UnsureEncoding, String(error));
      assert.ok(error.candidates.includes(encoding), String(error.candidates));
      const preview = new Map(await previewOf(file, error.candidates));
      assert.deepEqual([...preview.keys()], error.candidates);
      assert.equal(new Set(preview.values()).size, preview.size, "the letters differ");
      assert.ok(preview.get(encoding)!.startsWith(`2${separator}`) && preview.get(encoding)!.includes(name));
      const { rows } = await readLots(file, encoding);
      assert.deepEqual(rows[1], { position: 3, values: { id: "2", name } });
    }
  });
}

Deno.test("import file: a preview is a part of one line, also of a long line and at the end of the file", async () => {
  const [[, long] = []] = await previewOf(
    fileOf(encoded(`${"x".repeat(500)}駐-${"車場".repeat(100)}`, "euc-jp")),
    ["euc-jp"],
  );
  assert.match(long!, /^x{40}駐-(車場){19}$/);
  const [[, last] = []] = await previewOf(fileOf(encoded("a\nb;è", "windows-1252")), ["windows-1252"]);
  assert.equal(last, "b;è");
});

Deno.test("import file: bytes that are text in no encoding are refused", async () => {
  assert.match(await refusal(fileOf(new Uint8Array([0x61, 0x0a, 0xff, 0x81, 0x0a]))), /in none of the known encodings/);
});

const square = [[[139.5, 35.1], [139.6, 35.1], [139.6, 35.2], [139.5, 35.1]]];
const polygon = { type: "Polygon", coordinates: square };
const multi = { type: "MultiPolygon", coordinates: [square] };
const pointAt = (...coordinates: unknown[]) => ({ type: "Point", coordinates });
const feature = (id: unknown, geometry: unknown, more: object = {}) => ({
  type: "Feature",
  id,
  properties: { name: `Lot ${id}` },
  geometry,
  ...more,
});
const collection = (features: unknown[], more: object = {}) =>
  JSON.stringify({ type: "FeatureCollection", ...more, features });

Deno.test("import file: a point is the place of a lot, any other geometry its outline", async () => {
  const features = [feature(1, pointAt(139.5, 35.1)), feature(2, polygon), feature(3, multi), feature(4, null)];
  const lots = [
    { external_id: 1, name: "Lot 1", lat: 35.1, lng: 139.5 },
    { external_id: 2, name: "Lot 2", area: polygon },
    { external_id: 3, name: "Lot 3", area: multi },
    { external_id: 4, name: "Lot 4" },
  ];
  const texts = [
    collection(features),
    JSON.stringify(features, null, 2),
    features.map((feature) => JSON.stringify(feature)).join("\n"),
  ];
  for (const text of texts) assert.deepEqual(await lotsIn(fileOf(text)), { lots, unreadable: [] }, text);
});

Deno.test("import file: what is no place reaches the service as it is, which names it; an outline of a cell is JSON", async () => {
  const { lots } = await lotsIn(fileOf(collection([
    feature(1, pointAt(139.5, 999)),
    feature(2, pointAt("east", 35)),
    feature(3, { type: "Point" }),
    feature(4, "POINT (1 2)"),
  ])));
  assert.deepEqual(lots.map(({ lat, lng, area }) => [lat, lng, area]), [
    [999, 139.5, undefined],
    [35, "east", undefined],
    [undefined, undefined, undefined],
    [undefined, undefined, "POINT (1 2)"],
  ]);
  const rows = [
    { position: 2, values: { a: JSON.stringify(polygon), b: "{broken" } },
    { position: 3, values: { a: "null", b: '{"covered":true}' } },
  ];
  assert.deepEqual(lotsOf(rows, { a: "area", b: "tags" }), [
    { area: polygon, tags: "{broken" },
    { area: "null", tags: { covered: true } },
  ]);
});

Deno.test("import file: coordinates of another system than degrees are refused, of a file or of its feature", async () => {
  const named = (name: string) => ({ type: "name", properties: { name } });
  const features = [feature(1, pointAt(139.5, 35.1))];
  for (const crs of [null, named("urn:ogc:def:crs:OGC:1.3:CRS84"), named("EPSG:4326")]) {
    assert.equal((await lotsIn(fileOf(collection(features, { crs })))).lots.length, 1, JSON.stringify(crs));
  }
  for (const crs of [named("EPSG:3857"), named("urn:ogc:def:crs:EPSG::2056"), { type: "EPSG" }, "EPSG:3857", {}]) {
    assert.match(
      await refusal(fileOf(collection(features, { crs }))),
      /^The file's coordinates are .+, not degrees of WGS 84/,
    );
    const { lots, unreadable } = await lotsIn(fileOf(collection([...features, feature(2, polygon, { crs })])));
    assert.equal(lots.length, 1);
    assert.deepEqual(unreadable.map(({ position }) => position), [2]);
    assert.match(unreadable[0]!.unreadable, /^crs: .+, not degrees of WGS 84$/);
  }
});

Deno.test("import file: JSON, lines of JSON and a list of lots are rows", async () => {
  const rowsOf = async (text: string) => (await readLots(fileOf(text))).rows.map(({ values }) => values);
  assert.deepEqual(await rowsOf('[{"a":1}]'), [{ a: 1 }]);
  assert.deepEqual(await rowsOf('{"lots":[{"a":1}]}'), [{ a: 1 }]);
  assert.deepEqual(await rowsOf('{"a":1}\n{"b":2}\n'), [{ a: 1 }, { b: 2 }]);
});

Deno.test("import file: rows that are none are named by their line, and the other rows are read", async () => {
  const { rows, unreadable } = await readLots(fileOf('id,name\n1,"a"b\n2\n\n3,c\n4,d,e\n', "lots.csv"));
  assert.deepEqual(rows, [{ position: 5, values: { id: "3", name: "c" } }]);
  assert.deepEqual(unreadable, [
    { position: 2, unreadable: "text after the closing quote of field 2" },
    { position: 3, unreadable: "1 fields under a header of 2" },
    { position: 6, unreadable: "3 fields under a header of 2" },
  ]);
});

Deno.test("import file: files of other kinds are refused by their kind", async () => {
  for (
    const [content, reason] of [
      ["", /empty/],
      [new Uint8Array([0x50, 0x4b, 3, 4, 0]), /Excel workbook or a zip file/],
      [new Uint8Array([0x1f, 0x8b, 8]), /gzip/],
      ["%PDF-1.7", /PDF/],
      ["<!doctype html><html>", /web page/],
      ["<?xml version='1.0'?><a/>", /XML/],
      ['{"type": "Topology", "lots": [', /ends in line 1/],
      ["id,id\n1,2", /column "id" twice/],
      ['id\n"1', /line 2 is never closed/],
    ] as const
  ) assert.match(await refusal(fileOf(content)), reason);
});

Deno.test("import file: what has too many bytes, rows or columns is refused, with any parts", async () => {
  const bytes = LIMITS.megabytes * 1_000_000;
  const names = (count: number) => Array.from({ length: count }, (_, nth) => `c${nth}`);
  const filled = (part: string) => part.repeat(Math.floor(bytes / part.length) - 2);
  const cases: [string, string, RegExp][] = [
    ["bytes", `${filled("a")}aaaaaaaaaa`, /more than 20 MB/],
    ["rows", `a\n${"1\n".repeat(LIMITS.rows + 1)}`, /more than 20000 rows/],
    ["short rows", `a,b\n${"1\n".repeat(LIMITS.rows + 1)}`, /more than 20000 rows/],
    ["columns", `${names(LIMITS.columns + 1)}\n${names(LIMITS.columns + 1)}`, /more than 200 columns/],
    ["many rows", `a\n${filled("1\n")}`, /more than 20000 rows/],
    ["empty features", `[${filled("{},")}{}]`, /more than 20000 rows/],
    ["names", `{${filled('"":1,')}"lots":[]`, /in the middle of its JSON/],
    ["a column in each row", names(20_000).map((name) => `{"${name}":1}`).join("\n"), /more than 200 columns/],
  ];
  for (const [name, text, reason] of cases) {
    // At 20 MB, work that grows with the square of the parts does not end: no limit in seconds is needed to see it.
    assert.match(await refusal(fileOf(text)), reason, name);
  }
  assert.equal((await readLots(fileOf(`a\n${"1\n".repeat(LIMITS.rows)}`))).rows.length, LIMITS.rows);
});

Deno.test("import file: a row that no request can hold is named, and requests have at most 1,000 lots and 4 MiB", async () => {
  const { rows, unreadable } = await readLots(fileOf(`a\n${"あ".repeat(1_000_000)}\n2\n`));
  assert.deepEqual(rows.map(({ position }) => position), [3]);
  assert.deepEqual(unreadable, [{ position: 2, unreadable: "more than 1000000 letters" }]);
  const sizes = (lots: unknown[]) => partsOf(lots).map((part) => part.length);
  assert.deepEqual(sizes(Array(2_500).fill({ a: 1 })), [1_000, 1_000, 500]);
  assert.deepEqual(sizes(Array(5).fill({ a: "あ".repeat(600_000) })), [2, 2, 1]);
  assert.deepEqual(sizes([]), []);
});
