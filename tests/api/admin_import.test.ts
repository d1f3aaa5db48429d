// POST /v1/admin/parking-lots/import: lots of a source as JSON, mapped as the importer maps files, reported one by one.
import assert from "node:assert/strict";
import { BODY_LIMIT } from "../../supabase/functions/_shared/http/input.ts";
import { LotImportReport } from "../../supabase/functions/admin/parking_lot_import.schema.ts";
import { importLots } from "../../supabase/functions/admin/parking_lot_import.ts";
import { MENDED } from "../support/geometries.ts";
import { stack } from "../support/stack.ts";
import { actsWhere, type Administrator, anAdministrator, sending } from "./administrators.ts";
import { replyOf } from "./client.ts";
import { inDatabase } from "./lots.ts";

const PATH = "/admin/parking-lots/import";

type Row = Record<string, unknown>;
interface Counts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly rejected: number;
}

const aSource = () => `test-${crypto.randomUUID()}`;

const lot = (n: number, more: Row = {}): Row => ({
  external_id: `lot-${n}`,
  name: `Lot ${n}`,
  address: "Somewhere 1-2-3",
  lat: 33 + n / 10_000,
  lng: -150,
  total_spaces: 10,
  tags: { covered: true },
  windows: [{ day_type: "weekday", open_time: "08:00", close_time: "22:00" }],
  pricing_rules: [
    { category: "initial", per_minutes: 60, price_minor: 300 },
    { category: "time_band", per_minutes: 30, price_minor: 200 },
    { category: "cap", cap_type: "day", cap_price_minor: 1500, cap_repeat: true },
  ],
  ...more,
});

async function send({ ask }: Administrator, body: Row, headers: Record<string, string> = {}) {
  return await replyOf(importLots, await ask(PATH, sending("POST", body, headers)), LotImportReport);
}

async function rejection({ ask }: Administrator, body: Row) {
  const response = await ask(PATH, sending("POST", body));
  assert.equal(response.status, 422, await response.clone().text());
  return (await response.json()).error as {
    code: string;
    param: string;
    details: { counts?: Counts; errors: { param: string; message: string }[] };
  };
}

const counted = ({ created, updated, unchanged, rejected }: Counts) => [created, updated, unchanged, rejected];

const stored = (source: string) =>
  inDatabase((sql) =>
    sql<Row[]>`
      select l.external_id, l.name, l.status, l.total_spaces, l.operator_code, l.licence, l.phone, l.tag_slugs, l.lat,
        (select count(*)::integer from public.parking_lot_windows w where w.parking_lot_id = l.id) as windows,
        (select count(*)::integer from public.pricing_rules r where r.parking_lot_id = l.id) as rules,
        l.updated_at, (select array_agg(r.id order by r.rule_order) from public.pricing_rules r where r.parking_lot_id = l.id) as rule_ids
      from public.parking_lots l where l.source = ${source} order by l.external_id`
  );

const acts = (admin: Administrator) =>
  actsWhere({ admin_id: admin.id, action: "parking_lot.import" }, "target_type", "target_id", "changes");

const admin = await anAdministrator("lots");

Deno.test("admin import: a dry run reports what an import would do, and writes and records nothing", async () => {
  const [one, source] = [await anAdministrator("lots"), aSource()];
  const report = await send(one, { source, dry_run: true, lots: [lot(1), lot(2, { lat: 95 })] });
  assert.equal(report.dry_run, true);
  assert.deepEqual(counted(report.counts), [1, 0, 0, 1]);
  assert.deepEqual(report.rows.map((row) => [row.index, row.external_id, row.outcome, row.parking_lot_id]), [
    [0, "lot-1", "created", null],
    [1, "lot-2", "rejected", null],
  ]);
  assert.deepEqual(report.rows[1]!.errors.map(({ param }) => param), ["lots.1.lat"]);
  assert.deepEqual([...await stored(source)], []);
  assert.deepEqual([...await acts(one)], []);
});

