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

-- The fields of a level that administrators write; the level itself only when it is created.
create function private.level_field_rules() returns jsonb
language sql immutable
return '{
  "required_exp": {"type": "integer", "min": 0, "max": 1000000000},
  "name": {"type": "text", "max": 50, "null": true}, "name_en": {"type": "text", "max": 50, "null": true}
}'::jsonb;

-- The fields of an EXP rule that administrators change; its cause only when it is created.
create function private.exp_rule_field_rules() returns jsonb
language sql immutable
return '{
  "amount": {"type": "integer", "min": 1, "max": 10000},
  "daily_limit": {"type": "integer", "min": 1, "max": 1000, "null": true}, "is_active": {"type": "boolean"}
}'::jsonb;

-- Raises validation_error for a first level that requires points, and for any other that requires none.
create function private.check_first_level(p_level integer, p_required_exp integer) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if (p_level = 1) <> (p_required_exp = 0) then
    perform private.raise_error('validation_error', 422, 'required_exp must be 0 for the first level, and above 0 for the others.',
      p_param => 'required_exp');
  end if;
end
$$;

-- A level, locked until the transaction ends. Errors: not_found.
create function private.held_level(p_level integer) returns public.levels
language plpgsql
set search_path = ''
as $$
declare
  v_level public.levels;
begin
  select * into v_level from public.levels where level = p_level for update;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such level.', p_param => 'level');
  end if;
  return v_level;
end
$$;

-- An EXP rule, locked until the transaction ends. Errors: not_found.
create function private.held_exp_rule(p_id integer) returns private.exp_rules
language plpgsql
set search_path = ''
as $$
declare
  v_rule private.exp_rules;
begin
  select * into v_rule from private.exp_rules where id = p_id for update;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such EXP rule.', p_param => 'id');
  end if;
  return v_rule;
end
$$;

grant execute on function
  private.level_field_rules(), private.exp_rule_field_rules(), private.check_first_level(integer, integer), private.held_level(integer),
  private.held_exp_rule(integer)
to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Levels
-- ---------------------------------------------------------------------------------------------------------------------

