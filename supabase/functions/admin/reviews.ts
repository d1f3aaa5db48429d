import { withPhotoUrls } from "../_shared/storage/assets.ts";
import { route } from "../_shared/http/route.ts";
import {
  AdminReview,
  AdminReviews,
  AdminReviewsQuery,
  ReviewDecision,
  ReviewDecisionOutcomes,
  ReviewDecisions,
  type StoredAdminReview,
  type StoredAdminReviews,
} from "./reviews.schema.ts";
import { ReviewParams } from "../_shared/schema/reviews.ts";

export const listReviewQueue = route({
  method: "GET",
  path: "/admin/reviews",
  access: "admin",
  area: "reviews",
  summary: "List reviews to moderate",
  description: "Of one status, oldest first: without `status` the queue of those that are `pending`.",
  query: AdminReviewsQuery,
  reply: [200, AdminReviews],
  errors: [],
  handle: async ({ db, query, links, storage }) => {
    const { items, ...page } = await db.rpc<StoredAdminReviews>("admin_list_reviews", query);
    return { ...page, items: await Promise.all(items.map((review) => withPhotoUrls({ links, storage }, review))) };
  },
});

export const readReview = route({
  method: "GET",
  path: "/admin/reviews/{id}",
  access: "admin",
  area: "reviews",
  summary: "Read a review",
  params: ReviewParams,
  reply: [200, AdminReview],
  errors: ["not_found"],
  handle: async ({ db, params, links, storage }) =>
    await withPhotoUrls({ links, storage }, await db.rpc<StoredAdminReview>("admin_get_review", params)),
});

export const decideReview = route({
  method: "PATCH",
  path: "/admin/reviews/{id}",
  access: "admin",
  area: "reviews",
  summary: "Approve, reject or hide a review",
  description: "Allowed moves only (`docs/domains/states.md`); any other is `conflict` with the allowed ones in " +
    "`details.allowed`. A review that its author has edited since `seen_updated_at` is `conflict` with " +
    "`details.reason` `changed_meanwhile`. Nobody decides on their own review: `forbidden` with `details.reason` " +
    "`own_entry`. The author is notified.",
  params: ReviewParams,
  body: ReviewDecision,
  reply: [200, AdminReview],
  errors: ["not_found", "conflict"],
  handle: async ({ db, params, body, links, storage }) =>
    await withPhotoUrls(
      { links, storage },
      await db.rpc<StoredAdminReview>("admin_decide_review", { id: params.id, ...body }),
    ),
});

export const decideReviews = route({
  method: "POST",
  path: "/admin/reviews/decisions",
  access: "admin",
  area: "reviews",
  summary: "Decide on many reviews at once",
  description: "Up to 100, each with its own outcome: what is decided stays decided when another is not.",
  body: ReviewDecisions,
  reply: [200, ReviewDecisionOutcomes],
  errors: ["not_found", "conflict"],
  handle: ({ db, body }) => db.rpc("admin_decide_reviews", body),
});
