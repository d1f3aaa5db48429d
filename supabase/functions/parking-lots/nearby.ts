import type { z } from "zod";
import { route } from "../_shared/http/route.ts";
import { NearbyParkingLots, NearbyQuery } from "../_shared/schema/parking_lots.ts";

type Row = Omit<z.input<typeof NearbyParkingLots>[number], "main_image"> & {
  main_image: string | null;
};

export const nearbyParkingLots = route({
  method: "GET",
  path: "/parking-lots/nearby",
  access: "optional",
  summary: "Find parking lots near a point",
  description: "The nearest public lots within the radius that pass all filters, however many others lie between, " +
    "compared for one stay: the one from `filters.entry_at` to `filters.exit_at`, else 60 minutes from now. The " +
    "ranking is over the lots of the reply.",
  query: NearbyQuery,
  reply: [200, NearbyParkingLots],
  refusals: ["forbidden"],
  cache: { scope: "private", maxAge: 0 },
  handle: async ({ db, query, links }) => {
    const rows = await db.rpc<Row[]>("nearby_parking_lots", query);
    return rows.map((row) => ({ ...row, main_image: links.asset(row.main_image) }));
  },
});
