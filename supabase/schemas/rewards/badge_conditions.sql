-- Badge conditions: which activities count for a badge, as data.
--
-- Conditions are an object: {"activity": [kinds], "measure": ..., "where": predicate}. Kinds are activity types, or the
-- states review_approved and error_report_resolved. The measure is one of count (the subjects, each once), distinct_lots,
-- distinct_days, and streak_days (the longest run of days).
-- A predicate is one of {"all": [..]}, {"any": [..]}, {"not": ..}, {"min": {"field", "value"}}, {"max": {"field",
-- "value"}}, {"equals": {"field", "value"}}, {"hours": {"from", "to"}} (from inclusive, to exclusive, over midnight when to
-- is not later), {"weekdays": [0..6]} (0 is Sunday) and {"dates": {"from", "to"}}. Hours and days are those of Japan. A
-- field is one of the activity's metadata.
--
-- An error has two texts: the place (where.all.0.hours; array positions count from 0) and the message.
--
-- Invariants: conditions without an error are evaluated for any metadata (private.badge_metadata) without failing.
-- Interface: api.evaluate_badge_conditions.

-- Kinds that can count for a badge: activity types, and states of reviews and reports. A stay counts when it ends: its
-- start alone proves nothing.
create function private.badge_kinds() returns text[]
language sql immutable
return array[
  'session_end', 'review_post', 'error_report_post', 'field_confirm', 'field_deny', 'lot_save', 'occupancy_report', 'support_ticket_post', 'sponsor_checkin', 'review_approved', 'error_report_resolved'
];

-- Whether a value has the form YYYY-MM-DD.
create function private.is_short_date(p_value jsonb) returns boolean
language plpgsql immutable
set search_path = ''
as $$
begin
  return (
    -- Compared as text in evaluation, so that an impossible date raises no error.
    select jsonb_typeof(p_value) = 'string' and p_value #>> '{}' ~ '^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$'
  );
end
$$;

-- The error in the argument of an operator on a field; null: none.
create function private.badge_field_error(p_operator text, p_value jsonb) returns text[]
language plpgsql immutable
set search_path = ''
as $$
begin
  if jsonb_typeof(p_value) <> 'object' or p_value - array['field', 'value'] <> '{}'
    or coalesce(jsonb_typeof(p_value -> 'field'), '') <> 'string' then
    return array[p_operator, format('%s must be an object with field and value.', p_operator)];
  elsif p_operator = 'equals' then
    if coalesce(jsonb_typeof(p_value -> 'value'), '') not in ('string', 'number', 'boolean') then
      return array['equals.value', 'equals must have a text, a number or a boolean as value.'];
    end if;
  elsif coalesce(jsonb_typeof(p_value -> 'value'), '') <> 'number' then
    return array[p_operator || '.value', format('%s must have a number as value.', p_operator)];
  end if;
  return null;
end
$$;

-- The error in the argument of an operator on time; null: none.
create function private.badge_span_error(p_operator text, p_value jsonb) returns text[]
language plpgsql immutable
set search_path = ''
as $$
begin
  if p_operator = 'weekdays' then
    if jsonb_typeof(p_value) <> 'array' or jsonb_array_length(p_value) = 0 or exists (
      select from jsonb_array_elements(p_value) as d (value) where not private.is_whole_number(d.value, 0, 6)
    ) then
      return array['weekdays', 'weekdays must be a list of days from 0 to 6, with one at least.'];
    end if;
  elsif jsonb_typeof(p_value) <> 'object' or p_value - array['from', 'to'] <> '{}' then
    return array[p_operator, format('%s must be an object with from and to.', p_operator)];
  elsif p_operator = 'hours' then
    if not coalesce(private.is_whole_number(p_value -> 'from', 0, 23)
      and private.is_whole_number(p_value -> 'to', 0, 24), false) then
      return array['hours', 'hours must have from between 0 and 23, and to between 0 and 24.'];
    end if;
  elsif not coalesce(private.is_short_date(p_value -> 'from') and private.is_short_date(p_value -> 'to'), false) then
    return array['dates', 'dates must have from and to as YYYY-MM-DD.'];
  end if;
  return null;
