/** The screens of the console, in the order of the navigation. */
import type { ComponentType } from "preact";
import type { PageProps } from "../../app.tsx";
import { texts } from "../../language.ts";
import type { Area } from "./access.ts";
import { ActivityLogsScreen } from "./activity_logs.tsx";
import { ErrorReportsScreen } from "./error_reports.tsx";
import { FieldValuesScreen } from "./field_values.tsx";
import { AdministratorsScreen, DeadMessagesScreen, JobsScreen } from "./operation.tsx";
import { OverviewScreen } from "./overview.tsx";
import { ParkingLotsScreen } from "./parking_lots.tsx";
import { ReferenceScreen } from "./reference.tsx";
import { ReviewsScreen } from "./reviews.tsx";
import { SearchPresetsScreen } from "./search_presets.tsx";
import { StoreSyncScreen } from "./store_sync.tsx";
import { SubscriptionsScreen } from "./subscriptions.tsx";
import { TicketsScreen } from "./tickets.tsx";
import { UserNotificationsScreen } from "./user_notifications.tsx";
import { UsersScreen } from "./users.tsx";

export const names = texts({
  en: {
    overview: "Overview",
    reviews: "Reviews",
    "error-reports": "Error reports",
    "field-values": "Values of lots",
    "support-tickets": "Support tickets",
    "user-notifications": "Notifications",
    users: "People",
    "user-search-presets": "Search presets",
    subscriptions: "Subscriptions",
    "parking-lots": "Parking lots",
    "store-sync": "Stores",
    reference: "Reference data",
    jobs: "Jobs",
    "dead-messages": "Dead messages",
    admins: "Administrators",
    "activity-logs": "Record of acts",
  },
  ja: {
    overview: "概要",
    reviews: "レビュー",
    "error-reports": "情報修正の報告",
    "field-values": "駐車場の値",
    "support-tickets": "問い合わせ",
    "user-notifications": "お知らせ",
    users: "利用者",
    "user-search-presets": "検索条件",
    subscriptions: "サブスクリプション",
    "parking-lots": "駐車場",
    "store-sync": "ストア",
    reference: "参照データ",
    jobs: "ジョブ",
    "dead-messages": "処理できないメッセージ",
    admins: "管理者",
    "activity-logs": "操作の記録",
  },
});

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
  { path: "user-notifications", areas: ["notifications"], component: UserNotificationsScreen },
  { path: "users", areas: ["users"], component: UsersScreen },
  { path: "user-search-presets", areas: ["search_presets"], component: SearchPresetsScreen },
  { path: "subscriptions", areas: ["users"], component: SubscriptionsScreen },
  { path: "parking-lots", areas: ["lots"], component: ParkingLotsScreen },
  { path: "store-sync", areas: ["store_sync"], component: StoreSyncScreen },
  { path: "reference", areas: ["content", "rewards"], component: ReferenceScreen },
  { path: "jobs", component: JobsScreen },
  { path: "dead-messages", component: DeadMessagesScreen },
  { path: "admins", areas: ["admins"], component: AdministratorsScreen },
  { path: "activity-logs", component: ActivityLogsScreen },
];
