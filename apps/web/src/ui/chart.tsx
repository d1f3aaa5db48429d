/** A chart by uPlot, with its values as a table for those who do not see it. */
import { useEffect, useRef } from "preact/hooks";
import { loadPart } from "../parts.ts";
import type { ChartProps } from "./chart_data.ts";

const loadDrawing = () => loadPart(() => import("./chart_drawing.ts"), ({ drawChart }) => drawChart);

export function Chart(props: ChartProps) {
  const { label, data, series, row, head, height = 180 } = props;
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let remove: (() => void) | "removed" | undefined;
    loadDrawing().then(
      (draw) => remove ??= draw(element.current!, props),
      // The table has the values.
      (error: unknown) => console.warn("A chart could not be drawn.", error),
    );
    return () => {
      if (typeof remove === "function") remove();
      remove = "removed";
    };
  }, [data, series]);
  return (
    <figure class="chart">
      <div ref={element} class="chart-drawing" style={{ minHeight: height }} role="img" aria-label={label} />
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
