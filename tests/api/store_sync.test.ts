// Store sync from the administrator's request to the tables, against the stand-in of both stores and its books. The tests run
// one after another: a store and a task have one run at a time.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { eventually } from "../support/eventually.ts";
import { stack } from "../support/stack.ts";
import {
  type BookReview,
  metricsOfBooks,
  readBooks,
  reviewsOfBooks,
  scriptStores,
  storedMetrics,
  storedReviews,
  storedSales,
} from "../support/store_reports.ts";
import { actsOn, anAdministrator, assertErrorDetails, sending } from "./administrators.ts";
import { ask, bearer } from "./client.ts";
import { inDatabase } from "./lots.ts";

const admin = await anAdministrator("store_sync");
const PATH = "/admin/store-sync";
const SALES = "/app-store-connect/v1/salesReports";

interface Run {
  readonly id: string;
  readonly store: string;
  readonly task: string;
  readonly status: string;
  readonly rows_read: number;
  readonly rows_written: number;
  readonly error: { code: string; message: string } | null;
  readonly problem: { code: string; message: string } | null;
  readonly requested_by: string | null;
  readonly due_at: string | null;
}

/** Nothing open, nothing stored, nothing scripted. */
async function begin(script: Record<string, unknown> = {}): Promise<void> {
  await inDatabase(async (sql) => {
    await sql`delete from pgmq."q_store-sync"`;
    await sql`delete from public.store_sync_runs`;
    await sql`delete from public.store_daily_sales`;
    await sql`delete from public.store_reviews`;
    await sql`delete from public.store_metrics`;
    await sql`delete from private.store_synced_parts`;
  });
  await scriptStores({ reset: true, ...script });
}

/** Both stores ask every request to wait for an hour, so that a run stays open until the script is taken away. */
const held = { answers: [{ path: "/", status: 429, headers: { "retry-after": "3600" } }] };

async function trigger(store: string, task: string): Promise<string[]> {
  const response = await admin.ask(`${PATH}/trigger`, sending("POST", { store, task }));
  const reply = await response.json();
  assert.equal(response.status, 202, JSON.stringify(reply));
  assert.deepEqual([reply.count, reply.status], [reply.sync_run_ids.length, "queued"]);
  return reply.sync_run_ids;
}

async function work(): Promise<void> {
  const response = await ask("/store-sync", { method: "POST", headers: bearer(stack().serviceRoleKey) });
  assert.equal(response.status, 200, await response.text());
}

const read = async (id: string): Promise<Run> => await (await admin.ask(`${PATH}/runs/${id}`)).json();

/** The runs once they have ended; a wait that a store asks for is over at once. */
function ended(ids: readonly string[]): Promise<Run[]> {
  return eventually(async () => {
    await hurry();
    await work();
    const runs = await Promise.all(ids.map(read));
    return runs.every(({ status }) => status === "succeeded" || status === "failed") ? runs : undefined;
  });
}

const hurry = () =>
  inDatabase(async (sql) => {
    await sql`update public.store_sync_runs set due_at = now() where lease_id is null and due_at > now()`;
    await sql`
      update pgmq."q_store-sync" q set vt = now() from public.store_sync_runs r
      where r.msg_id = q.msg_id and r.lease_id is null`;
  });

async function synced(store: string, task: string): Promise<Run[]> {
  const runs = await ended(await trigger(store, task));
  for (const { status, error } of runs) assert.equal(status, "succeeded", JSON.stringify(error));
  return runs;
}

const everything = (sql: Sql) => Promise.all([storedSales(sql), storedReviews(sql), storedMetrics(sql)]);

