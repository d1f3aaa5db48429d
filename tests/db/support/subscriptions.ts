// Statements of the stores, as the service records them.
import type { Sql } from "postgres";
import type { StoreStatement, SubscriptionFacts } from "../../../supabase/functions/_shared/providers/store.ts";
import type { TestDatabase } from "../../support/database.ts";

/** The code of a new plan. */
export async function aPlan(sql: Sql): Promise<string> {
  const code = `plan.${crypto.randomUUID()}`;
  await sql`
    insert into public.subscription_plans (code, name, price_minor, billing_period) values (${code}, 'プラン', 480, 'month')`;
  return code;
}

const DAY_MS = 86_400_000;
const daysFromNow = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

/** What the App Store says of a subscription that was bought a day ago and runs for a month, with changes. */
export function aStatement(plan: string, changes: Partial<StoreStatement> = {}): StoreStatement {
  const bought = daysFromNow(-1);
  const facts: SubscriptionFacts = {
    status: "active",
    product_id: plan,
    environment: "Production",
    external_subscription_id: "1000",
    started_at: bought,
    original_purchase_date: bought,
    expires_at: daysFromNow(29),
    access_ends_at: daysFromNow(29),
    auto_renew_status: true,
    auto_renewing: true,
    next_billing_date: daysFromNow(29),
    is_trial_period: false,
    account_token: null,
  };
  return {
    store: "ios_store",
    subscription_key: crypto.randomUUID(),
    event_id: crypto.randomUUID(),
    type: null,
    subtype: null,
    occurred_at: bought,
    payload: {},
    receipt_hash: null,
    purchase_token: null,
    supersedes: null,
    needs_acknowledgement: false,
    proof: changes.store === "android_store"
      ? { kind: "purchase_token" }
      : { kind: "signature", signed_at: new Date().toISOString() },
    limited_to: null,
    ...changes,
    facts: { ...facts, ...changes.facts },
  };
}

/** Records a statement as the service; the id of the subscription. */
export async function record(sql: Sql, statement: StoreStatement, user?: string, source = "verify"): Promise<string> {
  const [row] = await sql`
    select api.record_store_statement(${sql.json(statement as never)}, ${source}, ${
    user ?? null
  }) ->> 'subscription_id' as id`;
  return row!["id"];
}

export interface Claimed {
  readonly is_new: boolean;
  readonly subscription: { readonly id: string; readonly status: string; readonly [field: string]: unknown };
}

export function claim(db: TestDatabase, user: string, id: string): Promise<Claimed> {
  return db.as({ role: "authenticated", sub: user }, async (sql) => {
    const [row] = await sql`select commands.claim_subscription(${id}) as claimed`;
    return row!["claimed"];
  });
}

export async function premiumOf(sql: Sql, user: string): Promise<Date | null> {
  const [row] = await sql`select premium_ends_at from public.app_users where id = ${user}`;
  return row!["premium_ends_at"];
}
