/// <reference lib="dom" />
/** A map with one pin that is moved: by dragging, by a click on the map, and by the arrow keys. */
import { useEffect, useRef } from "preact/hooks";
import maplibregl, { type Map as MapLibre, Marker } from "maplibre-gl";
import libraryStyle from "maplibre-gl/dist/maplibre-gl.css" with { type: "text" };
import { language } from "../language.ts";
import { settings } from "../settings.ts";
import { addLibraryStyle, addStyle } from "../ui/style.ts";
import { useMedia } from "../ui/use_media.ts";
import { addBaseImage } from "./base_images.ts";
import { baseStyle } from "./base_style.ts";
import style from "./pin_map.css" with { type: "text" };
import { useStreets } from "./use_streets.ts";

addLibraryStyle(libraryStyle);
addStyle(style);

export interface Place {
  readonly lat: number;
  readonly lng: number;
}

export interface PinMapProps {
  readonly place: Place;
  /** Where the pin was at first: it is marked while the pin is elsewhere. */
  readonly before: Place;
  readonly onMove: (place: Place) => void;
  readonly names: {
    readonly map: string;
    readonly pin: string;
    readonly zoomIn: string;
    readonly zoomOut: string;
    /** How the wheel zooms, and how fingers move the map. */
    readonly withKey: string;
    readonly withFingers: string;
  };
}

/** Streets and entrances can be told apart. */
const ZOOM = 17;
const MAX_ZOOM = 20;
/** A degree of latitude. */
const DEGREE_M = 111_320;
const DIGITS = 1e6;

const rounded = ({ lat, lng }: Place): Place => ({
  lat: Math.round(lat * DIGITS) / DIGITS,
  lng: Math.round(lng * DIGITS) / DIGITS,
});

/** A place so many metres to the east and to the north. */
function beside({ lat, lng }: Place, east: number, north: number): Place {
  return rounded({ lat: lat + north / DEGREE_M, lng: lng + east / (DEGREE_M * Math.cos(lat * Math.PI / 180)) });
}

const KEYS: Readonly<Record<string, readonly [east: number, north: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

export function PinMap(props: PinMapProps) {
  const { place: { lat, lng }, before, names } = props;
  const holder = useRef<HTMLDivElement & { map?: MapLibre }>(null);
  const map = useRef<MapLibre | undefined>(undefined);
  const pin = useRef<Marker | undefined>(undefined);
  const newest = useRef(props);
  newest.current = props;
  const streets = useStreets();
  const isDark = useMedia("(prefers-color-scheme: dark)");

  useEffect(() => {
    const made = createMap(holder.current!, newest.current);
    map.current = holder.current!.map = made;
    new Marker({ element: Object.assign(document.createElement("span"), { className: "pin-before" }) })
      .setLngLat([before.lng, before.lat]).addTo(made);
    pin.current = createPin(made, newest);
    made.on("click", ({ lngLat }) => newest.current.onMove(rounded(lngLat)));
    return () => {
      made.remove();
      map.current = undefined;
    };
  }, [before.lat, before.lng]);

  useEffect(() => {
    if (streets === "reading") return;
    map.current!.setStyle(baseStyle({ baseMap: undefined, language: language.value, settings, streets }), {
      diff: false,
    });
  }, [isDark, streets, before.lat, before.lng]);

  useEffect(() => {
    pin.current!.setLngLat([lng, lat]);
    if (!map.current!.getBounds().contains([lng, lat])) map.current!.jumpTo({ center: [lng, lat] });
  }, [lat, lng]);
  return <section class="pin-map map-canvas" aria-label={names.map} ref={holder} />;
}

function createMap(container: HTMLElement, { place: { lat, lng }, names }: PinMapProps): MapLibre {
  const made = new maplibregl.Map({
    container,
    center: [lng, lat],
    zoom: ZOOM,
    maxZoom: MAX_ZOOM,
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    touchPitch: false,
    // The page is longer than the map: a wheel or a finger scrolls it.
    cooperativeGestures: true,
    transformRequest: (url) => ({ url, referrerPolicy: "origin" }),
    locale: {
      "Map.Title": names.map,
      "NavigationControl.ZoomIn": names.zoomIn,
      "NavigationControl.ZoomOut": names.zoomOut,
      "CooperativeGesturesHandler.WindowsHelpText": names.withKey,
      "CooperativeGesturesHandler.MacHelpText": names.withKey,
      "CooperativeGesturesHandler.MobileHelpText": names.withFingers,
    },
  });
  made.touchZoomRotate.disableRotation();
  made.addControl(new maplibregl.NavigationControl({ showCompass: false }), "bottom-right");
  made.on("styleimagemissing", ({ id }) => addBaseImage(made, id));
  return made;
}

function createPin(map: MapLibre, newest: { readonly current: PinMapProps }): Marker {
  const { names, place } = newest.current;
  const element = Object.assign(document.createElement("button"), { type: "button", className: "pin-mark" });
  element.setAttribute("aria-label", names.pin);
  const made = new Marker({ element, draggable: true, anchor: "bottom" }).setLngLat([place.lng, place.lat]).addTo(map);
  made.on("dragend", () => newest.current.onMove(rounded(made.getLngLat())));
  element.addEventListener("click", (event) => event.stopPropagation());
  element.addEventListener("keydown", (event) => {
    const direction = KEYS[event.key];
    if (direction === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const metres = event.shiftKey ? 10 : 1;
    newest.current.onMove(beside(newest.current.place, direction[0] * metres, direction[1] * metres));
  });
  return made;
}
