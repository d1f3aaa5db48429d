// deno task basemap: makes the map of Japan that the explorer shows without a network. See docs/operations/map.md.
import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import { FILES as PLACE_FILES } from "../places/rows.ts";
import { FILES, fileUrl, readLayers, WORLD_ZOOMS } from "./features.ts";
import { pmtilesFile, type VectorLayer } from "./pmtiles_file.ts";
import { tilesOf } from "./tiles.ts";

/** The map in the repository. */
export const BASEMAP = new URL("../../apps/web/basemap/japan.pmtiles", import.meta.url);

export const ATTRIBUTION =
  "国土数値情報（行政区域、鉄道、高速道路時系列データ）（国土交通省）、Geolonia 住所データ（CC BY 4.0）を加工して作成; Natural Earth";

const MAX_ZOOM = 11;
const JAPAN = [122, 20, 154.5, 46.5] as const;

/** The source of the map: the data, and the programs that make it. */
export async function fingerprint(): Promise<string> {
  const programs = ["coast", "features", "main", "pmtiles_file", "shapes", "smooth", "tiles"];
  const paths = [
    ...FILES.map(fileUrl),
    ...PLACE_FILES.map((name) => new URL(`../places/data/${name}`, import.meta.url)),
    ...programs.map((name) => new URL(`./${name}.ts`, import.meta.url)),
    new URL("../places/rows.ts", import.meta.url),
  ];
  const hash = createHash("sha256");
  for (const path of paths) hash.update(await Deno.readFile(path));
  return hash.digest("hex").slice(0, 16);
}

const names = (more: Record<string, string> = {}) => ({ name: "String", name_en: "String", rank: "Number", ...more });
const LAYERS: readonly VectorLayer[] = [
  { id: "sea", fields: {} },
  { id: "land", fields: {} },
  { id: "water", fields: { name: "String", name_en: "String", kind: "String" } },
  { id: "borders", fields: { level: "Number" } },
  { id: "rail", fields: { kind: "String" } },
  { id: "expressways", fields: {} },
  { id: "stations", fields: names({ size: "Number" }) },
  { id: "interchanges", fields: names({ kind: "String" }) },
  { id: "places", fields: names({ kind: "String" }) },
  { id: "landmarks", fields: names({ kind: "String" }) },
];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      coast: { type: "string", default: "municipalities" },
      out: { type: "string" },
    },
  });
  if (values.coast !== "municipalities" && values.coast !== "natural-earth") {
    console.error("--coast must be municipalities or natural-earth.");
    Deno.exit(2);
  }
  const layers = await readLayers(values.coast);
  const tiles = [...tilesOf(layers, [
    { minZoom: 0, maxZoom: WORLD_ZOOMS - 1, box: [-180, -85, 180, 85] },
    { minZoom: WORLD_ZOOMS, maxZoom: MAX_ZOOM, box: JAPAN },
  ], true)];
  const file = pmtilesFile(tiles, {
    name: "Japan",
    attribution: ATTRIBUTION,
    vector_layers: LAYERS,
    source: await fingerprint(),
  });
  const out = values.out ?? BASEMAP;
  await Deno.writeFile(out, file);
  console.log(
    `wrote ${out instanceof URL ? "apps/web/basemap/japan.pmtiles" : out}: ${tiles.length} tiles, ${
      Math.round(file.length / 1024)
    } KB`,
  );
}

if (import.meta.main) await main();
