-- Public holidays in the console: list, create, change, delete.
--
-- No stored data of a lot depend on a holiday: hours and fees read holidays when they are computed, so a change has effect
-- at once.

-- A holiday, locked until the transaction ends, in the version of the If-Match header. Errors: not_found,
-- precondition_failed.
create function private.held_holiday(p_calendar text, p_holiday_date date, p_if_match text) returns public.holidays
language plpgsql
set search_path = ''
as $$
declare
  v_holiday public.holidays;
begin
  select * into v_holiday from public.holidays h where h.calendar = p_calendar and h.holiday_date = p_holiday_date for update;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such holiday.', p_param => 'holiday_date');
  end if;
  perform private.require_match(p_if_match, v_holiday.updated_at);
  return v_holiday;
end
$$;

-- Writes a new holiday, or the names of one that the caller has locked, and records the act; p_before is null for a new
-- one. An equal version changes nothing. Errors: validation_error, conflict.
create function private.write_holiday(p_admin_id uuid, p_before public.holidays, p_after public.holidays) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_changes constant jsonb := private.difference(to_jsonb(p_before), to_jsonb(p_after));
  v_after public.holidays;
  v_table text;
  v_constraint text;
begin
  if v_changes = '{}' then
    return to_jsonb(p_before);
  elsif p_before.calendar is null then
    insert into public.holidays select p_after.* returning * into v_after;
  else
    update public.holidays h set name = p_after.name, name_en = p_after.name_en
    where h.calendar = p_after.calendar and h.holiday_date = p_after.holiday_date
    returning * into v_after;
  end if;
  perform private.record_act(p_admin_id, case when p_before.calendar is null then 'holiday.create' else 'holiday.update' end,
    'holiday', concat_ws('/', v_after.calendar, v_after.holiday_date), null, v_changes);
  return to_jsonb(v_after);
exception
  when check_violation then
    get stacked diagnostics v_table = table_name, v_constraint = constraint_name;
    perform private.reject_violation(v_table, v_constraint);
  when unique_violation then
    perform private.reject_duplicate('holiday_date');
end
$$;

grant execute on function
  private.held_holiday(text, date, text), private.write_holiday(uuid, public.holidays, public.holidays)
to service_role;

create function api.admin_list_holidays(
  p_admin_id uuid, p_calendar text default null, p_from date default null, p_to date default null,
  p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters constant jsonb := jsonb_build_array('admin_holidays', p_calendar, p_from, p_to);
  v_after jsonb;
  v_items jsonb;
  v_total bigint;
begin
  perform private.check_admin(p_admin_id, 'content');
  v_after := private.page_start(v_filters, p_cursor, '{text,date}', 'asc');
  with matching as not materialized (
    select h as holiday, h.calendar, h.holiday_date from public.holidays h
    where (p_calendar is null or h.calendar = p_calendar)
      and (p_from is null or h.holiday_date >= p_from) and (p_to is null or h.holiday_date <= p_to)
  ), page as (
    select * from matching m
    where (m.calendar, m.holiday_date) > (v_after ->> 0, (v_after ->> 1)::date)
    order by m.calendar, m.holiday_date limit private.page_limit(p_limit) + 1
  )
  select (select jsonb_agg(to_jsonb(p.holiday) order by p.calendar, p.holiday_date) from page p),
    case when 'total' = any (p_include) then (select count(*) from matching) end
  into v_items, v_total;
  return private.page(v_filters, v_items, '{calendar,holiday_date}', p_limit, v_total);
end
$$;

comment on function api.admin_list_holidays(uuid, text, date, date, text[], text, integer) is
  'Public holidays by calendar and date, those from p_from to p_to: {items, next_cursor}, and total when p_include has it. For administrators of content. Errors: forbidden, validation_error.';

create function api.admin_get_holiday(p_admin_id uuid, p_calendar text, p_holiday_date date) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_holiday public.holidays;
begin
  perform private.check_admin(p_admin_id, 'content');
  select * into v_holiday from public.holidays h where h.calendar = p_calendar and h.holiday_date = p_holiday_date;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such holiday.', p_param => 'holiday_date');
  end if;
  return to_jsonb(v_holiday);
end
$$;

comment on function api.admin_get_holiday(uuid, text, date) is
  'A public holiday with both names. For administrators of content. Errors: forbidden, not_found.';

create function api.admin_create_holiday(p_admin_id uuid, p_holiday jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_fields('public.holidays', p_holiday, '{calendar,holiday_date,name,name_en}', '{calendar,holiday_date,name}');
  return private.write_holiday(p_admin_id, null, jsonb_populate_record(null::public.holidays,
    jsonb_build_object('created_at', now(), 'updated_at', now()) || p_holiday));
end
$$;

comment on function api.admin_create_holiday(uuid, jsonb) is
  'Adds a public holiday to a calendar: it applies to hours and fees of the lots with this calendar at once. Returns it as admin_get_holiday does. For administrators of content. Errors: forbidden, validation_error, conflict.';

create function api.admin_update_holiday(
  p_admin_id uuid, p_calendar text, p_holiday_date date, p_changes jsonb, p_if_match text default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before public.holidays;
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_fields('public.holidays', p_changes, '{name,name_en}');
  v_before := private.held_holiday(p_calendar, p_holiday_date, p_if_match);
  return private.write_holiday(p_admin_id, v_before, jsonb_populate_record(v_before, p_changes));
end
$$;

comment on function api.admin_update_holiday(uuid, text, date, jsonb, text) is
  'Changes the names of a public holiday, in the version p_if_match. Returns it as admin_get_holiday does. Idempotent. For administrators of content. Errors: forbidden, validation_error, not_found, conflict, precondition_failed.';

create function api.admin_delete_holiday(p_admin_id uuid, p_calendar text, p_holiday_date date, p_if_match text default null)
returns void
language plpgsql
set search_path = ''
as $$
declare
  v_before public.holidays;
begin
  perform private.lock_admin(p_admin_id, 'content');
  v_before := private.held_holiday(p_calendar, p_holiday_date, p_if_match);
  delete from public.holidays h where h.calendar = p_calendar and h.holiday_date = p_holiday_date;
  perform private.record_act(p_admin_id, 'holiday.delete', 'holiday', concat_ws('/', p_calendar, p_holiday_date), null,
    private.difference(to_jsonb(v_before), null));
end
$$;

comment on function api.admin_delete_holiday(uuid, text, date, text) is
  'Deletes a public holiday: hours and fees of the lots with this calendar change at once. For administrators of content. Errors: forbidden, not_found, precondition_failed.';

grant execute on function
  api.admin_list_holidays(uuid, text, date, date, text[], text, integer), api.admin_get_holiday(uuid, text, date),
  api.admin_create_holiday(uuid, jsonb), api.admin_update_holiday(uuid, text, date, jsonb, text),
  api.admin_delete_holiday(uuid, text, date, text)
to service_role;
