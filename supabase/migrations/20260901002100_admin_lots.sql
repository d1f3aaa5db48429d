-- Lots in the console: the fields of a lot, checked one by one before they are stored.
--
-- Administrators, accepted error reports and imports of the console change the fields of a lot with
-- private.apply_lot_changes. Each field has a rule: its type, its bounds, whether it may be null. A value that breaks its
-- rule is rejected with the name of the field. For every other writer the table has constraints.
--
-- Invariants: private.require_fields has checked every value that the console stores; a field without a rule cannot be
-- written.
-- Interface: private.require_fields for all data of a lot that the console stores; private.apply_lot_changes.

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: rules of fields
-- ---------------------------------------------------------------------------------------------------------------------

create function private.is_time_zone(p_name text) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  -- As parking_lots_time_zone_is_iana.
  return p_name ~ '^(UTC|Etc/GMT[+-]1?[0-9]|[A-Z][A-Za-z]*(/[A-Z][A-Za-z_-]+){1,2})$'
    and (timestamptz '2000-01-01 00:00:00+00' at time zone p_name) is not null;
exception when invalid_parameter_value then
  return false;
end
$$;

comment on function private.is_time_zone(text) is 'Whether a value is the name of an IANA time zone that a lot may have.';

create function private.is_geometry(p_value jsonb) returns boolean
language plpgsql immutable
set search_path = ''
as $$
begin
  -- As parking_lots_area_is_geometry.
  return jsonb_typeof(p_value) = 'object'
    and coalesce(jsonb_typeof(p_value -> 'coordinates'), 'array') = 'array'
    and coalesce(jsonb_typeof(p_value -> 'geometries'), 'array') = 'array'
    and coalesce(case
      when p_value ->> 'type' = 'GeometryCollection' then p_value ? 'geometries'
      when p_value ->> 'type' in ('Point', 'LineString', 'Polygon', 'MultiPoint', 'MultiLineString', 'MultiPolygon')
        then p_value ? 'coordinates'
    end, false);
end
$$;

comment on function private.is_geometry(jsonb) is 'Whether a value is a GeoJSON geometry.';

create function private.is_code_list(p_value jsonb, p_category text) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_typeof(p_value) = 'array' and (
    select count(*) > 0 and count(*) = count(distinct e.value) and bool_and(jsonb_typeof(e.value) = 'string' and exists (
      select from public.codes c where c.category_id = p_category and c.code = e.value #>> '{}'
    ))
    from jsonb_array_elements(case jsonb_typeof(p_value) when 'array' then p_value else '[]' end) as e
  );
end
$$;

comment on function private.is_code_list(jsonb, text) is
  'Whether a value is an array of one or more different codes of a category.';

create function private.text_problem(p_value jsonb, p_rule jsonb) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_text constant text := p_value #>> '{}';
begin
  if jsonb_typeof(p_value) <> 'string' then
    return 'Must be a string.';
  elsif private.trimmed(v_text) is null or char_length(v_text) > (p_rule -> 'max')::integer then
    return format('Must be a text of 1 to %s characters.', coalesce(p_rule ->> 'max', '50'));
  elsif p_rule ? 'pattern' and v_text !~ (p_rule ->> 'pattern') then
    return p_rule ->> 'must';
  elsif p_rule ? 'in' and not p_rule -> 'in' @> p_value then
    return format('Must be one of %s.', (select string_agg(o.name, ', ' order by o.nth)
      from jsonb_array_elements_text(p_rule -> 'in') with ordinality as o (name, nth)));
  elsif p_rule ? 'category'
    and not exists (select from public.codes c where c.category_id = p_rule ->> 'category' and c.code = v_text) then
    return format('Must be a code of the category %s.', p_rule ->> 'category');
  end if;
  return null;
end
$$;

comment on function private.text_problem(jsonb, jsonb) is 'private.field_problem for the type text.';

create function private.field_problem(p_value jsonb, p_rule jsonb) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  c_number constant boolean := jsonb_typeof(p_value) = 'number';
  v_text constant text := p_value #>> '{}';
