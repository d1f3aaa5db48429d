/** What the modules of this folder share: a lot as it is exported, and what a format writes and reads. */
import type { BusinessWindow } from "../import/window.ts";
import type { PricingRule } from "../import/pricing.ts";
import type { SourceRecord } from "../import/record.ts";
import { hoursOfWindows } from "../osm/opening_hours.ts";
import { readTariff } from "../tariff_text/read.ts";
import { type DayType, MAX_TEXT, type TariffRule } from "../tariff_text/types.ts";
import { writeSign } from "../tariff_text/write.ts";

interface Dated {
  readonly effective_from: string | null;
  readonly effective_to: string | null;
}

/** An item of api.export_parking_lots. */
export interface ExportedLot {
  readonly id: string;
  readonly name: string;
  readonly name_kana: string | null;
  readonly address: string | null;
  readonly lat: number;
  readonly lng: number;
  readonly area: unknown;
  readonly total_spaces: number | null;
  readonly structure: string | null;
  readonly max_height_m: number | null;
  readonly max_width_m: number | null;
  readonly max_length_m: number | null;
  readonly max_weight_t: number | null;
  readonly min_clearance_cm: number | null;
  readonly max_tire_width_mm: number | null;
  readonly max_parking_duration_min: number | null;
  readonly entry_method: string | null;
  readonly entry_difficulty: string | null;
  readonly phone: string | null;
  readonly website: string | null;
  readonly time_zone: string;
  readonly holiday_calendar: string;
  readonly currency: string;
  readonly operator_code: string | null;
  readonly operator_name: string | null;
  /** By slug: whether the lot has the tag. */
  readonly tags: Readonly<Record<string, boolean>>;
  /** Business hours. */
  readonly windows: readonly (BusinessWindow & Dated)[];
  /** The default price list. */
  readonly rules: readonly (Omit<PricingRule, "effective_from" | "effective_to"> & Dated)[];
  /** No unit of the default price list begins while the lot is closed. */
  readonly free_while_closed: boolean;
  readonly source: string | null;
  readonly external_id: string | null;
  readonly source_url: string | null;
  readonly licence: string | null;
  readonly attribution: string | null;
  readonly updated_at: string;
}

/** The fields of the table in docs/clients/formats.md, in its order. */
export const FIELDS = [
  "id",
  "name",
  "name_kana",
  "address",
  "lat",
  "lng",
  "area",
  "total_spaces",
  "structure",
  "max_height_m",
  "max_width_m",
  "max_length_m",
  "max_weight_t",
  "min_clearance_cm",
  "max_tire_width_mm",
  "max_parking_duration_min",
  "entry_method",
  "entry_difficulty",
  "phone",
  "website",
  "time_zone",
  "holiday_calendar",
  "currency",
  "operator_code",
  "operator_name",
  "tags",
  "windows",
  "rules",
  "source",
  "external_id",
  "source_url",
  "licence",
  "attribution",
  "updated_at",
] as const satisfies readonly (keyof ExportedLot)[];
export type Field = typeof FIELDS[number];

/** What a format carries of a field. `back`: what the importer reads from the export of a lot; undefined: nothing. */
export interface Part {
  readonly words: string;
  readonly back: (lot: ExportedLot) => unknown;
}

/** What a format says of a lot, for the mapping of the format (tools/importer/mappings). */
export interface ReadLot {
  /** By the names of Field. Absent: the record has no value. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly area?: unknown;
  readonly tags: Readonly<Record<string, boolean>>;
  readonly windows: readonly BusinessWindow[] | null;
  readonly rules: readonly PricingRule[] | null;
  readonly problems: readonly { readonly field: string; readonly reason: string }[];
}

export interface LotFormat {
  readonly title: string;
  readonly mediaType: string;
  /** Members of a document before its list of lots. */
  readonly head: Readonly<Record<string, unknown>>;
  /** The member of a document that has the lots. */
  readonly list: string;
  readonly write: (lot: ExportedLot) => Readonly<Record<string, unknown>>;
  readonly read: (record: SourceRecord) => ReadLot;
  /** Each field: all of it, nothing, or a part. */
  readonly carries: Readonly<Record<Field, boolean | Part>>;
}

/** The importer takes the provenance from its command, because it holds for a whole file. */
export const NOT_READ: Part = {
  words: "written, not read: the importer takes it from its command or writes it itself",
  back: () => undefined,
};
const NOT_READ_FIELDS = FIELDS.slice(FIELDS.indexOf("source"));

