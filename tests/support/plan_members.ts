// Users who are the only recipients of a composed notification: the members of a plan that no other test has. (Levels are
// calculated again by other tests.)
import type { Sql, TransactionSql } from "postgres";

/** Gives these users a subscription to a new plan; the code of the plan. */
export async function newPlanOf(sql: Sql | TransactionSql, userIds: readonly string[]): Promise<string> {
  const code = `members.${crypto.randomUUID()}`;
  await sql`
    with plan as (
      insert into public.subscription_plans (code, name, price_minor, billing_period, is_active)
      values (${code}, 'Plan', 480, 'month', false) returning id)
    insert into public.user_subscriptions (
      user_id, plan_id, platform, environment, subscription_key, status, started_at, auto_renewing, is_trial_period,
      original_purchase_date, access_ends_at
    )
    select u, plan.id, 'ios', 'Sandbox', u::text, 'active', now(), true, false, now(), now() + interval '1 day'
    from plan, unnest(${userIds}::uuid[]) as u`;
  return code;
}
