-- Lots in the console: the fields of a lot, checked before they are stored.
--
-- Administrators, accepted error reports and imports of the console change the fields of a lot with
-- private.apply_lot_changes. The table states what a field may be (foundation/fields.sql); here is what it does not say.
--
-- Invariants: private.check_fields has checked every value that the console stores; a field that is not in
-- private.lot_fields cannot be written.
-- Interface: private.require_lot_fields for all data of a lot that the console stores; private.apply_lot_changes.

-- The fields of a lot that the console writes. Without columns that triggers keep.
create function private.lot_fields() returns text[]
language sql immutable
return '{name,name_kana,address,lat,lng,area,total_spaces,status,structure,max_height_m,max_width_m,max_length_m,
  max_weight_t,min_clearance_cm,max_tire_width_mm,max_parking_duration_min,entry_method,shape_type,entry_difficulty,
  operator_code,phone,website,time_zone,holiday_calendar,currency,source,external_id,source_url,licence,attribution,
  price_fixed_at_entry}'::text[];

-- The rules of these fields, for private.check_fields.
create function private.lot_rules() returns jsonb
language sql immutable
return '{
  "*": {"blank": false}, "structure": {"category": "structure"}, "entry_method": {"category": "entry_method"},
  "shape_type": {"category": "shape_type"}
}'::jsonb;

-- The texts of a lot that others see. They are stored as private.shown_name, from the console and from imports.
create function private.shown_lot_columns() returns text[]
language sql immutable
return '{name,name_kana,address,phone,licence,attribution}'::text[];

-- These fields with the texts that others see as they are stored. One of which nothing is left stays: it is refused.
create function private.shown_lot_texts(p_fields jsonb) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  return case when jsonb_typeof(p_fields) <> 'object' then p_fields else p_fields || coalesce((
    select jsonb_object_agg(f.key, coalesce(private.shown_name(f.value #>> '{}'), f.value #>> '{}'))
    from jsonb_each(p_fields) as f
    where f.key = any (private.shown_lot_columns()) and jsonb_typeof(f.value) = 'string'
  ), '{}') end;
end
$$;

-- Checks fields against the lot, a stored or a new one. Errors: validation_error (param: the field), conflict for the
-- external_id of another lot.
create function private.require_lot_fields(p_fields jsonb, p_lot public.parking_lots default null) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_after public.parking_lots;
begin
  perform private.check_fields('public.parking_lots', p_fields, private.lot_fields(), p_rules => private.lot_rules(),
    p_before => coalesce(to_jsonb(p_lot), '{"source": null, "external_id": null}'));
  v_after := jsonb_populate_record(p_lot, p_fields);
  if p_fields ->> 'operator_code' is not null
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

-- Changes fields of a lot that the caller has locked, each checked (null empties the field). Returns their
-- private.difference; {} when nothing changes. Errors: validation_error (param: the field), conflict (a status that may
-- not follow: details.allowed; the external_id of another lot).
create function private.apply_lot_changes(p_lot_id uuid, p_changes jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_changes constant jsonb := private.shown_lot_texts(p_changes);
  v_before public.parking_lots;
  v_after public.parking_lots;
  v_difference jsonb;
begin
  select * into v_before from public.parking_lots where id = p_lot_id;
  perform private.require_lot_fields(v_changes, v_before);
  v_after := jsonb_populate_record(v_before, v_changes);
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
    attribution = v_after.attribution, price_fixed_at_entry = v_after.price_fixed_at_entry
  where id = p_lot_id;
  return v_difference;
end
$$;
