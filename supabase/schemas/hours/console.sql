-- Public holidays in the console: list, create, change, delete.
--
-- No stored data of a lot depend on a holiday: hours and fees read holidays when they are computed, so a change has effect
-- at once.

create function api.admin_list_holidays(
  p_admin_id uuid, p_calendar text default null, p_from date default null, p_to date default null,
  p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'content');
  return private.list_rows('public.holidays', '{calendar text,holiday_date date}', 'asc', jsonb_build_object(
    'r.calendar = %s', p_calendar,
    'r.holiday_date >= %s::date', p_from,
    'r.holiday_date <= %s::date', p_to
  ), p_include, p_cursor, p_limit);
end
$$;

comment on function api.admin_list_holidays(uuid, text, date, date, text[], text, integer) is
  'Public holidays by calendar and date, those from p_from to p_to: {items, next_cursor}, and total when p_include has it. For administrators of content. Errors: forbidden, validation_error.';

create function api.admin_get_holiday(p_admin_id uuid, p_calendar text, p_holiday_date date) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'content');
  return private.require_row((
    select to_jsonb(h) from public.holidays h where h.calendar = p_calendar and h.holiday_date = p_holiday_date
  ), 'There is no such holiday.', 'holiday_date');
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
  perform private.check_columns('public.holidays', p_holiday, p_is_new => true);
  return to_jsonb(private.save_unique_row(p_admin_id, 'holiday', null::public.holidays, p_holiday, 'holiday_date'));
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
  perform private.check_columns('public.holidays', p_changes);
  v_before := private.locked_version(null::public.holidays, jsonb_build_object('calendar', p_calendar, 'holiday_date', p_holiday_date),
    'holiday', p_if_match);
  return to_jsonb(private.save_unique_row(p_admin_id, 'holiday', v_before, p_changes, 'holiday_date'));
end
$$;

comment on function api.admin_update_holiday(uuid, text, date, jsonb, text) is
  'Changes the names of a public holiday, in the version p_if_match. Returns it as admin_get_holiday does. Idempotent. For administrators of content. Errors: forbidden, validation_error, not_found, conflict, precondition_failed.';

create function api.admin_delete_holiday(p_admin_id uuid, p_calendar text, p_holiday_date date, p_if_match text default null)
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.delete_row(p_admin_id, 'holiday', private.locked_version(null::public.holidays,
    jsonb_build_object('calendar', p_calendar, 'holiday_date', p_holiday_date), 'holiday', p_if_match));
end
$$;

comment on function api.admin_delete_holiday(uuid, text, date, text) is
  'Deletes a public holiday: hours and fees of the lots with this calendar change at once. For administrators of content. Errors: forbidden, not_found, precondition_failed.';
