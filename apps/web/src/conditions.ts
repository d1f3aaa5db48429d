/** The fields of a search. The address of the page, the panel and the requests are made from this table. */
import type { components } from "parking-lot-client";
import { NearbyFilters as FILTERS, SearchQueryV1, Vehicle as VEHICLE } from "./bounds.ts";
import { numberBounds } from "./number_bounds.ts";

type SearchQuery = components["schemas"]["SearchQueryV1"];
type Vehicle = components["schemas"]["Vehicle"];
type NearbyFilters = components["schemas"]["NearbyFilters"];

/** The values of the fields as texts, by their names in the address. Several values have commas between them. */
export type Values = Readonly<Record<string, string>>;

interface FieldBase {
  /** The name in the address; for a field of a request also the name there. */
  readonly name: string;
  /** Where a request has the field: in the search query, in its vehicle, or in the filters of nearby. */
  readonly target: "query" | "vehicle" | "filters";
}

export type ConditionField =
  & FieldBase
  & (
    | { readonly kind: "number"; readonly min: number; readonly max: number; readonly step: number }
    | { readonly kind: "codes"; readonly category: "attribute" | "difficulty" }
    | { readonly kind: "tags" }
    | { readonly kind: "words"; readonly suggest?: "operators" }
    /** A checkbox; checked, the request has `value`. */
    | { readonly kind: "flag"; readonly value: boolean }
  );

export const VEHICLE_FIELDS = [
  { name: "height_m", target: "vehicle", kind: "number", ...numberBounds(VEHICLE.height_m, 0.01) },
  { name: "width_m", target: "vehicle", kind: "number", ...numberBounds(VEHICLE.width_m, 0.01) },
  { name: "length_m", target: "vehicle", kind: "number", ...numberBounds(VEHICLE.length_m, 0.01) },
  { name: "weight_t", target: "vehicle", kind: "number", ...numberBounds(VEHICLE.weight_t, 0.01) },
  { name: "clearance_cm", target: "vehicle", kind: "number", ...numberBounds(VEHICLE.clearance_cm, 1) },
  { name: "tire_width_mm", target: "vehicle", kind: "number", ...numberBounds(VEHICLE.tire_width_mm, 1) },
] as const satisfies readonly ConditionField[];

export const CONDITION_FIELDS = [
  { name: "keywords", target: "query", kind: "words" },
  { name: "max_price", target: "filters", kind: "number", ...numberBounds(FILTERS.max_price, 1) },
  { name: "open_now", target: "filters", kind: "flag", value: true },
  { name: "without_surprises", target: "filters", kind: "flag", value: true },
  { name: "attributes", target: "query", kind: "codes", category: "attribute" },
  { name: "tags", target: "filters", kind: "tags" },
  { name: "price_min", target: "query", kind: "number", ...numberBounds(SearchQueryV1.price_min, 1) },
  { name: "price_max", target: "query", kind: "number", ...numberBounds(SearchQueryV1.price_max, 1) },
  { name: "difficulty", target: "query", kind: "codes", category: "difficulty" },
  { name: "operator_codes", target: "query", kind: "words", suggest: "operators" },
  { name: "meter_ticket_included", target: "query", kind: "flag", value: false },
] as const satisfies readonly ConditionField[];

export type ConditionName = (typeof CONDITION_FIELDS)[number]["name"];

const FIELDS: readonly ConditionField[] = [...VEHICLE_FIELDS, ...CONDITION_FIELDS];

/** The texts between the commas. */
export function listOf(value: string | undefined): string[] {
  return (value ?? "").split(/[,、]/).map((text) => text.trim()).filter(Boolean);
}

/** The number of a text; undefined for an empty text or another one. */
export function numberOf(text: string | undefined): number | undefined {
  const value = Number(text);
  return text?.trim() && Number.isFinite(value) ? value : undefined;
}

function valueOf(field: ConditionField, text: string): unknown {
  if (field.kind === "number") return numberOf(text);
  return field.kind === "flag" ? field.value : listOf(text);
}

function collect(values: Values, target: FieldBase["target"]): Record<string, unknown> {
  const given = FIELDS.filter((field) => field.target === target && values[field.name]);
  const entries = given.map((field) => [field.name, valueOf(field, values[field.name]!)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** The dimensions of the vehicle, undefined without any. */
export function vehicleOf(values: Values): Vehicle | undefined {
  const vehicle: Vehicle = collect(values, "vehicle");
  return Object.keys(vehicle).length > 0 ? vehicle : undefined;
}

/** The conditions that the search endpoint applies, without a place. */
export function queryOf(values: Values): SearchQuery {
  const vehicle = values["only_fitting"] ? vehicleOf(values) : undefined;
  return { ...collect(values, "query"), ...(vehicle ? { vehicle } : {}) };
}

/** The conditions that only nearby applies, without the stay. */
export function filtersOf(values: Values): NearbyFilters {
  return collect(values, "filters");
}

/** The values of the fields that a search query has, for example one that AI search returned. Other fields are emptied. */
export function valuesOfQuery(query: SearchQuery): Values {
  const from = { ...query, ...query.vehicle } as Record<string, unknown>;
  const values = FIELDS.map((field) => [field.name, textOf(field, from[field.name])] as const);
  return {
    ...Object.fromEntries(values),
    only_fitting: query.vehicle ? "true" : "",
    sort: query.sort ?? "",
    ...(query.radius_m ? { radius: String(query.radius_m) } : {}),
    ...(query.center
      ? { lat: String(query.center.lat), lng: String(query.center.lng), place: query.center.placeName ?? "" }
      : {}),
  };
}

function textOf(field: ConditionField, value: unknown): string {
  if (value === undefined || value === null) return "";
  if (field.kind === "flag") return value === field.value ? "true" : "";
  return Array.isArray(value) ? value.join(",") : String(value);
}

/** How many conditions of the panel are set. */
export function countConditions(values: Values): number {
  return CONDITION_FIELDS.filter(({ name }) => values[name]).length + (values["only_fitting"] ? 1 : 0);
}
