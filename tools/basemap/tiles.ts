// Cuts layers into vector tiles.
import GeoJSONVT from "geojson-vt";
import { fromGeojsonVt } from "@maplibre/vt-pbf";
import type { Feature, Layers } from "./shapes.ts";
import type { Tile } from "./pmtiles_file.ts";

const EXTENT = 4_096;
/** Beyond the edge of a tile, so that strokes and names have no seam. */
const BUFFER = 64;

export interface Region {
  readonly minZoom: number;
  readonly maxZoom: number;
  /** West, south, east, north. */
  readonly box: readonly [number, number, number, number];
}

/** A square that covers a tile: the sea, on which the land lies. */
const SEA = {
  features: [{
    type: 3 as const,
    tags: {},
    geometry: [[[-BUFFER, -BUFFER], [EXTENT + BUFFER, -BUFFER], [EXTENT + BUFFER, EXTENT + BUFFER], [
      -BUFFER,
      EXTENT + BUFFER,
    ], [-BUFFER, -BUFFER]]] as [number, number][][],
  }],
};

/** The tiles of the regions. `hasSea` adds a layer `sea` to each tile. */
export function* tilesOf(layers: Layers, regions: readonly Region[], hasSea: boolean): Generator<Tile> {
  const maxZoom = Math.max(...regions.map(({ maxZoom }) => maxZoom));
  const indexes = Object.entries(layers).map(([name, features]) => [name, indexOf(features, maxZoom)] as const);
  for (const { minZoom, maxZoom, box } of regions) {
    for (let z = minZoom; z <= maxZoom; z++) {
      const [west, north, east, south] = [...tileAt(z, box[0], box[3]), ...tileAt(z, box[2], box[1])] as [
        number,
        number,
        number,
        number,
      ];
      for (let x = west; x <= east; x++) {
        for (let y = north; y <= south; y++) {
          const found = indexes.flatMap(([name, index]) => {
            const features = (index.getTile(z, x, y)?.features ?? []).filter(({ tags }) => isShown(tags!, z));
            return features.length === 0 ? [] : [[name, { features: features.map(plain) }] as const];
          });
          if (found.length === 0 && !hasSea) continue;
          const tile = Object.fromEntries([...hasSea ? [["sea", SEA] as const] : [], ...found]);
          // deno-lint-ignore no-explicit-any
          yield { z, x, y, data: fromGeojsonVt(tile as any, { version: 2, extent: EXTENT }) };
        }
      }
    }
  }
}

function indexOf(features: readonly Feature[], maxZoom: number): GeoJSONVT {
  return new GeoJSONVT({
    type: "FeatureCollection",
    features: features.map(({ type, coordinates, properties, minZoom = 0, maxZoom = 99 }) => ({
      type: "Feature" as const,
      geometry: {
        type: ({ point: "Point", line: "MultiLineString", area: "Polygon" } as const)[type],
        coordinates,
        // deno-lint-ignore no-explicit-any
      } as any,
      properties: { ...properties, ".min": minZoom, ".max": maxZoom },
    })),
  }, { maxZoom, indexMaxZoom: Math.min(5, maxZoom), tolerance: 4, extent: EXTENT, buffer: BUFFER });
}

type Tags = Record<string, unknown>;

const isShown = (tags: Tags, zoom: number) => zoom >= Number(tags[".min"]) && zoom <= Number(tags[".max"]);

/** Without the zooms. */
function plain<Feature extends { tags: Tags | null }>(feature: Feature): Feature {
  const { ".min": _, ".max": __, ...tags } = feature.tags!;
  return { ...feature, tags };
}

function tileAt(zoom: number, lng: number, lat: number): [number, number] {
  const size = 2 ** zoom;
  const sine = Math.sin(lat * Math.PI / 180);
  const clamp = (value: number) => Math.max(0, Math.min(size - 1, Math.floor(value)));
  return [clamp((lng + 180) / 360 * size), clamp((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * size)];
}
