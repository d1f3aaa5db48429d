// Policies of store data: administrators with the area store_sync read it, and no client writes it.
import { asOwner, bySignedIn, type Domain, type TableRules } from "./rules.ts";

const ID = "00000000-0000-4000-8000-000000002450";

/** The fixture's administrator has the area. */
function readByTheArea(table: string, columns: readonly string[]): TableRules {
  return {
    table,
    grants: { select: { authenticated: columns } },
    key: "id::text",
    rows: () => ({ theOne: ID }),
    reads: bySignedIn({ owner: [], stranger: [], suspended: [], administrator: ["theOne"] }),
  };
}

export const storeSync: Domain = {
  async seed(sql, { administrator }) {
    await asOwner(sql, async () => {
      await sql`update public.admins set areas = areas || '{store_sync}' where id = ${administrator}`;
    });
    await sql`insert into public.store_sync_runs (id, store, task) values (${ID}, 'ios_store', 'sales')`;
    await sql`
      insert into public.store_reviews (id, store, review_id, rating, body, reviewed_at)
      values (${ID}, 'ios_store', 'review', 5, 'Good', now())`;
    await sql`
      insert into public.store_daily_sales (id, store, sale_date, sku, product_type, country, currency, units, refund_units,
        amount_minor, refund_minor, proceeds_currency)
      values (${ID}, 'ios_store', '2026-09-01', 'plan', 'IAY', 'JP', 'JPY', 1, 0, 480, 0, 'JPY')`;
    await sql`
      insert into public.store_metrics (id, store, metric_date, metric, value, reported_on)
      values (${ID}, 'ios_store', '2026-09-01', 'installs', 1, '2026-09-02')`;
  },

  tables: [
    readByTheArea(
      "store_sync_runs",
      "id store task status requested_by rows_read rows_written error created_at started_at finished_at".split(" "),
    ),
    readByTheArea(
      "store_reviews",
      ("id store review_id rating title body language territory author_name app_version response_body responded_at " +
        "reviewed_at created_at updated_at").split(" "),
    ),
    readByTheArea(
      "store_daily_sales",
      ("id store sale_date sku title product_type country currency units refund_units amount_minor refund_minor " +
        "proceeds_currency proceeds_minor created_at updated_at").split(" "),
    ),
    readByTheArea("store_metrics", "id store metric_date metric value reported_on created_at updated_at".split(" ")),
  ],
};
