import { z } from "zod";
import type { StoredFile } from "../_shared/storage/assets.ts";
import { AdminSubscriptionListItem } from "./subscription_items.schema.ts";
import { cappedPageOf, PageQuery } from "../_shared/schema/lists.ts";
import { Id, Instant, pathId, text, Timestamp } from "../_shared/schema/values.ts";

const Status = z.enum(["active", "suspended", "withdrawn"]);

export const AdminUserListItem = z.object({
  id: Id,
  email: z.string().nullable(),
  display_name: z.string().nullable(),
  status: Status,
  is_premium: z.boolean(),
  premium_ends_at: Timestamp.nullable().meta({
    description: "Null if the user never had premium. Null with `is_premium` for premium without an end.",
  }),
  created_at: Timestamp,
  last_sign_in_at: Timestamp.nullable(),
  updated_at: Timestamp,
}).meta({ id: "AdminUserListItem" });

export const AdminUsers = cappedPageOf(AdminUserListItem, "AdminUsers");

const Count = z.int().min(0);

export const AdminUser = AdminUserListItem.extend({
  avatar_url: z.url().nullable().meta({
    description: "URL of the avatar: public, or valid for ten minutes",
  }),
  allowed_statuses: z.array(Status).meta({ description: "Allowed next values of `status`" }),
  figures: z.object({
    total_exp: Count.meta({ description: "Experience points (EXP)" }),
    level: z.int().min(1),
    sessions: Count,
    reviews: Count,
    error_reports: Count,
    badges: Count,
    devices: Count.meta({ description: "Devices registered for push notifications" }),
    saved_parking_lots: Count,
  }),
  subscription: AdminSubscriptionListItem.nullable().meta({
    description: "The subscription that gives access longest, otherwise the latest one. Null if there is none.",
  }),
}).meta({ id: "AdminUser", description: "An app user, as administrators see it" });

/** An app user from the database, with the file of the avatar. */
export type StoredAdminUser = Omit<z.input<typeof AdminUser>, "avatar_url"> & { readonly avatar: StoredFile | null };

export const AdminUsersQuery = z.strictObject({
  email: text(3, 255).optional().meta({
    description: "Part of the e-mail address, with at least two consecutive letters or digits",
    examples: ["taro@"],
  }),
  display_name: text(2, 100).optional().meta({
    description: "Part of the display name. Case, width, kana and white space are ignored.",
    examples: ["田中"],
  }),
  status: Status.optional().meta({ description: "Only users with this status" }),
  premium: z.boolean().optional().meta({
    description: "`true`: only users with premium now. `false`: only users without.",
  }),
  ...PageQuery.shape,
});

export const AdminUserParams = z.strictObject({ id: pathId("AppUserId", "The app user") });

export const Reason = text(1, 500).meta({
  description: "Reason, kept in the activity log",
  examples: ["Repeated spam reviews"],
});

export const ActReason = z.strictObject({ reason: Reason }).meta({ id: "ActReason" });

export const AdminUserPremium = z.strictObject({
  until: Instant.nullable().meta({ description: "In the future and before 2100. Null removes premium." }),
  reason: Reason,
}).meta({ id: "AdminUserPremium" });
