// Consumers that are killed in the middle of their work: the service itself continues it, and soon. Nothing here calls a
// consumer or ends a lease. Each test prints how long it took, and how much was sent or queried twice.
import assert from "node:assert/strict";
import { aPlan, aStatement } from "../db/support/subscriptions.ts";
import { atOnce } from "../support/at_once.ts";
import { type CrashPlatform, crashPlatform } from "../support/crash_platform.ts";
import { eventually } from "../support/eventually.ts";
import { PlayStore } from "../support/google_play.ts";
import { receivedByFcm, scriptFcm } from "../support/providers.ts";
import { newUser } from "../support/rows.ts";
import { volume } from "../support/sizes.ts";
import { scriptStores } from "../support/store_reports.ts";
import { token } from "../support/tokens.ts";
import { loadDevices, sendToAll } from "./pushes.ts";

/** The goal is 20 seconds on a machine that does nothing else. */
const DEADLINE_MS = 60_000;
/** A consumer records so many pushes at a time. */
const PUSHES_AT_ONCE = 50;

interface Work {
  /** How much is done, in any unit. */
  done(): Promise<number>;
  /** It is killed when so much is done. */
  readonly killAt: number;
  readonly all: number;
}

/** Kills a function when a part of its work is done, and waits for the rest. */
async function killed(platform: CrashPlatform, name: string, { done, killAt, all }: Work): Promise<void> {
  await eventually(async () => await done() >= killAt || undefined, DEADLINE_MS);
  await platform.killFunction(name);
  const started = performance.now();
  const seconds = () => `${((performance.now() - started) / 1000).toFixed(1)} s`;
  // What was on its way to the database when its sender was killed.
  await new Promise((resolve) => setTimeout(resolve, 500));
  const before = await done();
  assert.ok(before < all, "it was killed after its work");
  await eventually(async () => await done() > before || undefined, DEADLINE_MS);
  const resumed = seconds();
  await eventually(async () => await done() >= all || undefined, 2 * DEADLINE_MS);
  console.log(`${name}: killed at ${before} of ${all}, continued after ${resumed}, done after ${seconds()}`);
}

async function count({ sql }: CrashPlatform, query: string): Promise<number> {
  const [row] = await sql.unsafe(`select (${query})::integer as count`);
  return row!["count"];
}

const PUSHES = volume("KILLED_PUSHES", 4_000, 8_000);

Deno.test(
  `push-dispatch: a consumer that is killed leaves at most the fifty of a record to be sent twice (KILLED_PUSHES=${PUSHES})`,
  atOnce(async () => {
    await using platform = await crashPlatform();
    const { PROVIDERS_URL } = platform.status;
    await loadDevices(platform, PUSHES, { isAutomatic: true });
    await scriptFcm({ reset: true, latency_ms: 50 }, PROVIDERS_URL);
    const id = await sendToAll(platform);
    await eventually(
      async () => await count(platform, "select count(*) from private.push_leases") > 0 || undefined,
    );
    let consumers = 0;
    await killed(platform, "push-dispatch", {
      done: async () => {
        const outcomes = await count(
          platform,
          "select count(*) from private.push_deliveries where outcome is not null",
        );
        if (outcomes < PUSHES / 2) {
          consumers = Math.max(consumers, await count(platform, "select count(*) from private.push_leases"));
        }
        return outcomes;
      },
      killAt: PUSHES / 4,
      all: PUSHES,
    });
    await eventually(async () => {
      const [row] = await platform.sql`select status, success_count from public.user_notifications where id = ${id}`;
      return row!["status"] === "sent" && row!["success_count"] === PUSHES || undefined;
    });
    const received = await receivedByFcm(PROVIDERS_URL);
    assert.equal(Object.keys(received.devices).length, PUSHES);
    const twice = received.accepted - PUSHES;
    console.log(`push-dispatch: ${twice} devices were sent to twice, with ${consumers} consumers at work`);
    assert.ok(twice <= consumers * PUSHES_AT_ONCE, `${twice} devices, ${consumers} consumers`);
  }),
);

