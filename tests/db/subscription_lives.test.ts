// Random lives of subscriptions in both stores: with their statements in any order, repeated and late,
// each row and its user's premium are what a naive ledger says.
import assert from "node:assert/strict";
import type { StoreStatement } from "../../supabase/functions/_shared/providers/store.ts";
import { HOUR_MS, randomLife } from "../oracles/subscription_lives.ts";
import { type Act, naiveSubscription, NaiveUsers, type SubscriptionState } from "../oracles/subscriptions.ts";
import { database } from "../support/database.ts";
import { type Chance, chance as chanceOf } from "../support/random.ts";
import { newUser } from "../support/rows.ts";
import { aPlan } from "./support/subscriptions.ts";
import { seed, volume } from "../support/sizes.ts";

const LIVES = volume("SUBSCRIPTION_LIVES", 30, 400);
const SEED = seed("SUBSCRIPTION_SEED", 20260901);
const AT_ONCE = 4;
const BATCH = 100;

const db = await database();
const { sql } = db;
const chance = chanceOf(SEED);
const plans = [await aPlan(sql), await aPlan(sql), await aPlan(sql)];
const planIds = new Map<string, string>();
for (const { id, code } of await sql`select id, code from public.subscription_plans`) planIds.set(id, code);
const administrator = crypto.randomUUID();
await sql`
  insert into auth.users (id, email, raw_app_meta_data)
  values (${administrator}, 'a@example.test', ${
  sql.json({ admin: { name: "A", areas: ["users"], status: "active" } })
})`;

// The events of a life, in one transaction. An event whose product is not a plan before its subscription is known is
// rejected, and delivered again at the end.
await sql.unsafe(`
  create function public.apply_life(p_steps jsonb, p_admin_id uuid) returns jsonb language plpgsql as $$
  declare
    v_step jsonb;
    v_again jsonb := '[]';
    v_refused jsonb := '[]';
    v_id uuid;
  begin
    for v_step in select s from jsonb_array_elements(p_steps) s loop
      begin
        if v_step ? 'statement' then
          v_id := (api.record_store_statement(v_step -> 'statement', v_step ->> 'source', (v_step ->> 'user')::uuid) ->> 'subscription_id')::uuid;
        else
          select id into strict v_id from public.user_subscriptions where subscription_key = v_step ->> 'key';
        end if;
        if v_step ->> 'act' = 'claim' then
          perform set_config('request.jwt.claims', jsonb_build_object('sub', v_step -> 'user')::text, true);
          perform commands.claim_subscription(v_id);
        elsif v_step ->> 'act' = 'REVOKED' then
          perform api.admin_revoke_subscription(p_admin_id, v_id, 'r');
        elsif v_step ->> 'act' = 'REINSTATED' then
          perform api.admin_reinstate_subscription(p_admin_id, v_id, 'r');
        end if;
      exception when sqlstate 'PGRST' then
        if sqlerrm::jsonb ->> 'code' = 'validation_error' then
          v_again := v_again || jsonb_build_array(v_step);
        else
          v_refused := v_refused || jsonb_build_array(sqlerrm::jsonb ->> 'code');
        end if;
      end;
    end loop;
    for v_step in select s from jsonb_array_elements(v_again) s loop
      perform api.record_store_statement(v_step -> 'statement', v_step ->> 'source', (v_step ->> 'user')::uuid);
    end loop;
    return v_refused;
  end $$`);

type Step =
  | { readonly statement: StoreStatement; readonly source: string; readonly user?: string; readonly act?: "claim" }
  | { readonly key: string; readonly act: "REVOKED" | "REINSTATED" };

interface Life {
  readonly users: readonly string[];
  readonly named: string | null;
  readonly statements: readonly StoreStatement[];
  readonly steps: readonly Step[];
}

function shuffled<Item>(items: readonly Item[], { below }: Chance): Item[] {
  const all = [...items];
  for (let n = all.length - 1; n > 0; n--) {
    const other = below(n + 1);
    [all[n], all[other]] = [all[other]!, all[n]!];
  }
  return all;
}

