// Store sync in the database: turns and leases of runs, what is read again, and writes that are the same twice.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { purge } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

interface Turn {
  readonly run_id: string;
  readonly lease_id: string;
  readonly store: string;
  readonly task: string;
  readonly days: string[];
  readonly parts: string[];
  readonly next_page: string | null;
  readonly read_until: string | null;
}

const take = async (): Promise<Turn | null> => {
  const [row] = await db.sql<{ turn: Turn | null }[]>`select api.take_store_sync_run() as turn`;
  return row!.turn;
};

/** Starts runs where nothing was before. */
async function start(store: string, task: string): Promise<string[]> {
  await db.sql`delete from pgmq."q_store-sync"`;
  await db.sql`truncate public.store_sync_runs, public.store_daily_sales, public.store_reviews, public.store_metrics,
    private.store_synced_parts`;
  return await again(store, task);
}

async function again(store: string, task: string): Promise<string[]> {
  const [row] = await db.sql<
    { started_ids: string[] }[]
  >`select started_ids from private.start_store_sync(${store}, ${task}, null)`;
  return row!.started_ids;
}

const runOf = async (id: string) => {
  const [row] = await db.sql`select * from public.store_sync_runs where id = ${id}`;
  return row!;
};

/** What a function of the consumer gives: whether the lease was the turn's. Rows are given as JSON. */
async function isHeld(name: string, { run_id, lease_id }: Turn, ...args: (string | number | null)[]): Promise<boolean> {
  const places = args.map((arg, n) => `$${n + 3}${String(arg).startsWith("[") ? "::text::jsonb" : ""}`).join(", ");
  const [row] = await db.sql.unsafe(`select api.${name}($1, $2${places && `, ${places}`}) as held`, [
    run_id,
    lease_id,
    ...args,
  ]);
  return row!["held"];
}

const endLease = () =>
  db.sql`update public.store_sync_runs set lease_ends_at = now() - interval '1 second' where lease_id is not null`;
const comeDue = async () => {
  await db.sql`update public.store_sync_runs set due_at = now() where status in ('queued', 'running')`;
  await db.sql`update pgmq."q_store-sync" set vt = now()`;
};

const sale = {
  sku: "plan",
  title: "Plan",
  product_type: "IAY",
  country: "JP",
  currency: "JPY",
  units: 3,
  refund_units: 1,
  amount_minor: 1440,
  refund_minor: 480,
  proceeds_currency: "JPY",
  proceeds_minor: 1224,
};

Deno.test("leases: each store is queried by one consumer at a time, and a run by one", async () => {
  await start("all", "all");
  const taken = (await Promise.all([take(), take(), take(), take()])).filter((turn) => turn !== null);
  assert.deepEqual(taken.map(({ store }) => store).sort(), ["android_store", "ios_store"]);
  assert.equal(await isHeld("finish_store_sync_run", taken[0]!), true);
  const next = await take();
  assert.deepEqual([next!.store, next!.run_id === taken[0]!.run_id], [taken[0]!.store, false]);
});

Deno.test("leases: a crashed consumer loses its lease, and its later writes are ignored", async () => {
  const [id] = await start("ios_store", "sales");
  const lost = await take();
  assert.equal(await take(), null);
  await endLease();
  await comeDue();
  const turn = await take();
  assert.deepEqual([turn!.run_id, turn!.lease_id === lost!.lease_id], [id, false]);
  const day = turn!.days[0]!;
  assert.equal(await isHeld("write_store_sales", lost!, day, JSON.stringify([sale]), 1), false);
  assert.equal((await db.sql`select from public.store_daily_sales`).length, 0);
  assert.equal(await isHeld("fail_store_sync_run", lost!, "rejected", "No"), false);
  assert.equal(await isHeld("finish_store_sync_run", lost!), false);
  assert.equal(await isHeld("write_store_sales", turn!, day, JSON.stringify([sale]), 1), true);
  assert.equal(await isHeld("finish_store_sync_run", turn!), true);
  const { status, rows_read, rows_written } = await runOf(id!);
  assert.deepEqual([status, rows_read, rows_written], ["succeeded", 1, 1]);
  assert.equal((await db.sql`select from pgmq."q_store-sync"`).length, 0);
});

