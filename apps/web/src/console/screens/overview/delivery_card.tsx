/** What was sent in the last day, hour by hour, and what waits. */
import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import type { ResponseBody } from "parking-lot-client";
import { dateTime, number, timeOfDay } from "../../../format.ts";
import { language } from "../../../language.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Chart } from "../../../ui/chart.tsx";
import { color } from "../../../ui/color.ts";
import { Figure, FigureCard } from "./figure.tsx";
import { hoursOf } from "./hours.ts";

const text = consoleTexts(({ overview }) => overview.figures);

type Overview = ResponseBody<"/v1/admin/overview", "get">;
type Delivery = NonNullable<Overview["push"] | Overview["mail"]>;

export function DeliveryCard(
  { title, delivery, sent }: { title: string; delivery: Delivery; sent: string },
) {
  const t = text.value;
  const { waiting, trouble } = delivery;
  const hours = useMemo(() => hoursOf(delivery, sent), [delivery]);
  const data = useMemo<uPlot.AlignedData>(
    () => [hours.map(({ hour }) => hour), hours.map(({ sent }) => sent), hours.map(({ other }) => other)],
    [hours],
  );
  const series = useMemo<uPlot.Series[]>(
    () => [{}, { stroke: color("fine"), width: 2 }, { stroke: color("stop"), width: 2, dash: [4, 3] }],
    [],
  );
  return (
    <FigureCard title={title}>
      {trouble && <p class="wrong">{t.trouble(t.reasons[trouble.reason] ?? trouble.reason, dateTime(trouble.since))}
      </p>}
      <Figure name={t.waiting} value={waiting} />
      <Chart
        key={language.value}
        label={title}
        data={data}
        series={series}
        scales={{ y: { range: (_, __, max) => [0, max || 1] } }}
        axes={[{ values: (_, ticks) => ticks.map((tick) => timeOfDay(new Date(tick * 1000))) }, { size: 40 }]}
        head={[t.hour, t.sent, t.other]}
        row={(index) => {
          const { hour, sent, other } = hours[index]!;
          return [timeOfDay(new Date(hour * 1000)), number(sent), number(other)];
        }}
        height={120}
      />
      <p class="small">
        <span class="good">━</span> {t.sent} <span class="wrong">╍</span> {t.other}
      </p>
    </FigureCard>
  );
}
