/// <reference lib="dom" />
/** A month: a day or several are chosen by pointer, by touch and by keys. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { dateName, weekdayName } from "../../../../format.ts";
import { consoleTexts } from "../../../../texts/console.ts";
import { addDays, addMonths, weeksOf } from "./override_days.ts";

const text = consoleTexts(({ days }) => days);

/** What was chosen first and what last. */
export interface Range {
  readonly anchor: string;
  readonly focus: string;
}

interface CalendarProps {
  readonly range: Range;
  readonly today: string;
  readonly onChange: (range: Range) => void;
  /** What a day shows, and says. */
  readonly mark: (date: string) => { readonly kind: string; readonly shown: ComponentChildren; readonly said: string };
}

const isIn = (date: string, { anchor, focus }: Range) =>
  date >= (anchor < focus ? anchor : focus) && date <= (anchor < focus ? focus : anchor);

export function Calendar({ range, today, onChange, mark }: CalendarProps) {
  const t = text.value;
  const grid = useRef<HTMLTableElement>(null);
  const isDragged = useRef(false);
  const hasMoved = useRef(false);
  const month = range.focus.slice(0, 7);
  const weeks = weeksOf(range.focus);
  useLayoutEffect(() => {
    if (hasMoved.current) grid.current?.querySelector<HTMLElement>(`[data-date="${range.focus}"]`)?.focus();
    hasMoved.current = false;
  }, [range.focus]);
  const go = (months: number) => {
    const date = addMonths(range.focus, months);
    onChange({ anchor: date, focus: date });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { anchor, focus } = range;
    const moves: Readonly<Record<string, () => string>> = {
      ArrowLeft: () => addDays(focus, -1),
      ArrowRight: () => addDays(focus, 1),
      ArrowUp: () => addDays(focus, -7),
      ArrowDown: () => addDays(focus, 7),
      PageUp: () => addMonths(focus, -1),
      PageDown: () => addMonths(focus, 1),
      Home: () => addDays(focus, -weekdayOf(focus)),
      End: () => addDays(focus, 6 - weekdayOf(focus)),
    };
    const to = moves[event.key]?.();
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    hasMoved.current = true;
    onChange({ anchor: event.shiftKey ? anchor : to, focus: to });
  };
  const dateAt = (x: number, y: number) =>
    document.elementFromPoint(x, y)?.closest<HTMLElement>("[data-date]")?.dataset["date"];
  return (
    <div class="days-calendar">
      <div class="days-month">
        <button type="button" class="quiet" aria-label={t.monthBefore} title={t.monthBefore} onClick={() => go(-1)}>
          ‹
        </button>
        <h3 aria-live="polite">{dateName(range.focus, { weekday: undefined, day: undefined, month: "long" })}</h3>
        <button type="button" class="quiet" aria-label={t.monthAfter} title={t.monthAfter} onClick={() => go(1)}>
          ›
        </button>
        <button type="button" class="link" onClick={() => onChange({ anchor: today, focus: today })}>{t.today}</button>
      </div>
      <table
        role="grid"
        aria-label={t.calendar}
        aria-multiselectable="true"
        ref={grid}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          const date = dateAt(event.clientX, event.clientY);
          if (date === undefined || event.button !== 0) return;
          isDragged.current = true;
          onChange({ anchor: event.shiftKey ? range.anchor : date, focus: date });
        }}
        onPointerMove={(event) => {
          const date = isDragged.current && event.buttons > 0 ? dateAt(event.clientX, event.clientY) : undefined;
          // The month stays under the pointer.
          if (date?.startsWith(month) && date !== range.focus) onChange({ ...range, focus: date });
        }}
        onPointerUp={() => isDragged.current = false}
        onPointerCancel={() => isDragged.current = false}
      >
        <thead>
          <tr>
            {[0, 1, 2, 3, 4, 5, 6].map((day) => (
              <th key={day} scope="col" abbr={weekdayName(day, "long")}>{weekdayName(day)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]}>
              {week.map((date) => {
                const { kind, shown, said } = mark(date);
                const isOther = !date.startsWith(month);
                return (
                  <td
                    key={date}
                    role="gridcell"
                    data-date={date}
                    tabIndex={date === range.focus ? 0 : -1}
                    aria-selected={isIn(date, range)}
                    aria-current={date === today ? "date" : undefined}
                    class={`days-${kind}${isOther ? " is-other" : ""}`}
                  >
                    <span class="days-number" aria-hidden="true">{Number(date.slice(8))}</span>
                    <span class="days-mark" aria-hidden="true">{shown}</span>
                    <span class="visually-hidden">{dateName(date)}: {said}</span>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const weekdayOf = (date: string) => new Date(`${date}T00:00Z`).getUTCDay();
