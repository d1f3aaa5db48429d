import { z } from "zod";
import { answerTo, registerKey, replyTo } from "../_shared/ai_search/search.ts";
import { route } from "../_shared/http/route.ts";
import { AiSearchAnswer, AiSearchReply, AiSearchRequest, RegisteredAiKey } from "../_shared/schema/ai_search.ts";

export const searchInWords = route({
  method: "POST",
  path: "/search/ai",
  access: "user",
  summary: "Search in words",
  description:
    "Form A (`query`) answers with a search: its conditions, the place, and what was taken for granted. Form B with `parse` " +
    "adds what to tell the user, and refines the search that comes as `context`; with `register_key` it keeps the user's own " +
    "key of an AI provider, in place of an earlier one. Simple texts are read by rules. Others are read by the models of the " +
    "gateway, one after another, and checked against the numbers of the text; where none answers, by rules again " +
    "(`parser` says which it was). 10 searches a minute, 60 for premium members. In form A a text that is no search is " +
    "`unparseable`; `error.details.missing` has what it would have to say.",
  body: AiSearchRequest,
  limit: "ai_search",
  reply: [200, z.union([AiSearchReply, AiSearchAnswer, RegisteredAiKey])],
  errors: ["unparseable", "conflict"],
  handle: async ({ db, service, ai, geocoder, caller, body }) => {
    const { query, action, message, context, provider_id, api_key, ...asker } = body;
    if (action === "register_key") return await registerKey(db, { provider_id: provider_id!, api_key: api_key! });
    const tools = { db, service, ai, geocoder, userId: caller.id };
    if (action === "parse") return await replyTo(tools, { text: message!, context, ...asker });
    return await answerTo(tools, { text: query!, ...asker });
  },
});
