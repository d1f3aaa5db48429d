import { route } from "../_shared/http/route.ts";
import {
  AdminFieldValue,
  AdminFieldValueParams,
  AdminFieldValues,
  AdminFieldValuesQuery,
  FieldValueDecision,
} from "./field_values.schema.ts";

export const listFieldValues = route({
  method: "GET",
  path: "/admin/field-values",
  access: "admin",
  area: "lots",
  summary: "List field values, disputed ones first",
  description:
    "Values that users have voted on or that the service stored. Order: `disputed`, `unverified`, `confirmed`, " +
    "`retired`, and oldest first within each state.",
  query: AdminFieldValuesQuery,
  reply: [200, AdminFieldValues],
  errors: [],
  calls: "admin_list_field_values",
});

export const readFieldValue = route({
  method: "GET",
  path: "/admin/field-values/{id}",
  access: "admin",
  area: "lots",
  summary: "Get a field value",
  params: AdminFieldValueParams,
  reply: [200, AdminFieldValue],
  errors: ["not_found"],
  isVersioned: true,
  calls: "admin_get_field_value",
});

export const decideFieldValue = route({
  method: "PATCH",
  path: "/admin/field-values/{id}",
  access: "admin",
  area: "lots",
  summary: "Confirm or retire a field value",
  description:
    "`confirmed`: the value stays confirmed until later votes dispute it. `retired`: the field of the lot is " +
    "cleared if it has this value. For a required field the request returns 422 `validation_error`: update the lot " +
    "instead. Returns 409 `conflict` if the value is already retired.",
  params: AdminFieldValueParams,
  body: FieldValueDecision,
  reply: [200, AdminFieldValue],
  errors: ["not_found", "conflict", "precondition_failed"],
  isVersioned: true,
  calls: "admin_decide_field_value",
});
