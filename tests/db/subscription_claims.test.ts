// Who may record what a store said, who may claim what was bought, and whose it is then.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { newUser, purge, runJob } from "../support/rows.ts";
import { errorOf } from "../support/database_errors.ts";
import { aPlan, aStatement, claim, premiumOf, record } from "./support/subscriptions.ts";

const db = await database();
const { sql } = db;
const plan = await aPlan(sql);
const ended = aStatement(plan).facts.access_ends_at;
const ownerOf = async (id: string) =>
  (await sql`select user_id from public.user_subscriptions where id = ${id}`)[0]!["user_id"];
const later = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString();

async function notified(user: string): Promise<string[]> {
  const rows = await sql`
    select title from public.user_notifications where user_id = ${user} and type = 'subscription' order by created_at, title`;
  return rows.map(({ title }) => title);
}

Deno.test("record_store_statement: no client and no administrator may call it", async () => {
  const administrator = crypto.randomUUID();
  await sql`
    insert into auth.users (id, email, raw_app_meta_data) values (
      ${administrator}, 'doors@example.test', ${
    sql.json({ admin: { name: "A", areas: ["users"], status: "active" } })
  })`;
  const callers = [
    { role: "anon" },
    { role: "authenticated", sub: await newUser(sql) },
    { role: "authenticated", sub: administrator },
  ] as const;
  for (const caller of callers) {
    for (
      const call of [
        "select api.record_store_statement('{}', 'verify')",
        "select api.record_acknowledgement(gen_random_uuid())",
        "select private.write_store_statement('{}', 'verify', null)",
        "select private.project_subscription(gen_random_uuid())",
        "select private.refresh_premium(gen_random_uuid())",
        "select api.admin_revoke_subscription(gen_random_uuid(), gen_random_uuid(), 'r')",
        "select api.admin_read_known_subscription(gen_random_uuid(), gen_random_uuid())",
      ]
    ) {
      await assert.rejects(db.as(caller, (sql) => sql.unsafe(call)), { code: "42501" }, `${caller.role}: ${call}`);
    }
  }
});

Deno.test("record_store_statement: an unknown source, an unknown plan and a suspended purchaser are rejected", async () => {
  assert.equal((await errorOf(record(sql, aStatement(plan), undefined, "admin"))).code, "validation_error");
  assert.equal((await errorOf(record(sql, aStatement("no.such.plan")))).code, "validation_error");
  const user = await newUser(sql);
  await sql`update public.app_users set status = 'suspended' where id = ${user}`;
  assert.equal((await errorOf(record(sql, aStatement(plan), user))).code, "forbidden");
});

Deno.test("claim_subscription: only within an hour, only by a user who sent the receipt, never by an anonymous client", async () => {
  const [user, stranger] = [await newUser(sql), await newUser(sql)];
  const id = await record(sql, aStatement(plan), user);
  assert.equal((await errorOf(claim(db, stranger, id))).code, "not_found");
  assert.equal((await errorOf(claim(db, stranger, crypto.randomUUID()))).code, "not_found");
  await assert.rejects(
    db.as({ role: "anon" }, (sql) => sql`select commands.claim_subscription(${id})`),
    { code: "42501" },
  );
  await sql`update private.verified_purchases set verified_at = now() - interval '61 minutes' where user_id = ${user}`;
  assert.equal((await errorOf(claim(db, user, id))).code, "not_found");
  assert.deepEqual([await ownerOf(id), await premiumOf(sql, user)], [null, null]);
  await purge(sql);
  assert.deepEqual([...await sql`select from private.verified_purchases where user_id = ${user}`], []);
});

Deno.test("claim_subscription: a purchase that names another account is that account's; one that names a withdrawn account can be restored", async () => {
  const [named, other] = [await newUser(sql), await newUser(sql)];
  const statement = aStatement(plan);
  const facts = { ...statement.facts, account_token: named.toUpperCase() };
  const id = await record(sql, { ...statement, facts }, other);
  const { code, details } = await errorOf(claim(db, other, id));
  assert.deepEqual([code, details], ["conflict", { reason: "belongs_to_another_account" }]);
  assert.equal(await ownerOf(id), named);
  assert.equal((await premiumOf(sql, named))?.toISOString(), facts.access_ends_at);
  await db.as({ role: "authenticated", sub: named }, (sql) => sql`select commands.withdraw_my_account()`);
  assert.deepEqual([await ownerOf(id), await premiumOf(sql, named)], [null, null]);
  await record(sql, { ...statement, facts }, other);
  assert.equal((await claim(db, other, id)).is_new, true);
  assert.equal((await premiumOf(sql, other))?.toISOString(), facts.access_ends_at);
  await record(sql, { ...statement, event_id: "later", occurred_at: later(statement.occurred_at, 1000), facts });
  assert.equal(await ownerOf(id), other);
});

