import { z } from "zod";
import { user_vehicles } from "../_shared/db/columns.ts";
import { blankableColumn, column, storedColumns } from "../_shared/schema/columns.ts";
import { Vehicle } from "../_shared/schema/fit.ts";
import { pageOf } from "../_shared/schema/lists.ts";
import { Id, pathId, Timestamp } from "../_shared/schema/values.ts";

/** The fields that describe a vehicle, in requests. */
const described = {
  nickname: blankableColumn(user_vehicles.nickname).optional(),
  plate_number: blankableColumn(user_vehicles.plate_number).optional().meta({ examples: ["品川 300 あ 12-34"] }),
  color: blankableColumn(user_vehicles.color).optional(),
  ...Vehicle.shape,
};

export const UserVehicle = z.object({
  id: Id,
  user_id: Id,
  vehicle_type: z.string().meta({ description: "A code of category `vehicle_type`", examples: ["standard"] }),
  ...storedColumns(user_vehicles, Object.keys(described) as (keyof typeof described)[]),
  plate_number: z.string().nullable().meta({ description: "Only visible to the owner" }),
  is_default: z.boolean().meta({ description: "True for exactly one of the caller's vehicles" }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "UserVehicle" });

export const UserVehicles = pageOf(UserVehicle, "UserVehicles");

export const VehicleParams = z.strictObject({ id: pathId("VehicleId", "The vehicle") });

const VehicleType = column(user_vehicles.vehicle_type).meta({
  description: "A code of category `vehicle_type`",
  examples: ["standard"],
});

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
