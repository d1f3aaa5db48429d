/// <reference lib="dom" />
/** The map itself: it is made once, reports what it shows and what is clicked, and changes its style with the colours. */
import { useEffect, useRef, useState } from "preact/hooks";
import maplibregl, { type Map as MapLibre, type PointLike } from "maplibre-gl";
import { place, replaceQuery } from "../../router.ts";
import { type BaseMap, settings } from "../../settings.ts";
import { addLabelImage, drawGrid, edgesOf, mapStyle } from "./drawing.ts";
import { type Bounds, boundsOf } from "./geometry.ts";
import type { BoxContents, Lot } from "./lots.ts";
import { type MapPosition, viewOf, viewText } from "./search.ts";

/** The map asks for its contents when it has rested this long. */
const REST_MS = 300;

export interface View {
  readonly bounds: Bounds;
  readonly zoom: number;
}

export interface MapHandlers {
  /** The map has come to rest. */
  readonly onView: (view: View) => void;
  /** A place for the search, by a click on the map or its centre. */
  readonly onPlace: (place: { lat: number; lng: number }) => void;
  readonly onPick: (lot: Lot) => void;
}

export interface MapNames {
  readonly map: string;
  readonly zoomIn: string;
  readonly zoomOut: string;
}

interface MapOptions extends MapHandlers {
  /** Where the map begins, if the address does not say it. */
  readonly start: { readonly lat: number; readonly lng: number };
  readonly baseMap: BaseMap | undefined;
  readonly names: MapNames;
  /** What is drawn, to find what was clicked. */
  readonly contents: BoxContents | undefined;
}

/** The newest value, for handlers that are set once. */
interface Newest<Value> {
  readonly current: Value;
}

export interface UsedMap {
  /** The element of the map. */
  readonly holder: { current: HTMLDivElement | null };
  /** There is a map after the first effect. */
  readonly map: { current: MapLibre | undefined };
  /** Whether the style is there, so that shapes can be drawn. */
  readonly isReady: boolean;
}

export function useMap(options: MapOptions): UsedMap {
  const holder = useRef<HTMLDivElement>(null);
  const map = useRef<MapLibre | undefined>(undefined);
  const [isReady, setReady] = useState(false);
  const newest = useRef(options);
  newest.current = options;

  useEffect(() => {
    const { start, baseMap, names } = newest.current;
    const made = createMap(
      holder.current!,
      viewOf(place.value.query.get("view")) ?? { ...start, zoom: settings.start.zoom },
      baseMap,
      names,
    );
    map.current = made;
    made.on("style.load", () => {
      drawGrid(made);
      setReady(true);
    });
    const stop = watchView(made, newest);
    watchClicks(made, newest);
    return () => {
      stop();
      made.remove();
      map.current = undefined;
    };
  }, []);

  const { baseMap } = options;
  const isDark = useDarkTheme();
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    setReady(false);
    map.current?.setStyle(mapStyle(baseMap), { diff: false });
  }, [isDark, baseMap?.id]);
  return { holder, map, isReady };
}

function createMap(
  container: HTMLElement,
  { lng, lat, zoom }: MapPosition,
  baseMap: BaseMap | undefined,
  names: MapNames,
): MapLibre {
  const made = new maplibregl.Map({
    container,
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
      "Map.Title": names.map,
      "NavigationControl.ZoomIn": names.zoomIn,
      "NavigationControl.ZoomOut": names.zoomOut,
    },
  });
  made.touchZoomRotate.disableRotation();
  made.keyboard.disableRotation();
  made.addControl(new maplibregl.NavigationControl({ showCompass: false }), "top-right");
  made.addControl(new maplibregl.ScaleControl({}), "bottom-left");
  made.on("styleimagemissing", ({ id }) => addLabelImage(made, id));
  return made;
}

/** Reports the view now and whenever the map has come to rest; then the address has it too. */
function watchView(map: MapLibre, newest: Newest<MapHandlers>): () => void {
  let rest: ReturnType<typeof setTimeout> | undefined;
  const report = () => newest.current.onView({ bounds: boundsOf(edgesOf(map)), zoom: map.getZoom() });
  map.on("moveend", () => {
    drawGrid(map);
    clearTimeout(rest);
    rest = setTimeout(() => {
      report();
      const { lng, lat } = map.getCenter().wrap();
      replaceQuery({ ...Object.fromEntries(place.value.query), view: viewText({ lng, lat, zoom: map.getZoom() }) });
    }, REST_MS);
  });
  report();
  return () => clearTimeout(rest);
}

/** A click opens a cluster, picks a lot or chooses a place. */
function watchClicks(map: MapLibre, newest: Newest<Pick<MapOptions, "contents" | "onPick" | "onPlace">>): void {
  map.on("click", (event) => {
    const { contents, onPick, onPlace } = newest.current;
    const [hit] = map.queryRenderedFeatures(around(event.point), { layers: ["prices", "lots"] });
    const cluster = contents?.clusters[hit?.properties["cluster"]];
    const lot = contents?.lots.find(({ id }) => id === hit?.properties["lot"]);
    if (cluster) map.fitBounds([...cluster.bbox] as [number, number, number, number], { padding: 20 });
    else if (lot) onPick(lot);
    else onPlace(event.lngLat.wrap());
  });
  for (const layer of ["lots", "prices"]) {
    map.on("mouseenter", layer, () => map.getCanvas().style.cursor = "pointer");
    map.on("mouseleave", layer, () => map.getCanvas().style.cursor = "");
  }
}

function around({ x, y }: { x: number; y: number }): [PointLike, PointLike] {
  return [[x - 4, y - 4], [x + 4, y + 4]];
}

/** Whether the colours of the page are the dark ones. */
function useDarkTheme(): boolean {
  const query = matchMedia("(prefers-color-scheme: dark)");
  const [isDark, setDark] = useState(query.matches);
  useEffect(() => {
    const update = () => setDark(query.matches);
    query.addEventListener("change", update);
    return () => query.removeEventListener("change", update);
  }, []);
  return isDark;
}
