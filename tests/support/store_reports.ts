// The stand-in of the stores' reports (local/standins/store_reports.ts), and what the service stored of them.
import type { Sql } from "postgres";

export interface Books<Row = Record<string, unknown>> {
  readonly today: string;
  readonly requests: Readonly<Record<string, number>>;
  readonly most_at_once: { readonly ios_store: number; readonly android_store: number };
  readonly books: readonly Row[];
}

export interface BookReview {
  readonly store: string;
  readonly id: string;
  readonly rating: number;
  readonly title: string;
  readonly body: string;
  readonly territory: string;
  readonly language: string;
  readonly author: string;
  readonly changedAt: number;
  readonly createdAt: number;
  readonly response: string | null;
}

/** `providers`: the address of the stand-ins, where they are not those of the tests' platform. */
function control(providers = Deno.env.get("PROVIDERS_URL")): string {
  if (!providers) throw new Error("PROVIDERS_URL is not set: run the tests with `deno task test`");
  return `${providers}/control/store-reports`;
}

export async function scriptStores(script: Record<string, unknown>, providers?: string): Promise<void> {
  const response = await fetch(control(providers), { method: "POST", body: JSON.stringify(script) });
  if (!response.ok) throw new Error(`/control/store-reports answers ${response.status}: ${await response.text()}`);
}

export async function readBooks<Row>(
  books: "sales" | "reviews" | "metrics",
  providers?: string,
): Promise<Books<Row>> {
  return await (await fetch(`${control(providers)}?books=${books}`)).json();
}

/** What is stored, in the words of the books. */
export async function storedSales(sql: Sql): Promise<Record<string, unknown>[]> {
  const rows = await sql`
    select store, sale_date::text, sku, product_type, country, currency, units, refund_units, amount_minor::float8,
      refund_minor::float8, proceeds_currency, proceeds_minor::float8
    from public.store_daily_sales order by store, sale_date, sku, product_type, country, currency`;
  return rows.map((row) => ({ ...row }));
}

export async function storedMetrics(sql: Sql): Promise<Record<string, unknown>[]> {
  const rows = await sql`
    select store, metric_date::text as day, metric, value::float8 from public.store_metrics where value <> 0
    order by store, metric_date, metric`;
  return rows.map((row) => ({ ...row }));
}

export async function storedReviews(sql: Sql): Promise<Record<string, unknown>[]> {
  const rows = await sql`
    select store, review_id as id, rating, coalesce(title, '') as title, body, coalesce(territory, language) as place,
      author_name as author, response_body as response, extract(epoch from reviewed_at)::float8 * 1000 as at
    from public.store_reviews order by store, review_id`;
  return rows.map((row) => ({ ...row }));
}

/** The books' reviews as `storedReviews` shows them. */
export function reviewsOfBooks(books: readonly BookReview[]): Record<string, unknown>[] {
  return books.map((
    { store, id, rating, title, body, territory, language, author, response, changedAt, createdAt },
  ) => ({
    store,
    id,
    rating,
    title,
    body,
    place: store === "ios_store" ? territory : language,
    author,
    response,
    at: store === "ios_store" ? createdAt : changedAt,
  })).sort(byText(({ store, id }) => `${store} ${id}`));
}

/** The books' metrics as `storedMetrics` shows them. */
export function metricsOfBooks(books: readonly { store: string; day: string; metric: string; value: number }[]) {
  return books.filter(({ value }) => value !== 0).sort(byText(({ store, day, metric }) => `${store} ${day} ${metric}`));
}

function byText<Row>(text: (row: Row) => string) {
  return (one: Row, other: Row) => text(one) < text(other) ? -1 : 1;
}
