import assert from "node:assert/strict";
import { Progress } from "../../tools/importer/progress.ts";
import { importFile, type ImportOptions, type ImportStopped } from "../../tools/importer/run.ts";
import type { Counts } from "../../tools/importer/report.ts";
import { database } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { MENDED, NORMAL, REFUSED } from "../support/geometries.ts";
import { encoded } from "../support/encodings.ts";
import { collection, fileOf, point } from "./files.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

/** A source of the test's own, so that tests may run in any order. */
function newSource(): string {
  return `test-${crypto.randomUUID()}`;
}

async function importText(name: string, content: string | Uint8Array, options: Partial<ImportOptions>) {
  return await importFile(db.url, { file: await fileOf(name, content), quiet: true, ...options });
}

/** The counts that are not zero. */
function counted(counts: Counts): Partial<Counts> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

async function lotsOf(source: string) {
  return await db.sql`
    select external_id, name, address, lat, lng, total_spaces, status, licence, attribution, tag_slugs, max_height_m::float
    from public.parking_lots where source = ${source} order by external_id`;
}

async function hoursOf(source: string, externalId: string) {
  const rows = await db.sql`
    select w.window_type, w.day_type, w.day_of_week, w.is_24h, w.open_time::text, w.close_time::text
    from public.parking_lot_windows w join public.parking_lots l on l.id = w.parking_lot_id
    where l.source = ${source} and l.external_id = ${externalId}
    order by w.window_type, w.day_type, w.day_of_week, w.open_time`;
  return rows.map((row) => Object.values(row).map((value) => value ?? "-").join(" "));
}

const HEADER = "id,name,address,lat,lng,total_spaces,max_height_m,open_time,close_time,days\n";

Deno.test("import: a CSV file becomes public lots with source, licence and attribution", async () => {
  const source = newSource();
  const text = `${HEADER}a,第一駐車場,東京都千代田区1-1,35.68,139.77,12,2.1,,,\nb,第二駐車場,,35.69,139.76,,,,,\n`;
  const report = await importText("lots.csv", text, { source, licence: "CC-BY-4.0", attribution: "千代田区" });
  assert.deepEqual(counted(report.counts), { read: 2, inserted: 2 });
  assert.equal(report.mapping, "parking_lots");
  const common = { status: "active", licence: "CC-BY-4.0", attribution: "千代田区", tag_slugs: [] };
  assert.deepEqual([...await lotsOf(source)].map((row) => ({ ...row })), [
    {
      external_id: "a",
      name: "第一駐車場",
      address: "東京都千代田区1-1",
      lat: 35.68,
      lng: 139.77,
      total_spaces: 12,
      max_height_m: 2.1,
      ...common,
    },
    {
      external_id: "b",
      name: "第二駐車場",
      address: null,
      lat: 35.69,
      lng: 139.76,
      total_spaces: null,
      max_height_m: null,
      ...common,
    },
  ]);
});

Deno.test("import: CSV in UTF-8 or Shift_JIS, GeoJSON and NDJSON give the same lots, and a second run changes nothing", async () => {
  const source = newSource();
  const lots = [1, 2, 3].map((n) => ({
    id: `lot-${n}`,
    name: `駐車場${n}`,
    total_spaces: n,
    lng: 139.7 + n / 100,
    lat: 35.6,
  }));
  const csv = `id,name,total_spaces,lng,lat\n${lots.map((lot) => Object.values(lot).join(",")).join("\n")}`;
  const features = lots.map(({ id, lng, lat, ...properties }) => ({ id, geometry: point(lng, lat), properties }));
  const ndjson = lots.map((lot) => JSON.stringify(lot)).join("\n");
  const featureLines = features.map((feature) => JSON.stringify({ type: "Feature", ...feature })).join("\n");
  const first = await importText("utf8.csv", csv, { source });
  assert.deepEqual(counted(first.counts), { read: 3, inserted: 3 });
  const stored = await lotsOf(source);
  for (
    const [name, content] of [
      ["utf8.csv", csv],
      ["sjis.csv", encoded(csv, "shift_jis")],
      ["lots.geojson", collection(features)],
      ["lots.ndjson", ndjson],
      ["features.ndjson", featureLines],
    ] as const
  ) {
    const report = await importText(name, content, { source });
    assert.deepEqual(counted(report.counts), { read: 3, unchanged: 3 }, name);
  }
  assert.deepEqual([...await lotsOf(source)], [...stored]);
});

