/** Streets, water and parks of a file that the operator brings, in the schema of OpenMapTiles or of Protomaps. */
import type { ExpressionSpecification, LayerSpecification } from "maplibre-gl";
import type { Language } from "../language.ts";
import { FONT, widths } from "./base_layers.ts";
import type { MapColors } from "./map_colors.ts";
import type { TileFile } from "./tile_files.ts";

/** The source of the layers in a style. */
export const STREETS = "streets";

/** What the layers of a schema are called, and the classes of its roads. */
interface Schema {
  readonly water: string;
  readonly parks: { readonly layer: string; readonly kind: string; readonly values: readonly string[] };
  readonly roads: { readonly layer: string; readonly kind: string };
  readonly names: {
    readonly layer: string;
    readonly ja: ExpressionSpecification;
    readonly en: ExpressionSpecification;
  };
  readonly classes: Readonly<Record<"motorway" | "major" | "middle" | "minor" | "path" | "rail", readonly string[]>>;
}

const SCHEMAS: readonly Schema[] = [
  {
    water: "water",
    parks: {
      layer: "landcover",
      kind: "class",
      values: ["grass", "wood", "park"],
    },
    roads: { layer: "transportation", kind: "class" },
    names: {
      layer: "transportation_name",
      ja: ["coalesce", ["get", "name:ja"], ["get", "name"], ["get", "name:latin"]],
      en: ["coalesce", ["get", "name:en"], ["get", "name_en"], ["get", "name:latin"], ["get", "name"]],
    },
    classes: {
      motorway: ["motorway"],
      major: ["trunk", "primary"],
      middle: ["secondary", "tertiary"],
      minor: ["minor", "service", "track", "residential", "unclassified"],
      path: ["path"],
      rail: ["rail", "transit"],
    },
  },
  {
    water: "water",
    parks: {
      layer: "landuse",
      kind: "kind",
      values: ["park", "garden", "forest", "wood", "grass", "recreation_ground"],
    },
    roads: { layer: "roads", kind: "kind" },
    names: {
      layer: "roads",
      ja: ["coalesce", ["get", "name:ja"], ["get", "name"]],
      en: ["coalesce", ["get", "name:en"], ["get", "name"]],
    },
    classes: {
      motorway: ["highway"],
      major: ["major_road"],
      middle: ["medium_road"],
      minor: ["minor_road", "other"],
      path: ["path"],
      rail: ["rail"],
    },
  },
];

type Filter = NonNullable<Extract<LayerSpecification, { type: "line" }>["filter"]>;

/** Where the file has railways and expressways: those of the map of Japan are left out there. */
export function outside({ bounds: [west, south, east, north] }: TileFile): Filter {
  const coordinates = [[[west, south], [east, south], [east, north], [west, north], [west, south]]];
  return ["any", ["<", ["zoom"], 12], ["!", ["within", { type: "Polygon", coordinates }]]] as unknown as Filter;
}

/** Nothing for a file of another schema. */
export function streetLayers(file: TileFile, colors: MapColors, language: Language): LayerSpecification[] {
  const schema = SCHEMAS.find(({ roads }) => file.layers.has(roads.layer));
  if (schema === undefined) return [];
  const { water, parks, roads, names, classes } = schema;
  const has = (kind: string, values: readonly string[]): Filter => ["in", ["get", kind], ["literal", [...values]]];
  const road = (
    id: keyof Schema["classes"],
    minzoom: number,
    color: string,
    width: ExpressionSpecification,
    more: Record<string, unknown> = {},
  ): LayerSpecification => ({
    id: `street-${id}`,
    type: "line",
    source: STREETS,
    "source-layer": roads.layer,
    filter: ["all", ["==", ["geometry-type"], "LineString"], has(roads.kind, classes[id])] as unknown as Filter,
    minzoom,
    layout: { "line-cap": "round", "line-join": "round" },
    paint: { "line-color": color, "line-width": width, ...more },
  });
  const layers: LayerSpecification[] = [
    {
      id: "street-parks",
      type: "fill",
      source: STREETS,
      "source-layer": parks.layer,
      filter: has(parks.kind, parks.values),
      minzoom: 11,
      paint: { "fill-color": colors["map-park"] },
    },
    {
      id: "street-water",
      type: "fill",
      source: STREETS,
      "source-layer": water,
      filter: ["==", ["geometry-type"], "Polygon"],
      minzoom: 11,
      paint: { "fill-color": colors["map-water"] },
    },
    road("path", 16, colors["map-border"], widths([16, 1])),
    road("minor", 13, colors["map-road"], widths([13, 0.75], [15, 3], [17, 10])),
    road("middle", 12, colors["map-road"], widths([12, 1], [15, 5], [17, 14])),
    road("major", 11, colors["map-road"], widths([11, 1.5], [15, 8], [17, 20])),
    road("rail", 12, colors["map-rail"], widths([12, 0.5], [16, 1])),
    {
      ...road("motorway", 11, colors["map-express-edge"], widths([11, 3], [13, 5], [16, 10])),
      id: "street-motorway-edge",
    },
    road("motorway", 11, colors["map-express"], widths([11, 1.75], [13, 3.5], [16, 8])),
    {
      id: "street-names",
      type: "symbol",
      source: STREETS,
      "source-layer": names.layer,
      filter: has(roads.kind, [...classes.major, ...classes.middle, ...classes.minor]),
      minzoom: 14,
      layout: {
        "symbol-placement": "line",
        "text-field": names[language],
        "text-font": FONT,
        "text-size": 12,
        "symbol-spacing": 400,
      },
      paint: { "text-color": colors["ink-3"], "text-halo-color": colors["map-land"], "text-halo-width": 1.5 },
    },
  ];
  return layers.filter((layer) => !("source-layer" in layer) || file.layers.has(layer["source-layer"]!));
}
