// Subscriptions at a size of years: verifying a purchase, taking notifications of the stores, and what reconciliation picks.
// The stand-ins of the stores answer at once, so that their time is little; what a request costs includes it.
// deno run -A tests/bench/subscriptions.ts   (needs the platform's settings and BENCH_PEOPLE: subscriptions; `deno task bench subscriptions` sets them)
import postgres from "postgres";
import { AppleStore } from "../support/app_store.ts";
import { asSuperuser } from "../support/database.ts";
import { PlayStore } from "../support/google_play.ts";
import { token } from "../support/tokens.ts";
import { ms, percentile, table } from "./measure.ts";

const { DB_URL, FUNCTIONS_URL, JWT_SECRET, SERVICE_ROLE_KEY, BENCH_PEOPLE } = Deno.env.toObject();
if (!DB_URL || !FUNCTIONS_URL || !JWT_SECRET) {
  throw new Error("No platform is named: run `deno task bench subscriptions`");
}
const SUBSCRIPTIONS = Number(BENCH_PEOPLE ?? 1_000_000);
const PLAN = "bench.month";
const VERIFICATIONS = 300;
const NOTIFICATIONS = 2_000;
const CLIENTS = 20;
const PICKS = 9;

/** Rows of users are written past their triggers, which only a superuser may. */
const sql = postgres(asSuperuser(DB_URL), { max: 2, onnotice: () => {} });
const [apple, play] = [new AppleStore(), new PlayStore()];

async function load(): Promise<void> {
  // Or the platform would run them too.
  await sql`update cron.job set active = false where jobname in ('reconcile_subscriptions', 'call_consumers')`;
  await sql`
    insert into public.subscription_plans (code, name, price_minor, billing_period) values (${PLAN}, 'Plan', 480, 'month')`;
  await sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql`
      create temporary table bench on commit drop as
      select n, gen_random_uuid() as user_id, gen_random_uuid() as id, n % 3 = 0 as is_android,
        now() - random() * interval '28 days' as bought_at from generate_series(1, ${SUBSCRIPTIONS}::integer) as n`;
    await sql`insert into public.app_users (id) select user_id from bench`;
    // One in ten is due.
    await sql`
      insert into public.user_subscriptions (
        id, user_id, plan_id, platform, environment, subscription_key, external_subscription_id, status, started_at, ended_at,
        auto_renew_status, auto_renewing, is_trial_period, original_purchase_date, access_ends_at, announced, heard_at, ask_at
      )
      select b.id, b.user_id, p.id, case when b.is_android then 'android' else 'ios' end, 'Production', 'bench-' || b.n, b.n::text,
        'active', b.bought_at, b.bought_at + interval '30 days', true, true, false, b.bought_at, b.bought_at + interval '30 days',
        'granted', b.bought_at, case when b.n % 10 = 0 then now() - random() * interval '1 hour' else now() + random() * interval '7 days' end
      from bench b cross join public.subscription_plans p where p.code = ${PLAN}`;
    await sql`
      insert into public.store_events (store, event_id, subscription_id, source, occurred_at, confirmed_at, facts)
      select case when b.is_android then 'android_store' else 'ios_store' end, 'bench-' || b.n, b.id, 'verify', b.bought_at, b.bought_at,
        jsonb_build_object('status', 'active', 'product_id', ${PLAN}::text, 'environment', 'Production', 'started_at', b.bought_at)
      from bench b`;
    await sql`
      insert into private.purchase_tokens (subscription_id, token)
      select b.id, 'bench-token-' || b.n from bench b where b.is_android`;
  });
  await sql`vacuum analyze public.app_users`;
  await sql`vacuum analyze public.user_subscriptions`;
  await sql`vacuum analyze public.store_events`;
  await sql`vacuum analyze private.purchase_tokens`;
}

async function newUsers(count: number): Promise<string[]> {
  const rows = await sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    return await sql<{ id: string }[]>`
      insert into public.app_users (id) select gen_random_uuid() from generate_series(1, ${count}::integer) returning id`;
  });
  return rows.map(({ id }) => id);
}

async function post(path: string, body: unknown, authorization?: string): Promise<void> {
  const response = await fetch(`${FUNCTIONS_URL}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(authorization && { authorization }) },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answers ${response.status}: ${await response.text()}`);
  await response.body?.cancel();
}

