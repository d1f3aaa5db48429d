import { route, routesOf } from "../_shared/http/route.ts";
import { Codes, CodesQuery } from "../_shared/schema/codes.ts";

export const listCodes = route({
  method: "GET",
  path: "/codes",
  access: "public",
  summary: "List all codes",
  description: "All codes of all lists, with labels in one language. They rarely change: cache and revalidate them.",
  query: CodesQuery,
  reply: [200, Codes],
  errors: [],
  cache: { scope: "public", maxAge: 300, staleWhileRevalidate: 600 },
  calls: "list_codes",
});

export const routes = routesOf({ listCodes });
