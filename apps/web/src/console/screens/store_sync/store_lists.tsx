/** What was fetched from the stores: sales, reviews and figures. */
import { label } from "../../../codes.ts";
import { dateTime, money, number } from "../../../format.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Table } from "../../kit/table.tsx";
import { dayFilters, storeFilter } from "./store_filters.ts";

const text = consoleTexts(({ storeSync }) => storeSync);

export function StoreSales() {
  const t = text.value;
  return (
    <Table
      path="/v1/admin/store-sales"
      empty={t.noSales}
      filters={[
        storeFilter(),
        { name: "sku", label: t.product },
        { name: "country", label: t.country },
        ...dayFilters(),
      ]}
      columns={[
        { head: t.day, cell: ({ sale_date }) => sale_date },
        { head: t.store, cell: ({ store }) => label("store", store) },
        { head: t.product, cell: ({ title, sku }) => title ?? sku },
        { head: t.country, cell: ({ country }) => country },
        { head: t.units, cell: ({ units }) => number(units), isNumber: true },
        { head: t.refunds, cell: ({ refund_units }) => number(refund_units), isNumber: true },
        { head: t.amount, cell: ({ amount_minor, currency }) => money(amount_minor, currency), isNumber: true },
        {
          head: t.proceeds,
          cell: ({ proceeds_minor, proceeds_currency }) =>
            proceeds_minor === null ? "–" : money(proceeds_minor, proceeds_currency),
          isNumber: true,
        },
      ]}
    />
  );
}

export function StoreReviews() {
  const t = text.value;
  const ratings = ["5", "4", "3", "2", "1"].map((rating) => [rating, "★".repeat(Number(rating))] as const);
  return (
    <Table
      path="/v1/admin/store-reviews"
      empty={t.empty}
      filters={[
        storeFilter(),
        { name: "rating", label: t.rating, options: ratings },
        { name: "territory", label: t.territory },
      ]}
      columns={[
        { head: t.written_at, cell: ({ reviewed_at }) => dateTime(reviewed_at) },
        { head: t.store, cell: ({ store }) => label("store", store) },
        { head: t.rating, cell: ({ rating }) => `${"★".repeat(rating)}${"☆".repeat(5 - rating)}` },
        {
          head: t.text,
          cell: ({ title, body }) => (
            <>
              {title && <strong>{title}</strong>} {body}
            </>
          ),
        },
        { head: t.author, cell: ({ author_name }) => author_name },
        { head: t.territory, cell: ({ territory }) => territory },
        { head: t.answer, cell: ({ response_body }) => response_body },
      ]}
    />
  );
}

export function StoreMetrics() {
  const t = text.value;
  return (
    <Table
      path="/v1/admin/store-metrics"
      empty={t.empty}
      filters={[storeFilter(), { name: "metric", label: t.metric }, ...dayFilters()]}
      columns={[
        { head: t.day, cell: ({ metric_date }) => metric_date },
        { head: t.store, cell: ({ store }) => label("store", store) },
        { head: t.metric, cell: ({ metric }) => <code>{metric}</code> },
        { head: t.value, cell: ({ value }) => number(value, 4), isNumber: true },
      ]}
    />
  );
}
