import { z } from "zod";
import { FORMAT_NAMES } from "../_shared/formats/formats.ts";
import { Cursor, NextCursor } from "../_shared/schema/lists.ts";
import { Id } from "../_shared/schema/values.ts";

/** Lots of one response. Writing them needs up to a second of CPU; the platform ends a function after two. */
export const MAX_EXPORTED = 1000;

export const LotExportQuery = z.strictObject({
  format: z.enum(FORMAT_NAMES).meta({
    description:
      "`jsonld`: schema.org `ParkingFacility`. `osm`: GeoJSON with the tags of OpenStreetMap. `parkapi`: parking sites of ParkAPI v3.",
  }),
  ids: z.array(Id).max(100).optional().meta({ description: "Only these lots" }),
  limit: z.int().min(1).max(MAX_EXPORTED).default(MAX_EXPORTED).meta({ description: "Maximum number of lots" }),
  cursor: Cursor,
});

const Lots = z.array(z.record(z.string(), z.unknown())).optional();

export const LotExport = z.object({
  "@graph": Lots.meta({ description: "`jsonld`" }),
  type: z.literal("FeatureCollection").optional(),
  features: Lots.meta({ description: "`osm`" }),
  items: Lots.meta({ description: "`parkapi`" }),
  next_cursor: NextCursor,
  has_more: z.boolean(),
}).meta({ id: "ParkingLotExport" });
