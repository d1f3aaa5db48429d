// Published totals: what a list says that a stay of some length costs.
import type { PricingRule } from "../../../supabase/functions/_shared/import/pricing.ts";
import { cents, Unread } from "./tariff.ts";

export interface Total {
  readonly minutes: number;
  readonly amount_minor: number;
  /** Local time of entry, HH:MM; absent where the list names none. */
  readonly entry?: string;
}

type Values = Readonly<Record<string, unknown>>;

function listOf(value: unknown): readonly Values[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "object" && one !== null) : [];
}

/** Minor units of an amount with two decimals; undefined where there is none. */
function amountOf(raw: unknown): number | undefined {
  const text = typeof raw === "number" ? raw.toFixed(2) : String(raw ?? "").trim().replace(",", ".");
  if (text === "") return undefined;
  try {
    return cents(text);
  } catch (error) {
    if (error instanceof Unread) return undefined;
    throw error;
  }
}

function inOrder(totals: readonly Total[]): readonly Total[] {
  return totals.toSorted((a, b) => a.minutes - b.minutes);
}

const HOURS = [1, 2, 3, 4, 24];

/** Base nationale des lieux de stationnement: tarif_1h to tarif_24h, in euros. Rows for subscribers only have none. */
export function bnlsTotals(values: Values): readonly Total[] {
  if (values["type_usagers"] === "abonnés") return [];
  return HOURS.flatMap((hours) => {
    const amount_minor = amountOf(values[`tarif_${hours}h`]);
    return amount_minor === undefined ? [] : [{ minutes: hours * 60, amount_minor }];
  });
}

/** Heidelberg: totals by the hour. Those of the night are for a stay that begins when the day's price ends. */
export function heidelbergTotals(values: Values): readonly Total[] {
  const valueOf = (name: string) => (values[name] as Values | undefined)?.["value"];
  const isSplit = valueOf("dayStart") !== valueOf("dayEnd");
  return inOrder(
    listOf(valueOf("prices")).flatMap(({ minutes, price, tarif }) => {
      const amount_minor = amountOf(price);
      if (amount_minor === undefined || !Number.isInteger(minutes)) return [];
      if (tarif === "Day") return [{ minutes: Number(minutes), amount_minor }];
      const entry = valueOf("dayEnd");
      return isSplit && typeof entry === "string" ? [{ minutes: Number(minutes), amount_minor, entry }] : [];
    }),
  );
}

const BAHN_MINUTES: Readonly<Record<string, number>> = {
  "20min": 20,
  "30min": 30,
  "1hour": 60,
  "1day": 1440,
  "1week": 10_080,
};

/** Deutsche Bahn: totals of some stays. Prices for holders of a rail card and of months are other products. */
export function bahnTotals(values: Values): readonly Total[] {
  const tariff = values["tariff"] as Values | undefined;
  return inOrder(
    listOf(tariff?.["prices"]).flatMap(({ group, duration, price }) => {
      const minutes = BAHN_MINUTES[String(duration)], amount_minor = amountOf(price);
      const isStandard = (group as Values | undefined)?.["groupName"] === "standard";
      return isStandard && minutes !== undefined && amount_minor !== undefined ? [{ minutes, amount_minor }] : [];
    }),
  );
}

/** Green P: the price of the first half hour, when the hours of that price begin on a weekday. */
export function greenPTotals(values: Values, rules: readonly PricingRule[]): readonly Total[] {
  const amount_minor = amountOf(values["rate_half_hour"]);
  if (amount_minor === undefined || amount_minor === 0) return [];
  const entry = rules.find(({ category, day_type }) =>
    category === "time_band" && (day_type === "all" || day_type === "weekday")
  )?.time_start;
  return [{ minutes: 30, amount_minor, ...(entry === undefined || entry === null ? {} : { entry }) }];
}

/** Swiss stations: the first unit, and the calendar day where its units cost the maximum of a day at least. */
export function swissTotals(values: Values): readonly Total[] {
  const model = values["pricingModel"] as Values | undefined;
  const unit = Number(model?.["viableIncrement"] ?? 0), most = Number(model?.["maximumDayPrice"] ?? 0);
  const segments = listOf(model?.["priceSegments"]).toSorted((a, b) =>
    Number(a["startingFrom"]) - Number(b["startingFrom"])
  );
  const first = segments[0], prices = segments.map(({ price }) => Number(price));
  if (first?.["startingFrom"] !== 0 || !(unit > 0) || prices.every((price) => price === 0)) return [];
  const totals: Total[] = [{ minutes: unit, amount_minor: Number(first["price"]) }];
  if (most > 0 && Math.min(...prices) * (1440 / unit) >= most) {
    totals.push({ minutes: 1440, amount_minor: most, entry: "00:00" });
  }
  return totals;
}
