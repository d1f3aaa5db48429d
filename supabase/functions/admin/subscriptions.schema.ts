import { z } from "zod";
import { AdminSubscriptionListItem } from "./subscription_items.schema.ts";
import { AdminUserListItem, Reason, TotalIsExact } from "./users.schema.ts";
import { Cursor, IncludeTotal, Limit, NextCursor, Total } from "../_shared/schema/lists.ts";
import { Provider, SubscriptionStatus } from "../_shared/schema/subscriptions.ts";
import { Id, text, Timestamp } from "../_shared/schema/values.ts";

export const AdminSubscriptions = z.object({
  items: z.array(AdminSubscriptionListItem),
  next_cursor: NextCursor,
  total: Total,
  total_is_exact: TotalIsExact,
}).meta({ id: "AdminSubscriptions" });

export const AdminSubscription = AdminSubscriptionListItem.extend({
  user: AdminUserListItem.nullable().meta({ description: "Null: it is nobody's" }),
  store_status: SubscriptionStatus.meta({ description: "What the store said last" }),
  is_revoked_by_hand: z.boolean().meta({ description: "An administrator revoked it, and none has reinstated it" }),
  auto_renew_status: z.boolean().nullable().meta({ description: "Null: the store does not say" }),
  next_billing_date: Timestamp.nullable(),
  original_purchase_date: Timestamp,
  superseded_at: Timestamp.nullable().meta({ description: "When another purchase took its place" }),
  supersedes_id: Id.nullable().meta({ description: "The subscription whose place it took, where that is known" }),
  needs_acknowledgement: z.boolean().meta({
    description: "Google Play waits to be told that the purchase is stored, and refunds it after three days",
  }),
  acknowledged_at: Timestamp.nullable(),
  heard_at: Timestamp.meta({ description: "When the store last said something of it" }),
  ask_at: Timestamp.nullable().meta({ description: "When the store is asked next; null: not by itself" }),
}).meta({ id: "AdminSubscription" });

const AdminSubscriptionEvent = z.object({
  id: Id,
  event_id: z.string().meta({ description: "The store's id" }),
  source: z.enum(["verify", "refresh", "notification", "reconciliation", "admin"]),
  type: z.string().nullable().meta({
    description: "The store's word; `REVOKED` or `REINSTATED` by an administrator; null: an answer to a question",
  }),
  subtype: z.string().nullable(),
  status: SubscriptionStatus.nullable().meta({ description: "Null for an act of an administrator" }),
  occurred_at: Timestamp.meta({ description: "When it was said, by the store's clock" }),
  confirmed_at: Timestamp.meta({ description: "When the store last said the same again" }),
  received_at: Timestamp,
  facts: z.record(z.string(), z.unknown()).nullable().meta({
    description: "What was said, in the words of both stores; null for an act of an administrator",
  }),
  payload: z.record(z.string(), z.unknown()).meta({
    description: "What was decoded; for an act of an administrator `admin_id` and `reason`",
  }),
}).meta({ id: "AdminSubscriptionEvent" });

export const AdminSubscriptionEvents = z.object({
  items: z.array(AdminSubscriptionEvent),
  next_cursor: NextCursor,
  total: Total,
}).meta({ id: "AdminSubscriptionEvents" });

export const AdminSubscriptionsQuery = z.strictObject({
  status: SubscriptionStatus.optional().meta({ description: "The status that they have now" }),
  user_id: Id.optional(),
  external_subscription_id: text(1, 200).optional(),
  provider: Provider.optional(),
  plan_id: Id.optional(),
  limit: Limit,
  cursor: Cursor,
  include: IncludeTotal,
});

export const AdminSubscriptionParams = z.strictObject({ id: Id.meta({ description: "The subscription" }) });

export const AdminSubscriptionEventsQuery = z.strictObject({ limit: Limit, cursor: Cursor, include: IncludeTotal });

export const AdminSubscriptionReason = z.strictObject({ reason: Reason }).meta({ id: "AdminSubscriptionReason" });
