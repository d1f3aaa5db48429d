/** The map of Japan in layers: land, borders, railways, expressways and names, in the colours of the page. */
import type { ExpressionSpecification, LayerSpecification } from "maplibre-gl";
import type { Language } from "../language.ts";
import type { MapColors } from "./map_colors.ts";

/** The source of the layers in a style. */
export const BASE = "base";

/** MapLibre draws each letter with the fonts of the device. The first name gives the weight. */
export const FONT = ["Regular", "system-ui", "Hiragino Sans", "Noto Sans JP", "sans-serif"];
export const BOLD = ["SemiBold", ...FONT.slice(1)];

/** Images that are drawn when the map first needs them; see map_images.ts. */
export const IMAGES = {
  station: "base:station",
  bigStation: "base:big-station",
  interchange: "base:interchange",
  dot: "base:dot",
  tree: "base:tree",
} as const;

type Filter = NonNullable<Extract<LayerSpecification, { type: "line" }>["filter"]>;

/** `hidden` is where another map has railways and expressways, in detail. */
export function baseLayers(colors: MapColors, hidden?: Filter): LayerSpecification[] {
  return [...areas(colors), ...lines(colors, hidden)];
}

/** What is drawn over streets. */
export function baseNames(colors: MapColors, language: Language): LayerSpecification[] {
  return [
    ...townNames(colors, language),
    ...landmarks(colors, language),
    ...stops(colors, language),
    ...cityNames(colors, language),
  ];
}

function areas(colors: MapColors): LayerSpecification[] {
  const source = { source: BASE } as const;
  return [
    {
      id: "sea",
      type: "fill",
      ...source,
      "source-layer": "sea",
      paint: { "fill-color": colors["map-water"], "fill-antialias": false },
    },
    { id: "land", type: "fill", ...source, "source-layer": "land", paint: { "fill-color": colors["map-land"] } },
    {
      id: "coast",
      type: "line",
      ...source,
      "source-layer": "land",
      minzoom: 6,
      paint: { "line-color": colors["map-border"], "line-width": 1 },
    },
    {
      id: "lakes",
      type: "fill",
      ...source,
      "source-layer": "water",
      filter: ["==", ["geometry-type"], "Polygon"],
      paint: { "fill-color": colors["map-water"] },
    },
    {
      id: "rivers",
      type: "line",
      ...source,
      "source-layer": "water",
      filter: ["==", ["geometry-type"], "LineString"],
      paint: { "line-color": colors["map-water"], "line-width": widths([5, 1], [10, 2.5]) },
    },
  ];
}

function lines(colors: MapColors, hidden?: Filter): LayerSpecification[] {
  const where = (filter: Filter): { filter: Filter } => ({
    filter: hidden ? ["all", filter, hidden] as Filter : filter,
  });
  const round = { "line-cap": "round", "line-join": "round" } as const;
  return [
    {
      id: "borders",
      type: "line",
      source: BASE,
      "source-layer": "borders",
      filter: ["==", ["get", "level"], 2],
      minzoom: 9,
      paint: { "line-color": colors["map-border"], "line-width": 1 },
    },
    {
      id: "prefecture-borders",
      type: "line",
      source: BASE,
      "source-layer": "borders",
      filter: ["==", ["get", "level"], 1],
      layout: round,
      paint: { "line-color": colors["map-border"], "line-width": widths([4, 1], [10, 2]) },
    },
    {
      id: "subways",
      type: "line",
      source: BASE,
      "source-layer": "rail",
      ...where(["==", ["get", "kind"], "other"]),
      minzoom: 10,
      layout: round,
      paint: { "line-color": colors["map-subway"], "line-width": widths([10, 0.75], [13, 1.25], [16, 2]) },
    },
    {
      id: "rail",
      type: "line",
      source: BASE,
      "source-layer": "rail",
      ...where(["==", ["get", "kind"], "main"]),
      minzoom: 5,
      layout: round,
      paint: { "line-color": colors["map-rail"], "line-width": widths([5, 0.75], [9, 1], [11, 2], [13, 3]) },
    },
    {
      id: "rail-gaps",
      type: "line",
      source: BASE,
      "source-layer": "rail",
      ...where(["==", ["get", "kind"], "main"]),
      minzoom: 11,
      paint: {
        "line-color": colors["map-land"],
        "line-width": widths([11, 1], [13, 1.5]),
        "line-dasharray": [4, 4],
      },
    },
    {
      id: "express-edges",
      type: "line",
      source: BASE,
      "source-layer": "expressways",
      ...where(["==", ["geometry-type"], "LineString"]),
      minzoom: 6,
      layout: round,
      paint: { "line-color": colors["map-express-edge"], "line-width": widths([6, 0.75], [9, 2.5], [13, 5], [16, 8]) },
    },
    {
      id: "express",
      type: "line",
      source: BASE,
      "source-layer": "expressways",
      ...where(["==", ["geometry-type"], "LineString"]),
      minzoom: 8,
      layout: round,
      paint: { "line-color": colors["map-express"], "line-width": widths([8, 1], [9, 1.25], [13, 3.5], [16, 6.5]) },
    },
  ];
}

/** Widths in pixels at some zooms. */
export function widths(...stops: [zoom: number, px: number][]): ExpressionSpecification {
  return ["interpolate", ["exponential", 1.4], ["zoom"], ...stops.flat()] as unknown as ExpressionSpecification;
}

const NAME: ExpressionSpecification = ["get", "name"];
const NAME_EN: ExpressionSpecification = ["coalesce", ["get", "name_en"], NAME];

/** The name in the reader's language. */
export function nameIn(language: Language): ExpressionSpecification {
  return language === "ja" ? NAME : NAME_EN;
}

