// Figures for metrics: counts of requests add up and stay bounded, and every figure is what the tables say.
import assert from "node:assert/strict";
import postgres from "postgres";
import { database } from "../support/database.ts";
import { familiesOf, type ServiceFigures } from "../../supabase/functions/health/metrics.ts";
import { groups } from "../../supabase/functions/openapi/contract.ts";

const db = await database();
const { sql } = db;
Deno.test.afterAll(() => db.close());

const SERVICE = { role: "service_role" } as const;
const ONE = { method: "GET", route: "/things/{id}", status: 200, access: "public", seconds: 0.5 };
const buckets = (...counts: number[]) => [...counts, ...new Array<number>(11 - counts.length).fill(0)];

const add = (counts: unknown) =>
  db.as(SERVICE, async (tx) => void await tx`select api.add_request_counts(${sql.json(counts as never)})`);
const stored = () =>
  sql`select route, status, buckets[1:2] as buckets, seconds from private.request_counts order by 1, 2`;

const figures = () =>
  db.as(
    SERVICE,
    async (tx) => (await tx<{ figures: ServiceFigures }[]>`select api.service_metrics() as figures`)[0]!.figures,
  );

async function metric(name: string, labels: Record<string, string> = {}): Promise<number | undefined> {
  const samples = familiesOf(await figures()).flatMap((family) => family.samples);
  return samples.find((sample) =>
    sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
  )?.value;
}

Deno.test("request counts: what processes add at the same time is the sum, in any order of the rows", async () => {
  const routes = Array.from({ length: 20 }, (_, n) => `/things${n}`);
  await Promise.all(Array.from({ length: 40 }, (_, n) => {
    const ordered = n % 2 === 0 ? routes : routes.toReversed();
    return add(ordered.map((route) => ({ ...ONE, route, buckets: buckets(1, n) })));
  }));
  const rows = await stored();
  assert.equal(rows.length, routes.length);
  for (const row of rows) assert.deepEqual([row.buckets, row.seconds], [["40", "780"], 20], row.route);
  await sql`truncate private.request_counts`;
});

Deno.test("request counts: every route of the service is a valid row, and no path of a request is", async () => {
  const routes = groups.flatMap(({ routes }) => routes);
  const counts = routes.map(({ method, path, access }) => ({
    ...ONE,
    method,
    route: path,
    access,
    buckets: buckets(1),
  }));
  await add(counts);
  assert.equal((await stored()).length, routes.length);
  await sql`truncate private.request_counts`;
  const good = { ...ONE, buckets: buckets(1) };
  const wrong: unknown[] = [
    null,
    {},
    "text",
    [null],
    [{}],
    [{ ...good, route: "/parking-lots/3F2504E0-4F89-11D3-9A0C-0305E82C3301" }],
    [{ ...good, route: "/things?q=x" }],
    [{ ...good, route: `/${"a".repeat(200)}` }],
    [{ ...good, method: "BREW" }],
    [{ ...good, status: 99 }],
    [{ ...good, status: 70_000 }],
    [{ ...good, access: "anybody" }],
    [{ ...good, buckets: [1] }],
    [{ ...good, buckets: buckets(-1) }],
    [{ ...good, buckets: [null, ...buckets(1).slice(1)] }],
    [{ ...good, buckets: "x" }],
    [{ ...good, seconds: -1 }],
    [{ ...good, seconds: "NaN" }],
    [good, good],
    new Array(5_001).fill(good),
  ];
  for (const counts of wrong) {
    await assert.rejects(add(counts), /"param":"counts"|counts must/, JSON.stringify(counts)?.slice(0, 100));
  }
  assert.equal((await stored()).length, 0);
});

Deno.test("metrics: clients can neither add counts nor read figures", async () => {
  for (const role of ["anon", "authenticated"] as const) {
    await assert.rejects(db.as({ role }, (tx) => tx`select api.add_request_counts('[]')`), /permission denied/);
    await assert.rejects(db.as({ role }, (tx) => tx`select api.service_metrics()`), /permission denied/);
  }
});

