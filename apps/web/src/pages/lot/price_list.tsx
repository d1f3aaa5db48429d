/** The pricing rules of a lot in words, group by group. */
import { label } from "../../codes.ts";
import { dateName, duration, money } from "../../format.ts";
import { pageTexts } from "../../texts/pages.ts";
import type { Lot } from "./lot.ts";
import { changesAfter, rulesOn, today } from "./price_dates.ts";

type Rule = Lot["pricing_rules"][number];
/** A rule of a date override has some of the fields. */
type AnyRule = Partial<Omit<Rule, "category">> & Pick<Rule, "category">;

const text = pageTexts(({ lot }) => lot.priceList);

export function PriceList({ lot }: { lot: Lot }) {
  const t = text.value;
  const special = lot.date_overrides.filter(({ pricing }) => pricing !== null);
  if (lot.pricing_rules.length === 0 && special.length === 0) return <p class="notice">{t.none}</p>;
  const now = today(lot.time_zone);
  return (
    <>
      {lot.pricing_rules.length > 0 && <PriceGroups rules={rulesOn(lot.pricing_rules, now)} lot={lot} />}
      {changesAfter(lot.pricing_rules, now).map((change) => (
        <details key={change}>
          <summary>{t.fromDate(dayText(change))}</summary>
          <PriceGroups rules={rulesOn(lot.pricing_rules, change)} lot={lot} />
        </details>
      ))}
      {lot.price_fixed_at_entry && <p class="lot-quiet">{t.fixedAtEntry}</p>}
      {special.length > 0 && (
        <details>
          <summary>{t.specialDates} ({special.length})</summary>
          {special.map((override) => (
            <div key={override.id}>
              <h4>{dayText(override.override_date)} {override.label}</h4>
              <PriceRules rules={override.pricing as AnyRule[]} lot={lot} />
            </div>
          ))}
        </details>
      )}
    </>
  );
}

/** Says when the prices change next. */
export function PriceChange({ lot }: { lot: Lot }) {
  const [change] = changesAfter(lot.pricing_rules, today(lot.time_zone));
  return change === undefined ? null : <p class="notice">{text.value.changesOn(dayText(change))}</p>;
}

const dayText = (day: string) => dateName(day, { weekday: undefined });

function PriceGroups({ rules, lot }: { rules: readonly Rule[]; lot: Lot }) {
  const t = text.value;
  if (rules.length === 0) return <p class="notice">{t.none}</p>;
  const groups = Map.groupBy(rules, (rule) => rule.pricing_group_id);
  return (
    <>
      {[...groups].map(([id, rules]) => (
        <div key={id ?? ""}>
          {lot.pricing_groups.length > 0 && <h4>{groupName(lot, id)}</h4>}
          <PriceRules rules={rules} lot={lot} />
          {groupOf(lot, id)?.free_while_closed && <p class="lot-quiet">{t.freeWhileClosed}</p>}
        </div>
      ))}
    </>
  );
}

function PriceRules({ rules, lot }: { rules: readonly AnyRule[]; lot: Lot }) {
  const t = text.value;
  return (
    <table class="lot-prices">
      <thead>
        <tr>
          <th scope="col">{t.days}</th>
          <th scope="col">{t.hours}</th>
          <th scope="col">{t.price}</th>
        </tr>
      </thead>
      <tbody>
        {rules.map((rule, index) => (
          <tr key={rule.id ?? index}>
            <td>{label("day_type", rule.day_type ?? "all")}</td>
            <td>{bandOf(rule)}</td>
            <td>{priceOf(rule, lot.currency)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function groupOf(lot: Lot, id: string | null) {
  return lot.pricing_groups.find((one) => id === null ? one.is_default : one.id === id);
}

/** The name of a group with its vehicle types. */
function groupName(lot: Lot, id: string | null): string {
  const group = groupOf(lot, id);
  const vehicles = group?.vehicle_types?.map((code) => label("vehicle_type", code)).join(", ");
  return [group?.name, vehicles ?? text.value.everyVehicle].filter(Boolean).join(": ");
}

/** A rule of the lot in one line, by its id. */
export function ruleTexts(lot: Lot): (id: string) => string | undefined {
  const rules = new Map(lot.pricing_rules.map((rule) => [rule.id, rule]));
  return (id) => {
    const rule = rules.get(id);
    return rule && `${label("day_type", rule.day_type ?? "all")}, ${bandOf(rule)}: ${priceOf(rule, lot.currency)}`;
  };
}

function bandOf({ time_start, time_end }: AnyRule): string {
  return time_start && time_end ? `${time_start}–${time_end}` : text.value.anyTime;
}

/** What a rule costs: `¥200 for each 30 min`. */
export function priceOf(rule: AnyRule, currency: string): string {
  const t = text.value;
  const price = typeof rule.price_minor === "number" ? money(rule.price_minor, currency) : t.noPrice;
  const unit = duration(rule.per_minutes ?? 0);
  const words = {
    time_band: () =>
      typeof rule.max_units === "number" ? t.stepOfRate(t.rate(price, unit), rule.max_units) : t.rate(price, unit),
    flat: () => t.flat(price),
    initial: () => t.initial(price, unit),
    grace: () => t.grace(unit),
    cap: () => capOf(rule, currency),
    published_total: () => t.publishedTotal(price, unit),
  }[rule.category]();
  return rule.category !== "cap" && rule.cap_type ? t.capOfRate(words, capOf(rule, currency)) : words;
}

function capOf({ cap_type, cap_price_minor, cap_duration_hours, cap_repeat }: AnyRule, currency: string): string {
  const { cap, noPrice, windows } = text.value;
  const price = typeof cap_price_minor === "number" ? money(cap_price_minor, currency) : noPrice;
  const repeats = cap_repeat ?? null;
  if (cap_type === "duration") {
    return cap(price, windows.duration(duration((cap_duration_hours ?? 0) * 60), repeats));
  }
  if (cap_type === "day" || cap_type === "band") return cap(price, windows[cap_type](repeats));
  return cap(price, windows.stay);
}
