/// <reference lib="dom" />
/** The days of a lot with hours, a name or prices of their own, chosen on a calendar, with one save. */
import { useState } from "preact/hooks";
import { label as codeLabel } from "../../../../codes.ts";
import { dateName, number } from "../../../../format.ts";
import { language } from "../../../../language.ts";
import { toLocalInput } from "../../../../local_time.ts";
import { consoleTexts } from "../../../../texts/console.ts";
import { ErrorNote } from "../../../../ui/error_note.tsx";
import { useLoad } from "../../../../ui/load.tsx";
import { addStyle } from "../../../../ui/style.ts";
import { client, may } from "../../../kit/access.ts";
import { type Entry, ifMatch } from "../../../kit/entry.ts";
import { lineText } from "../hours/day_names.ts";
import { SpanFields } from "../hours/line_fields.tsx";
import { type Kind, KINDS } from "../hours/week_hours.ts";
import type { Lot } from "../prices/tariff.ts";
import { SaveBar, useSaved } from "../save_bar.tsx";
import { Calendar, type Range } from "./calendar.tsx";
import style from "./days.css" with { type: "text" };
import {
  addDays,
  changed,
  changedDates,
  datesBetween,
  hoursOfMode,
  lineOf,
  mergedWith,
  type Mode,
  modeOf,
  MODES,
  type Override,
  withKind,
} from "./override_days.ts";

addStyle(style);

const text = consoleTexts(({ days }) => days);

/** As many overrides as a lot can have. */
const MOST = 400;
const SHOWN_AHEAD = 12;

export function DaysEditor({ entry }: { entry: Entry<Lot> }) {
  const t = text.value;
  const { data: lot } = entry.data!;
  const today = toLocalInput(new Date(), lot.time_zone).slice(0, 10);
  const [draft, setDraft] = useState<readonly Override[]>();
  const [range, setRange] = useState<Range>({ anchor: today, focus: today });
  const holidays = useHolidays(lot.holiday_calendar, range.focus.slice(0, 4));
  const saved = useSaved(entry, {
    isSame: (a, b) => JSON.stringify(a.date_overrides) === JSON.stringify(b.date_overrides),
    onReset: () => setDraft(undefined),
    save: (seen) =>
      client.PUT("/v1/admin/parking-lots/{id}/date-overrides", {
        params: { path: { id: lot.id }, header: ifMatch(seen) },
        body: { date_overrides: mergedWith(seen.data.date_overrides, stored, overrides) as never },
      }),
  });
  const stored: readonly Override[] = saved.base.date_overrides;
  const overrides = draft ?? stored;
  const byDate = new Map(overrides.map((one) => [one.override_date, one]));
  const unsaved = new Set(changedDates(stored, overrides));
  const dates = datesBetween(range.anchor, range.focus, MOST);
  const change = (make: (before: Override) => Partial<Override>) => setDraft(changed(overrides, dates, make));
  const ahead = overrides.filter(({ override_date }) => override_date >= today).slice(0, SHOWN_AHEAD);
  return (
    <div class="days">
      <div class="days-sides">
        <Calendar
          range={range}
          today={today}
          onChange={setRange}
          mark={(date) => {
            const override = byDate.get(date);
            const holiday = holidays.names.get(date);
            const said = [
              holiday,
              override === undefined ? t.modes.usual : summary(override),
              unsaved.has(date) && t.unsaved,
            ];
            const kinds = [
              override === undefined ? "none" : modeOf(override),
              holiday !== undefined && "is-holiday",
              unsaved.has(date) && "is-changed",
            ];
            return {
              kind: kinds.filter(Boolean).join(" "),
              shown: override ? override.label ?? t.shortModes[modeOf(override)] : holiday,
              said: said.filter(Boolean).join(", "),
            };
          }}
        />
        <ChosenDays
          key={dates.join()}
          dates={dates}
          overrides={dates.map((date) => byDate.get(date))}
          holiday={dates.length === 1 ? holidays.names.get(dates[0]!) : undefined}
          onRange={setRange}
          onChange={change}
        />
      </div>
      {holidays.error !== undefined && <ErrorNote error={holidays.error} />}
      <p class="small">{t.keys}</p>
      {ahead.length > 0 && (
        <>
          <h3>{t.ahead}</h3>
          <ul class="days-ahead">
            {ahead.map((override) => (
              <li key={override.override_date}>
                <button
                  type="button"
                  class="link"
                  onClick={() => setRange({ anchor: override.override_date, focus: override.override_date })}
                >
                  {dateName(override.override_date)}
                </button>
                {override.label !== null && <strong>{override.label}</strong>}
                <span class="small">{hoursText(override)}</span>
                {override.pricing !== null && <span class="chip">{t.ownPrices}</span>}
              </li>
            ))}
          </ul>
        </>
      )}
      <SaveBar
        entry={entry}
        saved={saved}
        isChanged={unsaved.size > 0}
        fields={[{
          label: t.days,
          show: ({ date_overrides }) => (
            <ul>
              {date_overrides.map((one) => <li key={one.id}>{dateName(one.override_date)}: {summary(one)}</li>)}
            </ul>
          ),
          value: ({ date_overrides }) => date_overrides,
        }]}
      />
    </div>
  );
}

