/** A file of lots as rows: CSV, JSON, lines of JSON, or GeoJSON. And what its columns are in the service. */

import { COLUMNS } from "../../../../texts/ja/columns.ts";

export type Row = Readonly<Record<string, unknown>>;

export interface LotFile {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

/** The fields of a lot that an import takes, with names that columns of files have. */
export const IMPORT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  external_id: ["id", "no"],
  name: [],
  name_kana: [],
  address: [],
  lat: ["latitude", "y"],
  lng: ["lon", "long", "longitude", "x"],
  total_spaces: ["spaces", "capacity"],
  structure: [],
  max_height_m: ["height"],
  max_width_m: ["width"],
  max_length_m: ["length"],
  max_weight_t: ["weight"],
  min_clearance_cm: [],
  max_tire_width_mm: [],
  max_parking_duration_min: [],
  entry_method: [],
  entry_difficulty: [],
  operator_code: [],
  operator_name: ["operator"],
  phone: ["tel"],
  website: ["url"],
  hours: [],
  open_time: [],
  close_time: [],
  time_zone: [],
  holiday_calendar: [],
  currency: [],
  tags: [],
  windows: [],
  pricing_rules: [],
};

/** The field of each column whose name is known; an empty text where it is not. */
export function guessMapping(columns: readonly string[]): Record<string, string> {
  const used = new Set<string>();
  return Object.fromEntries(columns.map((column) => {
    const plain = column.trim().toLowerCase();
    const field = Object.entries(IMPORT_FIELDS).find(([field, names]) =>
      !used.has(field) && (field === plain || names.includes(plain) || COLUMNS[field]?.includes(plain))
    )?.[0] ?? "";
    used.add(field);
    return [column, field];
  }));
}

/** The lots of the request: the mapped columns under the names of the service. Empty cells are left out. */
export function lotsOf(rows: readonly Row[], mapping: Readonly<Record<string, string>>): Record<string, unknown>[] {
  const pairs = Object.entries(mapping).filter(([, field]) => field !== "");
  return rows.map((row) =>
    Object.fromEntries(pairs.flatMap(([column, field]) => isEmpty(row[column]) ? [] : [[field, row[column]]]))
  );
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === "";

/** Reads a file. Japanese files of old programs are Shift_JIS. Throws for a text that is none of the formats. */
export function parseLots(bytes: ArrayBuffer): LotFile {
  const text = decode(bytes).replace(/^\uFEFF/, "");
  const rows = /^\s*[[{]/.test(text) ? rowsOfJson(text) : rowsOfCsv(text);
  return { columns: [...new Set(rows.flatMap((row) => Object.keys(row)))], rows };
}

function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("shift_jis").decode(bytes);
  }
}

function rowsOfJson(text: string): Row[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // One object a line.
    value = text.split("\n").filter((line) => line.trim() !== "").map((line) => JSON.parse(line));
  }
  const { features, lots } = Object(value) as { features?: unknown; lots?: unknown };
  if (Array.isArray(features)) return features.map(rowOfFeature);
  return (Array.isArray(value) ? value : Array.isArray(lots) ? lots : [value]).map((row) => Object(row) as Row);
}

function rowOfFeature(feature: unknown): Row {
  const { id, properties, geometry } = Object(feature) as {
    id?: unknown;
    properties?: object;
    geometry?: { type?: string; coordinates?: number[] };
  };
  const [lng, lat] = geometry?.type === "Point" ? geometry.coordinates ?? [] : [];
  return { ...(id === undefined ? {} : { id }), ...properties, lat, lng };
}

/** RFC 4180: cells may be quoted, and quoted cells may have commas, quotes and line breaks. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain = "", end = ""] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ",") continue;
    if (row.some((cell) => cell !== "")) rows.push(row);
    row = [];
  }
  return rows;
}

function rowsOfCsv(text: string): Row[] {
  const [head = [], ...rows] = parseCsv(text);
  return rows.map((cells) => Object.fromEntries(head.map((name, index) => [name, cells[index] ?? ""])));
}
