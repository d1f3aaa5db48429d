/// <reference lib="dom" />
/** The hours of one day as fields: to the minute, and for those who do not paint. */
import { useState } from "preact/hooks";
import { consoleTexts } from "../../../../texts/console.ts";
import { dayName } from "./day_names.ts";
import { clockFrom, clockOf, type Day, DAY_MINUTES, type Line, minutesOf, replaced, type Span } from "./week_hours.ts";

const text = consoleTexts(({ hours }) => hours);

const NEW_SPAN: Span = { from: 8 * 60, to: 20 * 60 };

export function SpanFields({ of, line, onChange }: {
  /** What the hours are of, for the names of the fields. */
  of: string;
  line: readonly Span[];
  onChange: (line: Line) => void;
}) {
  const t = text.value;
  const change = (index: number, part: keyof Span, clock: string) => {
    const before = line[index]!;
    const from = part === "from" ? minutesOf(clock) % DAY_MINUTES : before.from;
    const end = part === "to" ? minutesOf(clock) : before.to > DAY_MINUTES ? before.to - DAY_MINUTES : before.to;
    onChange(replaced(line, index, { from, to: end > from ? end : end + DAY_MINUTES }));
  };
  const last = line.at(-1);
  return (
    <>
      {line.map((span, index) => (
        <div key={index} class="hours-span">
          <Clock
            name={t.opensOf(of, index + 1)}
            value={clockOf(span.from)}
            onChange={(clock) => change(index, "from", clock)}
          />
          –
          <Clock
            name={t.closesOf(of, index + 1)}
            value={clockOf(span.to)}
            onChange={(clock) => change(index, "to", clock)}
          />
          {span.to > DAY_MINUTES && <span class="small">{t.onNextDay}</span>}
          <button
            type="button"
            class="quiet"
            aria-label={t.removeOf(of, index + 1)}
            title={t.removeOf(of, index + 1)}
            onClick={() => onChange(line.toSpliced(index, 1))}
          >
            ×
          </button>
        </div>
      ))}
      {(last === undefined || last.to < DAY_MINUTES - 60) && (
        <button
          type="button"
          class="link"
          onClick={() => onChange([...line, last === undefined ? NEW_SPAN : { from: last.to + 60, to: DAY_MINUTES }])}
        >
          {t.addSpan}
        </button>
      )}
    </>
  );
}

/** A time of day. It is taken when it is complete; what is none stays marked. */
function Clock({ name, value, onChange }: { name: string; value: string; onChange: (clock: string) => void }) {
  const [isWrong, setWrong] = useState(false);
  return (
    <input
      key={value}
      class="hours-clock"
      aria-label={name}
      aria-invalid={isWrong || undefined}
      inputMode="numeric"
      defaultValue={value}
      onChange={(event) => {
        const clock = clockFrom(event.currentTarget.value);
        setWrong(clock === undefined);
        event.currentTarget.setCustomValidity(clock === undefined ? text.value.noClock : "");
        if (clock === undefined) event.currentTarget.reportValidity();
        else if (clock === value) event.currentTarget.value = value;
        else onChange(clock);
      }}
    />
  );
}

const ALL_DAY: Line = [{ from: 0, to: DAY_MINUTES }];

export function LineFields({ day, line, onChange, onCopy }: {
  day: Day;
  line: Line;
  onChange: (line: Line) => void;
  /** Gives other days the hours of this one. */
  onCopy: (to: "weekdays" | "week") => void;
}) {
  const t = text.value;
  const isHoliday = typeof day === "string";
  return (
    <section class="hours-fields" aria-label={dayName(day)}>
      <h3>{dayName(day)}</h3>
      {line === undefined
        ? <p class="small">{isHoliday ? t.asUsualHint : t.unknown}</p>
        : line.length === 0 && <p class="small">{t.closed}</p>}
      <SpanFields of={dayName(day)} line={line ?? []} onChange={onChange} />
      <div class="row">
        <button type="button" onClick={() => onChange([])}>{t.closed}</button>
        <button type="button" onClick={() => onChange(ALL_DAY)}>{t.dayAndNight}</button>
        {isHoliday
          ? line !== undefined && <button type="button" onClick={() => onChange(undefined)}>{t.asUsual}</button>
          : line !== undefined && (
            <>
              <button type="button" onClick={() => onCopy("weekdays")}>{t.copyWeekdays}</button>
              <button type="button" onClick={() => onCopy("week")}>{t.copyWeek}</button>
            </>
          )}
      </div>
    </section>
  );
}