Deno.test("leases: a run without a write in ten of them fails with its last problem; each write begins the count again", async () => {
  const [id] = await start("ios_store", "sales");
  for (let n = 0; n < 10; n++) {
    const turn = (await take())!;
    if (n === 0) await isHeld("write_store_sales", turn, turn.days[0]!, "[]", 0);
    await endLease();
    await comeDue();
  }
  const turn = (await take())!;
  assert.equal((await runOf(id!))["attempts"], 10);
  const [row] = await db
    .sql`select api.postpone_store_sync_run(${turn.run_id}, ${turn.lease_id}, 0, 'unavailable', 'Away.') as seconds`;
  assert.equal(row!["seconds"], 1800);
  await comeDue();
  assert.equal(await take(), null);
  const { status, error } = await runOf(id!);
  assert.deepEqual([status, error], ["failed", { code: "unavailable", message: "Away." }]);
  const notifications = await db
    .sql`select from public.admin_notifications where area = 'store_sync' and body like '%Away.%'`;
  assert.equal(notifications.length, 1);
});

Deno.test("leases: a run that is put off is taken when it is due, and sooner only without a wait", async () => {
  await start("ios_store", "sales");
  const turn = (await take())!;
  const [row] = await db
    .sql`select api.postpone_store_sync_run(${turn.run_id}, ${turn.lease_id}, 3600, 'rate_limited', 'Wait.') as seconds`;
  assert.equal(row!["seconds"], 3600);
  await db.sql`update pgmq."q_store-sync" set vt = now()`;
  assert.equal(await take(), null);
  const [{ waits } = { waits: 0 }] = await db.sql<{ waits: number }[]>`
    select extract(epoch from vt - now())::float8 as waits from pgmq."q_store-sync"`;
  assert.ok(waits > 3500, "the message is hidden until then");
  await comeDue();
  const next = (await take())!;
  await db.sql`select api.postpone_store_sync_run(${next.run_id}, ${next.lease_id})`;
  assert.equal((await take())!.run_id, turn.run_id);
});

Deno.test("sales: a day is replaced, the same rows change nothing, and then only recent days are read again", async () => {
  await start("ios_store", "sales");
  const turn = (await take())!;
  assert.equal(turn.days.length, 90);
  const write = (rows: unknown[]) =>
    isHeld("write_store_sales", turn, turn.days[0]!, JSON.stringify(rows), rows.length);
  const stored = () =>
    db.sql`select sku, country, units, amount_minor::integer, xmin::text as version from public.store_daily_sales order by sku, country`;
  await write([sale, { ...sale, country: "US", currency: "USD" }]);
  const before = await stored();
  await write([{ ...sale, country: "US", currency: "USD" }, sale]);
  assert.deepEqual(await stored(), before);
  await write([{ ...sale, units: -2, amount_minor: -960 }, { ...sale, sku: "other" }]);
  assert.deepEqual((await stored()).map(({ sku, country, units }) => [sku, country, units]), [["other", "JP", 3], [
    "plan",
    "JP",
    -2,
  ]]);
  assert.equal((await runOf(turn.run_id))["rows_written"], 2 + 0 + 3);
  for (const day of turn.days.slice(1)) await isHeld("write_store_sales", turn, day, "[]", 0);
  await endLease();
  await comeDue();
  const resumed = (await take())!;
  assert.deepEqual(resumed.days, [], "what this run has read it does not read again");
  await isHeld("finish_store_sync_run", resumed);
  await again("ios_store", "sales");
  const next = (await take())!;
  assert.deepEqual(next.days, turn.days.slice(-7));
});

Deno.test("sales: of Google Play the month before and this one are read again", async () => {
  await start("android_store", "sales");
  const turn = (await take())!;
  for (const day of turn.days) await isHeld("write_store_sales", turn, day, "[]", 0);
  await isHeld("finish_store_sync_run", turn);
  await again("android_store", "sales");
  const [row] = await db.sql<{ first: string }[]>`
    select (date_trunc('month', now() at time zone 'UTC') - interval '1 month')::date::text as first`;
  const { days } = (await take())!;
  assert.equal(days[0], row!.first > turn.days[0]! ? row!.first : turn.days[0]);
  assert.deepEqual(days, turn.days.filter((day) => day >= row!.first));
});

