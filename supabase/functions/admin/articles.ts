import { contentRoutes } from "./content_routes.ts";
import {
  AdminArticle,
  AdminArticleParams,
  AdminArticles,
  AdminArticlesQuery,
  ArticleChanges,
  NewArticle,
} from "./articles.schema.ts";

export const {
  list: listArticlesOfAllStates,
  create: createArticle,
  read: readArticleOfAnyState,
  change: changeArticle,
  remove: deleteArticle,
} = contentRoutes({
  path: "/admin/articles",
  area: "content",
  params: AdminArticleParams,
  item: AdminArticle,
  list: {
    calls: "admin_list_articles",
    query: AdminArticlesQuery,
    page: AdminArticles,
    summary: "List articles in any state",
    description: "Newest first, without bodies.",
  },
  create: {
    calls: "admin_create_article",
    as: "article",
    body: NewArticle,
    errors: ["conflict"],
    summary: "Create an article",
    description:
      "Creates a draft, or an article that is published at `published_at`. Each language has its own row, and " +
      "translations share the `slug`. Returns 409 `conflict` with `details.reason` `already_exists` if this language " +
      "already has the slug.",
  },
  read: { calls: "admin_get_article", summary: "Get an article in any state" },
  change: {
    calls: "admin_update_article",
    body: ArticleChanges,
    errors: ["conflict"],
    summary: "Update, publish or withdraw an article",
    description:
      "Omitted fields do not change. `published_at` publishes a draft, and `withdrawn_at` withdraws an article. " +
      "Clients may cache the public pages for a minute. Returns 409 `conflict` with `details.reason` `was_published` " +
      "for a new `published_at` of a published article. Returns 409 with `already_exists` if the language already " +
      "has the slug.",
  },
  remove: {
    calls: "admin_delete_article",
    errors: ["conflict"],
    summary: "Delete an article that was never published",
    description:
      "Returns 409 `conflict` with `details.reason` `was_published` for any other article. Withdraw it instead.",
  },
});
