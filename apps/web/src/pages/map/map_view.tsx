/** The map: markers for the lots of the list, and clusters or circles for all others of the visible part. */
import { useEffect, useState } from "preact/hooks";
import { number } from "../../format.ts";
import { type BaseMap, settings } from "../../settings.ts";
import { pageTexts } from "../../texts/pages.ts";
import { ErrorNote } from "../../ui/error_note.tsx";
import type { Load } from "../../ui/load.tsx";
import { filtersOf } from "./conditions.ts";
import { drawBox, drawRadius } from "./drawing.ts";
import type { BoxContents, Lot } from "./lots.ts";
import { priceOf } from "./result.tsx";
import type { Search } from "./search.ts";
import { type MapHandlers, type UsedMap, useMap } from "./use_map.ts";
import { useLotMarkers, usePin } from "./use_markers.ts";

const text = pageTexts(({ map }) => map.mapView);

const STORED_BASE_MAP = "base_map";
/** The map is away from the search when its centre is further than this. */
const AWAY_PX = 60;

export interface MapViewProps extends MapHandlers {
  readonly search: Search;
  /** The lots of the list. */
  readonly lots: readonly Lot[];
  /** What the visible part has, as far as it has been read. */
  readonly box: Load<BoxContents | undefined>;
}

export function MapView({ search, lots, box, ...handlers }: MapViewProps) {
  const t = text.value;
  const [baseMap, setBaseMap] = useBaseMap();
  const used = useMap({ start: search, baseMap, names: t, contents: box.data, ...handlers });
  const { holder, map } = used;
  useShapes(used, search, lots, box.data);
  usePin(map, search);
  const isAway = useIsAway(map, search);
  useLotMarkers(map, lots, handlers.onPick);
  return (
    <section class="map-view" aria-label={t.map}>
      <div class="map-canvas" ref={holder} />
      {isAway && (
        <button
          type="button"
          class="map-here primary"
          onClick={() => handlers.onPlace(map.current!.getCenter().wrap())}
        >
          {t.searchHere}
        </button>
      )}
      <MapFoot contents={box.data} search={search} baseMap={baseMap} onBaseMap={setBaseMap} />
      {box.error !== undefined && <ErrorNote error={box.error} onRetry={box.reload} />}
    </section>
  );
}

/** The base map that the viewer has chosen in this browser, if any. */
function useBaseMap(): [BaseMap | undefined, (id: string) => void] {
  const [chosen, setChosen] = useState(() => localStorage.getItem(STORED_BASE_MAP) ?? "");
  const choose = (id: string) => {
    localStorage.setItem(STORED_BASE_MAP, id);
    setChosen(id);
  };
  return [settings.baseMaps.find(({ id }) => id === chosen), choose];
}

/** Draws what the visible part has, and the area of the search, whenever they or the style change. */
function useShapes(
  { map, isReady }: UsedMap,
  search: Search,
  lots: readonly Lot[],
  contents: BoxContents | undefined,
): void {
  useEffect(() => {
    if (!map.current || !isReady || !contents) return;
    const marked = new Set(lots.map(({ id }) => id));
    drawBox(map.current, contents, (id) => marked.has(id), priceOf);
  }, [isReady, contents, lots]);
  useEffect(() => {
    if (map.current && isReady) drawRadius(map.current, search);
  }, [isReady, search.lat, search.lng, search.radius]);
}

/** Whether the centre of the map is away from the place of the search. */
function useIsAway(map: UsedMap["map"], { lng, lat }: Search): boolean {
  const [isAway, setAway] = useState(false);
  useEffect(() => {
    const made = map.current!;
    const check = () => setAway(made.project(made.getCenter()).dist(made.project([lng, lat])) > AWAY_PX);
    check();
    made.on("moveend", check);
    return () => void made.off("moveend", check);
  }, [lat, lng]);
  return isAway;
}

interface MapFootProps {
  readonly contents: BoxContents | undefined;
  readonly search: Search;
  readonly baseMap: BaseMap | undefined;
  readonly onBaseMap: (id: string) => void;
}

/** How many lots the map shows, and the choice of the base map. */
function MapFoot({ contents, search, baseMap, onBaseMap }: MapFootProps) {
  const t = text.value;
  const hasFilters = Object.keys(filtersOf(search.values)).length > 0;
  return (
    <div class="map-foot">
      <p class="small" role="status">
        {contents && (contents.isExact ? t.lotsHere : t.about)(number(contents.total))}
        {contents && contents.clusters.length > 0 && ` (${t.clustered})`}
      </p>
      <label class="small">
        {t.baseMap}{" "}
        <select value={baseMap?.id ?? ""} onChange={(event) => onBaseMap(event.currentTarget.value)}>
          <option value="">{t.grid}</option>
          {settings.baseMaps.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
        </select>
      </label>
      {hasFilters && <p class="small">{t.unfiltered}</p>}
      {baseMap && <p class="small">{baseMap.attribution}</p>}
    </div>
  );
}