Deno.test("store sync: 90 days of both stores equal the stores' books, to the yen, and the second time nothing changes", async () => {
  await begin();
  const ids = await trigger("all", "all");
  assert.equal(ids.length, 6);
  const runs = await ended(ids);
  assert.deepEqual(runs.map(({ store, task, status, error }) => [store, task, status, error]), [
    ...["sales", "metrics", "reviews"].map((task) => ["android_store", task, "succeeded", null]),
    ...["sales", "metrics", "reviews"].map((task) => ["ios_store", task, "succeeded", null]),
  ]);
  const [sales, reviews, metrics] = [
    await readBooks<Record<string, unknown>>("sales"),
    await readBooks<BookReview>("reviews"),
    await readBooks<{ store: string; day: string; metric: string; value: number }>("metrics"),
  ];
  const first = await inDatabase(everything);
  const days = new Set(sales.books.map(({ store, sale_date }) => `${store} ${sale_date}`));
  assert.ok(sales.books.length > 1000 && days.size < 180, "there are sales, and days without any");
  assert.ok(sales.books.some(({ units }) => Number(units) < 0), "there are days of refunds alone");
  assert.deepEqual(first[0], sales.books);
  assert.deepEqual(first[1], reviewsOfBooks(reviews.books));
  assert.deepEqual(first[2], metricsOfBooks(metrics.books));
  assert.deepEqual(sales.most_at_once, { ios_store: 1, android_store: 1 }, "a store is asked one thing at a time");

  const again = await synced("all", "all");
  assert.deepEqual(again.map(({ rows_written }) => rows_written), [0, 0, 0, 0, 0, 0]);
  assert.deepEqual(await inDatabase(everything), first);
  const { requests } = await readBooks("sales");
  assert.ok(requests[SALES]! < 90 + 10, "days that are known and old are not asked for again");
});

Deno.test("store sync: the console lists sums, rows, reviews and metrics as they are in the books", async () => {
  const { books, today } = await readBooks<Record<string, string | number | null>>("sales");
  const from = new Date(Date.parse(today) - 90 * 86_400_000).toISOString().slice(0, 10);
  const sums = await (await admin.ask(`/admin/store-sales/daily?from=${from}&to=${today}&store=android_store`)).json();
  const expected = new Map<string, number>();
  for (const { store, sale_date, currency, amount_minor } of books) {
    if (store !== "android_store") continue;
    const key = `${sale_date} ${currency}`;
    expected.set(key, (expected.get(key) ?? 0) + Number(amount_minor));
  }
  const found = sums.items.map((
    item: Record<string, unknown>,
  ) => [`${item["sale_date"]} ${item["currency"]}`, item["amount_minor"]]);
  assert.deepEqual(new Map(found), expected);
  assert.deepEqual(sums.proceeds, []);
  const default30 = await (await admin.ask("/admin/store-sales/daily")).json();
  assert.ok(default30.proceeds.length > 0 && default30.items.length > 0);
  await assertErrorDetails(
    await admin.ask("/admin/store-sales/daily?from=2026-01-01&to=2026-06-01"),
    "validation_error",
    "from",
  );
  await assertErrorDetails(
    await admin.ask("/admin/store-sales/daily?from=2026-02-01&to=2026-01-01"),
    "validation_error",
    "to",
  );

  const rows: unknown[] = [];
  for (let cursor = ""; rows.length === 0 || cursor !== "";) {
    const page = await (await admin.ask(
      `/admin/store-sales?store=ios_store&country=JP&sku=premium_yearly&limit=30&include=total${
        cursor && `&cursor=${cursor}`
      }`,
    )).json();
    rows.push(...page.items);
    cursor = page.next_cursor ?? "";
    if (cursor === "") assert.equal(page.total, rows.length);
  }
  const inBooks = books.filter((row) =>
    row["store"] === "ios_store" && row["country"] === "JP" && row["sku"] === "premium_yearly"
  );
  assert.equal(rows.length, inBooks.length);

  const { books: reviews } = await readBooks<BookReview>("reviews");
  const since = new Date(Date.parse(today) - 60 * 86_400_000).toISOString();
  const japanese = await (await admin.ask(
    `/admin/store-reviews?store=ios_store&rating=5&territory=JPN&since=${since}&include=total&limit=100`,
  )).json();
  const matching = reviews.filter(({ store, rating, territory, createdAt }) =>
    store === "ios_store" && rating === 5 && territory === "JPN" && createdAt >= Date.parse(since)
  );
  assert.deepEqual(
    japanese.items.map((item: { review_id: string }) => item.review_id).sort(),
    matching.map(({ id }) => id).sort(),
  );
  const metrics = await (await admin.ask(`/admin/store-metrics?metric=crash_rate&from=${from}&include=total`))
    .json();
  assert.ok(metrics.total > 80, JSON.stringify(metrics.total));
  await assertErrorDetails(
    await admin.ask("/admin/store-metrics?cursor=AAAAAAAAAAAAAAAA"),
    "validation_error",
    "cursor",
  );
});

