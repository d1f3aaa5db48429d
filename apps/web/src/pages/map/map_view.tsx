/** The map: markers for the lots of the list, and clusters or circles for all others of the visible part. */
import { useEffect, useRef, useState } from "preact/hooks";
import maplibregl, { type Map as MapLibre, type Marker } from "maplibre-gl";
import { number } from "../../format.ts";
import { texts } from "../../language.ts";
import { place, replaceQuery } from "../../router.ts";
import { settings } from "../../settings.ts";
import { ErrorNote } from "../../ui/error_note.tsx";
import type { Load } from "../../ui/load.tsx";
import { filtersOf } from "./conditions.ts";
import { addLabelImage, drawBox, drawGrid, drawRadius, mapStyle } from "./drawing.ts";
import { highlighted } from "./highlight.ts";
import type { Bounds, BoxContents, Lot } from "./lots.ts";
import { priceOf } from "./result.tsx";
import { type Search, viewOf } from "./search.ts";

const text = texts({
  en: {
    map: "Map of parking lots",
    lotsHere: (count: string) => `${count} lots in this part of the map`,
    about: (count: string) => `About ${count} lots in this part of the map`,
    clustered: "in groups: zoom in for single lots",
    unfiltered: "The map does not apply: price of the stay, open now, tags.",
    searchHere: "Search here",
    baseMap: "Base map",
    grid: "Plain grid",
    zoomIn: "Zoom in",
    zoomOut: "Zoom out",
  },
  ja: {
    map: "駐車場の地図",
    lotsHere: (count: string) => `この範囲に${count}件の駐車場`,
    about: (count: string) => `この範囲に約${count}件の駐車場`,
    clustered: "まとめて表示中。拡大すると1件ずつ表示されます",
    unfiltered: "駐車料金の上限・営業中・タグの条件は地図には反映されません。",
    searchHere: "ここで検索",
    baseMap: "背景地図",
    grid: "格子のみ",
    zoomIn: "拡大",
    zoomOut: "縮小",
  },
});

const STORED_BASE_MAP = "base_map";
/** The map asks for its contents when it has rested this long. */
const REST_MS = 300;
/** The room of a marker with its price. */
const MARKER_PX = { width: 74, height: 30 };
const MAX_LATITUDE = 85;

export interface View {
  readonly bounds: Bounds;
  readonly zoom: number;
}

export interface MapViewProps {
  readonly search: Search;
  /** The lots of the list. */
  readonly lots: readonly Lot[];
  /** What the visible part has, as far as it has been read. */
  readonly box: Load<BoxContents | undefined>;
  /** The map has come to rest. */
  readonly onView: (view: View) => void;
  /** A place for the search, by a click on the map or its centre. */
  readonly onPlace: (place: { lat: number; lng: number }) => void;
  readonly onPick: (lot: Lot) => void;
}