async function aLife(): Promise<Life> {
  const users = [await newUser(sql), await newUser(sql)];
  const named = chance.below(4) === 0 ? users[0]! : null;
  const isApple = chance.below(2) === 0;
  const statements = await randomLife(chance, isApple, {
    now: Date.now(),
    products: plans,
    unknownProduct: `unknown.${plans[0]}`,
    accountToken: named,
  });
  const notifications = shuffled(
    statements.flatMap((statement) => Array(1 + (chance.below(4) === 0 ? 1 : 0)).fill(statement)),
    chance,
  );
  const steps: Step[] = notifications.map((statement) => ({ statement, source: sourceOf(statement) }));
  for (let claims = chance.below(4); claims > 0 && statements.length > 0; claims--) {
    const statement = chance.pick(statements.filter(({ facts }) => plans.includes(facts.product_id)));
    const proof = isApple
      ? { kind: "signature", signed_at: new Date().toISOString() } as const
      : { kind: "purchase_token" } as const;
    steps.splice(chance.below(steps.length + 1), 0, {
      statement: { ...statement, proof },
      source: "verify",
      user: chance.pick(users),
      act: "claim",
    });
  }
  const acts = chance.below(6) === 0 ? 1 + chance.below(3) : 0;
  const key = statements.length > 0 ? chance.pick(statements).subscription_key : "";
  const known = steps.findIndex((step) =>
    "statement" in step && step.statement.subscription_key === key && plans.includes(step.statement.facts.product_id)
  );
  let at = known;
  for (let nth = 0; nth < acts; nth++) {
    at += 1 + chance.below(steps.length - at);
    steps.splice(at, 0, { key, act: nth % 2 === 0 ? "REVOKED" : "REINSTATED" });
  }
  return { users, named, statements, steps };
}

function sourceOf({ type }: StoreStatement): string {
  return type === null ? chance.pick(["verify", "refresh", "reconciliation"]) : "notification";
}

interface Row extends SubscriptionState {
  readonly id: string;
  readonly user: string | null;
}

async function rowsOf(statements: readonly StoreStatement[]): Promise<Map<string, Row>> {
  const keys = [...new Set(statements.map(({ subscription_key }) => subscription_key))];
  const rows = await sql`
    select *, coalesce(extract(epoch from access_ends_at) * 1000, null)::text as access_end
    from public.user_subscriptions where subscription_key = any (${keys})`;
  const at = (time: Date | null) => time === null ? null : time.getTime();
  return new Map(rows.map((row) => [row["subscription_key"], {
    id: row["id"],
    user: row["user_id"],
    status: row["status"],
    product: planIds.get(row["plan_id"]) ?? null,
    started: row["started_at"].getTime(),
    ended: at(row["ended_at"]),
    bought: row["original_purchase_date"].getTime(),
    accessEnd: row["access_end"] === null ? null : Math.floor(Number(row["access_end"])),
    autoRenews: row["auto_renewing"],
    autoRenewStatus: row["auto_renew_status"],
    nextBilling: at(row["next_billing_date"]),
    isTrial: row["is_trial_period"],
    needsAcknowledgement: row["needs_acknowledgement"],
  }]));
}

const actsOf = async (id: string): Promise<Act[]> => [
  ...await sql<Act[]>`
    select type, floor(extract(epoch from occurred_at) * 1000)::float8 as at from public.store_events
    where subscription_id = ${id} and source = 'admin' order by occurred_at`,
];

interface Expected {
  readonly user: string;
  readonly ends: number | null;
}

