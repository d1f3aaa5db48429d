import assert from "node:assert/strict";
import { openSource } from "../../tools/importer/reading/open.ts";
import { csvRecords } from "../../supabase/functions/_shared/import/reading/csv.ts";
import { geojsonRecords } from "../../supabase/functions/_shared/import/reading/json.ts";
import { isUnreadable, type Read } from "../../supabase/functions/_shared/import/reading/record.ts";
import { encoded, iso2022jp, utf16 } from "../support/encodings.ts";
import { collection, fileOf, point } from "./files.ts";

async function all(records: AsyncIterable<Read>): Promise<Read[]> {
  return await Array.fromAsync(records);
}

/** The text in pieces of one length, so that every kind of boundary falls between two of them. */
async function* inPieces(text: string, length: number) {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}

async function refusal(path: string): Promise<string> {
  let message = "";
  await assert.rejects(async () => await all((await openSource(path)).records), (error: Error) => {
    message = error.message;
    return error.name === "ImportFailure";
  });
  return message;
}

const values = (reads: readonly Read[]) => reads.map((read) => isUnreadable(read) ? read.unreadable : read.values);
const positions = (reads: readonly Read[]) => reads.map((read) => read.position);

Deno.test("CSV: quotes, commas and line breaks in a quoted field are its text, for any chunk size", async () => {
  const text = 'a,b\r\n"x, y","say ""yes"""\r\n"two\r\nlines",\r\nlast,row';
  const expected = [{ a: "x, y", b: 'say "yes"' }, { a: "two\r\nlines", b: "" }, { a: "last", b: "row" }];
  for (let length = 1; length <= text.length; length++) {
    const reads = await all(csvRecords(inPieces(text, length)));
    assert.deepEqual(values(reads), expected, `in pieces of ${length}`);
    assert.deepEqual(positions(reads), [2, 3, 5], `in pieces of ${length}`);
  }
});

Deno.test("CSV: any line end is accepted, and empty lines are not rows", async () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const reads = await all(csvRecords(inPieces(["a,b", "1,2", "", ",", "3,4", ""].join(end), 3)));
    assert.deepEqual(values(reads), [{ a: "1", b: "2" }, { a: "3", b: "4" }]);
    assert.deepEqual(positions(reads), [2, 5]);
  }
});

Deno.test("CSV: semicolons and tabs separate columns if the header uses them", async () => {
  for (const separator of [";", "\t"]) {
    const reads = await all(csvRecords(inPieces(`a${separator}b\n1,5${separator}2`, 100)));
    assert.deepEqual(values(reads), [{ a: "1,5", b: "2" }]);
  }
  const reads = await all(csvRecords(inPieces('"a;b;c","d\ne"\n1,2', 100)));
  assert.deepEqual(values(reads), [{ "a;b;c": "1", "d\ne": "2" }], "what is quoted does not count");
});

Deno.test("CSV: a row that does not fit its header is unreadable, and the other rows are read", async () => {
  const reads = await all(csvRecords(inPieces('a,b\n1,2\n1\n1,2,3\n1,2,\n"1"x,2\n3,4\n', 100)));
  assert.deepEqual(values(reads), [
    { a: "1", b: "2" },
    "1 fields under a header of 2",
    "3 fields under a header of 2",
    { a: "1", b: "2" },
    "text after the closing quote of field 1",
    { a: "3", b: "4" },
  ]);
});

Deno.test("CSV: an unclosed quote and a repeated column are rejected with the place", async () => {
  assert.match(await refusal(await fileOf("open.csv", 'a,b\n1,2\n"3,4\n5,6\n')), /line 3 is never closed/);
  assert.match(await refusal(await fileOf("twice.csv", "a,b,a\n1,2,3\n")), /column "a" twice/);
  assert.match(
    await refusal(await fileOf("head.csv", 'a,"b"c\n1,2\n')),
    /header \(line 1\) has text after the closing quote of field 2/,
  );
});

