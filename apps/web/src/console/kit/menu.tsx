/// <reference lib="dom" />
/** A button that opens a small box below it. Escape and a click elsewhere close the box. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

export function Menu({ name, mark, children }: {
  name: string;
  /** Shown beside the name, for example a count. */
  mark?: string | undefined;
  children: ComponentChildren;
}) {
  const holder = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const menu = holder.current!;
      if (
        !menu.open || (event instanceof KeyboardEvent ? event.key !== "Escape" : menu.contains(event.target as Node))
      ) {
        return;
      }
      menu.open = false;
      if (event instanceof KeyboardEvent) menu.querySelector("summary")!.focus();
    };
    addEventListener("pointerdown", close);
    addEventListener("keydown", close);
    return () => {
      removeEventListener("pointerdown", close);
      removeEventListener("keydown", close);
    };
  }, []);
  return (
    <details class="console-menu" ref={holder}>
      <summary class="button">
        {name}
        {mark && <span class="console-menu-mark">{mark}</span>}
      </summary>
      <div class="console-menu-box">{children}</div>
    </details>
  );
}
