import { z } from "zod";
import { Lang, LangQuery } from "./codes.ts";
import { pageOf, PageQuery } from "./lists.ts";
import { Id, text, Timestamp } from "./values.ts";

export const Article = z.object({
  id: Id,
  slug: z.string().meta({ description: "Shared by all translations", examples: ["how-maximum-fees-work"] }),
  locale: Lang,
  title: z.string(),
  summary: z.string().nullable(),
  cover_image_url: z.string().nullable(),
  tags: z.array(z.string()),
  published_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "Article" });

export const ArticleDetail = Article.extend({ body: z.string().meta({ description: "Markdown" }) }).meta({
  id: "ArticleDetail",
});

export const Articles = pageOf(Article, "Articles");

export const ArticlesQuery = z.strictObject({ lang: LangQuery, ...PageQuery.shape });

export const ArticleParams = z.strictObject({
  slug: text(1, 100).meta({ description: "The article's slug", examples: ["how-maximum-fees-work"] }),
});

export const ArticleQuery = z.strictObject({ lang: LangQuery });
