// Policies of subscriptions: users read their own and the store events of these; no client writes.
import { allBut, bySignedIn, type Domain } from "./rules.ts";

const id = (group: string, n: number) => `00000000-0000-4000-8000-00000000${group}${n}`;
const PLAN = id("180", 0);
const rowsOf = (group: string) => ({ owners: id(group, 1), strangers: id(group, 2), nobodys: id(group, 3) });
const SUBSCRIPTIONS = rowsOf("181");
const EVENTS = rowsOf("182");

const own = bySignedIn({ owner: ["owners"], stranger: ["strangers"], suspended: [], administrator: [] });

export const subscriptions: Domain = {
  async seed(sql, { owner, stranger }) {
    await sql`
      insert into public.subscription_plans (id, code, name, price_minor, billing_period)
      values (${PLAN}, 'policies.month', 'Plan', 480, 'month')`;
    for (const [name, user_id] of [["owners", owner], ["strangers", stranger], ["nobodys", null]] as const) {
      await sql`
        insert into public.user_subscriptions (
          id, user_id, plan_id, platform, environment, subscription_key, status, started_at, auto_renewing, is_trial_period,
          original_purchase_date
        ) values (
          ${SUBSCRIPTIONS[name]}, ${user_id}, ${PLAN}, 'ios', 'Sandbox', ${name}, 'expired', now(), false, false, now()
        )`;
      await sql`
        insert into public.store_events (id, store, event_id, subscription_id, source, type, occurred_at, confirmed_at)
        values (${EVENTS[name]}, 'ios_store', ${name}, ${SUBSCRIPTIONS[name]}, 'admin', 'REVOKED', now(), now())`;
    }
  },

  tables: [
    {
      table: "user_subscriptions",
      grants: {
        select: {
          authenticated: allBut(
            "subscription_key",
            "account_token",
            "supersedes",
            "superseded_at",
            "needs_acknowledgement",
            "acknowledged_at",
            "announced",
            "heard_at",
            "ask_at",
          ),
        },
      },
      key: "id::text",
      rows: () => SUBSCRIPTIONS,
      reads: own,
    },
    {
      table: "store_events",
      grants: {
        select: {
          authenticated: ["id", "store", "subscription_id", "source", "type", "subtype", "occurred_at", "status"],
        },
      },
      key: "id::text",
      rows: () => EVENTS,
      reads: own,
    },
  ],
};