/** The public holidays of a year, and of the days beside it: of a country and its part. They belong to the area `content`. */
function useHolidays(calendar: string, year: string) {
  const { data, error } = useLoad(async (signal) => {
    if (!may("content")) return [];
    const dates = { from: addDays(`${year}-01-01`, -6), to: addDays(`${year}-12-31`, 6), limit: 100 };
    const calendars = new Set([calendar.slice(0, 2), calendar]);
    const read = await Promise.all(
      [...calendars].map((calendar) =>
        client.GET("/v1/admin/holidays", { params: { query: { ...dates, calendar } }, signal })
      ),
    );
    return read.flatMap(({ data }) => data.items);
  }, [calendar, year]);
  const isEnglish = language.value === "en";
  const names = new Map((data ?? []).map(({ holiday_date, name, name_en }) => [
    holiday_date,
    isEnglish ? name_en ?? name : name,
  ]));
  return { names, error };
}

function hoursText(override: Override): string {
  const mode = modeOf(override);
  if (mode !== "own") return text.value.modes[mode];
  return KINDS.flatMap((kind) => {
    const line = lineOf(override, kind);
    if (line === undefined) return [];
    return [kind === "business" ? lineText(line) : `${codeLabel("window_type", kind)} ${lineText(line)}`];
  }).join("; ");
}

function summary(override: Override): string {
  const { label, pricing, note } = override;
  return [label, hoursText(override), pricing === null ? null : text.value.ownPrices, note].filter(Boolean).join(", ");
}

/** What the chosen days have in common, to change it for all of them. */
function ChosenDays({ dates, overrides, holiday, onRange, onChange }: {
  dates: readonly string[];
  holiday: string | undefined;
  overrides: readonly (Override | undefined)[];
  onRange: (range: Range) => void;
  onChange: (make: (before: Override) => Partial<Override>) => void;
}) {
  const t = text.value;
  const [first, last] = [dates[0]!, dates.at(-1)!];
  const shared = <Value,>(value: (override: Override | undefined) => Value): Value | undefined => {
    const values = new Set(overrides.map((one) => JSON.stringify(value(one))));
    return values.size === 1 ? value(overrides[0]) : undefined;
  };
  const mode = shared((one) => one === undefined ? "usual" : modeOf(one));
  const hours = shared((one) => one?.hours ?? null);
  const priced = overrides.filter((one) => (one?.pricing ?? null) !== null).length;
  const textField = (name: "label" | "note") => ({
    value: shared((one) => one?.[name] ?? "") ?? "",
    placeholder: shared((one) => one?.[name] ?? "") === undefined ? t.different : "",
    onChange: (event: Event & { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
      const value = event.currentTarget.value.trim() || null;
      onChange(() => ({ [name]: value }));
    },
  });
  return (
    <section class="days-chosen" aria-label={t.chosen}>
      <h3>{first === last ? dateName(first) : t.several(number(dates.length))}</h3>
      {holiday !== undefined && <p class="small">{t.holiday(holiday)}</p>}
      <div class="days-range">
        <RangeField
          name={t.from}
          value={first}
          onChange={(date) => onRange({ anchor: last < date ? date : last, focus: date })}
        />
        –
        <RangeField
          name={t.to}
          value={last}
          onChange={(date) => onRange({ anchor: first > date ? date : first, focus: date })}
        />
      </div>
      <div class="lot-choice" role="group" aria-label={t.hours}>
        {MODES.map((one: Mode) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === mode}
            onClick={() => onChange((before) => ({ hours: hoursOfMode(one, before.hours) }))}
          >
            {t.modes[one]}
          </button>
        ))}
      </div>
      {mode === "own" && (hours === undefined ? <p class="small">{t.different}</p> : KINDS.map((kind) => (
        <KindHours
          key={kind}
          kind={kind}
          override={{ hours }}
          onChange={(line) => onChange((before) => ({ hours: withKind(before.hours, kind, line) }))}
        />
      )))}
      <label class="field">
        <span>{t.name}</span>
        <input {...textField("label")} />
      </label>
      <label class="field">
        <span>{t.note}</span>
        <textarea rows={2} {...textField("note")} />
      </label>
      {priced > 0 && (
        <p class="small">
          {t.priced(number(priced))}{" "}
          <button type="button" class="link" onClick={() => onChange(() => ({ pricing: null }))}>
            {t.usualPrices}
          </button>
        </p>
      )}
      {overrides.some(Boolean) && (
        <button
          type="button"
          onClick={() => onChange(() => ({ hours: null, label: null, note: null, pricing: null }))}
        >
          {t.clear}
        </button>
      )}
    </section>
  );
}

/** An end of the chosen days. One beyond the other end chooses a single day. */
function RangeField({ name, value, onChange }: { name: string; value: string; onChange: (date: string) => void }) {
  return (
    <input
      type="date"
      aria-label={name}
      value={value}
      required
      onChange={({ currentTarget }) => currentTarget.value !== "" && onChange(currentTarget.value)}
    />
  );
}

/** The hours of one kind on the chosen days: the usual ones, none, or these. */
function KindHours({ kind, override, onChange }: {
  kind: Kind;
  override: Pick<Override, "hours">;
  onChange: (line: ReturnType<typeof lineOf>) => void;
}) {
  const t = text.value;
  const line = lineOf(override, kind);
  const name = codeLabel("window_type", kind);
  return (
    <fieldset class="days-kind">
      <legend>{name}</legend>
      <select
        aria-label={name}
        value={line === undefined ? "usual" : line.length === 0 ? "closed" : "own"}
        onChange={(event) => {
          const { value } = event.currentTarget;
          onChange(value === "usual" ? undefined : value === "closed" ? [] : [{ from: 480, to: 1200 }]);
        }}
      >
        <option value="usual">{t.modes.usual}</option>
        <option value="closed">{t.modes.closed}</option>
        <option value="own">{t.modes.own}</option>
      </select>
      {line !== undefined && line.length > 0 && <SpanFields of={name} line={line} onChange={onChange} />}
    </fieldset>
  );
}
