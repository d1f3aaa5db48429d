import { z } from "zod";
import { reviews } from "../db/columns.ts";
import { column } from "./columns.ts";
import { NextCursor, pageOf, Total } from "./lists.ts";
import { Id, pathId, Timestamp } from "./values.ts";

export const Stars = column(reviews.rating).meta({ description: "Stars", examples: [4] });
const Comment = column(reviews.comment).optional();

export const ReviewStatus = z.enum(["pending", "approved", "rejected", "hidden"]).meta({
  id: "ReviewStatus",
  description: "Only `approved` reviews are public",
});

const row = {
  id: Id,
  parking_lot_id: Id,
  rating: Stars,
  comment: z.string().nullable().meta({ description: "Null for a rating without text" }),
  status: ReviewStatus,
  photo_urls: z.array(z.url()).meta({
    description: "Up to four photos. URLs of photos that are not public are valid for ten minutes.",
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const MyReview = z.object({ ...row, user_id: Id }).meta({ id: "MyReview" });

export const PublicReview = z.object({
  ...row,
  user_id: Id.nullable().meta({ description: "Null if the author shows no name or has withdrawn" }),
  user_name: z.string().meta({ description: "A neutral text if the author shows no name" }),
}).meta({ id: "PublicReview" });

const Count = z.int().min(0);

export const PublicReviews = z.object({
  items: z.array(PublicReview),
  next_cursor: NextCursor,
  rating_histogram: z.object({ "1": Count, "2": Count, "3": Count, "4": Count, "5": Count }).meta({
    description: "Number of approved reviews with 1, 2, 3, 4 and 5 stars. Counted for the lot, not for the page.",
  }),
  total: Total,
}).meta({ id: "PublicReviews" });

export const MyReviews = pageOf(MyReview, "MyReviews");

export const ReviewParams = z.strictObject({ id: pathId("ReviewId", "The review") });

const Photos = z.array(Id).max(4).optional();

export const NewReview = z.strictObject({
  rating: Stars,
  comment: Comment.meta({ description: "White space at both ends is removed. A blank comment is stored as null." }),
  photo_asset_ids: Photos.meta({
    description:
      "Files uploaded with the category `review`, in display order. Everyone who can read the review can see them.",
  }),
}).meta({ id: "NewReview" });

export const ReviewUpdate = z.strictObject({
  rating: Stars.optional(),
  comment: Comment.meta({ description: "Null clears it. If omitted, it does not change." }),
  photo_asset_ids: Photos.meta({
    description:
      "The complete list of photos in display order, existing and new ones. Photos that are not listed are " +
      "deleted. If omitted, the photos do not change.",
  }),
}).meta({ id: "ReviewUpdate" });

export interface StoredPhotos {
  readonly photos: readonly { readonly storage_key: string; readonly is_public: boolean }[];
}

/** Reviews from the database, with the files of their photos. */
export type StoredMyReview = Omit<z.input<typeof MyReview>, "photo_urls"> & StoredPhotos;
export type StoredPublicReview = Omit<z.input<typeof PublicReview>, "photo_urls"> & StoredPhotos;

/** A page of reviews. */
export type StoredMyReviews = Omit<z.input<typeof MyReviews>, "items"> & { readonly items: readonly StoredMyReview[] };
export type StoredPublicReviews = Omit<z.input<typeof PublicReviews>, "items"> & {
  readonly items: readonly StoredPublicReview[];
};
