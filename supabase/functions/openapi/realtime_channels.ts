/** The channels of Realtime: their topics, subscriptions and rows. asyncapi.json is generated from them. */
import { z } from "zod";
import { Id, Timestamp } from "../_shared/schema/values.ts";
import { UserActivity } from "../admin/user_activity_logs.schema.ts";

export type ChangeEvent = "INSERT" | "UPDATE" | "DELETE";

export interface RealtimeChannel {
  /** Name of the channel in asyncapi.json. */
  readonly name: string;
  /** The topic without the prefix `realtime:`. */
  readonly topic: string;
  readonly table: string;
  /** The event of the subscription. */
  readonly event: "*" | "INSERT";
  /** The changes that arrive. A filter on `user_id` never passes a delete. */
  readonly events: readonly ChangeEvent[];
  readonly filter?: string;
  readonly receiver: string;
  /** The columns that subscribers may read. Optional columns can be missing in a change. */
  readonly row: z.ZodObject;
  readonly key: readonly string[];
}

/** A value that can be longer than 64 bytes. */
const long = <T extends z.ZodType>(schema: T) => schema.optional();
const json = z.record(z.string(), z.unknown());
const complete = "Columns that are not required are missing if an UPDATE did not change their large value, or if " +
  "`errors` is not null.";

const UserNotificationRow = z.object({
  id: Id,
  user_id: Id.nullable(),
  type: z.string(),
  title: long(z.string()),
  body: long(z.string()),
  target: z.enum(["all", "user", "free", "premium"]),
  status: z.enum(["draft", "scheduled", "sending", "sent", "failed", "cancelled"]),
  is_in_app: z.boolean(),
  scheduled_at: Timestamp.nullable(),
  sent_at: Timestamp.nullable(),
  read_at: Timestamp.nullable(),
  title_en: long(z.string().nullable()),
  body_en: long(z.string().nullable()),
  data: long(json),
  segment: long(json.nullable()),
  is_composed: z.boolean(),
  composed_id: Id.nullable(),
  success_count: z.int(),
  failure_count: z.int(),
  suppressed_count: z.int(),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "UserNotificationRow", description: complete });

const ParkingSessionRow = z.object({
  id: Id,
  user_id: Id.nullable(),
  parking_lot_id: Id,
  status: z.enum(["parking", "ended", "cancelled"]),
  vehicle_id: Id.nullable(),
  vehicle_type: z.string(),
  started_at: Timestamp,
  ended_at: Timestamp.nullable(),
  total_amount_minor: z.int().nullable(),
  currency: z.string().nullable(),
  breakdown: long(json.nullable()),
  price_list_id: Id.nullable(),
  memo: long(z.string().nullable()),
  personal_rating: long(z.string().nullable()),
  start_lat: z.number().nullable(),
  start_lng: z.number().nullable(),
  client_request_id: Id.nullable(),
  finalize_request_id: Id.nullable(),
  created_at: Timestamp,
  is_start_reported: z.boolean(),
}).meta({ id: "ParkingSessionRow", description: complete });

const UserBadgeRow = z.object({
  id: Id,
  user_id: Id,
  badge_id: Id,
  earned_at: Timestamp,
}).meta({ id: "UserBadgeRow" });

const UserActivityLogRow = UserActivity.extend({ metadata: long(json) })
  .meta({ id: "UserActivityLogRow", description: complete });

const AdminNotificationRow = z.object({
  id: Id,
  type: z.enum(["notice", "review_pending", "error_report", "support_ticket"]),
  severity: z.enum(["info", "warning", "critical"]),
  title: long(z.string()),
  body: long(z.string()),
  link: long(z.string().nullable()),
  area: z.string().nullable(),
  admin_id: Id.nullable(),
  read_by: long(z.array(Id)),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "AdminNotificationRow", description: complete });

const USER_FILTER = "user_id=eq.{uid}";

export const channels: readonly RealtimeChannel[] = [
  {
    name: "userNotifications",
    topic: `user_notifications:${USER_FILTER}`,
    table: "user_notifications",
    event: "*",
    events: ["INSERT", "UPDATE"],
    filter: USER_FILTER,
    receiver: "a user: notifications of their inbox",
    row: UserNotificationRow,
    key: ["id", "status"],
  },
  {
    name: "parkingSessions",
    topic: `parking_sessions:${USER_FILTER}`,
    table: "parking_sessions",
    event: "*",
    events: ["INSERT", "UPDATE"],
    filter: USER_FILTER,
    receiver: "a user: their sessions, on each of their devices",
    row: ParkingSessionRow,
    key: ["id"],
  },
  {
    name: "userBadges",
    topic: `user_badges:${USER_FILTER}`,
    table: "user_badges",
    event: "INSERT",
    events: ["INSERT"],
    filter: USER_FILTER,
    receiver: "a user: badges that they earn",
    row: UserBadgeRow,
    key: ["id"],
  },
  {
    name: "liveUserActivity",
    topic: "live-user-activity",
    table: "user_activity_logs",
    event: "INSERT",
    events: ["INSERT"],
    receiver: "administrators with the area `users`: activities of all users",
    row: UserActivityLogRow,
    key: ["id"],
  },
  {
    name: "adminNotificationsSidebar",
    topic: "admin-notifications-sidebar",
    table: "admin_notifications",
    event: "*",
    events: ["INSERT", "UPDATE", "DELETE"],
    receiver: "active administrators: notifications to them or to their areas",
    row: AdminNotificationRow,
    key: ["id"],
  },
];
