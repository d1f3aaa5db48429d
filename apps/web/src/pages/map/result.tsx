/** A lot of the list: price and true cost of the stay, walk, hours, fit, and why it has its rank. */
import { label } from "../../codes.ts";
import { dateTime, distance, money, number } from "../../format.ts";
import { href } from "../../router.ts";
import { client, isSignedIn } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { ActionButton } from "../../ui/load.tsx";
import { dimensionName, measure } from "./dimensions.ts";
import { highlighted } from "./highlight.ts";
import type { Lot } from "./lots.ts";
import type { Stay } from "./search.ts";

const text = pageTexts(({ map }) => map.result);

const PARTS = ["price", "distance", "rating"] as const;

/** The price of the stay, short enough for a marker. */
export function priceOf(lot: Lot): string {
  return lot.estimated_fee === null ? text.value.unknown : money(lot.estimated_fee, lot.currency);
}

/** The address of the lot's page, for the same stay. */
function lotAddress(id: string, stay: Stay): string {
  return href(`/lots/${id}`, { ...stay });
}

export interface ResultProps {
  readonly lot: Lot;
  readonly stay: Stay;
  /** How many lots were compared for the rank. */
  readonly compared: number;
  readonly isSaved: boolean;
  readonly onSaved: (isSaved: boolean) => void;
}

export function SearchResult({ lot, stay, compared, isSaved, onSaved }: ResultProps) {
  const t = text.value;
  const light = () => highlighted.value = lot.id;
  const unlight = () => {
    if (highlighted.peek() === lot.id) highlighted.value = undefined;
  };
  return (
    <article
      class={`card map-result ${highlighted.value === lot.id ? "map-lit" : ""}`}
      data-lot={lot.id}
      onMouseEnter={light}
      onMouseLeave={unlight}
      onFocusCapture={light}
      onBlurCapture={unlight}
    >
      <div class="map-result-head">
        <h3>
          <a href={lotAddress(lot.id, stay)}>{lot.name}</a>
        </h3>
        <strong class="map-price">
          {lot.estimated_fee === null ? t.unknownPrice : money(lot.estimated_fee, lot.currency)}
        </strong>
      </div>
      <p class="small">
        {lot.distance_m !== null && `${distance(lot.distance_m)} · `}
        {lot.walk_minutes !== null && t.walk(lot.walk_minutes)} ·{" "}
        {lot.review_count > 0 ? t.reviews(number(lot.avg_rating, 1), lot.review_count) : t.noReviews}
      </p>
      {lot.effective_cost !== null && (
        <p class="small">{t.trueCost(money(lot.effective_cost), money(lot.walk_yen_per_minute))}</p>
      )}
      {lot.fee_refusal && <p class="small">{label("fee_unknown_reason", lot.fee_refusal.reason)}</p>}
      <ul class="choices map-states">
        <StayState lot={lot} />
        <FitState lot={lot} />
        {lot.availability && <li class="chip">{label("occupancy_state", lot.availability.state)}</li>}
      </ul>
      <RankingScore lot={lot} compared={compared} />
      {isSignedIn.value && <ResultSaveButton lot={lot} isSaved={isSaved} onSaved={onSaved} />}
    </article>
  );
}

function StayState({ lot: { planned_stay: planned } }: { lot: Lot }) {
  const t = text.value;
  if (!planned) return null;
  if (planned.is_open_at_entry === false) return <li class="chip wrong">× {t.closed}</li>;
  if (planned.can_enter_at === false) return <li class="chip wrong">× {t.noEntry}</li>;
  if (planned.can_exit_at === false) {
    const next = planned.next_exit_at && `, ${t.nextExit(dateTime(planned.next_exit_at))}`;
    return <li class="chip wrong">× {t.noExit}{next}</li>;
  }
  const isKnown = planned.can_enter_at !== null && planned.can_exit_at !== null;
  return isKnown ? <li class="chip good">✓ {t.open}</li> : <li class="chip">{t.hoursUnknown}</li>;
}

function FitState({ lot: { fit } }: { lot: Lot }) {
  const t = text.value;
  if (!fit) return null;
  if (fit.fits) return <li class="chip good">✓ {t.fits}</li>;
  if (fit.fits === null) {
    return <li class="chip">{t.fitUnknown(fit.unknown.map(dimensionName).join(", "))}</li>;
  }
  const limits = fit.failing.map((name) => {
    const limit = fit.limits[name];
    if (limit === null || limit === undefined) return dimensionName(name);
    return `${dimensionName(name)} ${name === "clearance_cm" ? "≥" : "≤"} ${measure(name, limit)}`;
  });
  return <li class="chip wrong">× {t.fails(limits.join(", "))}</li>;
}

/** The parts of the score as bars, with their numbers. */
function RankingScore({ lot, compared }: { lot: Lot; compared: number }) {
  const t = text.value;
  const { ranking_components: parts, ranking_score: score, ranking_rank: rank } = lot;
  if (!parts || score === undefined || rank === undefined) return null;
  return (
    <div class="map-score">
      <p class="small">{t.rank(rank, compared)} · {t.score(number(score))}</p>
      <dl>
        {PARTS.map((part) => (
          <div key={part}>
            <dt>{t.parts[part]}</dt>
            <dd>
              <span class="map-bar" aria-hidden="true">
                <span style={{ width: `${parts[part]}%` }} />
              </span>
              {number(parts[part])}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function ResultSaveButton({ lot, isSaved, onSaved }: Pick<ResultProps, "lot" | "isSaved" | "onSaved">) {
  const t = text.value;
  const save = async () => {
    if (isSaved) await client.DELETE("/v1/me/saved-parking-lots/{lotId}", { params: { path: { lotId: lot.id } } });
    else await client.POST("/v1/me/saved-parking-lots", { body: { parking_lot_id: lot.id } });
    onSaved(!isSaved);
  };
  return (
    <ActionButton class="quiet" perform={save}>
      {isSaved ? `★ ${t.saved}` : `☆ ${t.save}`}
      <span class="visually-hidden">: {lot.name}</span>
    </ActionButton>
  );
}
