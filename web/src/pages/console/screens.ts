/** The screens of the console, in the order of the navigation. */
import type { ComponentType } from "preact";
import type { PageProps } from "../../app.tsx";
import { texts } from "../../language.ts";
import type { Area } from "./access.ts";
import { ErrorReportsScreen } from "./error_reports.tsx";
import { FieldValuesScreen } from "./field_values.tsx";
import { OverviewScreen } from "./overview.tsx";
import { ReviewsScreen } from "./reviews.tsx";
import { TicketsScreen } from "./tickets.tsx";

export const names = texts({
  en: {
    overview: "Overview",
    reviews: "Reviews",
    "error-reports": "Error reports",
    "field-values": "Values of lots",
    "support-tickets": "Support tickets",
  },
  ja: {
    overview: "概要",
    reviews: "レビュー",
    "error-reports": "情報修正の報告",
    "field-values": "駐車場の値",
    "support-tickets": "問い合わせ",
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
];
