import { route } from "../_shared/http/route.ts";
import { PageQuery } from "../_shared/schema/lists.ts";
import { Nothing } from "../_shared/schema/values.ts";
import { NewVehicle, UserVehicle, UserVehicles, VehicleParams, VehicleUpdate } from "./vehicles.schema.ts";

export const listVehicles = route({
  method: "GET",
  path: "/me/vehicles",
  access: "user",
  summary: "List the caller's vehicles",
  description: "Oldest first.",
  query: PageQuery,
  reply: [200, UserVehicles],
  errors: [],
  calls: "list_my_vehicles",
});

export const addVehicle = route({
  method: "POST",
  path: "/me/vehicles",
  access: "user",
  summary: "Register a vehicle",
  description: "At most ten vehicles: another one returns 409 `conflict` with `details.reason` `limit_reached`.",
  body: NewVehicle,
  reply: [201, UserVehicle],
  errors: ["conflict"],
  calls: "add_my_vehicle",
  args: ({ body }) => ({ vehicle: body }),
});

export const updateVehicle = route({
  method: "PATCH",
  path: "/me/vehicles/{id}",
  access: "user",
  summary: "Update a vehicle",
  description:
    "There is always exactly one default vehicle. To change it, set `is_default` of another vehicle to `true`. " +
    "Setting it to `false` for the default returns 409 `conflict` with `details.reason` `default_required`.",
  params: VehicleParams,
  body: VehicleUpdate,
  reply: [200, UserVehicle],
  errors: ["not_found", "conflict"],
  calls: "update_my_vehicle",
  args: ({ params, body }) => ({ id: params.id, changes: body }),
});

export const deleteVehicle = route({
  method: "DELETE",
  path: "/me/vehicles/{id}",
  access: "user",
  summary: "Delete a vehicle",
  description:
    "If the vehicle was the default, the oldest remaining vehicle becomes the default. Sessions keep their " +
    "vehicle, but its plate number is deleted.",
  params: VehicleParams,
  reply: [204, Nothing],
  errors: ["not_found"],
  calls: "delete_my_vehicle",
});
