import assert from "node:assert/strict";
import { builtInMappings } from "../../tools/importer/mapping/choose.ts";
import {
  LOT_FIELDS,
  type LotField,
  type Mapping,
  parseMapping,
} from "../../supabase/functions/_shared/import/definition.ts";
import { daysOf, timeOf, windowsOfText } from "../../supabase/functions/_shared/import/hours.ts";
import { mapRecord } from "../../supabase/functions/_shared/import/lot.ts";
import { valueAt } from "../../supabase/functions/_shared/import/lookup.ts";
import { degreesOf, integerOf, numberOf } from "../../supabase/functions/_shared/import/numbers.ts";

function mapping(parts: Record<string, unknown> = {}): Mapping {
  const fields = { name: "name", lat: "lat", lng: "lng", ...parts["fields"] as object };
  return parseMapping(JSON.stringify({ name: "test", title: "Test", external_id: "id", ...parts, fields }), "test");
}

const GOOD = { id: "1", name: "駐車場", lat: "35.68", lng: "139.77" };

function map(values: Record<string, unknown>, parts: Record<string, unknown> = {}) {
  return mapRecord({ position: 1, values: { ...GOOD, ...values } }, mapping(parts));
}

function problemsOf(values: Record<string, unknown>, parts: Record<string, unknown> = {}): string[] {
  const mapped = map(values, parts);
  return "problems" in mapped ? mapped.problems.map(({ field, reason }) => `${field}: ${reason}`) : [];
}

function lotOf(values: Record<string, unknown>, parts: Record<string, unknown> = {}) {
  const mapped = map(values, parts);
  assert.ok("lot" in mapped, JSON.stringify(mapped));
  return mapped.lot;
}

Deno.test("mappings: each built-in one is valid and has the name of its file", async () => {
  const names = (await builtInMappings()).map((built) => built.name);
  const files = (await Array.fromAsync(Deno.readDir(new URL("../../tools/importer/mappings/", import.meta.url))))
    .map((file) => file.name.replace(".json", ""));
  assert.deepEqual(names.sort(), files.sort());
});

Deno.test("docs/operations/import.md: its mapping is valid, and it names each mapping and field", async () => {
  const text = await Deno.readTextFile(new URL("../../docs/operations/import.md", import.meta.url));
  const example = [...text.matchAll(/```json\n(.*?)```/gs)].map((match) => match[1] ?? "").find((json) =>
    json.includes('"fields"')
  );
  assert.equal(parseMapping(example ?? "", "docs/operations/import.md").name, "my_city");
  const names = (await builtInMappings()).map((built) => built.name);
  for (const name of [...names, ...Object.keys(LOT_FIELDS)]) assert.ok(text.includes(`\`${name}\``), name);
});

Deno.test("mappings: a wrong one is rejected with each mistake and its place", () => {
  const text = JSON.stringify({
    name: "Bad Name",
    fields: { name: "n", colour: "c", lat: { from: "a", value: 1 } },
    skip: [{ when: { from: "x" }, reason: "y" }],
    hours: { open: "o" },
  });
  assert.throws(() => parseMapping(text, "bad.json"), (error: Error) => {
    for (const place of ["name:", "title:", "fields:", "fields.lat:", "skip.0.when:", "hours:"]) {
      assert.ok(error.message.includes(`\n  ${place}`), `${place} in\n${error.message}`);
    }
    return error.message.includes("colour") && error.message.includes("bad.json");
  });
  assert.throws(() => parseMapping("{", "bad.json"), /bad\.json is not JSON/);
});

Deno.test("mappings: a path finds columns, nested members and list members by key", () => {
  const record = {
    position: 1,
    values: { "a.b": 1, a: { b: 2, c: "x" }, list: [{ kind: "p", n: 3 }, { kind: "q", n: 4 }] },
    id: "f1",
    geometry: { type: "Point", coordinates: [139, 35] },
  };
  assert.deepEqual(
    ["a.b", "a.c", "list[kind=q].n", "list[kind=z].n", "none.at.all", "constructor", "$id", "$lat", "$lng"]
      .map((path) => valueAt(record, path)),
    [1, "x", 4, undefined, undefined, undefined, "f1", 35, 139],
  );
});

