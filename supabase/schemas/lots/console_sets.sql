-- Checks of the sets of a lot: spots, pricing groups, pricing rules, windows, date overrides, tags and images.
--
-- The console replaces each set as a whole. Before a set is stored, every item is checked by its table
-- (foundation/fields.sql), then relations that no constraint states (a window without hours, windows that contradict each
-- other). An error has its place: pricing_rules.3.time_start is the field time_start of the fourth item.
--
-- Invariants: a set that passes can be stored and evaluated.
-- Interface: private.lot_set_bounds, private.check_set_items.

-- ---------------------------------------------------------------------------------------------------------------------
-- Rules of items
-- ---------------------------------------------------------------------------------------------------------------------

-- Properties of a set of a lot: its table, the maximum number of items, the field that must be unique among items (null:
-- none), and the default values of an item. Its fields, those it must have, and their rules are for private.check_fields.
-- All null: there is no such set.
create function private.lot_set_bounds(
  p_set text, out table_name text, out max_items integer, out key_field text, out defaults jsonb, out fields text[], out required text[],
  out rules jsonb
)
language plpgsql immutable
set search_path = ''
as $$
begin
  select b.table_name, b.max_items, b.key_field, b.defaults::jsonb, b.fields::text[], b.required::text[], '{"*": {"blank": false}}' || b.rules::jsonb
  into table_name, max_items, key_field, defaults, fields, required, rules
  from (values
    ('spots', 'parking_lot_spots', 1000, 'code', '{"is_ev_charger": false, "is_reservable": false}',
      '{id,code,vehicle_type_max,is_ev_charger,ev_connector_type,accessibility,is_reservable}', '{code}',
      '{"vehicle_type_max": {"category": "vehicle_type"}, "ev_connector_type": {"category": "ev_connector_type"},
        "accessibility": {"category": "accessibility"}}'),
    ('pricing_groups', 'pricing_groups', 20, 'code', '{"is_default": false, "display_order": 0, "free_while_closed": false}',
      '{id,code,name,is_default,display_order,vehicle_types,free_while_closed}', '{code,name}', '{"vehicle_types": {"category": "vehicle_type"}}'),
    ('pricing_rules', 'pricing_rules', 200, null, '{}', '{id,pricing_group_id,effective_from,effective_to}', '{}', '{}'),
    ('windows', 'parking_lot_windows', 200, null, '{}',
      '{id,window_type,day_type,day_of_week,is_24h,is_closed,open_time,close_time,effective_from,effective_to}', '{window_type}', '{}'),
    ('date_overrides', 'parking_lot_date_overrides', 400, 'override_date', '{}', '{id,override_date,label,hours,pricing,note}',
      '{override_date}', '{"hours": {"type": "object"}, "pricing": {"type": "array"}}'),
    ('tags', 'parking_lot_tags', 100, 'tag_id', '{"state": true}', '{tag_id,state}', '{tag_id}', '{}'),
    ('images', 'parking_lot_images', 20, 'asset_id', '{"is_main": false}', '{id,asset_id,is_main,sort_order}', '{asset_id}', '{}')
  ) as b (set_name, table_name, max_items, key_field, defaults, fields, required, rules)
  where b.set_name = p_set;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Prices
-- ---------------------------------------------------------------------------------------------------------------------

-- private.field_errors of pricing rules. p_keys are the ids that a rule may have in addition to its terms.
create function private.pricing_rule_errors(p_rules jsonb[], p_keys text[]) returns table (place bigint, field text, message text)
language plpgsql stable
set search_path = ''
as $$
declare
  -- A term that is absent is null.
  c_none constant jsonb := to_jsonb(jsonb_populate_record(null::private.pricing_terms, '{}'));
begin
  return query select * from private.field_errors(
    'private.pricing_terms', p_rules, p_keys || array(select jsonb_object_keys(c_none)), '{category}',
    '{"rule_order": {"null": false}, "id": {"type": "uuid", "null": false}, "parking_lot_id": {"type": "uuid", "null": false},
      "pricing_group_id": {"type": "uuid"}, "effective_from": {"type": "date"}, "effective_to": {"type": "date"}}', c_none
  );
