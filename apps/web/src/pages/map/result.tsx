/** A lot of the list: the price of the stay, the walk, a word for its state, and a line more only where it changes the choice. */
import { label } from "../../codes.ts";
import { dateTime, number, timeOfDay } from "../../format.ts";
import { href } from "../../router.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Amount } from "../../ui/amount.tsx";
import { boundsText } from "../../ui/fee_lines.tsx";
import { Icon } from "../../ui/icon.tsx";
import { surpriseText } from "../../ui/surprises.tsx";
import { vehicleOf } from "../../conditions.ts";
import { dimensionName, measure } from "./dimensions.ts";
import { highlighted } from "./highlight.ts";
import type { Lot } from "./lots.ts";
import type { Search } from "./search.ts";
import { zone } from "./zone.ts";

const text = pageTexts(({ map }) => map.result);

/** A vehicle that is this near to the limit fits, but its driver wants to know. */
const TIGHT_M = 0.05;

/** The address of the lot's page, for the same stay and vehicle. */
export function lotAddress(id: string, { stay, values }: Pick<Search, "stay" | "values">): string {
  const vehicle = vehicleOf(values);
  return href(`/lots/${id}`, { ...stay, vehicle: vehicle && JSON.stringify(vehicle) });
}

/** A stay that begins within this time meets the lot as it is now. */
const SOON_MS = 60 * 60_000;

export interface ResultProps {
  readonly lot: Lot;
  readonly search: Search;
}

export function SearchResult({ lot, search }: ResultProps) {
  const t = text.value;
  const light = () => highlighted.value = lot.id;
  const unlight = () => {
    if (highlighted.peek() === lot.id) highlighted.value = undefined;
  };
  const note = noteOf(lot, vehicleOf(search.values)?.height_m ?? undefined);
  return (
    <article
      class={highlighted.value === lot.id ? "result map-lit" : "result"}
      data-lot={lot.id}
      onMouseEnter={light}
      onMouseLeave={unlight}
      onFocusCapture={light}
      onBlurCapture={unlight}
    >
      <div class="result-head">
        <h3>
          <a href={lotAddress(lot.id, search)}>{lot.name}</a>
        </h3>
        {lot.estimated_fee === null
          ? <span class="result-unknown">{lot.fee_refusal && boundsText(lot.fee_refusal) || t.unknownPrice}</span>
          : (
            <strong class="map-price">
              {lot.surprises && lot.surprises.length > 0 && (
                <span class="result-surprise">
                  <Icon name="warning" size={16} />
                  <span class="visually-hidden">{t.surprise}</span>
                </span>
              )}
              <Amount value={lot.estimated_fee} currency={lot.currency} />
            </strong>
          )}
      </div>
      <p class="result-facts">
        {lot.walk_minutes !== null && <span>{t.walk(lot.walk_minutes)}</span>}
        <StateWord lot={lot} />
        {lot.review_count > 0 && (
          <span>
            <span aria-hidden="true">★ {number(lot.avg_rating, 1)} ({number(lot.review_count)})</span>
            <span class="visually-hidden">{t.rating(number(lot.avg_rating, 1), number(lot.review_count))}</span>
          </span>
        )}
        {lot.fit?.fits === null && (
          <span class="result-unknown">{t.fitUnknown(lot.fit.unknown.map(dimensionName).join(t.comma))}</span>
        )}
        {lot.planned_stay?.holiday_calendar_unknown && <span class="result-unknown">{t.holidaysUnknown}</span>}
        {lot.is_saved && (
          <span class="result-saved">
            <Icon name="save" size={16} />
            <span class="visually-hidden">{t.saved}</span>
          </span>
        )}
      </p>
      {note && <p class={`result-note ${note.isWarning ? "warn" : ""}`}>{note.text}</p>}
    </article>
  );
}

/** Whether the lot can be used for the stay, in a word with its colour. */
function StateWord({ lot }: { lot: Lot }) {
  const t = text.value;
  const { usable_for_stay, unusable_reasons = [], availability, planned_stay: planned } = lot;
  if (usable_for_stay === false) {
    return <span class="wrong">{unusable_reasons.map((reason) => label("unusable_reason", reason)).join(", ")}</span>;
  }
  if (planned?.is_open_at_entry === false || planned?.can_enter_at === false) {
    return <span class="wrong">{t.noEntry}</span>;
  }
  if (planned?.can_exit_at === false) return <span class="wrong">{t.noExit}</span>;
  // How full it is now says nothing about a later stay.
  const isSoon = planned === null || Date.parse(planned.entry_at) - Date.now() < SOON_MS;
  if (isSoon && availability && availability.state !== "available") {
    return (
      <span class={availability.state === "full" ? "wrong" : "warn"}>
        {label("occupancy_state", availability.state)}
      </span>
    );
  }
  const isKnown = planned !== null && planned.can_enter_at !== null && planned.can_exit_at !== null;
  return isKnown ? <span class="good">{t.open}</span> : <span class="result-unknown">{t.hoursUnknown}</span>;
}

/** What a driver must know before choosing: why it cannot be used, what the vehicle meets, why there is no price, what surprises. */
function noteOf(
  { planned_stay: planned, fit, fee_refusal: refusal, surprises }: Lot,
  height: number | undefined,
): { text: string; isWarning: boolean } | null {
  const t = text.value;
  if (planned?.can_exit_at === false && planned.next_exit_at) {
    const isNear = Date.parse(planned.next_exit_at) - Date.parse(planned.exit_at) < 24 * 60 * 60_000;
    return { text: t.nextExit((isNear ? timeOfDay : dateTime)(planned.next_exit_at, zone.value)), isWarning: true };
  }
  if (fit?.fits === false) {
    const limits = fit.failing.map((name) => {
      const limit = fit.limits[name];
      if (limit === null || limit === undefined) return dimensionName(name);
      return `${dimensionName(name)} ${name === "clearance_cm" ? "≥" : "≤"} ${measure(name, limit)}`;
    });
    return { text: t.fails(limits.join(", ")), isWarning: true };
  }
  const highest = fit?.limits.height_m;
  if (highest !== undefined && highest !== null && isTight(highest, height)) {
    return { text: t.tight(measure("height_m", highest)), isWarning: true };
  }
  if (refusal) return { text: label("fee_unknown_reason", refusal.reason), isWarning: false };
  const [dearest] = surprises ?? [];
  return dearest ? { text: surpriseText(dearest), isWarning: true } : null;
}

/** A vehicle that fits with no room to spare. */
export function isTight(limit: number, size: number | undefined): boolean {
  return size !== undefined && limit >= size && limit - size < TIGHT_M;
}