/** Compares the rows of a life with the naive ledger; until when its users have premium. */
async function check(life: Life): Promise<Expected[]> {
  const { statements, steps, named, users } = life;
  const rows = await rowsOf(statements);
  const naive = new NaiveUsers(named);
  for (const step of steps) {
    if (!("statement" in step)) continue;
    const { statement, user = null } = step;
    if (!rows.has(statement.subscription_key)) continue;
    const isKnown = naive.users.has(statement.subscription_key) || plans.includes(statement.facts.product_id);
    if (!isKnown) continue;
    naive.record(statement, user);
    if (user !== null) naive.claim(statement.subscription_key, user);
  }
  for (const step of steps) if ("statement" in step) naive.record(step.statement, null);
  const ends = new Map<string, number | null>(users.map((user) => [user, null]));
  for (const [key, row] of rows) {
    const { id, user, ...found } = row;
    const expected = naiveSubscription(statements, key, plans, await actsOf(id));
    const story = () =>
      JSON.stringify(
        {
          seed: SEED,
          key,
          steps: steps.map((step) =>
            "statement" in step
              ? [step.statement.occurred_at, step.statement.type, step.statement.facts, step.user, step.act]
              : step
          ),
        },
        null,
        1,
      );
    assert.deepEqual(found, expected, story());
    assert.equal(user, naive.users.get(key), story());
    if (user !== null && found.accessEnd !== null) {
      ends.set(user, Math.max(ends.get(user) ?? -Infinity, found.accessEnd));
    }
  }
  return [...ends].map(([user, ends]) => ({ user, ends }));
}

/** Who has premium when as much time has passed as is said for each: the rows are moved into the past. */
async function premiumAt(args: readonly { readonly user_id: string; readonly after: number }[]): Promise<boolean[]> {
  const result: boolean[] = [];
  await sql.begin(async (transaction) => {
    await transaction`alter table public.app_users disable trigger user`;
    await transaction`
      update public.app_users u set premium_ends_at = u.premium_ends_at - make_interval(secs => a.after / 1000.0)
      from jsonb_to_recordset(${
      transaction.json(args as never)
    }) as a (user_id uuid, after float8) where u.id = a.user_id`;
    const rows = await transaction`
      select private.is_premium((a.one ->> 'user_id')::uuid) as is_premium
      from jsonb_array_elements(${transaction.json(args as never)}) with ordinality as a (one, nth) order by a.nth`;
    result.push(...rows.map(({ is_premium }) => is_premium));
    throw new RolledBack();
  }).catch((error) => {
    if (!(error instanceof RolledBack)) throw error;
  });
  return result;
}

class RolledBack extends Error {}

Deno.test(`subscriptions: ${LIVES} random lives end as in the naive ledger, with statements in any order`, async () => {
  const seen = new Set<string>();
  for (let done = 0; done < LIVES; done += BATCH) {
    const lives: Life[] = [];
    for (let nth = done; nth < Math.min(LIVES, done + BATCH); nth++) lives.push(await aLife());
    const pending = [...lives];
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      for (let life = pending.shift(); life; life = pending.shift()) {
        const [{ refused: rejection }] = await sql`
          select public.apply_life(${sql.json(life.steps as never)}, ${administrator}) as refused` as unknown as [
          { refused: string[] },
        ];
        // An account that the purchase does not name does not get it.
        const strangers = life.steps.filter((step) =>
          "user" in step && life.named !== null && step.user !== life.named
        );
        assert.deepEqual(rejection, strangers.map(() => "conflict"));
      }
    }));
    const expected: Expected[] = [];
    for (const life of lives) {
      expected.push(...await check(life));
      for (const { status } of (await rowsOf(life.statements)).values()) seen.add(status);
    }
    const now = Date.now();
    // Now, and an hour and five seconds before and after each end.
    for (const offset of [null, -HOUR_MS, -5000, 5000, HOUR_MS]) {
      const args = expected.map(({ user, ends }) => ({
        user_id: user,
        after: offset === null || ends === null ? 0 : ends - now + offset,
      }));
      const wanted = expected.map(({ ends }, nth) => ends !== null && ends > now + args[nth]!.after);
      assert.deepEqual(await premiumAt(args), wanted);
    }
  }
  if (LIVES >= 100) {
    const statuses = ["active", "expired", "grace", "on_hold", "paused", "revoked"];
    assert.deepEqual(statuses.filter((status) => !seen.has(status)), []);
  }
});

Deno.test.afterAll(() => db.close());
