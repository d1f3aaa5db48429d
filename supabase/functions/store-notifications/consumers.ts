import { route } from "../_shared/http/route.ts";
import { ProcessedNotifications, ReconciledSubscriptions } from "./store_notifications.schema.ts";
import { processNotifications } from "./process.ts";
import { reconcile } from "./reconcile.ts";

export const processStoreNotifications = route({
  method: "POST",
  path: "/store-notifications/process",
  access: "service",
  summary: "Record what waits in the queue store-notifications",
  description:
    "For the service's job, and called when a notification is stored. It ends when the queue is empty or after 45 " +
    "seconds; several may run at once.",
  reply: [200, ProcessedNotifications],
  errors: [],
  handle: ({ db, googlePlay }) => processNotifications(db, googlePlay),
});

export const reconcileSubscriptions = route({
  method: "POST",
  path: "/store-notifications/reconcile",
  access: "service",
  summary: "Ask the stores about subscriptions that are due",
  description:
    "For the service's job. Those first that are due longest, 20 a second in each store. It ends when nothing is due, " +
    "after 45 seconds, or for one store when that is down; several may run at once.",
  reply: [200, ReconciledSubscriptions],
  errors: [],
  handle: ({ db, appStore, googlePlay }) => reconcile(db, { ios: appStore, android: googlePlay }),
});
