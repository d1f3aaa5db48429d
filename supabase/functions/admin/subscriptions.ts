import { route } from "../_shared/http/route.ts";
import type { KnownSubscription, StoreName } from "../_shared/providers/store.ts";
import { acknowledgeIfNeeded } from "../_shared/purchases.ts";
import {
  AdminSubscription,
  AdminSubscriptionEvents,
  AdminSubscriptionEventsQuery,
  AdminSubscriptionParams,
  AdminSubscriptionReason,
  AdminSubscriptions,
  AdminSubscriptionsQuery,
} from "./subscriptions.schema.ts";

const NOT_ONES_OWN = "Not a subscription of the administrator's own: `forbidden`, with `details.reason` `own_account`.";

export const listSubscriptions = route({
  method: "GET",
  path: "/admin/subscriptions",
  access: "admin",
  area: "users",
  summary: "List and search subscriptions",
  description: "Newest first; all conditions must hold. `total` is counted up to 10,000.",
  query: AdminSubscriptionsQuery,
  reply: [200, AdminSubscriptions],
  errors: [],
  handle: ({ db, query }) => db.rpc("admin_list_subscriptions", query),
});

export const readSubscription = route({
  method: "GET",
  path: "/admin/subscriptions/{id}",
  access: "admin",
  area: "users",
  summary: "Read a subscription",
  params: AdminSubscriptionParams,
  reply: [200, AdminSubscription],
  errors: ["not_found"],
  isVersioned: true,
  handle: ({ db, params }) => db.rpc("admin_read_subscription", { id: params.id }),
});

export const listSubscriptionEvents = route({
  method: "GET",
  path: "/admin/subscriptions/{id}/events",
  access: "admin",
  area: "users",
  summary: "List what was said of a subscription",
  description: "The ledger, newest first: each statement of the store, and what administrators did.",
  params: AdminSubscriptionParams,
  query: AdminSubscriptionEventsQuery,
  reply: [200, AdminSubscriptionEvents],
  errors: ["not_found"],
  handle: ({ db, params, query }) => db.rpc("admin_list_subscription_events", { id: params.id, ...query }),
});

export const revokeSubscription = route({
  method: "POST",
  path: "/admin/subscriptions/{id}/revoke",
  access: "admin",
  area: "users",
  summary: "End the access that a subscription gives",
  description:
    "Until it is reinstated, whatever the store says; the store goes on charging. The user is notified. One " +
    `that is revoked by hand is \`conflict\` with \`details.reason\` \`already_revoked\`. ${NOT_ONES_OWN} ` +
    "Recorded as `subscription.revoke`.",
  params: AdminSubscriptionParams,
  body: AdminSubscriptionReason,
  reply: [200, AdminSubscription],
  errors: ["not_found", "conflict"],
  isVersioned: true,
  handle: ({ db, params, body, ifMatch }) =>
    db.rpc("admin_revoke_subscription", { id: params.id, ...body, if_match: ifMatch }),
});

export const reinstateSubscription = route({
  method: "POST",
  path: "/admin/subscriptions/{id}/reinstate",
  access: "admin",
  area: "users",
  summary: "Take back a revocation by hand",
  description: "The subscription is again what its store last said. One that no administrator has revoked is " +
    `\`conflict\` with \`details.reason\` \`not_revoked\`. ${NOT_ONES_OWN} Recorded as \`subscription.reinstate\`.`,
  params: AdminSubscriptionParams,
  body: AdminSubscriptionReason,
  reply: [200, AdminSubscription],
  errors: ["not_found", "conflict"],
  isVersioned: true,
  handle: ({ db, params, body, ifMatch }) =>
    db.rpc("admin_reinstate_subscription", { id: params.id, ...body, if_match: ifMatch }),
});

export const refreshSubscription = route({
  method: "POST",
  path: "/admin/subscriptions/{id}/refresh",
  access: "admin",
  area: "users",
  summary: "Ask the store about a subscription",
  description: "What it answers is in the ledger, and the subscription follows. A store that is down is " +
    "`service_unavailable` and changes nothing. Recorded as `subscription.refresh`.",
  params: AdminSubscriptionParams,
  reply: [200, AdminSubscription],
  errors: ["not_found", "conflict", "iap_invalid"],
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
