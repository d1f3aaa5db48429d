/** The search for a lot: one line, the conditions as chips, the list, and the map behind them. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { canDrawMaps, NoMap } from "../../base_map/no_map.tsx";
import { language } from "../../language.ts";
import { navigate } from "../../router.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Icon } from "../../ui/icon.tsx";
import { lazy } from "../../ui/lazy.tsx";
import { type Load, useLoad } from "../../ui/load.tsx";
import { BottomSheet } from "./bottom_sheet.tsx";
import { Chips } from "./chips.tsx";
import { queryOf } from "../../conditions.ts";
import { highlighted } from "./highlight.ts";
import { readList } from "./first_list.ts";
import { keep, kept, keyOf } from "./kept.ts";
import { type BoxContents, type Lot, readBox } from "./lots.ts";
import { useDefaultPreset } from "./own.tsx";
import { lotAddress, SearchResult } from "./result.tsx";
import { Results } from "./results.tsx";
import { radiusFor, type Search } from "./search.ts";
import { type ChosenPlace, SearchLine } from "./search_line.tsx";
import { SentenceNote } from "./sentence_note.tsx";
import type { Sentence } from "./sentence_values.ts";
import type { View } from "./use_map.ts";
import { useMedia } from "../../ui/use_media.ts";
import { useSearch } from "./use_search.ts";
import { followZone } from "./zone.ts";

const text = pageTexts(({ map }) => map.mapPage);

/** MapLibre is the largest part of the application: the list does not wait for it. */
const MapView = lazy(() => import("./map_view.tsx"), ({ MapView }) => MapView, MapPlace);

const NONE: readonly Lot[] = [];
/** What the line, the chips and the edge of the sheet cover of the map, as in find.css. */
const PHONE_PADDING = { top: 116, right: 0, bottom: 10, left: 0 };
const WIDE_PADDING = { top: 0, right: 0, bottom: 0, left: 0 };

export function MapPage() {
  const t = text.value;
  const { search, change, begin } = useSearch();
  useDefaultPreset(begin);
  const { list, sheet } = useKeptList(search);
  const [view, setView] = useState<View>();
  const box = useBox(search, view);
  const [picked, setPicked] = useState<Lot>();
  const [sentence, setSentence] = useState<Sentence>();
  const lots = list.data?.lots ?? NONE;
  const operators = useMemo(
    () =>
      [...new Set([...lots, ...box.data?.lots ?? []].flatMap(({ operator_code: code }) => code ? [code] : []))].sort(),
    [lots, box.data],
  );
  const isWide = useMedia("(min-width: 60rem)");
  const isAsking = sentence !== undefined && !sentence.hasPlace;
  const choosePlace = ({ name, lat, lng, radius_m }: ChosenPlace) => {
    const fields = {
      lat: lat.toFixed(5),
      lng: lng.toFixed(5),
      place: name,
      ...(radius_m === undefined ? {} : { radius: String(radiusFor(radius_m)) }),
    };
    // A sentence without a place has waited for it.
    if (isAsking) begin({ ...sentence.values, ...fields });
    else change(fields);
    setSentence(undefined);
    setPicked(undefined);
  };
  const understand = (sentence: Sentence) => {
    setSentence(sentence);
    setPicked(undefined);
    if (sentence.hasPlace) begin(sentence.values);
    // What is not clear must be seen.
    if (sentence.unresolved.length > 0) sheet.onLevel("half");
  };
  return (
    <div class="find">
      <h1 class="visually-hidden">{t.title}</h1>
      <div class="find-top">
        <SearchLine
          name={search.values["place"] ?? ""}
          near={view ? centerOf(view) : search}
          onPlace={choosePlace}
          onLot={(id) => navigate(lotAddress(id, search).slice(1))}
          onSentence={understand}
        />
        <Chips search={search} change={change} operators={operators} onWalkValue={list.reload} />
      </div>
      <BottomSheet label={t.results} {...sheet}>
        {sentence && <SentenceNote sentence={sentence} onPlace={choosePlace} onClose={() => setSentence(undefined)} />}
        {picked && (
          <section class="map-picked" aria-label={t.chosen}>
            <SearchResult lot={lots.find(({ id }) => id === picked.id) ?? picked} search={search} />
            <button type="button" class="icon-button" aria-label={t.close} onClick={() => setPicked(undefined)}>
              <Icon name="close" />
            </button>
          </section>
        )}
        {!isAsking && <Results list={list} search={search} change={change} />}
      </BottomSheet>
      <div class="find-map">
        {!canDrawMaps()
          ? <NoMap instead={t.instead} />
          : list.data === undefined && list.error === undefined
          ? <MapPlace />
          : (
            <MapView
              key={language.value}
              search={search}
              lots={lots}
              box={box}
              chosen={picked?.id}
              padding={isWide ? WIDE_PADDING : PHONE_PADDING}
              onView={setView}
              onPick={(lot) => {
                setPicked(lot);
                highlighted.value = lot.id;
                sheet.scroller.current?.scrollTo(0, 0);
              }}
              onPlace={({ lat, lng }) => choosePlace({ lat, lng, name: "" })}
            />
          )}
      </div>
    </div>
  );
}

/** The place of the map, until it is there. */
function MapPlace() {
  return <div class="map-view" />;
}

function centerOf({ bounds: [west, south, east, north] }: View): { lat: number; lng: number } {
  return { lat: (south + north) / 2, lng: west <= east ? (west + east) / 2 : west };
}

/** What the visible part of the map has. */
function useBox(search: Search, view: View | undefined): Load<BoxContents | undefined> {
  const before = useRef<BoxContents | undefined>(undefined);
  return useLoad(
    async (signal) => {
      if (!view) return;
      const contents = await readBox(view.bounds, view.zoom, search, before.current, signal);
      const lots = [...contents.lots, ...contents.clusters.map(({ representative }) => representative)];
      await followZone("view", centerOf(view), lots, search, signal);
      return before.current = contents;
    },
    [view, boxKey(search)],
  );
}

/** The lots of a box depend on these fields only: the map does not read again when the order of the list changes. */
function boxKey({ lat, lng, stay, values }: Search): string {
  return JSON.stringify([lat, lng, stay, queryOf(values)]);
}

/** The list, and the height at which it was left: who comes back sees what was there. The frame knows how far it was scrolled. */
function useKeptList(search: Search) {
  const load = useLoad(async (signal) => {
    const list = await readList(search, signal);
    await followZone("list", search, list.lots, search, signal);
    return list;
  }, [search]);
  const [from] = useState(() => kept(search));
  const isFrom = from?.key === keyOf(search);
  const list = load.data === undefined && isFrom ? { ...load, data: from.list } : load;
  const [level, onLevel] = useState(from?.level ?? (canDrawMaps() ? "low" : "half"));
  const scroller = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (list.data) keep(search, { list: list.data, level });
  }, [search, list.data, level]);
  return { list, sheet: { level, onLevel, scroller } };
}
