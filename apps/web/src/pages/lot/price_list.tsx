/** The pricing rules of a lot in words, group by group. */
import { label } from "../../codes.ts";
import { date, duration, money } from "../../format.ts";
import { texts } from "../../language.ts";
import type { Lot } from "./lot.ts";

type Rule = Lot["pricing_rules"][number];
/** A rule of a date override has some of the fields. */
type AnyRule = Partial<Omit<Rule, "category">> & Pick<Rule, "category">;

const text = texts({
  en: {
    days: "Days",
    hours: "Hours",
    price: "Price",
    anyTime: "Any time",
    none: "The service knows no prices of this lot.",
    everyVehicle: "All vehicles",
    specialDates: "Dates with prices of their own",
    noPrice: "?",
    rate: (price: string, unit: string) => `${price} for each ${unit}`,
    flat: (price: string) => `${price} flat`,
    initial: (price: string, unit: string) => `${price} for the first ${unit}`,
    grace: (unit: string) => `Free up to ${unit}; a longer stay is charged from the entry`,
    cap: (price: string, window: string) => `At most ${price} ${window}`,
    capOfRate: (rate: string, cap: string) => `${rate}. ${cap} at this rate`,
    windows: {
      duration: (hours: string, repeats: boolean | null) =>
        `${repeats ? "in each" : "in the first"} ${hours} from the entry`,
      day: (repeats: boolean | null): string => repeats ? "on each calendar day" : "on the first calendar day",
      band: (repeats: boolean | null): string =>
        repeats ? "in these hours, each time" : "in these hours, the first time",
      stay: "for the whole stay",
    },
  },
  ja: {
    days: "曜日",
    hours: "時間帯",
    price: "料金",
    anyTime: "終日",
    none: "料金の情報がありません。",
    everyVehicle: "すべての車両",
    specialDates: "特別料金の日",
    noPrice: "?",
    rate: (price: string, unit: string) => `${unit}ごとに ${price}`,
    flat: (price: string) => `一律 ${price}`,
    initial: (price: string, unit: string) => `最初の${unit} ${price}`,
    grace: (unit: string) => `${unit}以内は無料（超えると入庫時から課金）`,
    cap: (price: string, window: string) => `${window}最大 ${price}`,
    capOfRate: (rate: string, cap: string) => `${rate}（${cap}）`,
    windows: {
      duration: (hours: string, repeats: boolean | null) => `入庫から${hours}${repeats ? "ごとに" : "まで（1回のみ）"}`,
      day: (repeats: boolean | null): string => repeats ? "1日ごとに" : "最初の1日",
      band: (repeats: boolean | null): string => repeats ? "時間帯ごとに" : "最初の時間帯のみ",
      stay: "1回の駐車につき",
    },
  },
});

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
