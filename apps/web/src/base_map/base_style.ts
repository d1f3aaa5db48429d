/** The style of a map without anything on it: the layers of Japan with streets, or a base map that the viewer chose. */
import type { LayerSpecification, SourceSpecification, StyleSpecification } from "maplibre-gl";
import type { Language } from "../language.ts";
import type { BaseMap, Settings } from "../settings.ts";
import { BASE, baseLayers, baseNames } from "./base_layers.ts";
import { mapColors } from "./map_colors.ts";
import { outside, streetLayers, STREETS } from "./street_layers.ts";
import { type TileFile, tileSource } from "./tile_files.ts";

export interface MapLook {
  readonly baseMap: BaseMap | undefined;
  readonly language: Language;
  readonly settings: Pick<Settings, "layers" | "streets">;
  /** What the file of streets has, if there is one. */
  readonly streets: TileFile | undefined;
}

export function baseStyle(look: MapLook): StyleSpecification {
  const { sources, layers } = look.baseMap === undefined ? ownMap(look) : rasterMap(look.baseMap);
  return {
    version: 8,
    sources,
    layers: [
      { id: "ground", type: "background", paint: { "background-color": mapColors()["map-land"] } },
      ...layers,
    ],
  };
}

interface Drawn {
  readonly sources: Record<string, SourceSpecification>;
  readonly layers: readonly LayerSpecification[];
}

function ownMap({ language, settings, streets }: MapLook): Drawn {
  const colors = mapColors();
  const hasStreets = settings.streets !== undefined && streets !== undefined;
  const vector = (url: string): SourceSpecification => ({ type: "vector", url: tileSource(url) });
  return {
    sources: {
      ...(settings.layers ? { [BASE]: vector(settings.layers) } : {}),
      ...(hasStreets ? { [STREETS]: vector(settings.streets.url) } : {}),
    },
    layers: [
      ...(settings.layers ? baseLayers(colors, hasStreets ? outside(streets) : undefined) : []),
      ...(hasStreets ? streetLayers(streets, colors, language) : []),
      ...(settings.layers ? baseNames(colors, language) : []),
    ],
  };
}

function rasterMap({ url, maxZoom = 18 }: BaseMap): Drawn {
  return {
    sources: { raster: { type: "raster", tiles: [url!], tileSize: 256, maxzoom: maxZoom } },
    layers: [{ id: "raster", type: "raster", source: "raster" }],
  };
}
