import { PageQuery } from "../_shared/schema/lists.ts";
import { CONFIRM_ASSET_CALLS, confirmAssets, withPhotoUrls } from "../_shared/storage/assets.ts";
import { route } from "../_shared/http/route.ts";
import {
  MyReview,
  NewReview,
  PublicReviews,
  type StoredMyReview,
  type StoredPublicReviews,
} from "../_shared/schema/reviews.ts";
import { LotParams } from "../_shared/schema/values.ts";

export const listReviews = route({
  method: "GET",
  path: "/parking-lots/{id}/reviews",
  access: "optional",
  summary: "List a lot's reviews",
  description: "Approved reviews, newest first.",
  params: LotParams,
  query: PageQuery,
  reply: [200, PublicReviews],
  errors: ["lot_not_found"],
  cache: { scope: "private", maxAge: 0 },
  calls: "list_parking_lot_reviews",
  uses: ["storage"],
  handle: async ({ db, params, query, links, storage }) => {
    const args = { parking_lot_id: params.id, ...query };
    const { items, ...page } = await db.rpc<StoredPublicReviews>("list_parking_lot_reviews", args);
    return { ...page, items: await Promise.all(items.map((review) => withPhotoUrls({ links, storage }, review))) };
  },
});

export const postReview = route({
  method: "POST",
  path: "/parking-lots/{id}/reviews",
  access: "user",
  summary: "Create a review of a lot",
  description:
    "The review is `pending` until an administrator approves it. A user has one review per lot: a second one " +
    "returns 409 `conflict` with `details.reason` `already_reviewed`. Upload photos first (`POST " +
    "/v1/storage/upload-url`, category `review`). Other users cannot see them before the approval.",
  params: LotParams,
  body: NewReview,
  reply: [201, MyReview],
  errors: ["lot_not_found", "not_found", "conflict"],
  calls: ["post_review", ...CONFIRM_ASSET_CALLS],
  uses: ["storage"],
  handle: async (context) => {
    const { db, params, body, links, storage } = context;
    await confirmAssets(context, body.photo_asset_ids, "review", "photo_asset_ids");
    const review = await db.rpc<StoredMyReview>("post_review", { parking_lot_id: params.id, ...body });
    return await withPhotoUrls({ links, storage }, review);
  },
});
