-- Predicates of hours: when a lot is open, may be entered, may be left.
-- Functions are here if a constraint, an index or a policy of a table calls them.

-- Whether this is a span of a date override: {open_time, close_time}, {is_24h: true} or {is_closed: true}.
create function private.is_override_span(p_span jsonb) returns boolean
language sql immutable
return coalesce(
  p_span = '{"is_24h": true}'
  or p_span = '{"is_closed": true}'
  or (
    p_span - '{open_time,close_time}'::text[] = '{}'
    and p_span ->> 'open_time' ~ '^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$'
    and p_span ->> 'close_time' ~ '^(([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?|24:00(:00)?)$'
  ),
  false
);

-- Whether this is the hours of a date override: kinds with arrays of spans, or the short forms is_closed and is_24h.
create function private.is_override_hours(p_hours jsonb) returns boolean
language plpgsql immutable
set search_path = ''
as $$
begin
  return jsonb_typeof(p_hours) = 'object'
    and coalesce(
      (
        select bool_and(
          case
            when k.key in ('is_closed', 'is_24h') then jsonb_typeof(k.value) = 'boolean'
            when k.key in ('business', 'entry', 'exit', 'after_hours_exit') and jsonb_typeof(k.value) = 'array' then
              coalesce(
                (
                  select bool_and(case jsonb_typeof(s) when 'object' then private.is_override_span(s) else false end)
                  from jsonb_array_elements(k.value) as s
                ),
                true
              )
            else false
          end
        )
        from jsonb_each(p_hours) as k
      ),
      true
    );
end
$$;

-- A constraint runs as the role that writes the row.
