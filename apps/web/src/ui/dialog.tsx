/** A modal dialog: the browser keeps the focus inside, and Escape closes it. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { pageTexts } from "../texts/pages.ts";

const text = pageTexts(({ ui }) => ui.dialog);

export function Dialog(
  { title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren },
) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="quiet" aria-label={text.value.close} onClick={() => dialog.current?.close()}>
          ×
        </button>
      </div>
      {children}
    </dialog>
  );
}
