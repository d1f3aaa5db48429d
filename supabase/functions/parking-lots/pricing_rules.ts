import { route } from "../_shared/http/route.ts";
import { PricingRules } from "../_shared/schema/fees.ts";
import { PageQuery } from "../_shared/schema/lists.ts";
import { LotParams } from "../_shared/schema/values.ts";

export const listPricingRules = route({
  method: "GET",
  path: "/parking-lots/{id}/pricing-rules",
  access: "optional",
  summary: "List a lot's pricing rules",
  description: "Rules of the default group first, then group by group, in `rule_order`.",
  params: LotParams,
  query: PageQuery,
  reply: [200, PricingRules],
  errors: ["forbidden", "lot_not_found"],
  cache: { scope: "private", maxAge: 0 },
  calls: "list_pricing_rules",
  args: ({ params, query }) => ({ parking_lot_id: params.id, ...query }),
});
