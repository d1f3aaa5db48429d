import { route } from "../_shared/http/route.ts";
import {
  AdminArticle,
  AdminArticleParams,
  AdminArticles,
  AdminArticlesQuery,
  ArticleChanges,
  NewArticle,
} from "./articles.schema.ts";
import { Nothing } from "../_shared/schema/values.ts";

export const listArticlesOfAllStates = route({
  method: "GET",
  path: "/admin/articles",
  access: "admin",
  area: "content",
  summary: "List articles in any state",
  description: "Newest first, without bodies.",
  query: AdminArticlesQuery,
  reply: [200, AdminArticles],
  errors: [],
  calls: "admin_list_articles",
});

export const createArticle = route({
  method: "POST",
  path: "/admin/articles",
  access: "admin",
  area: "content",
  summary: "Create an article",
  description:
    "Creates a draft, or an article that is published at `published_at`. Each language has its own row, and " +
    "translations share the `slug`. Returns 409 `conflict` with `details.reason` `already_exists` if this language " +
    "already has the slug.",
  body: NewArticle,
  reply: [201, AdminArticle],
  errors: ["conflict"],
  calls: "admin_create_article",
  args: ({ body }) => ({ article: body }),
});

export const readArticleOfAnyState = route({
  method: "GET",
  path: "/admin/articles/{id}",
  access: "admin",
  area: "content",
  summary: "Get an article in any state",
  params: AdminArticleParams,
  reply: [200, AdminArticle],
  errors: ["not_found"],
  isVersioned: true,
  calls: "admin_get_article",
});

export const changeArticle = route({
  method: "PATCH",
  path: "/admin/articles/{id}",
  access: "admin",
  area: "content",
  summary: "Update, publish or withdraw an article",
  description:
    "Omitted fields do not change. `published_at` publishes a draft, and `withdrawn_at` withdraws an article. " +
    "Clients may cache the public pages for a minute. Returns 409 `conflict` with `details.reason` `was_published` " +
    "for a new `published_at` of a published article. Returns 409 with `already_exists` if the language already " +
    "has the slug.",
  params: AdminArticleParams,
  body: ArticleChanges,
  reply: [200, AdminArticle],
  errors: ["not_found", "conflict"],
  isVersioned: true,
  calls: "admin_update_article",
  args: ({ params, body, ifMatch }) => ({ ...params, changes: body, if_match: ifMatch }),
});

export const deleteArticle = route({
  method: "DELETE",
  path: "/admin/articles/{id}",
  access: "admin",
  area: "content",
  summary: "Delete an article that was never published",
  description:
    "Returns 409 `conflict` with `details.reason` `was_published` for any other article. Withdraw it instead.",
  params: AdminArticleParams,
  reply: [204, Nothing],
  errors: ["not_found", "conflict"],
  isVersioned: true,
  calls: "admin_delete_article",
});
