/** Whether the lot is open, for the stay and now, with its next change, and what others think of it. */
import { dateTime, number, timeOfDay } from "../../format.ts";
import { pageTexts } from "../../texts/pages.ts";
import type { Lot, LotProps } from "./lot.ts";

const text = pageTexts(({ lot }) => lot.stateLine);

export function StateLine({ lot, stay }: LotProps) {
  const t = text.value;
  const state = stateOf(lot);
  const isLater = Date.parse(stay.entryAt) > Date.now() + SOON_MS;
  return (
    <p class="lot-state">
      {isLater && isOpenFor(lot) && <span class="good">{t.openForStay}</span>}
      {state && (isLater
        ? <span>{t.now(state.words)}</span>
        : <span class={state.isGood ? "good" : "wrong"}>{state.words}</span>)}
      {lot.review_count > 0 && (
        <span>
          <span aria-hidden="true">★ {number(lot.avg_rating, 1)} ({number(lot.review_count)})</span>
          <span class="visually-hidden">{t.stars(number(lot.avg_rating, 1), lot.review_count)}</span>
        </span>
      )}
      {lot.availability && <span class={`lot-${lot.availability.state}`}>{t.occupancy[lot.availability.state]}</span>}
    </p>
  );
}

/** Whether cars can enter now, and otherwise whether they can at least leave. Undefined if it is unknown. */
function stateOf({ derived, next_change_at, time_zone }: Lot): { words: string; isGood: boolean } | undefined {
  const t = text.value;
  const at = (time: string | null) => time === null ? undefined : near(time, time_zone);
  if (derived.can_enter_now === true) {
    const until = at(next_change_at.can_enter_now);
    return { words: until === undefined ? t.alwaysOpen : t.openUntil(until), isGood: true };
  }
  if (derived.can_enter_now === false) {
    const from = at(next_change_at.can_enter_now);
    const words = from === undefined ? t.closed : t.closedUntil(from);
    return { words: derived.can_exit_now === true ? `${words} ${t.exitOpen}` : words, isGood: false };
  }
  if (derived.is_open_now === null) return undefined;
  return { words: derived.is_open_now ? t.open : t.closed, isGood: derived.is_open_now };
}

/** Whether cars can enter and leave at the times of the stay. */
function isOpenFor({ planned_stay }: Lot): boolean {
  return planned_stay?.can_enter_at === true && planned_stay.can_exit_at === true;
}

/** For a stay that begins later than this, the state of the lot now is of less importance than its own. */
const SOON_MS = 30 * 60_000;
const DAY_MS = 86_400_000;

/** The time of day if it is within a day, otherwise with the day. */
function near(time: string, timeZone: string): string {
  return Date.parse(time) - Date.now() < DAY_MS ? timeOfDay(time, timeZone) : dateTime(time, timeZone);
}
