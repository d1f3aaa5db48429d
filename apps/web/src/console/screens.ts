/** The screens of the console, in the order of the navigation. */
import type { ComponentType } from "preact";
import type { PageProps } from "../page.ts";
import { consoleTexts } from "../texts/console.ts";
import type { Area } from "./kit/access.ts";
import { ActivityLogsScreen } from "./screens/activity_logs.tsx";
import { ErrorReportsScreen } from "./screens/error_reports/error_reports_screen.tsx";
import { FieldValuesScreen } from "./screens/field_values.tsx";
import { AdministratorsScreen } from "./screens/administrators.tsx";
import { DeadMessagesScreen } from "./screens/dead_messages.tsx";
import { HealthScreen } from "./screens/health/health_screen.tsx";
import { JobsScreen } from "./screens/jobs.tsx";
import { OverviewScreen } from "./screens/overview/overview_screen.tsx";
import { ParkingLotsScreen } from "./screens/parking_lots/parking_lots_screen.tsx";
import { ReferenceScreen } from "./screens/reference/reference_screen.tsx";
import { ReviewsScreen } from "./screens/reviews/reviews_screen.tsx";
import { SearchPresetsScreen } from "./screens/search_presets/search_presets_screen.tsx";
import { StoreSyncScreen } from "./screens/store_sync/store_sync_screen.tsx";
import { SubscriptionsScreen } from "./screens/subscriptions/subscriptions_screen.tsx";
import { TicketsScreen } from "./screens/tickets/tickets_screen.tsx";
import { UserNotificationsScreen } from "./screens/user_notifications/user_notifications_screen.tsx";
import { UsersScreen } from "./screens/users/users_screen.tsx";

export const names = consoleTexts(({ screens }) => screens);

export interface Screen {
  /** The part of the path after `/console/`: mostly the API's. */
  readonly path: keyof typeof names.value;
  /** Who may see it: administrators with one of these areas, or all. */
  readonly areas?: readonly Area[];
  readonly component: ComponentType<PageProps>;
}

export const SCREENS: readonly Screen[] = [
  { path: "overview", component: OverviewScreen },
  { path: "reviews", areas: ["reviews"], component: ReviewsScreen },
  { path: "error-reports", areas: ["lots"], component: ErrorReportsScreen },
  { path: "field-values", areas: ["lots"], component: FieldValuesScreen },
  { path: "support-tickets", areas: ["support"], component: TicketsScreen },
  { path: "parking-lots", areas: ["lots"], component: ParkingLotsScreen },
  { path: "users", areas: ["users"], component: UsersScreen },
  { path: "subscriptions", areas: ["users"], component: SubscriptionsScreen },
  { path: "user-search-presets", areas: ["search_presets"], component: SearchPresetsScreen },
  { path: "user-notifications", areas: ["notifications"], component: UserNotificationsScreen },
  { path: "reference", areas: ["content", "rewards"], component: ReferenceScreen },
  { path: "store-sync", areas: ["store_sync"], component: StoreSyncScreen },
  { path: "health", component: HealthScreen },
  { path: "jobs", component: JobsScreen },
  { path: "dead-messages", component: DeadMessagesScreen },
  { path: "admins", areas: ["admins"], component: AdministratorsScreen },
  { path: "activity-logs", component: ActivityLogsScreen },
];

/** The groups of the navigation, each with the first of its screens; the next group begins after its last. */
export const GROUPS = [
  ["today", "overview"],
  ["lots", "parking-lots"],
  ["people", "users"],
  ["content", "reference"],
  ["system", "health"],
] as const satisfies readonly (readonly [string, Screen["path"]])[];
