-- The fields of badges, levels, EXP rules and themes that administrators write are the columns of the table.
--
-- The definitions are those of supabase/schemas after this change. The way back: the functions as they were.

set lock_timeout = '2s';

create or replace function api.admin_create_badge(p_admin_id uuid, p_fields jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  perform private.check_columns('public.badges', p_fields, p_is_new => true, p_rules => '{"*": {"blank": false}}');
  return to_jsonb(private.save_row(p_admin_id, 'badge', null::public.badges, p_fields));
end
$$;

create or replace function api.admin_update_badge(p_admin_id uuid, p_id uuid, p_changes jsonb, p_if_match text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before public.badges;
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  v_before := private.locked_version(null::public.badges, jsonb_build_object('id', p_id), 'badge', p_if_match);
  perform private.check_columns('public.badges', p_changes, p_rules => '{"*": {"blank": false}}');
  return to_jsonb(private.save_row(p_admin_id, 'badge', v_before, p_changes, 'badge.update'));
end
$$;

create or replace function api.admin_create_level(p_admin_id uuid, p_fields jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  perform private.check_columns('public.levels', p_fields, p_is_new => true, p_rules => '{"*": {"blank": false}}');
  return to_jsonb(private.save_row(p_admin_id, 'level', null::public.levels, p_fields));
exception when unique_violation then
  perform private.raise_error('conflict', 409, 'This level exists already. Change it instead.', p_param => 'level', p_details => '{"reason": "exists"}');
end
$$;

create or replace function api.admin_update_level(p_admin_id uuid, p_level integer, p_changes jsonb, p_if_match text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before public.levels;
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  v_before := private.locked_version(null::public.levels, jsonb_build_object('level', p_level), 'level', p_if_match);
  perform private.check_columns('public.levels', p_changes, p_rules => '{"*": {"blank": false}}', p_before => to_jsonb(v_before));
  return to_jsonb(private.save_row(p_admin_id, 'level', v_before, p_changes));
end
$$;

create or replace function api.admin_create_exp_rule(p_admin_id uuid, p_fields jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  perform private.check_columns('private.exp_rules', p_fields, p_is_new => true,
    p_rules => '{"reason": {"category": "exp_reason"}, "activity_type": {"category": "user_activity"}}');
  return to_jsonb(private.save_row(p_admin_id, 'exp_rule', null::private.exp_rules, p_fields));
exception when unique_violation then
  -- Of both constraints: one rule for an activity, and one for a cause that is not an activity.
  perform private.raise_error('conflict', 409, 'This cause has a rule already. Change that rule instead.',
    p_param => case when p_fields ->> 'activity_type' is null then 'reason' else 'activity_type' end,
    p_details => '{"reason": "exists"}');
end
$$;

create or replace function api.admin_update_exp_rule(p_admin_id uuid, p_id integer, p_changes jsonb, p_if_match text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before private.exp_rules;
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  v_before := private.locked_version(null::private.exp_rules, jsonb_build_object('id', p_id), 'EXP rule', p_if_match);
  perform private.check_columns('private.exp_rules', p_changes, p_without => '{reason,activity_type}');
  return to_jsonb(private.save_row(p_admin_id, 'exp_rule', v_before, p_changes, 'exp_rule.update'));
end
$$;

create or replace function api.admin_create_theme(p_admin_id uuid, p_fields jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  perform private.check_columns('public.themes', p_fields, p_is_new => true, p_rules => '{"*": {"blank": false}}',
    p_before => '{"is_free": false, "price_yen_minor": null}');
  return private.save_theme(p_admin_id, null, p_fields || jsonb_build_object('id', gen_random_uuid()), 'theme.create');
end
$$;

create or replace function api.admin_update_theme(p_admin_id uuid, p_id uuid, p_changes jsonb, p_if_match text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before public.themes;
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  v_before := private.locked_version(null::public.themes, jsonb_build_object('id', p_id), 'theme', p_if_match);
  perform private.check_columns('public.themes', p_changes, p_rules => '{"*": {"blank": false}}', p_before => to_jsonb(v_before));
  return private.save_theme(p_admin_id, v_before, p_changes, 'theme.update');
end
$$;

drop function private.check_badge_fields(jsonb, text[]);
drop function private.check_theme_fields(jsonb, jsonb, text[]);
