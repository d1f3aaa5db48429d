/** The settings of the application: `settings.json` beside the page. */
import { projectOf } from "./project.ts";

export interface BaseMap {
  /** The id in the contents of the viewer's storage. */
  readonly id: string;
  readonly name: string;
  /** Raster tiles of 256 px with `{z}`, `{x}` and `{y}`. */
  readonly url?: string;
  readonly maxZoom?: number;
  /** Instead of raster tiles: the address of a vector style for MapLibre. */
  readonly style?: string;
  /** Further origins that the style reads: tiles, glyphs and sprites. */
  readonly origins?: readonly string[];
  readonly attribution: string;
}

/** A PMTiles file with streets, in the schema of OpenMapTiles or of Protomaps. */
export interface Streets {
  /** An address, or a path from the page. */
  readonly url: string;
  readonly attribution: string;
}

export interface Settings {
  /** The name of the application, as its users read it. */
  readonly name: string;
  /** The address of the Supabase project, without a path. Empty: the origin of the page. */
  readonly api: string;
  /** The publishable key of the project. */
  readonly key: string;
  /** Other origins of pictures and uploads: that of `CDN_URL` and that of the object storage, if they are not the project's. */
  readonly storageOrigins: readonly string[];
  /** The PMTiles file of the map's own layers, an address or a path from the page. Empty: the map has none. */
  readonly layers: string;
  /** Streets on the map's own layers. */
  readonly streets?: Streets;
  /** Other maps that a viewer can choose. Nothing is requested from them until then. */
  readonly baseMaps: readonly BaseMap[];
  /** The documentation, to which the console links: an address or a path from the page, `../docs/` by default. */
  readonly docs?: string;
  /** Where the map begins. */
  readonly start: { readonly lat: number; readonly lng: number; readonly zoom: number };
}

async function readSettings(): Promise<Settings> {
  const response = await fetch("settings.json");
  if (!response.ok) throw new Error(`settings.json: status ${response.status}`);
  const settings: Settings = await response.json();
  return { ...settings, ...projectOf(settings, location) };
}

export const settings = await readSettings();