/** Texts of numbers, and what they are where the mapping does not say the decimal sign, where it is a comma, a point. */
const NUMBERS: Record<string, readonly [number | undefined, number | undefined, number | undefined]> = {
  "１２．５": [12.5, undefined, 12.5],
  " 7 ": [7, 7, 7],
  "-0.5": [-0.5, undefined, -0.5],
  "1e3": [1000, undefined, 1000],
  "1,234,567": [1_234_567, undefined, 1_234_567],
  "1,234.5": [1234.5, undefined, 1234.5],
  "1'234.5": [1234.5, undefined, 1234.5],
  "1,234": [undefined, 1.234, 1234],
  "210,5": [undefined, 210.5, undefined],
  "２１０，５": [undefined, 210.5, undefined],
  "6,5": [undefined, 6.5, undefined],
  "2.050,5": [undefined, 2050.5, undefined],
  "1 234,5": [undefined, 1234.5, undefined],
  "1.900": [1.9, 1900, 1.9],
  "1.9": [1.9, undefined, 1.9],
  "1,2345": [undefined, 1.2345, undefined],
  "12,34,567": [undefined, undefined, undefined],
  "−5": [-5, -5, -5],
  ".5": [0.5, undefined, 0.5],
};
// deno-fmt-ignore
const NO_NUMBERS = [
  "", ".", ",", "12m", "0x10", "0b1", "NaN", "Infinity", "1.2.3", "e5", ".e5", "∞", "1/2", "½", "2²", "210¹", "①", "△", "-",
  "なし", "約2.1m", "2m10cm", "2.1ｍ以下", "1 2", "5-", "１２\u{200b}", true, {}, NaN, null,
];

Deno.test("mappings: a number is read in one way, by the decimal sign of the mapping, or not at all", () => {
  const read = (raw: unknown, decimal?: "." | ",") => {
    const reading = numberOf(raw, decimal);
    return "value" in reading ? reading.value : undefined;
  };
  for (const [text, [unsaid, comma, point]] of Object.entries(NUMBERS)) {
    assert.deepEqual([read(text), read(text, ","), read(text, ".")], [unsaid, comma, point], text);
  }
  assert.equal(read(8), 8);
  for (const raw of NO_NUMBERS) {
    for (const decimal of [undefined, ",", "."] as const) assert.equal(read(raw, decimal), undefined, String(raw));
  }
  assert.deepEqual(numberOf("12m"), { problem: 'is not a number: "12m"' });
  const hint = "(`decimal` of the mapping says which sign is before decimals)";
  assert.deepEqual(numberOf("210,5"), { problem: `is not a number: "210,5" ${hint}` });
  assert.deepEqual(integerOf("1,234"), { value: 1234 });
  assert.deepEqual(integerOf("1.5"), { problem: 'is not a whole number: "1.5"' });
});

Deno.test("mappings: a converted number is read as any other, and one that may be in another unit is a warning", () => {
  const heightOf = (height: string, more: Record<string, unknown> = {}) => {
    const mapped = map({ height }, { fields: { max_height_m: { from: "height", multiply: 0.01 } }, ...more });
    if ("lot" in mapped) return mapped.lot.warnings[0]?.reason ?? mapped.lot.fields.get("max_height_m");
    return "problems" in mapped ? mapped.problems[0]?.reason : undefined;
  };
  assert.equal(heightOf("210"), 2.1);
  assert.equal(heightOf("210,5", { decimal: "," }), 2.105);
  const stripped = { fields: { max_height_m: { from: "height", strip: ["m"] } } };
  assert.equal(heightOf("2.1ｍ", stripped), 2.1);
  assert.match(String(heightOf("2m10", stripped)), /^is not a number: "2m10"/);
  assert.match(String(heightOf("2.1㎡", stripped)), /^is not a number: "2\.1m2"/);
  assert.match(String(heightOf("210,5")), /^is not a number: "210,5"/);
  assert.match(String(heightOf("0x10")), /^is not a number/);
  assert.equal(heightOf("1.900", { decimal: "," }), "19 is beyond 1..10, what lots have: is the unit right?");
  assert.equal(heightOf("1.900"), "0.019 is beyond 1..10, what lots have: is the unit right?");
});

Deno.test("mappings: a number may have the unit of its field after it, and no other text", () => {
  const cases: [LotField, string, number | undefined][] = [
    ["total_spaces", "１２０台", 120],
    ["total_spaces", "1,200台", 1200],
    ["total_spaces", "120台(うち身障者用3台)", undefined],
    ["total_spaces", "台", undefined],
    ["max_height_m", "2.1m", 2.1],
    ["max_height_m", "２．３ メートル", 2.3],
    ["max_height_m", "210cm", 2.1],
    ["max_width_m", "１９０ｃｍ", 1.9],
    ["max_length_m", "500センチ", 5],
    ["max_height_m", "210c", undefined],
    ["max_height_m", "2m10cm", undefined],
    ["max_weight_t", "210cm", undefined],
    ["max_height_m", "2,1m", undefined],
    ["max_height_m", "2.1m以下", undefined],
    ["max_weight_t", "2.5t", 2.5],
    ["max_weight_t", "2500kg", undefined],
    ["min_clearance_cm", "15cm", 15],
    ["max_tire_width_mm", "200mm", 200],
    ["max_parking_duration_min", "90分", 90],
  ];
  for (const [field, text, value] of cases) {
    const mapped = map({ value: text }, { fields: { [field]: "value" } });
    assert.equal("lot" in mapped ? mapped.lot.fields.get(field) : undefined, value, `${field} ${text}`);
    if ("problems" in mapped) assert.equal(mapped.problems[0]?.reason.includes(JSON.stringify(text)), true, text);
  }
});

