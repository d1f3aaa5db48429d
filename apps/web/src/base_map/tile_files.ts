/** Vector tiles in one file: MapLibre reads the parts that it needs by range requests. */
import maplibregl from "maplibre-gl";
import { type Header, PMTiles, Protocol } from "pmtiles";

const protocol = new Protocol();
maplibregl.addProtocol("pmtiles", protocol.tile);

/** The address of a file for a source of a style. Relative ones are beside the page. */
export function tileSource(url: string): string {
  return `pmtiles://${new URL(url, document.baseURI).href}`;
}

export interface TileFile {
  /** West, south, east, north. */
  readonly bounds: readonly [number, number, number, number];
  readonly layers: ReadonlySet<string>;
}

/** Which layers a file has, and where. */
export async function readTileFile(url: string): Promise<TileFile> {
  const file = new PMTiles(new URL(url, document.baseURI).href);
  protocol.add(file);
  const [header, metadata]: [Header, unknown] = await Promise.all([file.getHeader(), file.getMetadata()]);
  const { vector_layers: layers = [] } = metadata as { vector_layers?: readonly { readonly id: string }[] };
  return {
    bounds: [header.minLon, header.minLat, header.maxLon, header.maxLat],
    layers: new Set(layers.map(({ id }) => id)),
  };
}
