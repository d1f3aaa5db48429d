/** A file of lots as rows, read as the importer reads it; and what its columns are in the service. */

import { ImportFailure } from "../../../../../../../supabase/functions/_shared/import/failure.ts";
import type { Encoding } from "../../../../../../../supabase/functions/_shared/import/reading/encoding.ts";
import { openText } from "../../../../../../../supabase/functions/_shared/import/reading/open.ts";
import {
  isUnreadable,
  type UnreadableRecord,
} from "../../../../../../../supabase/functions/_shared/import/reading/record.ts";
import type { SourceRecord } from "../../../../../../../supabase/functions/_shared/import/record.ts";
import { COLUMNS } from "../../../../texts/ja/columns.ts";

/** A row with its place in the file: the line, or the number of the feature. */
export type Row = Pick<SourceRecord, "position" | "values">;

export interface LotFile {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  readonly unreadable: readonly UnreadableRecord[];
}

/** What a page reads at most. The importer reads more. */
export const LIMITS = { megabytes: 20, rows: 20_000, columns: 200 };
/** Of a request, whose body has at most 4 MiB. A letter of a row has at most three bytes. */
const REQUEST = { lots: 1_000, bytes: 4_000_000, letters: 1_000_000 };
const CHUNK_BYTES = 1 << 18;

/** The fields of a lot that an import takes, with names that columns of files have. */
export const IMPORT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  external_id: ["id", "no", "$id"],
  name: [],
  name_kana: [],
  address: [],
  lat: ["latitude", "y", "$lat"],
  lng: ["lon", "long", "longitude", "x", "$lng"],
  area: ["$area"],
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
  return rows.map(({ values }) =>
    Object.fromEntries(
      pairs.flatMap(([column, field]) => isEmpty(values[column]) ? [] : [[field, withJson(field, values[column])]]),
    )
  );
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === "";

/** A cell has lists and objects as JSON. What is none is sent as it is, and the service names it. */
function withJson(field: string, value: unknown): unknown {
  const isList = ["area", "tags", "windows", "pricing_rules"].includes(field);
  if (!isList || typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** The lots in parts, each for a request. */
export function partsOf<Lot>(lots: readonly Lot[]): Lot[][] {
  const parts: Lot[][] = [];
  let part: Lot[] = [], bytes = 0;
  for (const lot of lots) {
    const size = new TextEncoder().encode(JSON.stringify(lot)).length + 1;
    if (parts.length === 0 || part.length === REQUEST.lots || bytes + size > REQUEST.bytes) {
      parts.push(part = []);
      bytes = 0;
    }
    part.push(lot);
    bytes += size;
  }
  return parts;
}

/** Throws an ImportFailure with the reason, which is an UnsureEncoding where a person has to choose one. */
export async function readLots(file: File, encoding?: Encoding): Promise<LotFile> {
  const refuse = (count: number, what: string) => {
    throw new ImportFailure(`It has more than ${count} ${what}.`);
  };
  if (file.size > LIMITS.megabytes * 1_000_000) refuse(LIMITS.megabytes, "MB");
  const { records } = await openText(file.name, () => chunksOf(file), encoding);
  const rows: Row[] = [], unreadable: UnreadableRecord[] = [], columns = new Set<string>();
  for await (const read of records) {
    if (rows.length + unreadable.length === LIMITS.rows) refuse(LIMITS.rows, "rows");
    if (isUnreadable(read)) {
      unreadable.push(read);
      continue;
    }
    const { position } = read, values = valuesOf(read);
    for (const name of Object.keys(values)) columns.add(name);
    if (columns.size > LIMITS.columns) refuse(LIMITS.columns, "columns");
    if (JSON.stringify(values).length <= REQUEST.letters) rows.push({ position, values });
    else unreadable.push({ position, unreadable: `more than ${REQUEST.letters} letters` });
  }
  return { columns: [...columns], rows, unreadable };
}

async function* chunksOf(file: Blob): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < file.size; at += CHUNK_BYTES) {
    yield new Uint8Array(await file.slice(at, at + CHUNK_BYTES).arrayBuffer());
  }
}

/** The columns of a row, and those of a feature, whose names are those in mappings of the importer. */
function valuesOf({ values, id, geometry }: SourceRecord): Row["values"] {
  const { type, coordinates } = Object(geometry) as { type?: unknown; coordinates?: unknown };
  const [lng, lat] = [coordinates].flat();
  return {
    ...values,
    ...(isEmpty(id) ? {} : { $id: id }),
    ...(type === "Point" ? { $lat: lat, $lng: lng } : isEmpty(geometry) ? {} : { $area: geometry }),
  };
}

/** How the first letters beyond ASCII, with what is around them in their line, read in each of the encodings. */
export async function previewOf(file: Blob, encodings: readonly Encoding[]): Promise<[Encoding, string][]> {
  const isEnd = (byte: number) => byte === 10 || byte === 13;
  let at = 0, start = 0;
  search: for await (const chunk of chunksOf(file)) {
    for (const byte of chunk) {
      if (byte > 127) break search;
      at++;
      if (isEnd(byte)) start = at;
    }
  }
  const bytes = new Uint8Array(await file.slice(Math.max(start, at - 40), at + 80).arrayBuffer());
  const end = bytes.findIndex(isEnd);
  const line = bytes.subarray(0, end === -1 ? bytes.length : end);
  // With `stream`, half a letter at the end is left out.
  return encodings.map((encoding) => [encoding, new TextDecoder(encoding).decode(line, { stream: true })]);
}
