import { routesOf } from "../_shared/http/route.ts";
import * as account from "./account.ts";
import * as badges from "./badges.ts";
import * as errorReports from "./error_reports.ts";
import * as exp from "./exp.ts";
import * as notifications from "./notifications.ts";
import * as parkingSessions from "./parking_sessions.ts";
import * as pushTokens from "./push_tokens.ts";
import * as reviews from "./reviews.ts";
import * as savedParkingLots from "./saved_parking_lots.ts";
import * as searchPreferences from "./search_preferences.ts";
import * as searchPresets from "./search_presets.ts";
import * as sessionPhotos from "./session_photos.ts";
import * as subscription from "./subscription.ts";
import * as themes from "./themes.ts";
import * as vehicles from "./vehicles.ts";

export const routes = routesOf(
  account,
  badges,
  errorReports,
  exp,
  notifications,
  parkingSessions,
  pushTokens,
  reviews,
  savedParkingLots,
  searchPreferences,
  searchPresets,
  sessionPhotos,
  subscription,
  themes,
  vehicles,
);
