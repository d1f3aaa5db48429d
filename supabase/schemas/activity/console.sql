-- Activities of users in the console: the list that the live feed begins with, and reads again after an outage.
--
-- Administrators with the area users read it, like the live feed (policy of public.user_activity_logs): it shows where a
-- user parks, and when. It has the activities of the last 90 days. Older ones are archived, or stay only because they prevent a second one.
--
-- Interface: api.admin_list_user_activities.

create function api.admin_list_user_activities(
  p_admin_id uuid,
  p_user_id uuid default null,
  p_activity_type text default null,
  p_include text[] default '{}',
  p_cursor text default null,
  p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := jsonb_build_array('user_activity_logs', p_user_id, p_activity_type);
  v_since constant timestamptz := now() - interval '90 days';
  v_types text[] := array[p_activity_type];
  v_limit integer;
  v_after jsonb;
  v_items jsonb;
  v_total jsonb := '{}';
begin
  perform private.check_admin(p_admin_id, 'users');
  v_after := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
  v_limit := private.page_limit(p_limit);
  if p_activity_type is null then
    v_types := array(select c.code from public.codes c where c.category_id = 'user_activity' and c.lang = 'en');
  end if;
  if p_user_id is not null then
    select jsonb_agg(to_jsonb(p) order by p.created_at desc, p.id desc) into v_items
    from (
      select l.* from public.user_activity_logs l
      where l.user_id = p_user_id and (p_activity_type is null or l.activity_type = p_activity_type)
        and l.created_at >= v_since and (l.created_at, l.id) < ((v_after ->> 0)::timestamptz, (v_after ->> 1)::uuid)
      order by l.created_at desc, l.id desc limit v_limit + 1
    ) p;
  else
    -- The newest of each type, and of these the newest: every read is one range of user_activity_logs_type_idx.
    select jsonb_agg(to_jsonb(p) order by p.created_at desc, p.id desc) into v_items
    from (
      select n.* from unnest(v_types) as t (activity_type)
      cross join lateral (
        select l.* from public.user_activity_logs l
        where l.activity_type = t.activity_type and l.created_at >= v_since
          and (l.created_at, l.id) < ((v_after ->> 0)::timestamptz, (v_after ->> 1)::uuid)
        order by l.created_at desc, l.id desc limit v_limit + 1
      ) n
      order by n.created_at desc, n.id desc limit v_limit + 1
    ) p;
  end if;
  if 'total' = any (p_include) then
    execute format(
      'select private.capped_total(count(*)) from (
        select from public.user_activity_logs l where %s l.activity_type = any ($2) and l.created_at >= $3 limit $4
      ) f', case when p_user_id is not null then 'l.user_id = $1 and' end
    ) into v_total using p_user_id, v_types, v_since, private.max_total() + 1;
  end if;
  return private.page(v_filters, v_items, '{created_at,id}', v_limit) || v_total;
end
$$;

comment on function api.admin_list_user_activities(uuid, uuid, text, text[], text, integer) is
  'Activities of users of the last 90 days, newest first: {items, next_cursor}, and total (counted up to 10,000) with total_is_exact when p_include has it. Area users. Errors: forbidden, validation_error.';

grant execute on function api.admin_list_user_activities(uuid, uuid, text, text[], text, integer) to service_role;
