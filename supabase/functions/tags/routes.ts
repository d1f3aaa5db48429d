import { route, routesOf } from "../_shared/http/route.ts";
import { Tags, TagsQuery } from "../_shared/schema/tags.ts";

export const listTags = route({
  method: "GET",
  path: "/tags",
  access: "public",
  summary: "List all tags",
  description: "All active tags, with names in one language. They rarely change: cache and revalidate them.",
  query: TagsQuery,
  reply: [200, Tags],
  errors: [],
  cache: { scope: "public", maxAge: 300, staleWhileRevalidate: 600 },
  calls: "list_tags",
});

export const routes = routesOf({ listTags });
