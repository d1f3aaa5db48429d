-- Lists of badges: the badges of a user, and the progress of a user.
--
-- Interface: api.list_my_badges, list_my_badge_progress.

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function api.list_my_badges(
  p_limit integer default 20, p_cursor text default null, p_lang text default 'ja', p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
  v_filters jsonb := jsonb_build_object('list', 'my_badges', 'user_id', v_user_id, 'lang', private.require_lang(p_lang));
  v_keys jsonb := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
begin
  perform private.page_limit(p_limit);
  return private.page(v_filters, (
    select jsonb_agg(jsonb_build_object('id', p.id, 'badge_id', p.badge_id, 'earned_at', p.earned_at,
      'badge', jsonb_build_object('id', b.id, 'name', private.in_lang(p_lang, b.name, b.name_en),
        'description', private.in_lang(p_lang, b.description, b.description_en), 'icon', b.icon,
        'category', b.category)) order by p.earned_at desc, p.id desc)
    from (
      select u.id, u.badge_id, u.earned_at from public.user_badges u
      where u.user_id = v_user_id
        and (u.earned_at, u.id) < ((v_keys ->> 0)::timestamptz, (v_keys ->> 1)::uuid)
      order by u.earned_at desc, u.id desc
      limit p_limit + 1
    ) p join public.badges b on b.id = p.badge_id
  ), '{earned_at,id}', p_limit, case when 'total' = any (p_include) then (
    select count(*) from public.user_badges u where u.user_id = v_user_id
  ) end);
end
$$;

comment on function api.list_my_badges(integer, text, text, text[]) is
  'The caller''s badges, in the language, the latest first: {items, next_cursor}, and total when p_include has it. Reads only. Errors: unauthorized, forbidden, validation_error.';

create function api.list_my_badge_progress(
  p_limit integer default 20, p_cursor text default null, p_lang text default 'ja', p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
  v_filters jsonb :=
    jsonb_build_object('list', 'my_badge_progress', 'user_id', v_user_id, 'lang', private.require_lang(p_lang));
  v_keys jsonb := private.page_start(v_filters, p_cursor, '{integer,uuid}', 'asc');
  v_rows jsonb;
begin
  perform private.page_limit(p_limit);
  select jsonb_agg(jsonb_build_object('badge_id', b.id, 'count', c.count, 'threshold', b.threshold,
    'percent', least(100, round(c.count * 100.0 / b.threshold, 2)),
    'badge', jsonb_build_object('name', private.in_lang(p_lang, b.name, b.name_en),
      'description', private.in_lang(p_lang, b.description, b.description_en), 'icon', b.icon, 'category', b.category),
    'sort_order', b.sort_order) order by b.sort_order, b.id) into v_rows
  from (
    select o.id, o.name, o.name_en, o.description, o.description_en, o.icon, o.category, o.threshold, o.sort_order
    from public.badges o
    where o.is_active and (o.sort_order, o.id) > ((v_keys ->> 0)::integer, (v_keys ->> 1)::uuid)
    order by o.sort_order, o.id
    limit p_limit + 1
  ) b
  left join public.user_badge_progress p on p.user_id = v_user_id and p.badge_id = b.id
  left join public.user_badges u on u.user_id = v_user_id and u.badge_id = b.id
  cross join lateral (select case when u.id is null then coalesce(p.count, 0) else b.threshold end as count) c;
  return private.page(v_filters, v_rows, '{sort_order,badge_id}', p_limit)
    || case when 'total' = any (p_include) then jsonb_build_object('total', (
      select count(*) from public.badges o where o.is_active
    )) else '{}' end;
end
$$;

comment on function api.list_my_badge_progress(integer, text, text, text[]) is
  'The caller''s progress with every badge that can be earned, in the language, in the order of the badges: {items, next_cursor}, and total when p_include has it. An earned badge is at its threshold. Reads only. Errors: unauthorized, forbidden, validation_error.';

grant execute on function
  api.list_my_badges(integer, text, text, text[]), api.list_my_badge_progress(integer, text, text, text[])
to authenticated;
