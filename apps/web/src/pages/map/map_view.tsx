/** The map: pins for the lots of the list and of the visible part, and its sources. It fills its container. */
import { useEffect, useState } from "preact/hooks";
import libraryStyle from "maplibre-gl/dist/maplibre-gl.css" with { type: "text" };
import { number } from "../../format.ts";
import { type BaseMap, settings } from "../../settings.ts";
import { pageTexts } from "../../texts/pages.ts";
import { ErrorNote } from "../../ui/error_note.tsx";
import type { Load } from "../../ui/load.tsx";
import { addLibraryStyle } from "../../ui/style.ts";
import { filtersOf } from "../../conditions.ts";
import { drawSearch } from "./drawing.ts";
import type { BoxContents, Lot } from "./lots.ts";
import type { Search } from "./search.ts";
import { type MapHandlers, type Padding, type UsedMap, useMap } from "./use_map.ts";
import { usePins } from "./use_pins.ts";

addLibraryStyle(libraryStyle);

const text = pageTexts(({ map }) => map.mapView);

const STORED_BASE_MAP = "base_map";
/** The map is away from the search when its centre is further than this. */
const AWAY_PX = 60;
const NO_PADDING: Padding = { top: 0, right: 0, bottom: 0, left: 0 };

export interface MapViewProps extends MapHandlers {
  readonly search: Search;
  /** The lots of the list. */
  readonly lots: readonly Lot[];
  /** What the visible part has, as far as it has been read. */
  readonly box: Load<BoxContents | undefined>;
  /** The id of the lot that is chosen in the list or on the map. */
  readonly chosen?: string | undefined;
  /** What covers the edges of the map, such as a sheet: the place of the search and the prices stay in the free part. */
  readonly padding?: Padding;
}

export function MapView({ search, lots, box, chosen, padding = NO_PADDING, ...handlers }: MapViewProps) {
  const t = text.value;
  const [baseMap, setBaseMap] = useBaseMap();
  const used = useMap({ start: search, baseMap, names: t, padding, lots, contents: box.data, ...handlers });
  const { holder, map } = used;
  useSearchPlace(used, search);
  usePins({ used, lots, contents: box.data, chosen, padding, texts: t });
  const isAway = useIsAway(map, search);
  return (
    <section
      class="map-view"
      aria-label={t.map}
      style={{ "--map-top": `${padding.top}px`, "--map-bottom": `${padding.bottom}px` }}
    >
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

/** Draws the place of the search. A new place from elsewhere, such as a suggestion, comes into view. */
function useSearchPlace({ map, isReady }: UsedMap, { lat, lng }: Search): void {
  const [first] = useState({ lat, lng });
  useEffect(() => {
    if (map.current && isReady) drawSearch(map.current, { lat, lng });
  }, [isReady, lat, lng]);
  useEffect(() => {
    // The first one leaves the view of the address.
    if (lat === first.lat && lng === first.lng) return;
    if (!map.current!.getBounds().contains([lng, lat])) map.current!.jumpTo({ center: [lng, lat] });
  }, [lat, lng]);
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

/** How many lots the map shows, its sources, and the choice of the base map. */
function MapFoot({ contents, search, baseMap, onBaseMap }: MapFootProps) {
  const t = text.value;
  const hasFilters = Object.keys(filtersOf(search.values)).length > 0;
  return (
    <div class="map-foot">
      <p class="visually-hidden" role="status">
        {contents && (contents.isExact ? t.lotsHere : t.about)(number(contents.total))}
        {contents && contents.clusters.length > 0 && ` (${t.clustered})`}
      </p>
      {hasFilters && <p>{t.unfiltered}</p>}
      <details class="map-credit">
        <summary>{creditOf(baseMap, t.credit)}</summary>
        <div class="map-sources">
          {!baseMap && <p>{t.sources}</p>}
          {settings.baseMaps.length > 0 && (
            <label>
              {t.baseMap}{" "}
              <select value={baseMap?.id ?? ""} onChange={(event) => onBaseMap(event.currentTarget.value)}>
                <option value="">{t.ownMap}</option>
                {settings.baseMaps.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
              </select>
            </label>
          )}
        </div>
      </details>
    </div>
  );
}

/** The sources, in a line on the map. */
function creditOf(baseMap: BaseMap | undefined, own: string): string {
  return baseMap ? baseMap.attribution : [settings.streets?.attribution, own].filter(Boolean).join(" · ");
}
