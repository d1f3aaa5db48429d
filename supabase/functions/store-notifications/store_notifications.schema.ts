import { z } from "zod";
import { text } from "../_shared/schema/values.ts";

/** Those of the App Store have some 20 KiB: three signed parts with their certificates. */
export const NOTIFICATION_LIMIT = 131_072;

export const AppStoreNotification = z.strictObject({
  signedPayload: text(1, NOTIFICATION_LIMIT).meta({ description: "App Store Server Notifications V2: a JWS" }),
}).meta({ id: "AppStoreNotification" });

export const GooglePlayNotification = z.strictObject({
  message: z.looseObject({
    data: text(1, 65_536).meta({ description: "A real-time developer notification: JSON, in base64" }),
    messageId: text(1, 200),
  }),
  subscription: z.string().optional(),
  deliveryAttempt: z.int().optional(),
}).meta({ id: "GooglePlayNotification", description: "A push of Pub/Sub" });

export const ReceivedNotification = z.object({
  status: z.enum(["stored", "known", "ignored"]).meta({
    description: "`known`: it was stored before; `ignored`: it is about no purchase in this app",
  }),
}).meta({ id: "ReceivedNotification" });

export const ProcessedNotifications = z.object({
  recorded: z.int().min(0),
  refused: z.int().min(0).meta({ description: "Their store does not confirm them, or they are about no plan" }),
  later: z.int().min(0).meta({ description: "They are tried again" }),
}).meta({ id: "ProcessedNotifications" });

export const ReconciledSubscriptions = z.object({
  recorded: z.int().min(0).meta({ description: "Subscriptions whose store answered" }),
  acknowledged: z.int().min(0),
  refused: z.int().min(0).meta({ description: "Their store does not know them; they are asked about again in a day" }),
  later: z.int().min(0).meta({ description: "They are asked about again in an hour" }),
}).meta({ id: "ReconciledSubscriptions" });
