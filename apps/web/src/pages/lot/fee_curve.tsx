/** What an exit costs, for each exit of the 24 hours after the entry. */
import { dateTime, duration, money } from "../../format.ts";
import { pageTexts } from "../../texts/pages.ts";
import { StepCurve } from "../../ui/step_curve.tsx";
import { surprisePoints } from "../../ui/surprises.tsx";
import { curveOf, type LotProps } from "./lot.ts";
import { HOUR_MS } from "./stay.ts";

const text = pageTexts(({ lot }) => lot.feeCurve);

export function FeeCurve({ lot, stay }: LotProps) {
  const { points, steps, first, known } = curveOf(lot);
  if (first === undefined || steps.length === 0) return null;
  const t = text.value;
  const [entry, exit] = [Date.parse(stay.entryAt), Date.parse(stay.exitAt)];
  // Twice the stay, so that what more time costs is seen too.
  const until = Math.min(known, entry + Math.max(2 * (exit - entry), 3 * HOUR_MS));
  return (
    <StepCurve
      label={t.label}
      steps={steps}
      first={first}
      from={entry}
      until={until}
      split={Math.min(exit, until)}
      points={surprisePoints(lot.planned_stay?.fee?.surprises ?? [])}
      isStay
      currency={lot.currency}
      timeZone={lot.time_zone}
      height={120}
      head={[t.length, t.exit, t.fee]}
      rows={points.map(({ at, amount }, index) => {
        const time = dateTime(new Date(at), lot.time_zone);
        // The last point is the end of what is known, not an increase.
        const when = index === points.length - 1 ? t.until(time) : t.after(time);
        return [duration(Math.max(0, (at - entry) / 60_000)), when, money(amount, lot.currency)];
      })}
    />
  );
}
