/** How full a lot usually is: a row of bars for each day of the week, one bar for each hour. */
import { number, weekdayName } from "../../format.ts";
import { pageTexts } from "../../texts/pages.ts";
import type { Lot } from "./lot.ts";

type Hours = NonNullable<Lot["occupancy_forecast"]>;
type Hour = Hours[number];

const text = pageTexts(({ lot }) => lot.forecast);

const HEIGHT = 30;
/** Monday first. */
const DAYS = [1, 2, 3, 4, 5, 6, 0];

export function Forecast({ hours, timeZone }: { hours: Hours; timeZone: string }) {
  const t = text.value;
  return (
    <>
      <h3>{t.title}</h3>
      <p class="small">{t.legend}</p>
      <div class="lot-hours lot-hours-forecast" aria-hidden="true">
        {[0, 6, 12, 18, 24].map((hour) => <span key={hour}>{hour}</span>)}
      </div>
      <ol class="lot-forecast">
        {DAYS.map((day) => (
          <li key={day}>
            <span>{weekdayName(day)}</span>
            <DayBars day={day} hours={hours.filter(({ day_of_week }) => day_of_week === day)} />
          </li>
        ))}
      </ol>
      <details>
        <summary>{t.asTable} ({timeZone})</summary>
        <ForecastTable hours={hours} />
      </details>
    </>
  );
}

function DayBars({ day, hours }: { day: number; hours: readonly Hour[] }) {
  const t = text.value;
  const summary = hours.length === 0
    ? t.noReport
    : hours.map((one) => `${one.hour}:00 ${t.of(percent(one.full_share), percent(one.crowded_share), one.sample_size)}`)
      .join("; ");
  return (
    <svg
      class="lot-bars"
      viewBox={`0 0 24 ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${weekdayName(day)}: ${summary}`}
    >
      {hours.map((one) => {
        const full = one.full_share * HEIGHT;
        const crowded = one.crowded_share * HEIGHT;
        return (
          <g key={one.hour}>
            <title>
              {`${one.hour}:00 ${t.of(percent(one.full_share), percent(one.crowded_share), one.sample_size)}`}
            </title>
            {/* Every hour with a report has a foot, so that "never full" differs from "no report". */}
            <rect class="lot-bar-sampled" x={one.hour + 0.05} y={HEIGHT - 1.5} width="0.9" height="1.5" />
            <rect class="lot-bar-full" x={one.hour + 0.05} y={HEIGHT - full} width="0.9" height={full} />
            <rect
              class="lot-bar-crowded"
              x={one.hour + 0.05}
              y={HEIGHT - full - crowded}
              width="0.9"
              height={crowded}
            />
          </g>
        );
      })}
    </svg>
  );
}

function ForecastTable({ hours }: { hours: Hours }) {
  const t = text.value;
  const sorted = DAYS.flatMap((day) => hours.filter(({ day_of_week }) => day_of_week === day));
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">{t.day}</th>
            <th scope="col" class="number">{t.hour}</th>
            <th scope="col" class="number">{t.full}</th>
            <th scope="col" class="number">{t.crowded}</th>
            <th scope="col" class="number">{t.ratio}</th>
            <th scope="col" class="number">{t.samples}</th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((one) => (
            <tr key={`${one.day_of_week} ${one.hour}`}>
              <td>{weekdayName(one.day_of_week)}</td>
              <td class="number">{one.hour}</td>
              <td class="number">{percent(one.full_share)}</td>
              <td class="number">{percent(one.crowded_share)}</td>
              <td class="number">{one.occupancy_ratio === null ? "–" : percent(one.occupancy_ratio)}</td>
              <td class="number">{one.sample_size}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const percent = (share: number) => `${number(share * 100)}%`;