Deno.test("mappings: greater_than reads the number at the start of a text, and is not known where there is none", () => {
  const cases: [unknown, boolean | undefined][] = [
    [2, true],
    ["２", true],
    ["2基", true],
    ["1,000", true],
    ["1,5", true],
    ["12 kW", true],
    ["2台(うち急速1台)", true],
    ["0", false],
    ["0基", false],
    [0, false],
    ["2～3基", true],
    ["1F:2基", true],
    ["1/2", true],
    ["0～2基", undefined],
    ["0/2", undefined],
    ["1F:0基", undefined],
    ["②", undefined],
    ["0x10", undefined],
    ["あり", undefined],
    ["-", undefined],
  ];
  for (const [text, expected] of cases) {
    const { tags, warnings } = lotOf({ ev: text }, {
      tags: [{ slug: "ev_charging", when: { from: "ev", greater_than: 0 }, otherwise: false }],
    });
    assert.equal(tags["ev_charging"], expected, String(text));
    assert.equal(warnings.length, expected === undefined ? 1 : 0, String(text));
  }
});

Deno.test("mappings: degrees are parsed as decimals and as degrees, minutes and seconds", () => {
  const read = (raw: unknown) => {
    const reading = degreesOf(raw);
    return "value" in reading ? Number(reading.value.toFixed(6)) : undefined;
  };
  assert.deepEqual(
    [
      "35.681236",
      "35,681236",
      "35,681",
      "-122,25",
      `35°40′52.5″N`,
      `35°40'52.5"`,
      "北緯35度40分52.5秒",
      "３５度４０分",
      "12°30'S",
      "W122°15'",
      "−122.25",
      "-12°30'",
      "35.68°N",
      "S 35.68",
      "139.7E",
      "北緯35.68度",
    ].map((raw) => read(raw)),
    // deno-fmt-ignore
    [
      35.681236, 35.681236, 35.681, -122.25, 35.68125, 35.68125, 35.68125, 35.666667, -12.5, -122.25, -122.25, -12.5, 35.68,
      -35.68, 139.7, 35.68,
    ],
  );
  for (const raw of ["35°70′", "-35°S", "N35°S", "35 40 52", "35:40:52", "north"]) {
    assert.equal(read(raw), undefined, raw);
  }
  for (const [raw, axis] of [["35.68°E", "lat"], ["西経35度", "lat"], ["60°N", "lng"], ["南緯35度", "lng"]] as const) {
    assert.deepEqual(degreesOf(raw, axis), { problem: `is on the other axis: "${raw}"` });
  }
});

Deno.test("mappings: times are parsed in printed forms, and 24:00 is the end of the day", () => {
  const cases: [string, string | undefined][] = [
    ["6：30", "06:30"],
    ["07:30:00", "07:30"],
    ["24:00", "24:00"],
    ["7時", "07:00"],
    ["７時３０分", "07:30"],
    ["7時半", "07:30"],
    ["翌2時", "02:00"],
    ["25:00", "01:00"],
    ["24:30", "00:30"],
    ["24時半", "00:30"],
    ["翌0:30", "00:30"],
    ["午後6:30", "18:30"],
    ["正午", "12:00"],
    ["翌朝8時", "08:00"],
    ["8h30", "08:30"],
    ["12:00 AM", "00:00"],
    ["午前12時", undefined],
    ["午後12時30分", undefined],
    ["11:15 p.m.", "23:15"],
    ["0730", "07:30"],
    ["午後13:00", undefined],
    ["朝7時", "07:00"],
    ["夜10時半", "22:30"],
    ["夜12時", undefined],
    ["夜1時", undefined],
    ["24:60", undefined],
    ["7:60", undefined],
    ["30:00", undefined],
    ["noon", undefined],
  ];
  for (const [raw, time] of cases) assert.equal(timeOf(raw), time, raw);
});

/** Windows as text: their days, then their times. */
function told(raw: string): string | undefined {
  return windowsOfText(raw)?.map(({ day_type, day_of_week, is_24h, is_closed, open_time, close_time }) => {
    const hours = is_closed ? "closed" : is_24h ? "24h" : `${open_time}-${close_time}`;
    return `${day_type ?? day_of_week} ${hours}`;
  }).join(", ");
}

