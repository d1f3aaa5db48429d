import type { Links } from "../_shared/http/links.ts";
import { route, routesOf } from "../_shared/http/route.ts";
import {
  Checkin,
  NearbySponsors,
  NearbySponsorsQuery,
  NewCheckin,
  SponsorParams,
  Sponsors,
  SponsorsQuery,
  type StoredNearbySponsor,
  type StoredSponsor,
  type StoredSponsors,
} from "../_shared/schema/sponsors.ts";

function toResponse<Stored extends StoredSponsor>({ image, ...sponsor }: Stored, links: Links) {
  return { ...sponsor, image_url: links.asset(image) };
}

export const listSponsors = route({
  method: "GET",
  path: "/sponsors",
  access: "public",
  summary: "List sponsors",
  description: "Active sponsors, by `sort_order`.",
  query: SponsorsQuery,
  reply: [200, Sponsors],
  errors: [],
  cache: { scope: "public", maxAge: 60, staleWhileRevalidate: 300 },
  calls: "list_sponsors",
  handle: async ({ db, query, links }) => {
    const page = await db.rpc<StoredSponsors>("list_sponsors", query);
    return { ...page, items: page.items.map((sponsor) => toResponse(sponsor, links)) };
  },
});

export const nearbySponsors = route({
  method: "GET",
  path: "/sponsors/nearby",
  access: "public",
  summary: "Find sponsors near a point",
  description: "The nearest sponsors within the radius. Distances are great-circle distances.",
  query: NearbySponsorsQuery,
  reply: [200, NearbySponsors],
  errors: [],
  cache: { scope: "public", maxAge: 60, staleWhileRevalidate: 300 },
  calls: "nearby_sponsors",
  handle: async ({ db, query, links }) => {
    const sponsors = await db.rpc<StoredNearbySponsor[]>("nearby_sponsors", query);
    return sponsors.map((sponsor) => toResponse(sponsor, links));
  },
});

export const checkIn = route({
  method: "POST",
  path: "/sponsors/{id}/checkin",
  access: "user",
  summary: "Check in at a sponsor",
  description:
    "Counts once per sponsor and local day. The first check-in returns 201. Later requests on that day return 200 " +
    "with the same check-in and `counted` false. Returns 422 `validation_error` with `details.distance_m` and " +
    "`details.allowed_m` if the position is farther away than `checkin_radius_m`. Returns 422 with " +
    "`details.accuracy_m` if the accuracy is worse than 100 m.",
  params: SponsorParams,
  body: NewCheckin,
  reply: [201, Checkin],
  alternateStatus: 200,
  replyStatus: ({ counted }) => counted ? 201 : 200,
  errors: ["not_found"],
  calls: "check_in_at_sponsor",
});

export const routes = routesOf({ listSponsors, nearbySponsors, checkIn });
