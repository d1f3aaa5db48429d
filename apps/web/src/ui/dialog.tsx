/// <reference lib="dom" />
/** A modal dialog: the browser keeps the focus inside, and Escape closes it. On a phone it comes from the bottom. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { pageTexts } from "../texts/pages.ts";
import { Icon } from "./icon.tsx";

const text = pageTexts(({ ui }) => ui.dialog);

/** Where the work of a dialog begins: a marked element, the first field, or else the first button below the head. */
const FIRST = ["[autofocus]", "input:not([type=hidden]), select, textarea", "button, a[href]"];

/** Moves the focus to where the work begins, also when that is read first. */
function focusFirst(body: HTMLElement): () => void {
  const focus = () => {
    const first = FIRST.map((selector) => body.querySelector<HTMLElement>(selector)).find(Boolean);
    first?.focus();
    return first !== undefined;
  };
  const observer = new MutationObserver(() => {
    // Who has moved on inside of the dialog is left alone.
    if (body.contains(document.activeElement) || focus()) observer.disconnect();
  });
  if (!focus()) observer.observe(body, { childList: true, subtree: true });
  return () => observer.disconnect();
}

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly class?: string;
}

export function Dialog({ title, onClose, children, class: kind }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current!.showModal();
    const stop = focusFirst(body.current!);
    return () => {
      stop();
      // The element is taken out of the page while it is open: the browser does not give the focus back.
      if (before instanceof HTMLElement && before !== document.body && before.isConnected) before.focus();
      else document.getElementById("content")?.focus({ preventScroll: true });
    };
  }, []);
  const closeAtBackdrop = (event: MouseEvent) => {
    if (event.target === dialog.current) dialog.current!.close();
  };
  return (
    <dialog ref={dialog} class={kind} aria-labelledby={id} onClose={onClose} onClick={closeAtBackdrop}>
      <div class="dialog-all">
        <div class="dialog-head">
          <h2 id={id}>{title}</h2>
          <button
            type="button"
            class="icon-button"
            aria-label={text.value.close}
            onClick={() => dialog.current?.close()}
          >
            <Icon name="close" />
          </button>
        </div>
        <div ref={body}>{children}</div>
      </div>
    </dialog>
  );
}
