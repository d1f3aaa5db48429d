/// <reference lib="dom" />
/** The weekly hours of a lot, painted: one week for each kind of hours and each season, and one save for all. */
import { useState } from "preact/hooks";
import { label } from "../../../../codes.ts";
import { dateName } from "../../../../format.ts";
import { consoleTexts } from "../../../../texts/console.ts";
import { addStyle } from "../../../../ui/style.ts";
import { client } from "../../../kit/access.ts";
import { type Entry, ifMatch } from "../../../kit/entry.ts";
import type { Lot } from "../prices/tariff.ts";
import { SaveBar, useSaved } from "../save_bar.tsx";
import { dayName, lineText, seasonName } from "./day_names.ts";
import type { Brush } from "./gesture.ts";
import style from "./hours.css" with { type: "text" };
import { LineFields } from "./line_fields.tsx";
import {
  type Day,
  DAYS,
  elsewhere,
  type Group,
  isSameLine,
  isSameSeason,
  isSameWeek,
  type Kind,
  KINDS,
  type Season,
  seasonsOf,
  WEEK,
  WEEKDAYS,
  weekOf,
  type Window,
  windowsOf,
  withLine,
} from "./week_hours.ts";
import { WeekGrid } from "./week_grid.tsx";

addStyle(style);

const text = consoleTexts(({ hours }) => hours);

const ALWAYS: Season = { from: null, to: null };

export function HoursEditor({ entry }: { entry: Entry<Lot> }) {
  const t = text.value;
  const { data: lot } = entry.data!;
  const [groups, setGroups] = useState<readonly Group[]>([]);
  const [kind, setKind] = useState<Kind>("business");
  const [season, setSeason] = useState(ALWAYS);
  const [brush, setBrush] = useState<Brush>("open");
  const [chosen, setChosen] = useState<Day>(1);
  const saved = useSaved(entry, {
    isSame: (a, b) => JSON.stringify(a.windows) === JSON.stringify(b.windows),
    onReset: () => setGroups([]),
    save: (seen) =>
      client.PUT("/v1/admin/parking-lots/{id}/windows", {
        params: { path: { id: lot.id }, header: ifMatch(seen) },
        body: { windows: windowsOf(seen.data.windows, groups) },
      }),
  });
  const stored = weekOf(saved.base.windows, kind, season);
  const isOpen = (group: Group) => group.kind === kind && isSameSeason(group.season, season);
  const open = groups.find(isOpen);
  const week = open === undefined ? stored : open.week;
  const change = (next: Group["week"]) => {
    const others = groups.filter((group) => !isOpen(group));
    setGroups(isSameWeek(next, stored) ? others : [...others, { kind, season, week: next }]);
  };
  const seasons = [...seasonsOf(saved.base.windows, kind)];
  if (!seasons.some((one) => isSameSeason(one, season))) seasons.push(season);
  const rest = elsewhere(saved.base.windows).filter((row) => row.window_type === kind);
  return (
    <div class="hours">
      <div class="hours-tools">
        <div class="lot-choice" role="group" aria-label={t.kind}>
          {KINDS.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === kind}
              onClick={() => {
                setKind(one);
                setSeason(ALWAYS);
              }}
            >
              {label("window_type", one)}
              {groups.some((group) => group.kind === one) && <span class="hours-mark" title={t.changed}>•</span>}
            </button>
          ))}
        </div>
        <SeasonChoice seasons={seasons} season={season} onChange={setSeason} />
        <div class="lot-choice" role="group" aria-label={t.brush}>
          {(["open", "closed"] as const).map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === brush}
              onClick={() => setBrush(one)}
            >
              {t.brushes[one]}
            </button>
          ))}
        </div>
      </div>
      <p class="small">{t.kindHints[kind]}</p>
      <WeekGrid
        week={week}
        stored={stored}
        brush={brush}
        chosen={chosen}
        onChoose={setChosen}
        onChange={change}
      />
      <p class="small">{t.keys}</p>
      <LineFields
        key={`${kind} ${season.from} ${season.to} ${chosen}`}
        day={chosen}
        line={week?.get(chosen)}
        onChange={(line) => change(withLine(week, chosen, line))}
        onCopy={(to) =>
          change((to === "week" ? WEEK : WEEKDAYS).reduce(
            (week, day) => withLine(week, day, week?.get(chosen)),
            week,
          ))}
      />
      {week !== undefined && (
        <button type="button" class="link" onClick={() => change(undefined)}>
          {t.forget(label("window_type", kind))}
        </button>
      )}
      {rest.length > 0 && (
        <>
          <h3>{t.others}</h3>
          <p class="small">{t.othersHint}</p>
          <ul>{rest.map((row) => <li key={row.id}>{rowText(row)}</li>)}</ul>
        </>
      )}
      <SaveBar
        entry={entry}
        saved={saved}
        isChanged={groups.length > 0}
        fields={[{ label: t.hours, show: (lot) => <HoursText lot={lot} />, value: ({ windows }) => windows }]}
      />
    </div>
  );
}

