-- Tags, as clients read them: the master of what a lot can be said to offer, for filters and for the labels of a lot.
--
-- Invariants: every tag is there, one that a lot has and one that none has.
-- Interface: api.list_tags.

create function api.list_tags(p_lang text default 'ja') returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  if p_lang is null or p_lang not in ('ja', 'en') then
    perform private.refuse('validation_error', 422, 'lang must be ja or en', p_param => 'lang');
  end if;
  return jsonb_build_object('items', (
    select coalesce(jsonb_agg(
      jsonb_build_object(
        'id', t.id, 'name', case p_lang when 'en' then coalesce(t.name_en, t.name) else t.name end, 'slug', t.slug,
        'color', t.color, 'category', t.category, 'icon_name', t.icon_name, 'sort_order', t.sort_order
      )
      order by t.sort_order, t.slug
    ), '[]')
    from public.tags t
  ), 'next_cursor', null);
end
$$;

comment on function api.list_tags(text) is
  'All tags with their names in the language (the Japanese one where there is no English): {items, next_cursor: null}, in sort_order. Reads only. Refuses: validation_error.';

grant execute on function api.list_tags(text) to anon, authenticated;
