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
  description: "The nearest public lots within the radius that pass all filters, compared for one stay: the one from " +
    "`filters.entry_at` to `filters.exit_at`, else 60 minutes from now. The ranking is over the lots of the reply. " +
    "Of the lots with the `tags` and the `max_height_m` the nearest 3,000 are searched for `open_now` and `max_price`. `X-Truncated: true` says that " +
    "further lots within the radius pass the filters, or were not searched.",
  query: NearbyQuery,
  reply: [200, NearbyParkingLots],
  errors: ["forbidden"],
  isExpensive: ({ filters }) => isLongStay(filters),
  cache: { scope: "private", maxAge: 0 },
  isTruncated: (returned) => returned["is_truncated"] === true,
  shownLots: (items) => items.map(({ id }) => id),
  handle: async ({ db, query, links }) => {
    const { items, is_truncated } = await db.rpc<Found>("nearby_parking_lots", query);
    const shown = items.map((item) => ({ ...item, main_image: links.asset(item.main_image) }));
    return Object.assign(shown, { is_truncated });
  },
});
