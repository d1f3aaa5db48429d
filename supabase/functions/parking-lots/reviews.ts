import { route } from "../_shared/http/route.ts";
import { MyReview, NewReview, PublicReviews, ReviewsQuery } from "../_shared/schema/reviews.ts";
import { LotParams } from "../_shared/schema/values.ts";

export const listReviews = route({
  method: "GET",
  path: "/parking-lots/{id}/reviews",
  access: "optional",
  summary: "List a lot's reviews",
  description: "Approved reviews, newest first.",
  params: LotParams,
  query: ReviewsQuery,
  reply: [200, PublicReviews],
  refusals: ["lot_not_found"],
  cache: { scope: "private", maxAge: 0 },
  handle: ({ db, params, query }) => db.rpc("list_parking_lot_reviews", { parking_lot_id: params.id, ...query }),
});

export const postReview = route({
  method: "POST",
  path: "/parking-lots/{id}/reviews",
  access: "user",
  summary: "Review a lot",
  description:
    "The review is `pending` until an administrator approves it. One review a lot: a second is `conflict`, " +
    "with `details.reason` `already_reviewed`.",
  params: LotParams,
  body: NewReview,
  reply: [201, MyReview],
  refusals: ["lot_not_found", "conflict"],
  handle: ({ db, params, body }) => db.rpc("post_review", { parking_lot_id: params.id, ...body }),
});
