-- Checks of the sets of a lot: spots, pricing groups, pricing rules, windows, date overrides, tags and images.
--
-- The console replaces each set as a whole. Before a set is stored, every item is checked: its fields by rules, then
-- relations between fields (a rule without a field that its category requires, windows that contradict each other). An
-- error has its place: pricing_rules.3.time_start is the field time_start of the fourth item.
--
-- Invariants: a set that passes can be stored and evaluated; these checks come before the constraints of the tables.
-- Interface: private.lot_set_rules, private.check_set_items.

-- ---------------------------------------------------------------------------------------------------------------------
-- Rules of items
-- ---------------------------------------------------------------------------------------------------------------------

-- The fields of a pricing rule, of a lot or of a date override, and the rule of each.
create function private.pricing_terms_rules() returns jsonb
language sql immutable
return '{
  "category": {"type": "text", "in": ["time_band", "flat", "initial", "grace", "cap"], "required": true},
  "rule_order": {"type": "integer", "min": -2147483648, "max": 2147483647},
  "time_start": {"type": "time", "null": true},
  "time_end": {"type": "time", "null": true},
  "day_type": {"type": "text", "in": ["weekday", "saturday", "sunday", "holiday", "holiday_eve", "all"], "null": true},
  "per_minutes": {"type": "integer", "min": 1, "max": 527040, "null": true},
  "price_minor": {"type": "integer", "min": 0, "max": 2147483647, "null": true},
  "cap_type": {"type": "text", "in": ["duration", "day", "band", "stay"], "null": true},
  "cap_duration_hours": {"type": "number", "above": 0, "max": 8784, "null": true},
  "cap_price_minor": {"type": "integer", "min": 0, "max": 2147483647, "null": true},
  "cap_repeat": {"type": "boolean", "null": true}
}'::jsonb;

-- The sets of a lot: for each the fields of an item and the rule of each; null when there is no such set.
create function private.lot_set_rules(p_set text) returns jsonb
language sql immutable
return case p_set
  when 'spots' then '{
    "id": {"type": "uuid"},
    "code": {"type": "text", "max": 50, "required": true},
    "vehicle_type_max": {"type": "text", "category": "vehicle_type", "null": true},
    "is_ev_charger": {"type": "boolean"},
    "ev_connector_type": {"type": "text", "category": "ev_connector_type", "null": true},
    "accessibility": {"type": "text", "category": "accessibility", "null": true},
    "is_reservable": {"type": "boolean"}
  }'::jsonb
  when 'pricing_groups' then '{
    "id": {"type": "uuid"},
    "code": {"type": "text", "max": 50, "required": true},
    "name": {"type": "text", "max": 100, "required": true},
    "is_default": {"type": "boolean"},
    "display_order": {"type": "integer", "min": -2147483648, "max": 2147483647},
    "vehicle_types": {"type": "codes", "category": "vehicle_type", "null": true}
  }'::jsonb
  when 'pricing_rules' then private.pricing_terms_rules() || '{"id": {"type": "uuid"}, "pricing_group_id": {"type": "uuid", "null": true}}'
  when 'windows' then '{
    "id": {"type": "uuid"},
    "window_type": {"type": "text", "in": ["business", "entry", "exit", "after_hours_exit"], "required": true},
    "day_type": {"type": "text", "in": ["weekday", "saturday", "sunday", "holiday", "holiday_eve", "all"], "null": true},
    "day_of_week": {"type": "integer", "min": 0, "max": 6, "null": true},
    "is_24h": {"type": "boolean", "null": true},
    "is_closed": {"type": "boolean", "null": true},
    "open_time": {"type": "time", "null": true},
    "close_time": {"type": "time", "null": true},
    "effective_from": {"type": "date", "null": true},
    "effective_to": {"type": "date", "null": true}
  }'::jsonb
  when 'date_overrides' then '{
    "id": {"type": "uuid"},
    "override_date": {"type": "date", "required": true},
    "label": {"type": "text", "max": 200, "null": true},
    "hours": {"type": "object", "null": true},
    "pricing": {"type": "array", "null": true},
    "note": {"type": "text", "max": 2000, "null": true}
  }'::jsonb
  when 'tags' then '{
    "tag_id": {"type": "uuid", "required": true},
    "state": {"type": "boolean", "null": true}
  }'::jsonb
  when 'images' then '{
    "id": {"type": "uuid"},
    "asset_id": {"type": "uuid", "required": true},
    "is_main": {"type": "boolean"},
    "sort_order": {"type": "integer", "min": -2147483648, "max": 2147483647, "null": true}
  }'::jsonb
end;

