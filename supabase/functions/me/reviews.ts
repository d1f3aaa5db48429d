import { route } from "../_shared/http/route.ts";
import { MyReview, MyReviews, MyReviewsQuery, ReviewParams, ReviewUpdate } from "../_shared/schema/reviews.ts";
import { Nothing } from "../_shared/schema/values.ts";

export const listMyReviews = route({
  method: "GET",
  path: "/me/reviews",
  access: "user",
  summary: "List the caller's reviews",
  description: "In every state, newest first.",
  query: MyReviewsQuery,
  reply: [200, MyReviews],
  refusals: [],
  handle: ({ db, query }) => db.rpc("list_my_reviews", query),
});

export const updateMyReview = route({
  method: "PATCH",
  path: "/me/reviews/{id}",
  access: "user",
  summary: "Edit a review",
  description: "Whatever its state was, it is then `pending`.",
  params: ReviewParams,
  body: ReviewUpdate,
  reply: [200, MyReview],
  refusals: ["not_found"],
  handle: ({ db, params, body: { rating, comment } }) =>
    // To the database null is a field that is not given, and an empty comment one that is taken away.
    db.rpc("update_my_review", { id: params.id, rating, comment: comment === null ? "" : comment }),
});

export const deleteMyReview = route({
  method: "DELETE",
  path: "/me/reviews/{id}",
  access: "user",
  summary: "Delete a review",
  params: ReviewParams,
  reply: [204, Nothing],
  refusals: ["not_found"],
  handle: ({ db, params }) => db.rpc("delete_my_review", { id: params.id }),
});
