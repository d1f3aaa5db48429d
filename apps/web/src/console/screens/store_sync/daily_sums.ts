/** Sums of the sales of days. */
import type { ResponseBody } from "parking-lot-client";

export type DailySale = ResponseBody<"/v1/admin/store-sales/daily", "get">["items"][number];

/** The sum of each store and currency. Currencies are not converted. */
export function sumsOf(items: readonly DailySale[]): DailySale[] {
  const groups = Map.groupBy(items, ({ store, currency }) => `${store} ${currency}`);
  return [...groups.values()].map((group) =>
    group.reduce((sum, item) => ({
      ...sum,
      units: sum.units + item.units,
      refund_units: sum.refund_units + item.refund_units,
      amount_minor: sum.amount_minor + item.amount_minor,
      refund_minor: sum.refund_minor + item.refund_minor,
    }))
  );
}

/** The units of each day in all stores and currencies, the oldest day first. */
export function unitsByDay(items: readonly Pick<DailySale, "sale_date" | "units">[]): [day: string, units: number][] {
  const byDay = new Map<string, number>();
  for (const { sale_date, units } of items) byDay.set(sale_date, (byDay.get(sale_date) ?? 0) + units);
  return [...byDay].sort(([a], [b]) => a < b ? -1 : 1);
}
