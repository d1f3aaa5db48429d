import { createHash } from "node:crypto";
import type { SourceRecord } from "./record.ts";
import { type FieldKind, LOT_FIELDS, type LotField, type Mapping } from "./definition.ts";
import { outlineOf } from "../geometry.ts";
import { isRoundTheClock, windowsOf } from "./hours.ts";
import type { BusinessWindow } from "./window.ts";
import { hasKey, valueAt, valueOf } from "./lookup.ts";
import { type DecimalSign, degreesOf, integerOf, numberOf, type Reading } from "./numbers.ts";
import { pricingOf, type PricingRule } from "./pricing.ts";
import { narrow, normalizeSpace } from "./text.ts";
import { isTimeZone } from "../time_zone.ts";

export interface Problem {
  readonly field: string;
  readonly reason: string;
}

export interface Lot {
  readonly externalId: string;
  readonly fields: ReadonlyMap<LotField, string | number | null>;
  readonly area: unknown;
  readonly operator: { readonly code: string; readonly name: string } | null;
  /** Tags of the file: true if the lot has the tag, false if it does not. */
  readonly tags: Readonly<Record<string, boolean>>;
  /** Null if the file has no hours or they could not be parsed. */
  readonly windows: readonly BusinessWindow[] | null;
  /** Null if the file has no prices or they are ambiguous. */
  readonly pricing: readonly PricingRule[] | null;
  readonly warnings: readonly Problem[];
}

export type Mapped =
  | { readonly lot: Lot }
  | { readonly skipped: string }
  | { readonly problems: readonly Problem[]; readonly externalId?: string };

/**
 * The table's own bounds. Checking them here rejects single rows with a message. Otherwise the database would reject
 * the whole file.
 */
const LENGTHS: Partial<Record<LotField, number>> = {
  name: 200,
  name_kana: 200,
  address: 500,
  structure: 50,
  entry_method: 50,
  phone: 50,
  website: 2000,
};
const PATTERNS: Partial<Record<LotField, readonly [RegExp, string]>> = {
  website: [/^https?:\/\/\S+$/, "is not an http address"],
  entry_difficulty: [/^(easy|normal|hard)$/, "is not easy, normal or hard"],
  holiday_calendar: [/^[A-Z]{2}(-[A-Z0-9]{1,3})?$/, "is not a country like JP or CH"],
  currency: [/^[A-Z]{3}$/, "is not a currency like JPY"],
};
const RANGES: Partial<Record<LotField, readonly [number, number]>> = {
  lat: [-90, 90],
  lng: [-180, 180],
  total_spaces: [0, 1_000_000],
  max_height_m: [0.01, 50],
  max_width_m: [0.01, 50],
  max_length_m: [0.01, 100],
  max_weight_t: [0.01, 200],
  min_clearance_cm: [0, 200],
  max_tire_width_mm: [1, 2000],
  max_parking_duration_min: [1, 2_147_483_647],
};
/** Values for columns that the file does not have. */
const DEFAULTS: Partial<Record<LotField, string>> = {
  time_zone: "Asia/Tokyo",
  holiday_calendar: "JP",
  currency: "JPY",
};
/** What lots usually have. A value beyond this is more likely in another unit, and is a warning. */
const USUAL: Partial<Record<LotField, readonly [number, number]>> = {
  total_spaces: [0, 50_000],
  max_height_m: [1, 10],
  max_width_m: [1, 10],
  max_length_m: [1.5, 40],
  max_weight_t: [0.5, 60],
};

/** A text that the database can store. */
function plainText(raw: unknown): Reading<string> {
  if (typeof raw === "object") return { problem: "is not a text" };
  const text = normalizeSpace(String(raw));
  if (text.includes("\0") || !text.isWellFormed()) return { problem: "contains characters that are not text" };
  return { value: text };
}

function textOf(field: LotField, raw: unknown): Reading<string> {
  const reading = plainText(raw);
  if ("problem" in reading) return reading;
  const text = reading.value;
  const limit = LENGTHS[field];
  if (limit !== undefined && [...text].length > limit) return { problem: `is longer than ${limit} characters` };
  const [pattern, complaint] = PATTERNS[field] ?? [];
  if (pattern !== undefined && !pattern.test(text)) return { problem: `${complaint}: ${JSON.stringify(text)}` };
  if (field === "time_zone" && !isTimeZone(text)) {
    return { problem: `is not an IANA time zone: ${JSON.stringify(text)}` };
  }
  return { value: text };
}

const READERS: Record<
  Exclude<FieldKind, "text">,
  (raw: unknown, decimal: DecimalSign | undefined, field: LotField) => Reading<number>