Deno.test("import: an outline is stored in its normal form, its lot is in its middle, and a second run changes nothing", async () => {
  const source = newSource();
  const wanted = [
    ...Object.values(NORMAL).map(([geometry, place]) => ({ geometry, area: geometry, place })),
    ...Object.values(MENDED).map(([geometry, area, place]) => ({ geometry, area, place })),
  ];
  const features = [...wanted, ...Object.values(REFUSED).map(([geometry]) => ({ geometry }))].map((
    { geometry },
    nth,
  ) => (
    { id: `${nth}`.padStart(3, "0"), geometry, properties: { name: `Lot ${nth}` } }
  ));
  const rejected = Object.keys(REFUSED).length;
  const file = collection(features);
  const first = await importText("outlines.geojson", file, { source });
  assert.deepEqual(counted(first.counts), { read: features.length, inserted: wanted.length, rejected });
  const stored = await db.sql`
    select area, round(lng::numeric, 9)::float8 as lng, round(lat::numeric, 9)::float8 as lat
    from public.parking_lots where source = ${source} order by external_id`;
  assert.deepEqual(
    stored.map(({ area, lng, lat }) => ({ area, place: [lng, lat] })),
    wanted.map(({ area, place }) => ({ area, place })),
  );
  const second = await importText("outlines.geojson", file, { source });
  assert.deepEqual(counted(second.counts), { read: features.length, unchanged: wanted.length, rejected });
});

Deno.test("import: only changed rows are updated, the others keep updated_at", async () => {
  const source = newSource();
  const of = (spaces: number) => `${HEADER}a,A,,35.1,139.1,${spaces},,,,\nb,B,,35.2,139.2,5,,,,\n`;
  await importText("before.csv", of(10), { source });
  const times = async () =>
    await db.sql`select external_id, updated_at from public.parking_lots where source = ${source}`;
  const before = new Map((await times()).map((row) => [row["external_id"], row["updated_at"].getTime()]));
  const report = await importText("after.csv", of(11), { source });
  assert.deepEqual(counted(report.counts), { read: 2, updated: 1, unchanged: 1 });
  const after = new Map((await times()).map((row) => [row["external_id"], row["updated_at"].getTime()]));
  assert.ok(after.get("a") > before.get("a"));
  assert.equal(after.get("b"), before.get("b"));
});

Deno.test("import: keeps status, columns that the file lacks, and other sources", async () => {
  const source = newSource(), other = newSource();
  const text = "id,name,lat,lng\na,A,35.1,139.1\n";
  const mapping = await fileOf(
    "few.json",
    JSON.stringify({
      name: "few",
      title: "Few columns",
      external_id: "id",
      fields: { name: "name", lat: "lat", lng: "lng" },
    }),
  );
  await importText("a.csv", text, { source, mapping, licence: "CC0-1.0" });
  await importText("a.csv", text, { source: other, mapping });
  await db.sql`
    update public.parking_lots
    set status = 'closed', address = '市役所前', operator_code = 'aozora', area = '{"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [0, 1], [0, 0]]]}'
    where source = ${source}`;
  const report = await importText("a.csv", text.replace(",A,", ",AA,"), { source, mapping });
  assert.deepEqual(counted(report.counts), { read: 1, updated: 1 });
  const [lot] = await db.sql`
    select name, status, address, operator_code, licence, area ->> 'type' as area
    from public.parking_lots where source = ${source}`;
  assert.deepEqual({ ...lot }, {
    name: "AA",
    status: "closed",
    address: "市役所前",
    operator_code: "aozora",
    licence: "CC0-1.0",
    area: "Polygon",
  });
  assert.equal((await lotsOf(other))[0]?.["name"], "A");
});