Deno.test("admin import: lots are created whole, repeating the import changes nothing, and each import that changed something is one act", async () => {
  const [one, source] = [await anAdministrator("lots"), aSource()];
  const body = { source, licence: "CC-BY-4.0", lots: [lot(1, { operator_code: "Some Operator" }), lot(2)] };
  const first = await send(one, body);
  assert.deepEqual(counted(first.counts), [2, 0, 0, 0]);
  const before = await stored(source);
  assert.deepEqual(
    before.map(({ external_id, status, licence, tag_slugs, windows, rules, operator_code }) => ({
      external_id,
      status,
      licence,
      tag_slugs,
      windows,
      rules,
      operator_code,
    })),
    [
      {
        external_id: "lot-1",
        status: "active",
        licence: "CC-BY-4.0",
        tag_slugs: ["covered"],
        windows: 1,
        rules: 3,
        operator_code: "some-operator",
      },
      {
        external_id: "lot-2",
        status: "active",
        licence: "CC-BY-4.0",
        tag_slugs: ["covered"],
        windows: 1,
        rules: 3,
        operator_code: null,
      },
    ],
  );
  const again = await send(one, body);
  assert.deepEqual(counted(again.counts), [0, 0, 2, 0]);
  assert.deepEqual(again.rows.map((row) => row.parking_lot_id), first.rows.map((row) => row.parking_lot_id));
  assert.deepEqual([...await stored(source)], [...before]);
  const third = await send(one, {
    source,
    lots: [{ ...lot(1), name: "Renamed", pricing_rules: lot(1)["pricing_rules"] }],
  });
  assert.deepEqual(counted(third.counts), [0, 1, 0, 0]);
  const counts = { read: 2, created: 2, updated: 0, unchanged: 0, rejected: 0, warnings: 0 };
  assert.deepEqual([...await acts(one)].map((act) => ({ ...act })), [
    { target_type: "parking_lot", target_id: null, changes: { source, ...counts } },
    { target_type: "parking_lot", target_id: null, changes: { source, ...counts, read: 1, created: 0, updated: 1 } },
  ]);
});

Deno.test("admin import: the units of a band are stored, and another number of them is a change", async () => {
  const source = aSource();
  const band = { category: "time_band", per_minutes: 60, time_start: "08:00", time_end: "22:00" };
  const steps = (max_units: number) => [{ ...band, price_minor: 120, max_units }, { ...band, price_minor: 30 }];
  for (
    const [max_units, counts] of [[4, [1, 0, 0, 0]], [4, [0, 0, 1, 0]], [3, [0, 1, 0, 0]]] as const
  ) {
    const report = await send(admin, { source, lots: [lot(1, { pricing_rules: steps(max_units) })] });
    assert.deepEqual(counted(report.counts), counts);
    const rules = await inDatabase((sql) =>
      sql`
        select r.max_units from public.pricing_rules r join public.parking_lots l on l.id = r.parking_lot_id
        where l.source = ${source} order by r.rule_order`
    );
    assert.deepEqual(rules.map((rule) => rule["max_units"]), [max_units, null]);
  }
});