Deno.test("CSV: header names are read without byte order mark, full width and outer spaces", async () => {
  const { records } = await openSource(await fileOf("bom.csv", "\ufeffＮＯ , name\n1,x\n"));
  assert.deepEqual(values(await all(records)), [{ NO: "1", name: "x" }]);
});

Deno.test("encodings: Shift_JIS and UTF-8 are detected by the bytes and give the same text", async () => {
  const text = "名称,住所\r\n焼津駅北口駐車場,静岡県焼津市①－～\r\n";
  const utf8 = await openSource(await fileOf("utf8.csv", text));
  const sjis = await openSource(await fileOf("sjis.csv", encoded(text, "shift_jis")));
  assert.equal(utf8.encoding, "utf-8");
  assert.equal(sjis.encoding, "shift_jis");
  assert.deepEqual(await all(sjis.records), await all(utf8.records));
});

Deno.test("encodings: a character across two chunks is one character", async () => {
  const long = `name\n${"駐車場".repeat(200_000)}\n`;
  const { encoding, records } = await openSource(await fileOf("long.csv", encoded(long, "shift_jis")));
  assert.equal(encoding, "shift_jis");
  assert.deepEqual(values(await all(records)), [{ name: "駐車場".repeat(200_000) }]);
});

Deno.test("encodings: invalid bytes are rejected with their offset, not replaced", async () => {
  const start = new TextEncoder().encode(`name\n${"駐".repeat(100_000)}`);
  const path = await fileOf("bad.csv", new Uint8Array([...start, 0xff, 0x0a]));
  await assert.rejects(async () => await all((await openSource(path, "utf-8")).records), {
    message: /byte at offset 300005 is not utf-8/,
  });
  assert.match(await refusal(path), /^The file is in none of the known encodings\.$/);
});

Deno.test("encodings: byte order marks and escapes are certain, and the mapping or --encoding decides otherwise", async () => {
  const cases: [Uint8Array, string, string][] = [
    [utf16("name\n駐車場\n", true), "utf-16le", "駐車場"],
    [utf16("name\n駐車場\n", false), "utf-16be", "駐車場"],
    [new TextEncoder().encode("\ufeffname\nZürich\n"), "utf-8", "Zürich"],
    [iso2022jp("name\n駐車場の名\n"), "iso-2022-jp", "駐車場の名"],
    [
      encoded(
        "name\nﾊﾟｰｷﾝｸﾞ駅前\n第2駐車場A棟\nタイムズPark場\nこの駐車場は屋根があります\nそのほかの駐車場はこちらの地図で見られます\n",
        "shift_jis",
      ),
      "shift_jis",
      "ﾊﾟｰｷﾝｸﾞ駅前",
    ],
    // Few letters beyond ASCII, among words with s and k.
    [encoded("name\n駐車場1\nspaces\nParks\nbikes\n", "shift_jis"), "shift_jis", "駐車場1"],
  ];
  for (const [bytes, encoding, name] of cases) {
    const opened = await openSource(await fileOf("encoded.csv", bytes));
    assert.equal(opened.encoding, encoding);
    assert.deepEqual(values(await all(opened.records))[0], { name });
  }
  for (const [encoding, name] of [["euc-jp", "駐車場の名"], ["windows-1252", "Genève"]] as const) {
    const { records } = await openSource(
      await fileOf("named.csv", encoded(`name\n${name}\n`, encoding)),
      encoding,
    );
    assert.deepEqual(values(await all(records)), [{ name }]);
  }
});

