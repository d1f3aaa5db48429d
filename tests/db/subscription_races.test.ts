// Subscriptions: what happens at once, on connections of their own.
import assert from "node:assert/strict";
import postgres, { type Sql } from "postgres";
import { database } from "../support/database.ts";
import { newUser } from "../support/rows.ts";
import { volume } from "../support/sizes.ts";
import { aPlan, aStatement } from "./support/subscriptions.ts";

const ROUNDS = volume("SUBSCRIPTION_ROUNDS", 12, 50);
const CONNECTIONS = 20;

const db = await database();
const { sql } = db;
const many = postgres(db.url, { max: CONNECTIONS, onnotice: () => {} });
const plan = await aPlan(sql);
const administrator = crypto.randomUUID();
await sql`
  insert into auth.users (id, email, raw_app_meta_data)
  values (${administrator}, 'a@example.test', ${
  sql.json({ admin: { name: "A", areas: ["users"], status: "active" } })
})`;

type Statement = ReturnType<typeof aStatement>;
type Claimed = { readonly is_new: boolean };

const later = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString();

const record = async (sql: Sql, statement: Statement, user: string | null = null, source = "verify"): Promise<string> =>
  (await sql`
    select api.record_store_statement(${
    sql.json(statement as never)
  }, ${source}, ${user}) ->> 'subscription_id' as id`)[0]!["id"];

const asUser = <Result>(user: string, run: (sql: Sql) => Promise<Result>): Promise<Result> =>
  many.begin(async (transaction) => {
    await transaction`
      select set_config('role', 'authenticated', true),
        set_config('request.jwt.claims', ${JSON.stringify({ role: "authenticated", sub: user })}, true)`;
    return { value: await run(transaction as unknown as Sql) };
  }).then(({ value }) => value);

const claim = (user: string, id: string): Promise<Claimed> =>
  asUser(user, async (sql) => (await sql`select commands.claim_subscription(${id}) as claimed`)[0]!["claimed"]);

/** As a route does it: recorded by the service, then claimed by the user. */
async function verify(statement: Statement, user: string): Promise<Claimed & { readonly id: string }> {
  const id = await record(many, statement, user);
  return { ...await claim(user, id), id };
}

const withdraw = (user: string) => asUser(user, (sql) => sql`select commands.withdraw_my_account()`);

const rowOf = async (id: string) => (await sql`select * from public.user_subscriptions where id = ${id}`)[0]!;

/** Premium of users follows from their rows, and no other user has it. */
async function assertPremiumFollows(users: readonly string[]): Promise<void> {
  const wrong = await sql`
    select u.id, u.premium_ends_at, p.ends_at from public.app_users u
    left join (select s.user_id, max(s.access_ends_at) as ends_at from public.user_subscriptions s group by s.user_id) p
      on p.user_id = u.id
    where u.id = any (${users as string[]}) and u.premium_ends_at is distinct from p.ends_at`;
  assert.deepEqual([...wrong], []);
}

/** A rejection for another reason is not a failure of a race. */
function assertOnlyError(results: readonly PromiseSettledResult<unknown>[]): void {
  for (const result of results) {
    if (result.status === "rejected") assert.equal(result.reason.code, "PGRST", result.reason);
  }
}

Deno.test("verify: a hundred requests with one receipt at once make one row, one event, and one is_new", async () => {
  const user = await newUser(sql);
  const statement = aStatement(plan);
  const claimed = await Promise.all(Array.from({ length: 100 }, () => verify(statement, user)));
  assert.equal(claimed.filter(({ is_new }) => is_new).length, 1);
  assert.equal(new Set(claimed.map(({ id }) => id)).size, 1);
  const events = await sql`select from public.store_events where subscription_id = ${claimed[0]!.id}`;
  assert.equal(events.length, 1);
  assert.equal((await rowOf(claimed[0]!.id))["user_id"], user);
  const notifications =
    await sql`select from public.user_notifications where user_id = ${user} and type = 'subscription'`;
  assert.equal(notifications.length, 1);
  await assertPremiumFollows([user]);
});

Deno.test(`verify: of two accounts that restore at once one has the subscription, ${ROUNDS} times`, async () => {
  const users = [await newUser(sql), await newUser(sql)] as const;
  for (let round = 0; round < ROUNDS; round++) {
    const statement = aStatement(plan);
    const claimed = await Promise.all(users.map((user) => verify(statement, user)));
    assert.equal(claimed.filter(({ is_new }) => is_new).length, 1);
    assert.ok(users.includes((await rowOf(claimed[0]!.id))["user_id"]));
    await assertPremiumFollows(users);
  }
});

