// What a receipt proves, and whose a purchase becomes by it. The rules are the database's own.
import assert from "node:assert/strict";
import type { StoreStatement, SubscriptionFacts } from "../../supabase/functions/_shared/providers/store.ts";
import { database } from "../support/database.ts";
import { errorOf } from "../support/database_errors.ts";
import { newUser, runJob } from "../support/rows.ts";
import { aPlan, aStatement, claim, premiumOf, record } from "./support/subscriptions.ts";

const db = await database();
const { sql } = db;
const plan = await aPlan(sql);

const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const MINUTE_MS = 60_000;
const signed = (ms: number): Partial<StoreStatement> => ({ proof: { kind: "signature", signed_at: ago(ms) } });
const unsigned: Partial<StoreStatement> = { proof: null };
const ownerOf = async (id: string) =>
  (await sql`select user_id from public.user_subscriptions where id = ${id}`)[0]!["user_id"];
const reasonOf = async (promise: Promise<unknown>) => {
  const { code, details } = await errorOf(promise);
  return `${code}: ${(details as { reason?: string } | undefined)?.reason ?? ""}`;
};
/** The same purchase in another receipt. */
const again = (statement: StoreStatement, changes: Partial<StoreStatement>): StoreStatement => ({
  ...statement,
  event_id: crypto.randomUUID(),
  ...changes,
});
const naming = (account_token: string): Partial<SubscriptionFacts> => ({ account_token });

async function owned(statement: StoreStatement): Promise<{ user: string; id: string }> {
  const user = await newUser(sql);
  const id = await record(sql, statement, user);
  await claim(db, user, id);
  return { user, id };
}

Deno.test("record_store_statement: an unsigned receipt of another user's purchase, or of no user's, is rejected and writes nothing", async () => {
  const mine = aStatement(plan);
  const { user, id } = await owned(mine);
  const stranger = await newUser(sql);
  const nobodys = aStatement(plan, unsigned);
  const elsewhere = aStatement(plan, { ...unsigned, facts: { ...mine.facts, ...naming(crypto.randomUUID()) } });
  const written = async () =>
    (await sql`
      select (select count(*) from public.store_events) as events, (select count(*) from public.user_subscriptions) as rows,
        (select count(*) from private.verified_purchases) as proofs`)[0];
  const before = await written();
  for (const statement of [again(mine, unsigned), nobodys, elsewhere]) {
    assert.equal(await reasonOf(record(sql, statement, stranger)), "conflict: signature_required");
    const { code, param } = await errorOf(record(sql, statement, stranger, "refresh"));
    assert.deepEqual([code, param], ["not_found", "receipt"]);
  }
  assert.deepEqual(await written(), before);
  assert.equal(await ownerOf(id), user);
});

Deno.test("claim_subscription: an unsigned receipt refreshes the caller's purchase, and takes it back from no user", async () => {
  const statement = aStatement(plan);
  const { user, id } = await owned(statement);
  for (const source of ["verify", "refresh"]) await record(sql, again(statement, unsigned), user, source);
  assert.equal((await claim(db, user, id)).is_new, false);
  const next = await newUser(sql);
  await record(sql, again(statement, signed(0)), next);
  await claim(db, next, id);
  // The former owner's receipt was recorded before the purchase moved.
  assert.equal(await reasonOf(claim(db, user, id)), "conflict: signature_required");
  assert.equal(await ownerOf(id), next);
});

Deno.test("claim_subscription: an unsigned receipt of a purchase that states the caller's account is enough", async () => {
  const user = await newUser(sql);
  const statement = aStatement(plan, unsigned);
  const id = await record(sql, { ...statement, facts: { ...statement.facts, ...naming(user.toUpperCase()) } }, user);
  assert.equal((await claim(db, user, id)).is_new, true);
  assert.equal(await ownerOf(id), user);
});

Deno.test("claim_subscription: a purchase that meanwhile states no account any more needs its receipt again", async () => {
  const user = await newUser(sql);
  const statement = aStatement(plan, unsigned);
  const id = await record(sql, { ...statement, facts: { ...statement.facts, ...naming(user) } }, user);
  await record(sql, again(statement, { occurred_at: new Date().toISOString() }), undefined, "reconciliation");
  assert.equal(await reasonOf(claim(db, user, id)), "conflict: changed_meanwhile");
  assert.equal(await ownerOf(id), null);
});

