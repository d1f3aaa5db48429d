// apps/web/basemap/japan.pmtiles: the map of Japan that the explorer shows without a network, and how it is made.
import assert from "node:assert/strict";
import { VectorTile } from "@mapbox/vector-tile";
import { PbfReader } from "pbf";
import { PMTiles, type Source } from "pmtiles";
import { coastOf, contains } from "../../tools/basemap/coast.ts";
import type { AreaFeature, Position } from "../../tools/basemap/shapes.ts";
import { ATTRIBUTION, BASEMAP, fingerprint } from "../../tools/basemap/main.ts";
import { pmtilesFile } from "../../tools/basemap/pmtiles_file.ts";
import { smooth } from "../../tools/basemap/smooth.ts";
import { tilesOf } from "../../tools/basemap/tiles.ts";

/** Reads the parts of a file as a browser requests them. */
class Bytes implements Source {
  readonly read: [number, number][] = [];
  constructor(readonly bytes: Uint8Array<ArrayBuffer>) {}

  getKey(): string {
    return "file";
  }

  getBytes(offset: number, length: number): Promise<{ data: ArrayBuffer }> {
    this.read.push([offset, length]);
    return Promise.resolve({ data: this.bytes.slice(offset, offset + length).buffer });
  }
}

/** The features of a layer in the tile of a place. */
async function features(file: PMTiles, layer: string, zoom: number, [lng, lat]: Position) {
  const size = 2 ** zoom;
  const sine = Math.sin(lat * Math.PI / 180);
  const [x, y] = [(lng + 180) / 360 * size, (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * size];
  const tile = await file.getZxy(zoom, Math.floor(x), Math.floor(y));
  const found = tile && new VectorTile(new PbfReader(new Uint8Array(tile.data))).layers[layer];
  return Array.from({ length: found?.length ?? 0 }, (_, index) => found!.feature(index));
}

const TOKYO: Position = [139.7671, 35.6812];
const japan = new PMTiles(new Bytes(await Deno.readFile(BASEMAP)));

Deno.test("map of Japan: the file in the repository is made from the data and programs in it (deno task basemap)", async () => {
  const metadata = await japan.getMetadata() as { source: string; attribution: string };
  assert.equal(metadata.source, await fingerprint());
  assert.equal(metadata.attribution, ATTRIBUTION);
});

Deno.test("map of Japan: stations, towns and interchanges have names in both languages", async () => {
  const names = async (layer: string, place: Position) =>
    new Map((await features(japan, layer, 11, place)).map(({ properties: p }) => [p["name"], p["name_en"]]));
  const stations = await names("stations", TOKYO);
  assert.equal(stations.get("東京"), "Tokyo");
  assert.equal(stations.get("大手町"), "Otemachi");
  assert.equal((await names("stations", [135.5, 34.733])).get("新大阪"), "Shin-Osaka");
  assert.equal((await names("places", TOKYO)).get("丸の内"), "Marunouchi");
  assert.equal((await names("interchanges", TOKYO)).get("霞が関IC"), "Kasumigaseki IC");
});

for (
  const [name, place, expected] of [
    ["Tokyo station", TOKYO, true],
    ["Sapporo", [141.35, 43.06], true],
    ["Naha", [127.68, 26.21], true],
    ["Tokyo Bay", [139.85, 35.55], false],
    ["the Pacific", [145, 30], false],
  ] as const
) {
  Deno.test(`map of Japan: ${name} is ${expected ? "land" : "sea"}`, async () => {
    const [x, y] = place;
    const land = await features(japan, "land", 11, place);
    assert.equal((await features(japan, "sea", 11, place)).length, 1);
    const size = 2 ** 11;
    const column = Math.floor((x + 180) / 360 * size);
    const sine = Math.sin(y * Math.PI / 180);
    const row = Math.floor((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * size);
    const isLand = land.some((feature) => {
      const { geometry } = feature.toGeoJSON(column, row, 11);
      const polygons = geometry.type === "MultiPolygon" ? geometry.coordinates : [];
      if (geometry.type === "Polygon") polygons.push(geometry.coordinates);
      return polygons.some((rings) => {
        const [outer, ...holes] = rings as unknown as Position[][];
        return contains(outer!, place) && !holes.some((hole) => contains(hole, place));
      });
    });
    assert.equal(isLand, expected);
  });
}

const square = (code: string, pref: string, west: number, south: number): AreaFeature => ({
  type: "area",
  coordinates: [[[west, south], [west, south + 1], [west + 1, south + 1], [west + 1, south], [west, south]]],
  properties: { code, pref },
});

Deno.test("coast: the lines between municipalities are borders, the others are one coast around the land", () => {
  const { land, borders } = coastOf([square("1", "a", 0, 0), square("2", "a", 1, 0), square("3", "b", 0, 1)]);
  assert.equal(land.length, 1);
  const corners = new Set(land[0]!.coordinates[0]!.map(String));
  assert.deepEqual(corners, new Set(["0,0", "1,0", "2,0", "2,1", "1,1", "1,2", "0,2", "0,1"]));
  assert.deepEqual(
    borders.map(({ properties, coordinates }) => [properties["level"], coordinates.flat().map(String).sort()]),
    [[1, ["0,1", "1,1"]], [2, ["1,0", "1,1"]]],
  );
});

Deno.test("coast: land around a lake has a hole", () => {
  const around = [[0, 0], [1, 0], [2, 0], [0, 1], [2, 1], [0, 2], [1, 2], [2, 2]];
  const { land } = coastOf(around.map(([x, y], index) => square(`${index}`, "a", x!, y!)));
  assert.equal(land.length, 1);
  assert.equal(land[0]!.coordinates.length, 2);
  assert.deepEqual(new Set(land[0]!.coordinates[1]!.map(String)), new Set(["1,1", "1,2", "2,2", "2,1"]));
});

Deno.test("curves: they go through every station, and stay near the straight line", () => {
  const stations: Position[] = [[0, 0], [1, 0], [1, 1], [3, 1]];
  const [line] = smooth([stations]);
  for (const station of stations) {
    assert.ok(line!.some(([x, y]) => x === station[0] && y === station[1]), String(station));
  }
  assert.ok(line!.every(([x, y]) => Number.isFinite(x) && x > -0.3 && x < 3.3 && y > -0.3 && y < 1.3));
  assert.deepEqual(smooth([stations.slice(0, 2)]), [stations.slice(0, 2)]);
});

Deno.test("tile file: its own reader finds each tile; equal tiles are in it once, and directories are read when they are needed", async () => {
  const data = (z: number, x: number, y: number) => new TextEncoder().encode(x % 3 === 0 ? "sea" : `${z}/${x}/${y}`);
  const tiles = Array.from({ length: 6 }, (_, z) =>
    Array.from({ length: 4 ** z }, (_, index) => {
      const [x, y] = [index % 2 ** z, Math.floor(index / 2 ** z)];
      return { z, x, y, data: data(z, x, y) };
    })).flat();
  const source = new Bytes(pmtilesFile(tiles, { name: "test", attribution: "nobody", vector_layers: [] }));
  const file = new PMTiles(source);
  const header = await file.getHeader();
  assert.deepEqual([header.minZoom, header.maxZoom, header.numAddressedTiles], [0, 5, tiles.length]);
  assert.equal(header.numTileContents, new Set(tiles.map(({ data }) => data.join())).size);
  for (const { z, x, y, data } of tiles.filter((_, index) => index % 7 === 0)) {
    assert.deepEqual(new Uint8Array((await file.getZxy(z, x, y))!.data), data);
  }
  assert.equal(await file.getZxy(9, 0, 0), undefined);
  const [first] = source.read;
  assert.deepEqual(first, [0, 16_384]);
  assert.ok(
    header.rootDirectoryLength + header.rootDirectoryOffset <= 16_384,
    "the first request has the root directory",
  );
  assert.ok((await japan.getHeader()).leafDirectoryLength! > 0, "the map of Japan has leaves");
});

Deno.test("tiles: a feature is shown between its zooms, and the sea is below all", () => {
  const layers = {
    names: [{ type: "point" as const, coordinates: TOKYO, minZoom: 3, maxZoom: 4, properties: { name: "東京" } }],
  };
  const region = { minZoom: 2, maxZoom: 5, box: [139, 35, 140, 36] } as const;
  const found = [...tilesOf(layers, [region], true)].map(({ z, data }) => {
    const { layers } = new VectorTile(new PbfReader(data));
    return { z, names: Object.keys(layers) };
  });
  assert.deepEqual(found.filter(({ names }) => names.includes("names")).map(({ z }) => z), [3, 4]);
  assert.ok(found.every(({ names }) => names[0] === "sea"));
  assert.deepEqual([...tilesOf(layers, [region], false)].map(({ z }) => z), [3, 4]);
});