Deno.test("import: bad rows are rejected with line, id and reason, and the others are imported", async () => {
  const source = newSource();
  const rows = [
    "a,A,,35.1,139.1,5,,,,",
    "b,,,35.1,139.1,5,,,,",
    "c,C,,139.1,35.1,5,,,,",
    "d,D,,35.1,139.1,five,,,,",
    "e,E,35.1",
    "a,A again,,35.2,139.2,5,,,,",
    "g,G,,35.3,139.3,5,,,,",
  ];
  const report = await importText("bad.csv", `${HEADER}${rows.join("\n")}\n`, { source });
  assert.deepEqual(counted(report.counts), { read: 7, inserted: 2, rejected: 5 });
  assert.deepEqual(
    report.entries.map(({ outcome, unit, position, external_id, problems }) =>
      [
        outcome,
        unit,
        position,
        external_id ?? "-",
        problems.map(({ field, reason }) => `${field} ${reason}`).join("; "),
      ]
        .join(" | ")
    ),
    [
      "rejected | line | 3 | b | name is missing",
      "rejected | line | 4 | c | lat 139.1 is outside -90..90; lat, lng latitude and longitude look swapped",
      'rejected | line | 5 | d | total_spaces is not a number: "five"',
      "rejected | line | 6 | - |  3 fields under a header of 10",
      "rejected | line | 7 | a | external_id line 2 has the same one",
    ],
  );
  assert.deepEqual((await lotsOf(source)).map((lot) => lot["name"]), ["A", "G"]);
});

Deno.test("import: an incomplete file changes nothing", async () => {
  const source = newSource();
  const features = Array.from({ length: 5000 }, (_, n) => ({ // five batches
    id: `f${n}`,
    geometry: point(139 + n / 10000, 35),
    properties: { name: `駐車場${n}` },
  }));
  const whole = collection(features);
  await assert.rejects(importText("cut.geojson", whole.slice(0, -1000), { source }), /in the middle of feature 49\d\d/);
  await assert.rejects(importText("open.csv", 'id,name,lat,lng\na,A,35,139\n"b', { source }), /never closed/);
  assert.equal((await lotsOf(source)).length, 0);
});

Deno.test("import: a dry run counts the changes and writes nothing", async () => {
  const source = newSource();
  const text = `${HEADER}a,A,,35.1,139.1,5,,08:00,20:00,\nb,,,35.1,139.1,5,,,,\n`;
  const tried = await importText("lots.csv", text, { source, dryRun: true });
  assert.deepEqual(counted(tried.counts), { read: 2, inserted: 1, rejected: 1 });
  assert.equal((await lotsOf(source)).length, 0);
  const done = await importText("lots.csv", text, { source });
  assert.deepEqual(done.counts, tried.counts);
});

Deno.test("import: hours in the file replace the lot's business hours, a file without hours keeps them", async () => {
  const source = newSource();
  const of = (open: string, close: string, days: string) => `${HEADER}a,A,,35.1,139.1,5,,${open},${close},${days}\n`;
  const run = async (text: string) => counted((await importText("lots.csv", text, { source })).counts);
  assert.deepEqual(await run(of("8:00", "20:00", "平日")), { read: 1, inserted: 1 });
  assert.deepEqual(await hoursOf(source, "a"), ["business weekday - - 08:00:00 20:00:00"]);
  assert.deepEqual(await run(of("08:00", "20:00", "月火水木金")), { read: 1, unchanged: 1 });
  await db.sql`
    insert into public.parking_lot_windows (parking_lot_id, window_type, is_24h)
    select id, 'exit', true from public.parking_lots where source = ${source}`;
  assert.deepEqual(await run(of("0:00", "24:00", "")), { read: 1, updated: 1 });
  assert.deepEqual(await hoursOf(source, "a"), ["business all - true - -", "exit - - true - -"]);
  assert.deepEqual((await lotsOf(source))[0]?.["tag_slugs"], ["open_24h"]);
  assert.deepEqual(await run(of("", "", "")), { read: 1, unchanged: 1 });
  assert.deepEqual(await run(of("8:00", "late", "")), { read: 1, unchanged: 1, warnings: 1 });
  assert.deepEqual(await hoursOf(source, "a"), ["business all - true - -", "exit - - true - -"]);
});