Deno.test("record_store_statement: a subscription that was bought again without an account is that of its original transaction", async () => {
  const named = await newUser(sql);
  const statement = aStatement(plan);
  const facts = { ...statement.facts, account_token: named };
  const id = await record(sql, { ...statement, facts }, undefined, "notification");
  const expired = { ...facts, status: "expired" as const, access_ends_at: statement.occurred_at };
  const at = (ms: number) => ({ event_id: crypto.randomUUID(), occurred_at: later(statement.occurred_at, ms) });
  await record(sql, { ...statement, ...at(1000), facts: expired }, undefined, "notification");
  assert.equal((await premiumOf(sql, named))?.toISOString(), statement.occurred_at);
  await record(sql, { ...statement, ...at(2000), type: "SUBSCRIBED" }, undefined, "notification");
  assert.equal(await ownerOf(id), named);
  assert.equal((await premiumOf(sql, named))?.toISOString(), statement.facts.access_ends_at);
});

Deno.test("record_store_statement: a purchase that comes to name another account moves to it, and both are notified", async () => {
  const [former, next] = [await newUser(sql), await newUser(sql)];
  const statement = aStatement(plan);
  const id = await record(sql, statement, former);
  await claim(db, former, id);
  const occurred_at = later(statement.occurred_at, 1000);
  const named = { ...statement, event_id: crypto.randomUUID(), occurred_at, type: "SUBSCRIBED" };
  await record(sql, { ...named, facts: { ...named.facts, account_token: next } }, undefined, "notification");
  assert.equal(await ownerOf(id), next);
  assert.deepEqual([await premiumOf(sql, former), (await premiumOf(sql, next))?.toISOString()], [
    null,
    statement.facts.access_ends_at,
  ]);
  assert.deepEqual(await notified(former), [
    "「プラン」をご利用いただけます",
    "「プラン」が別のアカウントに移されました",
  ]);
  assert.deepEqual(await notified(next), ["「プラン」をこのアカウントに移しました"]);
});

Deno.test("record_store_statement: a purchase and the one that takes its place have one user, in either order", async () => {
  for (const isInOrder of [true, false]) {
    const user = await newUser(sql);
    const former = aStatement(plan, { store: "android_store" });
    const next = aStatement(plan, {
      store: "android_store",
      supersedes: former.subscription_key,
      facts: { ...former.facts, original_purchase_date: later(former.occurred_at, 3_600_000) },
    });
    const last = aStatement(plan, { store: "android_store", supersedes: next.subscription_key, facts: next.facts });
    const ids = new Map<string, string>();
    const tell = async (statement: typeof former) =>
      ids.set(statement.subscription_key, await record(sql, statement, undefined, "notification"));
    if (!isInOrder) {
      await tell(last);
      await tell(next);
    }
    const id = await record(sql, former, user);
    await claim(db, user, id);
    if (isInOrder) {
      await tell(next);
      await tell(last);
    }
    for (const one of ids.values()) assert.equal(await ownerOf(one), user);
    const [row] =
      await sql`select status, superseded_at, access_ends_at from public.user_subscriptions where id = ${id}`;
    assert.deepEqual([row!["status"], row!["superseded_at"]], ["expired", row!["access_ends_at"]]);
    assert.equal((await premiumOf(sql, user))?.toISOString(), last.facts.access_ends_at);
    // What another purchase continues has not ended for its user.
    assert.deepEqual(new Set(await notified(user)), new Set(["「プラン」をご利用いただけます"]));
  }
});

