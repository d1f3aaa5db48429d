import { route } from "../_shared/http/route.ts";
import {
  NewOccupancyReport,
  Occupancy,
  OccupancyFeed,
  OccupancyFeedTaken,
  OccupancyReport,
} from "../_shared/schema/occupancy.ts";
import { LotParams } from "../_shared/schema/values.ts";

export const readOccupancy = route({
  method: "GET",
  path: "/parking-lots/{id}/occupancy",
  access: "optional",
  summary: "Read how full a lot is, and usually was",
  description: "A report is trusted by its source (sensor 0.95, operator 0.9, driver 0.6), half as much after each " +
    "half-life (10, 30, 15 minutes), and not at all below 0.1. Reports that agree strengthen each other.",
  params: LotParams,
  reply: [200, Occupancy],
  errors: ["lot_not_found"],
  handle: ({ db, params }) => db.rpc("parking_lot_occupancy", { parking_lot_id: params.id }),
});

export const reportOccupancy = route({
  method: "POST",
  path: "/parking-lots/{id}/occupancy-reports",
  access: "user",
  summary: "Report how full a lot is",
  description: "As a driver, now. Within ten minutes of the caller's last report it takes its place.",
  params: LotParams,
  body: NewOccupancyReport,
  reply: [201, OccupancyReport],
  errors: ["lot_not_found"],
  handle: ({ db, params, body }) => db.rpc("report_occupancy", { parking_lot_id: params.id, ...body }),
});

export const feedOccupancy = route({
  method: "POST",
  path: "/parking-lots/occupancy-reports",
  access: "service",
  summary: "Feed reports of an operator or a sensor",
  description: "With the secret key. All reports are taken, or none when one is not valid.",
  body: OccupancyFeed,
  reply: [200, OccupancyFeedTaken],
  errors: [],
  handle: ({ db, body }) => db.rpc("feed_occupancy", body),
});
