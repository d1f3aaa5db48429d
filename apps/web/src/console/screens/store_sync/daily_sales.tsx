/** The sales of the stores by day: a chart, the sums and the days. */
import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import type { components } from "parking-lot-client";
import { label } from "../../../codes.ts";
import { money, number } from "../../../format.ts";
import { language } from "../../../language.ts";
import { place } from "../../../router.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Chart } from "../../../ui/chart.tsx";
import { color } from "../../../ui/color.ts";
import { Loaded, useLoad } from "../../../ui/load.tsx";
import { client } from "../../kit/access.ts";
import { Filters, filterValues } from "../../kit/filters.tsx";
import { Rows } from "../../kit/table.tsx";
import { type DailySale, sumsOf, unitsByDay } from "./daily_sums.ts";
import { dayFilters, storeFilter } from "./store_filters.ts";

const text = consoleTexts(({ storeSync }) => storeSync);

export function DailySales() {
  const t = text.value;
  const filters = [storeFilter(), ...dayFilters()];
  const query = filterValues(filters) as { store?: components["schemas"]["Store"]; from?: string; to?: string };
  const load = useLoad(
    async (signal) => (await client.GET("/v1/admin/store-sales/daily", { params: { query }, signal })).data,
    [place.value.query.toString()],
  );
  const columns = [
    { head: t.store, cell: ({ store }: DailySale) => label("store", store) },
    { head: t.units, cell: ({ units }: DailySale) => number(units), isNumber: true },
    { head: t.refunds, cell: ({ refund_units }: DailySale) => number(refund_units), isNumber: true },
    { head: t.currency, cell: ({ currency }: DailySale) => currency },
    { head: t.amount, cell: ({ amount_minor, currency }: DailySale) => money(amount_minor, currency), isNumber: true },
  ];
  return (
    <>
      <div class="console-bar">
        <Filters filters={filters} />
      </div>
      <Loaded load={load}>
        {({ items }) =>
          items.length === 0 ? <p class="notice">{t.noSales}</p> : (
            <>
              <UnitsChart items={items} />
              <Rows caption={t.sums} items={sumsOf(items)} columns={columns} />
              <details class="console-more">
                <summary>{t.rows(number(items.length))}</summary>
                <Rows items={items} columns={[{ head: t.day, cell: ({ sale_date }) => sale_date }, ...columns]} />
              </details>
            </>
          )}
      </Loaded>
    </>
  );
}

function UnitsChart({ items }: { items: readonly DailySale[] }) {
  const t = text.value;
  const days = useMemo(() => unitsByDay(items), [items]);
  const data = useMemo<uPlot.AlignedData>(
    () => [days.map(([day]) => Date.parse(`${day}T00:00:00Z`) / 1000), days.map(([, units]) => units)],
    [days],
  );
  const series = useMemo<uPlot.Series[]>(() => [{}, { stroke: color("brand"), width: 2 }], []);
  return (
    <Chart
      key={language.value}
      label={t.unitsByDay}
      data={data}
      series={series}
      axes={[{
        values: (_, ticks) => ticks.map((tick) => new Date(tick * 1000).toISOString().slice(5, 10)),
        incrs: [86_400, 2 * 86_400, 7 * 86_400, 14 * 86_400],
      }, { size: 50 }]}
      head={[t.day, t.units]}
      row={(index) => [days[index]![0], number(days[index]![1])]}
    />
  );
}
