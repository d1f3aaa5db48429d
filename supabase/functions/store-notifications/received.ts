import { z } from "zod";
import { route } from "../_shared/http/route.ts";
import {
  AppStoreNotification,
  GooglePlayNotification,
  NOTIFICATION_LIMIT,
  ReceivedNotification,
} from "./store_notifications.schema.ts";
import { keepNotification } from "./keep.ts";

type Received = z.input<typeof ReceivedNotification>;

export const receiveAppStoreNotification = route({
  method: "POST",
  path: "/store-notifications/app-store",
  access: "public",
  summary: "Receive an App Store notification",
  description:
    "Called by the App Store (App Store Server Notifications V2), without a token. `signedPayload` is signed by Apple: " +
    "the signatures are verified, and the notification is stored. It is processed after the response. Returns 400 `iap_invalid` if it is not signed by Apple or belongs " +
    "to another app. A repeated notification has no effect. If it cannot be stored, the response is 5xx, so that " +
    "the App Store sends it again.",
  body: AppStoreNotification,
  isWebhook: true,
  bodyLimit: NOTIFICATION_LIMIT,
  limit: "store_notification",
  reply: [200, ReceivedNotification],
  errors: ["iap_invalid"],
  calls: "receive_store_notification",
  uses: ["appStore"],
  handle: async ({ appStore, body, service }): Promise<Received> => {
    const statement = await appStore.readNotification(body.signedPayload);
    if (statement === null) return { status: "ignored" };
    return { status: await keepNotification(service, "ios_store", statement.event_id, statement) };
  },
});

export const receiveGooglePlayNotification = route({
  method: "POST",
  path: "/store-notifications/google-play",
  access: "public",
  summary: "Receive a Google Play notification",
  description:
    "Called by Pub/Sub of Google Play (real-time developer notifications). `Authorization` has a bearer token " +
    "that Google signs for the configured service account; it is verified. The " +
    "notification is stored, and the purchase is read from Google Play after the response. Returns 401 " +
    "`unauthorized` without the bearer token of the configured account. Notifications of another app are ignored, " +
    "because Pub/Sub would resend them for days. A repeated notification has no effect. If it cannot be stored, " +
    "the response is 5xx, so that Pub/Sub sends it again.",
  body: GooglePlayNotification,
  isWebhook: true,
  bodyLimit: NOTIFICATION_LIMIT,
  limit: "store_notification",
  reply: [200, ReceivedNotification],
  errors: ["unauthorized"],
  calls: "receive_store_notification",
  uses: ["googlePlay"],
  handle: async ({ authorization, body, googlePlay, service }): Promise<Received> => {
    const notification = await googlePlay.readNotification(authorization, body);
    if (notification.purchase_token === null) return { status: "ignored" };
    const id = `notification:${notification.message_id}`;
    return { status: await keepNotification(service, "android_store", id, notification) };
  },
});
