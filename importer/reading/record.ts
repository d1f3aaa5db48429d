/** One row or feature of a source file. `position` is what a person looks up: the line, or the feature's number from 1. */
export interface SourceRecord {
  readonly position: number;
  /** Columns of a row, properties of a feature. */
  readonly values: Readonly<Record<string, unknown>>;
  /** What a GeoJSON feature has beside its properties. */
  readonly id?: unknown;
  readonly geometry?: unknown;
}

/** A row that cannot be read as one; the rows around it can. */
export interface UnreadableRecord {
  readonly position: number;
  readonly unreadable: string;
}

export type Read = SourceRecord | UnreadableRecord;

export function isUnreadable(read: Read): read is UnreadableRecord {
  return "unreadable" in read;
}

export type Unit = "line" | "feature" | "row";

/** A file that was recognised and opened: its records come in the order of the file. */
export interface OpenSource {
  readonly format: "csv" | "geojson" | "ndjson" | "xlsx";
  /** Null for a format that has its own. */
  readonly encoding: string | null;
  readonly unit: Unit;
  readonly records: AsyncIterable<Read>;
}