/** Hours in words, and what they mean: nothing where a part of them is a condition that windows cannot say. */
const HOURS: Record<string, string | undefined> = {
  "２４時間営業": "all 24h",
  "0:00～24:00": "all 24h",
  "終日": "all 24h",
  "常時": "all 24h",
  "終日開放": "all 24h",
  "24時間開放": "all 24h",
  "常時閉鎖": undefined,
  "朝7時～夜10時": "all 07:00-22:00",
  "夜8時～朝8時": "all 20:00-08:00",
  "8:00～夜10時": "all 08:00-22:00",
  "8時～午後10時": "all 08:00-22:00",
  "8～夜10時": undefined,
  "1:00～夜10時": undefined,
  "8:00～10:00PM": undefined,
  "夜8時～8:00": undefined,
  "【開館時間】24時間": "all 24h",
  "【開館時間】6：30～21：00": "all 06:30-21:00",
  "営業時間：8時から20時まで": "all 08:00-20:00",
  "8時30分より17時15分": "all 08:30-17:15",
  "利用時間 8:00~20:00": "all 08:00-20:00",
  "8:00-12:00、13:00-24:00": "all 08:00-12:00, all 13:00-24:00",
  // Past midnight.
  "20:00〜翌2:00": "all 20:00-02:00",
  "7:00-24:30": "all 07:00-00:30",
  "10:00-24時半": "all 10:00-00:30",
  "7:00～25:00": "all 07:00-01:00",
  "5:30～翌0:30": "all 05:30-00:30",
  "7:00-翌7:00": "all 07:00-07:00",
  "7:00-翌8:00": undefined,
  "25:00-29:00": undefined,
  "8:00～翌朝8:00": "all 08:00-08:00",
  "8時から翌日の2時": "all 08:00-02:00",
  // Which half of the day is unclear.
  "午前8:00～12:00": "all 08:00-12:00",
  "8:00～正午": "all 08:00-12:00",
  "正午～午後5時": "all 12:00-17:00",
  "AM8:00-17:00": "all 08:00-17:00",
  "22:00-AM6:00": "all 22:00-06:00",
  "午後1:00～5:00": undefined,
  "午前8時～6時": undefined,
  "1:00-5:00PM": undefined,
  "午前0時～午後12時": undefined,
  "9-17": "all 09:00-17:00",
  "8:30〜5:15": undefined,
  "9時から6時": undefined,
  "9-5": undefined,
  // Dashes and notations.
  "8:00−20:00": "all 08:00-20:00",
  "8:00─20:00": "all 08:00-20:00",
  "8:00―20:00": "all 08:00-20:00",
  "8:00→20:00": "all 08:00-20:00",
  "午前8:00～午後6:00": "all 08:00-18:00",
  "午後10時～午前2時": "all 22:00-02:00",
  "AM7:00-PM10:00": "all 07:00-22:00",
  "7:00 am - 10:00 pm": "all 07:00-22:00",
  "12:00AM-12:00PM": "all 00:00-12:00",
  "0800-2000": "all 08:00-20:00",
  "08.00-20.30": "all 08:00-20:30",
  "Mon-Fri 8.00-18.00, Sat 9.00-13.00": "weekday 08:00-18:00, 6 09:00-13:00",
  "4.01-6.30 9:00-17:00": undefined,
  "8 a.m. to 10 p.m.": "all 08:00-22:00",
  "A.M.8:00-P.M.10:00": "all 08:00-22:00",
  "8h-20h30": "all 08:00-20:30",
  "２４Ｈ営業": "all 24h",
  "24 hours": "all 24h",
  "8-2²": undefined,
  // Days before or behind, in brackets or without.
  "【平日】8:00～22:00": "weekday 08:00-22:00",
  "(月～金)7:00-23:00": "weekday 07:00-23:00",
  "月ー金 8:00-20:00": "weekday 08:00-20:00",
  "平日8:00～22:00": "weekday 08:00-22:00",
  "8:00～22:00（平日）": "weekday 08:00-22:00",
  "(平日)終日": "weekday 24h",
  "【平日】24時間": "weekday 24h",
  "無休24時間": "all 24h",
  "年中無休 8:00-20:00": "all 08:00-20:00",
  "365日24時間": "all 24h",
  "通年 8:00-20:00": "all 08:00-20:00",
  "定休日：なし 8:00-20:00": "all 08:00-20:00",
  "年中無休 平日8:00-20:00 土日9:00-18:00": "weekday 08:00-20:00, 0 09:00-18:00, 6 09:00-18:00",
  "年中無休 平日8:00-20:00": undefined,
  "平日のみ 8時〜20時": "weekday 08:00-20:00",
  "平日及び土曜 8:00-20:00": "weekday 08:00-20:00, 6 08:00-20:00",
  "平日・土曜 7:00～21:00": "weekday 07:00-21:00, 6 07:00-21:00",
  // Values of OpenStreetMap's opening_hours.
  "Mo-Fr 07:00-22:00; Sa,Su,PH 08:00-20:00": "weekday 07:00-22:00, 6 08:00-20:00, 0 08:00-20:00, holiday 08:00-20:00",
  "Mo-Sa 08:00-20:00; Su off": "weekday 08:00-20:00, 6 08:00-20:00",
  "Mo-Fr 08:00-20:00; We off": "1 08:00-20:00, 2 08:00-20:00, 4 08:00-20:00, 5 08:00-20:00",
  "Mo-Fr 9:00-17:00; Apr-Oct off": undefined,
  // English.
  "Mon-Fri 7am-10pm, Sat-Sun 8am-8pm": "weekday 07:00-22:00, 0 08:00-20:00, 6 08:00-20:00",
  "Monday to Friday 8:00-20:00; closed on Sundays and holidays": "weekday 08:00-20:00, 0 closed, holiday closed",
  "weekdays 7:00-22:00, weekends 8:00-20:00": "weekday 07:00-22:00, 0 08:00-20:00, 6 08:00-20:00",
  "Mon-Fri (except holidays) 9:00-17:00": "weekday 09:00-17:00, holiday closed",
  "Tue, Thu 9:00-12:00": "2 09:00-12:00, 4 09:00-12:00",
  "daily 6:00 a.m. - midnight": "all 06:00-24:00",
  "noon - 8pm": "all 12:00-20:00",
  "Open 24/7": "all 24h",
  "weekdays 9 to 5": undefined,
  "Mon-Fri 9:00-17:00 by appointment": undefined,
  "Mon[1] 9:00-17:00": undefined,
  "Apr-Oct 9:00-17:00": undefined,
  "sunrise-sunset": undefined,
  "Mondstraße 8:00-20:00": undefined,
  // Several blocks.
  "【平日】8:00～22:00【土日祝】9:00～20:00": "weekday 08:00-22:00, 0 09:00-20:00, 6 09:00-20:00, holiday 09:00-20:00",
  "8:00-22:00(平日) 9:00-20:00(土日)": "weekday 08:00-22:00, 0 09:00-20:00, 6 09:00-20:00",
  "月～金 8:00-20:00、土 9:00-17:00": "weekday 08:00-20:00, 6 09:00-17:00",
  "平日 8:00-12:00 13:00-17:00、日 9:00-12:00": "weekday 08:00-12:00, weekday 13:00-17:00, 0 09:00-12:00",
  "8:00-22:00、土日9:00-20:00": undefined,
  "【平日】8:00-22:00【月】9:00-10:00": undefined,
  "8:00-20:00 20:00-8:00": "all 08:00-20:00, all 20:00-08:00",
  "8:00-20:00 10:00-22:00": undefined,
  "8:00-20:00、19:00-9:00": undefined,
  "【平日】": undefined,
  // Closed days.
  "(日祝休業)8:00-20:00": "all 08:00-20:00, 0 closed, holiday closed",
  "（月曜休館）8:00-20:00": "all 08:00-20:00, 1 closed",
  "8:00-20:00(水曜定休)": "all 08:00-20:00, 3 closed",
  "8:00~20:00 定休日:月曜": "all 08:00-20:00, 1 closed",
  "8:00~20:00（日曜はお休み）": "all 08:00-20:00, 0 closed",
  "平日 8:00-20:00 月曜休業": undefined,
  "【休業】9:00-17:00": undefined,
  "【定期休業日】9:00-17:00": undefined,
  "8:00~20:00(土日祝を除く)": "all 08:00-20:00, 0 closed, 6 closed, holiday closed",
  "月～金（祝日除く）8:00-20:00": "weekday 08:00-20:00, holiday closed",
  "水曜以外 8:00-20:00": "all 08:00-20:00, 3 closed",
  "土日のみ休業 8:00-17:00": "all 08:00-17:00, 0 closed, 6 closed",
  "平日 8:00-20:00 定休日 日曜 土曜 9:00-17:00": undefined,
  "月～土 8:00-20:00 定休日 日曜": "weekday 08:00-20:00, 6 08:00-20:00, 0 closed",
  "24時間休業": undefined,
  "8:00～20:00 ※祝日休み": "all 08:00-20:00, holiday closed",
  "9:00～17:00、ただし水曜定休": "all 09:00-17:00, 3 closed",
  "年中無休 8:00～22:00（日曜定休）": undefined,
  // Exceptions with hours of their own.
  "8:00～22:00（土日祝は9:00～20:00）": "all 08:00-22:00, 0 09:00-20:00, 6 09:00-20:00, holiday 09:00-20:00",
  "24時間（日祝 8:00～12:00 13:00～20:00）":
    "all 24h, 0 08:00-12:00, 0 13:00-20:00, holiday 08:00-12:00, holiday 13:00-20:00",
  "平日8:00～22:00（土は終日）": "weekday 08:00-22:00, 6 24h",
  "9:00～17:00 ただし日曜は10:00～16:00": "all 09:00-17:00, 0 10:00-16:00",
  "年中無休 8:00～22:00（日祝は9:00～20:00）": "all 08:00-22:00, 0 09:00-20:00, holiday 09:00-20:00",
  "8am-10pm (Sat, Sun: 9am-8pm)": "all 08:00-22:00, 0 09:00-20:00, 6 09:00-20:00",
  "土日 8:00～22:00（土は9:00～20:00）": undefined,
  "8:00～22:00（9:00～20:00）": undefined,
  "（土日祝は9:00～20:00）": undefined,
  "9:00～17:00 ただし12/29～1/3は10:00～16:00": undefined,
  "休祝日 8:00-20:00": undefined,
  "休日8:00-20:00": undefined,
  "8:00-20:00 休 日": undefined,
  "8:00～22:00 第2日曜休み": undefined,
  "8:00～22:00（年末年始休業）": undefined,
  // Conditions of other kinds.
  "【開庁日】8:00～22:00": undefined,
  "【入庫】7:00～22:00": undefined,
  "(入庫7:00-22:00)24時間": undefined,
  "【最終入庫】21:00～22:00": undefined,
  "【24時間出庫可】7:00-22:00": undefined,
  "8:00～22:00(最終入庫21:30)": undefined,
  "【月極】0:00～24:00": undefined,
  "(4月～9月)8:00-20:00": undefined,
  "【夏季】8:00-20:00": undefined,
  "【祝前日】8:00-24:00": undefined,
  "（）8:00-20:00": undefined,
  // No hours.
  "要問合せ": undefined,
  "8:00": undefined,
  "8:00-12:00-13:00": undefined,
  "終日 8:00-20:00": undefined,
  "日中のみ": undefined,
  "": undefined,
};