end
$$;

-- An error inside a part, with its place in the whole; null: none.
create function private.error_within(p_place text, p_error text[]) returns text[]
language plpgsql immutable
set search_path = ''
as $$
begin
  return case when p_error is not null then array[concat_ws('.', p_place, nullif(p_error[1], '')), p_error[2]] end;
end
$$;

-- The first error of a predicate; null: none.
create function private.badge_predicate_error(p_predicate jsonb, p_depth integer default 1) returns text[]
language plpgsql immutable
set search_path = ''
as $$
declare
  v_operator text;
  v_value jsonb;
begin
  if p_depth > 8 then
    return array['', 'Predicates must not be nested more than 8 deep.'];
  elsif coalesce(jsonb_typeof(p_predicate), '') <> 'object' then
    return array['', 'A predicate must be an object with one operator.'];
  end if;
  v_operator := jsonb_path_query_first(p_predicate, '$.keyvalue().key') #>> '{}';
  if v_operator is null or p_predicate - v_operator <> '{}' then
    return array['', 'A predicate must be an object with one operator.'];
  end if;
  v_value := p_predicate -> v_operator;
  if v_operator in ('all', 'any') then
    if jsonb_typeof(v_value) <> 'array' or jsonb_array_length(v_value) not between 1 and 20 then
      return array[v_operator, format('%s must be a list of 1 to 20 predicates.', v_operator)];
    end if;
    return (
      select private.error_within(format('%s.%s', v_operator, f.place - 1), f.error)
      from (
        select e.place, private.badge_predicate_error(e.value, p_depth + 1) as error
        from jsonb_array_elements(v_value) with ordinality as e (value, place) offset 0
      ) f
      where f.error is not null order by f.place limit 1
    );
  elsif v_operator = 'not' then
    return private.error_within('not', private.badge_predicate_error(v_value, p_depth + 1));
  elsif v_operator in ('min', 'max', 'equals') then
    return private.badge_field_error(v_operator, v_value);
  elsif v_operator in ('hours', 'weekdays', 'dates') then
    return private.badge_span_error(v_operator, v_value);
  end if;
  return array[v_operator, format('%s is not an operator. Use all, any, not, min, max, equals, hours, weekdays or dates.', v_operator)];
end
$$;

-- The first error of a badge's conditions: [place, message]. Null: private.meets_badge_conditions can evaluate them.
create function private.badge_conditions_error(p_conditions jsonb) returns text[]
language plpgsql immutable
set search_path = ''
as $$
declare
  v_unknown text;
begin
  if coalesce(jsonb_typeof(p_conditions), '') <> 'object' then
    return array['', 'conditions must be an object.'];
  elsif p_conditions - array['activity', 'measure', 'where'] <> '{}' then
    v_unknown := (select min(k.key) from jsonb_object_keys(p_conditions - array['activity', 'measure', 'where']) as k (key));
    return array[v_unknown, format('%s is not a field of conditions. Use activity, measure and where.', v_unknown)];
  elsif coalesce(jsonb_typeof(p_conditions -> 'activity'), '') <> 'array'
    or jsonb_array_length(p_conditions -> 'activity') = 0
    or not p_conditions -> 'activity' <@ to_jsonb(private.badge_kinds()) then
    return array['activity', 'activity must be a list of kinds of activity, with one at least.'];
  elsif coalesce(p_conditions ->> 'measure', '') not in ('count', 'distinct_lots', 'distinct_days', 'streak_days') then
    return array['measure', 'measure must be count, distinct_lots, distinct_days or streak_days.'];
  elsif p_conditions ->> 'measure' in ('distinct_days', 'streak_days')
    and p_conditions -> 'activity' ?| array['review_approved', 'error_report_resolved'] then
    return array['measure', 'measure must not count days when activity has review_approved or error_report_resolved.'];
  elsif p_conditions ->> 'measure' = 'distinct_lots' and p_conditions -> 'activity' ? 'review_approved'
    and jsonb_array_length(p_conditions -> 'activity') > 1 then
    return array['activity', 'activity must be review_approved alone when measure is distinct_lots.'];
  elsif p_conditions ->> 'measure' = 'distinct_lots' and p_conditions -> 'activity' ? 'error_report_resolved' then
    return array['measure', 'measure must be count when activity has error_report_resolved.'];
  elsif p_conditions ? 'where' then
    return private.error_within('where', private.badge_predicate_error(p_conditions -> 'where'));
  end if;
  return null;