end
$$;

-- Raises validation_error for pricing rules of one group and kind that are for the same days and hours, both with dates,
-- if their dates overlap. A rule without dates is the usual price, which one with dates may replace by its rule_order.
create function private.check_rule_dates(p_rules jsonb) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_found record;
begin
  with rules as (
    select r.nth, daterange(t.effective_from, t.effective_to, '[]') as dates, jsonb_build_array(
        t.pricing_group_id, case when t.category = 'flat' then 'time_band' else t.category end, coalesce(t.day_type, 'all'),
        t.time_start, nullif(t.time_end, '24:00'), t.cap_type, t.cap_duration_hours
      ) as of_days
    from jsonb_array_elements(p_rules) with ordinality as r (value, nth)
    cross join lateral jsonb_populate_record(null::public.pricing_rules, r.value) as t
    -- Several initial rules follow one another, as rates do after max_units; of several grace rules the longest counts.
    where t.category in ('time_band', 'flat', 'cap') and t.max_units is null
      and num_nonnulls(t.effective_from, t.effective_to) > 0
  )
  select a.nth - 1 as first, b.nth - 1 as nth into v_found
  from rules a join rules b on a.nth < b.nth and a.of_days = b.of_days and a.dates && b.dates
  order by b.nth, a.nth limit 1;
  if found then
    perform private.raise_error('validation_error', 422,
      format('Rules %s and %s are for the same days and hours, and their dates overlap. Change the dates of one of them.', v_found.first, v_found.nth),
      p_param => format('pricing_rules.%s.effective_from', v_found.nth));
  end if;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Hours
-- ---------------------------------------------------------------------------------------------------------------------

-- The first error of a window that no constraint states; nulls when there is none.
create function private.window_problem(p_window jsonb, out field text, out message text)
language plpgsql stable
set search_path = ''
as $$
declare
  v_window constant public.parking_lot_windows := jsonb_populate_record(null::public.parking_lot_windows, p_window);
begin
  if (v_window.open_time is not null) = (coalesce(v_window.is_24h, false) or coalesce(v_window.is_closed, false)) then
    field := 'open_time';
    message := 'A window must have open_time with close_time, or is_24h, or is_closed.';
  elsif v_window.day_type = 'weekday' and v_window.day_of_week in (0, 6) or v_window.day_type = 'saturday' and v_window.day_of_week <> 6
    or v_window.day_type = 'sunday' and v_window.day_of_week <> 0 then
    field := 'day_of_week';
    message := 'No date has both this day_type and this day_of_week. Change one of them.';
  end if;
end
$$;

-- Raises validation_error for a window that has no hours or no date, or contradicts another: of the same kind and
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
  v_nth bigint;
begin
  if jsonb_typeof(p_spans) <> 'array' or jsonb_array_length(p_spans) > 50 then
    perform private.raise_error('validation_error', 422, 'Must be an array of at most 50 spans.', p_param => p_at);
  end if;
  perform private.check_items('public.parking_lot_windows', p_spans, '{open_time,close_time,is_24h,is_closed}', '{}',
    '{"*": {"null": false}}', p_at);
  select min(s.nth) - 1 into v_nth from jsonb_array_elements(p_spans) with ordinality as s (value, nth)
  where not private.is_override_span(s.value);
  if v_nth is not null then
    perform private.raise_error('validation_error', 422, 'A span must have open_time (before 24:00) with close_time, or is_24h: true, or is_closed: true.',
      p_param => concat(p_at, '.', v_nth));
  elsif jsonb_array_length(p_spans) > 1 and p_spans @> '[{"is_closed": true}]' then
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
      perform private.check_fields('public.parking_lot_windows', v_override -> 'hours',
        '{business,entry,exit,after_hours_exit,is_closed,is_24h}', p_rules => '{"*": {"null": false}, "business": {"type": "array"},
          "entry": {"type": "array"}, "exit": {"type": "array"}, "after_hours_exit": {"type": "array"}}', p_at => v_at || 'hours');
      for v_key in select k from jsonb_object_keys(v_override -> 'hours') as k where k not like 'is\_%' loop
        perform private.check_override_spans(v_override -> 'hours' -> v_key, concat(v_at, 'hours.', v_key));
      end loop;
    end if;
    if jsonb_typeof(v_override -> 'pricing') = 'array' then
      -- A rule that was copied from a lot's own may keep its keys, which have no effect here.
      if jsonb_array_length(v_override -> 'pricing') > 200 then
        perform private.raise_error('validation_error', 422, 'Must have at most 200 items.', p_param => v_at || 'pricing');
      end if;
      perform private.raise_item_error(v_at || 'pricing', e.place, e.field, e.message)
      from private.pricing_rule_errors(array(select jsonb_array_elements(v_override -> 'pricing')), '{id,parking_lot_id}') as e;
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

