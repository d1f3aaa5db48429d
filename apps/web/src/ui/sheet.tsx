/** A dialog for one act, such as the start of a session: its fields scroll, and its buttons stay at the bottom. */
import type { ComponentChildren } from "preact";
import { Dialog, type DialogProps } from "./dialog.tsx";

export interface SheetProps extends DialogProps {
  /** The buttons below the fields; the first is the one that most people press. */
  readonly actions: ComponentChildren;
}

export function Sheet({ actions, children, ...dialog }: SheetProps) {
  return (
    <Dialog {...dialog} class={["sheet", dialog.class].filter(Boolean).join(" ")}>
      <div class="sheet-fields">{children}</div>
      <div class="sheet-actions">{actions}</div>
    </Dialog>
  );
}
