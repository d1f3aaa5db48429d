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
  new := jsonb_populate_record(new, (
    select jsonb_object_agg(c, null)
    from jsonb_object_keys(to_jsonb(new) - '{id,user_id,vehicle_type,slot,created_at,updated_at,deleted_at}'::text[]) as c
  ) || '{"is_default": false}');
  return new;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Reading and writing
-- ---------------------------------------------------------------------------------------------------------------------

-- The fields of a vehicle as they are stored: texts are trimmed. Errors: validation_error.
create function private.read_own_vehicle(p_fields jsonb, p_required text[] default '{}') returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_fields constant jsonb := private.trimmed_texts(p_fields);
begin
  perform private.check_fields('public.user_vehicles', v_fields, private.client_fields('public.user_vehicles'), p_required,
    '{"vehicle_type": {"category": "vehicle_type"}}');
  return v_fields;
end
$$;

-- A vehicle as the interface shows it to its owner.
create function private.vehicle_row(p_vehicle public.user_vehicles) returns jsonb
language sql stable
return to_jsonb(p_vehicle) - '{slot,deleted_at}'::text[];

grant execute on function private.read_own_vehicle(jsonb, text[]), private.vehicle_row(public.user_vehicles) to authenticated;
