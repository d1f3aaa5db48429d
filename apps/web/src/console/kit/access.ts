/// <reference lib="dom" />
/** What the administrator may do, and the client of the console, which notices when that changes. */
import { signal } from "@preact/signals";
import { type components, createParkingClient, type ResponseBody } from "parking-lot-client";
import { supabase } from "../../service.ts";
import { settings } from "../../settings.ts";

export type Area = components["schemas"]["AdminArea"];

/** The account of the administrator; undefined until it has been read. */
export const me = signal<ResponseBody<"/v1/me", "get"> | undefined>(undefined);

export const client = createParkingClient({
  url: settings.api,
  supabase,
  fetch: async (request) => {
    const response = await fetch(request);
    // The areas may have changed since they were read.
    if (response.status === 403) void readMe().catch(() => {});
    return response;
  },
});

export async function readMe(signal?: AbortSignal): Promise<void> {
  me.value = (await client.GET("/v1/me", { ...(signal ? { signal } : {}) })).data;
}

export const isAdministrator = () => me.value?.permission_scopes.includes("admin") ?? false;

/** Whether the administrator has the area; each active one has no area at all. */
export function may(area: Area | undefined): boolean {
  return me.value?.permission_scopes.includes(area === undefined ? "admin" : `admin:${area}`) ?? false;
}
