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
  summary: "List articles in every state",
  description: "The newest first, without their bodies.",
  query: AdminArticlesQuery,
  reply: [200, AdminArticles],
  errors: [],
  handle: ({ db, query }) => db.rpc("admin_list_articles", query),
});

export const createArticle = route({
  method: "POST",
  path: "/admin/articles",
  access: "admin",
  area: "content",
  summary: "Create an article",
  description: "A draft, or with `published_at` one that is published then. One row for each language: a translation " +
    "has the same `slug`. 409 with `details.reason` `already_exists` where this language has the slug.",
  body: NewArticle,
  reply: [201, AdminArticle],
  errors: ["conflict"],
  handle: ({ db, body }) => db.rpc("admin_create_article", { article: body }),
});

export const readArticleOfAnyState = route({
  method: "GET",
  path: "/admin/articles/{id}",
  access: "admin",
  area: "content",
  summary: "Read an article in any state",
  params: AdminArticleParams,
  reply: [200, AdminArticle],
  errors: ["not_found"],
  isVersioned: true,
  handle: ({ db, params }) => db.rpc("admin_get_article", params),
});

export const changeArticle = route({
  method: "PATCH",
  path: "/admin/articles/{id}",
  access: "admin",
  area: "content",
  summary: "Change, publish or withdraw an article",
  description:
    "What is absent stays. `published_at` publishes a draft, `withdrawn_at` withdraws; clients may keep the " +
    "public pages for a minute. 409 with `details.reason` `was_published` for another `published_at` of an article " +
    "that was published, `already_exists` where the language has the slug.",
  params: AdminArticleParams,
  body: ArticleChanges,
  reply: [200, AdminArticle],
  errors: ["not_found", "conflict"],
  isVersioned: true,
  handle: ({ db, params, body, ifMatch }) =>
    db.rpc("admin_update_article", { ...params, changes: body, if_match: ifMatch }),
});

export const deleteArticle = route({
  method: "DELETE",
  path: "/admin/articles/{id}",
  access: "admin",
  area: "content",
  summary: "Delete an article that was never published",
  description: "409 with `details.reason` `was_published` for any other: withdraw it.",
  params: AdminArticleParams,
  reply: [204, Nothing],
  errors: ["not_found", "conflict"],
  isVersioned: true,
  handle: ({ db, params, ifMatch }) => db.rpc("admin_delete_article", { ...params, if_match: ifMatch }),
});
