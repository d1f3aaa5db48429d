/** The texts of the application without the console, in the current language. */
import { loadCatalog } from "../language.ts";
import { loadPart } from "../parts.ts";

export const pageTexts = await loadCatalog({
  en: () => loadPart(() => import("./en/pages.ts"), ({ texts }) => texts),
  ja: () => loadPart(() => import("./ja/pages.ts"), ({ texts }) => texts),
});
