/** The page that the address names. The path is in the fragment, so that any static host can serve the application. */
import { signal } from "@preact/signals";
import { changeEntry } from "./scroll.ts";

export interface Place {
  /** For example `/lots/555c77e1-…`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

function placeOf(fragment: string): Place {
  const [path = "", query = ""] = fragment.replace(/^#/, "").split(/\?(.*)/s);
  // A fragment without `/` is not an address: mails of the auth server lead here with tokens in it.
  return path.startsWith("/")
    ? { path, query: new URLSearchParams(query) }
    : { path: "/", query: new URLSearchParams() };
}

export const place = signal(placeOf(location.hash));
addEventListener("hashchange", () => {
  changeEntry();
  place.value = placeOf(location.hash);
});

type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The address of a page, for `href`. Values that are null, undefined or empty are left out. */
export function href(path: string, query: Query = {}): string {
  const values = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const search = new URLSearchParams(values.map(([name, value]) => [name, String(value)])).toString();
  return `#${path}${search && `?${search}`}`;
}

export function navigate(path: string, query: Query = {}): void {
  location.hash = href(path, query);
}

/** Changes the query of the page without an entry in the history. */
export function replaceQuery(query: Query): void {
  history.replaceState(history.state, "", href(place.value.path, query));
  place.value = placeOf(location.hash);
}
