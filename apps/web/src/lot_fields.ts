/** The main fields of a lot, for its form and for the correction of a report. */
import type { components } from "parking-lot-client";
import { label, options } from "./codes.ts";
import { texts } from "./language.ts";

type Changes = components["schemas"]["ParkingLotChanges"];
export type LotField = keyof typeof names.value;

export const names = texts({
  en: {
    name: "Name",
    name_kana: "Name in kana",
    address: "Address",
    lat: "Latitude",
    lng: "Longitude",
    total_spaces: "Spaces",
    structure: "Structure",
    entry_method: "Entry method",
    entry_difficulty: "Difficulty of the entry",
    max_height_m: "Greatest height (m)",
    max_width_m: "Greatest width (m)",
    max_length_m: "Greatest length (m)",
    max_weight_t: "Greatest weight (t)",
    min_clearance_cm: "Least ground clearance (cm)",
    max_parking_duration_min: "Longest stay (minutes)",
    operator_code: "Operator",
    phone: "Phone",
    website: "Web site",
  },
  ja: {
    name: "名称",
    name_kana: "名称(かな)",
    address: "住所",
    lat: "緯度",
    lng: "経度",
    total_spaces: "台数",
    structure: "構造",
    entry_method: "入庫方式",
    entry_difficulty: "入庫のしやすさ",
    max_height_m: "全高制限(m)",
    max_width_m: "全幅制限(m)",
    max_length_m: "全長制限(m)",
    max_weight_t: "重量制限(t)",
    min_clearance_cm: "最低地上高(cm)",
    max_parking_duration_min: "最長駐車時間(分)",
    operator_code: "運営会社",
    phone: "電話番号",
    website: "ウェブサイト",
  },
});

/** The categories of the fields whose values are codes. */
const CATEGORIES: Readonly<Partial<Record<LotField, string>>> = {
  structure: "structure",
  entry_method: "entry_method",
  entry_difficulty: "difficulty",
};

const NUMBERS: ReadonlySet<LotField> = new Set<LotField>([
  "lat",
  "lng",
  "total_spaces",
  "max_height_m",
  "max_width_m",
  "max_length_m",
  "max_weight_t",
  "min_clearance_cm",
  "max_parking_duration_min",
]);

export const LOT_FIELDS = Object.keys(names.value) as LotField[];
export const isNumber = (field: LotField) => NUMBERS.has(field);

/** The choices of a field whose values are codes. */
export function choicesOf(field: LotField): [string, string][] | undefined {
  const category = CATEGORIES[field];
  return category === undefined ? undefined : options(category);
}

/** A value of a lot as a page shows it. */
export function shownValue(field: LotField, value: unknown): string {
  if (value === null || value === undefined || value === "") return "–";
  const category = CATEGORIES[field];
  return category === undefined ? String(value) : label(category, String(value));
}

/** The change of one field: an empty text removes the value. A text that is no number stays one: the service rejects it. */
export function changeOf(field: LotField, text: string): Changes {
  const value = text.trim();
  if (value === "") return { [field]: null };
  return { [field]: isNumber(field) && !Number.isNaN(Number(value)) ? Number(value) : value };
}
