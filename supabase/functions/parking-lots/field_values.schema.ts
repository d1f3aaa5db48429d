import { z } from "zod";
import { Id, pathId, Timestamp } from "../_shared/schema/values.ts";

export const FieldValueParams = z.strictObject({
  id: pathId("ParkingLotId", "The parking lot"),
  fieldValueId: Id.meta({ description: "One of the lot's `field_value_ids`" }),
});

export const FieldValue = z.object({
  id: Id,
  parking_lot_id: Id,
  field_name: z.string().meta({ examples: ["max_height_m"] }),
  value: z.unknown().meta({ description: "The value in the lot", examples: [2.1] }),
  state: z.enum(["unverified", "confirmed", "disputed"]).meta({
    description:
      "`confirmed`: at least three confirmations, and at least two thirds of the votes. `disputed`: at least three " +
      "denials, and more than one third of the votes. Otherwise `unverified`.",
  }),
  source: z.string().nullable().meta({ description: "Origin of the value" }),
  licence: z.string().nullable(),
  confirm_count: z.int().min(0),
  deny_count: z.int().min(0),
  last_verified_at: Timestamp.nullable().meta({ description: "Time of the latest confirmation that still counts" }),
  my_vote: z.enum(["confirm", "deny"]),
  my_vote_counts: z.boolean().meta({
    description:
      "False: the vote is stored. It counts once the caller's e-mail address or telephone number has been confirmed " +
      "for 24 hours.",
  }),
}).meta({ id: "FieldValue", description: "A value of a lot's field, with its votes" });
