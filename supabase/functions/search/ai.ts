import { z } from "zod";
import { registerKey, replyToMessage, SEARCH_IN_WORDS_CALLS, searchByText } from "../_shared/ai_search/search.ts";
import { missingToken } from "../_shared/auth/token.ts";
import { route } from "../_shared/http/route.ts";
import { AiSearchAnswer, AiSearchReply, AiSearchRequest, RegisteredAiKey } from "../_shared/schema/ai_search.ts";

export const searchInWords = route({
  method: "POST",
  path: "/search/ai",
  access: "optional",
  summary: "Search by natural language",
  description:
    "Form A (`query`) returns a search: its conditions, its place, and the assumptions made. Form B with `parse` " +
    "also returns a reply for the user, and refines the search given as `context`. Form B with `register_key` " +
    "stores the user's own key for an AI provider and replaces an earlier one. Simple texts are parsed by rules, " +
    "others by the models of the gateway, whose results are checked against the numbers in the text. If no model " +
    "responds, rules are used (`parser` names the method). The quota is 10 searches per minute, or 60 for premium " +
    "users. Without a token a network has 10 per minute, parsed by rules alone. A refused request (422) does not count. In form A, a text that is not a search " +
    "returns 422 `unparseable`, and `error.details.missing` lists the missing information.",
  body: AiSearchRequest,
  limit: "ai_search",
  guestLimit: "ai_search_guest",
  refusedLimit: "ai_search_refused",
  reply: [200, z.union([AiSearchReply, AiSearchAnswer, RegisteredAiKey])],
  errors: ["unparseable", "conflict"],
  calls: ["register_ai_key", ...SEARCH_IN_WORDS_CALLS],
  uses: ["ai", "geocoder"],
  handle: async ({ db, service, ai, geocoder, caller, body }) => {
    const { query, action, message, context, provider_id, api_key, ...asker } = body;
    if (action === "register_key") {
      if (caller === null) throw missingToken();
      return await registerKey(db, { provider_id: provider_id!, api_key: api_key! });
    }
    const tools = { db, service, ai, geocoder, userId: caller?.id ?? null };
    if (action === "parse") return await replyToMessage(tools, { text: message!, context, ...asker });
    return await searchByText(tools, { text: query!, ...asker });
  },
});