Deno.test("store sync: later changes of the stores are applied, and removed rows are deleted", async () => {
  const { today, books } = await readBooks<Record<string, unknown>>("sales");
  const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10);
  const line = { day: yesterday, sku: "premium_monthly", country: "JP", currency: "JPY" };
  await scriptStores({
    sales: [
      { ...line, store: "android_store", units: -1, amount: -480 },
      { ...line, store: "ios_store", units: 2, amount: 960 },
    ],
  });
  const { books: reviews } = await readBooks<BookReview>("reviews");
  const edited = [
    reviews.find(({ store }) => store === "android_store")!,
    reviews.filter(({ store }) => store === "ios_store").sort((one, other) => other.createdAt - one.createdAt)[0]!,
  ];
  for (const { store, id } of edited) {
    await scriptStores({ edit_review: { store, id, rating: 1, body: "考え直しました。" } });
  }
  const runs = await synced("all", "all");
  assert.deepEqual(runs.map(({ task, rows_written }) => [task, rows_written]), [
    ["sales", 1],
    ["metrics", 0],
    ["reviews", 1],
    ["sales", 1],
    ["metrics", 0],
    ["reviews", 1],
  ]);
  const changed = await readBooks<Record<string, unknown>>("sales");
  assert.notDeepEqual(changed.books, books);
  assert.deepEqual(await inDatabase(storedSales), changed.books);
  assert.deepEqual(await inDatabase(storedReviews), reviewsOfBooks((await readBooks<BookReview>("reviews")).books));

  await inDatabase((sql) =>
    sql`
      insert into public.store_daily_sales (store, sale_date, sku, product_type, country, currency, units, refund_units,
        amount_minor, refund_minor, proceeds_currency)
      values ('android_store', ${yesterday}, 'withdrawn', 'subscription', 'JP', 'JPY', 1, 0, 100, 0, 'JPY')`
  );
  assert.equal((await synced("android_store", "sales"))[0]!.rows_written, 1);
  assert.deepEqual(await inDatabase(storedSales), changed.books);
});

Deno.test("store sync: a request joins the runs that are open, also when all of them are, and is recorded each time", async () => {
  await begin(held);
  const [id] = await trigger("ios_store", "sales");
  await eventually(async () => {
    await work();
    return (await read(id!)).problem ?? undefined;
  });
  const { status, problem, due_at } = await read(id!);
  assert.deepEqual([status, problem?.code], ["running", "rate_limited"]);
  assert.ok(Date.parse(due_at!) > Date.now() + 3_000_000, "the run waits for as long as the store says");
  assert.deepEqual(await trigger("ios_store", "sales"), [id]);
  const acts = await inDatabase((sql) =>
    sql<{ started: string[] }[]>`
      select changes #> '{sync_run_ids,new}' as started from public.admin_activity_logs
      where admin_id = ${admin.id} and action = 'store_sync.trigger' order by created_at desc limit 2`
  );
  assert.deepEqual(acts.map(({ started }) => started), [[], [id]]);
  const two = await Promise.all([1, 2].map(() => trigger("android_store", "reviews")));
  assert.deepEqual(two[0], two[1]);
  const all = await trigger("all", "all");
  assert.equal(all.length, 6);
  assert.ok(all.includes(id!) && all.length === new Set(all).size);
  assert.deepEqual(await trigger("all", "all"), all);
  await scriptStores({ answers: [] });
  for (const run of await ended(all)) assert.equal(run.status, "succeeded", JSON.stringify(run));
  assert.equal((await read(two[0]![0]!)).status, "succeeded");
  assert.deepEqual(await inDatabase(storedSales), (await readBooks("sales")).books);
});

Deno.test("store sync: a trigger is recorded with the runs that it started; the list of runs has them", async () => {
  await begin();
  const [id] = await trigger("android_store", "reviews");
  const acts = await inDatabase((sql) =>
    sql<{ changes: Record<string, { new: unknown }> }[]>`
      select changes from public.admin_activity_logs where admin_id = ${admin.id} and action = 'store_sync.trigger'
      order by created_at desc limit 1`
  );
  assert.deepEqual(acts[0]!.changes, {
    store: { old: null, new: "android_store" },
    task: { old: null, new: "reviews" },
    sync_run_ids: { old: null, new: [id] },
  });
  assert.equal((await actsOn(id!)).length, 0);
  await ended([id!]);
  const listed = await (await admin.ask(`${PATH}/runs?store=android_store&task=reviews&status=succeeded&include=total`))
    .json();
  assert.deepEqual([listed.total, listed.items.map((run: Run) => [run.id, run.requested_by])], [1, [[id, admin.id]]]);
  await assertErrorDetails(await admin.ask(`${PATH}/runs/${crypto.randomUUID()}`), "not_found", "id");
});

