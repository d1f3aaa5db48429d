/** My stay: what it costs, until when, and the two things to do next. */
import { useState } from "preact/hooks";
import { dateTime, money, timeOfDay } from "../../format.ts";
import { replaceQuery } from "../../router.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Amount } from "../../ui/amount.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { boundsText, RefusalNote } from "../../ui/fee_lines.tsx";
import { Surprises } from "../../ui/surprises.tsx";
import { amountOf } from "../../ui/step_path.ts";
import { toLocalInput } from "../../local_time.ts";
import { adviceOf } from "../../ui/cheaper.ts";
import { curveOf, type Lot, type LotProps } from "./lot.ts";
import { NavigateButton } from "./navigate_button.tsx";
import { StartButton } from "./start_button.tsx";
import { queryOf, type Stay } from "./stay.ts";
import { StayForm } from "./stay_form.tsx";

const text = pageTexts(({ lot }) => lot.stayBlock);

export function StayBlock(props: LotProps) {
  const { lot, stay } = props;
  const t = text.value;
  const [isEdited, setIsEdited] = useState(false);
  return (
    <section class="lot-my" aria-labelledby="lot-my">
      <div class="lot-my-head">
        <h2 id="lot-my">{t.title(dayAndTime(stay.entryAt, lot.time_zone))}</h2>
        <button type="button" class="link" onClick={() => setIsEdited(true)}>{t.change}</button>
      </div>
      <div aria-live="polite">
        <StayFee lot={lot} stay={stay} />
      </div>
      <div class="lot-actions">
        <NavigateButton lot={lot} />
        <StartButton {...props} />
      </div>
      {isEdited && (
        <Dialog title={t.changeTitle} onClose={() => setIsEdited(false)}>
          <StayForm {...props} onShown={() => setIsEdited(false)} />
        </Dialog>
      )}
    </section>
  );
}

/** The time, with its day unless that is today. */
function dayAndTime(time: string, timeZone: string): string {
  const day = (of: string | Date) => toLocalInput(of, timeZone).slice(0, 10);
  return day(time) === day(new Date()) ? timeOfDay(time, timeZone) : dateTime(time, timeZone);
}

/** The time alone on the day of the entry, otherwise with its day. */
function endTime(time: string, { entryAt }: Stay, timeZone: string): string {
  const hours = (Date.parse(time) - Date.parse(entryAt)) / 3_600_000;
  return hours < 24 ? timeOfDay(time, timeZone) : dateTime(time, timeZone);
}

function StayFee({ lot, stay }: Pick<LotProps, "lot" | "stay">) {
  const t = text.value;
  const planned = lot.planned_stay;
  if (planned === null) return null;
  const end = (time: string | number) => endTime(new Date(time).toISOString(), stay, lot.time_zone);
  return (
    <>
      {planned.can_enter_at === false && <p class="lot-stop">{t.noEntry(end(planned.entry_at))}</p>}
      {planned.locked_in === true
        ? <LockedIn lot={lot} end={end} nextExit={planned.next_exit_at} exit={planned.exit_at} />
        : planned.fee
        ? (
          <>
            <p class="figure lot-fee">
              <Amount value={planned.fee.total_amount} currency={planned.fee.currency} />
            </p>
            <p class="lot-until">
              {t.until(end(planned.exit_at))} <AdviceNote lot={lot} stay={stay} end={end} />
            </p>
            <Surprises
              surprises={planned.fee.surprises}
              earlier={{
                exitAt: planned.exit_at,
                currency: planned.fee.currency,
                time: end,
                leave: (exitAt) => replaceQuery(queryOf({ ...stay, exitAt })),
              }}
            />
          </>
        )
        : (
          <>
            <p class="lot-unknown-fee">{planned.fee_refusal && boundsText(planned.fee_refusal) || t.unknown}</p>
            {planned.fee_refusal && <RefusalNote refusal={planned.fee_refusal} timeZone={lot.time_zone} />}
          </>
        )}
      {planned.holiday_calendar_unknown && <p class="lot-quiet">{t.holidaysUnknown}</p>}
    </>
  );
}

/** A car that cannot leave at the planned exit pays for the time until it can. */
function LockedIn({ lot, end, nextExit, exit }: {
  lot: Lot;
  end: (time: string) => string;
  nextExit: string | null;
  exit: string;
}) {
  const t = text.value;
  const { steps, first, known } = curveOf(lot);
  const isKnown = nextExit !== null && first !== undefined && Date.parse(nextExit) <= known;
  return (
    <>
      {isKnown && (
        <p class="figure lot-fee">
          <Amount value={amountOf(steps, first, Date.parse(nextExit))} currency={lot.currency} />
        </p>
      )}
      <p class="lot-stop">
        {nextExit === null ? t.noExit(end(exit)) : t.lockedIn(end(exit), end(nextExit))}
      </p>
    </>
  );
}

function AdviceNote({ lot, stay, end }: Pick<LotProps, "lot" | "stay"> & { end: (time: number) => string }) {
  const t = text.value;
  const advice = adviceOf(curveOf(lot).points, Date.parse(stay.entryAt), Date.parse(stay.exitAt));
  if (advice === undefined) return null;
  if (advice.kind === "stay") {
    return (
      <>
        · <strong class="good">{t.stay(end(advice.at))}</strong>
      </>
    );
  }
  // A surprise has the same button.
  const exitAt = new Date(advice.at).toISOString();
  const surprises = lot.planned_stay?.fee?.surprises ?? [];
  if (surprises.some(({ leave_by }) => leave_by !== null && Date.parse(leave_by) === advice.at)) return null;
  return (
    <button type="button" class="lot-leave" onClick={() => replaceQuery(queryOf({ ...stay, exitAt }))}>
      {t.leave(end(advice.at), money(advice.saved, lot.currency))}
    </button>
  );
}