Deno.test("import: tags of the mapping follow the file, other tags stay", async () => {
  const source = newSource();
  const mapping = await fileOf(
    "tags.json",
    JSON.stringify({
      name: "tags",
      title: "Tags",
      external_id: "id",
      fields: { name: "name", lat: "lat", lng: "lng" },
      tags: [{ slug: "ev_charging", when: { from: "ev", equals: "1" }, otherwise: false }],
    }),
  );
  const of = (ev: string) => `id,name,lat,lng,ev\na,A,35.1,139.1,${ev}\n`;
  const run = async (ev: string) => counted((await importText("tags.csv", of(ev), { source, mapping })).counts);
  const slugs = async () => (await lotsOf(source))[0]?.["tag_slugs"];
  await run("1");
  assert.deepEqual(await slugs(), ["ev_charging"]);
  await db.sql`
    insert into public.parking_lot_tags (parking_lot_id, tag_id)
    select l.id, t.id from public.parking_lots l, public.tags t where l.source = ${source} and t.slug = 'covered'`;
  assert.deepEqual(await run("0"), { read: 1, updated: 1 });
  assert.deepEqual(await slugs(), ["covered"]);
  assert.deepEqual(await run("0"), { read: 1, unchanged: 1 });
});

Deno.test("import: a mapping with an unknown tag is rejected before the file is imported", async () => {
  const mapping = await fileOf(
    "typo.json",
    JSON.stringify({
      name: "typo",
      title: "Typo",
      fields: { name: "name" },
      tags: [{ slug: "ev_charing", when: { from: "ev", equals: "1" } }],
    }),
  );
  await assert.rejects(
    importText("a.csv", "name,lat,lng\nA,35,139\n", { mapping }),
    /tags that do not exist: ev_charing/,
  );
});

Deno.test("import: an unrecognised file is rejected with its columns and the known mappings", async () => {
  await assert.rejects(importText("a.csv", "foo,bar\n1,2\n", {}), (error: Error) => {
    assert.match(error.message, /these columns: foo, bar/);
    assert.match(error.message, /takamatsu_municipal_parking/);
    return true;
  });
  await assert.rejects(
    importText("a.csv", "foo,bar\n1,2\n", { mapping: "nowhere.json" }),
    /neither a file nor a built-in/,
  );
});

Deno.test("import: text with tabs, line breaks, backslashes and quotes is stored unchanged", async () => {
  const source = newSource();
  const name = 'a\\N \\t "quoted" \\. {x}';
  const text = JSON.stringify({ id: "back\\slash", name: `${name}\t\n x`, lat: 35, lng: 139 });
  await importText("odd.ndjson", text, { source });
  const [lot] = await lotsOf(source);
  assert.equal(lot?.["external_id"], "back\\slash");
  assert.equal(lot?.["name"], `${name} x`);
});

