import { z } from "zod";

/** A vehicle as a search names it; every measure may be left out. */
export const Vehicle = z.strictObject({
  height_m: z.number().positive().max(10).nullable().optional(),
  width_m: z.number().positive().max(5).nullable().optional(),
  length_m: z.number().positive().max(20).nullable().optional(),
  weight_t: z.number().positive().max(50).nullable().optional(),
  clearance_cm: z.int().min(0).max(100).nullable().optional().meta({
    description: "How high above the ground the vehicle's lowest part is",
  }),
  tire_width_mm: z.int().positive().max(500).nullable().optional(),
}).meta({ id: "Vehicle", description: "Measures of a vehicle" });

const Measure = z.enum(["height_m", "width_m", "length_m", "weight_t", "clearance_cm", "tire_width_mm"]);

export const Fit = z.object({
  fits: z.boolean().nullable().meta({
    description: "True: every measure is within a known limit. False: at least one limit is exceeded. Null: none is " +
      "known to be exceeded, but a limit is not known",
  }),
  failing: z.array(Measure).meta({
    description: "Measures beyond the lot's limit",
    examples: [["height_m"]],
  }),
  unknown: z.array(Measure).meta({ description: "Measures for which the lot's limit is not known" }),
  limits: z.partialRecord(Measure, z.number().nullable()).meta({
    description: "The lot's limit for each measure that was asked: at most, but for `clearance_cm`, which is at least",
    examples: [{ height_m: 2.1 }],
  }),
}).meta({ id: "VehicleFit", description: "Whether a vehicle fits, and why not" });
