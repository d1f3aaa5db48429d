/** Sales, reviews and figures of the stores, and the runs that fetch them. */
import { useMemo, useState } from "preact/hooks";
import uPlot from "uplot";
import type { components, ListItem, ResponseBody } from "parking-lot-client";
import type { PageProps } from "../../../page.ts";
import { label, options } from "../../../codes.ts";
import { dateTime, money, number } from "../../../format.ts";
import { language, texts } from "../../../language.ts";
import { href, place } from "../../../router.ts";
import { Chart } from "../../../ui/chart.tsx";
import { color } from "../../../ui/color.ts";
import { Form, Select } from "../../../ui/form.tsx";
import { Loaded, useLoad } from "../../../ui/load.tsx";
import { client } from "../../kit/access.ts";
import { announcement } from "../../kit/announcement.ts";
import { Details, type FieldOf } from "../../kit/details.tsx";
import { type Filter, Filters, filterValues } from "../../kit/filters.tsx";
import { usePoll } from "../../kit/poll.ts";
import { Rows, Table } from "../../kit/table.tsx";
import { Tabs } from "../../kit/tabs.tsx";

type Run = ListItem<"/v1/admin/store-sync/runs">;
type DailySale = ResponseBody<"/v1/admin/store-sales/daily", "get">["items"][number];
type Trigger = components["schemas"]["TriggerStoreSyncRequest"];

const SCREEN = "/console/store-sync";

const text = texts({
  en: {
    parts: "Parts of this page",
    runs: "Runs",
    daily: "Sales by day",
    sales: "Sales",
    reviews: "Reviews",
    metrics: "Figures",
    store: "Store",
    task: "Task",
    status: "Status",
    read: "Rows read",
    written: "Rows written",
    started: "Started",
    finished: "Ended",
    created: "Queued",
    due: "Continues",
    problem: "Waits because",
    error: "Error",
    requestedBy: "Started by",
    job: "the nightly job",
    trigger: "Fetch now",
    triggered: (count: string) => `${count} runs are queued.`,
    allRuns: "All runs",
    noRuns: "There are no runs.",
    noSales: "There are no sales in this time.",
    empty: "Nothing was fetched yet.",
    day: "Day",
    from: "From",
    to: "To",
    since: "Since",
    product: "Product",
    country: "Country",
    units: "Units",
    refunds: "Refunds",
    amount: "Amount",
    currency: "Currency",
    proceeds: "Proceeds",
    unitsByDay: "Units sold by day",
    sums: "Sum of the days",
    rows: (n: string) => `Day by day (${n} rows)`,
    rating: "Rating",
    text: "Review",
    author: "Author",
    territory: "Country",
    answer: "Answer of the team",
    written_at: "Written",
    metric: "Figure",
    value: "Value",
  },
  ja: {
    parts: "このページの項目",
    runs: "取得の実行",
    daily: "日別の売上",
    sales: "売上",
    reviews: "ストアのレビュー",
    metrics: "指標",
    store: "ストア",
    task: "種類",
    status: "状態",
    read: "読み取り行数",
    written: "書き込み行数",
    started: "開始",
    finished: "終了",
    created: "登録",
    due: "再開予定",
    problem: "待機の理由",
    error: "エラー",
    requestedBy: "実行者",
    job: "毎日のジョブ",
    trigger: "今すぐ取得",
    triggered: (count: string) => `${count}件の実行を登録しました。`,
    allRuns: "実行の一覧",
    noRuns: "実行はありません。",
    noSales: "この期間の売上はありません。",
    empty: "まだ取得されていません。",
    day: "日",
    from: "開始日",
    to: "終了日",
    since: "開始日",
    product: "商品",
    country: "国",
    units: "販売数",
    refunds: "返金",
    amount: "金額",
    currency: "通貨",
    proceeds: "受取額",
    unitsByDay: "日別の販売数",
    sums: "期間の合計",
    rows: (n: string) => `日ごとの明細(${n}行)`,
    rating: "評価",
    text: "レビュー",
    author: "投稿者",
    territory: "国",
    answer: "運営の返信",
    written_at: "投稿日時",
    metric: "指標",
    value: "値",
  },
});

const stores = () => options("store").filter(([code]) => code !== "all");
const storeFilter = (): Filter => ({ name: "store", label: text.value.store, options: stores() });
const dayFilters = (): Filter[] => [
  { name: "from", label: text.value.from, type: "date" },
  { name: "to", label: text.value.to, type: "date" },
];

export function StoreSyncScreen({ parts: [part] }: PageProps) {
  const t = text.value;
  const tabs = [
    [SCREEN, t.runs],
    [`${SCREEN}/daily`, t.daily],
    [`${SCREEN}/sales`, t.sales],
    [`${SCREEN}/reviews`, t.reviews],
    [`${SCREEN}/metrics`, t.metrics],
  ] as const;
  const current = part === undefined ? SCREEN : `${SCREEN}/${part}`;
  if (!tabs.some(([address]) => address === current)) return <OneRun key={part} id={part!} />;
  return (
    <>
      <Tabs label={t.parts} tabs={tabs} current={current} />
      {part === undefined && <Runs />}
      {part === "daily" && <Daily />}
      {part === "sales" && <Sales />}
      {part === "reviews" && <Reviews />}
      {part === "metrics" && <Metrics />}
    </>
  );
}

