/// <reference lib="dom" />
/** The map itself: it is made once, reports what it shows and what is clicked, and changes its style with the colours. */
import { useEffect, useRef, useState } from "preact/hooks";
import maplibregl, { type Map as MapLibre, type PointLike } from "maplibre-gl";
import type { MapLook } from "../../base_map/base_style.ts";
import { useStreets } from "../../base_map/use_streets.ts";
import { language } from "../../language.ts";
import { place, replaceQuery } from "../../router.ts";
import { type BaseMap, settings } from "../../settings.ts";
import { useMedia } from "../../ui/use_media.ts";
import { edgesOf, PIN_LAYERS, setMapStyle } from "./drawing.ts";
import { type Bounds, boundsOf, boxAround } from "./geometry.ts";
import { highlighted } from "./highlight.ts";
import type { BoxContents, Lot } from "./lots.ts";
import { addImage } from "./map_images.ts";
import { type MapPosition, viewOf, viewText } from "./search.ts";

/** The map asks for its contents when it has rested this long. */
const REST_MS = 300;
const MAX_ZOOM = 19;
/** A finger hits what is so near, in pixels. */
const REACH_PX = 8;
/** The room of the pin of a chosen lot, with a reason in it. */
const CHOSEN_PX = { width: 240, height: 56 };

export interface View {
  readonly bounds: Bounds;
  readonly zoom: number;
}

/** What covers the edges of the map, in pixels: a sheet, a search field. */
export interface Padding {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
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
  readonly padding: Padding;
  /** What is drawn, to find what was clicked. */
  readonly lots: readonly Lot[];
  readonly contents: BoxContents | undefined;
}

/** The newest value, for handlers that are set once. */
interface Newest<Value> {
  readonly current: Value;
}

export interface UsedMap {
  /** The element of the map. It has the map as `map`, for tests. */
  readonly holder: { current: MapHolder | null };
  /** There is a map after the first effect. */
  readonly map: { current: MapLibre | undefined };
  /** Whether the style is there, so that shapes can be drawn. */
  readonly isReady: boolean;
  /** The lots of the groups that are drawn. */
  readonly groups: { current: readonly (readonly Lot[])[] };
}

export type MapHolder = HTMLDivElement & { map?: MapLibre };

export function useMap(options: MapOptions): UsedMap {
  const holder = useRef<MapHolder>(null);
  const map = useRef<MapLibre | undefined>(undefined);
  const groups = useRef<readonly (readonly Lot[])[]>([]);
  const [isReady, setReady] = useState(false);
  const newest = useRef(options);
  newest.current = options;
  const streets = useStreets();

  useEffect(() => {
    const { start, names, padding } = newest.current;
    const made = createMap(
      holder.current!,
      viewOf(place.value.query.get("view")) ?? { ...start, zoom: settings.start.zoom },
      names,
      padding,
    );
    map.current = holder.current!.map = made;
    made.on("style.load", () => setReady(true));
    const stop = watchView(made, newest);
    watchPointer(made, newest, groups);
    return () => {
      stop();
      made.remove();
      map.current = undefined;
    };
  }, []);

  const { baseMap, padding: { top, right, bottom, left } } = options;
  const isDark = useMedia("(prefers-color-scheme: dark)");
  useEffect(() => {
    if (streets === "reading") return;
    setReady(false);
    const look: MapLook = { baseMap, language: language.value, settings, streets };
    setMapStyle(map.current!, look);
  }, [isDark, baseMap?.id, streets]);

  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) map.current!.easeTo({ padding: { top, right, bottom, left }, duration: 160 });
    isFirst.current = false;
  }, [top, right, bottom, left]);
  return { holder, map, isReady, groups };
}

