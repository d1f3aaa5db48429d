import { z } from "zod";
import { text } from "../_shared/schema/values.ts";

/** App Store notifications have about 20 KiB: three signed parts with their certificates. */
export const NOTIFICATION_LIMIT = 131_072;

export const AppStoreNotification = z.strictObject({
  signedPayload: text(1, NOTIFICATION_LIMIT).meta({ description: "App Store Server Notifications V2: a JWS" }),
}).meta({ id: "AppStoreNotification" });

export const GooglePlayNotification = z.strictObject({
  message: z.looseObject({
    data: text(1, 65_536).meta({ description: "A real-time developer notification: JSON, base64-encoded" }),
    messageId: text(1, 200),
  }),
  subscription: text(1, 500).optional(),
  deliveryAttempt: z.int().min(0).max(2_147_483_647).optional(),
}).meta({ id: "GooglePlayNotification", description: "A Pub/Sub push message" });

export const ReceivedNotification = z.object({
  status: z.enum(["stored", "known", "ignored"]).meta({
    description: "`known`: already stored. `ignored`: not about a purchase in this app.",
  }),
}).meta({ id: "ReceivedNotification" });

export const ProcessedNotifications = z.object({
  recorded: z.int().min(0),
  refused: z.int().min(0).meta({
    description: "Number of notifications that the store does not confirm, or that do not belong to a plan",
  }),
  later: z.int().min(0).meta({ description: "Number of notifications that are retried" }),
}).meta({ id: "ProcessedNotifications" });

export const ReconciledSubscriptions = z.object({
  recorded: z.int().min(0).meta({ description: "Number of subscriptions that the store responded for" }),
  acknowledged: z.int().min(0),
  refused: z.int().min(0).meta({
    description: "Number of subscriptions unknown to the store. They are retried in a day.",
  }),
  later: z.int().min(0).meta({
    description: "Number of subscriptions that are retried: failed ones in an hour, others in minutes",
  }),
}).meta({ id: "ReconciledSubscriptions" });
