// Writes tiles as one PMTiles file (version 3): https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { zxyToTileId } from "pmtiles";

export interface Tile {
  readonly z: number;
  readonly x: number;
  readonly y: number;
  /** A vector tile, not compressed. */
  readonly data: Uint8Array;
}

/** Vector layers with the zooms that have them. */
export interface VectorLayer {
  readonly id: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface Metadata {
  readonly name: string;
  readonly attribution: string;
  readonly vector_layers: readonly VectorLayer[];
  /** Further members of the metadata. */
  readonly [name: string]: unknown;
}

interface Entry {
  readonly id: number;
  readonly offset: number;
  readonly length: number;
  /** How many tiles from `id` on have this content. */
  run: number;
}

/** The header and the root directory fit into the first 16 KB, which readers request at once. */
const MAX_ROOT_BYTES = 16_384 - 127;
const LEAF_ENTRIES = 2_048;
const [GZIP, VECTOR_TILES] = [2, 1];

/** The file of tiles in the order of their zooms. Tiles with the same content are in it once. */
export function pmtilesFile(tiles: readonly Tile[], metadata: Metadata): Uint8Array<ArrayBuffer> {
  const { entries, contents, addressed } = tileData(tiles);
  const { root, leaves } = directories(entries);
  const json = gzip(new TextEncoder().encode(JSON.stringify(metadata)));
  const data = concat(contents);
  const [minZoom, maxZoom] = [tiles[0]!.z, tiles.at(-1)!.z];
  const sections = [root, json, leaves, data];
  const offsets = sections.map((_, index) =>
    127 + sections.slice(0, index).reduce((sum, { length }) => sum + length, 0)
  );

  const header = new Uint8Array(127);
  const view = new DataView(header.buffer);
  header.set(new TextEncoder().encode("PMTiles"));
  view.setUint8(7, 3);
  sections.forEach((section, index) => {
    view.setBigUint64(8 + 16 * index, BigInt(offsets[index]!), true);
    view.setBigUint64(16 + 16 * index, BigInt(section.length), true);
  });
  [addressed, entries.length, contents.length].forEach((count, index) =>
    view.setBigUint64(72 + 8 * index, BigInt(count), true)
  );
  // Not clustered: contents are in the order of their first tile.
  header.set([0, GZIP, GZIP, VECTOR_TILES, minZoom, maxZoom], 96);
  const bounds = boundsOf(tiles);
  bounds.forEach((degrees, index) => view.setInt32(102 + 4 * index, Math.round(degrees * 1e7), true));
  view.setUint8(118, minZoom);
  view.setInt32(119, Math.round((bounds[0] + bounds[2]) / 2 * 1e7), true);
  view.setInt32(123, Math.round((bounds[1] + bounds[3]) / 2 * 1e7), true);
  return concat([header, ...sections]);
}

function tileData(tiles: readonly Tile[]) {
  const byId = tiles.map(({ z, x, y, data }) => ({ id: zxyToTileId(z, x, y), data })).sort((a, b) => a.id - b.id);
  const known = new Map<string, { offset: number; length: number }>();
  const contents: Uint8Array[] = [];
  const entries: Entry[] = [];
  let offset = 0;
  for (const { id, data } of byId) {
    const hash = createHash("sha256").update(data).digest("hex");
    let place = known.get(hash);
    if (place === undefined) {
      const content = gzip(data);
      contents.push(content);
      place = { offset, length: content.length };
      known.set(hash, place);
      offset += content.length;
    }
    const last = entries.at(-1);
    if (last && last.offset === place.offset && last.id + last.run === id) last.run++;
    else entries.push({ id, ...place, run: 1 });
  }
  return { entries, contents, addressed: byId.length };
}

/** One directory, or a root that names leaves if one is too large. */
function directories(entries: readonly Entry[]): { root: Uint8Array; leaves: Uint8Array } {
  const root = directory(entries);
  if (root.length <= MAX_ROOT_BYTES) return { root, leaves: new Uint8Array() };
  const leaves: Uint8Array[] = [];
  const named: Entry[] = [];
  let offset = 0;
  for (let from = 0; from < entries.length; from += LEAF_ENTRIES) {
    const leaf = directory(entries.slice(from, from + LEAF_ENTRIES));
    // A run of 0 names a leaf.
    named.push({ id: entries[from]!.id, offset, length: leaf.length, run: 0 });
    leaves.push(leaf);
    offset += leaf.length;
  }
  return { root: directory(named), leaves: concat(leaves) };
}

function directory(entries: readonly Entry[]): Uint8Array {
  const bytes: number[] = [];
  const varint = (value: number) => {
    while (value > 127) {
      bytes.push(value % 128 + 128);
      value = Math.floor(value / 128);
    }
    bytes.push(value);
  };
  varint(entries.length);
  entries.forEach(({ id }, index) => varint(id - (entries[index - 1]?.id ?? 0)));
  entries.forEach(({ run }) => varint(run));
  entries.forEach(({ length }) => varint(length));
  entries.forEach(({ offset }, index) => {
    const before = entries[index - 1];
    varint(before && before.offset + before.length === offset ? 0 : offset + 1);
  });
  return gzip(new Uint8Array(bytes));
}

/** West, south, east and north of all tiles. */
function boundsOf(tiles: readonly Tile[]): [number, number, number, number] {
  const bounds: [number, number, number, number] = [180, 90, -180, -90];
  for (const { z, x, y } of tiles) {
    const lng = (x: number) => x / 2 ** z * 360 - 180;
    const lat = (y: number) => Math.atan(Math.sinh(Math.PI * (1 - 2 * y / 2 ** z))) * 180 / Math.PI;
    bounds[0] = Math.min(bounds[0], lng(x));
    bounds[1] = Math.min(bounds[1], lat(y + 1));
    bounds[2] = Math.max(bounds[2], lng(x + 1));
    bounds[3] = Math.max(bounds[3], lat(y));
  }
  return bounds;
}

/** The same bytes on every machine: the header of gzip names the system. */
function gzip(bytes: Uint8Array): Uint8Array {
  const zipped = gzipSync(bytes, { level: 9 });
  zipped[9] = 255;
  return zipped;
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
