/** The live meter of a running session: the amount now, the next increase with a countdown, and the curve. */
import { label } from "../../codes.ts";
import { dateTime, money, timeOfDay } from "../../format.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Amount } from "../../ui/amount.tsx";
import { StepCurve } from "../../ui/step_curve.tsx";
import type { Step } from "../../ui/step_path.ts";
import { surprisePoints } from "../../ui/surprises.tsx";
import { amountAt, increasesOf, type Meter, nextIncrease, shareOf, wholeStay } from "./meter_amount.ts";

const text = pageTexts(({ session }) => session.meter);

export interface MeterProps {
  readonly meter: Meter;
  readonly now: number;
  readonly startedAt: number;
  /** The curve from the entry on; empty while it is not known. */
  readonly fromEntry: readonly Step[];
  /** When the car can leave first, if it cannot leave now. Null if that is not known. */
  readonly earliestExit: number | null | undefined;
}

export function MeterView(props: MeterProps) {
  const { meter, now, earliestExit } = props;
  const t = text.value;
  if (earliestExit === null) return <NoExit {...props} />;
  const isClosed = earliestExit !== undefined;
  const exit = earliestExit ?? now;
  const isBeyond = exit > Date.parse(meter.known_until);
  return (
    <section class="card meter" aria-labelledby="meter-title">
      <h3 id="meter-title">{isClosed ? t.earliest(when(exit, now)) : t.now}</h3>
      {/* Read aloud when the amount changes, not every second. */}
      <p class="figure meter-amount" aria-live="polite">
        {isBeyond && <span class="meter-least">{t.atLeast}</span>}
        <Amount value={amountAt(meter, exit)} currency={meter.currency} />
      </p>
      {isClosed ? <p class="meter-closed">{t.closed(when(exit, now))}</p> : <NextStep {...props} />}
      {/* A meter that was kept before it had notes has none. */}
      {meter.notes?.map((note) => <p key={note} class="small">{label("fee_note", note)}</p>)}
      <MeterCurve {...props} />
    </section>
  );
}

/** Nobody knows when the car can leave: then there is no amount that can be paid. */
function NoExit(props: MeterProps) {
  const t = text.value;
  return (
    <section class="card meter" aria-labelledby="meter-title">
      <h3 id="meter-title">{t.noExit}</h3>
      <p>{t.noExitHint}</p>
      <MeterCurve {...props} />
    </section>
  );
}

function NextStep({ meter, now, startedAt, fromEntry }: MeterProps) {
  const t = text.value;
  const next = nextIncrease(meter, now);
  if (next === undefined) return <p>{t.noIncrease(dateTime(meter.known_until))}</p>;
  const { steps } = wholeStay(meter, fromEntry, now);
  return (
    <>
      <p class="meter-next">
        <span>{t.next(money(next.amount, meter.currency), when(next.at, now))}</span>
        <span class="meter-countdown">
          {t.in} <strong>{countdown(next.at - now)}</strong>
        </span>
      </p>
      <progress class="meter-bar" value={shareOf(steps, startedAt, next.at, now)} aria-hidden="true" />
      {meter.cap_reached && <p class="small">{t.cap}</p>}
    </>
  );
}

/** `9:42`, and from an hour on `1:09:42`. */
function countdown(left: number): string {
  const seconds = Math.max(0, Math.ceil(left / 1000));
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, "0"));
  const hours = Math.floor(seconds / 3600);
  return hours > 0 ? `${hours}:${parts.join(":")}` : parts.join(":").replace(/^0/, "");
}

const HOUR_MS = 3_600_000;

/** The time of day if it is within 20 hours, otherwise with the day. */
export function when(time: number, now: number): string {
  return time - now < 20 * HOUR_MS ? timeOfDay(new Date(time)) : dateTime(new Date(time));
}

function MeterCurve({ meter, now, startedAt, fromEntry }: MeterProps) {
  const t = text.value;
  const { steps, first } = wholeStay(meter, fromEntry, now);
  // Without the past the drawing begins now.
  const from = fromEntry.length > 0 ? startedAt : now;
  const until = Math.min(Date.parse(meter.known_until), Math.max(from + 6 * HOUR_MS, now + 2 * HOUR_MS));
  if (until <= from) return null;
  return (
    <StepCurve
      label={t.curve}
      steps={steps}
      first={first}
      from={from}
      until={until}
      split={now}
      splitLabel={t.nowAt(timeOfDay(new Date(now)))}
      points={surprisePoints(meter.surprises)}
      currency={meter.currency}
      timeZone={undefined}
      height={164}
      head={[t.exit, t.amount]}
      rows={[
        [t.nowAt(""), money(amountAt(meter, now), meter.currency)],
        ...increasesOf(meter).filter(({ at }) => at >= now).map(({ at, amount }) => [
          dateTime(new Date(at)),
          money(amount, meter.currency),
        ]),
      ]}
    />
  );
}
