import { route, routesOf } from "../_shared/http/route.ts";
import { SEARCH_IN_WORDS_CALLS, searchByText } from "../_shared/ai_search/search.ts";
import { AiSearchAnswer, AiSearchParseRequest } from "../_shared/schema/ai_search.ts";

export const parseSearch = route({
  method: "POST",
  path: "/ai-search-parse",
  access: "optional",
  summary: "Parse a text into a search",
  description:
    "Same as form A of `POST /v1/search/ai`, with the same quota. The response is always a valid search with the " +
    "assumptions made, and never depends on the availability of a model. A text that is not a search returns 422 " +
    "`unparseable`. Then `error.details.missing` lists the missing information.",
  body: AiSearchParseRequest,
  limit: "ai_search",
  guestLimit: "ai_search_guest",
  refusedLimit: "ai_search_refused",
  reply: [200, AiSearchAnswer],
  errors: ["unparseable"],
  calls: SEARCH_IN_WORDS_CALLS,
  uses: ["ai", "geocoder"],
  handle: ({ db, service, ai, geocoder, caller, body: { query, ...asker } }) =>
    searchByText({ db, service, ai, geocoder, userId: caller?.id ?? null }, { text: query, ...asker }),
});

export const routes = routesOf({ parseSearch });