-- Properties of a set of a lot: its table, the maximum number of items, the field that must be unique among items (null:
-- none), and the default values of an item.
create function private.lot_set_bounds(p_set text, out table_name text, out max_items integer, out key_field text, out defaults jsonb)
language plpgsql immutable
set search_path = ''
as $$
begin
  select b.table_name, b.max_items, b.key_field, b.defaults::jsonb into table_name, max_items, key_field, defaults
  from (values
    ('spots', 'parking_lot_spots', 1000, 'code', '{"is_ev_charger": false, "is_reservable": false}'),
    ('pricing_groups', 'pricing_groups', 20, 'code', '{"is_default": false, "display_order": 0}'),
    ('pricing_rules', 'pricing_rules', 200, null, '{}'),
    ('windows', 'parking_lot_windows', 200, null, '{}'),
    ('date_overrides', 'parking_lot_date_overrides', 400, 'override_date', '{}'),
    ('tags', 'parking_lot_tags', 100, 'tag_id', '{"state": true}'),
    ('images', 'parking_lot_images', 20, 'asset_id', '{"is_main": false}')
  ) as b (set_name, table_name, max_items, key_field, defaults)
  where b.set_name = p_set;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Prices
-- ---------------------------------------------------------------------------------------------------------------------

-- The field of a pricing rule that breaks a constraint of private.pricing_rule, and the message.
create function private.pricing_rule_problem(p_constraint text, p_rule jsonb, out field text, out message text)
language plpgsql immutable
set search_path = ''
as $$
begin
  -- The field to change is the first that is missing, or the first that must be missing.
  select coalesce(
      (select f.name from unnest(c.missing) with ordinality as f (name, nth) where coalesce(p_rule -> f.name, 'null') = 'null' order by f.nth limit 1),
      (select f.name from unnest(c.given) with ordinality as f (name, nth) where coalesce(p_rule -> f.name, 'null') <> 'null' order by f.nth limit 1),
      'category'
    ), c.message
  into field, message
  from (values
    ('band_has_both_ends', '{time_start,time_end}'::text[], '{}'::text[], 'Give time_start and time_end together.'),
    ('band_starts_within_the_day', '{}', '{time_start}', 'Must be before 24:00.'),
    ('metered_rule_has_minutes', '{per_minutes}', '{}', 'Required for the categories time_band, initial and grace.'),
    ('priced_rule_has_price', '{price_minor}', '{}', 'Required for the categories time_band, initial and flat.'),
    ('flat_rule_has_no_minutes', '{}', '{per_minutes}', 'Must be null for the category flat.'),
    ('grace_has_no_price', '{}', '{price_minor}', 'Must be null for the category grace.'),
    ('cap_has_no_price_of_its_own', '{}', '{per_minutes,price_minor}', 'The category cap must have cap_price_minor, and neither per_minutes nor price_minor.'),
    ('cap_has_type_and_price', '{cap_type,cap_price_minor}', '{}', 'Give cap_type and cap_price_minor together.'),
    ('cap_row_has_cap', '{cap_type}', '{}', 'The category cap requires cap_type and cap_price_minor.'),
    ('initial_and_grace_have_no_cap', '{}', '{cap_type}', 'Must be null for the categories initial and grace.'),
    ('duration_cap_has_hours', '{}', '{cap_duration_hours}', 'Must be null unless cap_type is duration.'),
    ('cap_hours_are_positive', '{}', '{cap_duration_hours}', 'Must be at least a microsecond.'),
    ('band_cap_has_band', '{time_start}', '{}', 'The cap_type band requires time_start and time_end.'),
    ('only_caps_repeat', '{}', '{cap_repeat}', 'Must be null without a cap_type.')
  ) as c (name, missing, given, message)
  where c.name = p_constraint;
  if p_constraint = 'duration_cap_has_hours' and p_rule ->> 'cap_type' = 'duration' then
    field := 'cap_duration_hours';
    message := 'Required for the cap_type duration.';
  end if;
end
$$;

-- Raises validation_error for an array with an invalid pricing rule. p_at is the name of the array, p_field_rules are the
-- rules of its items.
create function private.check_pricing_rules(p_rules jsonb, p_at text, p_field_rules jsonb) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_rule jsonb;
  v_nth integer := -1;
  v_constraint text;
  v_problem record;
begin
  if jsonb_array_length(p_rules) > 200 then
    perform private.raise_error('validation_error', 422, 'Must have at most 200 items.', p_param => p_at);
  end if;
  for v_rule in select jsonb_array_elements(p_rules) loop
    v_nth := v_nth + 1;
    perform private.require_fields(v_rule, p_field_rules, concat(p_at, '.', v_nth), true);
    perform jsonb_populate_record(null::private.pricing_terms, v_rule)::private.pricing_rule;
  end loop;
