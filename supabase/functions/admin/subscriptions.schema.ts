import { z } from "zod";
import { AdminSubscriptionListItem } from "./subscription_items.schema.ts";
import { AdminUserListItem } from "./users.schema.ts";
import { cappedPageOf, pageOf, PageQuery } from "../_shared/schema/lists.ts";
import { Provider, SubscriptionStatus } from "../_shared/schema/subscriptions.ts";
import { Id, pathId, text, Timestamp } from "../_shared/schema/values.ts";

export const AdminSubscriptions = cappedPageOf(AdminSubscriptionListItem, "AdminSubscriptions");

export const AdminSubscription = AdminSubscriptionListItem.extend({
  user: AdminUserListItem.nullable().meta({ description: "Null if the subscription belongs to no app user" }),
  store_status: SubscriptionStatus.meta({ description: "The last state reported by the store" }),
  is_revoked_by_hand: z.boolean().meta({ description: "Revoked by an administrator and not reinstated" }),
  auto_renew_status: z.boolean().nullable().meta({ description: "Null if the store does not report it" }),
  next_billing_date: Timestamp.nullable(),
  original_purchase_date: Timestamp,
  superseded_at: Timestamp.nullable().meta({ description: "When another purchase replaced this one" }),
  supersedes_id: Id.nullable().meta({ description: "The subscription that this one replaced, if known" }),
  needs_acknowledgement: z.boolean().meta({
    description:
      "Whether the purchase still has to be acknowledged. Google Play refunds purchases that are not acknowledged " +
      "within three days.",
  }),
  acknowledged_at: Timestamp.nullable(),
  heard_at: Timestamp.meta({ description: "When the store last reported on this subscription" }),
  ask_at: Timestamp.nullable().meta({
    description: "When the store is queried next. Null if it is not queried automatically.",
  }),
}).meta({ id: "AdminSubscription" });

const AdminSubscriptionEvent = z.object({
  id: Id,
  event_id: z.string().meta({ description: "Id of the subscription in the store" }),
  source: z.enum(["verify", "refresh", "notification", "reconciliation", "admin"]),
  type: z.string().nullable().meta({
    description:
      "The store's event type. `REVOKED` or `REINSTATED` for an administrator's action. Null for the response to a " +
      "query.",
  }),
  subtype: z.string().nullable(),
  status: SubscriptionStatus.nullable().meta({ description: "Null for an administrator's action" }),
  occurred_at: Timestamp.meta({ description: "When the statement was made, by the store's clock" }),
  confirmed_at: Timestamp.meta({ description: "When the store last repeated this statement" }),
  received_at: Timestamp,
  facts: z.record(z.string(), z.unknown()).nullable().meta({
    description: "The statement, in a format common to both stores. Null for an administrator's action.",
  }),
  payload: z.record(z.string(), z.unknown()).meta({
    description: "The decoded data. For an administrator's action, `admin_id` and `reason`.",
  }),
}).meta({ id: "AdminSubscriptionEvent" });

export const AdminSubscriptionEvents = pageOf(AdminSubscriptionEvent, "AdminSubscriptionEvents");

export const AdminSubscriptionsQuery = z.strictObject({
  status: SubscriptionStatus.optional().meta({ description: "Only subscriptions with this current status" }),
  user_id: Id.optional().meta({ description: "Only subscriptions of this app user" }),
  external_subscription_id: text(1, 200).optional().meta({ description: "The subscription with this id in its store" }),
  provider: Provider.optional().meta({ description: "Only subscriptions bought in this store" }),
  plan_id: Id.optional().meta({ description: "Only subscriptions to this plan" }),
  ...PageQuery.shape,
});

export const AdminSubscriptionParams = z.strictObject({ id: pathId("SubscriptionId", "The subscription") });
