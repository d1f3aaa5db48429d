/** The style of the map: the layers of Japan or a base map that the viewer chose, and on them the place and the pins. */
import type {
  ExpressionSpecification,
  GeoJSONSource,
  LayerSpecification,
  Map as MapLibre,
  SourceSpecification,
  StyleSpecification,
} from "maplibre-gl";
import { baseStyle, type MapLook } from "../../base_map/base_style.ts";
import { type Edges, type Feature, point } from "./geometry.ts";
import { imageId } from "./map_images.ts";

/** The layers that a click can hit. */
export const PIN_LAYERS = ["chosen", "pins"];

/** Shows the base map with place and pins on it. */
export function setMapStyle(map: MapLibre, look: MapLook): void {
  const { baseMap } = look;
  if (baseMap?.style === undefined) map.setStyle(mapStyle(look), { diff: false });
  else {
    map.setStyle(baseMap.style, {
      diff: false,
      transformStyle: (_, next) => ({
        ...next,
        sources: { ...next.sources, ...pinSources() },
        layers: [...next.layers, ...pinLayers()],
      }),
    });
  }
}

function mapStyle(look: MapLook): StyleSpecification {
  const { sources, layers, ...style } = baseStyle(look);
  return { ...style, sources: { ...sources, ...pinSources() }, layers: [...layers, ...pinLayers()] };
}

function pinSources(): Record<string, SourceSpecification> {
  const empty: SourceSpecification = {
    type: "geojson",
    data: { type: "FeatureCollection", features: [] },
    promoteId: "id",
  };
  return { search: empty, pins: empty, chosen: empty };
}

/** Pins have room already: names of the map give way to them. */
function pinLayers(): LayerSpecification[] {
  const layer = (id: string, opacity: ExpressionSpecification | number = 1): LayerSpecification => ({
    id,
    type: "symbol",
    source: id,
    layout: {
      "icon-image": ["get", "image"],
      "icon-anchor": ["get", "anchor"],
      "icon-offset": ["case", ["==", ["get", "anchor"], "bottom"], ["literal", [0, 3]], ["literal", [0, 0]]],
      "icon-allow-overlap": true,
      "icon-padding": id === "search" ? 0 : 2,
      "symbol-sort-key": ["get", "sort"],
    },
    paint: { "icon-opacity": opacity },
  });
  return [
    layer("search"),
    layer("pins", ["case", ["boolean", ["feature-state", "chosen"], false], 0, 1]),
    layer("chosen"),
  ];
}

export function setFeatures(map: MapLibre, source: "search" | "pins" | "chosen", features: readonly Feature[]): void {
  map.getSource<GeoJSONSource>(source)?.setData({ type: "FeatureCollection", features: [...features] });
}

/** The place of the search is a small ring. */
export function drawSearch(map: MapLibre, { lat, lng }: { readonly lat: number; readonly lng: number }): void {
  setFeatures(map, "search", [point(lng, lat, { image: imageId(["ring"]), anchor: "center", sort: 0 })]);
}

/** The edges of the visible part, without the turns around the globe taken out. */
export function edgesOf(map: MapLibre): Edges {
  const bounds = map.getBounds();
  return { west: bounds.getWest(), south: bounds.getSouth(), east: bounds.getEast(), north: bounds.getNorth() };
}
