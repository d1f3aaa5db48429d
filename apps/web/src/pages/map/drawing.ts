/** The style of the map: a plain grid or a base map, areas and lots, in the colours of the page. Texts are small pictures: nothing is fetched. */
import type { GeoJSONSource, LayerSpecification, Map as MapLibre, StyleSpecification } from "maplibre-gl";
import { language } from "../../language.ts";
import { color } from "../../ui/color.ts";
import type { BaseMap } from "../../settings.ts";
import { circle, type Edges, type Feature, gridLines, point } from "./geometry.ts";
import type { BoxContents, Lot } from "./lots.ts";

const EMPTY = { type: "FeatureCollection", features: [] } as const;
const LABEL = "label:";

export function mapStyle(baseMap: BaseMap | undefined): StyleSpecification {
  const base: LayerSpecification[] = baseMap ? [{ id: "base", type: "raster", source: "base" }] : [];
  return {
    version: 8,
    sources: {
      ...(baseMap ? { base: { type: "raster", tiles: [baseMap.url], tileSize: 256, maxzoom: baseMap.maxZoom } } : {}),
      grid: { type: "geojson", data: EMPTY },
      radius: { type: "geojson", data: EMPTY },
      lots: { type: "geojson", data: EMPTY },
    },
    layers: [
      { id: "ground", type: "background", paint: { "background-color": color("raised") } },
      ...base,
      {
        id: "grid",
        type: "line",
        source: "grid",
        layout: { visibility: baseMap ? "none" : "visible" },
        paint: { "line-color": color("line"), "line-width": 1 },
      },
      ...radiusLayers(),
      ...lotLayers(),
    ],
  };
}

/** The area of the search. */
function radiusLayers(): LayerSpecification[] {
  return [
    {
      id: "radius-area",
      type: "fill",
      source: "radius",
      paint: { "fill-color": color("accent"), "fill-opacity": 0.06 },
    },
    {
      id: "radius-edge",
      type: "line",
      source: "radius",
      paint: { "line-color": color("accent"), "line-width": 1.5, "line-dasharray": [3, 2] },
    },
  ];
}

/** Clusters with their counts, and lots with their prices. */
function lotLayers(): LayerSpecification[] {
  return [
    {
      id: "lots",
      type: "circle",
      source: "lots",
      paint: {
        "circle-color": ["case", ["has", "count"], color("accent"), color("paper")],
        "circle-stroke-color": ["case", ["has", "count"], color("paper"), color("accent")],
        "circle-stroke-width": ["case", ["has", "count"], 1.5, 3],
        "circle-radius": [
          "case",
          ["has", "count"],
          ["interpolate", ["linear"], ["log10", ["get", "count"]], 0, 10, 2, 15, 4, 22, 6, 28],
          6,
        ],
      },
    },
    {
      id: "counts",
      type: "symbol",
      source: "lots",
      filter: ["has", "count"],
      layout: { "icon-image": ["concat", LABEL, "count:", ["get", "label"]], "icon-allow-overlap": true },
    },
    {
      id: "prices",
      type: "symbol",
      source: "lots",
      filter: ["!", ["has", "count"]],
      layout: {
        "icon-image": ["concat", LABEL, "price:", ["get", "label"]],
        "icon-anchor": "bottom",
        "icon-offset": [0, -8],
      },
    },
  ];
}

/** Draws a label when the map first needs it. */
export function addLabelImage(map: MapLibre, id: string): void {
  if (!id.startsWith(LABEL) || map.hasImage(id)) return;
  const [, kind, ...rest] = id.split(":");
  const [text, isCount, ratio] = [rest.join(":"), kind === "count", Math.max(1, devicePixelRatio)];
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  const font = `600 ${12 * ratio}px system-ui, sans-serif`;
  context.font = font;
  const padding = (isCount ? 0 : 6) * ratio;
  canvas.width = Math.ceil(context.measureText(text).width) + 2 * padding;
  canvas.height = 20 * ratio;
  if (!isCount) {
    context.fillStyle = color("paper");
    context.strokeStyle = color("line");
    context.lineWidth = ratio;
    context.beginPath();
    context.roundRect(ratio / 2, ratio / 2, canvas.width - ratio, canvas.height - ratio, 6 * ratio);
    context.fill();
    context.stroke();
  }
  // Setting the size of a canvas resets its font.
  context.font = font;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillStyle = isCount ? color("on-accent") : color("ink");
  context.fillText(text, canvas.width / 2, canvas.height / 2);
  map.addImage(id, context.getImageData(0, 0, canvas.width, canvas.height), { pixelRatio: ratio });
}

function setFeatures(map: MapLibre, source: string, features: Feature[]): void {
  map.getSource<GeoJSONSource>(source)?.setData({ type: "FeatureCollection", features });
}

/** Clusters, and lots without a marker of their own. */
export function drawBox(
  map: MapLibre,
  { clusters, lots }: BoxContents,
  isMarked: (id: string) => boolean,
  priceOf: (lot: Lot) => string,
): void {
  const short = new Intl.NumberFormat(language.value, { notation: "compact", maximumFractionDigits: 1 });
  setFeatures(map, "lots", [
    ...clusters.map(({ lng, lat, count }, index) =>
      point(lng, lat, { cluster: index, count, label: short.format(count) })
    ),
    ...lots.filter(({ id }) => !isMarked(id)).map((lot) =>
      point(lot.lng, lot.lat, { lot: lot.id, label: priceOf(lot) })
    ),
  ]);
}

/** The circle of the search. */
export function drawRadius(map: MapLibre, { lat, lng, radius }: { lat: number; lng: number; radius: number }): void {
  setFeatures(map, "radius", [circle({ lat, lng }, radius)]);
}

/** Meridians and parallels of the view and its surroundings, at round degrees. */
export function drawGrid(map: MapLibre): void {
  setFeatures(map, "grid", gridLines(edgesOf(map), map.getContainer().clientWidth));
}

/** The edges of the visible part, without the turns around the globe taken out. */
export function edgesOf(map: MapLibre): Edges {
  const bounds = map.getBounds();
  return { west: bounds.getWest(), south: bounds.getSouth(), east: bounds.getEast(), north: bounds.getNorth() };
}
