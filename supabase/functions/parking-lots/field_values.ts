import { route } from "../_shared/http/route.ts";
import { FieldValue, FieldValueParams } from "./field_values.schema.ts";

const description =
  "Each user has one vote per value, and a new vote replaces the previous one. Returns 409 `conflict` with " +
  "`details.reason` `retired` if the lot no longer has the value.";

export const confirmFieldValue = route({
  method: "POST",
  path: "/parking-lots/{id}/field-values/{fieldValueId}/confirm",
  access: "user",
  summary: "Confirm a value of a lot's field",
  description,
  params: FieldValueParams,
  reply: [200, FieldValue],
  errors: ["lot_not_found", "not_found", "conflict"],
  calls: "vote_on_field_value",
  args: ({ params }) => ({ parking_lot_id: params.id, field_value_id: params.fieldValueId, vote: "confirm" }),
});

export const denyFieldValue = route({
  method: "POST",
  path: "/parking-lots/{id}/field-values/{fieldValueId}/deny",
  access: "user",
  summary: "Deny a value of a lot's field",
  description,
  params: FieldValueParams,
  reply: [200, FieldValue],
  errors: ["lot_not_found", "not_found", "conflict"],
  calls: "vote_on_field_value",
  args: ({ params }) => ({ parking_lot_id: params.id, field_value_id: params.fieldValueId, vote: "deny" }),
});
