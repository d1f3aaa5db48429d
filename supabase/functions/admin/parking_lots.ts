import type { z } from "zod";
import { PageQuery } from "../_shared/schema/lists.ts";
import { CONFIRM_ASSET_CALLS, confirmAsset, fileUrl, PUBLISH_CALLS, publishAsset } from "../_shared/storage/assets.ts";
import type { Links } from "../_shared/http/links.ts";
import { route } from "../_shared/http/route.ts";
import type { ObjectStorage } from "../_shared/storage/object_storage.ts";
import { AdminActivityLogs } from "./activity_logs.schema.ts";
import {
  AdminParkingLot,
  AdminParkingLots,
  AdminParkingLotsQuery,
  DeletedParkingLot,
  NewParkingLot,
  ParkingLotChanges,
} from "./parking_lots.schema.ts";
import { Fee } from "../_shared/schema/fees.ts";
import {
  DateOverrides,
  FeePreview,
  LotImages,
  LotPricingRules,
  LotTags,
  PricingGroups,
  Spots,
  Windows,
} from "./parking_lot_sets.schema.ts";
import { LotParams } from "../_shared/schema/values.ts";

type LotResponse = z.input<typeof AdminParkingLot>;
type StoredImage = Omit<LotResponse["images"][number], "image_url"> & {
  storage_key: string | null;
  is_public: boolean;
};
type Stored = Omit<LotResponse, "images"> & { images: StoredImage[] };

/** Replaces the images' storage keys by URLs. */
async function toResponse(
  reader: { links: Links; storage: ObjectStorage },
  { images, ...lot }: Stored,
): Promise<LotResponse> {
  return {
    ...lot,
    images: await Promise.all(images.map(async ({ storage_key, is_public, ...image }) => ({
      ...image,
      image_url: storage_key === null ? null : await fileUrl(reader, { storage_key, is_public }),
    }))),
  };
}

export const listLotsOfAllStatuses = route({
  method: "GET",
  path: "/admin/parking-lots",
  access: "admin",
  area: "lots",
  summary: "List lots of any status",
  description: "Most recently changed first.",
  query: AdminParkingLotsQuery,
  reply: [200, AdminParkingLots],
  errors: [],
  calls: "admin_list_parking_lots",
});

export const createParkingLot = route({
  method: "POST",
  path: "/admin/parking-lots",
  access: "admin",
  area: "lots",
  summary: "Create a lot",
  description: "The `status` is `draft` unless `active` is given. Returns 409 `conflict` with `details.reason` " +
    "`external_id_taken` if another lot of the `source` has this `external_id`.",
  body: NewParkingLot,
  reply: [201, AdminParkingLot],
  errors: ["conflict"],
  calls: "admin_create_parking_lot",
  uses: ["storage"],
  handle: async ({ db, body, links, storage }) =>
    await toResponse({ links, storage }, await db.rpc<Stored>("admin_create_parking_lot", { lot: body })),
});

export const readLotOfAnyStatus = route({
  method: "GET",
  path: "/admin/parking-lots/{id}",
  access: "admin",
  area: "lots",
  summary: "Get a lot of any status with all related data",
  params: LotParams,
  reply: [200, AdminParkingLot],
  errors: ["lot_not_found"],
  isVersioned: true,
  calls: "admin_get_parking_lot",
  uses: ["storage"],
  handle: async ({ db, params, links, storage }) =>
    await toResponse({ links, storage }, await db.rpc<Stored>("admin_get_parking_lot", { parking_lot_id: params.id })),
});

export const updateParkingLot = route({
  method: "PATCH",
  path: "/admin/parking-lots/{id}",
  access: "admin",
  area: "lots",
  summary: "Update a lot",
  description:
    "Also changes the `status`. A transition that is not allowed returns 409 `conflict` with `details.allowed`.",
  params: LotParams,
  body: ParkingLotChanges,
  reply: [200, AdminParkingLot],
  errors: ["lot_not_found", "precondition_failed", "conflict"],
  isVersioned: true,
  calls: "admin_update_parking_lot",
  uses: ["storage"],
  handle: async ({ db, params, body, ifMatch, links, storage }) => {
    const args = { parking_lot_id: params.id, changes: body, if_match: ifMatch };
    return await toResponse({ links, storage }, await db.rpc<Stored>("admin_update_parking_lot", args));
  },
});

export const deleteParkingLot = route({
  method: "DELETE",
  path: "/admin/parking-lots/{id}",
  access: "admin",
  area: "lots",
  summary: "Delete or close a lot",
  description:
    "A lot that was ever used for a session is closed instead of deleted. `deleted` reports which of the two " +
    "happened. Deleting a lot also deletes all related data, including reviews.",
  params: LotParams,
  reply: [200, DeletedParkingLot],
  errors: ["lot_not_found"],
  calls: "admin_delete_parking_lot",
  args: ({ params }) => ({ parking_lot_id: params.id }),
});

export const listParkingLotHistory = route({
  method: "GET",
  path: "/admin/parking-lots/{id}/history",
  access: "admin",
  area: "lots",
  summary: "List administrator actions on a lot",
  description: "Newest first. Also works for a deleted lot.",
  params: LotParams,
  query: PageQuery,
  reply: [200, AdminActivityLogs],
  errors: [],
  calls: "admin_list_parking_lot_history",
  args: ({ params, query }) => ({ parking_lot_id: params.id, ...query }),
});

