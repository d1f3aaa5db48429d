/** The conditions of the search: stay, vehicle, order and everything else that the service can filter by. */
import { useState } from "preact/hooks";
import { options } from "../../codes.ts";
import { date, dateTime, distance, timeOfDay } from "../../format.ts";
import { texts } from "../../language.ts";
import { isAppUser } from "../../following.ts";
import { CONDITION_FIELDS, type ConditionName, countConditions, type Values, VEHICLE_FIELDS } from "./conditions.ts";
import { dimensionName, unitOf } from "./dimensions.ts";
import { ChoiceInput, Condition, DateTimeInput, FlagInput } from "./fields.tsx";
import { MyPresets, SearchVehicles, WalkValue } from "./own.tsx";
import { RADII, type Search, SORTS, type Stay, stayFromNow, stayOvernight } from "./search.ts";

const text = texts({
  en: {
    search: "Search",
    entry: "Entry",
    exit: "Exit",
    oneHour: "Now, 1 h",
    threeHours: "Now, 3 h",
    overnight: "Overnight",
    radius: "Within",
    sort: "Order",
    sorts: { recommended: "Best of price, walk and rating", price: "Lowest price of the stay", distance: "Nearest" },
    vehicleType: "Vehicle type",
    vehicle: "Vehicle dimensions",
    onlyFitting: "Only lots that are known to fit",
    conditions: "Conditions",
    set: (count: number) => `${count} set`,
    clear: "Clear all conditions",
    fields: {
      keywords: "Words in name, address or operator",
      max_price: "Price of the stay, at most (yen)",
      open_now: "Open now",
      attributes: "Features",
      tags: "Tags",
      price_min: "Price of one hour, at least (yen)",
      price_max: "Price of one hour, at most (yen)",
      difficulty: "Entrance",
      operator_codes: "Operators",
      meter_ticket_included: "Without on-street parking",
    } satisfies Record<ConditionName, string>,
  },
  ja: {
    search: "検索",
    entry: "入庫",
    exit: "出庫",
    oneHour: "今から1時間",
    threeHours: "今から3時間",
    overnight: "夜間",
    radius: "範囲",
    sort: "並び順",
    sorts: { recommended: "料金・徒歩・評価の総合", price: "料金が安い順", distance: "近い順" },
    vehicleType: "車種",
    vehicle: "車両の寸法",
    onlyFitting: "入ると分かっている駐車場だけ",
    conditions: "条件",
    set: (count: number) => `${count}件指定`,
    clear: "条件をすべて外す",
    fields: {
      keywords: "名称・住所・事業者に含まれる語",
      max_price: "駐車料金の上限 (円)",
      open_now: "現在営業中",
      attributes: "設備・特徴",
      tags: "タグ",
      price_min: "1時間の料金の下限 (円)",
      price_max: "1時間の料金の上限 (円)",
      difficulty: "入りやすさ",
      operator_codes: "事業者",
      meter_ticket_included: "路上駐車場を除く",
    },
  },
});

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
