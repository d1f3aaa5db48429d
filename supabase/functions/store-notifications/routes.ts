import { processStoreNotifications, reconcileSubscriptions } from "./consumers.ts";
import { receiveAppStoreNotification, receiveGooglePlayNotification } from "./received.ts";

export const routes = [
  receiveAppStoreNotification,
  receiveGooglePlayNotification,
  processStoreNotifications,
  reconcileSubscriptions,
];