begin
  if p_value = 'null' then
    return case when coalesce((p_rule -> 'null')::boolean, false) then null else 'Must not be null.' end;
  end if;
  case p_rule ->> 'type'
    when 'text' then
      return private.text_problem(p_value, p_rule);
    when 'integer' then
      return case when c_number and scale(v_text::numeric) = 0
          and v_text::numeric between (p_rule -> 'min')::numeric and (p_rule -> 'max')::numeric then null
        else format('Must be an integer from %s to %s.', p_rule ->> 'min', p_rule ->> 'max') end;
    when 'number' then
      return case when c_number and v_text::numeric <= (p_rule -> 'max')::numeric
          and (v_text::numeric >= (p_rule -> 'min')::numeric or v_text::numeric > (p_rule -> 'above')::numeric) then null
        when p_rule ? 'min' then format('Must be a number from %s to %s.', p_rule ->> 'min', p_rule ->> 'max')
        else format('Must be a number above %s, at most %s.', p_rule ->> 'above', p_rule ->> 'max') end;
    when 'boolean' then
      return case when jsonb_typeof(p_value) = 'boolean' then null else 'Must be true or false.' end;
    when 'uuid' then
      return case when jsonb_typeof(p_value) = 'string' and pg_input_is_valid(v_text, 'uuid') then null
        else 'Must be a UUID.' end;
    when 'time' then
      return case when jsonb_typeof(p_value) = 'string' and v_text ~ '^(([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?|24:00(:00)?)$' then null
        else 'Must be a time of day from 00:00 to 24:00, for example 08:30.' end;
    when 'date' then
      return case when jsonb_typeof(p_value) = 'string' and v_text ~ '^\d{4}-\d\d-\d\d$' and pg_input_is_valid(v_text, 'date') then null
        else 'Must be a date, for example 2026-09-01.' end;
    when 'time_zone' then
      return case when jsonb_typeof(p_value) = 'string' and private.is_time_zone(v_text) then null
        else 'Must be the name of an IANA time zone, for example Asia/Tokyo.' end;
    when 'geometry' then
      return case when private.is_geometry(p_value) then null else 'Must be a GeoJSON geometry.' end;
    when 'codes' then
      return case when private.is_code_list(p_value, p_rule ->> 'category') then null
        else format('Must be a list of one or more different codes of the category %s.', p_rule ->> 'category') end;
    when 'object', 'array' then
      return case when jsonb_typeof(p_value) = p_rule ->> 'type' then null else format('Must be an %s.', p_rule ->> 'type') end;
    when 'any' then
      return null; -- the caller checks it
  end case;
end
$$;

comment on function private.field_problem(jsonb, jsonb) is
  'The message when a value breaks its rule; null when it does not. A rule: {type, null: whether null is allowed, required: whether a whole object must have it}. A text has max (characters), pattern and must (the message), in (the values), category (of codes). Codes have category, an integer min and max, a number min or above, and max.';

create function private.require_fields(p_value jsonb, p_rules jsonb, p_at text default null, p_is_whole boolean default false)
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_field text;
  v_problem text;
begin
  if jsonb_typeof(p_value) is distinct from 'object' then
    perform private.raise_error('validation_error', 422, 'Must be an object.', p_param => coalesce(p_at, 'changes'));
  end if;
  select f.name, case when p_rules ? f.name then private.field_problem(p_value -> f.name, p_rules -> f.name)
    else 'This field does not exist.' end
  into v_field, v_problem
  from jsonb_object_keys(p_value) with ordinality as f (name, nth)
  where not p_rules ? f.name or private.field_problem(p_value -> f.name, p_rules -> f.name) is not null
  order by f.nth limit 1;
  if v_problem is null and p_is_whole then
    select r.name, 'This field is required.' into v_field, v_problem
    from jsonb_each(p_rules) as r (name, rule) where r.rule @> '{"required": true}' and not p_value ? r.name
    order by r.name limit 1;
  end if;
  if v_problem is not null then
    perform private.raise_error('validation_error', 422, v_problem, p_param => concat_ws('.', p_at, v_field));
  end if;
end
$$;

comment on function private.require_fields(jsonb, jsonb, text, boolean) is
  'Checks an object against the rules of its fields: {"<field>": <rule of private.field_problem>}. Raises validation_error (param: the field, after p_at) for a field without a rule or one that breaks its rule. Fields may be absent; of a whole object (p_is_whole) not those whose rule has required.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: fields of a lot
-- ---------------------------------------------------------------------------------------------------------------------

create function private.lot_field_rules() returns jsonb
language sql immutable
return '{
  "name": {"type": "text", "max": 200, "required": true},
  "name_kana": {"type": "text", "max": 200, "null": true},
  "address": {"type": "text", "max": 500, "null": true},
  "lat": {"type": "number", "min": -90, "max": 90, "required": true},
  "lng": {"type": "number", "min": -180, "max": 180, "required": true},
  "area": {"type": "geometry", "null": true},
  "total_spaces": {"type": "integer", "min": 0, "max": 1000000, "null": true},
  "status": {"type": "text", "in": ["draft", "active", "suspended", "closed"]},
  "structure": {"type": "text", "category": "structure", "null": true},
  "max_height_m": {"type": "number", "above": 0, "max": 50, "null": true},
  "max_width_m": {"type": "number", "above": 0, "max": 50, "null": true},
  "max_length_m": {"type": "number", "above": 0, "max": 100, "null": true},
  "max_weight_t": {"type": "number", "above": 0, "max": 200, "null": true},
  "min_clearance_cm": {"type": "integer", "min": 0, "max": 200, "null": true},
  "max_tire_width_mm": {"type": "integer", "min": 1, "max": 2000, "null": true},
  "max_parking_duration_min": {"type": "integer", "min": 1, "max": 2147483647, "null": true},
  "entry_method": {"type": "text", "category": "entry_method", "null": true},
  "shape_type": {"type": "text", "category": "shape_type", "null": true},
  "entry_difficulty": {"type": "text", "in": ["easy", "normal", "hard"], "null": true},
  "operator_code": {"type": "text", "max": 50, "null": true},
  "phone": {"type": "text", "max": 50, "null": true},
  "website": {"type": "text", "max": 2000, "pattern": "^https?://[^[:space:]]+$", "must": "Must be a URL that begins with https:// or http://.", "null": true},
  "time_zone": {"type": "time_zone"},
  "holiday_calendar": {"type": "text", "pattern": "^[A-Z]{2}(-[A-Z0-9]{1,3})?$", "must": "Must be an ISO 3166 code, for example JP."},
  "currency": {"type": "text", "pattern": "^[A-Z]{3}$", "must": "Must be an ISO 4217 code, for example JPY."},
  "source": {"type": "text", "max": 100, "null": true},
  "external_id": {"type": "text", "max": 200, "null": true},
  "source_url": {"type": "text", "max": 2000, "pattern": "^https?://[^[:space:]]+$", "must": "Must be a URL that begins with https:// or http://.", "null": true},
  "licence": {"type": "text", "max": 200, "null": true},
  "attribution": {"type": "text", "max": 500, "null": true}
}'::jsonb;

