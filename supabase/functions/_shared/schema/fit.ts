import { z } from "zod";
import { user_vehicles } from "../db/columns.ts";
import { column } from "./columns.ts";

/** A vehicle in a search. Every dimension is optional. */
export const Vehicle = z.strictObject({
  height_m: column(user_vehicles.height_m).optional(),
  width_m: column(user_vehicles.width_m).optional(),
  length_m: column(user_vehicles.length_m).optional(),
  weight_t: column(user_vehicles.weight_t).optional(),
  clearance_cm: column(user_vehicles.clearance_cm).optional().meta({
    description: "Ground clearance of the vehicle",
  }),
  tire_width_mm: column(user_vehicles.tire_width_mm).optional(),
}).meta({ id: "Vehicle", description: "Dimensions of a vehicle" });

const Measure = z.enum(["height_m", "width_m", "length_m", "weight_t", "clearance_cm", "tire_width_mm"]);

export const Fit = z.object({
  fits: z.boolean().nullable().meta({
    description:
      "True: every dimension is within a known limit. False: at least one limit is exceeded. Null: no limit is known " +
      "to be exceeded, but at least one limit is unknown.",
  }),
  failing: z.array(Measure).meta({
    description: "Dimensions that exceed the lot's limit",
    examples: [["height_m"]],
  }),
  unknown: z.array(Measure).meta({ description: "Dimensions for which the lot's limit is unknown" }),
  limits: z.partialRecord(Measure, z.number().nullable()).meta({
    description:
      "The lot's limit for each requested dimension. Each is a maximum, except `clearance_cm`, which is a minimum.",
    examples: [{ height_m: 2.1 }],
  }),
}).meta({ id: "VehicleFit", description: "Whether a vehicle fits, and why not" });
