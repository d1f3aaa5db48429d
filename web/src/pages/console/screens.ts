/** The screens of the console, in the order of the navigation. */
import type { ComponentType } from "preact";
import type { PageProps } from "../../app.tsx";
import { texts } from "../../language.ts";
import type { Area } from "./access.ts";
import { OverviewScreen } from "./overview.tsx";
import { ReviewsScreen } from "./reviews.tsx";

export const names = texts({
  en: {
    overview: "Overview",
    reviews: "Reviews",
  },
  ja: {
    overview: "概要",
    reviews: "レビュー",
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
];