Deno.test("admin import: absent fields stay, null removes a value, and unchanged rules keep their ids", async () => {
  const source = aSource();
  await send(admin, { source, licence: "CC0-1.0", lots: [lot(1, { phone: "03-0000-0000", total_spaces: 5 })] });
  const [before] = await stored(source);
  await inDatabase((sql) => sql`update public.parking_lots set status = 'suspended' where source = ${source}`);
  const { external_id, name, lat, lng } = lot(1);
  const same = await send(admin, { source, lots: [{ external_id, name, lat, lng }] });
  assert.deepEqual(counted(same.counts), [0, 0, 1, 0]);
  const rules = lot(1)["pricing_rules"] as Row[];
  const changed = await send(admin, {
    source,
    lots: [{
      external_id,
      name,
      lat,
      lng,
      phone: null,
      tags: { covered: false, ev_charging: true },
      windows: [],
      pricing_rules: [rules[0], { ...rules[1], price_minor: 250 }, rules[2]],
    }],
  });
  assert.deepEqual(counted(changed.counts), [0, 1, 0, 0]);
  const [after] = await stored(source);
  assert.deepEqual(
    [
      after!["phone"],
      after!["total_spaces"],
      after!["licence"],
      after!["status"],
      after!["tag_slugs"],
      after!["windows"],
    ],
    [null, 5, "CC0-1.0", "suspended", ["ev_charging"], 1],
  );
  const ids = (row: Row) => row["rule_ids"] as string[];
  assert.deepEqual([ids(after!)[0], ids(after!)[2]], [ids(before!)[0], ids(before!)[2]]);
  assert.notEqual(ids(after!)[1], ids(before!)[1]);
});

Deno.test("admin import: values are read as the importer reads them, and hours that cannot be read give a warning", async () => {
  const source = aSource();
  const report = await send(admin, {
    source,
    lots: [
      lot(1, {
        external_id: 7,
        lat: "33°30′00″N",
        total_spaces: "１，２３４",
        name: "  Wide   space ",
        windows: undefined,
        hours: "24時間",
      }),
      lot(2, { windows: undefined, hours: "sometimes" }),
    ],
  });
  assert.deepEqual(counted(report.counts), [2, 0, 0, 0]);
  assert.deepEqual(report.rows.map(({ warnings }) => warnings.map(({ param }) => param)), [[], ["lots.1.hours"]]);
  const [one, two] = await stored(source);
  assert.deepEqual([
    one!["external_id"],
    one!["lat"],
    one!["total_spaces"],
    one!["name"],
    one!["windows"],
    one!["tag_slugs"],
  ], [
    "7",
    33.5,
    1234,
    "Wide space",
    1,
    ["covered", "open_24h"],
  ]);
  assert.equal(two!["windows"], 0);
});

/** One lot each that is wrong in one way, and the path that is named. */
const WRONG: readonly [more: Row, param: string][] = [
  [{ external_id: undefined }, "external_id"],
  [{ external_id: "x".repeat(201) }, "external_id"],
  [{ name: undefined }, "name"],
  [{ name: null }, "name"],
  [{ name: "x".repeat(201) }, "name"],
  [{ lat: undefined }, "lat"],
  [{ lat: 95 }, "lat"],
  [{ lat: 0, lng: 0 }, "lat"],
  [{ lng: "east" }, "lng"],
  [{ total_spaces: -1 }, "total_spaces"],
  [{ max_height_m: 51 }, "max_height_m"],
  [{ website: "ftp://example.com" }, "website"],
  [{ time_zone: "Tokyo" }, "time_zone"],
  [{ currency: "yen" }, "currency"],
  [{ entry_method: "no-such-method" }, "entry_method"],
  [{ area: { type: "Circle" } }, "area"],
  [{ area: { type: "Polygon", coordinates: [[[139.7, 35.6], [139.8, 35.6], [139.7, 35.6]]] } }, "area"],
  [{ area: "POINT(139.7 35.6)" }, "area"],
  [{ operator_code: "運営" }, "operator"],
  [{ status: "closed" }, "status"],
  [{ id: crypto.randomUUID() }, "id"],
  [{ tags: ["covered"] }, "tags"],
  [{ tags: { covered: "yes" } }, "tags.covered"],
  [{ tags: { no_such_tag: true } }, "tags.no_such_tag"],
  [{ windows: "24h" }, "windows"],
  [{ windows: [{ open_time: "08:00" }] }, "windows.0.close_time"],
  [{ windows: [{ is_24h: true, day_type: "someday" }] }, "windows.0.day_type"],
  [{ pricing_rules: [{ category: "initial", price_minor: 100 }] }, "pricing_rules.0.per_minutes"],
  [
    { pricing_rules: [{ category: "time_band", per_minutes: 60, price_minor: 120, max_units: 4 }] },
    "pricing_rules.0.max_units",
  ],
  [{ pricing_rules: [{ category: "flat", price_minor: 100 }, { category: "free" }] }, "pricing_rules.1.category"],
  [{ pricing_rules: [{ category: "flat", price_minor: 100, pricing_group_id: crypto.randomUUID() }] }, "pricing_rules"],
];

