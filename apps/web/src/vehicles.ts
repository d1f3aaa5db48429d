/** The vehicles of the user. */
import type { components } from "parking-lot-client";
import { client, isSignedIn } from "./service.ts";

export type UserVehicle = components["schemas"]["UserVehicle"];

/** None for a guest. */
export async function readVehicles(signal: AbortSignal): Promise<UserVehicle[]> {
  if (!isSignedIn.value) return [];
  return (await client.GET("/v1/me/vehicles", { signal })).data.items;
}