Deno.test("mappings: hours in words become windows of the days that they name, and a lost condition is never hours", () => {
  for (const [raw, windows] of Object.entries(HOURS)) assert.equal(told(raw), windows, raw);
  assert.equal(told(`8:00-20:00${"、".repeat(200)}`), undefined, "a text that is too long");
});

Deno.test("mappings: days are parsed in Japanese and English, and all seven are every day", () => {
  const type = (day_type: string) => ({ day_type, day_of_week: null });
  const number = (day_of_week: number) => ({ day_type: null, day_of_week });
  assert.deepEqual(daysOf("月火水木金土日"), [type("all")]);
  assert.deepEqual(daysOf("年中無休"), [type("all")]);
  assert.deepEqual(daysOf("無休"), [type("all")]);
  for (const dash of "ー–―−〜～") assert.deepEqual(daysOf(`月${dash}金`), [type("weekday")], dash);
  assert.deepEqual(daysOf("月～金"), [type("weekday")]);
  assert.deepEqual(daysOf("月曜日から土曜日"), [type("weekday"), number(6)]);
  assert.deepEqual(daysOf("平日、祝日"), [type("weekday"), type("holiday")]);
  assert.deepEqual(daysOf("土日祝"), [number(0), number(6), type("holiday")]);
  assert.deepEqual(daysOf("火・木"), [number(2), number(4)]);
  assert.deepEqual(daysOf("Mon-Fri"), [type("weekday")]);
  assert.deepEqual(daysOf("Sat, Sun and holidays"), [number(0), number(6), type("holiday")]);
  assert.equal(daysOf("every second Monday"), undefined);
  assert.deepEqual(daysOf(["MONDAY", "SATURDAY"]), [number(1), number(6)]);
  for (const raw of ["第2月曜", "不定", [], ["MOONDAY"]]) assert.equal(daysOf(raw), undefined, String(raw));
});

