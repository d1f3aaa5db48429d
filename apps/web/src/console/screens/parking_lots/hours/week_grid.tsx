/// <reference lib="dom" />
/** The week as lines that are painted with a pointer; both ends of each span move by keys too. */
import { consoleTexts } from "../../../../texts/console.ts";
import { dayName, lineText, spanText } from "./day_names.ts";
import { type Brush, SHOWN_MINUTES, STEP, usePainting } from "./gesture.ts";
import {
  bounded,
  clockOf,
  type Day,
  DAY_MINUTES,
  DAYS,
  type Line,
  replaced,
  type Span,
  type Week,
  withLine,
} from "./week_hours.ts";

const text = consoleTexts(({ hours }) => hours);

const HOURS = [0, 6, 12, 18, 24, 30];

interface WeekGridProps {
  readonly week: Week;
  /** What is stored, to mark what differs. */
  readonly stored: Week;
  readonly brush: Brush;
  readonly chosen: Day;
  readonly onChoose: (day: Day) => void;
  readonly onChange: (week: Week) => void;
}

export function WeekGrid({ week, stored, brush, chosen, onChoose, onChange }: WeekGridProps) {
  const painting = usePainting({ week, brush, onChange, onChoose });
  return (
    <div class={`hours-week is-${brush}`} {...painting}>
      <div class="hours-head" aria-hidden="true">
        {HOURS.map((hour) => <span key={hour} style={{ left: percent(hour * 60) }}>{hour % 24}</span>)}
      </div>
      {DAYS.map((day) => (
        <DayLine
          key={day}
          day={day}
          line={week?.get(day)}
          isUnknown={week === undefined}
          isChanged={week?.has(day) !== stored?.has(day) ||
            JSON.stringify(week?.get(day)) !== JSON.stringify(stored?.get(day))}
          isChosen={chosen === day}
          onChoose={() => onChoose(day)}
          onChange={(line) => onChange(withLine(week, day, line))}
        />
      ))}
    </div>
  );
}

const percent = (minutes: number) => `${minutes / SHOWN_MINUTES * 100}%`;

function DayLine({ day, line, isUnknown, isChanged, isChosen, onChoose, onChange }: {
  day: Day;
  line: Line;
  isUnknown: boolean;
  isChanged: boolean;
  isChosen: boolean;
  onChoose: () => void;
  onChange: (line: Line) => void;
}) {
  const t = text.value;
  const shown = isUnknown ? t.unknown : lineText(line);
  return (
    <div class={`hours-line${isChosen ? " is-chosen" : ""}${isChanged ? " is-changed" : ""}`}>
      <button
        type="button"
        class="hours-day"
        aria-pressed={isChosen}
        title={dayName(day)}
        onClick={onChoose}
      >
        {dayName(day, "short")}
        <span class="visually-hidden">{shown}</span>
      </button>
      <div class={`hours-track${line === undefined ? " is-unknown" : ""}`} data-day={day}>
        <span class="hours-tomorrow" style={{ left: percent(DAY_MINUTES) }} />
        {line?.map((span, index) => (
          <Bar
            key={index}
            day={day}
            span={span}
            index={index}
            onChange={(span) => onChange(replaced(line, index, span))}
          />
        ))}
      </div>
      <span class="hours-text" aria-hidden="true">{shown}</span>
    </div>
  );
}

function Bar({ day, span, index, onChange }: {
  day: Day;
  span: Span;
  index: number;
  onChange: (span: Span | undefined) => void;
}) {
  const t = text.value;
  const onKeyDown = (part: "from" | "to") => (event: KeyboardEvent) => {
    if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      onChange(undefined);
      return;
    }
    const by = stepOf(event);
    if (by === undefined) return;
    event.preventDefault();
    const next = part === "from"
      ? { ...span, from: Math.min(span.from + by, span.to - 1) }
      : { ...span, to: Math.max(span.to + by, span.from + 1) };
    onChange(bounded(next));
  };
  const handle = (part: "from" | "to") => (
    <span
      class={`hours-end is-${part}`}
      data-part={part === "from" ? "start" : "end"}
      role="slider"
      tabIndex={0}
      aria-label={(part === "from" ? t.opensOf : t.closesOf)(dayName(day), index + 1)}
      aria-valuemin={0}
      aria-valuemax={part === "from" ? DAY_MINUTES : 2 * DAY_MINUTES}
      aria-valuenow={span[part]}
      aria-valuetext={part === "to" && span.to > DAY_MINUTES ? t.nextDay(clockOf(span.to)) : clockOf(span[part])}
      onKeyDown={onKeyDown(part)}
    />
  );
  return (
    <span
      class={`hours-bar${span.to > SHOWN_MINUTES ? " is-cut" : ""}`}
      data-span={index}
      title={spanText(span)}
      style={{ left: percent(span.from), width: percent(Math.min(span.to, SHOWN_MINUTES) - span.from) }}
    >
      {handle("from")}
      {handle("to")}
    </span>
  );
}

/** Arrow keys are half an hour, with Shift five minutes, Page keys two hours. */
function stepOf({ key, shiftKey }: KeyboardEvent): number | undefined {
  const small = shiftKey ? 5 : STEP;
  return {
    ArrowLeft: -small,
    ArrowDown: -small,
    ArrowRight: small,
    ArrowUp: small,
    PageDown: -120,
    PageUp: 120,
  }[key];
}
