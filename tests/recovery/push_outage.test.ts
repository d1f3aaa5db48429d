// Push while the messaging service is down for an hour, has no settings, or has trouble with one device; and what several
// consumers do at once. An hour passes by ageing rows.
import assert from "node:assert/strict";
import { atOnce } from "../support/at_once.ts";
import { type CrashPlatform, crashPlatform } from "../support/crash_platform.ts";
import { eventually } from "../support/eventually.ts";
import { receivedByFcm, scriptFcm } from "../support/providers.ts";
import { newUser } from "../support/rows.ts";
import { token } from "../support/tokens.ts";
import { consume, loadDevices, passTime, sendToAll } from "./pushes.ts";

/** All consumers together have so many requests at once: eight batches, fifty requests each. */
const MOST_AT_ONCE = 400;

/** What the job does each minute, and the rows a minute older. */
async function aMinute(platform: CrashPlatform): Promise<void> {
  const { sql } = platform;
  await sql`select private.check_queue_health('push-dispatch')`;
  const [due] = await sql`
    select from pgmq."q_push-dispatch" q join private.outages s on s.queue = 'push-dispatch'
    where q.vt <= now() and (s.paused_until <= now() or q.message ? 'fan_out') limit 1`;
  if (due) await consume(platform, 1);
  await sql.begin(async (sql) => {
    await sql`
      update private.outages set paused_until = paused_until - interval '1 minute', reached_at = reached_at - interval '1 minute',
        failing_since = failing_since - interval '1 minute', tried_until = tried_until - interval '1 minute'`;
    await sql`
      update pgmq."q_push-dispatch" set vt = vt - interval '1 minute', enqueued_at = enqueued_at - interval '1 minute'`;
    await sql`update private.push_leases set leased_until = leased_until - interval '1 minute'`;
  });
}

async function alertsOf({ sql }: CrashPlatform): Promise<string[]> {
  const rows = await sql<{ body: string }[]>`
    select body from public.admin_notifications where title = 'プッシュ通知を送信できません'`;
  return rows.map(({ body }) => body);
}

/** Why nothing is pushed, as the console's first page has it. */
async function troubleOf({ sql, status }: CrashPlatform): Promise<unknown> {
  const id = crypto.randomUUID();
  const admin = { name: "Administrator", areas: ["notifications"] };
  await sql`
    insert into auth.users (id, email, raw_app_meta_data) values (${id}, ${`${id}@example.test`}, ${
    sql.json({ admin })
  })`;
  const response = await fetch(`${status.FUNCTIONS_URL}/admin/overview`, {
    headers: { authorization: `Bearer ${token(id, { secret: status.JWT_SECRET })}` },
  });
  return (await response.json()).push.trouble?.reason;
}

async function stateOf({ sql }: CrashPlatform, id: string): Promise<Record<string, unknown>> {
  const [row] = await sql`
    select n.status, n.success_count, n.failure_count,
      (select count(*) from public.user_notifications i where i.composed_id = n.id)::integer as inboxes,
      (select count(*) from private.push_deliveries d where d.notification_id = n.id and d.outcome is null)::integer as open,
      (select coalesce(max(attempts), 0) from private.push_deliveries d where d.notification_id = n.id)::integer as attempts
    from public.user_notifications n where n.id = ${id}`;
  return { ...row };
}

Deno.test(
  "push: with two and with ten consumers at once no device is sent twice, and requests are bounded",
  atOnce(async () => {
    await using platform = await crashPlatform();
    const { PROVIDERS_URL } = platform.status;
    await loadDevices(platform, 6000);
    for (const consumers of [2, 10]) {
      await scriptFcm({ reset: true, latency_ms: 20 }, PROVIDERS_URL);
      const id = await sendToAll(platform);
      await eventually(async () => {
        await consume(platform, consumers);
        return (await stateOf(platform, id))["status"] === "sent" || undefined;
      });
      assert.deepEqual(await stateOf(platform, id), {
        status: "sent",
        success_count: 6000,
        failure_count: 0,
        inboxes: 6000,
        open: 0,
        attempts: 0,
      });
      const { devices, most_at_once } = await receivedByFcm(PROVIDERS_URL);
      assert.equal(Object.keys(devices).length, 6000);
      assert.deepEqual(Object.entries(devices).filter(([, times]) => times !== 1), []);
      assert.ok(most_at_once > 50 && most_at_once <= MOST_AT_ONCE, `${most_at_once} requests at once`);
    }
  }),
);

