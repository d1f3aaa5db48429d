/** The texts of the console, in the current language. */
import { loadCatalog } from "../language.ts";

export const consoleTexts = await loadCatalog({
  en: () => import("./en/console.ts").then(({ texts }) => texts),
  ja: () => import("./ja/console.ts").then(({ texts }) => texts),
});
