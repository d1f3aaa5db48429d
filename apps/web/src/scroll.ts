/// <reference lib="dom" />
/** How far each entry of the history was scrolled: who goes back comes to the same place. */
import { newKey } from "./keys.ts";

/** By the name of the element: empty for the page, the value of `data-keep-scroll` for another element. */
type Scrolls = Readonly<Record<string, number>>;

const STORED = "scrolls";
const MAX_ENTRIES = 50;
const DEADLINE_MS = 8_000;

history.scrollRestoration = "manual";

const entries = new Map<string, Scrolls>(JSON.parse(sessionStorage.getItem(STORED) ?? "[]"));
let current = keyOfEntry();
// After a reload.
restoreScroll();
addEventListener("pagehide", () => {
  leave();
  sessionStorage.setItem(STORED, JSON.stringify([...entries]));
});

/** The key of the entry of the history, which it gets when it is first there. */
function keyOfEntry(): string {
  const key: unknown = history.state?.key;
  if (typeof key === "string") return key;
  const made = newKey();
  history.replaceState({ key: made }, "");
  return made;
}

const kept = () => [...document.querySelectorAll<HTMLElement>("[data-keep-scroll]")];

function leave(): void {
  entries.delete(current);
  entries.set(current, {
    "": scrollY,
    ...Object.fromEntries(kept().map((element) => [element.dataset["keepScroll"]!, element.scrollTop])),
  });
  if (entries.size > MAX_ENTRIES) entries.delete(entries.keys().next().value!);
}

/** Notes how far the entry was scrolled that is left now. */
export function changeEntry(): void {
  leave();
  current = keyOfEntry();
}

/** Scrolls to where this entry was left, as soon as the page is long enough. False for an entry that is new. */
export function restoreScroll(): boolean {
  const left = entries.get(current);
  if (left === undefined) return false;
  const [entry, deadline] = [current, performance.now() + DEADLINE_MS];
  const open = new Map(Object.entries(left).filter(([name, top]) => name === "" || top > 0));
  const stop = new AbortController();
  // A person who scrolls knows better.
  for (const event of ["wheel", "touchstart", "keydown", "pointerdown"]) {
    addEventListener(event, () => stop.abort(), { signal: stop.signal, passive: true });
  }
  const step = () => {
    if (stop.signal.aborted) return;
    if (entry !== current || performance.now() > deadline) return stop.abort();
    const elements = new Map<string, Element>([["", document.documentElement]]);
    for (const element of kept()) elements.set(element.dataset["keepScroll"]!, element);
    for (const [name, top] of open) {
      const element = elements.get(name);
      if (element === undefined || element.scrollHeight - element.clientHeight < top) continue;
      element.scrollTop = top;
      open.delete(name);
    }
    if (open.size === 0) stop.abort();
    else requestAnimationFrame(step);
  };
  // The page of this entry is drawn in the next frame.
  requestAnimationFrame(step);
  return true;
}
