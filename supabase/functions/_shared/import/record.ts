/**
 * One row or feature of a source. `position` is for the reader of a report: the line, or the number of the feature
 * starting at 1.
 */
export interface SourceRecord {
  readonly position: number;
  /** Columns of a row, or properties of a feature. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Data of a GeoJSON feature in addition to its properties. */
  readonly id?: unknown;
  readonly geometry?: unknown;
}