Deno.test(
  "mail-dispatch: a consumer that is killed during 600 mails sends a batch again at most, with the same keys",
  atOnce(async () => {
    await using platform = await crashPlatform();
    const { sql, status: { PROVIDERS_URL } } = platform;
    const mail = async (init?: RequestInit) => await fetch(`${PROVIDERS_URL}/control/mail`, init);
    await (await mail({ method: "POST", body: JSON.stringify({ reset: true, latency_ms: 100 }) })).body?.cancel();
    const users = 600;
    await sql`
    insert into auth.users (id, email, email_confirmed_at)
    select id, id || '@example.test', now() from (select gen_random_uuid() as id from generate_series(1, ${users}::integer)) u`;
    await sql`
    insert into public.notification_preferences (user_id, notif_type, push_enabled, in_app_enabled, email_enabled)
    select id, 'announcement', false, true, true from public.app_users`;
    await sendToAll(platform);
    await killed(platform, "mail-dispatch", {
      done: () => count(platform, "select count(*) from private.mail_deliveries where outcome = 'sent'"),
      killAt: 100,
      all: users,
    });
    const { requests, mails } = await (await mail()).json();
    assert.equal(mails.length, users);
    console.log(`mail-dispatch: ${requests - users} mails were sent again with the same key`);
  }),
);

Deno.test(
  "store-notifications: a consumer that is killed during 600 notifications records each once",
  atOnce(async () => {
    await using platform = await crashPlatform();
    const { sql } = platform;
    const plan = await aPlan(sql);
    const statements = Array.from({ length: 600 }, () => aStatement(plan));
    await sql`
    select api.receive_store_notification('ios_store', s ->> 'event_id', s)
    from jsonb_array_elements(${sql.json(statements as never)}) as s`;
    await killed(platform, "store-notifications", {
      done: () => count(platform, "select count(*) from private.store_notifications where processed_at is not null"),
      killAt: 60,
      all: statements.length,
    });
    assert.equal(await count(platform, "select count(*) from public.store_events"), statements.length);
    assert.equal(await count(platform, `select count(*) from pgmq."q_store-notifications"`), 0);
    assert.equal(await count(platform, "select count(*) from private.dead_messages"), 0);
  }),
);

Deno.test(
  "reconciliation: a consumer that is killed while the store is slow delays its subscriptions by three minutes, not longer",
  atOnce(async () => {
    await using platform = await crashPlatform();
    const { sql, status } = platform;
    const plan = await aPlan(sql);
    const play = new PlayStore(status.PROVIDERS_URL);
    const user = await newUser(sql);
    for (let n = 0; n < 40; n++) {
      const { purchase_token } = await play.buy({ product_id: plan });
      const response = await fetch(`${status.API_URL}/v1/verify-iap`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token(n % 5 === 0 ? user : await newUser(sql), { secret: status.JWT_SECRET })}`,
          "content-type": "application/json",
        },
        body: JSON.stringify({ platform: "android", receipt: purchase_token, product_id: plan }),
      });
      assert.ok(response.ok, await response.text());
    }
    await play.script(undefined, { on: "read", status: 503, html: true, delay_ms: 30_000 });
    await sql`update public.user_subscriptions set ask_at = now()`;
    await sql`select private.reconcile_subscriptions()`;
    await eventually(async () =>
      await count(platform, "select count(*) from private.leased_subscriptions") === 40 || undefined
    );
    await platform.killFunction("store-notifications");
    await play.script(undefined);
    const due = () => count(platform, "select count(*) from public.user_subscriptions where ask_at <= now()");
    assert.equal(await due(), 40);
    const [lease] = await sql`
    select max(extract(epoch from leased_until - now()))::float8 as seconds from private.leased_subscriptions`;
    assert.ok(lease!["seconds"] <= 180, String(lease!["seconds"]));
    // The three minutes pass, and the job runs each second.
    await sql`select cron.schedule(jobname, '1 second', command) from cron.job where jobname = 'reconcile_subscriptions'`;
    await sql`update private.leased_subscriptions set leased_until = leased_until - interval '180 seconds'`;
    await eventually(async () => await due() === 0 || undefined, 2 * DEADLINE_MS);
  }),
);

Deno.test(
  "store-sync: a consumer that is killed holds no store for longer than its lease",
  atOnce(async () => {
    await using platform = await crashPlatform();
    await scriptStores({ latency_ms: 15 }, platform.status.PROVIDERS_URL!);
    await platform.sql`select private.start_store_sync('all', 'all', null)`;
    await killed(platform, "store-sync", {
      done: () =>
        count(
          platform,
          `select (select count(*) from private.store_synced_parts) + (select count(*) from public.store_sync_runs where status = 'succeeded') * 1000`,
        ),
      killAt: 10,
      all: 6_000,
    });
    const reads = await count(platform, "select coalesce(max(attempts), 0) from public.store_sync_runs");
    assert.ok(reads <= 2, `${reads} turns of a run`);
  }),
);
