/** The language of the pages, Japanese or English, and their texts. */
import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";

export const LANGUAGES = { en: "English", ja: "日本語" } as const;
export type Language = keyof typeof LANGUAGES;

const STORED = "language";

function initial(): Language {
  const stored = localStorage.getItem(STORED) ?? navigator.language.slice(0, 2);
  return stored === "ja" ? "ja" : "en";
}

export const language = signal<Language>(initial());

effect(() => {
  document.documentElement.lang = language.value;
  localStorage.setItem(STORED, language.value);
});

/** The texts of a page in the current language. Each text is a string, or a function that returns one. */
export function texts<Texts extends object>(byLanguage: { en: Texts; ja: NoInfer<Texts> }): ReadonlySignal<Texts> {
  return computed(() => byLanguage[language.value]);
}