end
$$;

-- Checks conditions. Errors: validation_error, with the place as param.
create function private.require_badge_conditions(p_conditions jsonb) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_error text[] := private.badge_conditions_error(p_conditions);
begin
  if v_error is not null then
    perform private.raise_error('validation_error', 422, v_error[2], p_param => concat_ws('.', 'conditions', nullif(v_error[1], '')));
  end if;
end
$$;

-- Whether metadata meets a predicate without an error. A field that is missing or of another type never meets min, max or
-- equals.
create function private.evaluate_badge_predicate(p_metadata jsonb, p_predicate jsonb) returns boolean
language plpgsql immutable
set search_path = ''
as $$
declare
  v_operator text := jsonb_path_query_first(p_predicate, '$.keyvalue().key') #>> '{}';
  v_value jsonb := p_predicate -> v_operator;
  v_part jsonb;
  v_hour integer;
begin
  case v_operator
    when 'all', 'any' then
      for v_part in select e.value from jsonb_array_elements(v_value) as e (value) loop
        if private.evaluate_badge_predicate(p_metadata, v_part) = (v_operator = 'any') then
          return v_operator = 'any';
        end if;
      end loop;
      return v_operator = 'all';
    when 'not' then
      return not private.evaluate_badge_predicate(p_metadata, v_value);
    when 'min', 'max' then
      v_part := p_metadata -> (v_value ->> 'field');
      return case when jsonb_typeof(v_part) is distinct from 'number' then false
        when v_operator = 'min' then v_part >= v_value -> 'value' else v_part <= v_value -> 'value' end;
    when 'equals' then
      return coalesce(p_metadata -> (v_value ->> 'field') = v_value -> 'value', false);
    when 'hours' then
      -- Numeric, as below: 22.0 is a whole number too.
      v_hour := (p_metadata ->> 'hour')::numeric;
      return coalesce(case when (v_value ->> 'from')::numeric < (v_value ->> 'to')::numeric
        then v_hour >= (v_value ->> 'from')::numeric and v_hour < (v_value ->> 'to')::numeric
        else v_hour >= (v_value ->> 'from')::numeric or v_hour < (v_value ->> 'to')::numeric end, false);
    when 'weekdays' then
      return coalesce(v_value @> (p_metadata -> 'weekday'), false);
    when 'dates' then
      return coalesce((p_metadata ->> 'date') collate "C" between v_value ->> 'from' and v_value ->> 'to', false);
  end case;
end
$$;

-- Whether an activity counts: its metadata with kind, hour, weekday and date (private.badge_metadata), against conditions
-- without an error.
create function private.meets_badge_conditions(p_metadata jsonb, p_conditions jsonb) returns boolean
language sql immutable
return coalesce(p_conditions -> 'activity' ? (p_metadata ->> 'kind'), false)
  and case when p_conditions ? 'where'
    then private.evaluate_badge_predicate(p_metadata, p_conditions -> 'where') else true end;

-- The input of conditions: the activity's metadata, its kind, and its hour and day in Japan.
create function private.badge_metadata(p_kind text, p_metadata jsonb, p_at timestamptz) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_at timestamp := p_at at time zone 'Asia/Tokyo';
begin
  return p_metadata || jsonb_build_object('kind', p_kind, 'hour', extract(hour from v_at)::integer,
    'weekday', extract(dow from v_at)::integer, 'date', to_char(v_at, 'YYYY-MM-DD'));
end
$$;
