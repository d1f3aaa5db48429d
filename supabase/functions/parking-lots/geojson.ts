import type { z } from "zod";
import type { FoundLots } from "../_shared/schema/search.ts";

type Page = z.output<typeof FoundLots>;

/**
 * Converts a page to a FeatureCollection of lots, tombstones (without geometry) or clusters. The other fields of the
 * page are members of it.
 */
export function features({ items, clusters, ...page }: Page) {
  const lots = items.map((item) => {
    if ("deleted" in item) return { type: "Feature", id: item.id, geometry: null, properties: item };
    const { lat, lng, ...properties } = item;
    return { type: "Feature", id: item.id, geometry: at(lng, lat), properties };
  });
  const cells = (clusters ?? []).map(({ lat, lng, bbox, ...properties }) => (
    { type: "Feature", bbox, geometry: at(lng, lat), properties }
  ));
  return { type: "FeatureCollection", features: [...lots, ...cells], ...page };
}

function at(lng: number, lat: number) {
  return { type: "Point", coordinates: [lng, lat] };
}
