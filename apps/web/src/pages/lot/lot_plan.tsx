/** A small map around the lot, drawn once from the map's own layers: the library of the map is not loaded for it. */
import { VectorTile, type VectorTileFeature } from "@mapbox/vector-tile";
import { PbfReader } from "pbf";
import { PMTiles } from "pmtiles";
import { language } from "../../language.ts";
import { settings } from "../../settings.ts";
import { useLoad } from "../../ui/load.tsx";
import { type NamedPoint, placeNames, projectionOf, tilesOf, type View } from "./plan_geometry.ts";

const ZOOM = 13.7;
const HEIGHT = 180;

/** The drawn layers, from below: the name in the tiles, the kind that is drawn, and the class. */
const LAYERS = [
  { layer: "land", isArea: true, kind: undefined },
  { layer: "water", isArea: true, kind: undefined },
  { layer: "borders", isArea: false, kind: undefined },
  { layer: "rail", isArea: false, kind: "other" },
  { layer: "rail", isArea: false, kind: "main" },
  { layer: "expressways", isArea: false, kind: undefined },
] as const;

interface Plan {
  readonly paths: readonly { readonly name: string; readonly d: string }[];
  readonly stations: readonly (NamedPoint & { readonly rank: number; readonly isBig: boolean })[];
}

let file: { readonly tiles: PMTiles; readonly zoom: Promise<number> } | undefined;

/** The file of the layers, and its last zoom. */
function layersFile() {
  if (file === undefined) {
    const tiles = new PMTiles(new URL(settings.layers, document.baseURI).href);
    file = { tiles, zoom: tiles.getHeader().then(({ maxZoom }) => maxZoom) };
    file.zoom.catch(() => file = undefined);
  }
  return file;
}

async function readPlan(view: View, signal: AbortSignal): Promise<Plan> {
  const { tiles, zoom } = layersFile();
  const z = await zoom;
  const lang = language.value;
  const paths = LAYERS.map(({ layer, kind }) => ({ name: [layer, kind].filter(Boolean).join("-"), d: "" }));
  const stations = new Map<string, Plan["stations"][number]>();
  for (const tile of tilesOf(view, z)) {
    const found = await tiles.getZxy(z, tile.x, tile.y, signal);
    if (found === undefined) continue;
    const { layers } = new VectorTile(new PbfReader(new Uint8Array(found.data)));
    LAYERS.forEach(({ layer, isArea, kind }, index) => {
      for (const feature of featuresOf(layers[layer])) {
        if (kind !== undefined && feature.properties["kind"] !== kind) continue;
        if (isArea !== (feature.type === 3)) continue;
        paths[index]!.d += pathOf(feature, view, projectionOf(view, z, tile, feature.extent), isArea);
      }
    });
    for (const feature of featuresOf(layers["stations"])) {
      const { name, name_en, rank = 0, size } = feature.properties as Record<string, string | number>;
      const point = feature.loadGeometry()[0]?.[0];
      if (point === undefined) continue;
      const [x, y] = projectionOf(view, z, tile, feature.extent)(point);
      const shown = String(lang === "ja" ? name : name_en ?? name).replace(/ Station$/, "");
      stations.set(shown, { x, y, name: shown, rank: Number(rank), isBig: size === 1 });
    }
  }
  return { paths, stations: [...stations.values()].toSorted((a, b) => a.rank - b.rank) };
}

function featuresOf(layer: VectorTile["layers"][string] | undefined): VectorTileFeature[] {
  return Array.from({ length: layer?.length ?? 0 }, (_, index) => layer!.feature(index));
}

/** The lines of a feature that the view can show. */
function pathOf(
  feature: VectorTileFeature,
  view: View,
  project: ReturnType<typeof projectionOf>,
  isArea: boolean,
): string {
  let path = "";
  for (const line of feature.loadGeometry()) {
    const points = line.map(project);
    const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
    if (Math.max(...xs) < 0 || Math.min(...xs) > view.width || Math.max(...ys) < 0 || Math.min(...ys) > view.height) {
      continue;
    }
    path += `M${points.map(([x, y]) => `${x} ${y}`).join("L")}${isArea ? "Z" : ""}`;
  }
  return path;
}

export function LotPlan({ lat, lng, width }: { lat: number; lng: number; width: number }) {
  const view = { lat, lng, width, height: HEIGHT, zoom: ZOOM };
  const { data, error } = useLoad(
    (signal) => settings.layers ? readPlan(view, signal) : Promise.resolve(undefined),
    [lat, lng, width, language.value],
  );
  // Without the layers the pin stands on plain ground.
  if (error !== undefined) console.warn("The map around the lot could not be drawn.", error);
  if (data === undefined) return null;
  const pin = { x: width / 2 - 50, y: HEIGHT / 2 - 46, width: 100, height: 52 };
  const names = placeNames(data.stations, view, [pin]);
  return (
    <svg viewBox={`0 0 ${width} ${HEIGHT}`} width={width} height={HEIGHT} aria-hidden="true">
      {data.paths.map(({ name, d }) => d !== "" && <path key={name} class={`plan-${name}`} d={d} />)}
      {names.map(({ x, y, name, side }) => (
        <g key={name}>
          <rect class="plan-station" x={x - 3} y={y - 3} width="6" height="6" rx="1" />
          <text x={side === "right" ? x + 7 : x - 7} y={y + 4} text-anchor={side === "right" ? "start" : "end"}>
            {name}
          </text>
        </g>
      ))}
    </svg>
  );
}