Deno.test("import: values at the limits of the table are imported, values just beyond are rejected by field", async () => {
  const source = newSource();
  const row = (id: string, values: Record<string, unknown>) =>
    JSON.stringify({ id, name: "A", lat: 35, lng: 139, ...values });
  const edges: [string, unknown, unknown][] = [
    ["name", "長".repeat(200), "長".repeat(201)],
    ["address", "長".repeat(500), "長".repeat(501)],
    ["lat", -90, -90.01],
    ["lng", 180, 180.01],
    ["total_spaces", 1_000_000, 1_000_001],
    ["max_height_m", 50, 50.1],
    ["max_width_m", 50, 50.1],
    ["max_length_m", 100, 100.1],
    ["max_weight_t", 200, 200.1],
    ["min_clearance_cm", 200, 201],
    ["max_tire_width_mm", 2000, 2001],
    ["max_parking_duration_min", 1, 0],
    ["structure", "s".repeat(50), "s".repeat(51)],
    ["entry_method", "s".repeat(50), "s".repeat(51)],
    ["entry_difficulty", "hard", "harder"],
    ["phone", "1".repeat(50), "1".repeat(51)],
    ["website", `https://${"a".repeat(1992)}`, `https://${"a".repeat(1993)}`],
    ["time_zone", "Europe/Zurich", "Zurich"],
    ["holiday_calendar", "CH-ZH", "Switzerland"],
    ["currency", "CHF", "francs"],
  ];
  const lines = edges.flatMap(([field, good, bad]) => [
    row(`${field} good`, { [field]: good }),
    row(`${field} bad`, { [field]: bad }),
  ]);
  const report = await importText("edges.ndjson", lines.join("\n"), { source });
  assert.deepEqual(
    report.entries.filter(({ outcome }) => outcome === "rejected")
      .map((entry) => [entry.external_id, entry.problems.map(({ field }) => field)]),
    edges.map(([field]) => [`${field} bad`, [field]]),
  );
  // Sizes at the limit of the table are imported too, and hardly right.
  const sizes = ["total_spaces", "max_height_m", "max_width_m", "max_length_m", "max_weight_t"];
  assert.deepEqual(
    report.entries.filter(({ outcome }) => outcome === "warning").map((entry) => entry.external_id),
    sizes.map((field) => `${field} good`),
  );
  assert.equal(report.counts.inserted, edges.length);
});

Deno.test("import: of two rows with one id, thousands of rows apart, the first is imported", async () => {
  const source = newSource();
  const lines = Array.from({ length: 2_500 }, (_, n) => `id${n},A${n},,35.1,${139 + n / 10_000},5,,,,`);
  const report = await importText("again.csv", `${HEADER}${lines.join("\n")}\nid7,Again,,35.1,139.1,5,,,,\n`, {
    source,
  });
  assert.deepEqual(counted(report.counts), { read: 2_501, inserted: 2_500, rejected: 1 });
  assert.deepEqual(report.entries.map(({ problems }) => problems[0]!.reason), ["line 9 has the same one"]);
  const [lot] = await db.sql`select name from public.parking_lots where source = ${source} and external_id = 'id7'`;
  assert.equal(lot!["name"], "A7");
});

Deno.test("import: a batch that the database rejects fails alone, and the next import continues", async () => {
  const source = newSource();
  const lines = Array.from({ length: 1_500 }, (_, n) => `id${n},A${n},,35.1,${139 + n / 10_000},5,,,,`);
  const text = `${HEADER}${lines.join("\n")}\n`;
  await db.sql.unsafe(`
    create function private.tg_reject() returns trigger language plpgsql as $$ begin raise 'not this one'; end $$;
    create trigger reject before insert on public.parking_lots
      for each row when (new.source = '${source}' and new.external_id = 'id1200') execute function private.tg_reject()`);
  await assert.rejects(importText("lots.csv", text, { source }), (error: ImportStopped) => {
    assert.match(String(error.cause), /not this one/);
    return error.writtenLots === 1_000;
  });
  assert.equal((await lotsOf(source)).length, 1_000);
  await db.sql`drop trigger reject on public.parking_lots`;
  const report = await importText("lots.csv", text, { source });
  assert.deepEqual(counted(report.counts), { read: 1_500, inserted: 500, unchanged: 1_000 });
});

Deno.test("import: waits while another import of its source runs, and prints that", async () => {
  const source = newSource();
  const steps: string[] = [];
  class Recorded extends Progress {
    override step(what: string): void {
      steps.push(what);
    }
  }
  const other = await db.sql.reserve();
  await other`select pg_advisory_lock(hashtextextended(${`import file ${source}`}, 0))`;
  const waiting = importText("a.csv", `${HEADER}a,A,,35.1,139.1,5,,,,\n`, { source, progress: new Recorded(true) });
  await eventually(() => steps.length > 1 || undefined);
  assert.equal((await lotsOf(source)).length, 0);
  await other`select pg_advisory_unlock_all()`;
  other.release();
  assert.deepEqual(counted((await waiting).counts), { read: 1, inserted: 1 });
  assert.equal(new Set(steps).size, 1);
});