Deno.test(
  "push: a service that answers 503 for an hour is retried with growing waits and notified once; then everything is delivered, without a burst",
  atOnce(async () => {
    await using platform = await crashPlatform();
    const { PROVIDERS_URL } = platform.status;
    await loadDevices(platform, 3000);
    await scriptFcm({ reset: true, latency_ms: 5, rules: [{ prefix: "", status: 503 }] }, PROVIDERS_URL);
    const id = await sendToAll(platform);
    const requests: number[] = [];
    for (let minute = 0; minute < 60; minute++) {
      await aMinute(platform);
      requests.push((await receivedByFcm(PROVIDERS_URL)).requests);
    }
    const { open, attempts, inboxes } = await stateOf(platform, id);
    assert.deepEqual({ open, attempts, inboxes }, { open: 3000, attempts: 0, inboxes: 3000 });
    const alerts = await alertsOf(platform);
    assert.equal(alerts.length, 1, String(alerts));
    assert.equal(await troubleOf(platform), "outage");
    const late = requests.at(-1)! - requests[29]!;
    assert.ok(late > 0 && late <= 10 * 500, `${late} requests in the second half of the hour, a batch each time`);
    const received = await receivedByFcm(PROVIDERS_URL);
    assert.ok(received.most_at_once <= 50, "one consumer tries");

    // It is up again. Ten consumers come at once: nothing while the pause lasts, then one batch, then all of it.
    await scriptFcm({ reset: true, latency_ms: 50 }, PROVIDERS_URL);
    await platform
      .sql`update private.outages set paused_until = now() + interval '1 minute' where queue = 'push-dispatch'`;
    await consume(platform, 10);
    assert.equal((await receivedByFcm(PROVIDERS_URL)).requests, 0);
    await platform.sql`update private.outages set paused_until = now() where queue = 'push-dispatch'`;
    await platform.sql`update pgmq."q_push-dispatch" set vt = now() where vt > now()`;
    const consuming = consume(platform, 10);
    const first = await eventually(async () => {
      const { accepted, most_at_once } = await receivedByFcm(PROVIDERS_URL);
      return accepted > 0 ? { accepted, most_at_once } : undefined;
    });
    assert.ok(first.accepted > 500 || first.most_at_once <= 50, `${JSON.stringify(first)}: one batch is the try`);
    await consuming;
    await eventually(async () => {
      await passTime(platform);
      await consume(platform, 1);
      return (await stateOf(platform, id))["status"] === "sent" || undefined;
    });
    const { devices, most_at_once } = await receivedByFcm(PROVIDERS_URL);
    assert.equal((await stateOf(platform, id))["success_count"], 3000);
    assert.deepEqual(Object.values(devices).filter((times) => times !== 1), []);
    assert.ok(most_at_once <= MOST_AT_ONCE, `${most_at_once} requests at once`);
    for (let n = 0; n < 3; n++) await platform.sql`select private.check_queue_health('push-dispatch')`;
    assert.equal(await troubleOf(platform), undefined);
    assert.equal((await alertsOf(platform)).length, 1);
  }),
);

Deno.test(
  "push: without settings inboxes are filled, pushes wait, and administrators are notified after ten minutes",
  atOnce(async () => {
    await using platform = await crashPlatform({ functionSettings: { FCM_PROJECT_ID: "" } });
    await loadDevices(platform, 600);
    const id = await sendToAll(platform);
    for (let minute = 0; minute < 9; minute++) await aMinute(platform);
    assert.deepEqual(await alertsOf(platform), []);
    for (let minute = 0; minute < 20; minute++) await aMinute(platform);
    const alerts = await alertsOf(platform);
    assert.equal(alerts.length, 1);
    assert.match(alerts[0]!, /設定がない/);
    assert.equal(await troubleOf(platform), "not_configured");
    const { status, inboxes, open, attempts } = await stateOf(platform, id);
    assert.deepEqual({ status, inboxes, open, attempts }, { status: "sending", inboxes: 600, open: 600, attempts: 0 });
  }),
);

Deno.test(
  "push: a device that always gets 503 ends as undeliverable, and does not delay the others",
  atOnce(async () => {
    await using platform = await crashPlatform();
    const { sql, status: { PROVIDERS_URL } } = platform;
    await sql`delete from vault.secrets`;
    await scriptFcm({ reset: true, rules: [{ prefix: "broken-", status: 503 }] }, PROVIDERS_URL);
    const notify = async (kind: string) => {
      const user = await newUser(sql);
      await sql`
      insert into public.user_push_tokens (user_id, fcm_token, device_type) values (${user}, ${`${kind}-${user}`}, 'ios')`;
      await sql`select private.notify_user(${user}, 'announcement', 'Title', 'Body')`;
    };
    await notify("broken");
    let good = 0;
    for (let isOpen = true; isOpen && good < 40; good++) {
      await notify("good");
      await aMinute(platform);
      isOpen = (await sql`select from private.push_deliveries where outcome is null and attempts > 0`).length > 0 ||
        (await sql`select from private.push_deliveries where outcome = 'undeliverable'`).length === 0;
    }
    const outcomes = await sql`
    select coalesce(outcome, 'open') as outcome, count(*)::integer as devices from private.push_deliveries group by 1 order by 1`;
    assert.deepEqual(Object.fromEntries(outcomes.map(({ outcome, devices }) => [outcome, devices])), {
      delivered: good,
      undeliverable: 1,
    });
  }),
);
