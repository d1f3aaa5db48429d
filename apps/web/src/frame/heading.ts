/// <reference lib="dom" />
/** The name of the page: its heading, which can change after a read. The document and the header of a phone have it. */
import { signal } from "@preact/signals";
import { settings } from "../settings.ts";

interface Heading {
  readonly text: string;
  /** Whether the page itself shows the heading on a phone, with `class="shown"`. Then the header has another title. */
  readonly isShown: boolean;
}

export const heading = signal<Heading>({ text: "", isShown: false });

export function followHeading(main: HTMLElement): () => void {
  const name = () => {
    const element = main.querySelector("h1");
    const text = element?.textContent ?? "";
    const title = [text, settings.name].filter(Boolean).join(" – ");
    if (document.title !== title) document.title = title;
    const isShown = element?.classList.contains("shown") ?? false;
    if (heading.peek().text !== text || heading.peek().isShown !== isShown) heading.value = { text, isShown };
  };
  const observer = new MutationObserver(name);
  observer.observe(main, { childList: true, subtree: true, characterData: true });
  name();
  return () => observer.disconnect();
}
