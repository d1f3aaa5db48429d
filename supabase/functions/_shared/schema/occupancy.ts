import { z } from "zod";
import { Id, Moment, Timestamp } from "./values.ts";

const OccupancyState = z.enum(["available", "crowded", "full"]).meta({
  id: "OccupancyState",
  description: "A code of category `occupancy_state`",
});
const FreeSpaces = z.int().min(0).max(1_000_000);
const Ratio = z.number().min(0).max(1).meta({ description: "1 is full", examples: [0.85] });
const Share = z.number().min(0).max(1);

const reportFields = {
  state: OccupancyState.optional().meta({
    description: "If omitted, it is derived from the other two: `full` if no space is free, `crowded` from 0.9",
  }),
  free_spaces: FreeSpaces.optional(),
  occupancy_ratio: Ratio.optional(),
};

const oneOfThree = {
  description: "At least one of the three fields",
  anyOf: [{ required: ["state"] }, { required: ["free_spaces"] }, { required: ["occupancy_ratio"] }],
};

/** The database checks that at least one of the three fields is given. */
export const NewOccupancyReport = z.strictObject(reportFields).meta({ id: "NewOccupancyReport", ...oneOfThree });

export const OccupancyReport = z.object({
  id: Id,
  parking_lot_id: Id,
  source: z.enum(["driver", "operator", "sensor"]),
  state: OccupancyState,
  free_spaces: FreeSpaces.nullable(),
  occupancy_ratio: Ratio.nullable(),
  reported_at: Timestamp,
}).meta({ id: "OccupancyReport" });

export const OccupancyFeed = z.strictObject({
  source: z.enum(["operator", "sensor"]),
  reports: z.array(
    z.strictObject({
      parking_lot_id: Id,
      ...reportFields,
      reported_at: Moment.optional().meta({ description: "Time of the observation. Default: now. Not in the future." }),
    }).meta(oneOfThree),
  ).min(1).max(500),
}).meta({ id: "OccupancyFeed" });

export const OccupancyFeedResult = z.object({
  accepted: z.int().min(0),
  unknown: z.array(Id).meta({ description: "Ids that do not belong to a lot. Their reports were ignored." }),
}).meta({ id: "OccupancyFeedResult" });

/** Calculated by the server, for clients with a wrong clock. */
export const AgeSeconds = z.int().min(0).meta({
  description: "Age of the report in seconds when the response was created, counted from `observed_at`",
});

export const CurrentOccupancy = z.object({
  state: OccupancyState,
  free_spaces: FreeSpaces.nullable(),
  trust: Share.meta({ description: "Confidence. It decreases with age and increases with reports that agree." }),
  observed_at: Timestamp,
  age_seconds: AgeSeconds,
  source: z.enum(["driver", "operator", "sensor"]),
}).meta({ id: "CurrentOccupancy", description: "Current occupancy, from reports that are not stale" });

export const OccupancyForecast = z.array(z.object({
  day_of_week: z.int().min(0).max(6).meta({ description: "0 is Sunday, in the lot's time zone" }),
  hour: z.int().min(0).max(23),
  sample_size: z.int().min(1).meta({ description: "Number of reports in the sample" }),
  full_share: Share.meta({ description: "Share of the reports that found the lot full" }),
  crowded_share: Share,
  occupancy_ratio: Ratio.nullable().meta({ description: "Mean ratio of the reports that contain one" }),
})).meta({ id: "OccupancyForecast", description: "Hours of the week with at least one report, in order" });

export const Occupancy = z.object({
  current: CurrentOccupancy.nullable().meta({ description: "Null if unknown" }),
  forecast: OccupancyForecast,
}).meta({ id: "Occupancy" });
