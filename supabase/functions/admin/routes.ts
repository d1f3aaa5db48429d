import { routesOf } from "../_shared/http/route.ts";
import * as activityLogs from "./activity_logs.ts";
import * as admins from "./admins.ts";
import * as ads from "./ads.ts";
import * as articles from "./articles.ts";
import * as badges from "./badges.ts";
import * as codes from "./codes.ts";
import * as deadMessages from "./dead_messages.ts";
import * as errorReports from "./error_reports.ts";
import * as expRules from "./exp_rules.ts";
import * as fieldValues from "./field_values.ts";
import * as holidays from "./holidays.ts";
import * as jobs from "./jobs.ts";
import * as levels from "./levels.ts";
import * as notifications from "./notifications.ts";
import * as overview from "./overview.ts";
import * as parkingLotEngagement from "./parking_lot_engagement.ts";
import * as parkingLotImport from "./parking_lot_import.ts";
import * as parkingLots from "./parking_lots.ts";
import * as reviews from "./reviews.ts";
import * as sponsors from "./sponsors.ts";
import * as storeSync from "./store_sync.ts";
import * as subscriptionPlans from "./subscription_plans.ts";
import * as subscriptions from "./subscriptions.ts";
import * as supportTickets from "./support_tickets.ts";
import * as tags from "./tags.ts";
import * as tariffText from "./tariff_text.ts";
import * as themes from "./themes.ts";
import * as userActivityLogs from "./user_activity_logs.ts";
import * as userNotifications from "./user_notifications.ts";
import * as userSearchPresets from "./user_search_presets.ts";
import * as users from "./users.ts";

export const routes = routesOf(
  activityLogs,
  admins,
  ads,
  articles,
  badges,
  codes,
  deadMessages,
  errorReports,
  expRules,
  fieldValues,
  holidays,
  jobs,
  levels,
  notifications,
  overview,
  parkingLotEngagement,
  parkingLotImport,
  parkingLots,
  reviews,
  sponsors,
  storeSync,
  subscriptionPlans,
  subscriptions,
  supportTickets,
  tags,
  tariffText,
  themes,
  userActivityLogs,
  userNotifications,
  userSearchPresets,
  users,
);
