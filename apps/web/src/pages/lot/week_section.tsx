/** The hours of the next seven days as a strip: for each day a lane for business, entry and exit. */
import { dateName, timeOfDay } from "../../format.ts";
import { pageTexts } from "../../texts/pages.ts";
import type { Lot, LotProps } from "./lot.ts";
import type { Stay } from "./stay.ts";
import { type Day, type Lane, laneOf, type LaneSpan } from "./week.ts";

const text = pageTexts(({ lot }) => lot.weekSection);

const LANES: readonly Lane[] = ["is_open", "can_enter", "can_exit"];
const LANE_HEIGHT = 14;
/** The drawing is as wide as the day has minutes; the page stretches it. */
const MINUTE_MS = 60_000;
const HOURS = [0, 6, 12, 18, 24];

export function WeekSection({ lot, stay }: LotProps) {
  const t = text.value;
  const { week } = lot;
  if (week === undefined || week.spans.every(isUnknown)) return null;
  const lanes = shownLanes(week);
  return (
    <section aria-labelledby="lot-week">
      <h2 id="lot-week">{t.title}</h2>
      {week.spans.every(isAlwaysOpen) && !week.days.some((day) => marksOf(lot, day).length > 0)
        ? <p>{t.always}</p>
        : <Week lot={lot} stay={stay} days={week.days} lanes={lanes} />}
    </section>
  );
}

type Span = NonNullable<Lot["week"]>["spans"][number];
const isUnknown = (span: Span) => LANES.every((lane) => span[lane] === null);
const isAlwaysOpen = (span: Span) => LANES.every((lane) => span[lane] === true);

/** Entry and exit have lanes of their own only where they differ from the business hours. */
function shownLanes({ spans }: NonNullable<Lot["week"]>): readonly Lane[] {
  return spans.every((span) => LANES.every((lane) => span[lane] === span.is_open)) ? LANES.slice(0, 1) : LANES;
}

function Week({ lot, stay, days, lanes }: { lot: Lot; stay: Stay; days: readonly Day[]; lanes: readonly Lane[] }) {
  const t = text.value;
  const [only] = lanes;
  return lanes.length === 1
    ? (
      <ol class="lot-week lot-week-one">
        {days.map((day) => (
          <li key={day.date}>
            <span>
              {dayName(day)} <DayMarks lot={lot} day={day} />
            </span>
            <DayStrip lot={lot} day={day} stay={stay} lanes={lanes} />
            <span class="lot-times" aria-hidden="true">{laneText(lot, day, only!)}</span>
          </li>
        ))}
      </ol>
    )
    : (
      <>
        <p class="small">
          {t.legend} <span class="lot-key lot-key-now">{t.now}</span> <span class="lot-key lot-key-stay">{t.stay}</span>
        </p>
        <div class="lot-hours" aria-hidden="true">
          {HOURS.map((hour) => <span key={hour}>{hour}</span>)}
        </div>
        <ol class="lot-week">
          {days.map((day) => (
            <li key={day.date}>
              <div class="lot-day">
                {dayName(day)} <DayMarks lot={lot} day={day} />
              </div>
              <div class="lot-lanes" aria-hidden="true">
                {lanes.map((lane) => <span key={lane}>{t.lanes[lane]}</span>)}
              </div>
              <DayStrip lot={lot} day={day} stay={stay} lanes={lanes} />
            </li>
          ))}
        </ol>
        <details>
          <summary>{t.asText}</summary>
          <ul>{days.map((day) => <li key={day.date}>{dayText(lot, day)}</li>)}</ul>
        </details>
      </>
    );
}

/** The holiday and the date override of a day. */
function DayMarks({ lot, day }: { lot: Lot; day: Day }) {
  return <>{marksOf(lot, day).map((mark) => <span key={mark} class="chip">{mark}</span>)}</>;
}

function marksOf(lot: Lot, day: Day): string[] {
  const t = text.value;
  const override = lot.date_overrides.find(({ id }) => id === day.date_override_id);
  const special = override && [
    override.label,
    override.hours && t.specialHours,
    override.pricing && t.specialPrices,
    override.note,
  ].filter(Boolean).join(", ");
  return [day.holiday, special].filter((mark): mark is string => Boolean(mark));
}

function DayStrip({ lot, day, stay, lanes }: { lot: Lot; day: Day; stay: Stay; lanes: readonly Lane[] }) {
  const height = lanes.length * LANE_HEIGHT;
  const start = Date.parse(day.starts_at);
  const end = Date.parse(day.ends_at);
  const minutes = (time: number) => (time - start) / MINUTE_MS;
  const isIn = (time: number) => time >= start && time < end;
  const now = Date.now();
  const [entry, exit] = [Date.parse(stay.entryAt), Date.parse(stay.exitAt)];
  return (
    <svg
      class={`lot-strip lot-strip-${lanes.length}`}
      viewBox={`0 0 ${minutes(end)} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={dayText(lot, day)}
    >
      {lanes.map((lane, index) => (
        <g key={lane} transform={`translate(0 ${index * LANE_HEIGHT})`}>
          <rect class="lot-lane" x="0" y="2" width={minutes(end)} height={LANE_HEIGHT - 4} />
          {laneOf(lot.week!, day, lane).filter(({ state }) => state !== false).map(({ from, to, state }) => (
            state === null
              ? <line key={from} class="lot-unknown" x1={minutes(from)} x2={minutes(to)} y1="7" y2="7" />
              : (
                <rect
                  key={from}
                  class={`lot-${lane}`}
                  x={minutes(from)}
                  y="2"
                  width={minutes(to) - minutes(from)}
                  height={LANE_HEIGHT - 4}
                />
              )
          ))}
        </g>
      ))}
      {entry < end && exit >= start && (
        <rect
          class="lot-planned"
          x={Math.max(0, minutes(entry))}
          y="1"
          width={minutes(Math.min(exit, end)) - Math.max(0, minutes(entry))}
          height={height - 2}
        />
      )}
      {isIn(now) && <line class="lot-now" x1={minutes(now)} x2={minutes(now)} y1="0" y2={height} />}
    </svg>
  );
}

/** `Mon 23 Nov` */
const dayName = ({ date }: Day) => dateName(date, { year: undefined });

/** All that the strip of a day shows, as one sentence. */
function dayText(lot: Lot, day: Day): string {
  const t = text.value;
  const lanes = LANES.map((lane) => `${t.lanes[lane]}: ${laneText(lot, day, lane)}`);
  return [`${dayName(day)}${[...marksOf(lot, day)].map((mark) => ` (${mark})`).join("")}`, ...lanes].join("; ");
}

function laneText(lot: Lot, day: Day, lane: Lane): string {
  const t = text.value;
  const spans = laneOf(lot.week!, day, lane);
  const times = ({ from, to }: LaneSpan) =>
    `${timeOfDay(new Date(from), lot.time_zone)}–${
      to === Date.parse(day.ends_at) ? "24:00" : timeOfDay(new Date(to), lot.time_zone)
    }`;
  if (spans.length === 1) {
    const [{ state }] = spans as [LaneSpan];
    return state === null ? t.unknown : state ? t.allDay : lane === "is_open" ? t.never : t.neverMove;
  }
  return spans.filter(({ state }) => state !== false)
    .map((span) => span.state === null ? t.unknownAt(times(span)) : times(span)).join(", ");
}
