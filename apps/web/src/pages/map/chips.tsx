/** The conditions of the search as chips with their values. Each opens its sheet. */
import { useState } from "preact/hooks";
import { label } from "../../codes.ts";
import { distance, money, zoneParts } from "../../format.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Icon } from "../../ui/icon.tsx";
import { CONDITION_FIELDS, type ConditionName, listOf, numberOf, type Values } from "../../conditions.ts";
import { FiltersSheet } from "./filters_sheet.tsx";
import { hasOtherClocks, RADIUS, type Search } from "./search.ts";
import { StaySheet } from "./stay_sheet.tsx";
import { stayText } from "./stay_text.ts";
import { rememberVehicle, withVehicle } from "./vehicle.ts";
import { vehicleText } from "./vehicle_text.ts";
import { VehicleSheet } from "./vehicle_sheet.tsx";
import { zone } from "./zone.ts";

const text = pageTexts(({ map }) => map.chips);

export interface ChipsProps {
  readonly search: Search;
  readonly change: (fields: Values) => void;
  readonly operators: readonly string[];
  readonly onWalkValue: () => void;
}

const SHEETS = ["stay", "vehicle", "filters"] as const;

export function Chips({ search, change, operators, onWalkValue }: ChipsProps) {
  const t = text.value;
  const [open, setOpen] = useState<(typeof SHEETS)[number]>();
  const close = () => setOpen(undefined);
  const { values, stay, radius } = search;
  const timeZone = zone.value;
  const conditions = conditionTexts(values, radius);
  return (
    <div class="chips" role="group" aria-label={t.conditions}>
      <Chip name={t.stay} isSet onClick={() => setOpen("stay")}>
        {stayText(stay, timeZone)}
        {hasOtherClocks(stay, timeZone) && ` ${zoneParts(timeZone, stay.entry_at).offset}`}
      </Chip>
      <Chip name={t.vehicle} isSet={values["height_m"] !== undefined} onClick={() => setOpen("vehicle")}>
        {vehicleText(values)}
      </Chip>
      {conditions.map((condition) => (
        <Chip key={condition} name={t.filters} isSet onClick={() => setOpen("filters")}>{condition}</Chip>
      ))}
      <Chip name={t.filters} onClick={() => setOpen("filters")}>
        <Icon name="filters" size={16} />
        {t.filters}
      </Chip>
      {open === "stay" && (
        <StaySheet
          stay={stay}
          timeZone={timeZone}
          onStay={(stay) => change({ ...stay })}
          onClose={close}
        />
      )}
      {open === "vehicle" && (
        <VehicleSheet
          values={values}
          onVehicle={(vehicle) => {
            rememberVehicle(vehicle);
            change(withVehicle(vehicle));
          }}
          onClose={close}
        />
      )}
      {open === "filters" && (
        <FiltersSheet
          values={values}
          radius={radius}
          onValues={change}
          operators={operators}
          onWalkValue={onWalkValue}
          onClose={close}
        />
      )}
    </div>
  );
}

function Chip(
  { name, isSet = false, onClick, children }: {
    /** What the value is of, for those who hear it alone. */
    name: string;
    isSet?: boolean;
    onClick: () => void;
    children: preact.ComponentChildren;
  },
) {
  return (
    <button type="button" class={isSet ? "pill pill-set" : "pill"} aria-haspopup="dialog" onClick={onClick}>
      {isSet && <span class="visually-hidden">{`${name}: `}</span>}
      {children}
    </button>
  );
}

/** The distance that is not the usual one, and every condition that is set, with its value. */
export function conditionTexts(values: Values, radius: number): string[] {
  const t = text.value;
  const set = CONDITION_FIELDS.flatMap(({ name }) => values[name] ? conditionText(name, values[name]) : []);
  return [
    ...(radius === RADIUS ? [] : [`≤ ${distance(radius)}`]),
    ...set,
    ...(values["only_fitting"] ? [t.onlyFitting] : []),
  ];
}

function conditionText(name: ConditionName, value: string): string[] {
  const t = text.value;
  const amount = money(numberOf(value) ?? 0);
  switch (name) {
    case "max_price":
      return [`≤ ${amount}`];
    case "price_max":
      return [t.perHour(`≤ ${amount}`)];
    case "price_min":
      return [t.perHour(`≥ ${amount}`)];
    case "attributes":
      return listOf(value).map((code) => label("attribute", code));
    case "difficulty":
      return listOf(value).map((code) => label("difficulty", code));
    case "keywords":
    case "operator_codes":
    case "tags":
      return listOf(value);
    case "open_now":
      return [t.openNow];
    case "without_surprises":
      return [t.withoutSurprises];
    case "meter_ticket_included":
      return [t.offStreet];
  }
}
