import type { z } from "zod";
import { Refusal } from "../_shared/errors.ts";
import { route } from "../_shared/http/route.ts";
import { NearbyParkingLots, NearbyQuery } from "../_shared/schema/parking_lots.ts";

type Query = z.output<typeof NearbyQuery>;
type Row = Omit<z.input<typeof NearbyParkingLots>[number], "main_image"> & {
  main_image: string | null;
};

export const nearbyParkingLots = route({
  method: "GET",
  path: "/parking-lots/nearby",
  access: "optional",
  summary: "Find parking lots near a point",
  description: "Public lots within the radius, nearest first; equally near ones by id.",
  query: NearbyQuery,
  reply: [200, NearbyParkingLots],
  refusals: ["forbidden"],
  cache: { scope: "private", maxAge: 0 },
  handle: async ({ db, query, links }) => {
    refuseWhatIsNotYetAvailable(query);
    const { lat, lng, radius_m, limit, filters } = query;
    const rows = await db.rpc<Row[]>("nearby_parking_lots", {
      lat,
      lng,
      radius_m,
      limit,
      filters,
    });
    return rows.map((row) => ({ ...row, main_image: links.asset(row.main_image) }));
  },
});

/** Needs the opening hours and fees of a lot, which nothing evaluates yet. */
const laterFilters = ["open_now", "max_price", "entry_at", "exit_at"] as const;

function refuseWhatIsNotYetAvailable({ filters, sort }: Query): void {
  const asked: string[] = laterFilters.filter((key) => filters[key] !== undefined).map((key) => `filters.${key}`);
  if (sort !== "distance") asked.push("sort");
  const errors = asked.map((param) => ({
    param,
    code: "not_yet_available",
    message: "This is not yet available.",
  }));
  const [first, ...others] = errors;
  if (first) throw Refusal.ofFields([first, ...others], { reason: "not_yet_available" });
}
