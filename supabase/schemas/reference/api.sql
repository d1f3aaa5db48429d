-- The interface of reference: codes, articles and advertisements.
--
-- Clients and the service call these functions. The rules are in ads.sql, articles.sql and codes.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Codes
-- ---------------------------------------------------------------------------------------------------------------------

create function api.list_codes(p_lang text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.require_lang(p_lang);
  return (
    select jsonb_build_object(
      'items', coalesce(
        jsonb_agg(
          jsonb_build_object(
            'category_id', category_id, 'code', code, 'display_label', display_label, 'lang', lang,
            'sort_order', sort_order, 'metadata', '{"color": null, "logo_url": null, "url": null}'::jsonb || metadata
          )
          order by category_id, sort_order, code
        ),
        '[]'
      ),
      'lang', p_lang
    )
    from public.codes
    where lang = p_lang and is_active
  );
end
$$;

comment on function api.list_codes(text) is
  'Every active code with its label in the language, by category, sort_order and code. metadata is null, or has color, logo_url and url. Reads only. Errors: validation_error.';

grant execute on function api.list_codes(text) to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Articles
-- ---------------------------------------------------------------------------------------------------------------------

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

-- ---------------------------------------------------------------------------------------------------------------------
-- Advertisements
-- ---------------------------------------------------------------------------------------------------------------------

create function api.list_ads(
  p_placement text default null, p_seed text default null, p_limit integer default 20, p_cursor text default null,
  p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := jsonb_build_object('list', 'ads', 'placement', p_placement, 'seed', p_seed);
  v_after jsonb := private.cursor_decode(v_filters, p_cursor, '{text,double precision,uuid}');
  v_seed text := coalesce(p_seed, v_after ->> 0, (now() at time zone 'Asia/Tokyo')::date::text);
begin
  perform private.page_limit(p_limit);
  if p_placement not in ('home_top', 'map', 'search_results', 'lot_detail', 'session_end', 'article') then
    perform private.raise_error('validation_error', 422, 'placement must be home_top, map, search_results, lot_detail, session_end or article.', p_param => 'placement');
  elsif char_length(p_seed) not between 1 and 64 then
    perform private.raise_error('validation_error', 422, 'seed must have 1 to 64 characters.', p_param => 'seed');
  end if;
  return private.page(v_filters, (
    select jsonb_agg(jsonb_build_object(
      'id', r.id, 'placement', r.placement, 'title', r.title, 'body', r.body, 'image_url', r.image_url,
      'link_url', r.link_url, 'starts_at', r.starts_at, 'ends_at', r.ends_at, 'seed', v_seed, 'rank', r.rank
    ) order by r.rank, r.id)
    from (
      select a.id, a.placement, a.title, a.body, a.image_url, a.link_url, a.starts_at, a.ends_at, k.rank
      from public.ads a
      cross join lateral (select private.ad_rank(a.id, a.weight, v_seed) as rank) k
      where a.is_active and a.starts_at <= now() and (a.ends_at is null or a.ends_at > now())
        and (p_placement is null or a.placement = p_placement)
        and (v_after is null or (k.rank, a.id) > ((v_after ->> 1)::double precision, (v_after ->> 2)::uuid))
      order by k.rank, a.id
      limit p_limit + 1
    ) r
  ), '{seed,rank,id}', p_limit) || jsonb_build_object('seed', v_seed) || case when 'total' = any (p_include) then jsonb_build_object('total', (
      select count(*) from public.ads a
      where a.is_active and a.starts_at <= now() and (a.ends_at is null or a.ends_at > now())
        and (p_placement is null or a.placement = p_placement)
    )) else '{}' end;
end
$$;

comment on function api.list_ads(text, text, integer, text, text[]) is
  'The active advertisements in their period, of a placement or all, in the weighted order of the seed (default: the day in Tokyo): {items, next_cursor, seed}, and total when p_include has it. Reads only. Errors: validation_error.';

grant execute on function api.list_ads(text, text, integer, text, text[]) to anon, authenticated;