function createMap(
  container: HTMLElement,
  { lng, lat, zoom }: MapPosition,
  names: MapNames,
  padding: Padding,
): MapLibre {
  const made = new maplibregl.Map({
    container,
    center: [lng, lat],
    zoom,
    minZoom: 2,
    maxZoom: MAX_ZOOM,
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    touchPitch: false,
    fadeDuration: 160,
    // Providers of tiles want to know the page; the policy of the page keeps its path from them.
    transformRequest: (url) => ({ url, referrerPolicy: "origin" }),
    locale: {
      "Map.Title": names.map,
      "NavigationControl.ZoomIn": names.zoomIn,
      "NavigationControl.ZoomOut": names.zoomOut,
    },
  });
  made.setPadding({ ...padding });
  made.touchZoomRotate.disableRotation();
  made.keyboard.disableRotation();
  made.addControl(new maplibregl.NavigationControl({ showCompass: false }), "bottom-right");
  made.on("styleimagemissing", ({ id }) => addImage(made, id));
  return made;
}

/** Reports the view now and whenever the map has come to rest; then the address has it too. */
function watchView(map: MapLibre, newest: Newest<MapHandlers>): () => void {
  let rest: ReturnType<typeof setTimeout> | undefined;
  const report = () => newest.current.onView({ bounds: boundsOf(edgesOf(map)), zoom: map.getZoom() });
  map.on("moveend", () => {
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

/** A click opens a group, picks a lot or chooses a place. A lot under the pointer is highlighted. */
function watchPointer(
  map: MapLibre,
  newest: Newest<Pick<MapOptions, "lots" | "contents" | "padding" | "onPick" | "onPlace">>,
  groups: Newest<readonly (readonly Lot[])[]>,
): void {
  const hit = (point: { x: number; y: number }, reach: number) => {
    const layers = PIN_LAYERS.filter((id) => map.getLayer(id));
    const box: [PointLike, PointLike] = [[point.x - reach, point.y - reach], [point.x + reach, point.y + reach]];
    return map.queryRenderedFeatures(box, { layers })[0]?.properties;
  };
  const lotOf = (id: unknown) => {
    const { lots, contents } = newest.current;
    return lots.find((lot) => lot.id === id) ?? contents?.lots.find((lot) => lot.id === id);
  };
  map.on("click", ({ point, lngLat }) => {
    const { contents, padding, onPick, onPlace } = newest.current;
    const found = hit(point, 0) ?? hit(point, REACH_PX);
    const cluster = contents?.clusters[found?.["cluster"]];
    const group = groups.current[found?.["group"]];
    const lot = lotOf(found?.["lot"]) ?? (map.getZoom() < MAX_ZOOM - 1 ? undefined : group?.[0]);
    if (cluster) openBox(map, cluster.bbox as unknown as Bounds);
    else if (lot) {
      onPick(lot);
      bringIntoView(map, lot, padding);
    } else if (group) openBox(map, boxAround(group));
    else onPlace(lngLat.wrap());
  });
  let lit: string | undefined;
  const light = (id: string | undefined) => {
    if (id === lit) return;
    if (id !== undefined || highlighted.peek() === lit) highlighted.value = id;
    lit = id;
  };
  map.on("mousemove", ({ point }) => {
    if (map.isMoving()) return;
    const found = hit(point, 0);
    map.getCanvas().style.cursor = found ? "pointer" : "";
    light(found?.["lot"]);
  });
  map.on("mouseout", () => light(undefined));
}

/** Moves the map as far as the pin of a chosen lot needs. */
function bringIntoView(map: MapLibre, { lng, lat }: Lot, { top, right, bottom, left }: Padding): void {
  const { x, y } = map.project([lng, lat]);
  const { clientWidth, clientHeight } = map.getContainer();
  const beyond = (at: number, from: number, to: number) => Math.min(0, at - from) + Math.max(0, at - to);
  const move = {
    x: beyond(x, left + CHOSEN_PX.width / 2, clientWidth - right - CHOSEN_PX.width / 2),
    y: beyond(y, top + CHOSEN_PX.height, clientHeight - bottom),
  };
  if (move.x !== 0 || move.y !== 0) map.panBy([move.x, move.y], { duration: 160 });
}

/** Shows the lots of a group one by one. */
function openBox(map: MapLibre, box: Bounds): void {
  map.fitBounds([...box], { padding: 60, maxZoom: Math.min(MAX_ZOOM, map.getZoom() + 3) });
}