export const previewParkingLotFee = route({
  method: "POST",
  path: "/admin/parking-lots/{id}/preview-fee",
  access: "admin",
  area: "lots",
  summary: "Preview a fee with unsaved rules",
  description:
    "Returns the result of calc-fee as if these sets were stored. They are validated in the same way, and nothing is " +
    "stored. A rule can refer to a group of the same request by an `id` that the client chose.",
  params: LotParams,
  body: FeePreview,
  reply: [200, Fee],
  errors: ["lot_not_found", "conflict", "fee_unknown"],
  calls: "admin_preview_parking_lot_fee",
  args: ({ params, body }) => ({ parking_lot_id: params.id, ...body }),
});

const REPLACES =
  "Replaces the whole set. An item with the `id` of an existing row updates that row. An item without an `id` " +
  "updates the row that is the same. Other items become new rows, and all remaining rows are deleted. The whole set " +
  "is validated before it is stored, and errors name the position of the item.";

/** A route that replaces a set of a lot. */
function replaceSet<Name extends string>(
  { name, path, summary, body, more = "" }: {
    name: Name;
    path: `/${string}`;
    summary: string;
    body: z.ZodObject<Record<Name | "reason", z.ZodType>, z.core.$strict>;
    more?: string;
  },
) {
  return route({
    method: "PUT",
    path: `/admin/parking-lots/{id}${path}`,
    access: "admin",
    area: "lots",
    summary,
    description: `${REPLACES}${more}`,
    params: LotParams,
    body,
    reply: [200, AdminParkingLot],
    errors: ["lot_not_found", "precondition_failed", "conflict"],
    isVersioned: true,
    calls: "admin_put_parking_lot_set",
    uses: ["storage"],
    handle: async ({ db, params, body, ifMatch, links, storage }) => {
      const { [name]: items, reason } = body as { reason?: string } & Record<string, unknown>;
      const args = { parking_lot_id: params.id, set: name, items, if_match: ifMatch, reason };
      return await toResponse({ links, storage }, await db.rpc<Stored>("admin_put_parking_lot_set", args));
    },
  });
}

export const replaceSpots = replaceSet({
  name: "spots",
  path: "/spots",
  summary: "Replace the spots of a lot",
  body: Spots,
  more: " Spots with the same `code` are the same.",
});

export const replacePricingGroups = replaceSet({
  name: "pricing_groups",
  path: "/pricing-groups",
  summary: "Replace the pricing groups of a lot",
  body: PricingGroups,
  more: " Groups with the same `code` are the same. A group can only be left out if it has no rules. Otherwise the " +
    "request returns 409 `conflict` with `details.reason` `pricing_group_in_use`.",
});

export const replacePricingRules = replaceSet({
  name: "pricing_rules",
  path: "/pricing-rules",
  summary: "Replace the pricing rules of a lot",
  body: LotPricingRules,
  more: " A rate that never applies, because other rules of its group always take precedence, is rejected.",
});

export const replaceWindows = replaceSet({
  name: "windows",
  path: "/windows",
  summary: "Replace the weekly hours of a lot",
  body: Windows,
  more: " Contradicting windows are rejected, for example open and closed on the same days.",
});

export const replaceDateOverrides = replaceSet({
  name: "date_overrides",
  path: "/date-overrides",
  summary: "Replace the date overrides of a lot",
  body: DateOverrides,
  more: " Overrides of the same date are the same.",
});

export const replaceLotTags = replaceSet({
  name: "tags",
  path: "/tags",
  summary: "Replace the tags of a lot",
  body: LotTags,
});

export const replaceLotImages = route({
  method: "PUT",
  path: "/admin/parking-lots/{id}/images",
  access: "admin",
  area: "lots",
  summary: "Replace the images of a lot",
  description:
    `${REPLACES} Images of the same file are the same. Upload files first (\`POST /v1/storage/upload-url\`, ` +
    "category `parking_lot`, `is_public`). Files that the lot no longer uses are deleted.",
  params: LotParams,
  body: LotImages,
  reply: [200, AdminParkingLot],
  errors: ["lot_not_found", "precondition_failed", "conflict"],
  isVersioned: true,
  calls: ["admin_put_parking_lot_set", ...CONFIRM_ASSET_CALLS, ...PUBLISH_CALLS],
  uses: ["storage"],
  handle: async (context) => {
    const { db, params, body: { images, reason }, ifMatch, links, storage } = context;
    await Promise.all(
      images.map(({ asset_id }, nth) => confirmAsset(context, asset_id, "parking_lot", `images.${nth}.asset_id`)),
    );
    const args = { parking_lot_id: params.id, set: "images", items: images, if_match: ifMatch, reason };
    const lot = await db.rpc<Stored>("admin_put_parking_lot_set", args);
    const published = await Promise.all(lot.images.map(async (image) => ({
      ...image,
      is_public: image.is_public || image.storage_key !== null && await publishAsset(context, image.asset_id),
    })));
    return await toResponse({ links, storage }, { ...lot, images: published });
  },
});
