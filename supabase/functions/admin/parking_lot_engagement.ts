import { route } from "../_shared/http/route.ts";
import { LotEngagementQuery, LotEngagements } from "./parking_lot_engagement.schema.ts";

export const listLotEngagement = route({
  method: "GET",
  path: "/admin/parking-lots/engagement",
  access: "admin",
  area: "lots",
  summary: "List how often lots were saved, parked at and found",
  description:
    "In a period of at most 366 days. Sorted by a count: the highest first, without the lots whose count is " +
    "0; sorted by `name`: all lots. Saves and sessions are exact and at most about a minute old. Searches are counted " +
    "after their replies, and a few may be lost.",
  query: LotEngagementQuery,
  reply: [200, LotEngagements],
  errors: [],
  handle: ({ db, query }) => db.rpc("admin_list_lot_engagement", query),
});
