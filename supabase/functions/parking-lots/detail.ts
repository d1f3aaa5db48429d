import type { z } from "zod";
import { route } from "../_shared/http/route.ts";
import { LotDetail, LotDetailQuery } from "../_shared/schema/lot_detail.ts";
import { LotParams } from "../_shared/schema/values.ts";

type Detail = z.input<typeof LotDetail>;
type Image = Omit<Detail["images"][number], "image_url"> & { storage_key: string | null };
type Row = Omit<Detail, "images"> & { images: Image[] };

export const readParkingLot = route({
  method: "GET",
  path: "/parking-lots/{id}",
  access: "optional",
  summary: "Get all details of a lot",
  description:
    "Includes the current state and its next change. With `entry_at` and `exit_at` also the state and the fee of " +
    "the stay. Unknown values are null.",
  params: LotParams,
  query: LotDetailQuery,
  reply: [200, LotDetail],
  errors: ["forbidden", "lot_not_found"],
  cache: { scope: "private", maxAge: 0 },
  calls: "get_parking_lot",
  handle: async ({ db, params, query, links }) => {
    const lot = await db.rpc<Row>("get_parking_lot", { parking_lot_id: params.id, ...query });
    return {
      ...lot,
      main_image: links.asset(lot.main_image),
      images: lot.images.map(({ storage_key, ...image }) => ({ ...image, image_url: links.asset(storage_key) })),
    };
  },
});
