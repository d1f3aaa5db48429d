/// <reference lib="dom" />
/** The sheet over the map of a phone, at three heights: it follows the finger, and has a button for keys. Beside the map of a
 * wide screen it is a column. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { pageTexts } from "../../texts/pages.ts";
import { type Level, levelOf, LEVELS } from "./sheet_level.ts";

const text = pageTexts(({ map }) => map.bottomSheet);

/** A finger that moves less has tapped. */
const TAP_PX = 6;
export interface BottomSheetProps {
  readonly label: string;
  readonly level: Level;
  readonly onLevel: (level: Level) => void;
  readonly scroller: { current: HTMLDivElement | null };
  readonly children: ComponentChildren;
}

export function BottomSheet({ label, level, onLevel, scroller, children }: BottomSheetProps) {
  const t = text.value;
  const sheet = useRef<HTMLElement>(null);
  const newest = useRef(onLevel);
  newest.current = onLevel;
  useEffect(() => followFinger(sheet.current!, scroller.current!, (level) => newest.current(level)), []);
  const step = (by: number) => onLevel(LEVELS[LEVELS.indexOf(level) + by] ?? level);
  return (
    <section class={`sheet-over sheet-${level}`} ref={sheet} aria-label={label}>
      <button
        type="button"
        class="sheet-handle"
        aria-label={level === "full" ? t.less : t.more}
        aria-expanded={level !== "low"}
        onClick={() => level === "full" ? onLevel("low") : step(1)}
        onKeyDown={({ key }) => {
          if (key === "ArrowUp") step(1);
          if (key === "ArrowDown") step(-1);
        }}
      />
      <div class="sheet-scroll" data-keep-scroll="list" ref={scroller}>{children}</div>
    </section>
  );
}

/** The heights of the style sheet, in pixels. */
function heightsOf(sheet: HTMLElement): Record<Level, number> {
  const before = sheet.className;
  const height = (level: Level) => {
    sheet.className = `sheet-over sheet-${level} sheet-moving`;
    return sheet.getBoundingClientRect().height;
  };
  const heights = { low: height("low"), half: height("half"), full: height("full") };
  sheet.className = before;
  return heights;
}

/** The sheet follows a finger on its handle, and on its list until it is at its full height: then the list scrolls. */
function followFinger(sheet: HTMLElement, scroller: HTMLElement, onLevel: (level: Level) => void): () => void {
  const abort = new AbortController();
  const { signal } = abort;
  let drag: { y: number; height: number; at: number; last: number; speed: number; isMoving: boolean } | undefined;
  const isAtTop = () => scroller.scrollTop <= 0;
  const isFull = () => sheet.classList.contains("sheet-full");
  // The times of the touches, not of their handling: a page that is busy gets several at once, and they are no flick.
  sheet.addEventListener("touchstart", ({ touches: [touch, second], timeStamp }) => {
    drag = undefined;
    if (touch === undefined || second !== undefined || getComputedStyle(sheet).position === "static") return;
    const { height } = sheet.getBoundingClientRect();
    drag = { y: touch.clientY, height, at: timeStamp, last: touch.clientY, speed: 0, isMoving: false };
  }, { signal, passive: true });
  sheet.addEventListener("touchmove", (event) => {
    const [touch] = event.touches;
    if (drag === undefined || touch === undefined) return;
    const moved = drag.y - touch.clientY;
    const isHandle = !scroller.contains(event.target as Node);
    if (!drag.isMoving) {
      if (Math.abs(moved) < TAP_PX) return;
      // The list scrolls where it can.
      if (!isHandle && (isFull() ? moved > 0 || !isAtTop() : !isAtTop() && moved < 0)) {
        drag = undefined;
        return;
      }
      drag.isMoving = true;
      sheet.classList.add("sheet-moving");
    }
    event.preventDefault();
    drag.speed = (drag.last - touch.clientY) / Math.max(1, event.timeStamp - drag.at);
    drag.last = touch.clientY;
    drag.at = event.timeStamp;
    sheet.style.height = `${drag.height + moved}px`;
  }, { signal, passive: false });
  const end = () => {
    if (drag?.isMoving) {
      const { height } = sheet.getBoundingClientRect();
      sheet.style.height = "";
      sheet.classList.remove("sheet-moving");
      onLevel(levelOf(height, heightsOf(sheet), drag.speed));
    }
    drag = undefined;
  };
  sheet.addEventListener("touchend", end, { signal });
  sheet.addEventListener("touchcancel", end, { signal });
  return () => abort.abort();
}