Deno.test("encodings: bytes that are texts in no certain encoding are refused with the two that they may be", async () => {
  const refused = async (bytes: Uint8Array) =>
    (await refusal(await fileOf("unsure.csv", bytes))).match(/it may be (.+?)\./)?.[1];
  for (
    const name of [
      "Parking Genève",
      "Málaga",
      "Köln",
      "Straße",
      "Zürich",
      "Café du Théâtre",
      "Ålesund",
      "Señor Ñuñoa",
    ]
  ) {
    assert.match(
      String(await refused(encoded(`name\n${name}\n`, "windows-1252"))),
      /^windows-1252( or (shift_jis|euc-jp))?$/,
      name,
    );
  }
  assert.match(String(await refused(encoded("name\n駐車場の名駐車場の名\n", "euc-jp"))), /euc-jp/);
  // DOS and Macintosh: the bytes are Japanese letters in Latin words.
  for (
    const [name, byte] of [["Z_ich", [0x81, 0x72]], ["M_laga", [0x87, 0x6c]], ["S_o Paulo", [0x8b, 0x86]]] as const
  ) {
    const bytes = [...new TextEncoder().encode(`name\n${name}\n`)].flatMap((at) => at === 0x5f ? byte : [at]);
    assert.match(String(await refused(new Uint8Array(bytes))), /^(windows-1252 or )?shift_jis/, name);
  }
  // UTF-16 without a mark, and UTF-32.
  for (const text of ["name,lat\nParking,35\n", "name,lat\n第2駐車場,35.68\n"]) {
    const bytes = utf16(text, true).slice(2), swapped = utf16(text, false).slice(2);
    assert.equal(await refused(bytes), "utf-16le or utf-16be");
    assert.equal(await refused(swapped), "utf-16be or utf-16le");
  }
  const utf32 = [0xff, 0xfe, 0, 0, ..."name\nA\n"].flatMap((at) =>
    typeof at === "number" ? [at] : [at.charCodeAt(0), 0, 0, 0]
  );
  assert.match(await refusal(await fileOf("wide.csv", new Uint8Array(utf32))), /^The file is in none of the known/);
});

Deno.test("GeoJSON: features are read one by one, for any chunk size", async () => {
  const text = JSON.stringify(
    {
      type: "FeatureCollection",
      name: 'a "features": [ in a text',
      about: { features: [1, 2] },
      features: [
        {
          type: "Feature",
          id: 7,
          geometry: point(139, 35),
          properties: { name: 'brackets ]}"\\ in names', deep: [{}] },
        },
        { type: "Feature", geometry: null, properties: null },
      ],
      bbox: [1, 2, 3, 4],
    },
    null,
    1,
  );
  for (let length = 1; length < 200; length++) {
    assert.deepEqual(await all(geojsonRecords(inPieces(text, length))), [
      {
        position: 1,
        id: 7,
        geometry: point(139, 35),
        values: { name: 'brackets ]}"\\ in names', deep: [{}] },
      },
      { position: 2, id: undefined, geometry: null, values: {} },
    ]);
  }
});

Deno.test("GeoJSON: a file of an older standard names its coordinates; those that are not degrees of WGS 84 are refused", async () => {
  const file = (crs: unknown) => JSON.stringify({ type: "FeatureCollection", crs, features: [] });
  const named = (name: string) => file({ type: "name", properties: { name } });
  for (
    const crs of [
      "urn:ogc:def:crs:OGC:1.3:CRS84",
      "urn:ogc:def:crs:OGC::CRS84h",
      "http://www.opengis.net/def/crs/OGC/1.3/CRS84",
      "EPSG:4326",
      "urn:ogc:def:crs:EPSG::6668",
      "urn:ogc:def:crs:EPSG:8.5:4612",
      "https://www.opengis.net/def/crs/EPSG/0/4258",
    ]
  ) {
    assert.deepEqual(await all(geojsonRecords(inPieces(named(crs), 100))), [], crs);
  }
  assert.deepEqual(await all(geojsonRecords(inPieces(file(null), 100))), []);
  for (const crs of ["EPSG:3857", "urn:ogc:def:crs:EPSG::4301", "urn:ogc:def:crs:EPSG::2451", "EPSG:14326"]) {
    assert.match(await refusal(await fileOf("crs.geojson", named(crs))), /not degrees of WGS 84/, crs);
  }
  const link = { type: "link", properties: { href: "https://spatialreference.org/ref/epsg/3857/" } };
  for (const crs of ["EPSG:3857", link, { type: "EPSG", properties: { code: 3857 } }, {}]) {
    assert.match(await refusal(await fileOf("crs.geojson", file(crs))), /not degrees of WGS 84/, JSON.stringify(crs));
  }
  const crs = { type: "name", properties: { name: "EPSG:3857" } };
  const features = [{ crs }, { geometry: { ...point(1, 2), crs } }, { geometry: point(1, 2) }];
  const reads = await all(geojsonRecords(inPieces(collection(features), 100)));
  assert.deepEqual(values(reads), [
    'crs: "EPSG:3857", not degrees of WGS 84',
    'crs: "EPSG:3857", not degrees of WGS 84',
    {},
  ]);
});

