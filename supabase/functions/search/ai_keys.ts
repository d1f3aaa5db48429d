import { z } from "zod";
import { route } from "../_shared/http/route.ts";
import { AiKeys } from "../_shared/schema/ai_search.ts";
import { Nothing, text } from "../_shared/schema/values.ts";

export const listAiKeys = route({
  method: "GET",
  path: "/search/ai/keys",
  access: "user",
  summary: "List AI providers with a registered key of the caller",
  description: "The keys themselves are never returned.",
  reply: [200, AiKeys],
  errors: [],
  calls: "list_my_ai_keys",
});

export const deleteAiKey = route({
  method: "DELETE",
  path: "/search/ai/keys/{provider_id}",
  access: "user",
  summary: "Delete the caller's key for an AI provider",
  description: "The key is removed from the vault too. Returns 404 if the caller has no key for this provider.",
  params: z.strictObject({
    provider_id: text(1, 40).meta({ description: "The AI provider of the key" }),
  }),
  reply: [204, Nothing],
  errors: ["not_found"],
  calls: "delete_ai_key",
  handle: async ({ db, params }) => {
    await db.rpc("delete_ai_key", params);
    return null;
  },
});
