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
  summary: "Take a notification of the App Store",
  description:
    "For the App Store (App Store Server Notifications V2). What its signatures confirm is stored, and answered before it " +
    "is processed. One that is not signed by Apple, or is of another app, is `iap_invalid`. One that was taken before has " +
    "no effect. When it cannot be stored the answer is 5xx, so that the App Store sends it again.",
  body: AppStoreNotification,
  bodyLimit: NOTIFICATION_LIMIT,
  limit: "store_notification",
  reply: [200, ReceivedNotification],
  errors: ["iap_invalid"],
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
  summary: "Take a notification of Google Play",
  description:
    "For Pub/Sub (real-time developer notifications, pushed with a bearer that Google signs). It is stored, and answered " +
    "before the purchase is read at Google Play. Without the bearer of the account that is configured it is " +
    "`unauthorized`. One of another app is ignored: it would be sent again for days. One that was taken before has no " +
    "effect. When it cannot be stored the answer is 5xx, so that Pub/Sub sends it again.",
  body: GooglePlayNotification,
  bodyLimit: NOTIFICATION_LIMIT,
  limit: "store_notification",
  reply: [200, ReceivedNotification],
  errors: ["unauthorized"],
  handle: async ({ authorization, body, googlePlay, service }): Promise<Received> => {
    const notification = await googlePlay.readNotification(authorization, body);
    if (notification.purchase_token === null) return { status: "ignored" };
    const id = `notification:${notification.message_id}`;
    return { status: await keepNotification(service, "android_store", id, notification) };
  },
});
