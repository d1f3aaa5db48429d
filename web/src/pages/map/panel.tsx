/** The conditions of the search: stay, vehicle, order and everything else that the service can filter by. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { label, options } from "../../codes.ts";
import { distance } from "../../format.ts";
import { language, texts } from "../../language.ts";
import { client, isSignedIn } from "../../service.ts";
import { useLoad } from "../../ui/load.tsx";
import {
  CONDITION_FIELDS,
  type ConditionField,
  countConditions,
  type FieldName,
  listOf,
  type Values,
  valuesOfQuery,
  VEHICLE_FIELDS,
} from "./conditions.ts";
import { RADII, type Search, SORTS, stayFromNow, stayOvernight } from "./search.ts";

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
    myVehicle: "My vehicle",
    otherVehicle: "Other",
    vehicle: "Vehicle dimensions",
    onlyFitting: "Only lots that are known to fit",
    conditions: "Conditions",
    set: (count: number) => `${count} set`,
    clear: "Clear all conditions",
    preset: "Saved searches",
    choose: "Choose…",
    commas: "Commas between several.",
    fields: {
      height_m: "Height (m)",
      width_m: "Width (m)",
      length_m: "Length (m)",
      weight_t: "Weight (t)",
      clearance_cm: "Ground clearance (cm)",
      tire_width_mm: "Tyre width (mm)",
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
    } satisfies Record<FieldName, string>,
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
    myVehicle: "登録した車両",
    otherVehicle: "その他",
    vehicle: "車両の寸法",
    onlyFitting: "入ると分かっている駐車場だけ",
    conditions: "条件",
    set: (count: number) => `${count}件指定`,
    clear: "条件をすべて外す",
    preset: "保存した検索",
    choose: "選択…",
    commas: "複数はコンマで区切ります。",
    fields: {
      height_m: "高さ (m)",
      width_m: "幅 (m)",
      length_m: "長さ (m)",
      weight_t: "重さ (t)",
      clearance_cm: "最低地上高 (cm)",
      tire_width_mm: "タイヤ幅 (mm)",
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

export interface PanelProps {
  readonly search: Search;
  readonly change: (fields: Values) => void;
  /** Operators of the lots that the page knows, as suggestions. */
  readonly operators: readonly string[];
}

