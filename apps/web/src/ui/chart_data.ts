/** What a chart shows. */
import type uPlot from "uplot";

/** A series of uPlot. Its shape is by name, because a page must not load uPlot to name it. */
export type ChartSeries = uPlot.Series & { readonly shape?: "steps" | "bars" };

export interface ChartProps {
  /** What the chart shows, for its name and the caption of the table. */
  readonly label: string;
  /** The first column is x; uPlot's format. */
  readonly data: uPlot.AlignedData;
  readonly series: readonly ChartSeries[];
  readonly axes?: readonly uPlot.Axis[];
  readonly scales?: uPlot.Scales;
  readonly height?: number;
  /** The texts of a row of the table: x first. */
  readonly row: (index: number) => readonly string[];
  readonly head: readonly string[];
}