Deno.test("claim_subscription: a signature older than 10 minutes takes a purchase from no other user, but takes a free one", async () => {
  const statement = aStatement(plan);
  const { user, id } = await owned(statement);
  const next = await newUser(sql);
  await record(sql, again(statement, signed(11 * MINUTE_MS)), next);
  assert.equal(await reasonOf(claim(db, next, id)), "conflict: signature_too_old");
  assert.equal(await ownerOf(id), user);
  // The age counts at the claim. An older receipt does not replace a newer one.
  await record(sql, again(statement, signed(9 * MINUTE_MS)), next);
  await record(sql, again(statement, signed(30 * 24 * 60 * MINUTE_MS)), next);
  assert.equal((await claim(db, next, id)).is_new, false);
  assert.deepEqual([await ownerOf(id), await premiumOf(sql, user)], [next, null]);
  await db.as({ role: "authenticated", sub: next }, (sql) => sql`select commands.withdraw_my_account()`);
  await record(sql, again(statement, signed(30 * 24 * 60 * MINUTE_MS)), user);
  assert.equal((await claim(db, user, id)).is_new, true);
});

Deno.test("claim_subscription: the time at which the service read the store is no time of a signature", async () => {
  const statement = aStatement(plan);
  const { user, id } = await owned(statement);
  const next = await newUser(sql);
  const fresh = again(statement, { ...signed(60 * MINUTE_MS), occurred_at: new Date().toISOString() });
  await record(sql, fresh, next);
  assert.equal(await reasonOf(claim(db, next, id)), "conflict: signature_too_old");
  assert.equal(await ownerOf(id), user);
});

Deno.test("claim_subscription: a purchase token of Google Play moves a purchase at any time, unless it states another account", async () => {
  const statement = aStatement(plan, { store: "android_store" });
  const { user, id } = await owned(statement);
  const next = await newUser(sql);
  await record(sql, again(statement, {}), next);
  await claim(db, next, id);
  assert.deepEqual([await ownerOf(id), await premiumOf(sql, user)], [next, null]);
  const named = again(statement, { occurred_at: new Date().toISOString() });
  await record(sql, { ...named, facts: { ...named.facts, ...naming(next) } }, user);
  assert.equal(await reasonOf(claim(db, user, id)), "conflict: belongs_to_another_account");
  assert.equal(await ownerOf(id), next);
});

Deno.test("claim_subscription: after the claim of another user the first one's repeated request is answered, never not_found", async () => {
  const [first, second] = [await newUser(sql), await newUser(sql)];
  const statement = aStatement(plan);
  const id = await record(sql, statement, first);
  await claim(db, first, id);
  await record(sql, statement, first);
  await record(sql, statement, second);
  await claim(db, second, id);
  assert.equal((await claim(db, first, id)).is_new, false);
  assert.equal(await ownerOf(id), first);
  for (const age of ["11 minutes", "-2 minutes"]) { // of the future, too
    await sql`update private.verified_purchases set signed_at = now() - ${age}::interval where subscription_id = ${id}`;
    assert.equal(await reasonOf(claim(db, second, id)), "conflict: signature_too_old", age);
  }
});

Deno.test("verified_purchases: a signature without its date, a date without a signature and another proof are rejected", async () => {
  const { user, id } = await owned(aStatement(plan));
  for (
    const [proof, at] of [["signature", null], ["purchase_token", ago(0)], ["none", ago(0)], ["word", null]] as const
  ) {
    await assert.rejects(
      sql`update private.verified_purchases set proof = ${proof}, signed_at = ${at} where (subscription_id, user_id) = (${id}, ${user})`,
      { code: "23514" },
    );
  }
});

