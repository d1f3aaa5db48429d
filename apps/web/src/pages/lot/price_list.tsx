/** The pricing rules of a lot in words, group by group. */
import { label } from "../../codes.ts";
import { date, duration, money } from "../../format.ts";
import { pageTexts } from "../../texts/pages.ts";
import type { Lot } from "./lot.ts";

type Rule = Lot["pricing_rules"][number];
/** A rule of a date override has some of the fields. */
type AnyRule = Partial<Omit<Rule, "category">> & Pick<Rule, "category">;

const text = pageTexts(({ lot }) => lot.priceList);

export function PriceList({ lot }: { lot: Lot }) {
  const t = text.value;
  const special = lot.date_overrides.filter(({ pricing }) => pricing !== null);
  if (lot.pricing_rules.length === 0 && special.length === 0) return <p class="notice">{t.none}</p>;
  const groups = Map.groupBy(lot.pricing_rules, (rule) => rule.pricing_group_id);
  return (
    <>
      {[...groups].map(([id, rules]) => (
        <div key={id ?? ""}>
          {lot.pricing_groups.length > 0 && <h4>{groupName(lot, id)}</h4>}
          <PriceRules rules={rules} lot={lot} />
        </div>
      ))}
      {special.length > 0 && (
        <details>
          <summary>{t.specialDates} ({special.length})</summary>
          {special.map((override) => (
            <div key={override.id}>
              <h4>{date(`${override.override_date}T00:00Z`, "UTC")} {override.label}</h4>
              <PriceRules rules={override.pricing as AnyRule[]} lot={lot} />
            </div>
          ))}
        </details>
      )}
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

/** The name of a group with its vehicle types. */
function groupName(lot: Lot, id: string | null): string {
  const group = lot.pricing_groups.find((one) => id === null ? one.is_default : one.id === id);
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
    time_band: () => t.rate(price, unit),
    flat: () => t.flat(price),
    initial: () => t.initial(price, unit),
    grace: () => t.grace(unit),
    cap: () => capOf(rule, currency),
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