export function Panel({ search, change, operators }: PanelProps) {
  const t = text.value;
  const { values, radius, sort, stay } = search;
  const radii: number[] = [...RADII];
  if (!radii.includes(radius)) radii.push(radius);
  const fields = { values, change, operators };
  const set = countConditions(values);
  return (
    <section class="map-panel" aria-label={t.search}>
      <div class="map-stay">
        <Labelled label={t.entry}>
          {(id) => (
            <DateTime
              id={id}
              value={values["entry"]!}
              onChange={(entry) => change({ ...keptStay(values), entry })}
            />
          )}
        </Labelled>
        <Labelled label={t.exit}>
          {(id) => (
            <DateTime
              id={id}
              value={values["exit"]!}
              onChange={(exit) => change({ ...keptStay(values), exit })}
            />
          )}
        </Labelled>
      </div>
      <div class="row">
        <button type="button" onClick={() => change(stayFromNow(60))}>{t.oneHour}</button>
        <button type="button" onClick={() => change(stayFromNow(180))}>{t.threeHours}</button>
        <button type="button" onClick={() => change(stayOvernight())}>{t.overnight}</button>
      </div>
      <div class="map-fields">
        <Labelled label={t.vehicleType}>
          {(id) => (
            <Choice
              id={id}
              value={stay.vehicle_type}
              options={withValue(options("vehicle_type"), stay.vehicle_type)}
              onChange={(vehicle_type) => change({ vehicle_type })}
            />
          )}
        </Labelled>
        <Labelled label={t.radius}>
          {(id) => (
            <Choice
              id={id}
              value={String(radius)}
              options={radii.sort((a, b) => a - b).map((meters) => [String(meters), distance(meters)])}
              onChange={(radius) => change({ radius })}
            />
          )}
        </Labelled>
        <Labelled label={t.sort}>
          {(id) => (
            <Choice
              id={id}
              value={sort}
              options={SORTS.map((sort) => [sort, t.sorts[sort]])}
              onChange={(sort) => change({ sort })}
            />
          )}
        </Labelled>
        {isSignedIn.value && <MyVehicles change={change} />}
        {isSignedIn.value && <MyPresets change={change} />}
      </div>
      <details>
        <summary>
          {t.vehicle}
          {VEHICLE_FIELDS.some(({ name }) => values[name]) && <span class="chip">✓</span>}
        </summary>
        <div class="map-fields">
          {VEHICLE_FIELDS.map((field) => <Condition key={field.name} field={field} {...fields} />)}
        </div>
        <Flag
          text={t.onlyFitting}
          isSet={Boolean(values["only_fitting"])}
          onChange={(isSet) => change({ only_fitting: isSet ? "true" : "" })}
        />
      </details>
      <details>
        <summary>
          {t.conditions} {set > 0 && <span class="chip">{t.set(set)}</span>}
        </summary>
        <div class="map-conditions">
          {CONDITION_FIELDS.map((field) => <Condition key={field.name} field={field} {...fields} />)}
        </div>
        <button
          type="button"
          onClick={() =>
            change({ ...Object.fromEntries(CONDITION_FIELDS.map(({ name }) => [name, ""])), only_fitting: "" })}
        >
          {t.clear}
        </button>
      </details>
    </section>
  );
}

/** Both times, so that a change of one keeps the other. */
const keptStay = ({ entry, exit }: Values): Values => ({ entry: entry!, exit: exit! });

/** A value of the address that is not in the list stays visible. */
function withValue(
  list: readonly (readonly [string, string])[],
  value: string,
): readonly (readonly [string, string])[] {
  return list.some(([known]) => known === value) ? list : [...list, [value, value]];
}

function Labelled({ label, children }: { label: string; children: (id: string) => ComponentChildren }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id)}
    </div>
  );
}

function DateTime({ id, value, onChange }: { id: string; value: string; onChange: (value: string) => void }) {
  return (
    <input
      id={id}
      type="datetime-local"
      required
      value={value}
      onChange={({ currentTarget }) => currentTarget.reportValidity() && onChange(currentTarget.value)}
    />
  );
}

function Choice({ id, value, options, onChange }: {
  id: string;
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  onChange: (value: string) => void;
}) {
  return (
    <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      {options.map(([value, text]) => <option key={value} value={value}>{text}</option>)}
    </select>
  );
}

function Flag({ text, isSet, onChange }: { text: string; isSet: boolean; onChange: (isSet: boolean) => void }) {
  return (
    <label class="row">
      <input type="checkbox" checked={isSet} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      {text}
    </label>
  );
}

interface ConditionProps extends Omit<PanelProps, "search"> {
  readonly field: ConditionField;
  readonly values: Values;
}

function Condition({ field, values, change, operators }: ConditionProps) {
  const t = text.value;
  const name = t.fields[field.name as FieldName];
  const value = values[field.name] ?? "";
  const set = (value: string) => change({ [field.name]: value });
  switch (field.kind) {
    case "number":
      return (
        <Labelled label={name}>
          {(id) => (
            <input
              id={id}
              type="number"
              min={field.min}
              max={field.max}
              step={field.step}
              value={value}
              onChange={({ currentTarget }) => currentTarget.reportValidity() && set(currentTarget.value)}
            />
          )}
        </Labelled>
      );
    case "flag":
      return <Flag text={name} isSet={value !== ""} onChange={(isSet) => set(isSet ? "true" : "")} />;
    case "words":
      return (
        <Labelled label={name}>
          {(id) => (
            <>
              <input
                id={id}
                list={field.suggest && `${id}-known`}
                value={value}
                aria-describedby={`${id}-hint`}
                onChange={({ currentTarget }) => set(listOf(currentTarget.value).join(","))}
              />
              {field.suggest && (
                <datalist id={`${id}-known`}>{operators.map((code) => <option key={code} value={code} />)}</datalist>
              )}
              <p class="small" id={`${id}-hint`}>{t.commas}</p>
            </>
          )}
        </Labelled>
      );
    case "codes":
      return <Choices name={name} options={options(field.category)} value={value} onChange={set} />;
    case "tags":
      return <Tags name={name} value={value} onChange={set} />;
  }
}