export function MapView({ search, lots, box, onView, onPlace, onPick }: MapViewProps) {
  const t = text.value;
  const holder = useRef<HTMLDivElement>(null);
  const map = useRef<MapLibre | undefined>(undefined);
  const [isReady, setReady] = useState(false);
  const [isAway, setAway] = useState(false);
  const [baseMapId, setBaseMapId] = useState(() => localStorage.getItem(STORED_BASE_MAP) ?? "");
  const baseMap = settings.baseMaps.find(({ id }) => id === baseMapId);
  const theme = useTheme();
  // Handlers of the map are set once and read the newest properties here.
  const current = useRef({ contents: box.data, onPlace, onPick });
  current.current = { contents: box.data, onPlace, onPick };

  useEffect(() => {
    const { lng, lat, zoom } = viewOf() ?? { lng: search.lng, lat: search.lat, zoom: settings.start.zoom };
    const made = new maplibregl.Map({
      container: holder.current!,
      center: [lng, lat],
      zoom,
      minZoom: 2,
      maxZoom: 19,
      style: mapStyle(baseMap),
      attributionControl: false,
      dragRotate: false,
      pitchWithRotate: false,
      touchPitch: false,
      // Providers of tiles want to know the page; the policy of the page keeps its path from them.
      transformRequest: (url) => ({ url, referrerPolicy: "origin" }),
      locale: {
        "Map.Title": t.map,
        "NavigationControl.ZoomIn": t.zoomIn,
        "NavigationControl.ZoomOut": t.zoomOut,
      },
    });
    map.current = made;
    made.touchZoomRotate.disableRotation();
    made.keyboard.disableRotation();
    made.addControl(new maplibregl.NavigationControl({ showCompass: false }), "top-right");
    made.addControl(new maplibregl.ScaleControl({}), "bottom-left");
    made.on("styleimagemissing", ({ id }) => addLabelImage(made, id));
    made.on("style.load", () => {
      drawGrid(made);
      setReady(true);
    });
    let rest: ReturnType<typeof setTimeout> | undefined;
    const look = () => onView({ bounds: boundsOf(made), zoom: made.getZoom() });
    made.on("moveend", () => {
      drawGrid(made);
      clearTimeout(rest);
      rest = setTimeout(() => {
        look();
        const center = made.getCenter().wrap();
        replaceQuery({
          ...Object.fromEntries(place.value.query),
          view: [center.lng.toFixed(5), center.lat.toFixed(5), made.getZoom().toFixed(2)].join(","),
        });
      }, REST_MS);
    });
    made.on("click", (event) => {
      const { contents, onPick, onPlace } = current.current;
      const [hit] = made.queryRenderedFeatures(around(event.point), { layers: ["prices", "lots"] });
      const cluster = contents?.clusters[hit?.properties["cluster"]];
      const lot = contents?.lots.find(({ id }) => id === hit?.properties["lot"]);
      if (cluster) made.fitBounds([...cluster.bbox] as [number, number, number, number], { padding: 20 });
      else if (lot) onPick(lot);
      else onPlace(event.lngLat.wrap());
    });
    for (const layer of ["lots", "prices"]) {
      made.on("mouseenter", layer, () => made.getCanvas().style.cursor = "pointer");
      made.on("mouseleave", layer, () => made.getCanvas().style.cursor = "");
    }
    look();
    return () => {
      clearTimeout(rest);
      made.remove();
      map.current = undefined;
    };
  }, []);

  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    setReady(false);
    map.current?.setStyle(mapStyle(baseMap), { diff: false });
  }, [theme, baseMapId]);

  useEffect(() => {
    const made = map.current;
    if (!made || !isReady || !box.data) return;
    const marked = new Set(lots.map(({ id }) => id));
    drawBox(made, box.data, (id) => marked.has(id), priceOf);
  }, [isReady, box.data, lots]);

  useEffect(() => {
    const made = map.current;
    if (!made || !isReady) return;
    drawRadius(made, search);
  }, [isReady, search.lat, search.lng, search.radius]);

  const shown = useRef<Marker | undefined>(undefined);
  useEffect(() => {
    const made = map.current!;
    const pin = new maplibregl.Marker({ element: element("map-pin"), anchor: "bottom" })
      .setLngLat([search.lng, search.lat]).addTo(made);
    // A new place from elsewhere, such as AI search, comes into view. The first one leaves the view of the address.
    const isNew = shown.current !== undefined;
    shown.current = pin;
    if (isNew && !made.getBounds().contains([search.lng, search.lat])) {
      made.jumpTo({ center: [search.lng, search.lat] });
    }
    return () => void pin.remove();
  }, [search.lat, search.lng]);

  useEffect(() => {
    const made = map.current!;
    const check = () => {
      const [center, here] = [made.project(made.getCenter()), made.project([search.lng, search.lat])];
      setAway(center.dist(here) > 60);
    };
    check();
    made.on("moveend", check);
    return () => void made.off("moveend", check);
  }, [search.lat, search.lng]);

  useLotMarkers(map, lots, (lot) => current.current.onPick(lot));

  const { data: contents, error } = box;
  const hasFilters = Object.keys(filtersOf(search.values)).length > 0;
  return (
    <section class="map-view" aria-label={t.map}>
      <div class="map-canvas" ref={holder} />
      {isAway && (
        <button
          type="button"
          class="map-here primary"
          onClick={() => onPlace(map.current!.getCenter().wrap())}
        >
          {t.searchHere}
        </button>
      )}
      <div class="map-foot">
        <p class="small" role="status">
          {contents && (contents.isExact ? t.lotsHere : t.about)(number(contents.total))}
          {contents && contents.clusters.length > 0 && ` (${t.clustered})`}
        </p>
        <label class="small">
          {t.baseMap}{" "}
          <select
            value={baseMapId}
            onChange={({ currentTarget: { value } }) => {
              localStorage.setItem(STORED_BASE_MAP, value);
              setBaseMapId(value);
            }}
          >
            <option value="">{t.grid}</option>
            {settings.baseMaps.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
          </select>
        </label>
        {hasFilters && <p class="small">{t.unfiltered}</p>}
        {baseMap && <p class="small">{baseMap.attribution}</p>}
      </div>
      {error !== undefined && <ErrorNote error={error} onRetry={box.reload} />}
    </section>
  );
}

