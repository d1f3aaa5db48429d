import { CONFIRM_ASSET_CALLS, confirmAsset } from "../_shared/storage/assets.ts";
import type { Caller } from "../_shared/auth/token.ts";
import type { Database } from "../_shared/db/client.ts";
import type { Links } from "../_shared/http/links.ts";
import { route } from "../_shared/http/route.ts";
import type { ObjectStorage } from "../_shared/storage/object_storage.ts";
import {
  AdminSponsor,
  AdminSponsorParams,
  AdminSponsors,
  AdminSponsorsQuery,
  NewSponsor,
  SponsorChanges,
  type StoredAdminSponsor,
  type StoredAdminSponsors,
} from "./sponsors.schema.ts";
import { Nothing } from "../_shared/schema/values.ts";

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

export const listSponsorsOfAllStates = route({
  method: "GET",
  path: "/admin/sponsors",
  access: "admin",
  area: "content",
  summary: "List sponsors in any state",
  description: "Sorted by `sort_order`.",
  query: AdminSponsorsQuery,
  reply: [200, AdminSponsors],
  errors: [],
  calls: "admin_list_sponsors",
  handle: async ({ db, query, links }) => {
    const page = await db.rpc<StoredAdminSponsors>("admin_list_sponsors", query);
    return { ...page, items: page.items.map((sponsor) => toResponse(sponsor, links)) };
  },
});

export const createSponsor = route({
  method: "POST",
  path: "/admin/sponsors",
  access: "admin",
  area: "content",
  summary: "Create a sponsor",
  description:
    "The sponsor is shown from `starts_at` to `ends_at` while `is_active` is true. Upload the picture first, with " +
    "category `parking_lot` and `is_public`.",
  body: NewSponsor,
  reply: [201, AdminSponsor],
  errors: ["not_found"],
  calls: ["admin_create_sponsor", ...CONFIRM_IMAGE_CALLS],
  uses: ["storage"],
  handle: async (context) => {
    await confirmImage(context);
    return toResponse(
      await context.db.rpc<StoredAdminSponsor>("admin_create_sponsor", { sponsor: context.body }),
      context.links,
    );
  },
});

export const readSponsorOfAnyState = route({
  method: "GET",
  path: "/admin/sponsors/{id}",
  access: "admin",
  area: "content",
  summary: "Get a sponsor in any state",
  params: AdminSponsorParams,
  reply: [200, AdminSponsor],
  errors: ["not_found"],
  isVersioned: true,
  calls: "admin_get_sponsor",
  handle: async ({ db, params, links }) =>
    toResponse(await db.rpc<StoredAdminSponsor>("admin_get_sponsor", params), links),
});

export const changeSponsor = route({
  method: "PATCH",
  path: "/admin/sponsors/{id}",
  access: "admin",
  area: "content",
  summary: "Update, withdraw or restore a sponsor",
  description:
    "Omitted fields do not change. `is_active` false withdraws the sponsor. Clients may cache the public list for " +
    "a minute. A replaced picture is deleted.",
  params: AdminSponsorParams,
  body: SponsorChanges,
  reply: [200, AdminSponsor],
  errors: ["not_found"],
  isVersioned: true,
  calls: ["admin_update_sponsor", ...CONFIRM_IMAGE_CALLS],
  uses: ["storage"],
  handle: async (context) => {
    await confirmImage(context);
    const { db, params, body, ifMatch, links } = context;
    const changed = await db.rpc<StoredAdminSponsor>("admin_update_sponsor", {
      ...params,
      changes: body,
      if_match: ifMatch,
    });
    return toResponse(changed, links);
  },
});

export const deleteSponsor = route({
  method: "DELETE",
  path: "/admin/sponsors/{id}",
  access: "admin",
  area: "content",
  summary: "Delete a sponsor that was never shown",
  description:
    "Returns 409 `conflict` with `details.reason` `was_shown` for any other advertisement. Set `is_active` to " +
    "`false` instead.",
  params: AdminSponsorParams,
  reply: [204, Nothing],
  errors: ["not_found", "conflict"],
  isVersioned: true,
  calls: "admin_delete_sponsor",
});