Deno.test("mappings: a rejected row has each reason with its field", () => {
  assert.deepEqual(problemsOf({ name: " ", lat: "", total: "many", id: "" }, { fields: { total_spaces: "total" } }), [
    "name: is missing",
    "lat: is missing",
    'total_spaces: is not a number: "many"',
    "external_id: is missing",
  ]);
  assert.deepEqual(problemsOf({ name: "長".repeat(201) }), ["name: is longer than 200 characters"]);
  assert.deepEqual(problemsOf({ name: "a\0b" }), ["name: contains characters that are not text"]);
  assert.deepEqual(problemsOf({ total: -1 }, { fields: { total_spaces: "total" } }), [
    "total_spaces: -1 is outside 0..1000000",
  ]);
  assert.deepEqual(problemsOf({ zone: "Asia/Tokio" }, { fields: { time_zone: "zone" } }), [
    'time_zone: is not an IANA time zone: "Asia/Tokio"',
  ]);
});

Deno.test("mappings: an impossible place is rejected, and swapped coordinates are named", () => {
  const japan = { bounds: [122, 20, 154, 46] };
  assert.deepEqual(problemsOf({ lat: 91 }), ["lat: 91 is outside -90..90"]);
  assert.deepEqual(problemsOf({ lat: 0, lng: 0 }), ["lat, lng: 0, 0 is a placeholder, not a place"]);
  assert.deepEqual(problemsOf({ lat: 139.77, lng: 35.68 }), [
    "lat: 139.77 is outside -90..90",
    "lat, lng: latitude and longitude look swapped",
  ]);
  assert.deepEqual(problemsOf({ lat: 8.5, lng: 47.4 }, { bounds: [5.9, 45.7, 10.6, 47.9] }), [
    "lat, lng: 8.5, 47.4: latitude and longitude are swapped",
  ]);
  assert.match(String(problemsOf({ lat: 48.8, lng: 2.3 }, japan)), /48.8, 2.3 is outside 122, 20, 154, 46/);
  assert.deepEqual(problemsOf({}, japan), []);
});