Deno.test(`verify: two accounts that restore each other's subscription do not deadlock, ${ROUNDS} times`, async () => {
  const users = [await newUser(sql), await newUser(sql)] as const;
  const statements = [aStatement(plan), aStatement(plan)] as const;
  let [first, second] = [0, 1];
  for (const [nth, statement] of statements.entries()) await verify(statement, users[nth]!);
  for (let round = 0; round < ROUNDS; round++) {
    [first, second] = [second, first];
    const [one, other] = await Promise.all([
      verify(statements[0], users[first]!),
      verify(statements[1], users[second]!),
    ]);
    assert.deepEqual([(await rowOf(one.id))["user_id"], (await rowOf(other.id))["user_id"]], [
      users[first],
      users[second],
    ]);
    await assertPremiumFollows(users);
  }
});

Deno.test(`verify: a purchase and the one that takes its place, both new and at once, are found together, ${ROUNDS} times`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const users = [await newUser(sql), await newUser(sql)] as const;
    const former = aStatement(plan, { store: "android_store" });
    const next = aStatement(plan, { store: "android_store", supersedes: former.subscription_key });
    const last = aStatement(plan, { store: "android_store", supersedes: next.subscription_key });
    const [{ id }, nextId, lastId] = await Promise.all([
      verify(former, users[0]),
      record(many, next, null, "notification"),
      record(many, last, null, "notification"),
      verify(former, users[1]),
    ]);
    const rows = [await rowOf(id), await rowOf(nextId), await rowOf(lastId)];
    assert.deepEqual(rows.map(({ status }) => status), ["expired", "expired", "active"]);
    assert.ok(rows.every(({ user_id }) => users.includes(user_id)), JSON.stringify(rows.map(({ user_id }) => user_id)));
    assert.equal(rows[1]!["user_id"], rows[2]!["user_id"]);
    await assertPremiumFollows(users);
  }
});

Deno.test(`withdraw: during a renewal and a restore a withdrawn user keeps no subscription or premium, ${ROUNDS} times`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const [owner, other] = [await newUser(sql), await newUser(sql)];
    const statement = aStatement(plan);
    const { id } = await verify(statement, owner);
    const renewal = {
      ...statement,
      type: "DID_RENEW",
      event_id: crypto.randomUUID(),
      occurred_at: later(statement.occurred_at, 1000),
      facts: { ...statement.facts, access_ends_at: later(statement.facts.access_ends_at!, 86_400_000) },
    };
    const results = await Promise.allSettled([
      withdraw(owner),
      record(many, renewal, null, "notification"),
      round % 2 === 0 ? verify(statement, other) : verify(statement, owner),
    ]);
    assertOnlyError(results);
    assert.equal(results[0]!.status, "fulfilled");
    assert.equal(results[1]!.status, "fulfilled");
    const row = await rowOf(id);
    assert.equal(row["user_id"], round % 2 === 0 ? other : null);
    assert.equal(row["access_ends_at"].toISOString(), renewal.facts.access_ends_at);
    await assertPremiumFollows([owner, other]);
  }
});

Deno.test(`admin_revoke_subscription: with concurrent renewals and another administrator it is revoked once, ${ROUNDS} times`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const user = await newUser(sql);
    const statement = aStatement(plan);
    const { id } = await verify(statement, user);
    const renewals = [1, 2, 3].map((nth) => ({
      ...statement,
      type: "DID_RENEW",
      event_id: crypto.randomUUID(),
      occurred_at: later(statement.occurred_at, nth * 1000),
    }));
    const revoke = () => many`select api.admin_revoke_subscription(${administrator}, ${id}, 'Fraud')`;
    const results = await Promise.allSettled([
      revoke(),
      ...renewals.map((renewal) => record(many, renewal, null, "notification")),
      revoke(),
    ]);
    assertOnlyError(results);
    assert.equal(results.filter(({ status }) => status === "rejected").length, 1);
    const row = await rowOf(id);
    assert.equal(row["status"], "revoked");
    assert.ok(row["access_ends_at"] <= new Date());
    await assertPremiumFollows([user]);
  }
});

Deno.test("subscriptions: all operations at once on a few accounts and purchases ends without a deadlock, premium right", async () => {
  const users = await Promise.all(Array.from({ length: 4 }, () => newUser(sql)));
  const first = aStatement(plan, { store: "android_store" });
  const second = aStatement(plan, { store: "android_store", supersedes: first.subscription_key });
  const third = aStatement(plan, { store: "android_store", supersedes: second.subscription_key });
  const statements = [first, second, third, aStatement(plan), aStatement(plan)];
  const results = await Promise.allSettled(Array.from({ length: 400 }, (_, nth) => {
    const statement = statements[nth % statements.length]!;
    const user = users[(nth * 7 + Math.floor(nth / 11)) % users.length]!;
    if (nth % 3 === 0) {
      const again = {
        ...statement,
        event_id: crypto.randomUUID(),
        type: "N",
        occurred_at: later(statement.occurred_at, nth),
      };
      return record(many, again, null, "notification");
    }
    return verify(statement, user);
  }));
  assertOnlyError(results);
  await assertPremiumFollows(users);
});

Deno.test.afterAll(async () => {
  await many.end();
  await db.close();
});
