import { z } from "zod";
import { ads } from "../_shared/db/columns.ts";
import { column } from "../_shared/schema/columns.ts";
import { Ad, Placement } from "../_shared/schema/ads.ts";
import { pageOf, PageQuery, SearchText } from "../_shared/schema/lists.ts";
import { Moment, pathId, Timestamp, WebAddress } from "../_shared/schema/values.ts";

export const TimeStatus = z.enum(["scheduled", "shown", "ended", "withdrawn"]).meta({
  description: "Current state: `withdrawn` if `is_active` is false, otherwise derived from `starts_at` and `ends_at`",
});

export const AdminAd = Ad.extend({
  weight: z.int().meta({
    description: "Relative weight among the advertisements of its placement, for the first position",
  }),
  is_active: z.boolean(),
  status: TimeStatus,
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "AdminAd" });

export const AdminAds = pageOf(AdminAd, "AdminAds");

export const AdminAdsQuery = z.strictObject({
  placement: Placement.optional().meta({ description: "Only advertisements at this place of the app" }),
  status: TimeStatus.optional(),
  q: SearchText.meta({ description: "Only advertisements whose title contains this text" }),
  ...PageQuery.shape,
});

export const AdminAdParams = z.strictObject({ id: pathId("AdvertisementId", "The advertisement") });

const fields = {
  placement: Placement,
  title: column(ads.title),
  body: column(ads.body),
  image_url: WebAddress.nullable(),
  link_url: WebAddress.nullable(),
  weight: column(ads.weight),
  starts_at: Moment,
  ends_at: Moment.nullable().meta({ description: "When display ends, after `starts_at`. Null for no end." }),
  is_active: z.boolean().meta({ description: "`false` stops display immediately" }),
};

export const AdChanges = z.strictObject(fields).partial().meta({ id: "AdChanges" });

export const NewAd = AdChanges.required({ placement: true, title: true }).extend({
  weight: fields.weight.optional().meta({ description: "Default: 100" }),
  starts_at: fields.starts_at.optional().meta({ description: "Default: now" }),
}).meta({ id: "NewAd" });
