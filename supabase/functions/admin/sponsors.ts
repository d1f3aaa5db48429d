import { CONFIRM_ASSET_CALLS, confirmAsset } from "../_shared/storage/assets.ts";
import type { Caller } from "../_shared/auth/token.ts";
import type { Database } from "../_shared/db/client.ts";
import type { Links } from "../_shared/http/links.ts";
import type { ObjectStorage } from "../_shared/storage/object_storage.ts";
import { contentRoutes } from "./content_routes.ts";
import {
  AdminSponsor,
  AdminSponsorParams,
  AdminSponsors,
  AdminSponsorsQuery,
  NewSponsor,
  SponsorChanges,
  type StoredAdminSponsor,
} from "./sponsors.schema.ts";

function toResponse({ image, ...sponsor }: StoredAdminSponsor, links: Links) {
  return { ...sponsor, image_url: links.asset(image) };
}

const CONFIRM_IMAGE_CALLS = ["check_administrator", ...CONFIRM_ASSET_CALLS] as const;

interface ImageContext {
  readonly caller: Caller;
  readonly service: Database<(typeof CONFIRM_IMAGE_CALLS)[number]>;
  readonly storage: ObjectStorage;
  readonly body: { readonly image_asset_id?: string | null | undefined };
}

/** Checks the upload of the picture, after the administrator's area is checked. */
async function confirmImage(context: ImageContext): Promise<void> {
  const { image_asset_id } = context.body;
  if (!image_asset_id) return;
  await context.service.rpc("check_administrator", { admin_id: context.caller.id, area: "content" });
  await confirmAsset(context, image_asset_id, "parking_lot", "image_asset_id");
}

export const {
  list: listSponsorsOfAllStates,
  create: createSponsor,
  read: readSponsorOfAnyState,
  change: changeSponsor,
  remove: deleteSponsor,
} = contentRoutes({
  path: "/admin/sponsors",
  area: "content",
  params: AdminSponsorParams,
  item: AdminSponsor,
  list: {
    calls: "admin_list_sponsors",
    query: AdminSponsorsQuery,
    page: AdminSponsors,
    summary: "List sponsors in any state",
    description: "Sorted by `sort_order`.",
  },
  create: {
    calls: "admin_create_sponsor",
    as: "sponsor",
    body: NewSponsor,
    errors: ["not_found"],
    summary: "Create a sponsor",
    description:
      "The sponsor is shown from `starts_at` to `ends_at` while `is_active` is true. Upload the picture first, with " +
      "category `parking_lot` and `is_public`.",
  },
  read: { calls: "admin_get_sponsor", summary: "Get a sponsor in any state" },
  change: {
    calls: "admin_update_sponsor",
    body: SponsorChanges,
    summary: "Update, withdraw or restore a sponsor",
    description:
      "Omitted fields do not change. `is_active` false withdraws the sponsor. Clients may cache the public list for " +
      "a minute. A replaced picture is deleted.",
  },
  remove: {
    calls: "admin_delete_sponsor",
    errors: ["conflict"],
    summary: "Delete a sponsor that was never shown",
    description: "Returns 409 `conflict` with `details.reason` `was_shown` for any other sponsor. Set `is_active` to " +
      "`false` instead.",
  },
  show: toResponse,
  precheck: { calls: CONFIRM_IMAGE_CALLS, uses: ["storage"], run: confirmImage },
});
