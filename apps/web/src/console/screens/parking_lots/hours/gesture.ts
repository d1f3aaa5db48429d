/// <reference lib="dom" />
/** What a pointer does on the week: it paints, erases, moves a span, or moves an end of one. */
import { useRef } from "preact/hooks";
import { type Day, DAY_MINUTES, erased, painted, replaced, type Span, type Week, withLine } from "./week_hours.ts";

/** The hours that a line shows: after midnight some of the next day. */
export const SHOWN_MINUTES = 30 * 60;
export const STEP = 30;

export type Brush = "open" | "closed";
type Part = "start" | "end" | "whole";

interface Gesture {
  readonly day: Day;
  readonly at: number;
  readonly week: Week;
  /** The span that is moved; none is painted or erased. */
  readonly span?: { readonly index: number; readonly part: Part; readonly before: Span };
  hasMoved: boolean;
}

interface Painting {
  readonly week: Week;
  readonly brush: Brush;
  readonly onChange: (week: Week) => void;
  readonly onChoose: (day: Day) => void;
}

const dayOf = (element: Element): Day => {
  const { day } = (element as HTMLElement).dataset;
  return day!.startsWith("holiday") ? day as Day : Number(day) as Day;
};

/** The minute under the pointer; steps for what is painted. */
function minuteAt(track: Element, x: number): number {
  const { left, width } = track.getBoundingClientRect();
  return Math.min(Math.max((x - left) / width, 0), 1) * SHOWN_MINUTES;
}

const stepAt = (minute: number) => Math.floor(minute / STEP) * STEP;

/** The steps between two moments, both with theirs. */
function between(a: number, b: number): Span {
  return { from: Math.min(stepAt(a), DAY_MINUTES - STEP, stepAt(b)), to: Math.max(stepAt(a), stepAt(b)) + STEP };
}

/** The lines from the one where the pointer went down to the one where it is. */
function daysBetween(grid: Element, day: Day, y: number): Day[] {
  const tracks = [...grid.querySelectorAll("[data-day]")];
  const first = tracks.findIndex((track) => dayOf(track) === day);
  const below = tracks.findIndex((track) => y < track.getBoundingClientRect().bottom);
  const last = below === -1 ? tracks.length - 1 : below;
  return tracks.slice(Math.min(first, last), Math.max(first, last) + 1).map(dayOf);
}

function moved({ span, at }: Gesture, minute: number): Span {
  const { before, part } = span!;
  const by = Math.round((minute - at) / STEP) * STEP;
  if (part === "start") return { from: Math.min(before.from + by, before.to - STEP), to: before.to };
  if (part === "end") return { from: before.from, to: Math.max(before.to + by, before.from + STEP) };
  const from = Math.min(Math.max(before.from + by, 0), DAY_MINUTES - STEP);
  return { from, to: from + before.to - before.from };
}

/** The handlers of the grid. What a gesture has done is taken back when the page scrolls instead. */
export function usePainting(painting: Painting) {
  const gesture = useRef<Gesture | undefined>(undefined);
  const { week, brush, onChange, onChoose } = painting;
  const show = (grid: Element, event: PointerEvent) => {
    const { day, span, week: before, at } = gesture.current!;
    const track = grid.querySelector(`[data-day="${day}"]`)!;
    const minute = minuteAt(track, event.clientX);
    if (span !== undefined) {
      onChange(withLine(before, day, replaced(before?.get(day), span.index, moved(gesture.current!, minute))));
      return;
    }
    const change = brush === "open" ? painted : erased;
    const days = daysBetween(grid, day, event.clientY);
    onChange(days.reduce((week, day) => withLine(week, day, change(week?.get(day), between(at, minute))), before));
  };
  return {
    onPointerDown: (event: PointerEvent & { currentTarget: Element }) => {
      const target = event.target as Element;
      const track = target.closest("[data-day]");
      if (track === null || event.button !== 0) return;
      const day = dayOf(track);
      const bar = brush === "open" ? target.closest<HTMLElement>("[data-span]") : null;
      const index = Number(bar?.dataset["span"]);
      const before = week?.get(day)?.[index];
      gesture.current = {
        day,
        at: minuteAt(track, event.clientX),
        week,
        hasMoved: false,
        ...(before && bar
          ? {
            span: {
              index,
              before,
              part: target.closest<HTMLElement>("[data-part]")?.dataset["part"] as Part ?? "whole",
            },
          }
          : {}),
      };
      event.currentTarget.setPointerCapture(event.pointerId);
      onChoose(day);
    },
    onPointerMove: (event: PointerEvent & { currentTarget: Element }) => {
      const current = gesture.current;
      if (current === undefined) return;
      const track = event.currentTarget.querySelector(`[data-day="${current.day}"]`)!;
      const isFar = Math.abs(minuteAt(track, event.clientX) - current.at) >= STEP / 2 ||
        daysBetween(event.currentTarget, current.day, event.clientY).length > 1;
      if (!current.hasMoved && !isFar) return;
      current.hasMoved = true;
      show(event.currentTarget, event);
    },
    onPointerUp: () => gesture.current = undefined,
    onPointerCancel: () => {
      if (gesture.current?.hasMoved) onChange(gesture.current.week);
      gesture.current = undefined;
    },
  };
}
