import { z } from "zod";
import { DecisionReason } from "./reviews.schema.ts";
import { cappedPageOf, OfParkingLot, PageQuery } from "../_shared/schema/lists.ts";
import { Id, pathId, Timestamp } from "../_shared/schema/values.ts";

const State = z.enum(["disputed", "unverified", "confirmed", "retired"]).meta({
  description:
    "`retired`: the value no longer applies to the lot. The other states follow from votes, and from confirmations " +
    "by administrators.",
});

const Decision = z.enum(["confirmed", "retired"]);

export const AdminFieldValue = z.object({
  id: Id,
  parking_lot_id: Id,
  parking_lot_name: z.string(),
  field_name: z.string().meta({ examples: ["max_height_m"] }),
  value: z.unknown().meta({ description: "The field's value, as the lot has or had it", examples: [2.1] }),
  state: State,
  allowed_states: z.array(Decision).meta({ description: "Allowed values of `state` in a decision" }),
  source: z.string().nullable().meta({ description: "Origin of the value" }),
  licence: z.string().nullable(),
  confirm_count: z.int().min(0),
  deny_count: z.int().min(0),
  last_verified_at: Timestamp.nullable(),
  decided_at: Timestamp.nullable().meta({
    description: "When an administrator confirmed the value. Earlier votes no longer affect its state.",
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "AdminFieldValue" });

export const AdminFieldValues = cappedPageOf(AdminFieldValue, "AdminFieldValues");

export const AdminFieldValuesQuery = z.strictObject({
  state: State.optional(),
  parking_lot_id: OfParkingLot,
  ...PageQuery.shape,
});

export const AdminFieldValueParams = z.strictObject({ id: pathId("FieldValueId", "The field value") });

export const FieldValueDecision = z.strictObject({
  state: Decision,
  reason: DecisionReason,
}).meta({ id: "FieldValueDecision" });