> = {
  number: numberOf,
  integer: integerOf,
  degrees: (raw, _, field) => degreesOf(raw, field === "lat" ? "lat" : "lng"),
};

/** A unit after a number, and how many of them the field's own unit has: 150台, 2.1m, 210cm. */
type Units = readonly (readonly [RegExp, number])[];
const METRES: Units = [[/(?:m|メートル)$/iu, 1], [/(?:cm|センチ)$/iu, 100]];
const UNITS: Partial<Record<LotField, Units>> = {
  total_spaces: [[/台$/u, 1]],
  max_height_m: METRES,
  max_width_m: METRES,
  max_length_m: METRES,
  max_weight_t: [[/(?:t|トン)$/iu, 1]],
  min_clearance_cm: [[/cm$/iu, 1]],
  max_tire_width_mm: [[/mm$/iu, 1]],
  max_parking_duration_min: [[/分$/u, 1]],
};

function fieldOf(field: LotField, raw: unknown, decimal?: DecimalSign): Reading<string | number> {
  const kind = LOT_FIELDS[field];
  if (kind === "text") return textOf(field, raw);
  const whole = READERS[kind](raw, decimal, field);
  const readings = (typeof raw === "string" ? UNITS[field] ?? [] : []).map(([unit, size]): Reading<number> => {
    const one = READERS[kind](narrow(raw as string).replace(unit, "").trim(), decimal, field);
    return "value" in one ? { value: one.value / size } : one;
  });
  const reading = [whole, ...readings].find((one) => "value" in one) ?? whole;
  const range = RANGES[field];
  if ("problem" in reading || range === undefined) return reading;
  const [least, most] = range;
  return reading.value < least || reading.value > most
    ? { problem: `${reading.value} is outside ${least}..${most}` }
    : reading;
}

function isUsual(field: LotField, value: string | number): boolean {
  const [least, most] = USUAL[field] ?? [-Infinity, Infinity];
  return typeof value === "string" || value >= least && value <= most;
}

/** Checks a place beyond the range of each number. */
function placeProblem(mapping: Mapping, lat: number, lng: number): string | undefined {
  if (lat === 0 && lng === 0) return "0, 0 is a placeholder, not a place";
  if (mapping.bounds === undefined) return undefined;
  const [west, south, east, north] = mapping.bounds;
  const within = (x: number, y: number) => x >= west && x <= east && y >= south && y <= north;
  if (within(lng, lat)) return undefined;
  return within(lat, lng)
    ? `${lat}, ${lng}: latitude and longitude are swapped`
    : `${lat}, ${lng} is outside ${mapping.bounds.join(", ")} (west, south, east, north), where this source's lots are`;
}

/** For a file without ids: the same lot at the same place gets the same id in every import. */
function derivedId(fields: ReadonlyMap<LotField, string | number | null>): string {
  const degrees = (field: LotField) => Number(fields.get(field)).toFixed(6);
  const identity = `${fields.get("name")}\n${degrees("lat")}\n${degrees("lng")}`;
  return `derived-${createHash("sha256").update(identity).digest("hex").slice(0, 32)}`;
}

function codeOf(text: string): string {
  return narrow(text).normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^a-z0-9_]+/g, "-").replace(
    /^[-_]+|-+$/g,
    "",
  ).slice(0, 50);
}

