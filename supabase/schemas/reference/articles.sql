-- Articles for users. One row a language; translations of one article share their slug.
--
-- Invariants: an article can be read from published_at until it is withdrawn, and not before or after. A slug refers to one
-- article a language.
-- Interface: api.list_articles, get_article. Administrators write the rows (api.admin_create_article and related
-- functions).

-- An article as lists return it: without its body.
create function private.article_row(p_article public.articles) returns jsonb
language sql stable
return jsonb_build_object(
  'id', (p_article).id, 'slug', (p_article).slug, 'locale', (p_article).locale, 'title', (p_article).title,
  'summary', (p_article).summary, 'cover_image_url', (p_article).cover_image_url, 'tags', (p_article).tags,
  'published_at', (p_article).published_at, 'updated_at', (p_article).updated_at
);

grant execute on function private.article_row(public.articles) to anon, authenticated;
