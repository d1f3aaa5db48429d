/** The list: usable lots, the others folded with their reasons, and what helps where there is none. */
import { useState } from "preact/hooks";
import { label } from "../../codes.ts";
import { distance, number } from "../../format.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Icon } from "../../ui/icon.tsx";
import { type Load, Loaded } from "../../ui/load.tsx";
import { SaveSearch } from "../../ui/save_search.tsx";
import { countConditions, type Values } from "../../conditions.ts";
import { NO_CONDITIONS } from "./filters_sheet.tsx";
import type { Lot, LotList } from "./lots.ts";
import { SearchResult } from "./result.tsx";
import { RADII, savedQueryOf, type Search, SORTS } from "./search.ts";
import { byUse, reasonCounts } from "./usability.ts";
import { WhySheet } from "./why_sheet.tsx";

const text = pageTexts(({ map }) => map.results);

export interface ResultsProps {
  readonly list: Load<LotList>;
  readonly search: Search;
  readonly change: (fields: Values) => void;
}

export function Results({ list, search, change }: ResultsProps) {
  const t = text.value;
  const [isAsked, setAsked] = useState(false);
  const lots = list.data?.lots ?? [];
  const { usable, unusable } = byUse(lots);
  return (
    <section class="map-results" aria-labelledby="map-results" aria-busy={list.isLoading}>
      <div class="results-head">
        <h2 id="map-results" aria-live="polite">
          {list.data ? t.usable(number(usable.length), lots.some(isKnown)) : t.loading}
        </h2>
        <label class="results-sort">
          <span class="visually-hidden">{t.sort}</span>
          <select value={search.sort} onChange={({ currentTarget }) => change({ sort: currentTarget.value })}>
            {SORTS.map((sort) => <option key={sort} value={sort}>{t.sorts[sort]}</option>)}
          </select>
          <Icon name="down" size={16} />
        </label>
      </div>
      <Loaded load={list} instead={<Waiting />}>
        {({ isTruncated }) => (
          <>
            <LotItems lots={usable} search={search} />
            {usable.length === 0 && <NoLot search={search} change={change} hasUnusable={unusable.length > 0} />}
            {unusable.length > 0 && (
              <details class="results-fold">
                <summary>
                  <span>
                    {t.unusable(number(unusable.length))}
                    <small>{reasonsText(unusable)}</small>
                  </span>
                  <Icon name="down" />
                </summary>
                <LotItems lots={unusable} search={search} />
              </details>
            )}
            {isTruncated && <p class="small results-note">{t.truncated}</p>}
            {usable.length > 0 && (
              <button type="button" class="results-why" onClick={() => setAsked(true)}>{t.why}</button>
            )}
            <p class="results-note">
              <SaveSearch query={savedQueryOf(search)} />
            </p>
          </>
        )}
      </Loaded>
      {isAsked && <WhySheet lots={usable} sort={search.sort} onClose={() => setAsked(false)} />}
    </section>
  );
}

const isKnown = ({ usable_for_stay }: Lot): boolean => typeof usable_for_stay === "boolean";

function LotItems({ lots, search }: { lots: readonly Lot[]; search: Search }) {
  return (
    <ol class="results">
      {lots.map((lot) => (
        <li key={lot.id}>
          <SearchResult lot={lot} search={search} />
        </li>
      ))}
    </ol>
  );
}

/** `7 closed, 3 too small` */
function reasonsText(lots: readonly Lot[]): string {
  const { reasons, comma, reason } = text.value;
  const words: Readonly<Record<string, string>> = reasons;
  return reasonCounts(lots)
    .map(([code, count]) => reason(number(count), words[code] ?? label("unusable_reason", code)))
    .join(comma);
}

/** What could give results: a larger circle, fewer conditions. */
function NoLot({ search, change, hasUnusable }: Omit<ResultsProps, "list"> & { hasUnusable: boolean }) {
  const t = text.value;
  const { radius, values } = search;
  const wider = RADII.find((meters) => meters > radius);
  return (
    <div class="results-none">
      <p>{hasUnusable ? t.noneUsable(distance(radius)) : t.none(distance(radius))}</p>
      <div class="row">
        {wider !== undefined && (
          <button type="button" class="primary" onClick={() => change({ radius: String(wider) })}>
            {t.widen(distance(wider))}
          </button>
        )}
        {countConditions(values) > 0 && <button type="button" onClick={() => change(NO_CONDITIONS)}>{t.clear}</button>}
      </div>
    </div>
  );
}

/** Rows in the place of lots that are being read. */
function Waiting() {
  return (
    <ol class="results results-waiting" aria-hidden="true">
      {[1, 2, 3, 4].map((row) => <li key={row} />)}
    </ol>
  );
}
