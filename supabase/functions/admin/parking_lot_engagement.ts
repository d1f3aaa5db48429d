import { route } from "../_shared/http/route.ts";
import { LotEngagementQuery, LotEngagements } from "./parking_lot_engagement.schema.ts";

export const listLotEngagement = route({
  method: "GET",
  path: "/admin/parking-lots/engagement",
  access: "admin",
  area: "lots",
  summary: "List lots by saves, sessions and searches",
  description:
    "For a period of at most 366 days, by default the last 30 days, today included. Without `sort` the list contains " +
    "every lot with any count. Sorted by a count, the highest comes first and lots with a count of 0 are " +
    "omitted. Sorted by `name`, the list contains all lots. Saves and sessions are exact and at most about a " +
    "minute old. Searches are counted after their responses, and a few may be missing. A period other than the last " +
    "30 days that has more than 200,000 daily counts is rejected (`period_too_large`).",
  query: LotEngagementQuery,
  reply: [200, LotEngagements],
  errors: [],
  calls: "admin_list_lot_engagement",
});
