import { listArticles, readArticle } from "./articles.ts";

export const routes = [listArticles, readArticle];