/** Parses a record as a lot, or returns its problems. All problems of a row are reported, not only the first. */
export function mapRecord(record: SourceRecord, mapping: Mapping): Mapped {
  for (const { when, reason } of mapping.skip) {
    if (hasKey(record, when)) return { skipped: reason };
  }
  const problems: Problem[] = [], warnings: Problem[] = [];
  const fields = new Map<LotField, string | number | null>();
  const required = new Set<LotField>(["name", "lat", "lng"]);
  const outline = outlineOf(record.geometry);
  const outlineProblem = outline !== undefined && "problem" in outline ? outline.problem : undefined;
  let isPlaceUnread = false;
  for (const field of lotFieldsOf(mapping)) {
    const raw = valueOf(record, mapping.fields[field] ?? `$${field}`, mapping.decimal);
    if (raw === undefined) {
      fields.set(field, DEFAULTS[field] ?? null);
      if (outlineProblem !== undefined && (field === "lat" || field === "lng")) isPlaceUnread = true;
      else if (required.has(field)) problems.push({ field, reason: "is missing" });
      continue;
    }
    const reading = fieldOf(field, raw, mapping.decimal);
    if ("problem" in reading) problems.push({ field, reason: reading.problem });
    else fields.set(field, reading.value);
    if ("value" in reading && !isUsual(field, reading.value)) {
      const usual = USUAL[field]!.join("..");
      warnings.push({ field, reason: `${reading.value} is beyond ${usual}, what lots have: is the unit right?` });
    }
  }
  // Without an outline a lot is a lot, but not without its place.
  if (outlineProblem !== undefined) {
    (isPlaceUnread ? problems : warnings).push({ field: "area", reason: outlineProblem });
  }
  const lat = fields.get("lat"), lng = fields.get("lng");
  if (typeof lat === "number" && typeof lng === "number") {
    const reason = placeProblem(mapping, lat, lng);
    if (reason !== undefined) problems.push({ field: "lat, lng", reason });
  } else if (isSwapped(record, mapping)) {
    problems.push({ field: "lat, lng", reason: "latitude and longitude look swapped" });
  }
  const externalId = externalIdOf(record, mapping, fields, problems);
  const operator = mapping.operator === undefined ? null : operatorOf(record, mapping.operator, problems);
  if (problems.length > 0 || externalId === undefined) {
    return { problems, ...(externalId === undefined ? {} : { externalId }) };
  }
  const hours = mapping.hours === undefined ? { windows: null } : windowsOf(record, mapping.hours);
  const pricing = mapping.pricing === undefined
    ? { rules: null }
    : pricingOf(record, mapping.pricing, String(fields.get("currency") ?? DEFAULTS.currency));
  const tags: Record<string, boolean> = hours.windows === null ? {} : { open_24h: isRoundTheClock(hours.windows) };
  for (const { slug, when, otherwise } of mapping.tags) {
    const hasTag = hasKey(record, when);
    if (hasTag) tags[slug] = true;
    else if (hasTag === undefined) {
      warnings.push({
        field: `tags.${slug}`,
        reason: `is not a number: ${JSON.stringify(valueAt(record, when.from))}`,
      });
    } else if (otherwise === false) tags[slug] ??= false;
  }
  return {
    lot: {
      externalId,
      fields,
      area: outline !== undefined && "geometry" in outline ? outline.geometry : undefined,
      operator,
      tags,
      windows: hours.windows,
      pricing: pricing.rules,
      warnings: [...warning("hours", hours), ...warning("pricing", pricing), ...warnings],
    },
  };
}

function warning(field: string, { problem }: { readonly problem?: string }): Problem[] {
  return problem === undefined ? [] : [{ field, reason: problem }];
}

/** The fields of a mapping. The feature's own point is used if the mapping has no coordinates. */
export function lotFieldsOf(mapping: Mapping): LotField[] {
  return (Object.keys(LOT_FIELDS) as LotField[]).filter((field) =>
    field === "lat" || field === "lng" || mapping.fields[field] !== undefined
  );
}

/** A latitude above 90 with a longitude that could be a latitude: the two are swapped. */
function isSwapped(record: SourceRecord, mapping: Mapping): boolean {
  const read = (field: "lat" | "lng") => degreesOf(valueOf(record, mapping.fields[field] ?? `$${field}`) ?? null);
  const lat = read("lat"), lng = read("lng");
  return "value" in lat && "value" in lng && Math.abs(lat.value) > 90 && Math.abs(lat.value) <= 180 &&
    Math.abs(lng.value) <= 90;
}

function externalIdOf(
  record: SourceRecord,
  mapping: Mapping,
  fields: ReadonlyMap<LotField, string | number | null>,
  problems: Problem[],
): string | undefined {
  const raw = mapping.external_id === undefined ? undefined : valueOf(record, mapping.external_id);
  if (raw === undefined && (mapping.external_id === undefined || mapping.without_id === "derive")) {
    return problems.length === 0 ? derivedId(fields) : undefined;
  }
  const id = raw === undefined || typeof raw === "object" ? "" : normalizeSpace(String(raw));
  if (id !== "" && [...id].length <= 200 && id.isWellFormed() && !id.includes("\0")) return id;
  problems.push({ field: "external_id", reason: id === "" ? "is missing" : "is not an id of at most 200 characters" });
  return undefined;
}

function operatorOf(
  record: SourceRecord,
  operator: NonNullable<Mapping["operator"]>,
  problems: Problem[],
): Lot["operator"] {
  const raw = valueOf(record, operator.code);
  if (raw === undefined) return null;
  const refuse = (reason: string) => {
    problems.push({ field: "operator", reason });
    return null;
  };
  const stated = plainText(raw);
  if ("problem" in stated) return refuse(stated.problem);
  const code = codeOf(stated.value);
  if (code === "") return refuse(`no code can be made of ${JSON.stringify(raw)}`);
  const name = plainText((operator.name === undefined ? undefined : valueOf(record, operator.name)) ?? raw);
  if ("problem" in name) return refuse(name.problem);
  return { code, name: [...name.value].slice(0, 200).join("") };
}
