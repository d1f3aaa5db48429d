/// <reference lib="dom" />
/** Keys of the console. Single letters can be turned off, for those who speak to the page or press keys by accident. */
import { effect, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

const STORED = "console-shortcuts";

export const areLettersOn = signal(localStorage.getItem(STORED) !== "off");
effect(() => localStorage.setItem(STORED, areLettersOn.value ? "on" : "off"));

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));

/** Runs what belongs to a letter, while no field and no dialog has the focus. */
export function useLetters(acts: Readonly<Record<string, () => void>>): void {
  // Those of the newest drawing: a key can be faster than an effect.
  const newest = useRef(acts);
  newest.current = acts;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!areLettersOn.value || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
      const act = newest.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

/** Ctrl+K, and ⌘K on a Mac. */
export function useCommandK(open: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      open();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
