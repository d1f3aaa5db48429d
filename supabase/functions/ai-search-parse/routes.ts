import { route, routesOf } from "../_shared/http/route.ts";
import { answerTo } from "../_shared/ai_search/search.ts";
import { AiSearchAnswer, AiSearchParseRequest } from "../_shared/schema/ai_search.ts";

export const parseSearch = route({
  method: "POST",
  path: "/ai-search-parse",
  access: "user",
  summary: "Turn what a user says into a search",
  description:
    "As form A of `POST /v1/search/ai`, with the same quota: the answer is always a valid search, says what was taken for " +
    "granted, and never depends on a model being up. A text that is no search is `unparseable`; `error.details.missing` has " +
    "what it would have to say.",
  body: AiSearchParseRequest,
  limit: "ai_search",
  reply: [200, AiSearchAnswer],
  errors: ["unparseable"],
  handle: ({ db, service, ai, geocoder, caller, body: { query, ...asker } }) =>
    answerTo({ db, service, ai, geocoder, userId: caller.id }, { text: query, ...asker }),
});

export const routes = routesOf({ parseSearch });
