/// <reference lib="dom" />
/** The map of `<parking-map>`, drawn with the MapLibre that the page gives. */
import { type Box, distance, type Lot, type LotState, type Place, placed } from "./map_lots.ts";
import type { MapTexts } from "./map_texts.ts";

/** The parts of the module `maplibre-gl` that the element uses. */
export interface MapLibreModule {
  readonly Map: new (options: object) => MapLibreMap;
  readonly Marker: new (options: object) => MapLibreMarker;
  readonly AttributionControl: new (options: object) => object;
  readonly setWorkerUrl?: (url: string) => void;
}

export interface MapLibreMap {
  on(event: string, listener: (event: { error?: unknown }) => void): unknown;
  addControl(control: object, position: string): unknown;
  getBounds(): { getNorthEast(): Place };
  getCenter(): Place;
  project(place: [lng: number, lat: number]): { readonly x: number; readonly y: number };
  zoomIn(): unknown;
  zoomOut(): unknown;
  resize(): unknown;
  remove(): void;
  readonly touchZoomRotate: { disableRotation(): void };
}

export interface MapLibreMarker {
  setLngLat(place: [lng: number, lat: number]): MapLibreMarker;
  addTo(map: MapLibreMap): MapLibreMarker;
  remove(): unknown;
}

export interface View extends Place {
  /** From the middle to a corner. */
  readonly radius: number;
}

export interface PinContent {
  readonly lot: Lot;
  readonly state: LotState;
  /** What the pin shows. */
  readonly label: string;
  /** What a screen reader says. */
  readonly name: string;
}

export interface MapCanvasOptions {
  readonly library: MapLibreModule;
  readonly container: HTMLElement;
  /** The address of a style, or the style. */
  readonly style: string | object;
  readonly center: Place;
  readonly zoom: number;
  readonly texts: MapTexts;
  readonly onMove: () => void;
  readonly onChoose: (lot: Lot) => void;
  /** The map cannot be drawn. */
  readonly onFail: () => void;
}

/** Targets of fingers. */
const TARGET_PX = 44;
/** The buttons at the right upper corner, and the line of the attribution. */
const BUTTONS = { width: 60, height: 108 };
const ATTRIBUTION_PX = 24;
const IMPORTANCE: Readonly<Record<LotState, number>> = { best: 0, usable: 1, unknown: 2, unusable: 3 };

interface Pin extends PinContent {
  readonly element: HTMLButtonElement;
  readonly marker: MapLibreMarker;
  /** Of the whole pin, not of its dot. */
  readonly width: number;
}

export class MapCanvas {
  readonly #map: MapLibreMap;
  readonly #library: MapLibreModule;
  readonly #container: HTMLElement;
  readonly #onChoose: (lot: Lot) => void;
  #pins = new Map<string, Pin>();
  #chosen: string | undefined;
  /** MapLibre leaves out the first report of its own observer: a container that had no size yet would stay so. */
  readonly #sizes: ResizeObserver = new ResizeObserver(() => this.#map.resize());

