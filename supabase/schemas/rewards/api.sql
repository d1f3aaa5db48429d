-- The interface of rewards: experience points, levels, badges and themes.
--
-- Clients and the service call these functions. The rules are in badge_backfill.sql, badge_conditions.sql, badges.sql,
-- exp.sql, level_recalculation.sql, theme_rewards.sql and themes.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Experience points and levels
-- ---------------------------------------------------------------------------------------------------------------------

create function api.my_exp() returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
begin
  return (
    select jsonb_build_object('total_exp', u.total_exp, 'level', u.level, 'next_level_exp', n.required_exp,
      'exp_to_next_level', case when n.required_exp is not null then greatest(n.required_exp - u.total_exp, 0) end)
    from public.app_users u
    left join lateral (
      select l.required_exp from public.levels l where l.level > u.level order by l.level limit 1
    ) n on true
    where u.id = v_user_id
  );
end
$$;

comment on function api.my_exp() is
  'The caller''s points and level, and the points of the next level; null at the highest. Reads only. Errors: unauthorized, forbidden.';

create function api.list_my_exp_entries(
  p_limit integer default 20, p_cursor text default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
  v_filters jsonb := jsonb_build_object('list', 'my_exp_entries', 'user_id', v_user_id);
  v_keys jsonb := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
begin
  perform private.page_limit(p_limit);
  return private.page(v_filters, (
    select jsonb_agg(jsonb_build_object('id', p.id, 'reason', p.reason, 'amount', p.amount, 'source_type', p.source_type,
      'source_id', p.source_id, 'created_at', p.created_at) order by p.created_at desc, p.id desc)
    from (
      select * from public.exp_entries e
      where e.user_id = v_user_id
        and (e.created_at, e.id) < ((v_keys ->> 0)::timestamptz, (v_keys ->> 1)::uuid)
      order by e.created_at desc, e.id desc
      limit p_limit + 1
    ) p
  ), '{created_at,id}', p_limit, case when 'total' = any (p_include) then (
    select count(*) from public.exp_entries e where e.user_id = v_user_id
  ) end);
end
$$;

comment on function api.list_my_exp_entries(integer, text, text[]) is
  'The caller''s entries, given and taken back, newest first: {items, next_cursor}, and total when p_include has it. Reads only. Errors: unauthorized, forbidden, validation_error.';

grant execute on function api.my_exp(), api.list_my_exp_entries(integer, text, text[]) to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Recalculation of levels
-- ---------------------------------------------------------------------------------------------------------------------

create function api.recalculate_all_user_levels() returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.start_level_recalculation();
  return private.level_recalculation_progress();
end
$$;

comment on function api.recalculate_all_user_levels() is
  'For the service: starts the job that sets the sum of points and the level of all users from the ledger and the current levels. Returns its progress: {status, done_users, total_users, changed_users, started_at, updated_at}. A call while it runs restarts it from the beginning. Needed after an edit of levels. It raises no errors.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Conditions of badges
-- ---------------------------------------------------------------------------------------------------------------------

create function api.evaluate_badge_conditions(metadata jsonb, conditions jsonb) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.require_badge_conditions(conditions);
  if jsonb_typeof(metadata) is distinct from 'object' then
    perform private.raise_error('validation_error', 422, 'metadata must be an object.', p_param => 'metadata');
  elsif metadata ? 'hour' and not private.is_whole_number(metadata -> 'hour', 0, 23) then
    perform private.raise_error('validation_error', 422, 'hour must be a whole number from 0 to 23.', p_param => 'metadata.hour');
  end if;
  return private.meets_badge_conditions(metadata, conditions);
end
$$;

comment on function api.evaluate_badge_conditions(jsonb, jsonb) is
  'For the service: whether an activity counts under a badge''s conditions. metadata is that of the activity, with kind, hour (0 to 23), weekday (0 is Sunday) and date (YYYY-MM-DD), those of Japan. Reads nothing. Errors: validation_error.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Lists of badges
-- ---------------------------------------------------------------------------------------------------------------------

-- Lists of badges: the badges of a user, and the progress of a user.
--
-- Interface: api.list_my_badges, list_my_badge_progress.

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

-- ---------------------------------------------------------------------------------------------------------------------
-- Backfill of badges
-- ---------------------------------------------------------------------------------------------------------------------

create function api.backfill_badge_progress(target_badge_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform from public.badges b where b.id = target_badge_id for key share;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such badge.', p_param => 'id');
  end if;
  perform private.start_badge_backfills(array[target_badge_id]);
  return private.badge_backfill_progress(target_badge_id);
end
$$;

comment on function api.backfill_badge_progress(uuid) is
  'For the service: starts to rebuild all users'' progress with a badge from history. Returns its progress: {badge_id, status, done_users, total_users, started_at, updated_at}. A call while it runs restarts it from the beginning. Errors: not_found.';

create function api.backfill_all_badge_progress() returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.start_badge_backfills(array(select b.id from public.badges b where b.is_active for key share));
  return private.badge_backfills_progress();
end
$$;

comment on function api.backfill_all_badge_progress() is
  'For the service: api.backfill_badge_progress for every active badge. Returns the progress of all rebuilds in sum: {status, done_users, total_users, started_at, updated_at, done_badges, total_badges}. It raises no errors.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Themes
-- ---------------------------------------------------------------------------------------------------------------------

create function api.list_my_themes(
  p_limit integer default 20, p_cursor text default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
  v_filters jsonb := jsonb_build_object('list', 'my_themes', 'user_id', v_user_id);
  v_keys jsonb := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
begin
  perform private.page_limit(p_limit);
  return private.page(v_filters, (
    select jsonb_agg(private.my_theme_row(p.owned) order by (p.owned).acquired_at desc, (p.owned).id desc)
    from (
      select o as owned from private.owned_themes(v_user_id) o
      where (o.acquired_at, o.id) < ((v_keys ->> 0)::timestamptz, (v_keys ->> 1)::uuid)
      order by o.acquired_at desc, o.id desc
      limit p_limit + 1
    ) p
  ), '{acquired_at,id}', p_limit)
  || case when 'total' = any (p_include)
    then jsonb_build_object('total', (select count(*) from private.owned_themes(v_user_id))) else '{}' end
  || case when 'catalogue' = any (p_include)
    then jsonb_build_object('catalogue', private.theme_catalogue(v_user_id)) else '{}' end;
end
$$;

comment on function api.list_my_themes(integer, text, text[]) is
  'The caller''s themes, the latest first: {items, next_cursor}. p_include adds total, and catalogue: every theme that is active or owned. Reads only. Errors: unauthorized, forbidden, validation_error.';

create function commands.apply_my_theme(p_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return private.my_theme_row(private.apply_theme(p_id));
end
$$;

comment on function commands.apply_my_theme(uuid) is
  'Applies a theme that the caller owns, in place of the former one, and returns it. Idempotent. Errors: unauthorized, forbidden, not_found.';

create function api.list_my_theme_gifts(
  p_limit integer default 20, p_cursor text default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
  v_filters jsonb := jsonb_build_object('list', 'my_theme_gifts', 'user_id', v_user_id);
  v_keys jsonb := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
begin
  perform private.page_limit(p_limit);
  return private.page(v_filters, (
    select jsonb_agg(jsonb_build_object(
      'id', g.id, 'theme_id', g.theme_id, 'message', g.message, 'created_at', g.created_at,
      'theme', (select private.theme_item(t) from public.themes t where t.id = g.theme_id)
    ) order by g.created_at desc, g.id desc)
    from (
      select g.id, g.theme_id, g.message, g.created_at from public.theme_gifts g
      where g.user_id = v_user_id
        and (g.created_at, g.id) < ((v_keys ->> 0)::timestamptz, (v_keys ->> 1)::uuid)
      order by g.created_at desc, g.id desc
      limit p_limit + 1
    ) g
  ), '{created_at,id}', p_limit, case when 'total' = any (p_include) then (
    select count(*) from public.theme_gifts g where g.user_id = v_user_id
  ) end);
end
$$;

comment on function api.list_my_theme_gifts(integer, text, text[]) is
  'The gifts to the caller, the latest first: {items, next_cursor}, and total when p_include has it. Reads only. Errors: unauthorized, forbidden, validation_error.';

grant execute on function
  api.list_my_themes(integer, text, text[]), commands.apply_my_theme(uuid), api.list_my_theme_gifts(integer, text, text[])
to authenticated;