function Runs() {
  const t = text.value;
  const [triggered, setTriggered] = useState(0);
  return (
    <>
      <Form
        class="console-bar"
        submit={t.trigger}
        onSubmit={async (values) => {
          const body = { store: values.get("store"), task: values.get("task") } as Trigger;
          const { data } = await client.POST("/v1/admin/store-sync/trigger", { body });
          announcement.value = t.triggered(number(data.count));
          setTriggered((n) => n + 1);
        }}
      >
        <Select name="store" label={t.store} options={options("store")} defaultValue="all" />
        <Select name="task" label={t.task} options={options("store_sync_task")} defaultValue="all" />
      </Form>
      <Table
        key={triggered}
        path="/v1/admin/store-sync/runs"
        empty={t.noRuns}
        filters={[
          storeFilter(),
          { name: "task", label: t.task, options: options("store_sync_task").filter(([code]) => code !== "all") },
          { name: "status", label: t.status, options: options("store_sync_status") },
        ]}
        columns={[
          {
            head: t.created,
            cell: ({ id, created_at }) => <a href={href(`${SCREEN}/${id}`)}>{dateTime(created_at)}</a>,
          },
          { head: t.store, cell: ({ store }) => label("store", store) },
          { head: t.task, cell: ({ task }) => label("store_sync_task", task) },
          { head: t.status, cell: ({ status }) => <span class="chip">{label("store_sync_status", status)}</span> },
          { head: t.read, cell: ({ rows_read }) => number(rows_read), isNumber: true },
          { head: t.written, cell: ({ rows_written }) => number(rows_written), isNumber: true },
          { head: t.error, cell: ({ error, problem }) => (error ?? problem)?.code },
        ]}
      />
    </>
  );
}

function runFields(): FieldOf<Run>[] {
  const t = text.value;
  const reason = (found: Run["error"] | Run["problem"]) => found && `${found.code}: ${found.message}`;
  return [
    { label: t.store, show: ({ store }) => label("store", store) },
    { label: t.task, show: ({ task }) => label("store_sync_task", task) },
    { label: t.status, show: ({ status }) => label("store_sync_status", status) },
    { label: t.requestedBy, show: ({ requested_by }) => requested_by ?? t.job },
    { label: t.read, show: ({ rows_read }) => number(rows_read) },
    { label: t.written, show: ({ rows_written }) => number(rows_written) },
    { label: t.error, show: ({ error }) => reason(error) },
    { label: t.problem, show: ({ problem }) => reason(problem) },
    { label: t.due, show: ({ due_at }) => due_at && dateTime(due_at) },
    { label: t.created, show: ({ created_at }) => dateTime(created_at) },
    { label: t.started, show: ({ started_at }) => started_at && dateTime(started_at) },
    { label: t.finished, show: ({ finished_at }) => finished_at && dateTime(finished_at) },
  ];
}

function OneRun({ id }: { id: string }) {
  const params = { path: { id } };
  const load = useLoad(
    async (signal) => (await client.GET("/v1/admin/store-sync/runs/{id}", { params, signal })).data,
    [id],
  );
  const status = load.data?.status;
  usePoll(load.reload, status === "queued" || status === "running");
  return (
    <>
      <p>
        <a href={href(SCREEN)}>{text.value.allRuns}</a>
      </p>
      <Loaded load={load}>{(run) => <Details data={run} fields={runFields()} />}</Loaded>
    </>
  );
}

function Daily() {
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

/** Currencies are not converted: each store and currency has its sum. */
function sumsOf(items: readonly DailySale[]): DailySale[] {
  const groups = Map.groupBy(items, ({ store, currency }) => `${store} ${currency}`);
  return [...groups.values()].map((group) =>
    group.reduce((sum, item) => ({
      ...sum,
      units: sum.units + item.units,
      refund_units: sum.refund_units + item.refund_units,
      amount_minor: sum.amount_minor + item.amount_minor,
    }))
  );
}

function UnitsChart({ items }: { items: readonly { sale_date: string; units: number }[] }) {
  const t = text.value;
  const days = useMemo(() => {
    const byDay = new Map<string, number>();
    for (const { sale_date, units } of items) byDay.set(sale_date, (byDay.get(sale_date) ?? 0) + units);
    return [...byDay].sort(([a], [b]) => a < b ? -1 : 1);
  }, [items]);
  const data = useMemo<uPlot.AlignedData>(
    () => [days.map(([day]) => Date.parse(`${day}T00:00:00Z`) / 1000), days.map(([, units]) => units)],
    [days],
  );
  const series = useMemo<uPlot.Series[]>(() => [{}, { stroke: color("accent"), width: 2 }], []);
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

function Sales() {
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

function Reviews() {
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

function Metrics() {
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