create function api.admin_list_levels(
  p_admin_id uuid, p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters constant jsonb := '["admin_levels"]';
  v_after jsonb;
begin
  perform private.check_admin(p_admin_id, 'rewards');
  v_after := private.page_start(v_filters, p_cursor, '{integer}', 'asc');
  return private.page(v_filters, (
    select jsonb_agg(to_jsonb(l) order by l.level)
    from (
      select * from public.levels o
      where o.level > (v_after ->> 0)::integer
      order by o.level limit private.page_limit(p_limit) + 1
    ) l
  ), '{level}', p_limit) || case when 'total' = any (p_include)
    then jsonb_build_object('total', (select count(*) from public.levels)) else '{}' end;
end
$$;

comment on function api.admin_list_levels(uuid, text[], text, integer) is
  'The levels, the lowest first: {items, next_cursor}, and total when p_include has it. Area: rewards. Errors: forbidden, validation_error.';

create function api.admin_read_level(p_admin_id uuid, p_level integer) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_level public.levels;
begin
  perform private.check_admin(p_admin_id, 'rewards');
  select * into v_level from public.levels where level = p_level;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such level.', p_param => 'level');
  end if;
  return to_jsonb(v_level);
end
$$;

comment on function api.admin_read_level(uuid, integer) is 'A level. Area: rewards. Errors: forbidden, not_found.';

create function api.admin_create_level(p_admin_id uuid, p_fields jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_level public.levels;
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  perform private.require_fields('{"level": null, "required_exp": null}' || p_fields,
    private.level_field_rules() || '{"level": {"type": "integer", "min": 1, "max": 10000}}');
  v_level := jsonb_populate_record(null::public.levels, p_fields);
  perform private.check_first_level(v_level.level, v_level.required_exp);
  insert into public.levels (level, required_exp, name, name_en)
  values (v_level.level, v_level.required_exp, v_level.name, v_level.name_en)
  on conflict (level) do nothing returning * into v_level;
  if not found then
    perform private.raise_error('conflict', 409, 'This level exists already. Change it instead.', p_param => 'level', p_details => '{"reason": "exists"}');
  end if;
  perform private.record_act(p_admin_id, 'level.create', 'level', v_level.level::text,
    p_changes => private.difference(null, to_jsonb(v_level)));
  return to_jsonb(v_level);
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
  v_level public.levels;
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  v_before := private.held_level(p_level);
  perform private.require_match(p_if_match, v_before.updated_at);
  perform private.require_fields(p_changes, private.level_field_rules());
  v_level := jsonb_populate_record(v_before, p_changes);
  if v_level is distinct from v_before then
    perform private.check_first_level(v_level.level, v_level.required_exp);
    update public.levels set required_exp = v_level.required_exp, name = v_level.name, name_en = v_level.name_en
    where level = p_level returning * into v_level;
    perform private.record_act(p_admin_id, 'level.update', 'level', p_level::text,
      p_changes => private.difference(to_jsonb(v_before), to_jsonb(v_level)));
  end if;
  return to_jsonb(v_level);
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
  v_level := private.held_level(p_level);
  if p_level = 1 or exists (select from public.app_users u where u.level = p_level)
    or exists (select from public.themes t where t.unlock_level = p_level) then
    perform private.raise_error('conflict', 409, 'The first level, a level that users have, and a level that a theme requires cannot be deleted.',
      p_param => 'level', p_details => '{"reason": "in_use"}');
  end if;
  delete from public.levels where level = p_level;
  perform private.record_act(p_admin_id, 'level.delete', 'level', p_level::text,
    p_changes => private.difference(to_jsonb(v_level), null));
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

grant execute on function
  api.admin_list_levels(uuid, text[], text, integer), api.admin_read_level(uuid, integer), api.admin_create_level(uuid, jsonb),
  api.admin_update_level(uuid, integer, jsonb, text), api.admin_delete_level(uuid, integer),
  api.admin_recalculate_levels(uuid), api.admin_read_level_recalculation(uuid)
to service_role;

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
declare
  v_filters jsonb := jsonb_build_array('admin_exp_rules', p_is_active);
  v_after jsonb;
begin
  perform private.check_admin(p_admin_id, 'rewards');
  v_after := private.page_start(v_filters, p_cursor, '{integer}', 'asc');
  return private.page(v_filters, (
    select jsonb_agg(to_jsonb(r) order by r.id)
    from (
      select * from private.exp_rules o
      where (p_is_active is null or o.is_active = p_is_active) and o.id > (v_after ->> 0)::integer
      order by o.id limit private.page_limit(p_limit) + 1
    ) r
  ), '{id}', p_limit, case when 'total' = any (p_include) then (
    select count(*) from private.exp_rules o where p_is_active is null or o.is_active = p_is_active
  ) end);
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
declare
  v_rule private.exp_rules;
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  perform private.require_fields('{"reason": null, "amount": null}' || p_fields, private.exp_rule_field_rules() || '{
    "reason": {"type": "text", "category": "exp_reason"}, "activity_type": {"type": "text", "category": "user_activity", "null": true}
  }');
  v_rule := jsonb_populate_record(null::private.exp_rules, '{"is_active": true}' || p_fields);
  -- Both constraints: one rule for an activity, and one for a cause that is not an activity.
  insert into private.exp_rules (reason, activity_type, amount, daily_limit, is_active)
  values (v_rule.reason, v_rule.activity_type, v_rule.amount, v_rule.daily_limit, v_rule.is_active)
  on conflict do nothing returning * into v_rule;
  if not found then
    perform private.raise_error('conflict', 409, 'This cause has a rule already. Change that rule instead.',
      p_param => case when p_fields ->> 'activity_type' is null then 'reason' else 'activity_type' end,
      p_details => '{"reason": "exists"}');
  end if;
  perform private.record_act(p_admin_id, 'exp_rule.create', 'exp_rule', v_rule.id::text,
    p_changes => private.difference(null, to_jsonb(v_rule)));
  return to_jsonb(v_rule);
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
  v_rule private.exp_rules;
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  v_before := private.held_exp_rule(p_id);
  perform private.require_match(p_if_match, v_before.updated_at);
  perform private.require_fields(p_changes, private.exp_rule_field_rules());
  v_rule := jsonb_populate_record(v_before, p_changes);
  if v_rule is distinct from v_before then
    update private.exp_rules set amount = v_rule.amount, daily_limit = v_rule.daily_limit, is_active = v_rule.is_active
    where id = p_id returning * into v_rule;
    perform private.record_act(p_admin_id, 'exp_rule.update', 'exp_rule', p_id::text,
      p_changes => private.difference(to_jsonb(v_before), to_jsonb(v_rule)));
  end if;
  return to_jsonb(v_rule);
end
$$;

comment on function api.admin_update_exp_rule(uuid, integer, jsonb, text) is
  'Changes the fields of an EXP rule that p_changes has (null empties one), and returns it. It counts from then on. Idempotent. Area: rewards. Errors: forbidden, validation_error, not_found, precondition_failed.';

create function api.admin_delete_exp_rule(p_admin_id uuid, p_id integer) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_rule private.exp_rules;
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  v_rule := private.held_exp_rule(p_id);
  delete from private.exp_rules where id = p_id;
  perform private.record_act(p_admin_id, 'exp_rule.delete', 'exp_rule', p_id::text,
    p_changes => private.difference(to_jsonb(v_rule), null));
end
$$;

comment on function api.admin_delete_exp_rule(uuid, integer) is
  'Deletes an EXP rule: its cause gives no points from then on; points that were given stay. Area: rewards. Errors: forbidden, not_found.';

grant execute on function
  api.admin_list_exp_rules(uuid, boolean, text[], text, integer), api.admin_read_exp_rule(uuid, integer),
  api.admin_create_exp_rule(uuid, jsonb), api.admin_update_exp_rule(uuid, integer, jsonb, text),
  api.admin_delete_exp_rule(uuid, integer)
to service_role;
