/** The texts of the application without the console, in the current language. */
import { loadCatalog } from "../language.ts";

export const pageTexts = await loadCatalog({
  en: () => import("./en/pages.ts").then(({ texts }) => texts),
  ja: () => import("./ja/pages.ts").then(({ texts }) => texts),
});