Deno.test("admin import: each wrong field of a lot is named, and no lot is written unless the import is partial", async () => {
  const source = aSource();
  const lots = [lot(1000), ...WRONG.map(([more], nth) => lot(nth, more)), lot(1000)];
  const { code, param, details } = await rejection(admin, { source, lots });
  assert.equal(code, "validation_error");
  const named = new Set(details.errors.map((error) => error.param));
  const wanted = WRONG.map(([, param], nth) => `lots.${nth + 1}.${param}`);
  assert.deepEqual(wanted.filter((param) => !named.has(param)), []);
  assert.ok(named.has(`lots.${WRONG.length + 1}.external_id`), "the same id twice");
  assert.equal(param, details.errors[0]!.param);
  assert.deepEqual(counted(details.counts!), [0, 0, 0, WRONG.length + 1]);
  assert.deepEqual([...await stored(source)], []);
  const report = await send(admin, { source, partial: true, lots });
  assert.deepEqual(counted(report.counts), [1, 0, 0, WRONG.length + 1]);
  assert.deepEqual((await stored(source)).map((row) => row["external_id"]), ["lot-1000"]);
  for (const row of report.rows.slice(1)) assert.equal(row.outcome, "rejected", String(row.index));
});

Deno.test("admin import: a partial import rejects only the wrong lots", async () => {
  for (const [more, param] of WRONG) {
    const { details } = await rejection(admin, { source: "test-wrong", lots: [lot(1, more)] });
    assert.deepEqual([...new Set(details.errors.map((error) => error.param))], [`lots.0.${param}`]);
  }
});

Deno.test("admin import: an outline that is none is named with the other faults of its lot, with the reason", async () => {
  const area = { type: "Polygon", coordinates: [[[139.7, 35.6], [139.8, 999], [139.7, 35.7]]] };
  const { details } = await rejection(admin, { source: "test-wrong", lots: [lot(1, { area, lat: 95 })] });
  assert.deepEqual(details.errors.map((error) => error.param).sort(), ["lots.0.area", "lots.0.lat"]);
  assert.match(details.errors.find(({ param }) => param === "lots.0.area")!.message, /\[139\.8,999\]/);
});

Deno.test("admin import: an outline is stored in its normal form, and the same import changes nothing", async () => {
  const source = aSource();
  const lots = Object.values(MENDED).map(([area], nth) => lot(nth, { area }));
  await send(admin, { source, lots });
  const rows = await inDatabase((sql) =>
    sql`select area from public.parking_lots where source = ${source} order by length(external_id), external_id`
  );
  assert.deepEqual(rows.map(({ area }) => area), Object.values(MENDED).map(([, stored]) => stored));
  const report = await send(admin, { source, lots });
  assert.deepEqual(counted(report.counts), [0, 0, lots.length, 0]);
});

/** A text as it is sent, and as it is stored by every entry point. */
const TEXTS: Readonly<Record<string, string>> = {
  "　駐車場\u00a0 A\tB\n": "駐車場 A B",
  "運\u200d営\u202eP": "運営P",
  "か\u3099レージ": "がレージ",
  [`管${"\u0336".repeat(30)}理`]: "管\u0336\u0336\u0336\u0336理",
  "👨\u200d👩\u200d👧 می\u200cخواهم": "👨\u200d👩\u200d👧 می\u200cخواهم",
  "葛\u{e0100}城": "葛\u{e0100}城",
};

