import { route } from "../_shared/http/route.ts";
import {
  NewOccupancyReport,
  Occupancy,
  OccupancyFeed,
  OccupancyFeedResult,
  OccupancyReport,
} from "../_shared/schema/occupancy.ts";
import { LotParams } from "../_shared/schema/values.ts";

export const readOccupancy = route({
  method: "GET",
  path: "/parking-lots/{id}/occupancy",
  access: "optional",
  summary: "Get a lot's current and usual occupancy",
  description:
    "The confidence in a report depends on its source (sensor 0.95, operator 0.9, driver 0.6). It halves after each " +
    "half-life (10, 30, 15 minutes) and is 0 below 0.1. Reports that agree increase the confidence.",
  params: LotParams,
  reply: [200, Occupancy],
  errors: ["lot_not_found"],
  calls: "parking_lot_occupancy",
  args: ({ params }) => ({ parking_lot_id: params.id }),
});

export const reportOccupancy = route({
  method: "POST",
  path: "/parking-lots/{id}/occupancy-reports",
  access: "user",
  summary: "Report a lot's occupancy",
  description:
    "Reports as a driver, for the current time. A new report within ten minutes of the caller's last report replaces " +
    "it.",
  params: LotParams,
  body: NewOccupancyReport,
  reply: [201, OccupancyReport],
  errors: ["lot_not_found"],
  calls: "report_occupancy",
  args: ({ params, body }) => ({ parking_lot_id: params.id, ...body }),
});

export const feedOccupancy = route({
  method: "POST",
  path: "/parking-lots/occupancy-reports",
  access: "service",
  summary: "Submit occupancy reports of an operator or sensor",
  description: "Requires the secret key. All reports are accepted, or none if one of them is invalid.",
  body: OccupancyFeed,
  reply: [200, OccupancyFeedResult],
  errors: [],
  calls: "feed_occupancy",
});
