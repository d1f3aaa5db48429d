import { route } from "../_shared/http/route.ts";
import { Fee, FeeRequest } from "../_shared/schema/fees.ts";
import { LotParams } from "../_shared/schema/values.ts";

export const calculateFee = route({
  method: "POST",
  path: "/parking-lots/{id}/calc-fee",
  access: "optional",
  summary: "Calculate the fee of a stay",
  description:
    "Fees are never guessed. If the rules of the lot have no price for a part of the stay, the response is 422 " +
    "`fee_unknown`. Its `details` are those of `FeeRefusal`.",
  instance: "any",
  params: LotParams,
  body: FeeRequest,
  reply: [200, Fee],
  errors: ["forbidden", "lot_not_found", "fee_unknown"],
  calls: "calculate_fee",
  args: ({ params, body }) => ({ parking_lot_id: params.id, ...body }),
});
