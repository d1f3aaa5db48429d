-- A time zone is any name of IANA, by every door: also Japan and US/Pacific, and also for quiet hours.
--
-- The definitions are those of supabase/schemas after this change. The way back: the functions as they were.

set lock_timeout = '2s';

-- Whether a value is the name of an IANA time zone. The pattern excludes what else Postgres accepts: POSIX rules (Tokyo-9)
-- and abbreviations (JST), also those that IANA has as names (EST, CET), because Postgres reads them without summer time.
create or replace function private.is_time_zone(p_name text) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return p_name ~ ('^(CST6CDT|Cuba|EST5EDT|Egypt|Eire|GB|GB-Eire|GMT[+-]?0|Greenwich|Hongkong|Iceland|Iran|Israel|Jamaica|'
      'Japan|Kwajalein|Libya|MST7MDT|NZ|NZ-CHAT|Navajo|PRC|PST8PDT|Poland|Portugal|ROC|ROK|Singapore|Turkey|UTC|'
      'Universal|W-SU|Etc/GMT[+-]?0|Etc/GMT[+-]1?[0-9]|[A-Z][A-Za-z]*(/[A-Z][A-Za-z_-]+){1,2})$')
    and (timestamptz '2000-01-01 00:00:00+00' at time zone p_name) is not null;
exception when invalid_parameter_value then
  return false;
end
$$;

-- Checks quiet hours: {from, to, time_zone}. Errors: validation_error.
create or replace function private.check_quiet_hours(p_quiet_hours jsonb) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_param text := case
    when jsonb_typeof(p_quiet_hours) <> 'object' or p_quiet_hours - '{from,to,time_zone}'::text[] <> '{}' then ''
    when coalesce(p_quiet_hours ->> 'from', '') !~ '^([01]\d|2[0-3]):[0-5]\d$' then '.from'
    when coalesce(p_quiet_hours ->> 'to', '') !~ '^([01]\d|2[0-3]):[0-5]\d$' or p_quiet_hours -> 'to' = p_quiet_hours -> 'from' then '.to'
    when not coalesce(private.is_time_zone(p_quiet_hours ->> 'time_zone'), false) then '.time_zone' end;
begin
  if v_param is not null then
    perform private.raise_error('validation_error', 422,
      'Quiet hours must be {from, to, time_zone}, with two different times as HH:MM and an IANA time zone.', p_param => 'quiet_hours' || v_param);
  end if;
end
$$;
