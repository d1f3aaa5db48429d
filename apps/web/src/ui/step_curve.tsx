/** A fee by time of exit as a drawing of steps, with its values as a table for those who do not see it. */
import { useEffect, useRef, useState } from "preact/hooks";
import { money, timeOfDay } from "../format.ts";
import { amountOf, amountTicks, pathOf, type Step, thatFit } from "./step_path.ts";

export interface StepCurveProps {
  /** What the drawing shows: its name and the caption of the table. */
  readonly label: string;
  readonly steps: readonly Step[];
  /** The amount before the first step. */
  readonly first: number;
  readonly from: number;
  readonly until: number;
  /** Where the past ends and the future begins: now, or the planned exit. */
  readonly split: number;
  /** A word at the split. */
  readonly splitLabel?: string | undefined;
  /** Where the fee rises more than expected. */
  readonly points?: readonly { readonly at: number; readonly label: string }[];
  /** Fills the time before the split: a stay that is planned. */
  readonly isStay?: boolean;
  readonly currency: string;
  readonly timeZone: string | undefined;
  readonly height: number;
  readonly head: readonly string[];
  /** The texts of each row of the table. */
  readonly rows: readonly (readonly string[])[];
}

const LEFT = 56;
const RIGHT = 10;
const TOP = 10;
const BOTTOM = 22;
const APART = 58;
const HOUR_MS = 3_600_000;

export function StepCurve(props: StepCurveProps) {
  const { label, head, rows, height } = props;
  const holder = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(328);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(200, Math.round(entry!.contentRect.width))));
    observer.observe(holder.current!);
    return () => observer.disconnect();
  }, []);
  return (
    <figure class="curve">
      <div ref={holder} style={{ height }}>
        <Drawing {...props} width={width} />
      </div>
      <div class="visually-hidden">
        <table>
          <caption>{label}</caption>
          <thead>
            <tr>{head.map((name) => <th key={name} scope="col">{name}</th>)}</tr>
          </thead>
          <tbody>
            {rows.map((row, index) => <tr key={index}>{row.map((value, column) => <td key={column}>{value}</td>)}</tr>)}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

function Drawing(
  { label, steps, first, from, until, split, splitLabel, points = [], isStay, currency, timeZone, height, width }:
    & StepCurveProps
    & { width: number },
) {
  const ticks = amountTicks(amountOf(steps, first, until));
  const top = ticks.at(-1) || 1;
  const x = (time: number) => LEFT + (time - from) / (until - from) * (width - LEFT - RIGHT);
  const y = (amount: number) => height - BOTTOM - amount / top * (height - TOP - BOTTOM);
  const middle = Math.min(Math.max(split, from), until);
  const hours = Array.from({ length: 25 }, (_, index) => from + index * HOUR_MS).filter((time) => time < until);
  const times = thatFit([from, middle, until, ...hours.filter((_, index) => index % 3 === 0)], x, APART);
  const anchor = (time: number) => time === from ? "start" : time === until ? "end" : "middle";
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      {isStay && <rect class="curve-stay" x={LEFT} y={TOP} width={x(middle) - LEFT} height={height - TOP - BOTTOM} />}
      {ticks.map((amount) => (
        <g key={amount}>
          <line class="curve-line" x1={LEFT} x2={width - RIGHT} y1={y(amount)} y2={y(amount)} />
          <text x={LEFT - 8} y={y(amount) + 4} text-anchor="end">{amount === 0 ? "0" : money(amount, currency)}</text>
        </g>
      ))}
      {times.map((time) => (
        <text key={time} x={x(time)} y={height - 5} text-anchor={anchor(time)}>
          {timeOfDay(new Date(time), timeZone)}
        </text>
      ))}
      <path class="curve-future" d={pathOf(steps, first, middle, until, x, y)} />
      <path class="curve-past" d={pathOf(steps, first, from, middle, x, y)} />
      {splitLabel && (
        <>
          <line class="curve-now" x1={x(middle)} x2={x(middle)} y1={TOP} y2={height - BOTTOM} />
          <text
            class="curve-now-label"
            x={x(middle) + (x(middle) > width / 2 ? -6 : 6)}
            y={TOP + 12}
            text-anchor={x(middle) > width / 2 ? "end" : "start"}
          >
            {splitLabel}
          </text>
        </>
      )}
      {points.filter(({ at }) => at >= from && at <= until).map(({ at, label }) => (
        <circle key={`${at} ${label}`} class="curve-surprise" cx={x(at)} cy={y(amountOf(steps, first, at))} r="5">
          <title>{label}</title>
        </circle>
      ))}
      <circle class="curve-dot" cx={x(middle)} cy={y(amountOf(steps, first, middle))} r="5" />
    </svg>
  );
}
