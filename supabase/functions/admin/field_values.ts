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
  description: "Those that authenticated users have voted on, or that the service stored. After the disputed ones " +
    "`unverified`, `confirmed` and `retired` ones; oldest first in each state.",
  query: AdminFieldValuesQuery,
  reply: [200, AdminFieldValues],
  errors: [],
  handle: ({ db, query }) => db.rpc("admin_list_field_values", query),
});

export const readFieldValue = route({
  method: "GET",
  path: "/admin/field-values/{id}",
  access: "admin",
  area: "lots",
  summary: "Read a field value",
  params: AdminFieldValueParams,
  reply: [200, AdminFieldValue],
  errors: ["not_found"],
  isVersioned: true,
  handle: ({ db, params }) => db.rpc("admin_get_field_value", params),
});

export const decideFieldValue = route({
  method: "PATCH",
  path: "/admin/field-values/{id}",
  access: "admin",
  area: "lots",
  summary: "Confirm or retire a field value",
  description:
    "`confirmed`: it stays so until the votes from then on make it disputed. `retired`: the field of the lot " +
    "is emptied where the lot says this value; for a field that a lot is never without it is `validation_error`: change " +
    "the lot instead. A retired value is `conflict`.",
  params: AdminFieldValueParams,
  body: FieldValueDecision,
  reply: [200, AdminFieldValue],
  errors: ["not_found", "conflict", "precondition_failed"],
  isVersioned: true,
  handle: ({ db, params, body, ifMatch }) =>
    db.rpc("admin_decide_field_value", { id: params.id, ...body, if_match: ifMatch }),
});