Deno.test("mappings: constants, templates, lookups, patterns and units fill fields", () => {
  const { fields, operator } = lotOf(
    { street: " 1-2 ", city: "焼津市", kind: "地下駐車場", "高さ(cm)": "２１０ｃｍ", company: "Gde. St-Léonard" },
    {
      fields: {
        address: { template: "{city}{street}" },
        structure: { from: "kind", match: "地下|立体", lookup: { 地下: "underground", 立体: "multi_storey" } },
        max_height_m: { from: "高さ（ｃｍ）", strip: ["cm"], multiply: 0.01 },
        currency: { value: "JPY" },
        phone: { from: ["tel", "mobile"], default: "unknown" },
      },
      operator: { code: "company" },
    },
  );
  assert.equal(fields.get("address"), "焼津市1-2");
  assert.equal(fields.get("structure"), "underground");
  assert.equal(fields.get("max_height_m"), 2.1);
  assert.equal(fields.get("currency"), "JPY");
  assert.equal(fields.get("phone"), "unknown");
  assert.deepEqual(operator, { code: "gde-st-leonard", name: "Gde. St-Léonard" });
});

Deno.test("mappings: a lot without an id is identified by name and place only", () => {
  const idOf = (values: Record<string, unknown>) => lotOf(values, { external_id: undefined }).externalId;
  const first = idOf({ total: 1 });
  assert.match(first, /^derived-[0-9a-f]{32}$/);
  assert.equal(idOf({ total: 2, name: " 駐車場 " }), first);
  assert.notEqual(idOf({ name: "第二駐車場" }), first);
  assert.notEqual(idOf({ lat: "35.680001" }), first);
});

Deno.test("mappings: unreadable hours are a warning, and the lot is imported without hours", () => {
  const hours = { hours: { open: "open", close: "close", text: "text", days: "days" } };
  assert.deepEqual(lotOf({ text: "要問合せ" }, hours).warnings, [
    { field: "hours", reason: 'the hours "要問合せ" could not be read' },
  ]);
  assert.equal(lotOf({ text: "要問合せ" }, hours).windows, null);
  assert.equal(lotOf({ open: "8:00" }, hours).warnings.length, 1);
  assert.equal(lotOf({ open: "8:00", close: "20:00", days: "第2月曜" }, hours).warnings.length, 1);
  assert.deepEqual(lotOf({}, hours).warnings, []);
  assert.deepEqual(lotOf({ open: "8:00", close: "20:00", text: "要問合せ" }, hours).windows, [
    { day_type: "all", day_of_week: null, is_24h: null, open_time: "08:00", close_time: "20:00" },
  ]);
  const wholeDay = [{ day_type: "all", day_of_week: null, is_24h: true, open_time: null, close_time: null }];
  assert.deepEqual(lotOf({ open: "24時間", close: "24時間" }, hours).windows, wholeDay);
  assert.deepEqual(lotOf({ open: "２４ｈ", close: "２４ｈ" }, hours).windows, wholeDay);
  for (const [open, close] of [["24時間", "22:00"], ["24時間", "24時間(日曜休業)"], ["8:00", "24時間"]]) {
    assert.equal(lotOf({ open, close }, hours).windows, null, `${open} ${close}`);
  }
  assert.equal(lotOf({ text: "【平日】8:00-20:00", days: "土日" }, hours).windows, null, "days twice");
  assert.deepEqual(lotOf({ text: "8:00-20:00", days: "土" }, hours).windows, [
    { day_type: null, day_of_week: 6, is_24h: null, open_time: "08:00", close_time: "20:00" },
  ]);
});

