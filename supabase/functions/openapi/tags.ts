/** The tags of the document: operations by what their callers do, not by the function that serves them. */
import type { Route } from "../_shared/http/route.ts";

export interface Tag {
  readonly name: string;
  readonly description: string;
}

/** A tag and the paths of its operations: each of them and what is below. The longest path that fits decides. */
interface TagOfPaths extends Tag {
  readonly paths: readonly string[];
}

interface TagGroup {
  readonly name: string;
  readonly tags: readonly TagOfPaths[];
}

/** Operations of administrators are tagged by the area that they need. */
const OPERATE: Readonly<Record<string, string>> = {
  "": "Overview, jobs, activity log and notifications of administrators",
  lots: "Parking lots, their values and error reports",
  reviews: "Reviews of app users",
  support: "Support tickets",
  users: "App users, their activity and subscriptions",
  search_presets: "Search presets of app users",
  notifications: "Notifications to app users",
  rewards: "Levels, badges, themes and experience points",
  content: "Articles, advertisements, sponsors and reference data",
  store_sync: "Sales, metrics and reviews of the stores",
  admins: "Administrators",
};

/** Whether no app uses the operations of a tag: those of the console and of machines. */
export const isInternalTag = (tag: string) =>
  /^(admin|admin-.*|health|openapi|well-known|webhooks|consumers)$/.test(tag);

const adminTag = (area: string) => area === "" ? "admin" : `admin-${area.replaceAll("_", "-")}`;

const GROUPS: readonly TagGroup[] = [
  {
    name: "Drive",
    tags: [
      { name: "parking-lots", description: "Find lots, read them, calculate fees", paths: ["/parking-lots"] },
      { name: "search", description: "Search by natural language", paths: ["/search", "/ai-search-parse"] },
      { name: "places", description: "Suggest places by name, and read one", paths: ["/places"] },
      {
        name: "parking-sessions",
        description: "Start, end and cancel a parking session; the caller's history",
        paths: ["/parking-sessions", "/me/parking-sessions"],
      },
      {
        name: "saved",
        description: "The caller's saved lots, vehicles, search presets and preferences",
        paths: ["/me/saved-parking-lots", "/me/vehicles", "/me/search-presets", "/me/search-preferences"],
      },
      {
        name: "reviews",
        description: "Reviews, ratings, votes on values, and reports of errors",
        paths: [
          "/parking-lots/{id}/reviews",
          "/parking-lots/{id}/rating",
          "/parking-lots/{id}/field-values",
          "/me/reviews",
          "/error-reports",
          "/me/error-reports",
        ],
      },
      {
        name: "reference-data",
        description: "Codes, tags, articles and advertisements",
        paths: ["/codes", "/tags", "/articles", "/ads"],
      },
    ],
  },
  {
    name: "Account",
    tags: [
      { name: "me", description: "The caller's account", paths: ["/me"] },
      {
        name: "notifications",
        description: "The caller's inbox, preferences and devices",
        paths: ["/me/notifications", "/me/notification-preferences", "/me/push-tokens"],
      },
      { name: "storage", description: "Upload pictures", paths: ["/storage"] },
      { name: "support", description: "Support tickets and crash reports", paths: ["/support", "/report-crash"] },
    ],
  },
  {
    name: "Rewards",
    tags: [
      {
        name: "rewards",
        description: "The caller's experience points, levels and badges",
        paths: ["/me/exp", "/me/badges", "/me/badge-progress"],
      },
      { name: "themes", description: "The caller's themes", paths: ["/me/themes", "/me/theme-gifts"] },
      { name: "sponsors", description: "Find sponsors and check in", paths: ["/sponsors"] },
    ],
  },
  {
    name: "Pay",
    tags: [
      {
        name: "subscriptions",
        description: "Plans, in-app purchases and the caller's subscription",
        paths: ["/subscription-plans", "/me/subscription", "/verify-iap"],
      },
    ],
  },
  {
    name: "Operate",
    tags: Object.entries(OPERATE).map(([area, description]) => ({ name: adminTag(area), description, paths: [] })),
  },
  {
    name: "Machines",
    tags: [
      { name: "health", description: "Liveness, readiness and metrics", paths: ["/health"] },
      { name: "openapi", description: "This contract and the error catalogue", paths: ["/openapi"] },
      { name: "well-known", description: "App link associations of this site", paths: ["/well-known"] },
      {
        name: "webhooks",
        description:
          "Called by the App Store and by Google Play, not by clients. Each request is signed by its sender; it needs " +
          "no token of this service.",
        paths: ["/store-notifications"],
      },
      {
        name: "consumers",
        description: "Called by the service itself: consumers of its queues",
        paths: [
          "/push-dispatch",
          "/mail-dispatch",
          "/store-sync",
          "/store-notifications/process",
          "/store-notifications/reconcile",
          "/storage/sweep",
        ],
      },
    ],
  },
];

/** The tag of an operation; undefined for a path that no tag has. */
export function tagOf({ path, access, area }: Pick<Route, "path" | "access" | "area">): string | undefined {
  if (access === "admin") return adminTag(area ?? "");
  const fitting = GROUPS.flatMap(({ tags }) => tags).flatMap(({ name, paths }) =>
    paths.map((prefix) => ({ name, prefix }))
  )
    .filter(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))
    .toSorted((one, other) => other.prefix.length - one.prefix.length);
  return fitting[0]?.name;
}

/** The used tags in their order, and their groups (`x-tagGroups`, which reference pages and generators of portals read). */
export function tagsOf(
  used: ReadonlySet<string | undefined>,
): { tags: Tag[]; groups: { name: string; tags: string[] }[] } {
  const groups = GROUPS.map(({ name, tags }) => ({ name, tags: tags.filter((tag) => used.has(tag.name)) }))
    .filter(({ tags }) => tags.length > 0);
  return {
    tags: groups.flatMap(({ tags }) => tags.map(({ name, description }) => ({ name, description }))),
    groups: groups.map(({ name, tags }) => ({ name, tags: tags.map((tag) => tag.name) })),
  };
}
