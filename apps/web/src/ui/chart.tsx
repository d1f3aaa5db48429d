/** A chart by uPlot, with its values as a table for those who do not see it. */
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { color } from "./color.ts";

export interface ChartProps {
  /** What the chart shows, for its name and the caption of the table. */
  readonly label: string;
  /** The first column is x; uPlot's format. */
  readonly data: uPlot.AlignedData;
  readonly series: readonly uPlot.Series[];
  readonly axes?: readonly uPlot.Axis[];
  readonly scales?: uPlot.Scales;
  readonly height?: number;
  /** The texts of a row of the table: x first. */
  readonly row: (index: number) => readonly string[];
  readonly head: readonly string[];
}

export function Chart({ label, data, series, axes = [{}, {}], scales, height = 180, row, head }: ChartProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const holder = element.current!;
    const width = () => Math.max(200, holder.clientWidth);
    const chart = new uPlot(
      {
        width: width(),
        height,
        series: [...series],
        axes: axes.map((axis) => ({ ...axisColors(), ...axis })),
        ...(scales ? { scales } : {}),
        legend: { show: false },
        cursor: { drag: { x: false, y: false } },
      },
      data,
      holder,
    );
    const observer = new ResizeObserver(() => chart.setSize({ width: width(), height }));
    observer.observe(holder);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [data, series]);
  return (
    <figure class="chart">
      <div ref={element} role="img" aria-label={label} />
      <div class="visually-hidden">
        <table>
          <caption>{label}</caption>
          <thead>
            <tr>{head.map((name) => <th key={name} scope="col">{name}</th>)}</tr>
          </thead>
          <tbody>
            {Array.from(
              data[0],
              (_, index) => <tr key={index}>{row(index).map((value, column) => <td key={column}>{value}</td>)}</tr>,
            )}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

function axisColors(): uPlot.Axis {
  const line = { stroke: color("line"), width: 1 };
  return { stroke: color("soft"), grid: line, ticks: line };
}
