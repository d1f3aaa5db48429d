-- Lots in the console: the fields of a lot, checked one by one before they are stored.
--
-- Administrators, accepted error reports and imports of the console change the fields of a lot with
-- private.apply_lot_changes. Each field has a rule: its type, its bounds, whether it may be null. A value that breaks its
-- rule is rejected with the name of the field. For every other writer the table has constraints.
--
-- Invariants: private.require_fields (console/kit.sql) has checked every value that the console stores; a field without a
-- rule cannot be written.
-- Interface: private.require_lot_fields for all data of a lot that the console stores; private.apply_lot_changes.

-- The fields of a lot that the console writes, and the rule of each. Without columns that triggers keep.
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

-- Checks fields against the lot, a stored or a new one. Errors: validation_error (param: the field), conflict for the
-- external_id of another lot.
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

-- Changes fields of a lot that the caller has locked, each checked by its rule (null empties the field). Returns their
-- private.difference; {} when nothing changes. Errors: validation_error (param: the field), conflict (a status that may
-- not follow: details.allowed; the external_id of another lot).
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

grant execute on function
  private.lot_field_rules(), private.require_lot_fields(jsonb, public.parking_lots), private.apply_lot_changes(uuid,
  jsonb)
to service_role;
