-- Articles for users. One row a language; translations of one article share their slug.
--
-- Invariants: an article can be read from published_at until it is withdrawn, and not before or after. A slug refers to one
-- article a language.
-- Interface: api.list_articles, get_article. Administrators write the rows (api.admin_create_article and related
-- functions).

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table public.articles (
  id uuid primary key default gen_random_uuid(),
  slug text collate "C" not null
    constraint articles_slug_form check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 100),
  locale text collate "C" not null constraint articles_locale_known check (locale in ('ja', 'en')),
  title text not null constraint articles_title_length check (char_length(title) between 1 and 200),
  summary text constraint articles_summary_length check (char_length(summary) <= 500),
  body text not null constraint articles_body_length check (char_length(body) between 1 and 100000),
  cover_image_url text
    constraint articles_cover_image_url_form check (cover_image_url ~ '^https?://[!-~]+$' and length(cover_image_url) <= 2000),
  tags text[] not null default '{}' constraint articles_tags_bounds
    check (
      cardinality(tags) <= 20 and array_position(tags, null) is null
      and not jsonb_path_exists(to_jsonb(tags), '$[*] ? (!(@ like_regex "^.{1,50}$" flag "s"))')
    ),
  published_at timestamptz
    constraint articles_published_at_has_four_digit_year check (published_at >= timestamptz '0001-01-01 00:00:00+00'),
  withdrawn_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint articles_one_a_slug_and_locale unique (slug, locale),
  constraint articles_withdrawn_after_published check (withdrawn_at is null or coalesce(withdrawn_at >= published_at, false))
);

comment on table public.articles is 'Articles for users, in each language.';
comment on column public.articles.body is 'Markdown.';
comment on column public.articles.published_at is 'The start of publication; null for a draft.';
comment on column public.articles.withdrawn_at is 'The end of publication; null while it is not withdrawn.';

create index articles_published_idx on public.articles (locale, published_at desc, id desc)
  where published_at is not null;

create trigger _100_touch_updated_at before update on public.articles
  for each row execute function private.tg_touch_updated_at();

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

alter table public.articles enable row level security;

create policy "Everyone reads published articles" on public.articles for select to anon, authenticated
  using (published_at <= now() and (withdrawn_at is null or withdrawn_at > now()));

-- No insert, update or delete for clients: administrators write articles.

grant select (
  id, slug, locale, title, summary, body, cover_image_url, tags, published_at, withdrawn_at, created_at, updated_at
) on public.articles to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function private.article_row(p_article public.articles) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', (p_article).id, 'slug', (p_article).slug, 'locale', (p_article).locale, 'title', (p_article).title,
    'summary', (p_article).summary, 'cover_image_url', (p_article).cover_image_url, 'tags', (p_article).tags,
    'published_at', (p_article).published_at, 'updated_at', (p_article).updated_at
  );
end
$$;

comment on function private.article_row(public.articles) is 'An article as lists return it: without its body.';

grant execute on function private.article_row(public.articles) to anon, authenticated;

create function api.list_articles(
  p_lang text default 'ja', p_limit integer default 20, p_cursor text default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := jsonb_build_object('list', 'articles', 'lang', private.require_lang(p_lang));
  v_after jsonb := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
begin
  perform private.page_limit(p_limit);
  return private.page(v_filters, (
    select jsonb_agg(private.article_row(r.article) order by (r.article).published_at desc, (r.article).id desc)
    from (
      select a as article from public.articles a
      where a.locale = p_lang
        and a.published_at <= now() and (a.withdrawn_at is null or a.withdrawn_at > now())
        and (a.published_at, a.id) < ((v_after ->> 0)::timestamptz, (v_after ->> 1)::uuid)
      order by a.published_at desc, a.id desc
      limit p_limit + 1
    ) r
  ), '{published_at,id}', p_limit, case when 'total' = any (p_include) then (
      select count(*) from public.articles a
      where a.locale = p_lang and a.published_at <= now() and (a.withdrawn_at is null or a.withdrawn_at > now())
  ) end);
end
$$;

comment on function api.list_articles(text, integer, text, text[]) is
  'The published articles in the language, newest first, without the bodies: {items, next_cursor}, and total when p_include has it. Reads only. Errors: validation_error.';

create function api.get_article(p_slug text, p_lang text default 'ja') returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_article public.articles;
begin
  perform private.require_lang(p_lang);
  select * into v_article from public.articles a
  where a.slug = p_slug and a.locale = p_lang
    and a.published_at <= now() and (a.withdrawn_at is null or a.withdrawn_at > now());
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such article in this language.', p_param => 'slug');
  end if;
  return private.article_row(v_article) || jsonb_build_object('body', v_article.body);
end
$$;

comment on function api.get_article(text, text) is
  'A published article with its body. Reads only. Errors: validation_error, not_found.';

grant execute on function api.list_articles(text, integer, text, text[]), api.get_article(text, text)
to anon, authenticated;
