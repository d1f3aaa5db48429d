/** The style of the map: a plain grid or a base map, areas and lots, in the colours of the page. Texts are small pictures: nothing is fetched. */
import type { GeoJSONSource, LayerSpecification, Map as MapLibre, StyleSpecification } from "maplibre-gl";
import { language } from "../../language.ts";
import { color } from "../../ui/color.ts";
import type { BaseMap } from "../../settings.ts";
import type { BoxContents, Lot } from "./lots.ts";

type Position = [lng: number, lat: number];

/** A feature of GeoJSON. */
interface Feature {
  readonly type: "Feature";
  readonly geometry:
    | { readonly type: "Point"; readonly coordinates: Position }
    | { readonly type: "LineString"; readonly coordinates: Position[] }
    | { readonly type: "Polygon"; readonly coordinates: Position[][] };
  readonly properties: Readonly<Record<string, string | number>>;
}

const EMPTY = { type: "FeatureCollection", features: [] } as const;
const LABEL = "label:";
const EARTH_RADIUS_M = 6_371_008.8;

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
    ],
  };
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

function point(lng: number, lat: number, properties: Feature["properties"]): Feature {
  return { type: "Feature", geometry: { type: "Point", coordinates: [lng, lat] }, properties };
}

/** The circle of the search, as a polygon. */
export function drawRadius(map: MapLibre, { lat, lng, radius }: { lat: number; lng: number; radius: number }): void {
  const degrees = 180 / Math.PI;
  const angle = radius / EARTH_RADIUS_M * degrees;
  const corners = Array.from({ length: 73 }, (_, index): Position => {
    const direction = index * 5 / degrees;
    return [
      lng + angle * Math.sin(direction) / Math.max(0.05, Math.cos(lat / degrees)),
      lat + angle * Math.cos(direction),
    ];
  });
  setFeatures(map, "radius", [{
    type: "Feature",
    geometry: { type: "Polygon", coordinates: [corners] },
    properties: {},
  }]);
}

const GRID_STEPS = [30, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001];
const GRID_CELL_PX = 70;

/** Meridians and parallels of the view and its surroundings, at round degrees. */
export function drawGrid(map: MapLibre): void {
  const bounds = map.getBounds();
  const [west, south, east, north] = [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()];
  const degree = map.getContainer().clientWidth / (east - west);
  const step = GRID_STEPS.findLast((step) => step * degree >= GRID_CELL_PX) ?? 30;
  const [width, height] = [east - west, north - south];
  const lines: Feature[] = [];
  const line = (...coordinates: Position[]) =>
    lines.push({ type: "Feature", geometry: { type: "LineString", coordinates }, properties: {} });
  const [bottom, top] = [Math.max(-85, south - height), Math.min(85, north + height)];
  for (let lng = Math.floor((west - width) / step) * step; lng < east + width; lng += step) {
    line([lng, bottom], [lng, top]);
  }
  for (let lat = Math.floor(bottom / step) * step; lat < top; lat += step) {
    line([west - width, lat], [east + width, lat]);
  }
  setFeatures(map, "grid", lines);
}
