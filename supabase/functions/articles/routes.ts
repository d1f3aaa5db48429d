import { route, routesOf } from "../_shared/http/route.ts";
import { ArticleDetail, ArticleParams, ArticleQuery, Articles, ArticlesQuery } from "../_shared/schema/articles.ts";

export const listArticles = route({
  method: "GET",
  path: "/articles",
  access: "public",
  summary: "List published articles",
  description: "Articles in one language, newest first, without bodies.",
  query: ArticlesQuery,
  reply: [200, Articles],
  errors: [],
  cache: { scope: "public", maxAge: 60, staleWhileRevalidate: 600 },
  calls: "list_articles",
});

export const readArticle = route({
  method: "GET",
  path: "/articles/{slug}",
  access: "public",
  summary: "Get a published article",
  description: "Returns 404 if the article is not published in this language.",
  params: ArticleParams,
  query: ArticleQuery,
  reply: [200, ArticleDetail],
  errors: ["not_found"],
  cache: { scope: "public", maxAge: 60, staleWhileRevalidate: 600 },
  calls: "get_article",
});

export const routes = routesOf({ listArticles, readArticle });
