/// <reference lib="dom" />
/** What runs first, before the application is there: it requests the texts, and helps if the application cannot start. */
import { hasReloaded } from "./parts.ts";
import { initialLanguage } from "./stored_language.ts";

const TEXTS = {
  en: () => import("./texts/en/pages.ts"),
  ja: () => import("./texts/ja/pages.ts"),
};
// The application asks for the texts again, and says what is wrong.
TEXTS[initialLanguage()]().catch(() => {});

// A module that is missing, as after a deployment, or that breaks at its start.
addEventListener("error", ({ target, message }) => {
  const starting = document.querySelector(".starting");
  const isModule = target instanceof HTMLScriptElement || target instanceof HTMLLinkElement;
  if (starting === null || !(isModule || message)) return;
  if (navigator.onLine && !hasReloaded("start")) location.reload();
  else document.querySelector<HTMLElement>(".starting-failed")!.hidden = false;
}, true);
