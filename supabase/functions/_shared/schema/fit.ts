import { z } from "zod";

/** A vehicle in a search. Every dimension is optional. */
export const Vehicle = z.strictObject({
  height_m: z.number().positive().max(10).nullable().optional(),
  width_m: z.number().positive().max(5).nullable().optional(),
  length_m: z.number().positive().max(20).nullable().optional(),
  weight_t: z.number().positive().max(50).nullable().optional(),
  clearance_cm: z.int().min(0).max(100).nullable().optional().meta({
    description: "Ground clearance of the vehicle",
  }),
  tire_width_mm: z.int().positive().max(500).nullable().optional(),
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
