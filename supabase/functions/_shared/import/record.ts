/** One row or feature of a source. `position` is what a person looks up: the line, or the number of the feature from 1. */
export interface SourceRecord {
  readonly position: number;
  /** Columns of a row, properties of a feature. */
  readonly values: Readonly<Record<string, unknown>>;
  /** What a GeoJSON feature has in addition to its properties. */
  readonly id?: unknown;
  readonly geometry?: unknown;
}