comment on function private.lot_field_rules() is
  'The fields of a lot that the console writes, and the rule of each. Without columns that triggers keep.';

create function private.require_lot_fields(p_fields jsonb, p_lot public.parking_lots default null) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_after public.parking_lots;
begin
  perform private.require_fields(p_fields, private.lot_field_rules());
  v_after := jsonb_populate_record(p_lot, p_fields);
  if v_after.external_id is not null and v_after.source is null then
    perform private.raise_error('validation_error', 422, 'Must be the data source of the external_id.', p_param => 'source');
  elsif p_fields ->> 'operator_code' is not null
    and not exists (select from public.operators o where o.id = v_after.operator_code) then
    perform private.raise_error('validation_error', 422, 'There is no such operator.', p_param => 'operator_code');
  elsif v_after.external_id is not null and exists (
    select from public.parking_lots l
    where l.source = v_after.source and l.external_id = v_after.external_id and l.id is distinct from v_after.id
  ) then
    perform private.raise_error('conflict', 409, 'Another lot has this external_id of this source. Change that lot instead.',
      p_param => 'external_id', p_details => '{"reason": "external_id_taken"}');
  end if;
end
$$;

comment on function private.require_lot_fields(jsonb, public.parking_lots) is
  'Checks fields against the lot, a stored or a new one. Errors: validation_error (param: the field), conflict for the external_id of another lot.';

create function private.apply_lot_changes(p_lot_id uuid, p_changes jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before public.parking_lots;
  v_after public.parking_lots;
  v_difference jsonb;
begin
  select * into v_before from public.parking_lots where id = p_lot_id;
  perform private.require_lot_fields(p_changes, v_before);
  v_after := jsonb_populate_record(v_before, p_changes);
  v_difference := private.difference(to_jsonb(v_before), to_jsonb(v_after));
  if v_difference = '{}' then
    return v_difference;
  end if;
  update public.parking_lots set
    name = v_after.name, name_kana = v_after.name_kana, address = v_after.address, lat = v_after.lat, lng = v_after.lng,
    area = v_after.area, total_spaces = v_after.total_spaces, status = v_after.status, structure = v_after.structure,
    max_height_m = v_after.max_height_m, max_width_m = v_after.max_width_m, max_length_m = v_after.max_length_m,
    max_weight_t = v_after.max_weight_t, min_clearance_cm = v_after.min_clearance_cm,
    max_tire_width_mm = v_after.max_tire_width_mm, max_parking_duration_min = v_after.max_parking_duration_min,
    entry_method = v_after.entry_method, shape_type = v_after.shape_type, entry_difficulty = v_after.entry_difficulty,
    operator_code = v_after.operator_code, phone = v_after.phone, website = v_after.website, time_zone = v_after.time_zone,
    holiday_calendar = v_after.holiday_calendar, currency = v_after.currency, source = v_after.source,
    external_id = v_after.external_id, source_url = v_after.source_url, licence = v_after.licence,
    attribution = v_after.attribution
  where id = p_lot_id;
  return v_difference;
end
$$;

comment on function private.apply_lot_changes(uuid, jsonb) is
  'Changes fields of a lot that the caller has locked, each checked by its rule (null empties the field). Returns their private.difference; {} when nothing changes. Errors: validation_error (param: the field), conflict (a status that may not follow: details.allowed; the external_id of another lot).';

grant execute on function
  private.is_time_zone(text), private.is_geometry(jsonb), private.is_code_list(jsonb, text), private.text_problem(jsonb, jsonb), private.field_problem(jsonb, jsonb),
  private.require_fields(jsonb, jsonb, text, boolean), private.lot_field_rules(),
  private.require_lot_fields(jsonb, public.parking_lots), private.apply_lot_changes(uuid, jsonb)
to service_role;