function around({ x, y }: { x: number; y: number }): [[number, number], [number, number]] {
  return [[x - 4, y - 4], [x + 4, y + 4]];
}

function element(name: string): HTMLElement {
  const made = document.createElement("div");
  made.className = name;
  return made;
}

/** The visible box in the bounds of the contract. */
function boundsOf(map: MapLibre): Bounds {
  const bounds = map.getBounds();
  const wrap = (lng: number) => Math.round((((lng + 180) % 360 + 360) % 360 - 180) * 1e5) / 1e5;
  const clamp = (lat: number) => Math.round(Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, lat)) * 1e5) / 1e5;
  const isWhole = bounds.getEast() - bounds.getWest() >= 360;
  return [
    isWhole ? -180 : wrap(bounds.getWest()),
    clamp(bounds.getSouth()),
    isWhole ? 180 : wrap(bounds.getEast()),
    clamp(bounds.getNorth()),
  ];
}

/** Markers for the lots of the list. Where they would overlap, the lot further down the list is a dot. */
function useLotMarkers(map: { current: MapLibre | undefined }, lots: readonly Lot[], onPick: (lot: Lot) => void) {
  useEffect(() => {
    const made = map.current!;
    const markers: { lot: Lot; marker: Marker; button: HTMLElement }[] = lots.map((lot) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "map-lot";
      button.dataset["lot"] = lot.id;
      button.tabIndex = -1;
      button.textContent = priceOf(lot);
      button.title = lot.name;
      button.addEventListener("click", (event) => {
        event.stopPropagation();
        onPick(lot);
      });
      button.addEventListener("mouseenter", () => highlighted.value = lot.id);
      button.addEventListener("mouseleave", () => highlighted.value = undefined);
      const marker = new maplibregl.Marker({ element: button, anchor: "bottom" }).setLngLat([lot.lng, lot.lat]);
      marker.addTo(made);
      // MapLibre names every marker the same.
      button.setAttribute("aria-label", `${lot.name} ${priceOf(lot)}`);
      return { lot, marker, button };
    });
    const separate = () => {
      const taken: { x: number; y: number }[] = [];
      markers.forEach(({ lot, button }, index) => {
        const at = made.project([lot.lng, lot.lat]);
        const overlaps = taken.some(({ x, y }) =>
          Math.abs(at.x - x) < MARKER_PX.width && Math.abs(at.y - y) < MARKER_PX.height
        );
        if (!overlaps) taken.push(at);
        button.classList.toggle("map-dot", overlaps);
        button.style.zIndex = String(overlaps ? 1 : markers.length - index + 1);
      });
    };
    separate();
    made.on("moveend", separate);
    const stop = highlighted.subscribe((id) => {
      for (const { lot, button } of markers) button.classList.toggle("map-lit", lot.id === id);
    });
    return () => {
      made.off("moveend", separate);
      stop();
      for (const { marker } of markers) marker.remove();
    };
  }, [lots]);
}

/** Changes when the colours of the page change. */
function useTheme(): boolean {
  const query = matchMedia("(prefers-color-scheme: dark)");
  const [isDark, setDark] = useState(query.matches);
  useEffect(() => {
    const update = () => setDark(query.matches);
    query.addEventListener("change", update);
    return () => query.removeEventListener("change", update);
  }, []);
  return isDark;
}