Deno.test("admin import: the texts of a lot are the same by import, by the form, by a change and by the Data API", async () => {
  const source = aSource();
  const lots = Object.keys(TEXTS).map((text, nth) => lot(nth, { name: text, address: text }));
  await send(admin, { source, lots });
  const storedTexts = async () =>
    (await inDatabase((sql) =>
      sql`select name, address from public.parking_lots where source = ${source} order by external_id`
    ))
      .map(({ name, address }) => [name, address]);
  const expected = Object.values(TEXTS).map((text) => [text, text]);
  assert.deepEqual(await storedTexts(), expected);
  assert.deepEqual(counted((await send(admin, { source, lots })).counts), [0, 0, lots.length, 0]);
  for (const [text, shown] of Object.entries(TEXTS)) {
    const own = aSource();
    await send(admin, { source: own, licence: text, attribution: text, lots: [lot(1)] });
    const [stored] = await inDatabase((sql) =>
      sql`select licence, attribution from public.parking_lots where source = ${own}`
    );
    assert.deepEqual([stored!["licence"], stored!["attribution"]], [shown, shown]);
  }
  const json = async (response: Response) => {
    assert.ok(response.ok, await response.clone().text());
    const { id, name, address } = await response.json();
    return { id, texts: [name, address] };
  };
  for (const [nth, [text, shown]] of Object.entries(TEXTS).entries()) {
    const fields = { name: text, address: text, lat: -42 - nth / 1000, lng: 22 };
    const { id, texts } = await json(await admin.ask("/admin/parking-lots", sending("POST", fields)));
    assert.deepEqual(texts, [shown, shown]);
    await inDatabase((sql) => sql`update public.parking_lots set name = 'Before', address = null where id = ${id}`);
    const change = sending("PATCH", { name: text, address: text });
    assert.deepEqual((await json(await admin.ask(`/admin/parking-lots/${id}`, change))).texts, [shown, shown]);
    const headers = { apikey: stack().secretKey, "content-type": "application/json", "content-profile": "api" };
    const body = JSON.stringify({ p_admin_id: admin.id, p_lot: { ...fields, lng: 23 } });
    const rpc = await fetch(`${stack().restUrl}/rpc/admin_create_parking_lot`, { method: "POST", headers, body });
    assert.deepEqual((await json(rpc)).texts, [shown, shown]);
  }
});

Deno.test("admin import: a lot without a place of its own has the centre of its area, and half a place is none", async () => {
  const source = aSource();
  const area = { type: "Polygon", coordinates: [[[10, 46], [10.2, 46], [10.2, 46.1], [10, 46.1], [10, 46]]] };
  const body = {
    source,
    partial: true,
    lots: [
      lot(1, { area, lat: undefined, lng: undefined }),
      lot(2, { area, lat: 46.05, lng: undefined }),
      lot(3, { area: { type: "Point", coordinates: [10, "north"] }, lat: undefined, lng: undefined }),
      lot(4, { area: null, lat: undefined, lng: undefined }),
    ],
  };
  const { rows } = await send(admin, body);
  assert.deepEqual(rows.map(({ errors }) => [...new Set(errors.map(({ param }) => param))].sort()), [
    [],
    ["lots.1.lng"],
    ["lots.2.area"],
    ["lots.3.lat", "lots.3.lng"],
  ]);
  assert.deepEqual((await stored(source)).map(({ lat }) => lat), [46.05]);
  assert.equal((await send(admin, body)).counts.unchanged, 1);
});

