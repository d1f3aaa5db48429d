import { z } from "zod";
import { Cursor, IncludeTotal, Limit, NextCursor, Total } from "./lists.ts";
import { Id, text, Timestamp } from "./values.ts";

const Stars = z.int().min(1).max(5).meta({ description: "Stars", examples: [4] });
const Comment = text(0, 2000).nullable().optional();

const ReviewStatus = z.enum(["pending", "approved", "rejected", "hidden"]).meta({
  id: "ReviewStatus",
  description: "Only `approved` reviews are public",
});

const row = {
  id: Id,
  parking_lot_id: Id,
  rating: Stars,
  comment: z.string().nullable().meta({ description: "Null: stars alone" }),
  status: ReviewStatus,
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const MyReview = z.object({ ...row, user_id: Id }).meta({ id: "MyReview" });

export const PublicReview = z.object({
  ...row,
  user_id: Id.nullable().meta({ description: "Null when the author has left" }),
  user_name: z.string().meta({ description: "A neutral word where the author has no name to show" }),
}).meta({ id: "PublicReview" });

const Count = z.int().min(0);

export const PublicReviews = z.object({
  items: z.array(PublicReview),
  next_cursor: NextCursor,
  rating_histogram: z.object({ "1": Count, "2": Count, "3": Count, "4": Count, "5": Count }).meta({
    description: "How many approved reviews gave 1, 2, 3, 4 and 5 stars; of the lot, not of the page",
  }),
  total: Total,
}).meta({ id: "PublicReviews" });

export const MyReviews = z.object({ items: z.array(MyReview), next_cursor: NextCursor, total: Total }).meta({
  id: "MyReviews",
});

export const ReviewsQuery = z.strictObject({ limit: Limit, cursor: Cursor, include: IncludeTotal });

export const MyReviewsQuery = z.strictObject({ limit: Limit, cursor: Cursor, include: IncludeTotal });

export const ReviewParams = z.strictObject({ id: Id.meta({ description: "The review" }) });

export const NewReview = z.strictObject({
  rating: Stars,
  comment: Comment.meta({ description: "Kept without the space around it; nothing but space is no comment" }),
}).meta({ id: "NewReview" });

export const ReviewUpdate = z.strictObject({
  rating: Stars.optional(),
  comment: Comment.meta({ description: "Left as it is when absent; null takes it away" }),
}).meta({ id: "ReviewUpdate" });
