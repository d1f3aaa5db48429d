/// <reference lib="dom" />
/** A list, and the open entry in a panel at its right: the list stays. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { href } from "../../router.ts";
import { consoleTexts } from "../../texts/console.ts";

const text = consoleTexts(({ kit }) => kit.resource);

export interface SidePanelProps {
  /** What names the open entry in the address; undefined if none is open. */
  readonly open: string | undefined;
  /** Where the button that closes the panel leads. */
  readonly back: string;
  readonly title: string;
  readonly list: ComponentChildren;
  readonly children: ComponentChildren;
}

export function SidePanel({ open, back, title, list, children }: SidePanelProps) {
  const panel = useRef<HTMLElement>(null);
  const holder = useRef<HTMLDivElement>(null);
  const before = useRef<string>(undefined);
  useEffect(() => {
    if (open !== undefined) panel.current?.focus();
    else if (before.current !== undefined) holder.current?.focus();
    before.current = open;
  }, [open]);
  return (
    <div class={`console-split${open === undefined ? "" : " is-open"}`}>
      <div class="console-split-list" ref={holder} tabIndex={-1}>{list}</div>
      {open !== undefined && (
        <section class="console-panel" ref={panel} tabIndex={-1} aria-label={title}>
          <div class="console-panel-head">
            <h2>{title}</h2>
            <a class="button quiet" href={href(back)} aria-label={text.value.close}>×</a>
          </div>
          <div key={open}>{children}</div>
        </section>
      )}
    </div>
  );
}
