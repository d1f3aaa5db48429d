import { PageQuery } from "../_shared/schema/lists.ts";
import { CONFIRM_ASSET_CALLS, confirmAssets, withPhotoUrls } from "../_shared/storage/assets.ts";
import { route } from "../_shared/http/route.ts";
import {
  MyReview,
  MyReviews,
  ReviewParams,
  ReviewUpdate,
  type StoredMyReview,
  type StoredMyReviews,
} from "../_shared/schema/reviews.ts";
import { Nothing } from "../_shared/schema/values.ts";

export const listMyReviews = route({
  method: "GET",
  path: "/me/reviews",
  access: "user",
  summary: "List the caller's reviews",
  description: "Reports in all states, newest first.",
  query: PageQuery,
  reply: [200, MyReviews],
  errors: [],
  calls: "list_my_reviews",
  uses: ["storage"],
  handle: async ({ db, query, links, storage }) => {
    const { items, ...page } = await db.rpc<StoredMyReviews>("list_my_reviews", query);
    return { ...page, items: await Promise.all(items.map((review) => withPhotoUrls({ links, storage }, review))) };
  },
});

export const updateMyReview = route({
  method: "PATCH",
  path: "/me/reviews/{id}",
  access: "user",
  summary: "Update a review",
  description: "The review becomes `pending`, regardless of its previous status.",
  params: ReviewParams,
  body: ReviewUpdate,
  reply: [200, MyReview],
  errors: ["not_found"],
  calls: ["update_my_review", ...CONFIRM_ASSET_CALLS],
  uses: ["storage"],
  handle: async (context) => {
    const { db, params, body, links, storage } = context;
    await confirmAssets(context, body.photo_asset_ids, "review", "photo_asset_ids");
    // For the database, null is an omitted field, and an empty comment clears it.
    const changes = { ...body, comment: body.comment === null ? "" : body.comment };
    const review = await db.rpc<StoredMyReview>("update_my_review", { id: params.id, ...changes });
    return await withPhotoUrls({ links, storage }, review);
  },
});

export const deleteMyReview = route({
  method: "DELETE",
  path: "/me/reviews/{id}",
  access: "user",
  summary: "Delete a review",
  description: "The caller can then write a new review of the lot. A second request returns 404.",
  params: ReviewParams,
  reply: [204, Nothing],
  errors: ["not_found"],
  calls: "delete_my_review",
});
