-- Vehicles: the vehicles of users, with the measures that decide where they fit.
--
-- A user has at most ten, and one of them is the default, which a client uses when no vehicle is chosen. A deleted
-- vehicle stays as a row, because sessions refer to it, but only its type is kept. Rows without a session are deleted
-- after 30 days, and all but the latest ten of a user at once.
--
-- Vehicles and presets (vehicles/presets.sql) are both short lists with a default, maintained by the same triggers. A row
-- takes the lowest free slot; slots are bounded and unique. The first row becomes the default. A row that becomes the
-- default replaces the other. When the default is deleted, the first of the remaining rows in the order of the list
-- becomes it. Any delete of a row empties it, and a user keeps as many deleted rows as they may have others.
--
-- Invariants: at most ten vehicles per user, exactly one of them the default if there are any; users read only their own.
-- Interface: api.list_my_vehicles, add_my_vehicle, update_my_vehicle, delete_my_vehicle.

-- Empties a deleted vehicle except for its type.
create function private.tg_user_vehicles__empty() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.is_default := false;
  new.nickname := null;
  new.plate_number := null;
  new.color := null;
  new.height_m := null;
  new.width_m := null;
  new.length_m := null;
  new.weight_t := null;
  new.clearance_cm := null;
  new.tire_width_mm := null;
  return new;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Reading and writing
-- ---------------------------------------------------------------------------------------------------------------------

-- Whether this is null or a text of at most p_max_length characters, without surrounding white space.
create function private.is_line(p_value jsonb, p_max_length integer) returns boolean
language plpgsql immutable
set search_path = ''
as $$
begin
  return case jsonb_typeof(p_value) when 'null' then true
    when 'string' then coalesce(char_length(private.trimmed(p_value #>> '{}')), 0) <= p_max_length else false end;
end
$$;

-- The error of a field of a user's vehicle; null when it is valid.
create function private.own_vehicle_fault(p_field text, p_value jsonb) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return case
    when p_field = 'vehicle_type' then
      case when jsonb_typeof(p_value) <> 'string' or not exists (
        select from public.codes c where c.category_id = 'vehicle_type' and c.code = p_value #>> '{}'
      ) then 'vehicle_type must be a code of the category vehicle_type.' end
    when p_field = 'nickname' then
      case when not private.is_line(p_value, 50) then 'nickname must have at most 50 characters.' end
    when p_field in ('plate_number', 'color') then
      case when not private.is_line(p_value, 30) then format('%s must have at most 30 characters.', p_field) end
    when p_field = 'is_default' then
      case when jsonb_typeof(p_value) <> 'boolean' then 'is_default must be true or false.' end
    else private.measure_fault(p_field, p_value)
  end;
end
$$;

-- The vehicle with the given fields changed; other fields are kept. Errors: validation_error.
create function private.read_own_vehicle(p_vehicle public.user_vehicles, p_fields jsonb) returns public.user_vehicles
language plpgsql stable
set search_path = ''
as $$
declare
  v_vehicle public.user_vehicles;
  v_field text;
  v_fault text;
begin
  if jsonb_typeof(p_fields) is distinct from 'object' then
    perform private.raise_error('validation_error', 422, 'vehicle must be an object.');
  end if;
  for v_field, v_fault in select f.key, private.own_vehicle_fault(f.key, f.value) from jsonb_each(p_fields) as f loop
    if v_fault is not null then
      perform private.raise_error('validation_error', 422, v_fault, p_param => v_field);
    end if;
  end loop;
  v_vehicle := jsonb_populate_record(p_vehicle, p_fields);
  if v_vehicle.vehicle_type is null then
    perform private.raise_error('validation_error', 422, 'vehicle_type is required.', p_param => 'vehicle_type');
  end if;
  v_vehicle.nickname := private.trimmed(v_vehicle.nickname);
  v_vehicle.plate_number := private.trimmed(v_vehicle.plate_number);
  v_vehicle.color := private.trimmed(v_vehicle.color);
  return v_vehicle;
end
$$;

-- A vehicle as the interface shows it to its owner.
create function private.vehicle_row(p_vehicle public.user_vehicles) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', (p_vehicle).id, 'user_id', (p_vehicle).user_id, 'vehicle_type', (p_vehicle).vehicle_type,
    'nickname', (p_vehicle).nickname, 'plate_number', (p_vehicle).plate_number, 'color', (p_vehicle).color,
    'height_m', (p_vehicle).height_m, 'width_m', (p_vehicle).width_m, 'length_m', (p_vehicle).length_m,
    'weight_t', (p_vehicle).weight_t, 'clearance_cm', (p_vehicle).clearance_cm,
    'tire_width_mm', (p_vehicle).tire_width_mm, 'is_default', (p_vehicle).is_default,
    'created_at', (p_vehicle).created_at, 'updated_at', (p_vehicle).updated_at
  );
end
$$;

grant execute on function
  private.is_line(jsonb, integer), private.own_vehicle_fault(text, jsonb),
  private.read_own_vehicle(public.user_vehicles, jsonb), private.vehicle_row(public.user_vehicles)
to authenticated;
