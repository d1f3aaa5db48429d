import type { z } from "zod";
import { ApiError } from "../_shared/errors.ts";
import { MAX_LINES, pagesAsLines } from "../_shared/http/lines.ts";
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
    "/v1/parking-lots/nearby`. A page with `usable` or `without_surprises` can be short or empty; the last one has no `next_cursor`. `Accept: " +
    "application/geo+json` returns features. `Accept: application/x-ndjson` " +
    `returns up to ${MAX_LINES} lots from \`cursor\` on, one per line; with \`limit\` so many. If there are more, the last ` +
    "line is `{next_cursor, has_more}`: send the request again with that cursor. With `updated_since` that line is " +
    "always there. If the stream fails, the connection is aborted.",
  query: SearchQuery,
  reply: [200, FoundLots],
  representations: {
    geojson: features,
    lines: ({ db, query, links }, limit) =>
      pagesAsLines<unknown>(
        { limit, pageSize: query.entry_at ? PRICED_PAGE : EXPORT_PAGE, cursor: query.cursor },
        async (page) => {
          const args = { ...argumentsOf(query), ...page, include: undefined };
          const answer = await withParamPrefix(query, db.rpc<Page>("search_parking_lots", args));
          const { items, clusters, next_cursor, has_more } = FoundLots.parse(withUrls(answer, links));
          return { items: clusters ?? items, next_cursor, has_more };
        },
      ),
  },
  errors: ["forbidden"],
  isExpensive: (query) =>
    query.include !== undefined || query.without_surprises || isLongStay(query) || isConditionalMap(query),
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
  const { entry_at, exit_at, vehicle_type, usable, without_surprises, ...conditions } = others;
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
    usable,
    without_surprises,
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
