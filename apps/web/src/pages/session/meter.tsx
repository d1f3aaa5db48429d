/** The live meter of a running session: the amount now, the next increase and the amounts of the next 24 hours. */
import { useMemo } from "preact/hooks";
import uPlot from "uplot";
import type { components } from "parking-lot-client";
import { dateTime, money, number, timeOfDay } from "../../format.ts";
import { language, texts } from "../../language.ts";
import { Chart } from "../../ui/chart.tsx";
import { useNow } from "../../ui/clock.ts";
import { amountAt, nextIncrease } from "./meter_amount.ts";

export type Meter = components["schemas"]["Meter"];

const text = texts({
  en: {
    now: "Fee if you leave now",
    next: (amount: string, time: string) => `${amount} from ${time}, in`,
    noIncrease: (time: string) => `No increase before ${time}.`,
    cap: "A maximum fee limits the amount.",
    curve: "Fee by time of exit",
    exit: "Exit after",
    amount: "Fee",
    counted: (minutes: number, seconds: number) => `${minutes} min ${seconds} s`,
  },
  ja: {
    now: "今出庫した場合の料金",
    next: (amount: string, time: string) => `${time} から ${amount}。あと`,
    noIncrease: (time: string) => `${time} まで料金は上がりません。`,
    cap: "最大料金が適用されています。",
    curve: "出庫時刻ごとの料金",
    exit: "出庫時刻",
    amount: "料金",
    counted: (minutes: number, seconds: number) => `${minutes}分${seconds}秒`,
  },
});

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
