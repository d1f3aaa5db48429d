// What a crash leaves of purchases: a verification that is repeated heals them, and what is paid is acknowledged.
import assert from "node:assert/strict";
import { AppleStore } from "../support/app_store.ts";
import { type CrashPlatform, crashPlatform } from "../support/crash_platform.ts";
import { eventually } from "../support/eventually.ts";
import { PlayStore } from "../support/google_play.ts";
import { newUser } from "../support/rows.ts";
import { token } from "../support/tokens.ts";

const PLAN = "recovery.month";

interface Purchase {
  readonly user: string;
  readonly request: { readonly platform: "ios" | "android"; readonly receipt: string; readonly product_id: string };
}

async function verify({ status }: CrashPlatform, { user, request }: Purchase): Promise<Response | undefined> {
  try {
    return await fetch(`${status.API_URL}/v1/verify-iap`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token(user, { secret: status.JWT_SECRET })}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(request),
    });
  } catch (error) {
    if (error instanceof TypeError) return undefined; // the connection broke: no response
    throw error;
  }
}

/** Verifies until the function is there again; the status and the id of the subscription. */
async function heal(platform: CrashPlatform, purchase: Purchase): Promise<[status: number, id: string]> {
  return await eventually(async () => {
    const response = await verify(platform, purchase);
    if (response === undefined || response.status >= 500) {
      await response?.body?.cancel();
      return undefined;
    }
    return [response.status, (await response.json()).id] as [number, string];
  });
}

async function consume({ status }: CrashPlatform, name: "process" | "reconcile"): Promise<Response | undefined> {
  const headers = { authorization: `Bearer ${status.SERVICE_ROLE_KEY}` };
  return await fetch(`${status.API_URL}/v1/store-notifications/${name}`, { method: "POST", headers })
    .catch((error) => {
      if (error instanceof TypeError) return undefined;
      throw error;
    });
}

async function aPlan({ sql }: CrashPlatform): Promise<void> {
  await sql`
    insert into public.subscription_plans (code, name, price_minor, billing_period) values (${PLAN}, 'Plan', 480, 'month')`;
}

async function subscriptionsOf({ sql }: CrashPlatform, user: string) {
  return [
    ...await sql<{ id: string; needs_acknowledgement: boolean; events: number; is_premium: boolean }[]>`
      select s.id, s.needs_acknowledgement, u.premium_ends_at > now() as is_premium,
        (select count(*)::integer from public.store_events e where e.subscription_id = s.id) as events
      from public.user_subscriptions s join public.app_users u on u.id = s.user_id where u.id = ${user}`,
  ];
}

async function purchases(platform: CrashPlatform): Promise<{ play: PlayStore; android: Purchase; ios: Purchase }> {
  await aPlan(platform);
  const { PROVIDERS_URL } = platform.status;
  const [play, apple] = [new PlayStore(PROVIDERS_URL), new AppleStore(PROVIDERS_URL)];
  const { purchase_token } = await play.buy({ product_id: PLAN });
  const { signed_transaction } = await apple.buy({ product_id: PLAN });
  return {
    play,
    android: {
      user: await newUser(platform.sql),
      request: { platform: "android", receipt: purchase_token, product_id: PLAN },
    },
    ios: {
      user: await newUser(platform.sql),
      request: { platform: "ios", receipt: signed_transaction, product_id: PLAN },
    },
  };
}

Deno.test("verify-iap: after kill -9 between the store's answer and the commit a repeated request completes it", async () => {
  await using platform = await crashPlatform();
  const { sql } = platform;
  const { play, android, ios } = await purchases(platform);
  for (const purchase of [android, ios]) {
    const lock = await sql.reserve();
    await lock`begin`;
    await lock`lock table public.store_events in exclusive mode`;
    const broken = verify(platform, purchase);
    await eventually(async () => {
      const [waiting] =
        await sql`select from pg_locks where not granted and relation = 'public.store_events'::regclass`;
      return waiting && true;
    });
    await platform.killFunction("verify-iap");
    await lock`rollback`;
    lock.release();
    const answer = await broken;
    assert.ok(answer === undefined || answer.status >= 500, "it was answered before it was killed");
    await answer?.body?.cancel();
    const [status, id] = await heal(platform, purchase);
    assert.equal(status, 201);
    assert.deepEqual(await subscriptionsOf(platform, purchase.user), [
      { id, needs_acknowledgement: false, events: 1, is_premium: true },
    ]);
  }
  assert.equal((await play.received(android.request.receipt)).acknowledgements, 1);
});

Deno.test("verify-iap: after kill -9 between the commit and the acknowledgement it is acknowledged by the next request, or else by reconciliation", async () => {
  await using platform = await crashPlatform();
  const { sql } = platform;
  const { play, android } = await purchases(platform);
  const { purchase_token } = await play.buy({ product_id: PLAN });
  const other: Purchase = {
    user: await newUser(sql),
    request: { platform: "android", receipt: purchase_token, product_id: PLAN },
  };
  for (const purchase of [android, other]) {
    const { receipt } = purchase.request;
    await play.script(receipt, { on: "acknowledge", status: 503, html: true, delay_ms: 15_000 });
    const broken = verify(platform, purchase);
    const [{ id }] = await eventually(async () => {
      const found = await subscriptionsOf(platform, purchase.user);
      return found.length === 1 ? found as [typeof found[0] & object] : undefined;
    });
    await platform.killFunction("verify-iap");
    await (await broken)?.body?.cancel();
    await play.script(receipt);
    assert.equal((await play.received(receipt)).acknowledgements, 0);
    if (purchase === android) {
      assert.deepEqual(await heal(platform, purchase), [200, id]);
    } else {
      await sql`update public.user_subscriptions set ask_at = now() where id = ${id}`;
      await (await consume(platform, "reconcile"))?.body?.cancel();
    }
    await eventually(async () => (await play.received(receipt)).acknowledgements === 1 || undefined);
    await eventually(async () =>
      !(await subscriptionsOf(platform, purchase.user))[0]!.needs_acknowledgement || undefined
    );
  }
});

Deno.test("store notifications: after kill -9 of the consumer its notification is recorded by the next one, once", async () => {
  await using platform = await crashPlatform();
  const { sql } = platform;
  const { play, android } = await purchases(platform);
  const { receipt } = android.request;
  await heal(platform, android);
  await play.script(receipt, { on: "read", status: 503, html: true, delay_ms: 15_000 });
  const { pushes: [push] } = await play.act(receipt, "hold", { send: true });
  assert.equal(push?.status, 200);
  await eventually(async () => {
    const [taken] = await sql`select from pgmq."q_store-notifications" where read_ct = 1`;
    return taken && true;
  });
  await platform.killFunction("store-notifications");
  await play.script(receipt);
  assert.equal((await subscriptionsOf(platform, android.user))[0]!.events, 1);
  await sql`update pgmq."q_store-notifications" set vt = now()`;
  await eventually(async () => {
    const response = await consume(platform, "process");
    await response?.body?.cancel();
    return response?.ok || undefined;
  });
  await eventually(async () => (await subscriptionsOf(platform, android.user))[0]?.events === 2 || undefined);
  const [row] = await sql`select status from public.user_subscriptions where user_id = ${android.user}`;
  assert.equal(row!["status"], "on_hold");
  assert.equal((await sql`select from pgmq."q_store-notifications"`).length, 0);
});
