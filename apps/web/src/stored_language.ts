/// <reference lib="dom" />
/** The languages of the pages, and the one that a visit begins with. What is requested first imports this alone. */

export const LANGUAGES = { en: "English", ja: "日本語" } as const;
export type Language = keyof typeof LANGUAGES;

/** The name of the choice in the browser's storage. */
export const STORED = "language";

export function initialLanguage(): Language {
  const stored = localStorage.getItem(STORED) ?? navigator.language.slice(0, 2);
  return stored === "ja" ? "ja" : "en";
}
