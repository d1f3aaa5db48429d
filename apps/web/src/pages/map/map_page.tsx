/** The search for a lot: conditions, map and ranked list. */
import type { ComponentChildren } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { distance, number } from "../../format.ts";
import { language } from "../../language.ts";
import { pageTexts } from "../../texts/pages.ts";
import { type Load, Loaded, useLoad } from "../../ui/load.tsx";
import { AiSearch } from "./ai_search.tsx";
import { queryOf } from "./conditions.ts";
import { highlighted } from "./highlight.ts";
import { type BoxContents, listLots, type Lot, type LotList, readBox } from "./lots.ts";
import { MapView } from "./map_view.tsx";
import { SearchPanel } from "./panel.tsx";
import { SearchResult } from "./result.tsx";
import type { Search } from "./search.ts";
import type { View } from "./use_map.ts";
import { useSearch } from "./use_search.ts";

const text = pageTexts(({ map }) => map.mapPage);

const NONE: readonly Lot[] = [];

export function MapPage() {
  const t = text.value;
  const { search, change } = useSearch();
  const list = useLoad((signal) => listLots(search, signal), [search]);
  const [view, setView] = useState<View>();
  const before = useRef<BoxContents | undefined>(undefined);
  const box = useLoad(
    async (signal) => {
      if (view) return before.current = await readBox(view.bounds, view.zoom, search, before.current, signal);
    },
    [view, boxKey(search)],
  );
  const [picked, setPicked] = useState<Lot>();
  // Lots that were saved or removed since they were read.
  const [saved, setSaved] = useState<ReadonlyMap<string, boolean>>(new Map());
  const lots = list.data?.lots ?? NONE;
  const operators = useMemo(
    () => [...new Set(box.data?.lots.flatMap(({ operator_code: code }) => code ? [code] : []))].sort(),
    [box.data],
  );
  const result = (lot: Lot) => (
    <SearchResult
      lot={lot}
      stay={search.stay}
      compared={list.data?.compared ?? 0}
      isSaved={saved.get(lot.id) ?? lot.is_saved ?? false}
      onSaved={(isSaved) => setSaved(new Map(saved).set(lot.id, isSaved))}
    />
  );
  return (
    <div class="map-page">
      <div class="map-search">
        <h1>{t.title}</h1>
        <AiSearch search={search} change={change} />
        <SearchPanel search={search} change={change} operators={operators} onWalkValue={list.reload} />
      </div>
      <div class="map-side">
        <MapView
          key={language.value}
          search={search}
          lots={lots}
          box={box}
          onView={setView}
          onPick={(lot) => {
            setPicked(lot);
            highlighted.value = lot.id;
          }}
          onPlace={({ lat, lng }) => change({ lat: lat.toFixed(5), lng: lng.toFixed(5), place: "" })}
        />
        {picked && (
          <section class="map-picked" aria-label={t.chosen}>
            <button type="button" class="quiet" aria-label={t.close} onClick={() => setPicked(undefined)}>×</button>
            {result(lots.find(({ id }) => id === picked.id) ?? picked)}
          </section>
        )}
      </div>
      <SearchResults list={list} search={search} result={result} />
    </div>
  );
}

/** What the contents of a box depend on, apart from the box. */
function boxKey({ lat, lng, stay, values }: Search): string {
  return JSON.stringify([lat, lng, stay, queryOf(values)]);
}

interface ResultsProps {
  readonly list: Load<LotList>;
  readonly search: Search;
  readonly result: (lot: Lot) => ComponentChildren;
}

function SearchResults({ list, search, result }: ResultsProps) {
  const t = text.value;
  return (
    <section class="map-results" aria-labelledby="map-results">
      <h2 id="map-results">{t.results}</h2>
      <Loaded load={list}>
        {({ lots, isTruncated }) => (
          <>
            <p class="small" role="status">
              {t.found(number(lots.length), distance(search.radius), search.values["place"] ?? "")}
            </p>
            {isTruncated && <p class="notice">{t.truncated}</p>}
            {lots.length === 0 && <p class="notice">{t.empty}</p>}
            <ol class="list">{lots.map((lot) => <li key={lot.id}>{result(lot)}</li>)}</ol>
          </>
        )}
      </Loaded>
    </section>
  );
}
