/// <reference lib="dom" />
/** The theme that the user chose: it sets the colours of the page. This browser keeps it for the next start. */
import { effect } from "@preact/signals";
import { client, user } from "./service.ts";
import { themeNameOf, THEMES } from "./theme_names.ts";

const STORED = "theme";

function show(name: string | undefined): void {
  const root = document.documentElement;
  if (name !== undefined && (THEMES as readonly string[]).includes(name)) {
    root.dataset["theme"] = name;
    localStorage.setItem(STORED, name);
  } else {
    delete root.dataset["theme"];
    localStorage.removeItem(STORED);
  }
}

show(localStorage.getItem(STORED) ?? undefined);

let reads = 0;

/** Shows the theme that the user applied last, on any device. A read that began before the newest one counts no more. */
export async function readTheme(signal?: AbortSignal): Promise<void> {
  const read = ++reads;
  const { data } = await client.GET("/v1/me/themes", signal ? { signal } : {});
  if (read !== reads) return;
  const applied = data.items.find(({ is_applied }) => is_applied)?.theme;
  show(applied && themeNameOf(applied));
}

effect(() => {
  // Until the stored session is read, nobody knows whose theme it is.
  if (user.value === undefined) return;
  if (user.value === null) return show(undefined);
  const abort = new AbortController();
  readTheme(abort.signal).catch((error: unknown) =>
    abort.signal.aborted || console.warn("The theme could not be read.", error)
  );
  return () => abort.abort();
});