Deno.test("admin import: a wrong request parameter is 422 and named", async () => {
  for (
    const [body, param] of [
      [{ lots: [lot(1)] }, "source"],
      [{ source: "", lots: [lot(1)] }, "source"],
      [{ source: "a", lots: [] }, "lots"],
      [{ source: "a", lots: Array.from({ length: 1001 }, (_, n) => ({ external_id: n })) }, "lots"],
      [{ source: "a", lots: ["lot"] }, "lots.0"],
      [{ source: "a", status: "closed", lots: [lot(1)] }, "status"],
      [{ source: "a", source_url: "mailto:a@example.com", lots: [lot(1)] }, "source_url"],
      [{ source: "a", dry_run: "yes", lots: [lot(1)] }, "dry_run"],
      [{ source: "a", licence: "x".repeat(201), lots: [lot(1)] }, "licence"],
    ] as const
  ) assert.equal((await rejection(admin, body)).param, param, JSON.stringify(body).slice(0, 80));
});

Deno.test("admin import: an administrator without the area gets 403 with the scope and nothing is written", async () => {
  const [other, source] = [await anAdministrator("support"), aSource()];
  for (const body of [{ source, lots: [lot(1)] }, { source }]) {
    const response = await other.ask(PATH, sending("POST", body));
    assert.equal(response.status, 403);
    assert.deepEqual((await response.json()).error.details, { scope: "admin:lots" });
  }
  assert.deepEqual([...await stored(source)], []);
});

Deno.test("admin import: a thousand lots fit into a request, whose report is replayed for its key", async () => {
  const [one, source] = [await anAdministrator("lots"), aSource()];
  // What is long is nothing that searches read: the time of this test is that of the import.
  const long = { website: `https://example.com/${"z".repeat(1000)}` };
  const lots = Array.from({ length: 1000 }, (_, n) => {
    const { external_id, name, lat, lng } = lot(n);
    return { external_id, name, lat, lng, ...long };
  });
  const body = { source, lots };
  assert.ok(JSON.stringify(body).length > BODY_LIMIT, "it would fit into any request");
  const key = { "Idempotency-Key": crypto.randomUUID() };
  const first = await send(one, body, key);
  assert.deepEqual(counted(first.counts), [1000, 0, 0, 0]);
  const again = await one.ask(PATH, sending("POST", body, key));
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  assert.deepEqual(LotImportReport.parse(await again.json()), first);
  assert.equal((await acts(one)).length, 1);
});

Deno.test("admin import: two imports of a source at once write each lot once", async () => {
  const source = aSource();
  const lots = Array.from({ length: 20 }, (_, n) => lot(n));
  const reports = await Promise.all([send(admin, { source, lots }), send(admin, { source, lots: lots.toReversed() })]);
  assert.deepEqual(reports.map(({ counts }) => counted(counts)).sort(), [[0, 0, 20, 0], [20, 0, 0, 0]]);
  assert.equal((await stored(source)).length, 20);
});

Deno.test("admin import: the back office imports by rpc on behalf of an administrator, with the same checks", async () => {
  const [one, other, source] = [await anAdministrator("lots"), await anAdministrator("support"), aSource()];
  const { apiUrl, secretKey } = stack();
  const call = (body: unknown) =>
    fetch(`${apiUrl}/rest/v1/rpc/admin_import_parking_lots`, {
      method: "POST",
      headers: { apikey: secretKey, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const imported = await call({ p_admin_id: one.id, p_source: source, p_lots: [lot(1)] });
  assert.equal(imported.status, 200, await imported.clone().text());
  assert.deepEqual(counted((await imported.json()).counts), [1, 0, 0, 0]);
  assert.equal((await acts(one)).length, 1);
  for (
    const [body, status] of [
      [{ p_admin_id: other.id, p_source: source, p_lots: [lot(2)] }, 403],
      [{ p_admin_id: one.id, p_source: null, p_lots: [lot(2)] }, 422],
      [{ p_admin_id: one.id, p_source: source, p_lots: {} }, 422],
      [{ p_admin_id: one.id, p_source: source, p_lots: [5] }, 422],
      [{ p_admin_id: one.id, p_source: source, p_lots: [lot(2, { lat: "35" })] }, 422],
    ] as const
  ) {
    const response = await call(body);
    assert.equal(response.status, status, await response.text());
  }
  assert.equal((await stored(source)).length, 1);
});
