import { z } from "zod";
import { sponsor_checkins, sponsors } from "../db/columns.ts";
import { column } from "./columns.ts";
import { pageOf, PageQuery } from "./lists.ts";
import { NearbyQuery } from "./parking_lots.ts";
import { Id, pathId, text, Timestamp } from "./values.ts";

export const WeeklyHours = z.array(z.object({
  weekday: z.int().min(1).max(7).meta({ description: "1 is Monday, 7 Sunday" }),
  opens: z.string().meta({ examples: ["10:00"] }),
  closes: z.string().meta({ description: "If before `opens`, it is on the next day", examples: ["20:00"] }),
})).meta({ id: "WeeklyHours", description: "Weekly opening hours in the sponsor's time zone" });

const fields = {
  id: Id,
  name: z.string(),
  description: z.string().nullable(),
  category: z.string().nullable().meta({ examples: ["cafe"] }),
  address: z.string().nullable(),
  lat: z.number(),
  lng: z.number(),
  website: z.string().nullable().meta({ examples: ["https://example.com/"] }),
  image_url: z.url().nullable(),
  opening_hours: WeeklyHours.nullable().meta({ description: "Null if unknown" }),
  time_zone: z.string().meta({ examples: ["Asia/Tokyo"] }),
  is_open_now: z.boolean().nullable().meta({ description: "Derived from `opening_hours`. Null if they are unknown." }),
  checkin_radius_m: z.int().meta({ description: "Maximum distance for a check-in", examples: [100] }),
  starts_at: Timestamp,
  ends_at: Timestamp.nullable(),
  sort_order: z.int(),
};

export const Sponsor = z.object(fields).meta({ id: "Sponsor" });

export const Sponsors = pageOf(Sponsor, "Sponsors");

export const SponsorsQuery = z.strictObject({
  category: text(1, 50).optional().meta({ description: "Only sponsors of this category" }),
  ...PageQuery.shape,
});

export const NearbySponsors = z.array(
  z.object({
    ...fields,
    distance_m: z.number().min(0).meta({ description: "Great-circle distance in metres, two decimals" }),
  }).meta({ id: "NearbySponsor" }),
).meta({ id: "NearbySponsors", description: "Nearest first. Ties are ordered by id." });

export const NearbySponsorsQuery = NearbyQuery.pick({ lat: true, lng: true, radius_m: true }).extend({
  limit: z.int().min(1).max(100).default(50).meta({
    description: "Maximum number of sponsors. The nearest are returned.",
  }),
}).strict();

export const SponsorParams = z.strictObject({ id: pathId("SponsorId", "The sponsor") });

export const NewCheckin = z.strictObject({
  lat: column(sponsors.lat),
  lng: column(sponsors.lng),
  accuracy_m: column(sponsor_checkins.accuracy_m).meta({
    description: "Accuracy of the position in metres. At most 100 is accepted.",
    examples: [12.5],
  }),
}).meta({ id: "NewCheckin" });

export const Checkin = z.object({
  id: Id,
  sponsor_id: Id,
  local_date: z.iso.date().meta({ description: "The date in the sponsor's time zone" }),
  distance_m: z.number().min(0),
  created_at: Timestamp,
  counted: z.boolean().meta({
    description: "False: the caller had already checked in there on that day, and this is that check-in.",
  }),
}).meta({ id: "SponsorCheckin" });

/** A sponsor from the database, with the key of its picture. */
export type StoredSponsor = Omit<z.input<typeof Sponsor>, "image_url"> & { readonly image: string | null };
export type StoredSponsors = Omit<z.input<typeof Sponsors>, "items"> & { readonly items: readonly StoredSponsor[] };
export type StoredNearbySponsor = StoredSponsor & { readonly distance_m: number };
