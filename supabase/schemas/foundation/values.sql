-- Values: texts and times of requests, and the columns that every table keeps in the same way.
--
-- private.trimmed reads a text, private.is_moment a time. The trigger functions keep updated_at,
-- and whether a row with a period was returned to clients.

-- A text without surrounding white space; null when nothing is left.
create function private.trimmed(p_text text) returns text
language sql immutable parallel safe
-- Includes the wide space of Japanese keyboards and the non-breaking space.
return nullif(btrim(p_text, e' \t\r\n\u00a0\u3000'), '');

grant execute on function private.trimmed(text) to anon, authenticated;

-- Whether a JSON value is an RFC 3339 timestamp with an offset. As in the router, t and z may be in lower case, and the
-- second 60 is the next second. Postgres reads no fraction of it.
create function private.is_moment(p_value jsonb) returns boolean
language plpgsql stable
set search_path = ''
as $$
declare
  v_text constant text := p_value #>> '{}';
begin
  return coalesce(
    jsonb_typeof(p_value) = 'string' and v_text ~* '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$'
      and pg_input_is_valid(v_text, 'timestamptz'), false
  );
end
$$;

grant execute on function private.is_moment(jsonb) to anon, authenticated;

-- Sets updated_at on every update of a row.
create function private.tg_touch_updated_at() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end
$$;

-- Records at each update whether the row was returned to clients before: such a row can be deactivated, not deleted.
-- For every table with is_active, starts_at and was_shown.
create function private.tg_timed_rows__note_shown() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.was_shown := old.was_shown or (old.is_active and old.starts_at <= now());
  return new;
end
$$;
