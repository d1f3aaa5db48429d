/** The texts of the console, in the current language. */
import { loadCatalog } from "../language.ts";
import { loadPart } from "../parts.ts";

export const consoleTexts = await loadCatalog({
  en: () => loadPart(() => import("./en/console.ts"), ({ texts }) => texts),
  ja: () => loadPart(() => import("./ja/console.ts"), ({ texts }) => texts),
});