Deno.test("reviews: a page is written with the page to go on with, and a later run reads back to a month before the last", async () => {
  await start("android_store", "reviews");
  const turn = (await take())!;
  assert.deepEqual([turn.next_page, turn.read_until], [null, null]);
  const review = { review_id: "one", rating: 4, title: null, body: "Good", reviewed_at: "2026-09-01T00:00:00Z" };
  const write = (rows: unknown[], next: string | null) =>
    isHeld("write_store_reviews", turn, JSON.stringify(rows), next);
  await write([review, { ...review, review_id: "two" }, review], "page-2");
  await endLease();
  await comeDue();
  const resumed = (await take())!;
  assert.equal(resumed.next_page, "page-2");
  await isHeld("write_store_reviews", resumed, JSON.stringify([{ ...review, rating: 1, body: "Bad" }]), null);
  await isHeld("finish_store_sync_run", resumed);
  const rows = await db.sql`select review_id, rating, body from public.store_reviews order by review_id`;
  assert.deepEqual(rows.map((row) => ({ ...row })), [
    { review_id: "one", rating: 1, body: "Bad" },
    { review_id: "two", rating: 4, body: "Good" },
  ]);
  await again("android_store", "reviews");
  const { read_until } = (await take())!;
  assert.ok(Math.abs(Date.parse(read_until!) - (Date.now() - 30 * 86_400_000)) < 3_600_000);
});

Deno.test("metrics: the later report counts in any order of arrival; instances are read once, files with each run", async () => {
  await start("ios_store", "metrics");
  const turn = (await take())!;
  const write = (part: string, day: string, value: number) =>
    isHeld(
      "write_store_metrics",
      turn,
      part,
      day,
      JSON.stringify([{ metric_date: "2026-09-01", metric: "installs", value }]),
      1,
    );
  await write("instance/2", "2026-09-03", 20);
  await write("instance/1", "2026-09-02", 10);
  await write("installs/202609", "2026-09-03", 21);
  const [row] = await db.sql`select value::integer, reported_on::text from public.store_metrics`;
  assert.deepEqual({ ...row }, { value: 21, reported_on: "2026-09-03" });
  await endLease();
  await comeDue();
  const resumed = (await take())!;
  assert.deepEqual(resumed.parts, ["installs/202609", "instance/1", "instance/2"]);
  await isHeld("finish_store_sync_run", resumed);
  await again("ios_store", "metrics");
  assert.deepEqual((await take())!.parts, ["instance/1", "instance/2"]);
});

Deno.test("start: of concurrent calls one starts each combination, and all return the same runs", async () => {
  await start("all", "all");
  await db.sql`update public.store_sync_runs set status = 'running'`;
  await db.sql`update public.store_sync_runs set status = 'succeeded', finished_at = now()`;
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, n) =>
      db.sql<{ run_ids: string[]; started_ids: string[] }[]>`
        select run_ids, started_ids from private.start_store_sync(${n % 2 ? "all" : "ios_store"}, 'all', null)`),
  );
  const started = answers.flatMap(([row]) => row!.started_ids);
  assert.deepEqual([started.length, new Set(started).size], [6, 6]);
  assert.deepEqual(new Set(answers.flatMap(([row]) => row!.run_ids)), new Set(started));
});

Deno.test("start: the nightly job starts each run that is not open; runs are removed 90 days after their end", async () => {
  const [id] = await start("ios_store", "sales");
  await db.sql`select private.sync_stores()`;
  assert.equal((await db.sql`select from public.store_sync_runs where status = 'queued'`).length, 6);
  await isHeld("finish_store_sync_run", (await take())!);
  const ended = (await db.sql`select id from public.store_sync_runs where status = 'succeeded'`)[0]!["id"];
  await db.sql`update public.store_sync_runs set finished_at = now() - interval '91 days' where id = ${ended}`;
  await purge(db.sql);
  assert.deepEqual([(await db.sql`select from public.store_sync_runs`).length, ended === id], [5, true]);
  const jobs = await db.sql`select jobname from cron.job where jobname in ('sync_stores', 'call_consumers')`;
  assert.equal(jobs.length, 2);
});

Deno.test("failures: a store that is not configured sends no notification, any other failure notifies the area", async () => {
  for (const [code, notified] of [["not_configured", 0], ["rejected", 1]] as const) {
    await start("ios_store", "sales");
    await db.sql`delete from public.admin_notifications`;
    await isHeld("fail_store_sync_run", (await take())!, code, "It is so.");
    const notifications = await db.sql`select area from public.admin_notifications`;
    assert.deepEqual(notifications.map(({ area }) => area), Array(notified).fill("store_sync"), code);
  }
});
