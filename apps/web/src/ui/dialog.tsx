/** A modal dialog: the browser keeps the focus inside, and Escape closes it. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { texts } from "../language.ts";

const text = texts({ en: { close: "Close" }, ja: { close: "閉じる" } });

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
