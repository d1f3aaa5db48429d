/** What an exit costs, for each exit of the 24 hours after the entry, as a chart. */
import { useMemo } from "preact/hooks";
import uPlot from "uplot";
import { dateTime, duration, money } from "../../format.ts";
import { language } from "../../language.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Chart } from "../../ui/chart.tsx";
import { color } from "../../ui/color.ts";
import type { Lot, LotProps } from "./lot.ts";
import { HOUR_MS } from "./stay.ts";

const text = pageTexts(({ lot }) => lot.feeCurve);

type Points = NonNullable<Lot["fee_curve"]>;

export function FeeCurve({ points, lot, stay }: LotProps & { points: Points }) {
  const t = text.value;
  const { data, series, axes } = useMemo(() => chartOf(points, lot, stay.entryAt), [points, language.value]);
  return (
    <Chart
      label={t.label}
      data={data}
      series={series}
      axes={axes}
      scales={{ x: { time: false } }}
      height={220}
      head={[t.length, t.exit, t.fee]}
      row={(index) => {
        const { at, amount } = points[index]!;
        const time = dateTime(at, lot.time_zone);
        // The last point is the end of what is known, not an increase.
        const when = index === points.length - 1 ? t.until(time) : t.after(time);
        return [duration(minutesBetween(stay.entryAt, at)), when, money(amount, lot.currency)];
      }}
    />
  );
}

const minutesBetween = (from: string, to: string) => Math.max(0, (Date.parse(to) - Date.parse(from)) / 60_000);

function chartOf(points: Points, lot: Lot, entryAt: string) {
  const hours = points.map(({ at }) => (Date.parse(at) - Date.parse(entryAt)) / HOUR_MS);
  const line = {
    stroke: color("accent"),
    width: 2,
    // An increase is due after its time, until the next one.
    paths: uPlot.paths.stepped!({ align: 1 }),
    points: { show: false },
  };
  const axes: uPlot.Axis[] = [
    { incrs: [1, 2, 3, 4, 6], values: (_, ticks) => ticks.map((hour) => duration(hour * 60)) },
    { size: 70, values: (_, ticks) => ticks.map((amount) => money(amount, lot.currency)) },
  ];
  return { data: [hours, points.map(({ amount }) => amount)] as uPlot.AlignedData, series: [{}, line], axes };
}