function Choices({ name, options, value, onChange }: {
  name: string;
  options: readonly (readonly [code: string, label: string])[];
  value: string;
  onChange: (value: string) => void;
}) {
  const chosen = new Set(listOf(value));
  return (
    <fieldset>
      <legend>{name}</legend>
      <div class="choices">
        {options.map(([code, label]) => (
          <Flag
            key={code}
            text={label}
            isSet={chosen.has(code)}
            onChange={(isSet) => {
              if (isSet) chosen.add(code);
              else chosen.delete(code);
              onChange([...chosen].join(","));
            }}
          />
        ))}
      </div>
    </fieldset>
  );
}

/** The tags that are no features: every feature has a tag of its name, and the search knows more about it. */
function Tags({ name, value, onChange }: { name: string; value: string; onChange: (value: string) => void }) {
  const lang = language.value;
  const { data } = useLoad(
    async (signal) =>
      await Array.fromAsync(client.pages("/v1/tags", { params: { query: { lang, limit: 100 } }, signal })),
    [lang],
  );
  const features = new Set(options("attribute").map(([code]) => code));
  const others = (data ?? []).filter(({ slug }) => !features.has(slug));
  if (others.length === 0) return null;
  return (
    <Choices name={name} options={others.map(({ slug, name }) => [slug, name])} value={value} onChange={onChange} />
  );
}

/** One of the person's vehicles fills type and dimensions. */
function MyVehicles({ change }: Pick<PanelProps, "change">) {
  const t = text.value;
  const { data } = useLoad(
    async (signal) => (await client.GET("/v1/me/vehicles", { params: { query: { limit: 100 } }, signal })).data.items,
    [],
  );
  if (!data?.length) return null;
  return (
    <Labelled label={t.myVehicle}>
      {(id) => (
        <Choice
          id={id}
          value=""
          options={[
            ["", t.choose],
            ...data.map((vehicle) =>
              [
                vehicle.id,
                vehicle.nickname ?? label("vehicle_type", vehicle.vehicle_type),
              ] as const
            ),
          ]}
          onChange={(chosen) => {
            const vehicle = data.find(({ id }) => id === chosen);
            if (!vehicle) return;
            change({
              vehicle_type: vehicle.vehicle_type,
              ...Object.fromEntries(VEHICLE_FIELDS.map(({ name }) => [name, String(vehicle[name] ?? "")])),
            });
          }}
        />
      )}
    </Labelled>
  );
}

function MyPresets({ change }: Pick<PanelProps, "change">) {
  const t = text.value;
  const { data } = useLoad(
    async (signal) =>
      (await client.GET("/v1/me/search-presets", { params: { query: { limit: 100 } }, signal })).data.items,
    [],
  );
  if (!data?.length) return null;
  return (
    <Labelled label={t.preset}>
      {(id) => (
        <Choice
          id={id}
          value=""
          options={[["", t.choose], ...data.map(({ id, name }) => [id, name] as const)]}
          onChange={(chosen) => {
            const preset = data.find(({ id }) => id === chosen);
            if (preset) change(valuesOfQuery(preset.query_json));
          }}
        />
      )}
    </Labelled>
  );
}