Deno.test("metrics: a new database has a value of every metric but those of what has not happened", async () => {
  const families = familiesOf(await figures());
  const empty = families.filter(({ samples }) => samples.length === 0).map(({ name }) => name);
  assert.deepEqual(empty, [
    "parking_http_requests_total",
    "parking_http_request_duration_seconds",
    "parking_job_last_success_timestamp_seconds",
    "parking_jobs_last_start_timestamp_seconds",
    "parking_store_sync_last_success_timestamp_seconds",
    "parking_store_sync_failures",
  ]);
  for (const { name, samples } of families) {
    for (const { value } of samples) assert.ok(Number.isFinite(value) && value >= 0, `${name} ${value}`);
  }
});

Deno.test("metrics: queues, dead messages, outages, jobs, store sync and withdrawals are those of the tables", async () => {
  await sql`select pgmq.send('mail', '{}', 0), pgmq.send('mail', '{}', 600)`;
  await sql`update pgmq.q_mail set vt = now() - interval '15 minutes' where vt <= now()`;
  await sql`
    insert into private.dead_messages (queue, msg_id, message, read_count, enqueued_at) values ('mail', 9, '{}', 5, now())`;
  await sql`select private.pause_queue('push-dispatch', 'credentials', 600)`;
  await sql`
    insert into cron.job_run_details (jobid, runid, job_pid, database, username, command, status, start_time, end_time)
    select j.jobid, 9000000 + d.n, 1, 'postgres', 'postgres', '', d.status, now() - interval '1 minute', now() - interval '1 minute'
    from cron.job j cross join (values (1, 'succeeded'), (2, 'failed')) as d (n, status) where j.jobname = 'purge'`;
  await sql`
    insert into public.store_sync_runs (store, task, status, finished_at)
    values ('ios_store', 'sales', 'failed', now()), ('ios_store', 'sales', 'succeeded', now() - interval '2 days')`;
  await sql`insert into private.account_ends (user_id, log_texts, started_at) values (gen_random_uuid(), '{}', now() - interval '1 hour')`;
  await sql`select private.refresh_overview_now()`;

  assert.equal(await metric("parking_queue_messages", { queue: "mail" }), 2);
  assert.equal(await metric("parking_queue_due_messages", { queue: "mail" }), 1);
  assert.ok((await metric("parking_queue_oldest_due_seconds", { queue: "mail" }))! >= 900);
  assert.equal(await metric("parking_queue_dead_messages", { queue: "mail" }), 1);
  assert.equal(await metric("parking_provider_outage", { queue: "push-dispatch", reason: "credentials" }), 1);
  assert.equal(await metric("parking_provider_outage", { queue: "push-dispatch", reason: "outage" }), 0);
  assert.ok((await metric("parking_queue_paused_seconds", { queue: "push-dispatch" }))! > 500);
  assert.equal(await metric("parking_job_failing", { job_name: "purge" }), 1);
  assert.equal(await metric("parking_job_failures", { job_name: "purge" }), 1);
  const ago = Date.now() / 1000 - (await metric("parking_job_last_success_timestamp_seconds", { job_name: "purge" }))!;
  assert.ok(ago > 59 && ago < 3_600, `${ago}`);
  assert.equal(await metric("parking_store_sync_failures", { store: "ios_store", task: "sales" }), 1);
  assert.equal(await metric("parking_withdrawals_open"), 1);
  assert.ok((await metric("parking_withdrawals_oldest_seconds"))! >= 3_600);
  assert.ok((await metric("parking_database_connections", { state: "idle" })) !== undefined);
  assert.ok((await metric("parking_database_size_bytes"))! > 1_000_000);
});

Deno.test("metrics: the read scans no table that grows with customers, lots or messages", async () => {
  // The counters of a connection contain its own statements only: so a new one.
  const fresh = postgres(db.url, { max: 1 });
  const read = await fresh.begin(async (tx) => {
    await tx`select api.service_metrics()`;
    return await tx<{ name: string }[]>`
      select schemaname || '.' || relname as name from pg_stat_xact_all_tables
      where schemaname in ('public', 'private', 'pgmq', 'cron', 'auth') and coalesce(seq_scan, 0) + coalesce(idx_scan, 0) > 0
      order by 1`;
  });
  await fresh.end();
  assert.deepEqual(read.map(({ name }) => name), [
    "cron.job_run_details", // the last hundred by their number
    "private.account_ends",
    "private.outages",
    "private.overview_parts",
    "private.request_counts",
    "public.store_sync_runs",
  ]);
});
