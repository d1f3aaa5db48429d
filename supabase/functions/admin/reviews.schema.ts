import { z } from "zod";
import { cappedPageOf, OfParkingLot, PageQuery } from "../_shared/schema/lists.ts";
import { ReviewStatus, Stars, type StoredPhotos } from "../_shared/schema/reviews.ts";
import { Id, Instant, text, Timestamp } from "../_shared/schema/values.ts";

const Decision = z.enum(["approved", "rejected", "hidden"]);

export const AdminReview = z.object({
  id: Id,
  parking_lot_id: Id,
  parking_lot_name: z.string(),
  user_id: Id.nullable().meta({ description: "The author. Null after the author's withdrawal." }),
  user_name: z.string().nullable().meta({ description: "The author's display name, if set" }),
  rating: Stars,
  comment: z.string().nullable().meta({ description: "Null for a rating without text" }),
  status: ReviewStatus,
  allowed_statuses: z.array(Decision).meta({ description: "Allowed values of `status` in a decision" }),
  photo_urls: z.array(z.url()).meta({
    description: "Up to four photos. URLs of photos that are not public are valid for ten minutes.",
  }),
  created_at: Timestamp,
  updated_at: Timestamp.meta({ description: "Send it as `seen_updated_at` with a decision" }),
}).meta({ id: "AdminReview" });

export const AdminReviews = cappedPageOf(AdminReview, "AdminReviews");

export const AdminReviewsQuery = z.strictObject({
  status: ReviewStatus.default("pending").meta({ description: "Only reviews with this status" }),
  parking_lot_id: OfParkingLot,
  user_id: Id.optional().meta({ description: "Only reviews by this author" }),
  ...PageQuery.shape,
});

/** The `updated_at` of the version that the administrator has read. */
export const SeenUpdatedAt = Instant.meta({
  description:
    "The `updated_at` of the version that was read, in full precision. If it changed since, the request returns 409 " +
    "`conflict`.",
});

/** Reason of an administrator's decision. */
export const DecisionReason = text(1, 500).nullable().optional().meta({
  description: "Kept on record and shown to the author of the entry with the decision",
});

const decision = {
  status: Decision,
  reason: DecisionReason,
  seen_updated_at: SeenUpdatedAt,
};

export const ReviewDecision = z.strictObject(decision).meta({ id: "ReviewDecision" });

export const ReviewDecisions = z.strictObject({
  decisions: z.array(z.strictObject({ id: Id, ...decision })).min(1).max(100).refine(
    (decisions) => new Set(decisions.map(({ id }) => id.toLowerCase())).size === decisions.length,
    "Each review may occur only once in a request.",
  ),
}).meta({ id: "ReviewDecisions" });

export const ReviewDecisionOutcomes = z.object({
  items: z.array(z.object({
    id: Id,
    outcome: z.enum(["decided", "error"]),
    error: z.object({
      code: z.string().meta({ description: "Same format as in an error response", examples: ["conflict"] }),
      message: z.string(),
      param: z.string().nullable(),
      details: z.record(z.string(), z.unknown()).nullable(),
    }).optional().meta({
      description: "With the outcome `error`: the error that this decision would have returned on its own",
    }),
  })).meta({ description: "In the order of the request" }),
}).meta({ id: "ReviewDecisionOutcomes" });

/** Reviews from the database, with the files of their photos. */
export type StoredAdminReview = Omit<z.input<typeof AdminReview>, "photo_urls"> & StoredPhotos;

export type StoredAdminReviews = Omit<z.input<typeof AdminReviews>, "items"> & {
  readonly items: readonly StoredAdminReview[];
};