Deno.test("premium: the latest of several subscriptions and a grant by hand, also of a suspended user; none once withdrawn", async () => {
  const user = await newUser(sql);
  const [short, long] = [aStatement(plan), aStatement(plan)];
  const until = new Date(Date.now() + 40 * 86_400_000).toISOString();
  for (const statement of [short, long]) await claim(db, user, await record(sql, statement, user));
  const renewed = (statement: typeof short, changes: Partial<typeof short.facts>, ms = 1000) => ({
    ...statement,
    event_id: crypto.randomUUID(),
    occurred_at: later(statement.occurred_at, ms),
    facts: { ...statement.facts, ...changes },
  });
  await record(sql, renewed(long, { access_ends_at: until }));
  assert.equal((await premiumOf(sql, user))?.toISOString(), until);
  await record(sql, renewed(long, { access_ends_at: long.facts.started_at, status: "revoked" }, 2000));
  assert.equal((await premiumOf(sql, user))?.toISOString(), short.facts.access_ends_at);
  const granted = later(until, 1000);
  await sql`update public.app_users set granted_premium_ends_at = ${granted} where id = ${user}`;
  await sql`update public.app_users set status = 'suspended' where id = ${user}`;
  await record(sql, renewed(short, { access_ends_at: until }));
  assert.equal((await premiumOf(sql, user))?.toISOString(), granted);
  await sql`update public.app_users set granted_premium_ends_at = null where id = ${user}`;
  await record(sql, renewed(short, { access_ends_at: until, auto_renewing: false }, 2000));
  assert.equal((await premiumOf(sql, user))?.toISOString(), until);
});

Deno.test("export_my_data: has the user's subscriptions and their events, and no others", async () => {
  const [user, other] = [await newUser(sql), await newUser(sql)];
  const statement = aStatement(plan);
  const id = await record(sql, statement, user);
  await claim(db, user, id);
  await claim(db, other, await record(sql, aStatement(plan), other));
  const data = await db.as(
    { role: "authenticated", sub: user },
    async (sql) =>
      (await sql`
        select json_object_agg(d ->> 'table', d -> 'rows') as data
        from json_array_elements(api.export_my_data() -> 'data') as d`)[0]!["data"],
  );
  assert.deepEqual(data["user_subscriptions"].map((row: { id: string }) => row.id), [id]);
  assert.deepEqual(
    data["store_events"].map((row: Record<string, unknown>) => ({ ...row, id: "", occurred_at: "" })),
    [{
      id: "",
      occurred_at: "",
      store: "ios_store",
      subscription_id: id,
      source: "verify",
      type: null,
      subtype: null,
      status: "active",
    }],
  );
});

Deno.test("withdraw_my_account: a revocation by an administrator stays, and its reason is deleted", async () => {
  const [user, admin] = [await newUser(sql), crypto.randomUUID()];
  await sql`
    insert into auth.users (id, email, raw_app_meta_data) values (
      ${admin}, 'reason@example.test', ${sql.json({ admin: { name: "A", areas: ["users"], status: "active" } })})`;
  const id = await record(sql, aStatement(plan), user);
  await claim(db, user, id);
  await sql`select api.admin_revoke_subscription(${admin}, ${id}, 'A reason')`;
  await db.as({ role: "authenticated", sub: user }, (sql) => sql`select commands.withdraw_my_account()`);
  const events = await sql`
    select type, payload from public.store_events where subscription_id = ${id} and source = 'admin'`;
  assert.deepEqual([...events], [{ type: "REVOKED", payload: { admin_id: admin } }]);
  const [row] = await sql`select status, user_id from public.user_subscriptions where id = ${id}`;
  assert.deepEqual([row!["status"], row!["user_id"]], ["revoked", null]);
});

Deno.test("needs_acknowledgement: follows the store's order, and is false once the store was called", async () => {
  const pending = aStatement(plan, { store: "android_store" });
  const key = { store: "android_store", subscription_key: pending.subscription_key } as const;
  const bought = aStatement(plan, {
    ...key,
    needs_acknowledgement: true,
    occurred_at: later(pending.occurred_at, 1000),
  });
  const needs = async (id: string) =>
    (await sql`select needs_acknowledgement from public.user_subscriptions where id = ${id}`)[0]![
      "needs_acknowledgement"
    ];
  const id = await record(sql, bought);
  await record(sql, pending);
  assert.equal(await needs(id), true);
  await sql`select api.record_acknowledgement(${id})`;
  await record(sql, { ...bought, event_id: "again", occurred_at: later(bought.occurred_at, 1000) });
  assert.equal(await needs(id), false);
  await record(sql, { ...bought, event_id: "still", occurred_at: new Date(Date.now() + 60_000).toISOString() });
  assert.equal(await needs(id), true);
});