Deno.test("limited purchases: only testers get them, by receipt, by the account of the purchase, and by an address that is confirmed", async () => {
  const [byId, byMail, unconfirmed, other] = [
    await newUser(sql),
    await newUser(sql),
    await newUser(sql),
    await newUser(sql),
  ];
  const mail = (user: string) => `tester-${user}@example.test`;
  for (const user of [byMail, unconfirmed]) {
    await sql`
      update auth.users set email = ${mail(user)},
        email_confirmed_at = ${user === byMail ? new Date() : null} where id = ${user}`;
  }
  const limited_to = [byId, mail(byMail), mail(unconfirmed)];
  const sandbox = (changes: Partial<SubscriptionFacts> = {}) => {
    const statement = aStatement(plan, { limited_to });
    return { ...statement, facts: { ...statement.facts, environment: "Sandbox" as const, ...changes } };
  };
  for (const user of [other, unconfirmed]) {
    for (const source of ["verify", "refresh"]) {
      assert.equal(await reasonOf(record(sql, sandbox(naming(user)), user, source)), "forbidden: testers_only");
    }
    const id = await record(sql, sandbox(naming(user)), undefined, "notification");
    assert.deepEqual([await ownerOf(id), await premiumOf(sql, user)], [null, null]);
    assert.equal((await errorOf(claim(db, user, id))).code, "not_found");
  }
  for (const user of [byId, byMail]) {
    const id = await record(sql, sandbox(), user);
    assert.equal((await claim(db, user, id)).is_new, true);
    assert.equal(await ownerOf(await record(sql, sandbox(naming(user)), undefined, "notification")), user);
  }
  const anyone = { ...sandbox(), limited_to: null };
  await claim(db, other, await record(sql, anyone, other));
  assert.ok(await premiumOf(sql, other));
});

Deno.test("overview: premium that only the sandbox gives is not counted", async () => {
  const premium = async () => {
    await runJob(sql, "refresh_overview");
    return (await sql`select value -> 'premium' as count from private.overview_parts where part = 'people'`)[0]![
      "count"
    ];
  };
  const before = await premium();
  const tester = await newUser(sql);
  const both = await newUser(sql);
  const granted = await newUser(sql);
  for (const user of [tester, both, granted]) {
    const statement = aStatement(plan);
    const sandbox = { ...statement, facts: { ...statement.facts, environment: "Sandbox" as const } };
    await claim(db, user, await record(sql, sandbox, user));
    assert.ok(await premiumOf(sql, user));
  }
  assert.equal(await premium(), before);
  await claim(db, both, await record(sql, aStatement(plan), both));
  await sql`update public.app_users set granted_premium_ends_at = 'infinity' where id = ${granted}`;
  assert.equal(await premium(), before + 2);
});

Deno.test("ended_at: a purchase that a refund, an administrator or another purchase ended has ended then", async () => {
  const refundedAt = ago(60 * MINUTE_MS);
  const endOf = async (id: string) =>
    (await sql`select status, ended_at, expires_at from public.user_subscriptions where id = ${id}`)[0]!;
  for (const store of ["ios_store", "android_store"] as const) {
    for (const expires_at of [aStatement(plan).facts.expires_at, null]) {
      const bought = aStatement(plan, { store, facts: { ...aStatement(plan).facts, expires_at } });
      const { id } = await owned(bought);
      assert.equal((await endOf(id))["ended_at"]?.toISOString() ?? null, expires_at);
      const facts = { ...bought.facts, status: "revoked" as const, access_ends_at: refundedAt };
      await record(sql, again(bought, { facts, occurred_at: ago(30 * MINUTE_MS) }), undefined, "notification");
      const refunded = await endOf(id);
      assert.deepEqual(
        [refunded["status"], refunded["ended_at"].toISOString(), refunded["expires_at"].toISOString()],
        ["revoked", refundedAt, refundedAt],
      );
      const reversed = again(bought, { occurred_at: ago(0) });
      await record(sql, reversed, undefined, "notification");
      assert.equal((await endOf(id))["ended_at"]?.toISOString() ?? null, expires_at);
    }
  }
  const admin = crypto.randomUUID();
  await sql`
    insert into auth.users (id, email, raw_app_meta_data) values (
      ${admin}, 'ends@example.test', ${sql.json({ admin: { name: "A", areas: ["users"], status: "active" } })})`;
  const { id } = await owned(aStatement(plan));
  await sql`select api.admin_revoke_subscription(${admin}, ${id}, 'A reason')`;
  const revoked = await endOf(id);
  assert.ok(revoked["status"] === "revoked" && revoked["ended_at"] <= new Date(), JSON.stringify(revoked));
  await sql`select api.admin_reinstate_subscription(${admin}, ${id}, 'A reason')`;
  assert.ok((await endOf(id))["ended_at"] > new Date());
  // A period that ended before its refund ended then.
  const over = aStatement(plan);
  const expires_at = ago(2 * 24 * 60 * MINUTE_MS);
  const facts = { ...over.facts, status: "revoked" as const, expires_at, access_ends_at: refundedAt };
  assert.equal((await endOf(await record(sql, { ...over, facts })))["ended_at"].toISOString(), expires_at);
});

Deno.test.afterAll(() => db.close());
