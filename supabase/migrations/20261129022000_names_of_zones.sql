-- A time zone has the capitals of IANA, and no offset that IANA has not: clients read other names as UTC.
--
-- The definition is that of supabase/schemas after this change. The way back: the function as it was.

set lock_timeout = '2s';

-- Whether a value is the name of an IANA time zone. The pattern excludes what else Postgres accepts: POSIX rules (Tokyo-9,
-- Etc/GMT+13), other capitals (ASIA/TOKYO) and abbreviations (JST), also those that IANA has as names (EST, CET), because
-- Postgres reads them without summer time.
create or replace function private.is_time_zone(p_name text) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return p_name ~ ('^(CST6CDT|Cuba|EST5EDT|Egypt|Eire|GB|GB-Eire|GMT[+-]?0|Greenwich|Hongkong|Iceland|Iran|Israel|Jamaica|'
      'Japan|Kwajalein|Libya|MST7MDT|NZ|NZ-CHAT|Navajo|PRC|PST8PDT|Poland|Portugal|ROC|ROK|Singapore|Turkey|UTC|'
      'Universal|W-SU|Etc/GMT([+-]?[0-9]|[+]1[0-2]|-1[0-4])|(US|[A-Z][a-z]+)(/(ACT|LHI|NSW|GMT|UCT|UTC|[A-Z][a-z][A-Za-z_-]*)){1,2})$')
    and (timestamptz '2000-01-01 00:00:00+00' at time zone p_name) is not null;
exception when invalid_parameter_value then
  return false;
end
$$;
