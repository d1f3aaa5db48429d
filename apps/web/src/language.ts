/// <reference lib="dom" />
/** The language of the pages, Japanese or English, and the catalogs of texts in it. */
import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import { initialLanguage, type Language, LANGUAGES, STORED } from "./stored_language.ts";

export { type Language, LANGUAGES };

/** Times and numbers as people write them in the language. */
const LOCALES: Readonly<Record<Language, string>> = { en: "en-GB", ja: "ja-JP" };

// A browser without a locale can name a language that is none, such as `en-US@posix`. Libraries give it to Intl, which throws.
if (!isLanguage(navigator.language)) {
  Object.defineProperty(navigator, "language", { value: LOCALES[initialLanguage()], configurable: true });
}

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const current = signal(initialLanguage());
/** The language of the pages; all texts that are in use are there. */
export const language: ReadonlySignal<Language> = current;
export const locale = computed(() => LOCALES[current.value]);

effect(() => {
  document.documentElement.lang = language.value;
  localStorage.setItem(STORED, language.value);
});

/** The language that was chosen last, while its texts are being loaded. */
let chosen = current.peek();
const catalogs: ((language: Language) => Promise<void>)[] = [];

/** Loads the texts of a language, and then shows the pages in it. The newest choice counts. */
export async function chooseLanguage(next: Language): Promise<void> {
  chosen = next;
  try {
    await Promise.all(catalogs.map((load) => load(next)));
  } catch (error) {
    if (chosen === next) chosen = current.peek();
    throw error;
  }
  if (chosen === next) current.value = next;
}

/** The part of a catalog that a page uses. */
export type SelectTexts<Texts> = <Part>(select: (texts: Texts) => Part) => ReadonlySignal<Part>;

/** Loads a catalog of texts in the current language. Another language is loaded when it is chosen. */
export async function loadCatalog<Texts extends object>(
  loaders: Readonly<Record<Language, () => Promise<Texts>>>,
): Promise<SelectTexts<Texts>> {
  const loaded = new Map<Language, Texts>();
  const load = async (language: Language) => {
    if (!loaded.has(language)) loaded.set(language, await loaders[language]());
  };
  catalogs.push(load);
  await Promise.all([load(current.peek()), load(chosen)]);
  return (select) => computed(() => select(loaded.get(current.value)!));
}
