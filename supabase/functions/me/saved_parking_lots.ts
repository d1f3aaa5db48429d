import type { z } from "zod";
import { route } from "../_shared/http/route.ts";
import { PageQuery } from "../_shared/schema/lists.ts";
import { NewSavedParkingLot, SavedParams, SavedParkingLot, SavedParkingLots } from "./saved_parking_lots.schema.ts";
import { Nothing } from "../_shared/schema/values.ts";

type Page = z.input<typeof SavedParkingLots>;

export const listSavedParkingLots = route({
  method: "GET",
  path: "/me/saved-parking-lots",
  access: "user",
  summary: "List the caller's saved lots",
  description: "Latest first, each with its lot in the format of a search.",
  query: PageQuery,
  reply: [200, SavedParkingLots],
  errors: [],
  calls: "list_my_saved_parking_lots",
  handle: async ({ db, query, links }) => {
    const page = await db.rpc<Page>("list_my_saved_parking_lots", query);
    const items = page.items.map(({ parking_lot: lot, ...saved }) => ({
      ...saved,
      parking_lot: lot && { ...lot, main_image: links.asset(lot.main_image) },
    }));
    return { ...page, items };
  },
});

export const saveParkingLot = route({
  method: "POST",
  path: "/me/saved-parking-lots",
  access: "user",
  summary: "Save a lot",
  description: "If the lot is already saved, it stays saved and the response is 200.",
  body: NewSavedParkingLot,
  reply: [201, SavedParkingLot],
  alternateStatus: 200,
  replyStatus: ({ is_new }) => is_new ? 201 : 200,
  errors: ["lot_not_found"],
  calls: "save_parking_lot",
});

export const unsaveParkingLot = route({
  method: "DELETE",
  path: "/me/saved-parking-lots/{lotId}",
  access: "user",
  summary: "Remove a saved lot",
  description: "Also works for lots that are no longer public. Has no effect if the lot was not saved.",
  params: SavedParams,
  reply: [204, Nothing],
  errors: [],
  calls: "unsave_parking_lot",
  args: ({ params }) => ({ parking_lot_id: params.lotId }),
});