Deno.test("GeoJSON: an incomplete or malformed file is rejected with the place", async () => {
  const whole = collection([{ properties: { name: "a" } }, { properties: { name: "b" } }]);
  const of = async (text: string) => await refusal(await fileOf("broken.geojson", text));
  assert.match(await of(whole.slice(0, -20)), /ends in line 1 in the middle of feature 2/);
  assert.match(await of(whole.slice(0, -2)), /ends in line 1 in the middle of its JSON/);
  assert.match(await of(whole.replace('"b"', "b")), /Feature 2 \(it ends in line 1\) is not JSON/);
  assert.match(await of(whole.replace("},{", "}{")), /unexpected "{" after feature 1/);
  assert.match(await of(whole.replace("}]}", "},]}")), /comma follows the last feature \(2\)/);
  assert.match(await of(whole.replace("FeatureCollection", "Topology")), /type is "Topology"/);
  assert.match(await of('{"type": "Feature",\n "properties": {}}'), /no list "features"/);
  assert.match(await of(`${whole} trailing`), /not JSON/);
});

Deno.test("NDJSON: a line that is not an object is unreadable, and the other lines are read", async () => {
  const lines = ['{"name":"a"}', "{broken", "", "[1]", '\x1e{"type":"Feature","id":"x","properties":{"name":"b"}}'];
  const { format, records } = await openSource(await fileOf("lots.ndjson", lines.join("\r\n")));
  const reads = await all(records);
  assert.equal(format, "ndjson");
  assert.deepEqual(positions(reads), [1, 2, 4, 5]);
  assert.deepEqual(reads.map(isUnreadable), [false, true, true, false]);
  assert.match(String(values(reads)[1]), /^not JSON: /);
});

Deno.test("formats: a file is recognised by its content if its name does not show the format", async () => {
  const feature = '{"type":"Feature","properties":{}}';
  const cases: [string, string][] = [
    [collection([]), "geojson"],
    [`[${feature}]`, "geojson"],
    [`{\n"type": "FeatureCollection", "features": [${feature}]}`, "geojson"],
    [`${feature}\n${feature}\n`, "ndjson"],
    ['{"name":"a"}\n', "ndjson"],
    ["name,lat\n", "csv"],
  ];
  for (const [text, format] of cases) assert.equal((await openSource(await fileOf("data", text))).format, format, text);
});

Deno.test("formats: an empty, compressed or old Excel file is rejected by its kind", async () => {
  assert.match(await refusal(await fileOf("a.csv", "")), /empty/);
  assert.match(await refusal(await fileOf("b.csv", "\n\n")), /empty/);
  assert.match(await refusal(await fileOf("c.csv", new Uint8Array([0x1f, 0x8b, 8, 0]))), /gzip/);
  assert.match(await refusal(await fileOf("d.xls", new Uint8Array([0xd0, 0xcf, 0x11, 0xe0]))), /old Excel file/);
});

Deno.test("xlsx: an incomplete workbook is rejected with a message", async () => {
  const { format, records } = await openSource(await fileOf("cut.xlsx", new Uint8Array([0x50, 0x4b, 3, 4])));
  assert.equal(format, "xlsx");
  await assert.rejects(() => all(records), { name: "ImportFailure", message: /no whole xlsx workbook/ });
});