exception when check_violation then
  get stacked diagnostics v_constraint = constraint_name;
  v_problem := private.pricing_rule_problem(v_constraint, v_rule);
  perform private.raise_error('validation_error', 422, v_problem.message, p_param => concat(p_at, '.', v_nth, '.', v_problem.field));
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Hours
-- ---------------------------------------------------------------------------------------------------------------------

-- The first error of a window whose fields are valid; nulls when there is none.
create function private.window_problem(p_window jsonb, out field text, out message text)
language plpgsql stable
set search_path = ''
as $$
declare
  v_window constant public.parking_lot_windows := jsonb_populate_record(null::public.parking_lot_windows, p_window);
begin
  field := case
    when (v_window.open_time is null) <> (v_window.close_time is null)
      then case when v_window.open_time is null then 'open_time' else 'close_time' end
    when v_window.open_time = '24:00' then 'open_time'
    when v_window.is_24h and v_window.is_closed then 'is_closed'
    when v_window.open_time is not null and (v_window.is_24h or v_window.is_closed) then 'open_time'
    when v_window.open_time is null and v_window.is_24h is not true and v_window.is_closed is not true then 'open_time'
    when v_window.effective_from > v_window.effective_to then 'effective_to'
    when v_window.day_type = 'weekday' and v_window.day_of_week in (0, 6) or v_window.day_type = 'saturday' and v_window.day_of_week <> 6
      or v_window.day_type = 'sunday' and v_window.day_of_week <> 0 then 'day_of_week'
  end;
  message := case field
    when 'is_closed' then 'Must not be true together with is_24h.'
    when 'effective_to' then 'Must not be before effective_from.'
    when 'day_of_week' then 'No date has both this day_type and this day_of_week. Change one of them.'
    when 'open_time' then 'A window must have open_time (before 24:00) with close_time, or is_24h, or is_closed.'
    when 'close_time' then 'A window must have open_time with close_time, or is_24h, or is_closed.'
  end;
end
$$;

-- Raises validation_error for a window that cannot be read, has no date, or contradicts another: of the same kind and
-- days, at the same time, one closed and the other not.
create function private.check_windows(p_windows jsonb) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_found record;
begin
  select w.nth - 1 as nth, p.field, p.message into v_found
  from jsonb_array_elements(p_windows) with ordinality as w (value, nth)
  cross join lateral private.window_problem(w.value) as p
  where p.field is not null
  order by w.nth limit 1;
  if not found then
    -- One row that closes a date closes it, regardless of the others.
    with rows as (
      select w.nth, coalesce((w.value -> 'is_closed') = 'true', false) as is_closed,
        jsonb_build_array(w.value -> 'window_type', coalesce(w.value ->> 'day_type', 'all'), w.value ->> 'day_of_week') as of_days,
        daterange((w.value ->> 'effective_from')::date, (w.value ->> 'effective_to')::date, '[]') as dates
      from jsonb_array_elements(p_windows) with ordinality as w (value, nth)
    )
    select b.nth - 1 as nth, 'is_closed' as field, format('Windows %s and %s are for the same days, and only one is closed. Change one of them.', a.nth - 1, b.nth - 1) as message
    into v_found
    from rows a join rows b on a.nth < b.nth and a.of_days = b.of_days and a.is_closed <> b.is_closed and a.dates && b.dates
    order by b.nth, a.nth limit 1;
  end if;
  if v_found.field is not null then
    perform private.raise_error('validation_error', 422, v_found.message, p_param => format('windows.%s.%s', v_found.nth, v_found.field));
  end if;
end
$$;

-- Raises validation_error for invalid spans of one kind of hours of a date override.
create function private.check_override_spans(p_spans jsonb, p_at text) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  c_rules constant jsonb := '{"open_time": {"type": "time"}, "close_time": {"type": "time"}, "is_24h": {"type": "boolean"}, "is_closed": {"type": "boolean"}}';
  v_span jsonb;
  v_nth integer := 0;
begin
  if jsonb_typeof(p_spans) <> 'array' or jsonb_array_length(p_spans) > 50 then
    perform private.raise_error('validation_error', 422, 'Must be an array of at most 50 spans.', p_param => p_at);
  end if;
  for v_span in select jsonb_array_elements(p_spans) loop
    perform private.require_fields(v_span, c_rules, concat(p_at, '.', v_nth));
    if not private.is_override_span(v_span) then
      perform private.raise_error('validation_error', 422, 'A span must have open_time (before 24:00) with close_time, or is_24h: true, or is_closed: true.',
        p_param => concat(p_at, '.', v_nth));
    end if;
    v_nth := v_nth + 1;
  end loop;
  if v_nth > 1 and p_spans @> '[{"is_closed": true}]' then
    perform private.raise_error('validation_error', 422, 'A closed kind of hours must have no other span.', p_param => p_at);
  end if;
end
$$;

