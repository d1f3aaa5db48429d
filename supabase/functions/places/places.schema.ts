import { z } from "zod";
import { LangQuery } from "../_shared/schema/codes.ts";
import { text } from "../_shared/schema/values.ts";

export const PlacesQuery = z.strictObject({
  q: text(1, 100).refine((value) => value.trim() !== "", "Must have a character that is not blank.").meta({
    description: "What the user has typed so far",
    example: "しぶや",
  }),
  lat: z.number().min(-90).max(90).optional().meta({
    description:
      "Latitude of the middle of the map. Requires `lng`. Two decimals are enough, and make replies cacheable.",
    example: 35.68,
  }),
  lng: z.number().min(-180).max(180).optional().meta({
    description: "Longitude of the middle of the map. Requires `lat`.",
    example: 139.77,
  }),
  limit: z.int().min(1).max(20).default(8).meta({ description: "Maximum number of places" }),
  lang: LangQuery,
}).superRefine(({ lat, lng }, context) => {
  if ((lat === undefined) === (lng === undefined)) return;
  context.addIssue({
    code: "custom",
    message: "lat and lng must be given together.",
    path: [lat === undefined ? "lat" : "lng"],
  });
}).meta({ dependentRequired: { lat: ["lng"], lng: ["lat"] } });

export const PlaceQuery = z.strictObject({ lang: LangQuery });

const PlaceId = z.string().regex(
  /^(\d{1,16}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$/,
  "Must be the id of a place: up to 16 digits, or the UUID of a lot.",
);

export const PlaceParams = z.strictObject({
  id: PlaceId.meta({ description: "The place", example: "555c77e1-60d8-4123-9321-94515af67cff" }),
});

export const Place = z.object({
  id: z.string().meta({
    description: "The id of the place. For the kind `lot` the id of the parking lot.",
    examples: ["3385066461127483"],
  }),
  kind: z.enum([
    "prefecture",
    "municipality",
    "town",
    "station",
    "interchange",
    "airport",
    "civic",
    "district",
    "hall",
    "hospital",
    "mall",
    "mountain",
    "museum",
    "park",
    "port",
    "temple",
    "themepark",
    "tower",
    "lot",
  ]).meta({ description: "The kind of the place. `lot` is a parking lot. Further kinds may be added." }),
  name: z.string().meta({ examples: ["渋谷駅"] }),
  name_en: z.string().nullable().meta({
    description: "The name in Latin letters. Null if it is unknown.",
    examples: ["Shibuya Station"],
  }),
  area: z.string().nullable().meta({
    description:
      "Where the place is, in the language of the request: prefecture and municipality, then the lines of a station. The " +
      "address of a lot. Null for a prefecture.",
    examples: ["東京都渋谷区 · 井の頭線/田園都市線/東横線 …"],
  }),
  lat: z.number(),
  lng: z.number(),
  radius_m: z.int().min(1).meta({ description: "How far the place extends, roughly", examples: [500] }),
}).meta({ id: "Place", description: "A place that searches know by name" });

export const Places = z.object({
  items: z.array(Place).meta({ description: "Best first" }),
}).meta({ id: "PlacesResponse" });
