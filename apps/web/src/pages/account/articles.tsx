/** Articles: the list, and one of them. */
import type { PageProps } from "../../page.ts";
import { date } from "../../format.ts";
import { language } from "../../language.ts";
import { href } from "../../router.ts";
import { client } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { lazy } from "../../ui/lazy.tsx";
import { Loaded, useLoad } from "../../ui/load.tsx";
import { PagedList } from "../../ui/paged_list.tsx";

const text = pageTexts(({ account }) => account.articles);

const Markdown = lazy(() => import("../../ui/markdown.tsx"), ({ Markdown }) => Markdown);

export function Articles({ parts: [slug] }: PageProps) {
  return slug === undefined ? <ArticleList /> : <ArticlePage key={slug} slug={slug} />;
}

function ArticleList() {
  const lang = language.value;
  return (
    <PagedList
      read={(signal) => client.pages("/v1/articles", { params: { query: { lang } }, signal })}
      inputs={[lang]}
      empty={text.value.nothing}
      keyOf={({ id }) => id}
    >
      {({ slug, title, summary, published_at }) => (
        <article class="card">
          <p class="account-name">
            <a href={href(`/account/articles/${encodeURIComponent(slug)}`)}>{title}</a>
          </p>
          {summary && <p>{summary}</p>}
          <p class="small">{date(published_at)}</p>
        </article>
      )}
    </PagedList>
  );
}

function ArticlePage({ slug }: { slug: string }) {
  const lang = language.value;
  const params = { path: { slug: decodeURIComponent(slug) }, query: { lang } };
  const load = useLoad(
    async (signal) => (await client.GET("/v1/articles/{slug}", { params, signal })).data,
    [slug, lang],
  );
  return (
    <>
      <p>
        <a href={href("/account/articles")}>{text.value.back}</a>
      </p>
      <Loaded load={load}>
        {({ title, body, published_at }) => (
          <article class="account-article">
            <h2>{title}</h2>
            <p class="small">{date(published_at)}</p>
            <Markdown source={body} />
          </article>
        )}
      </Loaded>
    </>
  );
}
