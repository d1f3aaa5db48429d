import { route } from "../_shared/http/route.ts";
import type { KnownSubscription, StoreName } from "../_shared/providers/store.ts";
import { ACKNOWLEDGE_CALLS, acknowledgeIfNeeded } from "../_shared/purchases.ts";
import { PageQuery } from "../_shared/schema/lists.ts";
import {
  AdminSubscription,
  AdminSubscriptionEvents,
  AdminSubscriptionParams,
  AdminSubscriptions,
  AdminSubscriptionsQuery,
} from "./subscriptions.schema.ts";
import { ActReason } from "./users.schema.ts";

const NOT_OWN_SUBSCRIPTION =
  "An administrator cannot do this for their own subscription: 403 `forbidden` with `details.reason` `own_account`.";

export const listSubscriptions = route({
  method: "GET",
  path: "/admin/subscriptions",
  access: "admin",
  area: "users",
  summary: "List and search subscriptions",
  description: "Newest first. All given conditions must hold. `total` is counted up to 10,000.",
  query: AdminSubscriptionsQuery,
  reply: [200, AdminSubscriptions],
  errors: [],
  calls: "admin_list_subscriptions",
});

export const readSubscription = route({
  method: "GET",
  path: "/admin/subscriptions/{id}",
  access: "admin",
  area: "users",
  summary: "Get a subscription",
  params: AdminSubscriptionParams,
  reply: [200, AdminSubscription],
  errors: ["not_found"],
  isVersioned: true,
  calls: "admin_read_subscription",
});

export const listSubscriptionEvents = route({
  method: "GET",
  path: "/admin/subscriptions/{id}/events",
  access: "admin",
  area: "users",
  summary: "List the events of a subscription",
  description: "The ledger, newest first: all statements of the store, and all actions of administrators.",
  params: AdminSubscriptionParams,
  query: PageQuery,
  reply: [200, AdminSubscriptionEvents],
  errors: ["not_found"],
  calls: "admin_list_subscription_events",
});

export const revokeSubscription = route({
  method: "POST",
  path: "/admin/subscriptions/{id}/revoke",
  access: "admin",
  area: "users",
  summary: "Revoke a subscription",
  description:
    "Ends the access until the subscription is reinstated, regardless of later statements of the store. The store " +
    "continues to charge the user. The user is notified. Returns 409 `conflict` with `details.reason` " +
    `\`already_revoked\` if an administrator has already revoked it. ${NOT_OWN_SUBSCRIPTION} Recorded as ` +
    "`subscription.revoke`.",
  params: AdminSubscriptionParams,
  body: ActReason,
  reply: [200, AdminSubscription],
  errors: ["not_found", "conflict"],
  isVersioned: true,
  calls: "admin_revoke_subscription",
});

export const reinstateSubscription = route({
  method: "POST",
  path: "/admin/subscriptions/{id}/reinstate",
  access: "admin",
  area: "users",
  summary: "Reinstate a revoked subscription",
  description: "The subscription returns to the last state reported by its store. Returns 409 `conflict` with " +
    `\`details.reason\` \`not_revoked\` if no administrator has revoked it. ${NOT_OWN_SUBSCRIPTION} Recorded as ` +
    "`subscription.reinstate`.",
  params: AdminSubscriptionParams,
  body: ActReason,
  reply: [200, AdminSubscription],
  errors: ["not_found", "conflict"],
  isVersioned: true,
  calls: "admin_reinstate_subscription",
});

export const refreshSubscription = route({
  method: "POST",
  path: "/admin/subscriptions/{id}/refresh",
  access: "admin",
  area: "users",
  summary: "Refresh a subscription from its store",
  description: "The response of the store is added to the ledger and updates the subscription. Returns 503 " +
    "`service_unavailable` and changes nothing if the store is down. Recorded as `subscription.refresh`.",
  params: AdminSubscriptionParams,
  reply: [200, AdminSubscription],
  errors: ["not_found", "conflict", "iap_invalid"],
  calls: [
    "admin_read_known_subscription",
    "record_store_statement",
    "admin_refresh_subscription",
    ...ACKNOWLEDGE_CALLS,
  ],
  uses: ["appStore", "googlePlay"],
  handle: async ({ db, service, caller, params, appStore, googlePlay }) => {
    const { provider, ...known } = await service.rpc<KnownSubscription & { readonly provider: StoreName }>(
      "admin_read_known_subscription",
      { admin_id: caller.id, id: params.id },
    );
    const store = provider === "ios_store" ? appStore : googlePlay;
    const statement = await store.read(known);
    await service.rpc("record_store_statement", { statement, source: "refresh" });
    await acknowledgeIfNeeded(service, store, params.id, statement);
    return await db.rpc("admin_refresh_subscription", { id: params.id });
  },
});
