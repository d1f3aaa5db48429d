-- Levels and EXP rules in the console.
--
-- Area: rewards. Thresholds increase with the level (rewards/exp.sql). A change of levels alone changes no user's level:
-- administrators start the recalculation (rewards/level_recalculation.sql) afterwards. A change of an EXP rule counts
-- from then on. Points that were given stay, also when the rule is deleted. The cause of a rule (reason, activity_type)
-- does not change.
--
-- Interface: api.admin_list_levels, admin_read_level, admin_create_level, admin_update_level, admin_delete_level,
-- admin_recalculate_levels, admin_read_level_recalculation, admin_list_exp_rules, admin_read_exp_rule,
-- admin_create_exp_rule, admin_update_exp_rule, admin_delete_exp_rule.

-- ---------------------------------------------------------------------------------------------------------------------
-- Levels
-- ---------------------------------------------------------------------------------------------------------------------

create function api.admin_list_levels(
  p_admin_id uuid, p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'rewards');
  return private.list_rows('public.levels', '{level integer}', 'asc', '{}', p_include, p_cursor, p_limit);
end
$$;

comment on function api.admin_list_levels(uuid, text[], text, integer) is
  'The levels, the lowest first: {items, next_cursor}, and total when p_include has it. Area: rewards. Errors: forbidden, validation_error.';

create function api.admin_read_level(p_admin_id uuid, p_level integer) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'rewards');
  return private.require_row(
    (select to_jsonb(l) from public.levels l where l.level = p_level), 'There is no such level.', 'level'
  );
end
$$;

comment on function api.admin_read_level(uuid, integer) is 'A level. Area: rewards. Errors: forbidden, not_found.';

create function api.admin_create_level(p_admin_id uuid, p_fields jsonb) returns jsonb
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

comment on function api.admin_create_level(uuid, jsonb) is
  'Creates a level of p_fields and returns it. Users reach it by later activities, or by the recalculation. Area: rewards. Errors: forbidden, validation_error, conflict.';

create function api.admin_update_level(p_admin_id uuid, p_level integer, p_changes jsonb, p_if_match text default null) returns jsonb
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

comment on function api.admin_update_level(uuid, integer, jsonb, text) is
  'Changes the fields of a level that p_changes has (null empties one), and returns it. Users keep their levels until they are recalculated. Idempotent. Area: rewards. Errors: forbidden, validation_error, not_found, precondition_failed.';

create function api.admin_delete_level(p_admin_id uuid, p_level integer) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_level public.levels;
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  v_level := private.locked_row(null::public.levels, jsonb_build_object('level', p_level), 'level');
  if p_level = 1 or exists (select from public.app_users u where u.level = p_level)
    or exists (select from public.themes t where t.unlock_level = p_level) then
    perform private.raise_error('conflict', 409, 'The first level, a level that users have, and a level that a theme requires cannot be deleted.',
      p_param => 'level', p_details => '{"reason": "in_use"}');
  end if;
  perform private.delete_row(p_admin_id, 'level', v_level);
end
$$;

comment on function api.admin_delete_level(uuid, integer) is
  'Deletes a level that no user has and that no theme requires; never the first. Area: rewards. Errors: forbidden, not_found, conflict.';

create function api.admin_recalculate_levels(p_admin_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before jsonb;
  v_progress jsonb;
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  v_before := private.level_recalculation_progress();
  v_progress := api.recalculate_all_user_levels();
  perform private.record_act(p_admin_id, 'level.recalculate', 'level', null,
    p_changes => private.difference(v_before, v_progress));
  return v_progress;
end
$$;

comment on function api.admin_recalculate_levels(uuid) is
  'api.recalculate_all_user_levels on behalf of an administrator. Area: rewards. Errors: forbidden.';

create function api.admin_read_level_recalculation(p_admin_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'rewards');
  return private.level_recalculation_progress();
end
$$;

comment on function api.admin_read_level_recalculation(uuid) is
  'The progress of the latest recalculation of levels: {status, done_users, total_users, changed_users, started_at, updated_at}. Area: rewards. Errors: forbidden.';

-- ---------------------------------------------------------------------------------------------------------------------
-- EXP rules
-- ---------------------------------------------------------------------------------------------------------------------

create function api.admin_list_exp_rules(
  p_admin_id uuid, p_is_active boolean default null, p_include text[] default '{}', p_cursor text default null,
  p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'rewards');
  return private.list_rows('private.exp_rules', '{id integer}', 'asc',
    jsonb_build_object('r.is_active = %s::boolean', p_is_active), p_include, p_cursor, p_limit);
end
$$;

comment on function api.admin_list_exp_rules(uuid, boolean, text[], text, integer) is
  'The EXP rules, in the order in which they were created: {items, next_cursor}, and total when p_include has it. Area: rewards. Errors: forbidden, validation_error.';

create function api.admin_read_exp_rule(p_admin_id uuid, p_id integer) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'rewards');
  return private.require_row(
    (select to_jsonb(e) from private.exp_rules e where e.id = p_id), 'There is no such EXP rule.'
  );
end
$$;

comment on function api.admin_read_exp_rule(uuid, integer) is 'An EXP rule. Area: rewards. Errors: forbidden, not_found.';

create function api.admin_create_exp_rule(p_admin_id uuid, p_fields jsonb) returns jsonb
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

comment on function api.admin_create_exp_rule(uuid, jsonb) is
  'Creates an EXP rule of p_fields and returns it; it counts from then on. Area: rewards. Errors: forbidden, validation_error, conflict.';

create function api.admin_update_exp_rule(p_admin_id uuid, p_id integer, p_changes jsonb, p_if_match text default null) returns jsonb
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

comment on function api.admin_update_exp_rule(uuid, integer, jsonb, text) is
  'Changes the fields of an EXP rule that p_changes has (null empties one), and returns it. It counts from then on. Idempotent. Area: rewards. Errors: forbidden, validation_error, not_found, precondition_failed.';

create function api.admin_delete_exp_rule(p_admin_id uuid, p_id integer) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  perform private.delete_row(p_admin_id, 'exp_rule',
    private.locked_row(null::private.exp_rules, jsonb_build_object('id', p_id), 'EXP rule'));
end
$$;

comment on function api.admin_delete_exp_rule(uuid, integer) is
  'Deletes an EXP rule: its cause gives no points from then on; points that were given stay. Area: rewards. Errors: forbidden, not_found.';