  constructor({ library, container, style, center, zoom, texts, onMove, onChoose, onFail }: MapCanvasOptions) {
    this.#library = library;
    this.#container = container;
    this.#onChoose = onChoose;
    this.#map = new library.Map({
      container,
      style,
      center: [center.lng, center.lat],
      zoom,
      attributionControl: false,
      dragRotate: false,
      pitchWithRotate: false,
      touchPitch: false,
      // The page around it scrolls.
      cooperativeGestures: true,
      locale: {
        "Map.Title": texts.map,
        "CooperativeGesturesHandler.WindowsHelpText": texts.withKey,
        "CooperativeGesturesHandler.MacHelpText": texts.withMacKey,
        "CooperativeGesturesHandler.MobileHelpText": texts.withFingers,
      },
    });
    this.#map.touchZoomRotate.disableRotation();
    this.#map.addControl(new library.AttributionControl({ compact: false }), "bottom-right");
    const here = Object.assign(document.createElement("div"), { className: "here" });
    new library.Marker({ element: here }).setLngLat([center.lng, center.lat]).addTo(this.#map);
    // MapLibre gives it the role of a button; the list has the walk from there.
    for (const name of ["role", "aria-label", "tabindex"]) here.removeAttribute(name);
    here.setAttribute("aria-hidden", "true");

    let isLoaded = false;
    this.#map.on("load", () => isLoaded = true);
    // A tile that is missing later leaves a gap.
    this.#map.on("error", () => isLoaded || onFail());
    this.#map.on("zoom", () => this.#arrange());
    this.#map.on("resize", () => this.#arrange());
    this.#map.on("moveend", () => {
      this.#arrange();
      onMove();
    });
    this.#sizes.observe(container);
  }

  get view(): View {
    const { lat, lng } = this.#map.getCenter();
    const { lat: north, lng: east } = this.#map.getBounds().getNorthEast();
    return { lat, lng, radius: distance({ lat, lng }, { lat: north, lng: east }) };
  }

  zoomIn(): void {
    this.#map.zoomIn();
  }

  zoomOut(): void {
    this.#map.zoomOut();
  }

  /** Draws these lots. A pin that was there stays, so that it keeps the focus. */
  show(contents: readonly PinContent[], chosen: string | undefined): void {
    this.#chosen = chosen;
    const before = this.#pins;
    this.#pins = new Map();
    for (const content of contents) {
      const old = before.get(content.lot.id);
      // The marker of a cross has another anchor.
      const isSame = old !== undefined && (old.state === "unusable") === (content.state === "unusable") &&
        old.lot.lat === content.lot.lat && old.lot.lng === content.lot.lng;
      if (isSame) before.delete(content.lot.id);
      this.#pins.set(content.lot.id, this.#draw(content, isSame ? old : undefined));
    }
    for (const { marker } of before.values()) marker.remove();
    this.#arrange();
  }

  /** Whether a lot is in the lower half of what is shown. */
  isLow({ lat, lng }: Place): boolean {
    return this.#map.project([lng, lat]).y > this.#container.clientHeight / 2;
  }

  remove(): void {
    this.#sizes.disconnect();
    this.#map.remove();
  }

  #draw(content: PinContent, old: Pin | undefined): Pin {
    const { lot, state, label, name } = content;
    const element = old?.element ?? document.createElement("button");
    element.type = "button";
    element.classList.remove("best", "usable", "unknown", "unusable", "dot");
    element.classList.add("pin", state);
    element.setAttribute("part", `pin pin-${state}`);
    element.setAttribute("aria-label", name);
    element.setAttribute("aria-pressed", String(lot.id === this.#chosen));
    const pill = document.createElement("span");
    pill.className = "pill";
    pill.textContent = label;
    element.replaceChildren(pill);
    element.onclick = (event) => {
      event.stopPropagation();
      this.#onChoose(lot);
    };
    const marker = old?.marker ??
      new this.#library.Marker({ element, anchor: state === "unusable" ? "center" : "bottom" })
        .setLngLat([lot.lng, lot.lat]).addTo(this.#map);
    return { ...content, element, marker, width: Math.max(TARGET_PX, element.offsetWidth) };
  }

  /** Pins that would cover a more important one, or are cut at the edge, become dots. The list has their lots. */
  #arrange(): void {
    const root = this.#container.getRootNode();
    const focused = root instanceof ShadowRoot ? root.activeElement : null;
    const rank = ({ lot, state, element }: Pin) =>
      element === focused || lot.id === this.#chosen ? -1 : IMPORTANCE[state];
    const pins = [...this.#pins.values()]
      .sort((a, b) => rank(a) - rank(b) || (a.lot.estimated_fee ?? 0) - (b.lot.estimated_fee ?? 0));
    const boxes = pins.map(({ lot, state, width }): Box => {
      const { x, y } = this.#map.project([lot.lng, lot.lat]);
      const bottom = state === "unusable" ? y + TARGET_PX / 2 : y;
      return { left: x - width / 2, top: bottom - TARGET_PX, right: x + width / 2, bottom };
    });
    const { clientWidth: width, clientHeight: height } = this.#container;
    const buttons = { left: width - BUTTONS.width, top: 0, right: width, bottom: BUTTONS.height };
    const shown = placed([buttons, ...boxes], { width, height: height - ATTRIBUTION_PX });
    pins.forEach(({ element }, index) => {
      const isDot = !shown.has(index + 1) && element !== focused;
      element.classList.toggle("dot", isDot);
      element.tabIndex = isDot ? -1 : 0;
      element.ariaHidden = isDot ? "true" : null;
    });
  }
}
