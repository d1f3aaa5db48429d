/** The labels of the service's codes in the current language. */
import { computed, effect, signal } from "@preact/signals";
import type { components } from "parking-lot-client";
import { type Language, language } from "./language.ts";
import { client } from "./service.ts";

type CodeRow = components["schemas"]["CodeRow"];

const loaded = signal<Partial<Record<Language, readonly CodeRow[]>>>({});

effect(() => {
  const lang = language.value;
  if (loaded.peek()[lang]) return;
  // Without labels the pages show the codes themselves.
  client.GET("/v1/codes", { params: { query: { lang } } })
    .then(({ data }) => loaded.value = { ...loaded.peek(), [lang]: data.items })
    .catch((error: unknown) => console.warn("The labels of codes could not be read.", error));
});

const byCategory = computed(() => Map.groupBy(loaded.value[language.value] ?? [], (row) => row.category_id));

/** The label of a code; the code itself while the labels are not there. */
export function label(category: string, code: string): string {
  return byCategory.value.get(category)?.find((row) => row.code === code)?.display_label ?? code;
}

/** The codes of a category with their labels, in the service's order, for `Select`. */
export function options(category: string): [code: string, label: string][] {
  return (byCategory.value.get(category) ?? []).map((row) => [row.code, row.display_label]);
}
