// What metrics cost: the read of all figures with a million messages, the write of a process's counts, and a request that is
// counted beside one that is not.
// deno run -A tests/bench/metrics.ts   (needs DB_URL; `deno task bench metrics` sets it, and loads a million lots)
import postgres from "postgres";
import { z } from "zod";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import { BUCKETS, RequestCounts } from "../../supabase/functions/_shared/http/request_counts.ts";
import { route } from "../../supabase/functions/_shared/http/route.ts";
import { exposition, familiesOf, type ServiceFigures } from "../../supabase/functions/health/metrics.ts";
import { groups } from "../../supabase/functions/openapi/contract.ts";
import { asSuperuser } from "../support/database.ts";
import { compare, ms, percentile, table } from "./measure.ts";

const { DB_URL } = Deno.env.toObject();
if (!DB_URL) throw new Error("No platform is named: run `deno task bench metrics`");
const MESSAGES = 1_000_000;
const RUNS = 300_000;
const STATUSES = [200, 201, 401, 404, 422, 500, 503];
const TIMES = 30;
const REQUESTS = 20_000;

const sql = postgres(asSuperuser(DB_URL), { max: 1, onnotice: () => {} });

async function timed(name: string, run: () => Promise<unknown>, times = TIMES): Promise<string[]> {
  const took: number[] = [];
  for (let n = 0; n < times; n++) {
    const started = performance.now();
    await run();
    took.push(performance.now() - started);
  }
  return [name, String(times), ms(percentile(took, 0.5)), ms(percentile(took, 0.99))];
}

const routes = groups.flatMap(({ routes }) => routes);
const counts = routes.flatMap(({ method, path, access }) =>
  STATUSES.map((status) => ({
    method,
    route: path,
    status,
    access,
    buckets: new Array<number>(BUCKETS.length + 1).fill(12_345),
    seconds: 1_234.5,
  }))
);
const ofProcess = counts.slice(0, 100);
await sql`select api.add_request_counts(${sql.json(counts)})`;
await sql`
  insert into pgmq.q_mail (read_ct, enqueued_at, vt, message)
  select 0, now(), now() + n * interval '1 millisecond', '{}' from generate_series(1, ${MESSAGES}::integer) as n`;
await sql`
  insert into cron.job_run_details (jobid, runid, job_pid, database, username, command, status, start_time, end_time)
  select j.jobid, 10000000 + row_number() over (), 1, 'postgres', 'postgres', '', 'succeeded', now() - n * interval '40 seconds', now()
  from generate_series(1, ${RUNS}::integer / 24) as n cross join (select jobid from cron.job limit 24) j`;
await sql`vacuum analyze pgmq.q_mail, cron.job_run_details`;

console.log(
  `${routes.length} routes with ${STATUSES.length} statuses each; ${MESSAGES} messages, ${RUNS} runs of jobs\n`,
);
const read = async () =>
  (await sql<{ figures: ServiceFigures }[]>`select api.service_metrics() as figures`)[0]!.figures;
console.log(table(["statement", "times", "p50 ms", "p99 ms"], [
  await timed("api.service_metrics", read),
  await timed("api.add_request_counts, 100 rows", () => sql`select api.add_request_counts(${sql.json(ofProcess)})`),
  await timed("private.queue_figures (job, each minute)", () => sql`select private.queue_figures()`, 5),
  await timed("private.job_figures (job, each minute)", () => sql`select private.job_figures()`, 5),
]));
const started = performance.now();
const text = exposition({ metrics: familiesOf(await read()) });
console.log(`\nThe text: ${(text.length / 1e6).toFixed(2)} MB, made and read in ${ms(performance.now() - started)} ms`);
const [size] =
  await sql`select pg_size_pretty(pg_total_relation_size('private.request_counts')) as size, count(*) from private.request_counts`;
console.log(`The table of counts: ${size!["count"]} rows, ${size!["size"]}\n`);
await sql.end();

const read200 = route({
  method: "GET",
  path: "/things/{id}",
  access: "public",
  summary: "A thing",
  params: z.strictObject({ id: z.string() }),
  reply: [200, z.null()],
  errors: [],
  handle: () => null,
});
const appWith = (isOn: boolean) =>
  createApp([read200], {
    log: () => {},
    counts: new RequestCounts({ isOn: () => isOn, intervalMs: 100, write: () => Promise.resolve() }),
  });
const subject = (name: string, app: { fetch(request: Request): Response | Promise<Response> }) => ({
  name,
  run: async (id: number) => Number((await app.fetch(new Request(`http://localhost/things/${id}`))).ok),
});
const figures = await compare(
  [subject("not counted", appWith(false)), subject("counted", appWith(true))],
  Array.from({ length: REQUESTS }, (_, n) => n),
);
console.log(table(
  ["router without a database", "requests", "p50 µs", "p95 µs"],
  figures.map(({ name, asked, p50, p95 }) => [name, asked, (p50 * 1000).toFixed(0), (p95 * 1000).toFixed(0)]),
));
