// The ledger of subscriptions: what follows from the statements of the stores, and who may claim it.
import assert from "node:assert/strict";
import type { StoreStatement } from "../../supabase/functions/_shared/providers/store.ts";
import { database } from "../support/database.ts";
import { aPlan, aStatement, claim, premiumOf, record } from "./support/subscriptions.ts";
import { newUser } from "../support/rows.ts";

const db = await database();
const { sql } = db;
const plan = await aPlan(sql);

Deno.test("claim_subscription: a verified purchase becomes the user's, with premium to its end, once", async () => {
  const user = await newUser(sql);
  const statement = aStatement(plan);
  const id = await record(sql, statement, user);
  assert.equal(await premiumOf(sql, user), null);
  const first = await claim(db, user, id);
  assert.deepEqual([first.is_new, first.subscription.status], [true, "active"]);
  assert.equal((await premiumOf(sql, user))?.toISOString(), statement.facts.access_ends_at);
  assert.equal(await record(sql, statement, user), id);
  assert.equal((await claim(db, user, id)).is_new, false);
  const events = await sql`select from public.store_events where subscription_id = ${id}`;
  assert.equal(events.length, 1);
});

Deno.test("claim_subscription: a restore on another account moves it, and premium with it", async () => {
  const [former, next] = [await newUser(sql), await newUser(sql)];
  const statement = aStatement(plan);
  const id = await record(sql, statement, former);
  await claim(db, former, id);
  await record(sql, statement, next);
  await claim(db, next, id);
  assert.equal(await premiumOf(sql, former), null);
  assert.equal((await premiumOf(sql, next))?.toISOString(), statement.facts.access_ends_at);
  const notifications = await sql`
    select user_id, title from public.user_notifications where user_id in (${former}, ${next}) order by created_at, title`;
  assert.equal(notifications.length, 3);
});

Deno.test("subscriptions: the user is notified of a purchase, of a payment that fails and of its recovery, once each", async () => {
  const user = await newUser(sql);
  const bought = aStatement(plan);
  const id = await record(sql, bought, user);
  await claim(db, user, id);
  for (
    const [minutes, status, access_ends_at] of [[1, "on_hold", null], [2, "on_hold", null], [
      3,
      "active",
      bought.facts.access_ends_at,
    ]] as const
  ) {
    await record(
      sql,
      aStatement(plan, {
        subscription_key: bought.subscription_key,
        occurred_at: new Date(Date.parse(bought.occurred_at) + minutes * 60_000).toISOString(),
        facts: { ...bought.facts, status, access_ends_at },
      }),
      undefined,
      "notification",
    );
  }
  const notifications =
    await sql`select title from public.user_notifications where user_id = ${user} order by created_at`;
  assert.deepEqual(notifications.map(({ title }) => title), [
    "「プラン」をご利用いただけます",
    "「プラン」のお支払いを確認できませんでした",
    "お支払いを確認しました",
  ]);
});

Deno.test("subscriptions: a later statement wins, in any order", async () => {
  const user = await newUser(sql);
  const bought = aStatement(plan);
  const revoked = aStatement(plan, {
    subscription_key: bought.subscription_key,
    occurred_at: new Date(Date.parse(bought.occurred_at) + 60_000).toISOString(),
    facts: { ...bought.facts, status: "revoked", access_ends_at: bought.facts.started_at },
  });
  const id = await record(sql, revoked, user);
  assert.equal(await record(sql, bought, user), id);
  assert.equal((await claim(db, user, id)).subscription.status, "revoked");
  assert.ok((await premiumOf(sql, user))! < new Date());
});

Deno.test("ledger: a store is queried again after a time that depends on its last statement, and never after sixty days", async () => {
  const failing = ["grace", "on_hold", "paused", "pending", "unknown"];
  // The end of access and the next query, from the statement on.
  const cases: [status: string, ends: string, needsAcknowledgement: boolean, next: string | null][] = [
    ["active", "30 days", true, "5 minutes"],
    ["expired", "-90 days", true, "5 minutes"],
    ...failing.map((status) => [status, "-1 day", false, "6 hours"] as [string, string, boolean, string]),
    ["grace", "-90 days", false, "6 hours"],
    ["active", "2 hours", false, "125 minutes"],
    ["active", "30 days", false, "7 days"],
    ["active", "-1 second", false, "1 hour"],
    ["expired", "-59 days", false, "7 days"],
    ["revoked", "1 day", false, "7 days"],
    ["expired", "-60 days", false, null],
    ["revoked", "-61 days", false, null],
  ];
  for (const [status, ends, needsAcknowledgement, next] of cases) {
    const [row] = await sql`
      select private.next_query_at(${status}, at + ${ends}::interval, ${needsAcknowledgement}, at)
        is not distinct from at + ${next}::interval as "isRight"
      from (select timestamptz '2026-11-29 12:00:00+00' as at) t`;
    assert.equal(row!["isRight"], true, `${status}, access until ${ends}`);
  }
});

Deno.test.afterAll(() => db.close());

Deno.test("ledger: the receipt of a refunded period never ends a later one, in any order; that of the last period does", async () => {
  const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const receipt = (key: string, nth: number, signed: number, from: number, to: number, isRefunded: boolean) =>
    aStatement(plan, {
      subscription_key: key,
      event_id: `transaction:${key}-${nth}:${signed}`,
      occurred_at: at(signed),
      facts: {
        ...aStatement(plan).facts,
        status: isRefunded ? "revoked" : "active",
        started_at: at(from),
        expires_at: at(to),
        access_ends_at: isRefunded ? at(signed) : at(to),
      },
    });
  const statusOf = async (statements: StoreStatement[]) => {
    const user = await newUser(sql);
    let id = "";
    for (const statement of statements) id = await record(sql, statement, user);
    const [row] = await sql`select status from public.user_subscriptions where id = ${id}`;
    return row!["status"];
  };
  for (const isReversed of [false, true]) {
    const key = crypto.randomUUID();
    const [running, earlier] = [receipt(key, 2, -9, -10, 20, false), receipt(key, 1, -1, -40, -10, true)];
    assert.equal(await statusOf(isReversed ? [earlier, running] : [running, earlier]), "active");
    assert.equal(await statusOf([receipt(key, 2, -0.5, -10, 20, true)]), "revoked", "the running period itself");
  }
});
