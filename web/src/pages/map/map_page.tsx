/** The search for a lot: conditions, map and ranked list. */
import { useState } from "preact/hooks";
import { distance } from "../../format.ts";
import { texts } from "../../language.ts";
import { Loaded, useLoad } from "../../ui/load.tsx";
import { AiSearch } from "./ai_search.tsx";
import { highlighted } from "./highlight.ts";
import { listLots, type Lot } from "./lots.ts";
import { MapView } from "./map_view.tsx";
import { Panel } from "./panel.tsx";
import { Result } from "./result.tsx";
import { useSearch } from "./search.ts";

const text = texts({
  en: {
    title: "Find a parking lot",
    results: "Results",
    found: (count: number, radius: string) => `${count} lots within ${radius}`,
    truncated: "Only the nearest lots were compared: more may match. Choose a smaller radius or more conditions.",
    empty: "No lot matches. Choose a larger radius, fewer conditions, or another place on the map.",
    chosen: "Chosen on the map",
    close: "Close",
  },
  ja: {
    title: "駐車場を探す",
    results: "検索結果",
    found: (count: number, radius: string) => `${radius}以内に${count}件`,
    truncated: "近い駐車場だけを比較しました。ほかにも該当する場合があります。範囲を狭めるか条件を増やしてください。",
    empty: "該当する駐車場がありません。範囲を広げるか、条件を減らすか、地図で別の場所を選んでください。",
    chosen: "地図で選んだ駐車場",
    close: "閉じる",
  },
});

const NO_LOTS: readonly Lot[] = [];

export function MapPage() {
  const t = text.value;
  const { search, change } = useSearch();
  const list = useLoad((signal) => listLots(search, signal), [search]);
  const [picked, setPicked] = useState<Lot>();
  const lots = list.data?.lots ?? NO_LOTS;
  const pick = (lot: Lot) => {
    setPicked(lot);
    highlighted.value = lot.id;
  };
  return (
    <div class="map-page">
      <div class="map-search">
        <h1>{t.title}</h1>
        <AiSearch search={search} change={change} />
        <Panel search={search} change={change} operators={[]} />
      </div>
      <div class="map-side">
        <MapView
          search={search}
          lots={lots}
          onPick={pick}
          onPlace={({ lat, lng }) => change({ lat: lat.toFixed(5), lng: lng.toFixed(5), place: "" })}
        />
        {picked && (
          <section class="map-picked" aria-label={t.chosen}>
            <button type="button" class="quiet" aria-label={t.close} onClick={() => setPicked(undefined)}>✕</button>
            <Result key={picked.id} lot={picked} stay={search.stay} compared={list.data?.compared ?? 0} />
          </section>
        )}
      </div>
      <section class="map-results" aria-labelledby="map-results">
        <h2 id="map-results">{t.results}</h2>
        <Loaded load={list}>
          {({ lots, compared, isTruncated }) => (
            <>
              <p class="small" role="status">{t.found(lots.length, distance(search.radius))}</p>
              {isTruncated && <p class="notice">{t.truncated}</p>}
              {lots.length === 0 && <p class="notice">{t.empty}</p>}
              <ol class="list">
                {lots.map((lot) => (
                  <li key={lot.id}>
                    <Result lot={lot} stay={search.stay} compared={compared} />
                  </li>
                ))}
              </ol>
            </>
          )}
        </Loaded>
      </section>
    </div>
  );
}
