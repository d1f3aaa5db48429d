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
  description: "Reviews of one status, oldest first. The default is `pending`, the moderation queue.",
  query: AdminReviewsQuery,
  reply: [200, AdminReviews],
  errors: [],
  calls: "admin_list_reviews",
  uses: ["storage"],
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
  summary: "Get a review",
  params: ReviewParams,
  reply: [200, AdminReview],
  errors: ["not_found"],
  calls: "admin_get_review",
  uses: ["storage"],
  handle: async ({ db, params, links, storage }) =>
    await withPhotoUrls({ links, storage }, await db.rpc<StoredAdminReview>("admin_get_review", params)),
});

export const decideReview = route({
  method: "PATCH",
  path: "/admin/reviews/{id}",
  access: "admin",
  area: "reviews",
  summary: "Approve, reject or hide a review",
  description:
    "`docs/domains/states.md` lists the allowed transitions. Any other returns 409 `conflict` with the allowed " +
    "states in `details.allowed`. Returns 409 `conflict` with `details.reason` `changed_meanwhile` if the author " +
    "edited the review after `seen_updated_at`. An administrator cannot decide on their own review: 403 `forbidden` " +
    "with `details.reason` `own_entry`. The author is notified.",
  params: ReviewParams,
  body: ReviewDecision,
  reply: [200, AdminReview],
  errors: ["not_found", "conflict"],
  calls: "admin_decide_review",
  uses: ["storage"],
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
  summary: "Decide on several reviews at once",
  description: "Up to 100 decisions, each with its own outcome. A failed decision does not undo the others.",
  body: ReviewDecisions,
  reply: [200, ReviewDecisionOutcomes],
  errors: ["not_found", "conflict"],
  calls: "admin_decide_reviews",
});
