import { z } from "zod";
import { articles } from "../_shared/db/columns.ts";
import { column } from "../_shared/schema/columns.ts";
import { Article } from "../_shared/schema/articles.ts";
import { Lang } from "../_shared/schema/codes.ts";
import { pageOf, PageQuery, SearchText } from "../_shared/schema/lists.ts";
import { Moment, pathId, text, Timestamp, WebAddress } from "../_shared/schema/values.ts";

const Status = z.enum(["draft", "scheduled", "published", "withdrawn"]).meta({
  description: "Current state, derived from `published_at` and `withdrawn_at`",
});

const AdminArticleItem = Article.extend({
  published_at: Timestamp.nullable().meta({ description: "When the article becomes public. Null for a draft." }),
  withdrawn_at: Timestamp.nullable().meta({ description: "When the article stops being public. Null for no end." }),
  status: Status,
  created_at: Timestamp,
}).meta({ id: "AdminArticleItem" });

export const AdminArticle = AdminArticleItem.extend({ body: z.string().meta({ description: "Markdown" }) }).meta({
  id: "AdminArticle",
});

export const AdminArticles = pageOf(AdminArticleItem, "AdminArticles");

export const AdminArticlesQuery = z.strictObject({
  lang: Lang.optional().meta({ description: "Only articles in this language" }),
  status: Status.optional(),
  q: SearchText.meta({ description: "Only articles whose title or slug contains this text" }),
  ...PageQuery.shape,
});

export const AdminArticleParams = z.strictObject({ id: pathId("ArticleId", "The article") });

const fields = {
  slug: z.string().regex(
    /^[a-z0-9]+(-[a-z0-9]+)*$/,
    "Must be words of lower-case letters and digits, joined by hyphens.",
  ).max(articles.slug.maxLength).meta({
    description: "Shared by all translations. Unique for each language.",
    examples: ["how-maximum-fees-work"],
  }),
  locale: Lang,
  title: column(articles.title),
  summary: column(articles.summary),
  body: column(articles.body).meta({ description: "Markdown" }),
  cover_image_url: WebAddress.nullable(),
  tags: z.array(text(1, 50)).max(articles.tags.maxLength),
  published_at: Moment.nullable().meta({
    description:
      "A time that is not in the future publishes at once, a later time schedules publication. Null for a draft. " +
      "Cannot change once it has passed.",
  }),
};

export const NewArticle = z.strictObject({
  ...fields,
  summary: fields.summary.optional(),
  cover_image_url: fields.cover_image_url.optional(),
  tags: fields.tags.optional(),
  published_at: fields.published_at.optional(),
}).meta({ id: "NewArticle" });

export const ArticleChanges = z.strictObject({
  ...fields,
  withdrawn_at: Moment.nullable().meta({
    description: "A time that is not in the future withdraws at once, a later time schedules withdrawal. Not before " +
      "`published_at`. Null publishes again.",
  }),
}).partial().meta({ id: "ArticleChanges" });
