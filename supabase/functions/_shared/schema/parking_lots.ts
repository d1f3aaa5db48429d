import { z } from "zod";
import { Id, text, Timestamp } from "./values.ts";

const notYet = "Not yet available: refused with `validation_error` and `details.reason` = `not_yet_available`.";

export const NearbyFilters = z.strictObject({
  max_height_m: z.number().positive().max(100).optional().meta({
    description: "Only lots whose stated height limit is at least this; an unknown limit never passes",
  }),
  tags: z.array(text(1, 50)).max(20).optional().meta({
    description: "Only lots that have all of these tags (slugs)",
  }),
  open_now: z.boolean().optional().meta({ description: notYet }),
  max_price: z.number().min(0).max(100_000).optional().meta({ description: notYet }),
  entry_at: Timestamp.optional().meta({ description: notYet }),
  exit_at: Timestamp.optional().meta({ description: notYet }),
}).meta({ id: "NearbyFilters" });

export const NearbyQuery = z.strictObject({
  lat: z.number().min(-90).max(90).meta({ description: "Latitude in degrees", example: 35.6812 }),
  lng: z.number().min(-180).max(180).meta({ description: "Longitude in degrees", example: 139.7671 }),
  radius_m: z.int().min(1).max(50_000).default(500).meta({ description: "Search radius in metres" }),
  limit: z.int().min(1).max(100).default(50).meta({ description: "How many lots at most, the nearest ones" }),
  filters: NearbyFilters.default({}).meta({
    description: "JSON object, url-encoded",
    example: { tags: ["covered"] },
  }),
  sort: z.enum(["distance", "price", "recommended"]).default("distance").meta({
    description: `Order of the lots. price and recommended: ${notYet}`,
  }),
});

export const NearbyParkingLot = z.object({
  id: Id,
  name: z.string(),
  address: z.string().nullable(),
  lat: z.number().nullable(),
  lng: z.number().nullable(),
  distance_m: z.number().min(0).meta({ description: "Great-circle distance in metres, two decimals" }),
  avg_rating: z.number().min(1).max(5).nullable().meta({ description: "Null without reviews" }),
  review_count: z.int().min(0),
  main_image: z.string().nullable().meta({ description: "Public URL of the main image" }),
  tags: z.array(z.string()).meta({
    description: "Slugs of the tags the lot has",
    examples: [["covered", "open_24h"]],
  }),
}).meta({ id: "NearbyParkingLot" });

export const NearbyParkingLots = z.array(NearbyParkingLot);