Deno.test("import: two concurrent imports of one source create no duplicate", async () => {
  const source = newSource();
  const text = HEADER + Array.from({ length: 500 }, (_, n) => `id${n},A${n},,35.1,${139 + n / 1000},5,,,,`).join("\n");
  const reports = await Promise.all([1, 2, 3].map(() => importText("same.csv", text, { source })));
  assert.deepEqual(reports.map((report) => report.counts.inserted).sort((a, b) => a - b), [0, 0, 500]);
  assert.equal((await lotsOf(source)).length, 500);
});

Deno.test("import progress: a long import prints rows read and lots written after each batch", async () => {
  const seen: number[][] = [];
  class Recorded extends Progress {
    override lots(read: number, rows: number, written: number): void {
      seen.push([read, rows, written]);
    }
  }
  const rows = Array.from({ length: 4_500 }, (_, index) => `${index},P${index},${30 + index / 1_000},139.5,,,,,\n`);
  const text = "id,name,lat,lng,total_spaces,max_height_m,open_time,close_time,days\n" + rows.join("");
  const options = { source: newSource(), progress: new Recorded(true) };
  const first = await importText("long.csv", text, options);
  assert.deepEqual(counted(first.counts), { read: 4_500, inserted: 4_500 });
  const batches = [1_000, 2_000, 3_000, 4_000, 4_500];
  assert.deepEqual(seen.splice(0), batches.map((read) => [read, 4_500, read]));
  const second = await importText("long.csv", text, options);
  assert.deepEqual(counted(second.counts), { read: 4_500, unchanged: 4_500 });
  assert.deepEqual(seen, batches.map((read) => [read, 4_500, 0]));
});

Deno.test("import: an operator without letters is left out, one with a taken slug gets its own, and one that is no text rejects its row", async () => {
  const source = newSource();
  const slug = `taken-${crypto.randomUUID().slice(0, 8)}`;
  await db.sql`insert into public.operators (id, name, slug) values (${`${slug}-1`}, '先の会社', ${slug})`;
  const operators = ["株式会社駐車場", slug, "Nul\0l", `Other ${slug}`, "駐車場24"];
  const text = collection(operators.map((operator, n) => ({
    id: `way/${n}`,
    geometry: point(139.7 + n / 100, 35.6),
    properties: { "@id": `way/${n}`, amenity: "parking", access: "yes", operator },
  })));
  const report = await importText("osm.geojson", text, { source });
  assert.equal(report.mapping, "osm_parking_japan");
  assert.deepEqual(counted(report.counts), { read: 5, inserted: 4, rejected: 1 });
  const rejected = report.entries.map(({ external_id, problems }) => [external_id, problems.at(-1)]);
  assert.deepEqual(rejected, [["way/2", { field: "operator", reason: "contains characters that are not text" }]]);
  const rows = await db.sql`
    select l.external_id, l.name, o.id, o.name as operator, o.slug
    from public.parking_lots l left join public.operators o on o.id = l.operator_code
    where l.source = ${source} order by l.external_id`;
  assert.deepEqual(rows.map((row) => [row["external_id"], row["name"], row["id"], row["operator"]]), [
    ["way/0", "株式会社駐車場", null, null],
    ["way/1", slug, slug, slug],
    ["way/3", `Other ${slug}`, `other-${slug}`, `Other ${slug}`],
    ["way/4", "駐車場24", null, null],
  ]);
  assert.match(rows[1]!["slug"], new RegExp(`^${slug}-[0-9a-f]{8}$`));
  assert.equal(rows[2]!["slug"], `other-${slug}`);
  // A second run finds the operator by its id.
  const { counts } = await importText("osm.geojson", text, { source });
  assert.deepEqual(counted(counts), { read: 5, unchanged: 4, rejected: 1 });
});
