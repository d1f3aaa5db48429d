/** The settings of the application: `settings.json` beside the page, or the query of the page's address. */

export interface BaseMap {
  /** The id in the contents of the viewer's storage. */
  readonly id: string;
  readonly name: string;
  /** Raster tiles of 256 px with `{z}`, `{x}` and `{y}`. */
  readonly url: string;
  readonly attribution: string;
  readonly maxZoom: number;
}

export interface Settings {
  /** The address of the Supabase project, without a path. Empty: the origin of the page. */
  readonly api: string;
  /** The publishable key of the project. */
  readonly key: string;
  /** Other origins of pictures and uploads: that of `CDN_URL` and that of the object storage, if they are not the project's. */
  readonly storageOrigins: readonly string[];
  /** Base maps that a viewer can choose. Until one is chosen the map has a plain grid, and no tile is requested. */
  readonly baseMaps: readonly BaseMap[];
  /** Where the map begins. */
  readonly start: { readonly lat: number; readonly lng: number; readonly zoom: number };
}

async function readSettings(): Promise<Settings> {
  const response = await fetch("settings.json");
  if (!response.ok) throw new Error(`settings.json: status ${response.status}`);
  const settings: Settings = await response.json();
  const query = new URLSearchParams(location.search);
  return {
    ...settings,
    api: query.get("api") ?? (settings.api || location.origin),
    key: query.get("key") ?? settings.key,
  };
}

export const settings = await readSettings();
