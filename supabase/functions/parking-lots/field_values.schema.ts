import { z } from "zod";
import { Id, Timestamp } from "../_shared/schema/values.ts";

export const FieldValueParams = z.strictObject({
  id: Id.meta({ description: "The parking lot" }),
  fieldValueId: Id.meta({ description: "One of the lot's `field_value_ids`" }),
});

export const FieldValue = z.object({
  id: Id,
  parking_lot_id: Id,
  field_name: z.string().meta({ examples: ["max_height_m"] }),
  value: z.unknown().meta({ description: "As the lot has it", examples: [2.1] }),
  state: z.enum(["unverified", "confirmed", "disputed"]).meta({
    description:
      "`confirmed`: at least three confirm it, and they are two thirds of the votes or more. `disputed`: at " +
      "least three deny it, and they are more than a third. Else `unverified`.",
  }),
  source: z.string().nullable().meta({ description: "Who said it first" }),
  licence: z.string().nullable(),
  confirm_count: z.int().min(0),
  deny_count: z.int().min(0),
  last_verified_at: Timestamp.nullable().meta({ description: "When the latest confirmation that stands was given" }),
  my_vote: z.enum(["confirm", "deny"]),
  my_vote_counts: z.boolean().meta({
    description: "False: the vote is kept and counts once the caller's e-mail address or telephone number has been " +
      "confirmed for 24 hours",
  }),
}).meta({ id: "FieldValue", description: "What is said of a field of a lot, and what people say to it" });