-- private.field_errors of items of a set of a lot, also of several lots.
create function private.set_item_errors(p_set text, p_items jsonb[]) returns table (place bigint, field text, message text)
language plpgsql stable
set search_path = ''
as $$
declare
  v_bounds record := private.lot_set_bounds(p_set);
begin
  if p_set = 'pricing_rules' then
    -- The terms have a type of their own; the dates belong to the table.
    return query
    select distinct on (e.place, e.field) e.* from (
      select * from private.pricing_rule_errors(p_items, v_bounds.fields)
      union all
      select * from private.broken_checks('public.pricing_rules', array(
        select jsonb_build_object('effective_from', d.first, 'effective_to', d.last)
        from unnest(p_items) with ordinality as i (value, place)
        cross join lateral (select
          case when private.is_field_value(i.value -> 'effective_from', 'date') then i.value -> 'effective_from' end as first,
          case when private.is_field_value(i.value -> 'effective_to', 'date') then i.value -> 'effective_to' end as last
        ) d
        order by i.place
      ), '{}')
    ) e
    order by e.place, e.field;
  else
    return query select * from private.field_errors(
      ('public.' || v_bounds.table_name)::regclass, p_items, v_bounds.fields, v_bounds.required, v_bounds.rules,
      (select jsonb_object_agg(f, null) from unnest(v_bounds.fields) as f) || v_bounds.defaults
    );
  end if;
end
$$;

-- Raises validation_error (param: place and field) for items whose fields are valid, and that contradict each other.
create function private.check_set_relations(p_set text, p_items jsonb) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_field text;
  v_nth bigint;
begin
  foreach v_field in array array_remove(array['id', (private.lot_set_bounds(p_set)).key_field], null) loop
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
  elsif p_set = 'pricing_rules' then
    perform private.check_rule_dates(p_items);
  end if;
end
$$;

-- Raises validation_error for a set of a lot that is no array, or has too many items.
create function private.check_set_size(p_set text, p_items jsonb) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_max_items constant integer := (private.lot_set_bounds(p_set)).max_items;
begin
  if jsonb_typeof(p_items) is distinct from 'array' or jsonb_array_length(p_items) > v_max_items then
    perform private.raise_error('validation_error', 422, format('Must be an array of at most %s items.', v_max_items), p_param => p_set);
  end if;
end
$$;

-- Raises validation_error (param: place and field) for a set of a lot that could not be stored or evaluated, as far as
-- the set alone shows.
create function private.check_set_items(p_set text, p_items jsonb) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_set_size(p_set, p_items);
  if p_set = 'date_overrides' then
    -- Before the constraints, which cannot name a place in hours or prices.
    perform private.check_date_overrides(p_items);
  end if;
  perform private.raise_item_error(p_set, e.place, e.field, e.message)
  from private.set_item_errors(p_set, array(select jsonb_array_elements(p_items))) as e;
  perform private.check_set_relations(p_set, p_items);
end
$$;
