import type { z } from "zod";
import { ApiError } from "../_shared/errors.ts";
import type { Links } from "../_shared/http/links.ts";
import { route } from "../_shared/http/route.ts";
import { FoundLots, SearchQuery } from "../_shared/schema/search.ts";
import { isLongStay } from "../_shared/schema/values.ts";
import { features } from "./geojson.ts";

type Page = z.input<typeof FoundLots>;

/** Page size of an export. The API returns at most 100 items at once, and calculates fees for at most 100. */
const EXPORT_PAGE = 1000;
const PRICED_PAGE = 100;

export const searchParkingLots = route({
  method: "GET",
  path: "/parking-lots",
  access: "optional",
  summary: "Search for parking lots",
  description:
    "Public lots that meet all conditions, page by page. A lot with an unknown value for a condition does not match. " +
    "With `entry_at` and `exit_at` each lot contains the fee and the state for the stay, as in `GET " +
    "/v1/parking-lots/nearby`. `Accept: application/geo+json` returns features. `Accept: application/x-ndjson` " +
    "returns all matching lots from `cursor` on, one per line, and ignores `limit`. If the stream fails, the " +
    "connection is aborted. With `updated_since` the last line is `{next_cursor}`.",
  query: SearchQuery,
  reply: [200, FoundLots],
  representations: {
    geojson: features,
    async *lines({ db, query, links }) {
      const args = { ...argumentsOf(query), limit: query.entry_at ? PRICED_PAGE : EXPORT_PAGE };
      for (;;) {
        const answer = await withParamPrefix(query, db.rpc<Page>("search_parking_lots", args));
        const page = FoundLots.parse(withUrls(answer, links));
        yield* page.clusters ?? page.items;
        if (!(page.has_more ?? page.next_cursor !== null)) {
          if (page.has_more !== undefined) yield { next_cursor: page.next_cursor };
          return;
        }
        args.cursor = page.next_cursor ?? undefined;
        args.include = undefined; // counting once is enough
      }
    },
  },
  errors: ["forbidden"],
  isExpensive: (query) => query.include !== undefined || isLongStay(query) || isConditionalMap(query),
  cache: { scope: "private", maxAge: 0 },
  // A request for specific lots or for changes is not counted as a search.
  shownLots: ({ items }, { ids, updated_since }) =>
    ids || updated_since ? [] : items.flatMap((item) => "deleted" in item ? [] : [item.id]),
  calls: "search_parking_lots",
  handle: async ({ db, query, links }) =>
    withUrls(await withParamPrefix(query, db.rpc<Page>("search_parking_lots", argumentsOf(query))), links),
});

/** An error of a condition inside `query` names the path in the caller's request. */
async function withParamPrefix<T>(query: z.output<typeof SearchQuery>, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (failure) {
    const isOfQuery = query.query && failure instanceof ApiError && failure.param !== null &&
      Object.hasOwn(query.query, failure.param) && !(failure.param === "sort" && query.sort);
    if (!isOfQuery) throw failure;
    throw ApiError.ofFields([{ param: `query.${failure.param}`, code: "refused", message: failure.message }]);
  }
}

/** Clusters of lots that meet conditions are counted lot by lot, which is expensive. */
function isConditionalMap(query: z.output<typeof SearchQuery>): boolean {
  return query.zoom !== undefined && Object.keys(argumentsOf(query).query).length > 0;
}

/**
 * The conditions as one object, from either format. `sort` can be given in addition to `query`, and replaces its own
 * `sort`.
 */
function argumentsOf(search: z.output<typeof SearchQuery>) {
  const { query, sort, bbox, ids, zoom, updated_since, limit, cursor, include, ...others } = search;
  const { entry_at, exit_at, vehicle_type, ...conditions } = others;
  if (query && Object.keys(conditions).length > 0) {
    throw ApiError.ofFields([{
      param: "query",
      code: "mixed",
      message: "Give the conditions either in query or as single parameters, not both.",
    }]);
  }
  return {
    query: { ...query ?? conditions, ...(sort ? { sort } : {}) },
    bbox,
    ids,
    zoom,
    updated_since,
    entry_at,
    exit_at,
    vehicle_type,
    limit,
    cursor,
    include,
  };
}

/** Replaces storage keys by URLs. */
function withUrls(page: Page, links: Links): Page {
  const items = page.items.map((item) =>
    "deleted" in item ? item : { ...item, main_image: links.asset(item.main_image) }
  );
  return { ...page, items };
}
