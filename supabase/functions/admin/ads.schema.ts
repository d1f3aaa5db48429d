import { z } from "zod";
import { Ad, Placement } from "../_shared/schema/ads.ts";
import { Cursor, IncludeTotal, Limit, NextCursor, SearchText, Total } from "../_shared/schema/lists.ts";
import { Id, Moment, text, Timestamp, WebAddress } from "../_shared/schema/values.ts";

export const TimeStatus = z.enum(["scheduled", "shown", "ended", "withdrawn"]).meta({
  description: "As of now: `withdrawn` without `is_active`, otherwise from `starts_at` and `ends_at`",
});

export const AdminAd = Ad.extend({
  weight: z.int().meta({
    description: "How often it is first, compared with the weights of the others of its placement",
  }),
  is_active: z.boolean(),
  status: TimeStatus,
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "AdminAd" });

export const AdminAds = z.object({ items: z.array(AdminAd), next_cursor: NextCursor, total: Total }).meta({
  id: "AdminAds",
});

export const AdminAdsQuery = z.strictObject({
  placement: Placement.optional(),
  status: TimeStatus.optional(),
  q: SearchText.meta({ description: "Only advertisements with this in their title" }),
  limit: Limit,
  cursor: Cursor,
  include: IncludeTotal,
});

export const AdminAdParams = z.strictObject({ id: Id.meta({ description: "The advertisement" }) });

const fields = {
  placement: Placement,
  title: text(1, 100),
  body: text(0, 500).nullable(),
  image_url: WebAddress.nullable(),
  link_url: WebAddress.nullable(),
  weight: z.int().min(1).max(10_000),
  starts_at: Moment,
  ends_at: Moment.nullable().meta({ description: "From when on it is not shown, after `starts_at`; null: no end" }),
  is_active: z.boolean().meta({ description: "`false` stops it, whatever its time" }),
};

export const AdChanges = z.strictObject(fields).partial().meta({ id: "AdChanges" });

export const NewAd = AdChanges.required({ placement: true, title: true }).extend({
  weight: fields.weight.optional().meta({ description: "100 without one" }),
  starts_at: fields.starts_at.optional().meta({ description: "Now without one" }),
}).meta({ id: "NewAd" });
