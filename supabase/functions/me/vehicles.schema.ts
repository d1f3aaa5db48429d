import { z } from "zod";
import { Vehicle } from "../_shared/schema/fit.ts";
import { pageOf } from "../_shared/schema/lists.ts";
import { Id, pathId, text, Timestamp } from "../_shared/schema/values.ts";

const measures = Vehicle.shape;
const measure = z.number().nullable();

export const UserVehicle = z.object({
  id: Id,
  user_id: Id,
  vehicle_type: z.string().meta({ description: "A code of category `vehicle_type`", examples: ["standard"] }),
  nickname: z.string().nullable(),
  plate_number: z.string().nullable().meta({ description: "Only visible to the owner" }),
  color: z.string().nullable(),
  height_m: measure,
  width_m: measure,
  length_m: measure,
  weight_t: measure,
  clearance_cm: z.int().nullable(),
  tire_width_mm: z.int().nullable(),
  is_default: z.boolean().meta({ description: "True for exactly one of the caller's vehicles" }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "UserVehicle" });

export const UserVehicles = pageOf(UserVehicle, "UserVehicles");

export const VehicleParams = z.strictObject({ id: pathId("VehicleId", "The vehicle") });

const VehicleType = text(1, 50).meta({ description: "A code of category `vehicle_type`", examples: ["standard"] });

const described = {
  nickname: text(0, 50).nullable().optional(),
  plate_number: text(0, 30).nullable().optional().meta({ examples: ["品川 300 あ 12-34"] }),
  color: text(0, 30).nullable().optional(),
  ...measures,
};

export const NewVehicle = z.strictObject({
  vehicle_type: VehicleType,
  ...described,
  is_default: z.boolean().optional().meta({
    description:
      "True makes this vehicle the default instead of the current one. The first vehicle is always the default.",
  }),
}).meta({ id: "NewVehicle" });

export const VehicleUpdate = z.strictObject({
  vehicle_type: VehicleType.optional(),
  ...described,
  is_default: z.boolean().optional().meta({
    description:
      "True makes this vehicle the default instead of the current one. False returns 409 `conflict` for the default " +
      "vehicle.",
  }),
}).meta({ id: "VehicleUpdate", description: "An omitted field does not change. Null clears it" });
