/** The drawing of a chart by uPlot. It is loaded when a page draws its first chart. */
import uPlot from "uplot";
import libraryStyle from "uplot/dist/uPlot.min.css" with { type: "text" };
import type { ChartProps, ChartSeries } from "./chart_data.ts";
import { color } from "./color.ts";
import { addLibraryStyle } from "./style.ts";

addLibraryStyle(libraryStyle);

const PATHS = {
  // An increase is due after its time, until the next one.
  steps: uPlot.paths.stepped!({ align: 1 }),
  bars: uPlot.paths.bars!({ size: [0.7, 60] }),
};

/** Draws the chart into an element, as wide as the element is; returns what removes it. */
export function drawChart(
  holder: HTMLElement,
  { data, series, axes = [{}, {}], scales, height = 180 }: ChartProps,
): () => void {
  const width = () => Math.max(200, holder.clientWidth);
  const chart = new uPlot(
    {
      width: width(),
      height,
      series: series.map(drawn),
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
}

function drawn({ shape, ...series }: ChartSeries): uPlot.Series {
  return shape === undefined ? series : { ...series, paths: PATHS[shape] };
}

function axisColors(): uPlot.Axis {
  const line = { stroke: color("line"), width: 1 };
  return { stroke: color("ink-2"), grid: line, ticks: line };
}
