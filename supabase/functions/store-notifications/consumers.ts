import { route } from "../_shared/http/route.ts";
import { ProcessedNotifications, ReconciledSubscriptions } from "./store_notifications.schema.ts";
import { PROCESS_CALLS, processNotifications } from "./process.ts";
import { reconcile, RECONCILE_CALLS } from "./reconcile.ts";

export const processStoreNotifications = route({
  method: "POST",
  path: "/store-notifications/process",
  access: "service",
  isConsumer: true,
  summary: "Process the queue store-notifications",
  description:
    "For internal jobs, and called when a notification is stored. Ends when the queue is empty or after 45 " +
    "seconds. After a thousand notifications it calls the next consumer and ends. Several calls can run at the same time.",
  reply: [200, ProcessedNotifications],
  errors: [],
  calls: PROCESS_CALLS,
  uses: ["googlePlay"],
  handle: ({ db, googlePlay }) => processNotifications(db, googlePlay),
});

export const reconcileSubscriptions = route({
  method: "POST",
  path: "/store-notifications/reconcile",
  access: "service",
  isConsumer: true,
  summary: "Query the stores for subscriptions that are due",
  description:
    "For the internal job. The longest due subscriptions come first, with 20 requests per second and store. Ends " +
    "when no subscription is due or after 45 seconds. If a store is down, its subscriptions are skipped. Several " +
    "calls can run at the same time.",
  reply: [200, ReconciledSubscriptions],
  errors: [],
  calls: RECONCILE_CALLS,
  uses: ["appStore", "googlePlay"],
  handle: ({ db, appStore, googlePlay }) => reconcile(db, { ios: appStore, android: googlePlay }),
});
