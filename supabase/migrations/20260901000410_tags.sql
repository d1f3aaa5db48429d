-- Tags, as clients read them: the master of the features of lots, for filters and labels.
--
-- Invariants: every active tag is in the list, even if no lot has it.
-- Interface: api.list_tags.

create function api.list_tags(
  p_lang text default 'ja', p_limit integer default 20, p_cursor text default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := jsonb_build_object('list', 'tags', 'lang', private.require_lang(p_lang));
  v_after jsonb := private.page_start(v_filters, p_cursor, '{integer,text}', 'asc');
begin
  perform private.page_limit(p_limit);
  return private.page(v_filters, (
    select jsonb_agg(jsonb_build_object(
      'id', t.id, 'name', private.in_lang(p_lang, t.name, t.name_en), 'slug', t.slug, 'color', t.color,
      'category', t.category, 'icon_name', t.icon_name, 'sort_order', t.sort_order
    ) order by t.sort_order, t.slug)
    from (
      select t.id, t.name, t.name_en, t.slug, t.color, t.category, t.icon_name, t.sort_order from public.tags t
      where t.is_active and (t.sort_order, t.slug) > ((v_after ->> 0)::integer, v_after ->> 1)
      order by t.sort_order, t.slug
      limit p_limit + 1
    ) t
  ), '{sort_order,slug}', p_limit, case when 'total' = any (p_include) then (
    select count(*) from public.tags t where t.is_active
  ) end);
end
$$;

comment on function api.list_tags(text, integer, text, text[]) is
  'The active tags by sort_order and slug, with their names in the language (Japanese where there is no English name): {items, next_cursor}, and total when p_include has it. Reads only. Errors: validation_error.';

grant execute on function api.list_tags(text, integer, text, text[]) to anon, authenticated;
