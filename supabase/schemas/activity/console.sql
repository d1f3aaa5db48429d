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
  -- Without a user, each type is read in its index.
  v_parts constant text[] := case when p_user_id is null and p_activity_type is null then array(
    select format('r.activity_type = %L', c.code) from public.codes c
    where c.category_id = 'user_activity' and c.lang = 'en' order by c.code
  ) else '{true}' end;
begin
  perform private.check_admin(p_admin_id, 'users');
  return private.list_rows('public.user_activity_logs', '{created_at timestamptz,id uuid}', 'desc', jsonb_build_object(
    'r.created_at >= now() - interval ''90 days''', true,
    'r.user_id = %s::uuid', p_user_id,
    'r.activity_type = %s', p_activity_type
  ), p_include, p_cursor, p_limit, p_is_capped => true, p_parts => v_parts);
end
$$;

comment on function api.admin_list_user_activities(uuid, uuid, text, text[], text, integer) is
  'Activities of users of the last 90 days, newest first: {items, next_cursor}, and total (counted up to 10,000) with total_is_exact when p_include has it. Area users. Errors: forbidden, validation_error.';
