-- Predicates of sponsors: sponsors near a lot, and check-ins.
-- Functions are here if a constraint, an index or a policy of a table calls them.

-- Whether a value is an array of {weekday 1 (Monday) to 7, opens HH:MM, closes HH:MM}. A window that closes before it
-- opens ends on the next day.
create function private.is_weekly_hours(p_hours jsonb) returns boolean
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  return case when jsonb_typeof(p_hours) <> 'array' then false else not exists (
    select from jsonb_array_elements(p_hours) as w
    where (
      jsonb_typeof(w) = 'object' and w - '{weekday,opens,closes}'::text[] = '{}'
      and w -> 'weekday' in ('1', '2', '3', '4', '5', '6', '7')
      and jsonb_typeof(w -> 'opens') = 'string' and w ->> 'opens' ~ '^([01]\d|2[0-3]):[0-5]\d$'
      and jsonb_typeof(w -> 'closes') = 'string' and w ->> 'closes' ~ '^(([01]\d|2[0-3]):[0-5]\d|24:00)$'
      and w -> 'opens' <> w -> 'closes'
    ) is not true
  ) end;
end
$$;