Deno.test("mappings: a lot that is always open has the tag open_24h, one with shorter hours has it as false", () => {
  const tagsOf = (values: Record<string, unknown>) => lotOf(values, { hours: { text: "text", days: "days" } }).tags;
  assert.deepEqual(tagsOf({ text: "24時間" }), { open_24h: true });
  assert.deepEqual(tagsOf({ text: "24時間", days: "平日" }), { open_24h: false });
  assert.deepEqual(tagsOf({ text: "8:00-20:00" }), { open_24h: false });
  assert.deepEqual(tagsOf({}), {});
});

Deno.test("mappings: conditions decide which rows are skipped and tagged", () => {
  const parts = {
    skip: [{ when: { from: "kind", not_equals: "car" }, reason: "not for cars" }],
    tags: [
      { slug: "ev_charging", when: { from: "plugs", greater_than: 0 }, otherwise: false },
      { slug: "covered", when: { from: "roof", matches: "^(あり|有)$" } },
      { slug: "reservable", when: { from: "booking", missing: false } },
      { slug: "near_station", when: { from: "class", in: ["A", "B"] } },
    ],
  };
  assert.deepEqual(map({ kind: "bicycle" }, parts), { skipped: "not for cars" });
  assert.deepEqual(lotOf({ kind: "car", plugs: "２", roof: "あり", booking: "x", class: "B" }, parts).tags, {
    ev_charging: true,
    covered: true,
    reservable: true,
    near_station: true,
  });
  assert.deepEqual(lotOf({ kind: "car", plugs: 0, roof: "なし", class: "C" }, parts).tags, { ev_charging: false });
});

Deno.test("metered prices: their first and last date are those of each rule, and a date that cannot be read leaves them out", () => {
  const steps = {
    from: "steps",
    starts_at: "from",
    price: "price",
    unit_minutes: "unit",
    effective_from: "since",
    effective_to: "until",
  };
  const values = { steps: [{ from: 0, price: 200 }], unit: "30" };
  const pricing = (dates: Record<string, unknown>) => lotOf({ ...values, ...dates }, { pricing: { steps } });
  const datesOf = (dates: Record<string, unknown>) =>
    pricing(dates).pricing?.map(({ effective_from, effective_to }) => [effective_from, effective_to]);
  assert.deepEqual(datesOf({ since: "2026-10-01", until: "2027/3/31" }), [["2026-10-01", "2027-03-31"]]);
  assert.deepEqual(datesOf({ since: "２０２６年１０月１日" }), [["2026-10-01", undefined]]);
  assert.deepEqual(datesOf({ since: "20261001", until: "R9.3.31" }), [["2026-10-01", "2027-03-31"]]);
  assert.deepEqual(datesOf({ since: "平成31年4月1日", until: "令和元年９月３０日" }), [["2019-04-01", "2019-09-30"]]);
  assert.deepEqual(datesOf({}), [[undefined, undefined]]);
  for (
    const dates of [{ since: "2026-02-30" }, { since: "令和0年10月1日" }, { since: "Oct 1" }, {
      since: "2026-10-02",
      until: "2026-10-01",
    }]
  ) {
    assert.equal(datesOf(dates), undefined);
    assert.equal(pricing(dates).warnings.length, 1);
  }
});

Deno.test("prices: the text of a sign becomes rules as a whole, or a warning with what was not understood", () => {
  const pricing = { pricing: { text: "fees" } };
  const good = lotOf({ fees: "30分200円 入庫後24時間最大900円" }, pricing);
  assert.deepEqual(
    good.pricing!.map(({ rule_order, category, price_minor, cap_price_minor }) => [
      rule_order,
      category,
      price_minor ?? cap_price_minor,
    ]),
    [[1, "time_band", 200], [2, "cap", 900]],
  );
  assert.deepEqual(good.warnings, []);
  const odd = lotOf({ fees: "30分200円 会員は100円" }, pricing);
  assert.equal(odd.pricing, null);
  assert.match(odd.warnings[0]!.reason, /^the text of the fees was not understood: discount "会員"/);
  assert.match(lotOf({ fees: "あ".repeat(2001) }, pricing).warnings[0]!.reason, /longer than 2000 characters/);
  assert.equal(lotOf({ fees: "" }, pricing).pricing, null);
});

Deno.test("prices: the amounts of a sign are in the currency of the lot", () => {
  const parts = { pricing: { text: "fees" }, fields: { currency: "currency" } };
  assert.equal(lotOf({ fees: "1,50 € je Stunde", currency: "EUR" }, parts).pricing![0]!.price_minor, 150);
  assert.match(lotOf({ fees: "60分200円", currency: "EUR" }, parts).warnings[0]!.reason, /other_currency/);
});

Deno.test("mappings: prices are steps or a text, not both", () => {
  assert.throws(() => mapping({ pricing: {} }), /needs steps or text/);
});
