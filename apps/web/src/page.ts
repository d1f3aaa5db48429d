/** What a page of the application gets, and what it gives to the frame. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

export interface PageProps {
  /** The parts of the path after the name of the page: `["555c77e1-…"]` for `/lots/555c77e1-…`. */
  readonly parts: readonly string[];
}

/** The one action of a page, at the right of its header. */
export interface PageAction {
  readonly label: string;
  readonly perform: () => unknown;
  /** For an action that switches something on and off. */
  readonly isPressed?: boolean;
}

export const pageAction = signal<PageAction | undefined>(undefined);

/** Puts the action into the header while the page is shown. */
export function usePageAction(action: PageAction | undefined): void {
  useEffect(() => {
    pageAction.value = action;
  });
  useEffect(() => () => void (pageAction.value = undefined), []);
}