-- Raises validation_error for date overrides whose hours or prices cannot be read, or contradict themselves.
create function private.check_date_overrides(p_overrides jsonb) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_override jsonb;
  v_key text;
  v_nth integer := 0;
  v_at text;
begin
  for v_override in select jsonb_array_elements(p_overrides) loop
    v_at := format('date_overrides.%s.', v_nth);
    if jsonb_typeof(v_override -> 'hours') = 'object' then
      perform private.require_fields(v_override -> 'hours', '{"business": {"type": "array"}, "entry": {"type": "array"},
        "exit": {"type": "array"}, "after_hours_exit": {"type": "array"}, "is_closed": {"type": "boolean"}, "is_24h": {"type": "boolean"}}',
        v_at || 'hours');
      for v_key in select k from jsonb_object_keys(v_override -> 'hours') as k where k not like 'is\_%' loop
        perform private.check_override_spans(v_override -> 'hours' -> v_key, concat(v_at, 'hours.', v_key));
      end loop;
      if v_override -> 'hours' @> '{"is_closed": true, "is_24h": true}' then
        perform private.raise_error('validation_error', 422, 'Must not be true together with is_24h.', p_param => v_at || 'hours.is_closed');
      end if;
    end if;
    if jsonb_typeof(v_override -> 'pricing') = 'array' then
      -- A rule that was copied from a lot's own may keep its keys, which have no effect here.
      perform private.check_pricing_rules(v_override -> 'pricing', v_at || 'pricing', private.pricing_terms_rules()
        || '{"id": {"type": "uuid"}, "parking_lot_id": {"type": "uuid"}}');
    end if;
    v_nth := v_nth + 1;
  end loop;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Sets
-- ---------------------------------------------------------------------------------------------------------------------

-- The position, from 0, of the first item with the same value in a field as an earlier one; null when there is none.
create function private.repeated_item(p_items jsonb, p_field text) returns bigint
language plpgsql immutable
set search_path = ''
as $$
begin
  return (
    select min(r.nth) - 1
    from (
      select i.nth, row_number() over (partition by case when p_field like '%id' then lower(i.value ->> p_field) else i.value ->> p_field end order by i.nth) as copy
      from jsonb_array_elements(p_items) with ordinality as i (value, nth)
      where i.value ->> p_field is not null
    ) r
    where r.copy > 1
  );
end
$$;

-- Raises validation_error (param: place and field) for a set of a lot that could not be stored or evaluated, as far as
-- the set alone shows.
create function private.check_set_items(p_set text, p_items jsonb) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_bounds record := private.lot_set_bounds(p_set);
  v_field text;
  v_nth bigint;
begin
  if jsonb_typeof(p_items) is distinct from 'array' or jsonb_array_length(p_items) > v_bounds.max_items then
    perform private.raise_error('validation_error', 422, format('Must be an array of at most %s items.', v_bounds.max_items), p_param => p_set);
  end if;
  if p_set = 'pricing_rules' then
    perform private.check_pricing_rules(p_items, p_set, private.lot_set_rules(p_set));
  else
    perform private.require_fields(i.value, private.lot_set_rules(p_set), concat(p_set, '.', i.nth - 1), true)
    from jsonb_array_elements(p_items) with ordinality as i (value, nth) order by i.nth;
  end if;
  foreach v_field in array array_remove(array['id', v_bounds.key_field], null) loop
    v_nth := private.repeated_item(p_items, v_field);
    if v_nth is not null then
      perform private.raise_error('validation_error', 422, format('Another item has the same %s. Each must be different.', v_field), p_param => format('%s.%s.%s', p_set, v_nth, v_field));
    end if;
  end loop;
  v_field := case p_set when 'pricing_groups' then 'is_default' when 'images' then 'is_main' end;
  select max(i.nth) - 1 into v_nth from jsonb_array_elements(p_items) with ordinality as i (value, nth)
  where i.value -> v_field = 'true' having count(*) > 1;
  if v_nth is not null then
    perform private.raise_error('validation_error', 422, format('At most one item may have %s.', v_field), p_param => format('%s.%s.%s', p_set, v_nth, v_field));
  end if;
  if p_set = 'windows' then
    perform private.check_windows(p_items);
  elsif p_set = 'date_overrides' then
    perform private.check_date_overrides(p_items);
  end if;
end
$$;

grant execute on function
  private.pricing_terms_rules(), private.lot_set_rules(text), private.lot_set_bounds(text),
  private.pricing_rule_problem(text, jsonb), private.check_pricing_rules(jsonb, text, jsonb), private.window_problem(jsonb),
  private.check_windows(jsonb), private.check_override_spans(jsonb, text), private.check_date_overrides(jsonb),
  private.repeated_item(jsonb, text), private.check_set_items(text, jsonb)
to service_role;
