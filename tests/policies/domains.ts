// Every domain whose tables are tested actor by actor. A table that is in none of them fails the matrix.
import { accounts } from "./accounts.ts";
import { adminNotifications } from "./admin_notifications.ts";
import { activity } from "./activity.ts";
import { adminActivity } from "./admin_activity.ts";
import { driver } from "./driver.ts";
import { fieldValues } from "./field_values.ts";
import { lots } from "./lots.ts";
import { ratingsAndSavedLots } from "./ratings_and_saved_lots.ts";
import { occupancy } from "./occupancy.ts";
import { published } from "./published.ts";
import { reference } from "./reference.ts";
import { reports } from "./reports.ts";
import { reviews } from "./reviews.ts";
import { rewards } from "./rewards.ts";
import type { Domain } from "./rules.ts";
import { sessions } from "./sessions.ts";
import { sponsors } from "./sponsors.ts";
import { storeSync } from "./store_sync.ts";
import { subscriptions } from "./subscriptions.ts";
import { themes } from "./themes.ts";

export const domains: readonly Domain[] = [
  accounts,
  reference,
  lots,
  reviews,
  ratingsAndSavedLots,
  fieldValues,
  occupancy,
  activity,
  sessions,
  driver,
  reports,
  published,
  themes,
  sponsors,
  rewards,
  adminNotifications,
  adminActivity,
  subscriptions,
  storeSync,
];
