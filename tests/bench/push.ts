// Push: the fan-out of a notification to everybody, and its delivery against the stand-in of the messaging service, of which
// some devices are dead, some unavailable at first, some over the quota once, and some use a proxy that fails once.
// deno run -A tests/bench/push.ts   (needs the platform's settings, BENCH_PEOPLE and BENCH_ACTIVITIES: devices; `deno task bench` sets them)
import postgres from "postgres";
import { processes } from "../../local/process.ts";
import { asSuperuser } from "../support/database.ts";
import { receivedByFcm, scriptFcm } from "../support/providers.ts";
import { table } from "./measure.ts";

const { DB_URL, FUNCTIONS_URL, SERVICE_ROLE_KEY, BENCH_ACTIVITIES, BENCH_PEOPLE } = Deno.env.toObject();
if (!DB_URL || !FUNCTIONS_URL) throw new Error("No platform is named: run `deno task bench push`");
const DEVICES = Number(BENCH_ACTIVITIES ?? 100_000);
const PEOPLE = Number(BENCH_PEOPLE ?? 1_000_000);
const CONSUMERS = 2;
const LATENCY_MS = 60;

/** Rows of people are written past their triggers, which only a superuser may. */
const sql = postgres(asSuperuser(DB_URL), { max: 2, onnotice: () => {} });

async function load(): Promise<void> {
  await sql`update cron.job set active = false where jobname = 'call_consumers'`; // or the platform would run it too
  await sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql`insert into public.app_users (id) select gen_random_uuid() from generate_series(1, ${PEOPLE}::integer)`;
    await sql`
      insert into public.user_push_tokens (user_id, fcm_token, device_type)
      select u.id, case when u.n % 1000 = 7 then 'html-' when u.n % 100 < 3 then 'dead-' when u.n % 100 < 5 then 'flaky-'
        when u.n % 100 < 6 then 'quota-' else 'good-' end || u.n, 'ios'
      from (select id, row_number() over () as n from public.app_users) u where u.n <= ${DEVICES}::integer`;
  });
  await sql`analyze public.app_users, public.user_push_tokens`;
}

async function fanOut(): Promise<{ id: string; seconds: number }> {
  const id = await sql.begin(async (sql) => {
    const [row] = await sql<{ id: string }[]>`
      insert into public.user_notifications (type, title, body, target, is_composed, is_in_app)
      values ('announcement', 'Title', 'Body', 'all', true, false) returning id`;
    await sql`update public.user_notifications set status = 'scheduled', scheduled_at = now() where id = ${row!.id}`;
    await sql`update public.user_notifications set status = 'sending' where id = ${row!.id}`;
    await sql`insert into private.wake_ups (function, called_at) values ('push-dispatch', 'infinity')
      on conflict (function) do update set called_at = excluded.called_at`; // only this bench calls the consumer
    await sql`select private.start_fan_out(${row!.id})`;
    return row!.id;
  });
  const [message] = await sql<{ msg_id: string }[]>`select msg_id from pgmq."q_push-dispatch"`;
  const started = performance.now();
  for (;;) {
    const [row] = await sql<{ page: { is_done: boolean } }[]>`
      select api.fan_out_notification(${id}, ${message!.msg_id}) as page`;
    if (row!.page.is_done) return { id, seconds: (performance.now() - started) / 1000 };
  }
}

/** What the consumer's process holds in memory, in megabytes; undefined while there is none. */
async function consumerMemory(): Promise<number | undefined> {
  const found = (await processes()).find(({ args }) => args.includes("/functions/push-dispatch.js"));
  const status = found && await Deno.readTextFile(`/proc/${found.pid}/status`).catch(() => "");
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(status ?? "")?.[1];
  return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1000);
}

async function deliver(id: string): Promise<number> {
  const started = performance.now();
  const status = async () =>
    (await sql<{ status: string }[]>`select status from public.user_notifications where id = ${id}`)[0]!.status;
  while (await status() === "sending") {
    await Promise.all(Array.from({ length: CONSUMERS }, async () => {
      const response = await fetch(`${FUNCTIONS_URL}/push-dispatch`, {
        method: "POST",
        headers: { authorization: `Bearer ${SERVICE_ROLE_KEY}` },
      });
      if (!response.ok) throw new Error(`push-dispatch answers ${response.status}: ${await response.text()}`);
      await response.body?.cancel();
    }));
    // What waits to be tried again is tried at once: the bench measures work, not waiting.
    await sql`update pgmq."q_push-dispatch" set vt = now()`;
    await sql`update private.outages set paused_until = now() where queue = 'push-dispatch'`;
  }
  return (performance.now() - started) / 1000;
}

await load();
await scriptFcm({
  reset: true,
  latency_ms: LATENCY_MS,
  rules: [
    { prefix: "dead-", status: 404, error_code: "UNREGISTERED" },
    { prefix: "flaky-", status: 503, times: 1 },
    { prefix: "quota-", status: 429, error_code: "QUOTA_EXCEEDED", retry_after: 1, times: 1 },
    { prefix: "html-", status: 502, html: true, times: 1 },
  ],
});
const fan = await fanOut();
const memory: number[] = [];
const sampling = setInterval(async () => {
  const megabytes = await consumerMemory();
  if (megabytes !== undefined) memory.push(megabytes);
}, 2000);
const seconds = await deliver(fan.id);
clearInterval(sampling);
const [counts] = await sql`
  select success_count, failure_count, suppressed_count from public.user_notifications where id = ${fan.id}`;
const outcomes = await sql<{ outcome: string; devices: string }[]>`
  select outcome, count(*) as devices from private.push_deliveries where notification_id = ${fan.id} group by 1 order by 1`;
const received = await receivedByFcm();
/** The mean of a part of the samples. */
const mean = (from: number, to: number) => {
  const part = memory.slice(Math.floor(memory.length * from), Math.ceil(memory.length * to));
  return Math.round(part.reduce((sum, megabytes) => sum + megabytes, 0) / part.length);
};
console.log(table(["what", "figure"], [
  [`fan-out to ${PEOPLE} users, ${DEVICES} devices`, `${fan.seconds.toFixed(1)} s`],
  [`delivery, ${CONSUMERS} consumers, ${LATENCY_MS} ms an answer`, `${seconds.toFixed(1)} s`],
  ["pushes a second", (DEVICES / seconds).toFixed(0)],
  ["success_count / failure_count", `${counts!["success_count"]} / ${counts!["failure_count"]}`],
  ["distinct devices accepted by the stand-in", String(Object.keys(received.devices).length)],
  ["devices accepted more than once", String(Object.values(received.devices).filter((times) => times > 1).length)],
  ...outcomes.map(({ outcome, devices }) => [`outcome ${outcome}`, String(devices)]),
  [
    "memory of the consumers' process, by quarters",
    `${[0, 0.25, 0.5, 0.75].map((from) => mean(from, from + 0.25)).join(", ")} MB`,
  ],
]));
await sql.end();