Deno.test("store_events: repeated queries add no events; a notification that is read twice is one event", async () => {
  const answer = aStatement(plan);
  const at = (ms: number) => ({ event_id: crypto.randomUUID(), occurred_at: later(answer.occurred_at, ms) });
  const id = await record(sql, answer);
  for (const ms of [1000, 2000, 3000]) await record(sql, { ...answer, ...at(ms) });
  const notification = { ...answer, ...at(4000), type: "DID_RENEW" };
  await record(sql, notification, undefined, "notification");
  const facts = { ...answer.facts, auto_renewing: false };
  await record(sql, { ...notification, occurred_at: at(5000).occurred_at, facts }, undefined, "notification");
  await record(sql, notification, undefined, "notification");
  const events = await sql`
    select type, confirmed_at, facts -> 'auto_renewing' as renews from public.store_events
    where subscription_id = ${id} order by occurred_at`;
  assert.deepEqual(events.map(({ type, confirmed_at, renews }) => [type, confirmed_at.toISOString(), renews]), [
    [null, at(3000).occurred_at, true],
    ["DID_RENEW", at(5000).occurred_at, false],
  ]);
});

Deno.test("user_subscriptions: a statement without news makes no new version", async () => {
  const statement = aStatement(plan);
  const id = await record(sql, statement);
  const version = async () =>
    (await sql`select updated_at from public.user_subscriptions where id = ${id}`)[0]!["updated_at"];
  const before = await version();
  await record(sql, { ...statement, event_id: "same", occurred_at: later(statement.occurred_at, 1000) });
  assert.deepEqual(await version(), before);
  await record(sql, {
    ...statement,
    event_id: "other",
    occurred_at: later(statement.occurred_at, 2000),
    facts: { ...statement.facts, auto_renewing: false },
  });
  assert.ok(await version() > before);
});

Deno.test("announce_subscription_ends: users are notified once of an end that no statement brought, an hour after it", async () => {
  const users = [await newUser(sql), await newUser(sql), await newUser(sql)] as const;
  const ends = [later(new Date().toISOString(), -2 * 3_600_000), later(new Date().toISOString(), -60_000), ended!];
  const bought = later(new Date().toISOString(), -40 * 86_400_000);
  for (const [nth, user] of users.entries()) {
    const statement = aStatement(plan, { occurred_at: bought });
    await claim(
      db,
      user,
      await record(sql, { ...statement, facts: { ...statement.facts, access_ends_at: ended } }, user),
    );
    await sql`update public.user_subscriptions set access_ends_at = ${ends[nth]!} where user_id = ${user}`;
  }
  // No notification is sent for a deleted account, and the others are notified.
  const deleted = await newUser(sql);
  const id = await record(sql, aStatement(plan), deleted);
  await claim(db, deleted, id);
  await sql`update public.user_subscriptions set access_ends_at = now() - interval '3 hours' where id = ${id}`;
  await sql`delete from auth.users where id = ${deleted}`;
  assert.equal(await ownerOf(id), null);
  for (let twice = 0; twice < 2; twice++) await runJob(sql, "announce_subscription_ends");
  const granted = "「プラン」をご利用いただけます";
  assert.deepEqual(await notified(users[0]), [granted, "「プラン」が終了しました"]);
  assert.deepEqual([await notified(users[1]), await notified(users[2])], [[granted], [granted]]);
  const [row] = await sql`select status from public.user_subscriptions where user_id = ${users[0]}`;
  assert.equal(row!["status"], "active");
});

Deno.test("api.list_my_subscription_events: pages of several subscriptions, newest first", async () => {
  const user = await newUser(sql);
  const times: string[] = [];
  for (let nth = 0; nth < 2; nth++) {
    const statement = aStatement(plan);
    await claim(db, user, await record(sql, statement, user));
    times.push(statement.occurred_at);
    for (let n = 1; n <= 4; n++) {
      const occurred_at = later(statement.occurred_at, n * 1000 + nth);
      await record(
        sql,
        { ...statement, event_id: crypto.randomUUID(), type: "DID_RENEW", occurred_at },
        undefined,
        "notification",
      );
      times.push(occurred_at);
    }
  }
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const [row] = await db.as(
      { role: "authenticated", sub: user },
      (sql) => sql`select api.list_my_subscription_events(3, ${cursor}) as page`,
    );
    const { items, next_cursor } = row!["page"] as { items: { occurred_at: string }[]; next_cursor: string | null };
    found.push(...items.map(({ occurred_at }) => new Date(occurred_at).toISOString()));
    cursor = next_cursor;
  } while (cursor !== null);
  assert.deepEqual(found, times.toSorted().reverse());
});

Deno.test.afterAll(() => db.close());
