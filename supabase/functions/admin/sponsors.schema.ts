import { z } from "zod";
import { sponsors } from "../_shared/db/columns.ts";
import { column } from "../_shared/schema/columns.ts";
import { TimeStatus } from "./ads.schema.ts";
import { pageOf, PageQuery, SearchText } from "../_shared/schema/lists.ts";
import { Sponsor, WeeklyHours } from "../_shared/schema/sponsors.ts";
import { Id, Moment, pathId, text, Timestamp, WebAddress } from "../_shared/schema/values.ts";

export const AdminSponsor = Sponsor.omit({ is_open_now: true }).extend({
  image_asset_id: Id.nullable(),
  image_url: z.url().nullable().meta({
    description: "Null if there is no picture or its public copy does not exist yet",
  }),
  is_active: z.boolean(),
  status: TimeStatus,
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "AdminSponsor" });

export const AdminSponsors = pageOf(AdminSponsor, "AdminSponsors");

const Category = z.string().regex(
  /^[a-z][a-z0-9_]{0,49}$/,
  "Must begin with a lower-case letter and have at most 50 lower-case letters, digits and underscores.",
).meta({ examples: ["cafe"] });

export const AdminSponsorsQuery = z.strictObject({
  category: Category.optional().meta({ description: "Only sponsors of this category" }),
  status: TimeStatus.optional(),
  q: SearchText.meta({ description: "Only sponsors whose name or address contains this text" }),
  ...PageQuery.shape,
});

export const AdminSponsorParams = z.strictObject({ id: pathId("SponsorId", "The sponsor") });

const Hours = z.array(z.strictObject({
  ...WeeklyHours.element.shape,
  opens: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "Must be a time of day from 00:00 to 23:59."),
  closes: z.string().regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, "Must be a time of day from 00:00 to 24:00."),
})).max(100);

export const SponsorChanges = z.strictObject({
  name: column(sponsors.name),
  description: column(sponsors.description),
  category: Category.nullable(),
  address: column(sponsors.address),
  lat: column(sponsors.lat),
  lng: column(sponsors.lng),
  website: WebAddress.nullable(),
  image_asset_id: Id.nullable().meta({
    description: "An unused public upload of the caller, of category `parking_lot`",
  }),
  opening_hours: Hours.nullable(),
  time_zone: text(1, 64).meta({ description: "Name of an IANA time zone", examples: ["Asia/Tokyo"] }),
  checkin_radius_m: column(sponsors.checkin_radius_m),
  sort_order: column(sponsors.sort_order),
  starts_at: Moment,
  ends_at: Moment.nullable().meta({ description: "When display ends, after `starts_at`. Null for no end." }),
  is_active: z.boolean().meta({ description: "`false` withdraws the sponsor immediately" }),
}).partial().meta({ id: "SponsorChanges" });

export const NewSponsor = SponsorChanges.required({ name: true, lat: true, lng: true }).meta({ id: "NewSponsor" });

/** A sponsor from the database, with the key of its picture. */
export type StoredAdminSponsor = Omit<z.input<typeof AdminSponsor>, "image_url"> & { readonly image: string | null };
