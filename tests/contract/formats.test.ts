// docs/clients/formats.md states field by field what each format carries, and the mappings of the importer name no field
// that their format does not carry. tests/importer/formats.test.ts compares lots before and after.
import assert from "node:assert/strict";
import { LOT_FORMATS } from "../../supabase/functions/_shared/formats/formats.ts";
import { type ExportedLot, FIELDS, type LotFormat } from "../../supabase/functions/_shared/formats/lot.ts";
import osmMapping from "../../tools/importer/mappings/osm_export.json" with { type: "json" };
import parkApiMapping from "../../tools/importer/mappings/parkapi.json" with { type: "json" };
import schemaOrgMapping from "../../tools/importer/mappings/schema_org_parking.json" with { type: "json" };

const FORMATS = Object.entries<LotFormat>(LOT_FORMATS);
const page = await Deno.readTextFile(new URL("../../docs/clients/formats.md", import.meta.url));

/** The same text with single spaces: the formatter breaks lines and fills the cells of tables. */
function plain(text: string): string {
  return text.replaceAll(/-{3,}/g, "---").replaceAll(/\s+/g, " ");
}

function statement(): string {
  const cell = (part: LotFormat["carries"]["id"]) => part === true ? "yes" : part === false ? "no" : "part";
  const names = FORMATS.map(([name]) => `\`${name}\``);
  const rows = [
    ["Field", ...names],
    ["Field", ...names].map(() => "---"),
    ...FIELDS.map((field) => [`\`${field}\``, ...FORMATS.map(([, { carries }]) => cell(carries[field]))]),
  ];
  const parts = FORMATS.flatMap(([name, { title, carries }]) => {
    const words = new Map<string, string[]>();
    for (const field of FIELDS) {
      const part = carries[field];
      if (typeof part === "object") words.set(part.words, [...words.get(part.words) ?? [], `\`${field}\``]);
    }
    return [
      `### Parts in \`${name}\``,
      `${title}:`,
      ...[...words].map(([text, fields]) => `- ${fields.join(", ")}: ${text}`),
    ];
  });
  return [...rows.map((row) => `| ${row.join(" | ")} |`), ...parts].join("\n");
}

Deno.test("formats: the page states what each format carries, as the code does", () => {
  assert.ok(plain(page).includes(plain(statement())), `docs/clients/formats.md must have:\n${statement()}`);
});

Deno.test("formats: a mapping writes the fields that its format carries, and keeps the others of a lot", () => {
  const mappings: Record<keyof typeof LOT_FORMATS, { readonly fields: object }> = {
    jsonld: schemaOrgMapping,
    osm: osmMapping,
    parkapi: parkApiMapping,
  };
  // The area and the operator have places of their own in a mapping.
  const others = ["id", "area", "operator_code", "operator_name", "tags", "windows", "rules"];
  const ofFile = ["source", "external_id", "source_url", "licence", "attribution", "updated_at"];
  for (const [name, { carries }] of FORMATS) {
    const carried = FIELDS.filter((field) => carries[field] !== false && ![...others, ...ofFile].includes(field));
    assert.deepEqual(Object.keys(mappings[name as keyof typeof LOT_FORMATS].fields).sort(), carried.sort(), name);
  }
});

Deno.test("formats: a height in centimetres is never above that in metres", () => {
  const heights: [metres: number, centimetres: number][] = [
    [2.1, 210],
    [2.05, 205],
    [1.15, 115],
    [2.109, 210],
    [1.999, 199],
    [0.29, 29],
  ];
  const lot = { tags: {}, windows: [], rules: [], max_width_m: null, max_parking_duration_min: null };
  for (const [max_height_m, centimetres] of heights) {
    const written: object = LOT_FORMATS.parkapi.write({ ...lot, max_height_m } as unknown as ExportedLot);
    assert.equal("max_height" in written && written.max_height, centimetres, `${max_height_m} m`);
  }
});