/** The seasons of the kind, and a new one by its dates. */
function SeasonChoice({ seasons, season, onChange }: {
  seasons: readonly Season[];
  season: Season;
  onChange: (season: Season) => void;
}) {
  const t = text.value;
  const [isNew, setNew] = useState(false);
  const index = seasons.findIndex((one) => isSameSeason(one, season));
  return (
    <>
      <select
        aria-label={t.season}
        value={isNew ? "new" : String(index)}
        onChange={(event) => {
          const { value } = event.currentTarget;
          setNew(value === "new");
          if (value !== "new") onChange(seasons[Number(value)]!);
        }}
      >
        {seasons.map((one, nth) => <option key={nth} value={String(nth)}>{seasonName(one)}</option>)}
        <option value="new">{t.newSeason}</option>
      </select>
      {isNew && (
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            const values = new FormData(event.currentTarget);
            const dateOf = (name: string) => String(values.get(name) ?? "") || null;
            onChange({ from: dateOf("from"), to: dateOf("to") });
            setNew(false);
          }}
        >
          <input type="date" name="from" aria-label={t.seasonFrom} required />
          –
          <input type="date" name="to" aria-label={t.seasonTo} />
          <button type="submit">{t.openSeason}</button>
        </form>
      )}
    </>
  );
}

/** All hours of a lot in words, where equal days stand together. */
function HoursText({ lot: { windows } }: { lot: Lot }) {
  const t = text.value;
  const shown = KINDS.flatMap((kind) =>
    seasonsOf(windows, kind).flatMap((season) => {
      const week = weekOf(windows, kind, season);
      if (week === undefined) return [];
      const name = [
        label("window_type", kind),
        ...(season.from === null && season.to === null ? [] : [seasonName(season)]),
      ].join(", ");
      const days = DAYS.filter((day) => week.get(day) !== undefined);
      const parts = days.filter((day, nth) => nth === 0 || !isSameLine(week.get(day), week.get(days[nth - 1]!)))
        .map((first) => {
          const rest = days.slice(days.indexOf(first));
          const end = rest.findIndex((day) => !isSameLine(week.get(day), week.get(first)));
          const same = end === -1 ? rest : rest.slice(0, end);
          const names = [...new Set([same[0]!, same.at(-1)!])].map((day) => dayName(day, "short")).join("–");
          return `${names} ${lineText(week.get(first))}`;
        });
      return [`${name}: ${parts.join("; ")}`];
    })
  );
  const others = elsewhere(windows).map(rowText);
  return shown.length + others.length === 0
    ? <>{t.unknown}</>
    : <ul>{[...shown, ...others].map((line) => <li key={line}>{line}</li>)}</ul>;
}

function rowText(
  { day_type, day_of_week, is_24h, is_closed, open_time, close_time, effective_from, effective_to }: Window,
) {
  const t = text.value;
  const hours = is_closed ? t.closed : is_24h ? t.dayAndNight : `${open_time}–${close_time}`;
  const type = day_type && label("day_type", day_type);
  const dates = [effective_from, effective_to].map((date) => date === null ? "" : dateName(date)).join(" – ");
  return [type, day_of_week === null ? "" : dayName(day_of_week as Day), hours, dates.length > 3 ? dates : ""]
    .filter(Boolean).join(", ");
}