/** From zoom 15 on the name in the other language is below. */
function nameInBoth(language: Language): ExpressionSpecification {
  const [own, other] = language === "ja" ? [NAME, NAME_EN] : [NAME_EN, NAME];
  return ["step", ["zoom"], own, 15, [
    "case",
    ["==", own, other],
    own,
    ["format", own, {}, "\n", {}, other, { "font-scale": 0.85 }],
  ]] as unknown as ExpressionSpecification;
}

function halo(colors: MapColors) {
  return { "text-halo-color": colors["map-land"], "text-halo-width": 1.5 } as const;
}

const ANCHORS: ("left" | "right" | "top" | "bottom")[] = ["left", "right", "top", "bottom"];

function cityNames(colors: MapColors, language: Language): LayerSpecification[] {
  const place = (kind: string): Filter => ["==", ["get", "kind"], kind];
  return [
    {
      id: "cities",
      type: "symbol",
      source: BASE,
      "source-layer": "places",
      filter: place("city"),
      minzoom: 7,
      maxzoom: 13,
      layout: {
        "text-field": nameIn(language),
        "text-font": BOLD,
        "text-size": 12,
        "text-padding": 6,
        "symbol-sort-key": ["get", "rank"],
      },
      paint: { "text-color": colors["ink-2"], ...halo(colors) },
    },
    {
      id: "prefectures",
      type: "symbol",
      source: BASE,
      "source-layer": "places",
      filter: place("prefecture"),
      maxzoom: 8,
      layout: { "text-field": nameIn(language), "text-font": FONT, "text-size": 12, "text-padding": 2 },
      paint: { "text-color": colors["ink-3"], ...halo(colors) },
    },
  ];
}

function townNames(colors: MapColors, language: Language): LayerSpecification[] {
  const wide = language === "ja" ? {} : { "text-letter-spacing": 0.12, "text-transform": "uppercase" } as const;
  return [
    {
      id: "towns",
      type: "symbol",
      source: BASE,
      "source-layer": "places",
      filter: ["==", ["get", "kind"], "town"],
      minzoom: 13.5,
      layout: {
        "text-field": nameIn(language),
        "text-font": FONT,
        "text-size": 12,
        "text-padding": 8,
        "text-max-width": 12,
        "text-variable-anchor": ["center", ...ANCHORS],
        "text-radial-offset": 0.6,
        "text-justify": "auto",
        "symbol-sort-key": ["get", "rank"],
      },
      paint: { "text-color": colors["ink-3"], "text-opacity": 0.8, ...halo(colors) },
    },
    {
      id: "wards",
      type: "symbol",
      source: BASE,
      "source-layer": "places",
      filter: ["==", ["get", "kind"], "ward"],
      minzoom: 11,
      maxzoom: 15,
      layout: { "text-field": nameIn(language), "text-font": FONT, "text-size": 12, "text-padding": 8, ...wide },
      paint: { "text-color": colors["ink-3"], "text-opacity": 0.8, ...halo(colors) },
    },
  ];
}

function landmarks(colors: MapColors, language: Language): LayerSpecification[] {
  const isGreen: ExpressionSpecification = ["==", ["get", "kind"], "green"];
  return [{
    id: "landmarks",
    type: "symbol",
    source: BASE,
    "source-layer": "landmarks",
    minzoom: 10,
    layout: {
      "icon-image": ["case", isGreen, IMAGES.tree, IMAGES.dot],
      "text-field": nameIn(language),
      "text-font": FONT,
      "text-size": 12,
      "text-variable-anchor": ANCHORS,
      "text-radial-offset": 0.7,
      "text-justify": "auto",
      "text-padding": 4,
      "symbol-sort-key": ["get", "rank"],
    },
    paint: { "text-color": ["case", isGreen, colors["map-tree-name"], colors["ink-3"]], ...halo(colors) },
  }];
}

/** Stations and interchanges. There is no mark without its name. */
function stops(colors: MapColors, language: Language): LayerSpecification[] {
  const isBig: ExpressionSpecification = ["==", ["get", "size"], 1];
  const shared: Extract<LayerSpecification, { type: "symbol" }>["layout"] = {
    "text-size": 12,
    "text-variable-anchor": ANCHORS,
    // Beyond the ring of the search.
    "text-radial-offset": 1.1,
    "text-justify": "auto",
    "text-padding": 1,
    "icon-padding": 2,
    "symbol-sort-key": ["get", "rank"],
  };
  return [
    {
      id: "interchanges",
      type: "symbol",
      source: BASE,
      "source-layer": "interchanges",
      minzoom: 11,
      filter: ["any", [">=", ["zoom"], 13], ["==", ["get", "kind"], "interchange"]],
      layout: { ...shared, "icon-image": IMAGES.interchange, "text-field": nameIn(language), "text-font": FONT },
      paint: { "text-color": colors["map-express-name"], ...halo(colors) },
    },
    {
      id: "stations",
      type: "symbol",
      source: BASE,
      "source-layer": "stations",
      minzoom: 9,
      filter: ["<=", ["get", "size"], ["step", ["zoom"], 1, 11, 2, 12, 3]],
      layout: {
        ...shared,
        "icon-image": ["case", isBig, IMAGES.bigStation, IMAGES.station],
        // The square may be below the ring of the search; its name is beside.
        "icon-allow-overlap": true,
        "text-field": nameInBoth(language),
        "text-font": ["case", isBig, ["literal", BOLD], ["literal", FONT]],
      },
      paint: { "text-color": ["case", isBig, colors["ink-2"], colors["ink-3"]], ...halo(colors) },
    },
  ];
}
