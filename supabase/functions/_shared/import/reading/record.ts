import type { Encoding } from "./encoding.ts";
import type { SourceRecord } from "../record.ts";

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
  readonly encoding: Encoding | null;
  readonly unit: Unit;
  readonly records: AsyncIterable<Read>;
}
