/** The sessions that began on each day. */
import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import type { ResponseBody } from "parking-lot-client";
import { dateName, number } from "../../../format.ts";
import { language } from "../../../language.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Chart } from "../../../ui/chart.tsx";
import type { ChartSeries } from "../../../ui/chart_data.ts";
import { color } from "../../../ui/color.ts";

const text = consoleTexts(({ overview }) => overview.figures);

type Days = NonNullable<ResponseBody<"/v1/admin/overview", "get">["sessions_by_day"]>["days"];

export function SessionsChart({ days }: { days: Days }) {
  const t = text.value;
  const data = useMemo<uPlot.AlignedData>(
    () => [days.map((_, index) => index), days.map(({ started }) => started)],
    [days],
  );
  const series = useMemo<ChartSeries[]>(
    () => [{}, { shape: "bars", fill: color("brand"), stroke: color("brand"), points: { show: false } }],
    [],
  );
  const dayOf = (index: number) => dateName(days[index]!.date, { weekday: undefined });
  return (
    <Chart
      key={language.value}
      label={t.started}
      data={data}
      series={series}
      scales={{ x: { time: false, range: [-0.7, days.length - 0.3] }, y: { range: (_, __, max) => [0, max || 1] } }}
      axes={[{
        values: (_, ticks) => ticks.map((tick) => days[tick] ? String(Number(days[tick].date.slice(8))) : ""),
      }, { size: 40, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000] }]}
      head={[t.day, t.sessions]}
      row={(index) => [dayOf(index), number(days[index]!.started)]}
      height={160}
    />
  );
}
