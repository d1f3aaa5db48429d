/** The main fields of a lot, for its form and for the correction of a report. */
import type { components } from "parking-lot-client";
import { label, options } from "./codes.ts";
import { pageTexts } from "./texts/pages.ts";

type Changes = components["schemas"]["ParkingLotChanges"];
export type LotField = keyof typeof names.value;

export const names = pageTexts(({ lotFields }) => lotFields);

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
