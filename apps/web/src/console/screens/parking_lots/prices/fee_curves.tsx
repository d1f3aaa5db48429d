/** How the fee rises over a day and a night, with the stored rules and with the new ones: two small drawings. */
import { money, timeOfDay } from "../../../../format.ts";
import { consoleTexts } from "../../../../texts/console.ts";
import { curveOf, type Lot, type Stay } from "./tariff.ts";
import type { Outcome } from "./use_fees.ts";

const text = consoleTexts(({ prices }) => prices);

type Points = [hour: number, amount: number][];

const [WIDTH, HEIGHT, LEFT, BOTTOM, HOURS] = [300, 120, 52, 18, 24];

interface CurvesProps {
  readonly before: Outcome | undefined;
  /** Absent while nothing is changed. */
  readonly after: Outcome | undefined;
  readonly stay: Omit<Stay, "name">;
  readonly lot: Lot;
}

export function FeeCurves({ before, after, stay, lot }: CurvesProps) {
  const t = text.value;
  const pointsOf = (outcome: Outcome | undefined) =>
    outcome && "fee" in outcome ? curveOf(outcome.fee, stay.entry_at) : undefined;
  const [old, next] = [pointsOf(before), pointsOf(after)];
  if (old === undefined && next === undefined) return null;
  const top = Math.max(1, ...[...old ?? [], ...next ?? []].map(([, amount]) => amount));
  const draw = (name: string, points: Points, under?: Points) => (
    <Curve name={name} points={points} under={under} top={top} stay={stay} lot={lot} />
  );
  return (
    <div class="price-curves">
      {old && draw(t.today, old)}
      {next && draw(t.next, next, old)}
    </div>
  );
}

function Curve({ name, points, under, top, stay, lot }: {
  name: string;
  points: Points;
  under: Points | undefined;
  top: number;
  stay: CurvesProps["stay"];
  lot: Lot;
}) {
  const x = (hour: number) => LEFT + (hour / HOURS) * (WIDTH - LEFT - 4);
  const y = (amount: number) => 6 + (1 - amount / top) * (HEIGHT - BOTTOM - 6);
  const path = (points: Points) =>
    points.reduce(
      (drawn, [hour, amount]) => `${drawn} H ${x(Math.max(0, hour)).toFixed(1)} V ${y(amount).toFixed(1)}`,
      `M ${x(0)} ${y(0)}`,
    ) + ` H ${x(HOURS)}`;
  const clock = (hour: number) => timeOfDay(new Date(Date.parse(stay.entry_at) + hour * 3_600_000), lot.time_zone);
  const end = points.at(-1)?.[1] ?? 0;
  return (
    <figure>
      <figcaption>
        <strong>{name}</strong> {text.value.from24(clock(0))}
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={text.value.curve(name, money(end, lot.currency))}
      >
        {[0, 0.5, 1].map((part) => (
          <g key={part}>
            <line class="price-grid" x1={LEFT} x2={WIDTH} y1={y(top * part)} y2={y(top * part)} />
            <text x={LEFT - 6} y={y(top * part) + 4} text-anchor="end">
              {money(Math.round(top * part), lot.currency)}
            </text>
          </g>
        ))}
        {[0, 6, 12, 18].map((hour) => <text key={hour} x={x(hour)} y={HEIGHT - 4}>{clock(hour)}</text>)}
        {under && <path class="price-under" d={path(under)} />}
        <path class="price-line" d={path(points)} />
      </svg>
    </figure>
  );
}
