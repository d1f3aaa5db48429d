import type { components } from "./api.ts";
import { ApiError } from "./errors.ts";
import type { SupabaseLike } from "./session.ts";
import {
  type Feed,
  type Item,
  LIMIT,
  LiveError,
  type LiveHandlers,
  type LiveSubscription,
  subscribe,
  type Subscription,
} from "./subscription.ts";
import type { ParkingClient } from "./types.ts";

type Schemas = components["schemas"];

/** The newest notifications, and how many of the whole inbox are unread. */
export type Inbox = Schemas["UserNotifications"] & { unread_count: number };
/** The running session with its live meter, or null, and the newest sessions. */
export type Sessions = Schemas["ParkingSessions"] & { current: Schemas["CurrentParkingSession"] | null };
/** The newest badges. */
export type Badges = Schemas["MyBadges"];
/** The newest activities of all users. */
export type Activity = Schemas["UserActivities"];
/** The newest notifications to administrators, and how many of all are unread. */
export type Sidebar = Schemas["AdminNotifications"] & { unread_count: number };

/** The five channels. There is one subscription to each at a time: an app shares its state. */
export interface Live {
  inbox(handlers: LiveHandlers<Inbox>): LiveSubscription;
  sessions(handlers: LiveHandlers<Sessions>): LiveSubscription;
  badges(handlers: LiveHandlers<Badges>): LiveSubscription;
  /** For administrators. */
  activity(handlers: LiveHandlers<Activity>): LiveSubscription;
  /** For administrators. */
  sidebar(handlers: LiveHandlers<Sidebar>): LiveSubscription;
}

const from = (cursor: string | undefined) => ({ limit: LIMIT, ...(cursor === undefined ? {} : { cursor }) });
const unread = { include: ["unread_count" as const] };

const inbox: Feed<Inbox> = {
  table: "user_notifications",
  event: "*",
  read: async (client, cursor, signal) => {
    const query = { ...from(cursor), ...unread };
    return (await client.GET("/v1/me/notifications", { params: { query }, signal })).data as Inbox;
  },
};

const sessions: Feed<Sessions> = {
  table: "parking_sessions",
  event: "*",
  read: async (client, cursor, signal) => {
    const [current, { data }] = await Promise.all([
      client.GET("/v1/me/parking-sessions/current", { signal }).then((running) => running.data, nullIfNotFound),
      client.GET("/v1/me/parking-sessions", { params: { query: from(cursor) }, signal }),
    ]);
    return { ...data, current };
  },
};

const badges: Feed<Badges> = {
  table: "user_badges",
  event: "INSERT",
  read: async (client, cursor, signal) =>
    (await client.GET("/v1/me/badges", { params: { query: from(cursor) }, signal })).data,
};

const activity: Feed<Activity> = {
  table: "user_activity_logs",
  event: "INSERT",
  topic: "live-user-activity",
  read: async (client, cursor, signal) =>
    (await client.GET("/v1/admin/user-activity-logs", { params: { query: from(cursor) }, signal })).data,
};

const sidebar: Feed<Sidebar> = {
  table: "admin_notifications",
  event: "*",
  topic: "admin-notifications-sidebar",
  read: async (client, cursor, signal) => {
    const query = { ...from(cursor), ...unread };
    return (await client.GET("/v1/admin/notifications", { params: { query }, signal })).data as Sidebar;
  },
};

function nullIfNotFound(error: unknown): null {
  if (error instanceof ApiError && error.code === "not_found") return null;
  throw error;
}

/** `clientOf` makes a client whose requests have the token that the function returns. */
export function createLive(
  supabase: SupabaseLike | undefined,
  clientOf: (accessToken: () => Promise<string>) => ParkingClient,
): Live {
  const latest = new Map<string, Subscription>();
  const wrapper = <State extends { items: Item[] }>(feed: Feed<State>) => (handlers: LiveHandlers<State>) => {
    if (!supabase) throw new TypeError("client.live needs supabase-js: createParkingClient({ url, supabase }).");
    const before = latest.get(feed.table);
    // supabase-js has one channel for each topic. The next subscription waits until the one before has left it.
    const ready = before?.isOpen() ? Promise.reject(alreadySubscribed()) : before?.close();
    const subscription = subscribe(supabase, clientOf, feed, handlers, ready);
    if (!before?.isOpen()) latest.set(feed.table, subscription);
    return { close: subscription.close };
  };
  return {
    inbox: wrapper(inbox),
    sessions: wrapper(sessions),
    badges: wrapper(badges),
    activity: wrapper(activity),
    sidebar: wrapper(sidebar),
  };
}

const alreadySubscribed = () =>
  new LiveError(
    "already_subscribed",
    "The app has a subscription to this channel. Share its state, or close it first.",
  );
