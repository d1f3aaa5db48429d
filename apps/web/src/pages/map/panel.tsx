/** The conditions of the search: stay, vehicle, order and everything else that the service can filter by. */
import { useState } from "preact/hooks";
import { options } from "../../codes.ts";
import { date, dateTime, distance, timeOfDay } from "../../format.ts";
import { isAppUser } from "../../following.ts";
import { pageTexts } from "../../texts/pages.ts";
import { CONDITION_FIELDS, countConditions, type Values, VEHICLE_FIELDS } from "./conditions.ts";
import { dimensionName, unitOf } from "./dimensions.ts";
import { ChoiceInput, Condition, DateTimeInput, FlagInput } from "./fields.tsx";
import { MyPresets, SearchVehicles, WalkValue } from "./own.tsx";
import { RADII, type Search, SORTS, type Stay, stayFromNow, stayOvernight } from "./search.ts";

const text = pageTexts(({ map }) => map.panel);

/** Beside the map, as in map.css. */
const WIDE = "(min-width: 60rem)";

export interface PanelProps {
  readonly search: Search;
  readonly change: (fields: Values) => void;
  /** Operators of the lots that the page knows, as suggestions. */
  readonly operators: readonly string[];
  /** The value of a minute of walking has changed. */
  readonly onWalkValue: () => void;
}

export function SearchPanel({ search, change, operators, onWalkValue }: PanelProps) {
  const t = text.value;
  // On a phone the panel would hide the map.
  const [isOpen] = useState(() => matchMedia(WIDE).matches);
  const { values, radius, stay } = search;
  const fields = { values, change, operators };
  return (
    <section class="map-panel" aria-label={t.search}>
      <details open={isOpen}>
        <summary>
          {stayText(stay)}, {distance(radius)}
        </summary>
        <StayAndRadius search={search} change={change} />
        {isAppUser.value && (
          <div class="map-fields">
            <SearchVehicles change={change} />
            <MyPresets change={change} />
            <WalkValue onChange={onWalkValue} />
          </div>
        )}
      </details>
      <details>
        <summary>
          {t.vehicle} {VEHICLE_FIELDS.some(({ name }) => values[name]) && <span class="chip">✓</span>}
        </summary>
        <div class="map-fields">
          {VEHICLE_FIELDS.map((field) => (
            <Condition
              key={field.name}
              field={field}
              label={`${dimensionName(field.name)} (${unitOf(field.name)})`}
              {...fields}
            />
          ))}
        </div>
        <FlagInput
          label={t.onlyFitting}
          isSet={Boolean(values["only_fitting"])}
          onChange={(isSet) => change({ only_fitting: isSet ? "true" : "" })}
        />
      </details>
      <ConditionList {...fields} />
    </section>
  );
}

/** All conditions, and how many of them are set. */
function ConditionList(fields: Omit<PanelProps, "search" | "onWalkValue"> & { values: Values }) {
  const t = text.value;
  const { values, change } = fields;
  const count = countConditions(values);
  return (
    <details>
      <summary>
        {t.conditions} {count > 0 && <span class="chip">{t.set(count)}</span>}
      </summary>
      <div class="map-conditions">
        {CONDITION_FIELDS.map((field) => (
          <Condition key={field.name} field={field} label={t.fields[field.name]} {...fields} />
        ))}
        <button
          type="button"
          onClick={() =>
            change({ ...Object.fromEntries(CONDITION_FIELDS.map(({ name }) => [name, ""])), only_fitting: "" })}
        >
          {t.clear}
        </button>
      </div>
    </details>
  );
}

function stayText({ entry_at, exit_at }: Stay): string {
  const isOneDay = date(entry_at) === date(exit_at);
  return `${dateTime(entry_at)} – ${isOneDay ? timeOfDay(exit_at) : dateTime(exit_at)}`;
}

/** Stay, vehicle type, radius and order. */
function StayAndRadius({ search, change }: Pick<PanelProps, "search" | "change">) {
  const t = text.value;
  const { values, radius, sort, stay } = search;
  const [entry, exit] = [values["entry"]!, values["exit"]!];
  const radii = [...new Set([...RADII, radius])].sort((a, b) => a - b);
  return (
    <>
      <div class="map-stay">
        <DateTimeInput label={t.entry} value={entry} onChange={(entry) => change({ entry, exit })} />
        <DateTimeInput label={t.exit} value={exit} onChange={(exit) => change({ entry, exit })} />
      </div>
      <div class="row">
        <button type="button" onClick={() => change(stayFromNow(60))}>{t.oneHour}</button>
        <button type="button" onClick={() => change(stayFromNow(180))}>{t.threeHours}</button>
        <button type="button" onClick={() => change(stayOvernight())}>{t.overnight}</button>
      </div>
      <div class="map-fields">
        <ChoiceInput
          label={t.vehicleType}
          value={stay.vehicle_type}
          options={withValue(options("vehicle_type"), stay.vehicle_type)}
          onChange={(vehicle_type) => change({ vehicle_type })}
        />
        <ChoiceInput
          label={t.radius}
          value={String(radius)}
          options={radii.map((meters) => [String(meters), distance(meters)])}
          onChange={(radius) => change({ radius })}
        />
      </div>
      <ChoiceInput
        label={t.sort}
        value={sort}
        options={SORTS.map((sort) => [sort, t.sorts[sort]])}
        onChange={(sort) => change({ sort })}
      />
    </>
  );
}

/** A value of the address that is not in the list stays visible. */
function withValue(list: readonly [string, string][], value: string): readonly [string, string][] {
  return list.some(([known]) => known === value) ? list : [...list, [value, value]];
}
