/** The live meter of a running session: the amount now, the next increase and the amounts of the next 24 hours. */
import { useMemo } from "preact/hooks";
import uPlot from "uplot";
import type { components } from "parking-lot-client";
import { dateTime, money, number, timeOfDay } from "../../format.ts";
import { language } from "../../language.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Chart } from "../../ui/chart.tsx";
import { useNow } from "../../ui/clock.ts";
import { amountAt, nextIncrease } from "./meter_amount.ts";

export type Meter = components["schemas"]["Meter"];

const text = pageTexts(({ session }) => session.meter);

export function MeterView({ meter }: { meter: Meter }) {
  const now = useNow();
  const t = text.value;
  const next = nextIncrease(meter, now);
  return (
    <section class="card meter" aria-label={t.now}>
      <p class="small">{t.now}</p>
      {/* Read aloud when the amount changes, not every second. */}
      <p class="meter-amount" aria-live="polite">{money(amountAt(meter, now), meter.currency)}</p>
      {next
        ? (
          <p>
            {t.next(money(next.amount, meter.currency), timeOfDay(next.at))}{" "}
            <span class="meter-countdown">{countdown(next.at, now)}</span>
          </p>
        )
        : <p>{t.noIncrease(dateTime(meter.known_until))}</p>}
      {meter.cap_reached && <p>{t.cap}</p>}
      <MeterCurve meter={meter} />
    </section>
  );
}

function countdown(at: string, now: number): string {
  const seconds = Math.max(0, Math.ceil((Date.parse(at) - now) / 1000));
  return text.value.counted(Math.floor(seconds / 60), seconds % 60);
}

function MeterCurve({ meter }: { meter: Meter }) {
  const { data, series, axes } = useMemo(() => chartOf(meter), [meter, language.value]);
  const t = text.value;
  return (
    <Chart
      label={t.curve}
      data={data}
      series={series}
      axes={axes}
      head={[t.exit, t.amount]}
      row={(index) => [
        dateTime(new Date(data[0][index]! * 1000)),
        money(data[1]![index] as number, meter.currency),
      ]}
    />
  );
}

function chartOf(meter: Meter) {
  // The first point is now: the curve begins with the amount of this moment.
  const points = [
    { at: Date.now(), amount: meter.amount },
    ...meter.curve.map(({ at, amount }) => ({
      at: Date.parse(at),
      amount,
    })),
  ];
  const color = getComputedStyle(document.documentElement);
  const [line, soft, grid] = ["--chart-line", "--chart-text", "--chart-grid"].map((name) =>
    color.getPropertyValue(name)
  );
  const axis = { stroke: soft!, grid: { stroke: grid!, width: 1 }, ticks: { stroke: grid!, width: 1 } };
  return {
    data: [points.map(({ at }) => at / 1000), points.map(({ amount }) => amount)] as uPlot.AlignedData,
    series: [{}, { stroke: line!, width: 2, paths: uPlot.paths.stepped!({ align: 1 }), points: { show: false } }],
    axes: [
      { ...axis, values: (_: uPlot, splits: number[]) => splits.map((at) => timeOfDay(new Date(at * 1000))) },
      { ...axis, size: 64, values: (_: uPlot, splits: number[]) => splits.map((amount) => number(amount)) },
    ],
  };
}
