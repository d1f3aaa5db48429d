-- Error reports for administrators, and field values that authenticated users dispute.
--
-- A report is assigned, which takes it into review, and resolved or rejected. A resolution may include the correction of
-- the lot, which is applied in the same transaction, as any change of the console (private.apply_lot_changes). The author
-- is notified, and gets experience points for a correct report (rewards/exp.sql). A field value is confirmed (earlier
-- votes then do not change its state) or retired (it is removed from the lot's row).
--
-- Invariants: a decision on a report has the version that was read; administrators cannot decide on their own reports. A
-- correction and its report are both stored, or neither.
-- Interface: api.admin_list_error_reports, admin_get_error_report, admin_update_error_report;
-- api.admin_list_field_values, admin_get_field_value, admin_decide_field_value.

-- ---------------------------------------------------------------------------------------------------------------------
-- Error reports
-- ---------------------------------------------------------------------------------------------------------------------

-- Error reports as the console lists them, oldest first, without those of withdrawn users; null for an empty list.
create function private.admin_error_report_rows(p_report_ids uuid[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_agg(jsonb_build_object(
      'id', r.id, 'user_id', r.user_id, 'user_name', u.display_name, 'parking_lot_id', r.parking_lot_id,
      'parking_lot_name', r.parking_lot_name, 'report_type', r.report_type, 'severity', r.severity, 'status', r.status,
      'allowed_statuses', private.allowed_states('error_report', r.status), 'description', r.description,
      'evidence', coalesce(f.files, '[]'), 'assigned_admin_id', r.assigned_admin_id, 'assigned_admin_name', a.name,
      'created_at', r.created_at, 'updated_at', r.updated_at
    ) order by r.created_at, r.id)
    from public.error_reports r
    left join public.app_users u on u.id = r.user_id
    left join public.admins a on a.id = r.assigned_admin_id
    left join private.files_of('error_report', p_report_ids) f on f.entity_id = r.id
    where r.id = any (p_report_ids) and not exists (select from private.account_ends e where e.user_id = r.user_id)
  );
end
$$;

-- Checks the change of an error report. Errors: validation_error, with the field as param.
create function private.check_report_changes(p_changes jsonb) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_fields('public.error_reports', p_changes, '{assigned_admin_id,status,reason,correction,seen_updated_at}', '{seen_updated_at}',
    private.decision_rules() || '{"status": {"in": ["in_review", "resolved", "rejected"]}, "correction": {"type": "object", "null": false}}');
  if not p_changes ?| '{assigned_admin_id,status}' then
    perform private.raise_error('validation_error', 422, 'Give status, assigned_admin_id or both.', p_param => 'status');
  elsif p_changes ->> 'assigned_admin_id' is not null and not exists (
    select from public.admins a
    where a.id = (p_changes ->> 'assigned_admin_id')::uuid and a.status = 'active' and 'lots' = any (a.areas)
  ) then
    perform private.raise_error('validation_error', 422, 'assigned_admin_id must be an active administrator with the area lots.',
      p_param => 'assigned_admin_id');
  elsif p_changes ? 'correction' then
    if p_changes ->> 'status' is distinct from 'resolved' then
      perform private.raise_error('validation_error', 422, 'correction requires the status resolved.', p_param => 'correction');
    end if;
    perform private.check_fields('public.parking_lots', p_changes -> 'correction', private.lot_fields(), '{}', private.lot_rules(), 'correction');
  end if;
end
$$;

-- An error report, locked until the transaction ends, after its author and, when requested, its lot. Errors: not_found.
create function private.locked_error_report(p_id uuid, p_with_lot boolean) returns public.error_reports
language plpgsql
set search_path = ''
as $$
declare
  v_report public.error_reports;
begin
  select * into v_report from public.error_reports r where r.id = p_id;
  -- The author first, who gets points, then the lot: in the order in which every function locks them.
  perform 1 from public.app_users u where u.id = v_report.user_id for no key update;
  if p_with_lot then
    perform 1 from public.parking_lots l where l.id = v_report.parking_lot_id for no key update;
  end if;
  select * into v_report from public.error_reports r
  where r.id = p_id and not exists (select from private.account_ends e where e.user_id = r.user_id) for no key update;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such report.', p_param => 'id');
  end if;
  return v_report;
end
$$;

-- Assigns a report, which takes an open one into review, then sets the status. Returns the changed report. Errors:
-- conflict.
create function private.moved_error_report(p_report public.error_reports, p_changes jsonb) returns public.error_reports
language plpgsql
set search_path = ''
as $$
declare
  v_after public.error_reports := p_report;
  v_status text := p_changes ->> 'status';
begin
  if p_changes ? 'assigned_admin_id' then
    v_after.assigned_admin_id := (p_changes ->> 'assigned_admin_id')::uuid;
    if v_after.assigned_admin_id is not null and v_after.status <> 'in_review' then
      perform private.check_move('error_report', v_after.status, 'in_review');
      v_after.status := 'in_review';
    end if;
  end if;
  if v_after is distinct from p_report then
    update public.error_reports r set assigned_admin_id = v_after.assigned_admin_id, status = v_after.status
    where r.id = v_after.id returning * into v_after;
  end if;
  if v_status is not null and not (v_status = 'in_review' and p_report.status = 'open' and v_after.status = 'in_review') then
    perform private.check_move('error_report', v_after.status, v_status);
    update public.error_reports r set status = v_status where r.id = v_after.id returning * into v_after;
  end if;
  return v_after;
end
$$;

-- The effects of a decision on a report whose author still has an account: points and badges of a correct one, and a
-- notification of the result, with the reason if there is one.
create function private.on_error_report_decided(p_report public.error_reports, p_reason text) returns void
language plpgsql
security definer -- an administrator may write neither points nor progress
set search_path = ''
as $$
begin
  if (p_report).user_id is null then
    return;
  elsif (p_report).status = 'resolved' then
    perform private.give_exp((p_report).user_id, 'error_report_resolved', 'error_report', (p_report).id);
    perform private.earn_badge((p_report).user_id, b.id), private.give_exp((p_report).user_id, 'badge_earned', 'badge', b.id)
    from private.count_for_badges((p_report).user_id, 'error_report_resolved', (p_report).id, (p_report).parking_lot_id,
      jsonb_build_object('report_type', (p_report).report_type), (p_report).created_at) as b (id);
  end if;
  perform private.notify((p_report).user_id, 'error_report_' || (p_report).status, jsonb_build_object(
    'lot', (p_report).parking_lot_name, 'reason', private.reason_text(p_reason)
  ), jsonb_build_object('error_report_id', (p_report).id));
end
$$;

create function api.admin_list_error_reports(
  p_admin_id uuid,
  p_status text default null,
  p_severity text default null,
  p_parking_lot_id uuid default null,
  p_assigned_to uuid default null,
  p_include text[] default '{}',
  p_cursor text default null,
  p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_parts constant text[] := case when p_status is null then '{"r.status = ''open''","r.status = ''in_review''"}' else '{true}' end;
begin
  perform private.check_admin(p_admin_id, 'lots');
  perform private.check_choice('status', p_status, '{open,in_review,resolved,rejected}');
  perform private.check_choice('severity', p_severity, '{low,medium,high,critical}');
  return private.list_rows('public.error_reports', '{created_at timestamptz,id uuid}', 'asc', jsonb_build_object(
    'r.status = %s', p_status,
    'r.severity = %s', p_severity,
    'r.parking_lot_id = %s::uuid', p_parking_lot_id,
    'r.assigned_admin_id = %s::uuid', p_assigned_to
  ), p_include, p_cursor, p_limit, p_rows => 'private.admin_error_report_rows(array_agg((r).id))', p_is_capped => true,
    p_parts => v_parts, p_also => private.without_leavers());
end
$$;

comment on function api.admin_list_error_reports(uuid, text, text, uuid, uuid, text[], text, integer) is
  'Error reports, oldest first, of one status (default: open and in_review): {items, next_cursor}, and total (counted up to 10,000) with total_is_exact when p_include has it; evidence are storage keys. Reads only. For administrators of lots. Errors: forbidden, validation_error.';

create function api.admin_get_error_report(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'lots');
  return private.require_row(private.admin_error_report_rows(array[p_id]) -> 0, 'There is no such report.');
end
$$;

comment on function api.admin_get_error_report(uuid, uuid) is
  'An error report as api.admin_list_error_reports lists it. Reads only. For administrators of lots. Errors: forbidden, not_found.';

create function api.admin_update_error_report(p_admin_id uuid, p_id uuid, p_changes jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_reason text;
  v_before public.error_reports;
  v_after public.error_reports;
  v_difference jsonb;
begin
  perform private.lock_admin(p_admin_id, 'lots');
  perform private.check_report_changes(p_changes);
  v_reason := private.decision_reason(p_changes ->> 'reason');
  v_before := private.locked_error_report(p_id, p_changes ? 'correction');
  perform private.check_decision(p_admin_id, v_before.user_id, v_before.updated_at, (p_changes ->> 'seen_updated_at')::timestamptz);
  v_after := private.moved_error_report(v_before, p_changes);
  if v_after is distinct from v_before then
    perform private.record_act(p_admin_id,
      case when v_after.status = v_before.status or not p_changes ? 'status' then 'error_report.assign'
        when v_after.status = 'resolved' then 'error_report.resolve' when v_after.status = 'rejected' then 'error_report.reject'
        else 'error_report.review' end,
      'error_report', p_id::text, v_after.user_id, private.difference(to_jsonb(v_before), to_jsonb(v_after))
        || jsonb_strip_nulls(jsonb_build_object('reason', v_reason)));
  end if;
  if p_changes ? 'correction' then
    if v_after.parking_lot_id is null then
      perform private.raise_error('validation_error', 422, 'correction requires a report with a lot. This report has none.', p_param => 'correction');
    end if;
    v_difference := private.apply_lot_changes(v_after.parking_lot_id, p_changes -> 'correction');
    if v_difference <> '{}' then
      perform private.record_act(p_admin_id, 'parking_lot.correct', 'parking_lot', v_after.parking_lot_id::text, null,
        v_difference || jsonb_build_object('error_report_id', p_id));
    end if;
  end if;
  if v_after.status <> v_before.status and v_after.status <> 'in_review' then
    perform private.on_error_report_decided(v_after, v_reason);
  end if;
  return private.admin_error_report_rows(array[p_id]) -> 0;
end
$$;

comment on function api.admin_update_error_report(uuid, uuid, jsonb) is
  'Assigns an error report (assigned_admin_id, null: unassigned), changes its status, or both. p_changes has seen_updated_at: the updated_at of the version that was read. With the status resolved it may have a correction of the lot''s fields. Notifies the author of a result and returns the report. An assignment that changes nothing is not recorded. Not idempotent. For administrators of lots, not on their own reports. Errors: forbidden, validation_error, not_found, conflict.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Field values
-- ---------------------------------------------------------------------------------------------------------------------

-- Field values as the console lists them, in the order of its list; null for an empty list.
create function private.admin_field_value_rows(p_ids uuid[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_agg(jsonb_build_object(
      'id', v.id, 'parking_lot_id', v.parking_lot_id, 'parking_lot_name', l.name, 'field_name', v.field_name, 'value', v.value,
      'state', v.state, 'allowed_states', case when v.state = 'retired' then '{}' else '{confirmed,retired}'::text[] end,
      'source', v.source, 'licence', v.licence, 'confirm_count', v.confirm_count, 'deny_count', v.deny_count,
      'last_verified_at', v.last_verified_at, 'decided_at', v.decided_at,
      'created_at', v.created_at, 'updated_at', v.updated_at
    ) order by private.field_value_rank(v.state), v.created_at, v.id)
    from public.field_values v join public.parking_lots l on l.id = v.parking_lot_id
    where v.id = any (p_ids)
  );
end
$$;

-- A field value, locked until the transaction ends, after its lot. Errors: not_found.
create function private.locked_field_value(p_id uuid) returns public.field_values
language plpgsql
set search_path = ''
as $$
declare
  v_value public.field_values;
begin
  -- The lot before its values, as functions that change or delete lots do.
  perform 1 from public.parking_lots l
  where l.id = (select v.parking_lot_id from public.field_values v where v.id = p_id) for no key update;
  select * into v_value from public.field_values v where v.id = p_id for no key update;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such field value.', p_param => 'id');
  end if;
  return v_value;
end
$$;

-- Retires a field value, which the caller has locked with its lot. If the lot's row has this value, the field is emptied,
-- which is recorded. Errors: validation_error, conflict.
create function private.retire_field_value(p_admin_id uuid, p_value public.field_values) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_field text := (p_value).field_name;
  v_is_of_lot boolean;
begin
  select to_jsonb(l) -> v_field = (p_value).value into v_is_of_lot
  from public.parking_lots l where l.id = (p_value).parking_lot_id;
  if v_is_of_lot then
    if exists (select from private.column_bounds('public.parking_lots') b where b.column_name = v_field and b.bounds -> 'null' = 'false') then
      perform private.raise_error('validation_error', 422, format('A lot must have %s. Change the value instead of removing it.', v_field),
        p_param => 'state');
    end if;
    perform private.record_act(p_admin_id, 'parking_lot.correct', 'parking_lot', (p_value).parking_lot_id::text, null,
      private.apply_lot_changes((p_value).parking_lot_id, jsonb_build_object(v_field, null))
        || jsonb_build_object('field_value_id', (p_value).id));
  end if;
  update public.field_values set is_primary = false, state = 'retired', decided_at = null
  where id = (p_value).id and state <> 'retired';
end
$$;

create function api.admin_list_field_values(
  p_admin_id uuid, p_state text default null, p_parking_lot_id uuid default null, p_include text[] default '{}',
  p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := jsonb_build_array('admin_field_values', p_state, p_parking_lot_id);
  v_after jsonb;
  v_matching constant text := concat(
    'from public.field_values v where true',
    case when p_state is not null then ' and private.field_value_rank(v.state) = private.field_value_rank($1)' end,
    case when p_parking_lot_id is not null then ' and v.parking_lot_id = $2' end
  );
  v_ids uuid[];
  v_total jsonb := '{}';
begin
  perform private.check_admin(p_admin_id, 'lots');
  perform private.page_limit(p_limit);
  if p_state not in ('disputed', 'unverified', 'confirmed', 'retired') then
    perform private.raise_error('validation_error', 422, 'state must be disputed, unverified, confirmed or retired.', p_param => 'state');
  end if;
  v_after := private.cursor_decode(v_filters, p_cursor, '{text,timestamptz,uuid}');
  execute concat(
    'select array(select v.id ', v_matching,
    case when v_after is not null then
      ' and (private.field_value_rank(v.state), v.created_at, v.id) > (private.field_value_rank($3), $4, $5)' end,
    ' order by private.field_value_rank(v.state), v.created_at, v.id limit $6)'
  ) into v_ids using p_state, p_parking_lot_id, v_after ->> 0, (v_after ->> 1)::timestamptz, (v_after ->> 2)::uuid, p_limit + 1;
  if 'total' = any (p_include) then
    execute concat('select private.capped_total(count(*)) from (select ', v_matching, ' limit $3) f') into v_total
      using p_state, p_parking_lot_id, private.max_total() + 1;
  end if;
  return private.page(v_filters, private.admin_field_value_rows(v_ids), '{state,created_at,id}', p_limit) || v_total;
end
$$;

comment on function api.admin_list_field_values(uuid, text, uuid, text[], text, integer) is
  'The stored field values: disputed ones first, then unverified, confirmed and retired ones, oldest first in each state: {items, next_cursor}, and total (counted up to 10,000) with total_is_exact when p_include has it. Reads only. For administrators of lots. Errors: forbidden, validation_error.';

create function api.admin_get_field_value(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'lots');
  return private.require_row(private.admin_field_value_rows(array[p_id]) -> 0, 'There is no such field value.');
end
$$;

comment on function api.admin_get_field_value(uuid, uuid) is
  'A field value as api.admin_list_field_values lists it. Reads only. For administrators of lots. Errors: forbidden, not_found.';

create function api.admin_decide_field_value(
  p_admin_id uuid, p_id uuid, p_state text, p_reason text default null, p_if_match text default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_reason text;
  v_before public.field_values;
  v_now timestamptz;
begin
  perform private.lock_admin(p_admin_id, 'lots');
  v_reason := private.decision_reason(p_reason);
  if p_state is null or p_state not in ('confirmed', 'retired') then
    perform private.raise_error('validation_error', 422, 'state must be confirmed or retired.', p_param => 'state');
  end if;
  v_before := private.locked_field_value(p_id);
  perform private.require_match(p_if_match, v_before.updated_at);
  if v_before.state = 'retired' then
    perform private.raise_error('conflict', 409, 'The lot has another value now. Read it again, then retry.', p_param => 'state',
      p_details => '{"reason": "retired"}');
  elsif p_state = 'retired' then
    perform private.retire_field_value(p_admin_id, v_before);
  else
    v_now := clock_timestamp(); -- after the lock on the value: later than every vote that is counted
    update public.field_values set state = 'confirmed', decided_at = v_now, last_verified_at = v_now where id = p_id;
  end if;
  perform private.record_act(p_admin_id, case p_state when 'retired' then 'field_value.retire' else 'field_value.confirm' end,
    'field_value', p_id::text, null, private.difference(to_jsonb(v_before), to_jsonb(v))
      || jsonb_strip_nulls(jsonb_build_object('reason', v_reason)))
  from public.field_values v where v.id = p_id;
  return private.admin_field_value_rows(array[p_id]) -> 0;
end
$$;

comment on function api.admin_decide_field_value(uuid, uuid, text, text, text) is
  'Confirms a field value (earlier votes then do not change its state), or retires it and empties the lot''s field if it has the value. Returns the value. p_if_match is the version. A repeated confirmation has the same effect and is recorded each time; a retired value is a conflict. For administrators of lots. Errors: forbidden, validation_error, not_found, conflict, precondition_failed.';