/** Milliseconds of each verification, one after another. */
async function verifications(platform: "ios" | "android"): Promise<number[]> {
  const times: number[] = [];
  for (const user of await newUsers(VERIFICATIONS)) {
    const receipt = platform === "ios"
      ? (await apple.buy({ product_id: PLAN })).signed_transaction
      : (await play.buy({ product_id: PLAN })).purchase_token;
    const authorization = `Bearer ${token(user, { secret: JWT_SECRET! })}`;
    const started = performance.now();
    await post("/verify-iap", { platform, receipt, product_id: PLAN }, authorization);
    times.push(performance.now() - started);
  }
  return times.slice(20); // until everything is warm
}

/** Renewals of the App Store a second that are taken, and then recorded. */
async function notifications(): Promise<{ taken: number; slowest: number; recorded: number }> {
  await sql`insert into private.wake_ups (function, called_at) values ('store-notifications/process', 'infinity')
    on conflict (function) do update set called_at = excluded.called_at`; // only this bench calls the consumer
  const bodies: unknown[] = [];
  for (const user of await newUsers(NOTIFICATIONS / 10)) {
    const { subscription: { original_transaction_id: id } } = await apple.buy({
      product_id: PLAN,
      account_token: user,
    });
    for (let nth = 0; nth < 10; nth++) bodies.push((await apple.act(id, "renew")).notification);
  }
  const waiting = [...bodies];
  let slowest = 0;
  const started = performance.now();
  await Promise.all(Array.from({ length: CLIENTS }, async () => {
    for (let body = waiting.pop(); body !== undefined; body = waiting.pop()) {
      const sent = performance.now();
      await post("/store-notifications/app-store", body);
      slowest = Math.max(slowest, performance.now() - sent);
    }
  }));
  const taken = NOTIFICATIONS / (performance.now() - started) * 1000;
  const [begin] = await sql<{ now: Date }[]>`select clock_timestamp() as now`;
  await post("/store-notifications/process", undefined, `Bearer ${SERVICE_ROLE_KEY}`);
  const [done] = await sql<{ recorded: number; seconds: number }[]>`
    select count(processed_at)::integer as recorded, extract(epoch from max(processed_at) - ${
    begin!.now
  })::float as seconds
    from private.store_notifications`;
  return { taken, slowest, recorded: done!.recorded / done!.seconds };
}

/** Milliseconds in which reconciliation takes a thousand. */
async function picks(): Promise<number[]> {
  const service = postgres(DB_URL!, { max: 1, onnotice: () => {}, connection: { role: "service_role" } });
  const times: number[] = [];
  for (let nth = 0; nth < PICKS; nth++) {
    const started = performance.now();
    const [row] = await service<{ due: unknown[] }[]>`select api.take_due_subscriptions('ios', 1000) as due`;
    times.push(performance.now() - started);
    if (row!.due.length !== 1000) throw new Error(`${row!.due.length} are due`);
    // They were asked about: the next thousand are others.
    await sql`
      update public.user_subscriptions set ask_at = now() + interval '7 days'
      where id in (select subscription_id from private.leased_subscriptions)`;
  }
  await service.end();
  return times;
}

async function plan(): Promise<string> {
  const rows = await sql`
    explain (analyze, costs off, timing off)
    select s.id, s.ask_at from public.user_subscriptions s
    where s.platform = 'ios' and s.ask_at <= now() and coalesce((
      select a.leased_until <= now() from private.leased_subscriptions a where a.subscription_id = s.id and a.ask_at = s.ask_at
    ), true)
    order by s.ask_at limit 1000`;
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}

await load();
const figures: string[][] = [];
const row = (what: string, times: number[]) =>
  figures.push([what, `${ms(percentile(times, 0.5))} / ${ms(percentile(times, 0.95))}`]);
row("reconciliation takes 1,000", await picks());
row("verify-iap, ios", await verifications("ios"));
row("verify-iap, android", await verifications("android"));
const { taken, slowest, recorded } = await notifications();
console.log(`${SUBSCRIPTIONS} subscriptions; milliseconds, p50 / p95\n`);
console.log(table(["what", "figure"], [
  ...figures,
  [`notifications taken a second, ${CLIENTS} clients`, taken.toFixed(0)],
  ["the slowest answer to one", ms(slowest)],
  ["notifications recorded a second, one consumer", recorded.toFixed(0)],
]));
console.log(`\n${await plan()}`);
await sql.end();