Deno.test("store sync: a column that is missing fails the run by its name, and nothing is written", async () => {
  const cases: [store: string, task: string, drop: Record<string, string[]>, message: RegExp][] = [
    ["ios_store", "sales", { app_store_sales: ["Units"] }, /no column "Units"/],
    ["android_store", "sales", { play_sales: ["Charged Amount"] }, /no column "Charged Amount"/],
    ["android_store", "sales", { play_sales: ["Product ID"] }, /no column "Product ID" or "Package ID"/],
    ["android_store", "metrics", { installs: ["Daily User Installs"] }, /no column "Daily User Installs"/],
    [
      "ios_store",
      "metrics",
      { "App Downloads Standard": ["Counts"] },
      /"App Downloads Standard" has no column "Counts"/,
    ],
  ];
  for (const [store, task, drop_columns, message] of cases) {
    await begin({ drop_columns });
    const [run] = await ended(await trigger(store, task));
    assert.deepEqual([run!.status, run!.error?.code, run!.rows_written], ["failed", "column_missing", 0]);
    assert.match(run!.error!.message, message);
    const written = await inDatabase(async (sql) =>
      (await everything(sql)).flat().filter((row) => row["store"] === store)
    );
    // Instances of other reports may come before.
    if (task === "sales") assert.deepEqual(written, []);
  }
  await scriptStores({ reset: true });
});

Deno.test("store sync: a store that limits, fails, cuts off or answers in HTML is called again; one that rejects the credentials fails the run", async () => {
  await begin({
    answers: [
      { path: SALES, times: 1, status: 429, headers: { "retry-after": "1" } },
      { path: SALES, times: 1, status: 500 },
      { path: SALES, times: 1, status: 200, drop: true },
      { path: SALES, times: 2, status: 502, html: true },
      { path: "/play-storage/", times: 4, status: 503 },
      {
        path: "/google-play/",
        times: 1,
        status: 429,
        headers: { "retry-after": new Date(Date.now() + 7_200_000).toUTCString() },
      },
    ],
  });
  await scriptStores({ revoke_tokens: true });
  for (const task of ["sales", "reviews"]) await synced("all", task);
  assert.deepEqual(await inDatabase(storedSales), (await readBooks("sales")).books);
  for (const status of [401, 403]) {
    await begin({ answers: [{ path: SALES, status }] });
    const [run] = await ended(await trigger("ios_store", "sales"));
    assert.deepEqual([run!.status, run!.error?.code], ["failed", "credentials_rejected"]);
  }
  await begin({ quota_left: 3 });
  const [id] = await trigger("ios_store", "reviews");
  await eventually(async () => {
    await work();
    return (await read(id!)).problem ?? undefined;
  });
  assert.equal((await read(id!)).problem?.code, "rate_limited", "the quota of the hour is not used up");
  await scriptStores({ quota_left: 3000 });
  assert.equal((await ended([id!]))[0]!.status, "succeeded");
});

Deno.test("store sync: a day of the App Store that is not ready is read by a later run; analytics are requested once", async () => {
  const { today } = await readBooks("sales");
  const day = new Date(Date.parse(today) - 2 * 86_400_000).toISOString().slice(0, 10);
  await begin({ not_ready: [day], analytics: "none" });
  await synced("ios_store", "sales");
  const { books } = await readBooks<Record<string, unknown>>("sales");
  const ofAppStore = books.filter(({ store }) => store === "ios_store");
  assert.deepEqual(await inDatabase(storedSales), ofAppStore.filter(({ sale_date }) => sale_date !== day));
  await scriptStores({ not_ready: [] });
  await synced("ios_store", "sales");
  assert.deepEqual(await inDatabase(storedSales), ofAppStore);
  assert.equal((await synced("ios_store", "metrics"))[0]!.rows_read, 0);
  assert.ok((await synced("ios_store", "metrics"))[0]!.rows_read > 0);
});
