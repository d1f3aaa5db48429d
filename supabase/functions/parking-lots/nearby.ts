import type { z } from "zod";
import { route } from "../_shared/http/route.ts";
import { NearbyParkingLots, NearbyQuery } from "../_shared/schema/parking_lots.ts";
import { isLongStay } from "../_shared/schema/values.ts";

type Item = Omit<z.input<typeof NearbyParkingLots>[number], "main_image"> & {
  main_image: string | null;
};

interface Found {
  readonly items: readonly Item[];
  readonly is_truncated: boolean;
}

export const nearbyParkingLots = route({
  method: "GET",
  path: "/parking-lots/nearby",
  access: "optional",
  summary: "Find parking lots near a point",
  description:
    "The nearest public lots within the radius that pass all filters. They are compared for one stay: from " +
    "`filters.entry_at` to `filters.exit_at`, or 60 minutes from now. The ranking covers the lots of the response. " +
    "`open_now`, `max_price`, `without_surprises` and `usable=only` are applied to the nearest 3,000 lots that match `tags` and " +
    "`max_height_m`. " +
    "`X-Truncated: true` means that more lots within the radius match, or were not checked.",
  query: NearbyQuery,
  reply: [200, NearbyParkingLots],
  errors: ["forbidden"],
  isExpensive: ({ filters }) => isLongStay(filters),
  cache: { scope: "private", maxAge: 0 },
  isTruncated: (returned) => returned["is_truncated"] === true,
  shownLots: (items) => items.map(({ id }) => id),
  calls: "nearby_parking_lots",
  handle: async ({ db, query, links }) => {
    const { items, is_truncated } = await db.rpc<Found>("nearby_parking_lots", query);
    const lots = items.map((item) => ({ ...item, main_image: links.asset(item.main_image) }));
    return Object.assign(lots, { is_truncated });
  },
});