/** What a format carries that states every value. The table of a format names what differs. */
export const EVERYTHING = Object.fromEntries(
  FIELDS.map((field) => [field, NOT_READ_FIELDS.includes(field) ? NOT_READ : true]),
) as Readonly<Record<Field, boolean | Part>>;

/** Formats with the operator's name alone. */
export const OPERATOR_BY_NAME = {
  operator_code: false,
  operator_name: {
    words: "a name without a Latin letter or a digit is not read: the operator's code is made of it",
    back: ({ operator_name }: ExportedLot) => /[a-z0-9]/i.test(operator_name ?? "") ? operator_name : undefined,
  },
} as const;

/** The same object without the members that are null or undefined. */
export function present<T extends Record<string, unknown>>(members: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== null && value !== undefined),
  ) as Partial<T>;
}

function isDated({ effective_from, effective_to }: Dated): boolean {
  return effective_from !== null || effective_to !== null;
}

/** The business hours, if a week can state them: without dates. */
export function windowsOf({ windows }: ExportedLot): readonly BusinessWindow[] | undefined {
  return windows.length === 0 || windows.some(isDated) ? undefined : windows;
}

/** The hours in the syntax of OpenStreetMap, if they are known and it can state them. */
export function hoursText(lot: ExportedLot, maxLength: number): string | undefined {
  const text = hoursOfWindows(windowsOf(lot) ?? []);
  return text !== undefined && text.length <= maxLength ? text : undefined;
}

/** The price list, if it has prices for every moment: they hold on every date, and depend on neither hours nor units. */
export function rulesOf({ rules, free_while_closed }: ExportedLot): readonly PricingRule[] {
  const isLost = (rule: ExportedLot["rules"][number]) =>
    isDated(rule) || rule.category === "published_total" || (rule.max_units ?? null) !== null;
  if (free_while_closed || rules.some(isLost)) return [];
  return rules.map(({ effective_from: _, effective_to: __, ...rule }) => rule);
}

/** A rule of `rulesOf` with all of its members, as a sign has it. */
function signRule(rule: PricingRule): TariffRule {
  return {
    category: rule.category as TariffRule["category"],
    day_type: (rule.day_type ?? "all") as DayType,
    time_start: rule.time_start ?? null,
    time_end: rule.time_end ?? null,
    per_minutes: rule.per_minutes ?? null,
    price_minor: rule.price_minor ?? null,
    cap_type: rule.cap_type ?? null,
    cap_duration_hours: rule.cap_duration_hours ?? null,
    cap_price_minor: rule.cap_price_minor ?? null,
    cap_repeat: rule.category === "cap" ? rule.cap_repeat ?? false : null,
  };
}

/** Rules in a form that is the same for equal price lists. The order counts for the prices of first minutes only. */
export function comparable(rules: readonly PricingRule[]): readonly string[] {
  const texts = (isInitial: boolean) =>
    rules.filter(({ category }) => (category === "initial") === isInitial).map((rule) =>
      JSON.stringify(signRule(rule))
    );
  return [...texts(true), ...texts(false).sort()];
}

/** The price list as the text of a sign, if reading the text gives the same rules. */
export function tariffText(lot: ExportedLot): string | undefined {
  const rules = rulesOf(lot);
  if (rules.length === 0) return undefined;
  const text = writeSign(rules.map(signRule), lot.currency).ja;
  if (text.length > MAX_TEXT) return undefined;
  const again = rulesOfText(text, lot.currency);
  return again !== undefined && JSON.stringify(comparable(again)) === JSON.stringify(comparable(rules))
    ? text
    : undefined;
}

export function rulesOfText(text: string, currency: string): readonly PricingRule[] | undefined {
  if (text.length > MAX_TEXT) return undefined;
  const { rules, is_accepted } = readTariff(text, { currency });
  return is_accepted ? rules.map((rule, place) => ({ ...rule, rule_order: place + 1 })) : undefined;
}

/** The currency that the text of a sign names. A text without a price names none. */
export function currencyOfText(text: string): string | undefined {
  return text.includes("円") ? "JPY" : /(?<![A-Z])([A-Z]{3}) \d/.exec(text)?.[1];
}

export const UNREAD_TARIFF = { field: "pricing", reason: "the text of the fees was not understood" };

/** The text at a key of a record; undefined if there is none. */
export function textAt(values: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = values[key];
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

export function numberAt(values: Readonly<Record<string, unknown>>, key: string): number | undefined {
  const value = values[key];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** The objects of a list in a file, which can have anything. */
export function objectsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  const list = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  return list.filter((one): one is Record<string, unknown> => typeof one === "object" && one !== null);
}
