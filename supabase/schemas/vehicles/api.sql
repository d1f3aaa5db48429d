-- The interface of vehicles: the vehicles and search presets of users, and where a vehicle fits.
--
-- Clients and the service call these functions. The rules are in fit_and_walk.sql, presets.sql, short_lists.sql and
-- vehicles.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Vehicles
-- ---------------------------------------------------------------------------------------------------------------------

create function api.list_my_vehicles(
  p_limit integer default 20, p_cursor text default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
  v_filters jsonb := jsonb_build_object('list', 'my_vehicles', 'user_id', v_user_id);
  v_keys jsonb := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'asc');
begin
  perform private.page_limit(p_limit);
  return private.page(v_filters, (
    select jsonb_agg(private.vehicle_row(p.vehicle) order by (p.vehicle).created_at, (p.vehicle).id)
    from (
      select v as vehicle from public.user_vehicles v
      where v.user_id = v_user_id and v.deleted_at is null
        and (v.created_at, v.id) > ((v_keys ->> 0)::timestamptz, (v_keys ->> 1)::uuid)
      order by v.created_at, v.id
      limit p_limit + 1
    ) p
  ), '{created_at,id}', p_limit, case when 'total' = any (p_include) then (
    select count(*) from public.user_vehicles v where v.user_id = v_user_id and v.deleted_at is null
  ) end);
end
$$;

comment on function api.list_my_vehicles(integer, text, text[]) is
  'The caller''s vehicles, in the order in which they were added: {items, next_cursor}, and total when p_include has it. Reads only. Errors: unauthorized, forbidden, validation_error.';

create function commands.add_my_vehicle(p_vehicle jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
  v_vehicle constant jsonb := private.read_own_vehicle(p_vehicle, '{vehicle_type}');
begin
  if (select count(*) from public.user_vehicles v where v.user_id = v_user_id and v.deleted_at is null) >= 10 then
    perform private.raise_error('conflict', 409, 'You already have ten vehicles. Delete one first.',
      p_details => '{"reason": "limit_reached", "limit": 10}');
  end if;
  return private.vehicle_row(
    private.write_fields(null::public.user_vehicles, v_vehicle || jsonb_build_object('user_id', v_user_id))
  );
end
$$;

comment on function commands.add_my_vehicle(jsonb) is
  'Adds a vehicle of the caller, an object of its fields, and returns it. The first is always the default. At most ten. Errors: unauthorized, forbidden, validation_error, conflict.';

create function commands.update_my_vehicle(p_id uuid, p_changes jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
  v_vehicle public.user_vehicles;
  v_changes jsonb;
begin
  select * into v_vehicle from public.user_vehicles v where v.id = p_id and v.user_id = v_user_id and v.deleted_at is null;
  if not found then
    perform private.raise_error('not_found', 404, 'You have no vehicle with this id.', p_param => 'id');
  end if;
  v_changes := private.read_own_vehicle(p_changes);
  if v_vehicle.is_default and v_changes -> 'is_default' = 'false' then
    perform private.raise_error('conflict', 409, 'One vehicle must be the default. Make another vehicle the default instead.',
      p_param => 'is_default', p_details => '{"reason": "default_required"}');
  end if;
  return private.vehicle_row(private.write_fields(v_vehicle, v_changes));
end
$$;

comment on function commands.update_my_vehicle(uuid, jsonb) is
  'Changes the fields of the caller''s vehicle that p_changes has and returns it; null removes a field. is_default true replaces the other default; false is rejected for the default. Idempotent. Errors: unauthorized, forbidden, validation_error, not_found, conflict.';

create function commands.delete_my_vehicle(p_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
begin
  update public.user_vehicles set deleted_at = now()
  where id = p_id and user_id = v_user_id and deleted_at is null;
  if not found then
    perform private.raise_error('not_found', 404, 'You have no vehicle with this id.', p_param => 'id');
  end if;
end
$$;

comment on function commands.delete_my_vehicle(uuid) is
  'Deletes the caller''s vehicle; only its type is kept. If it was the default, the oldest of the others becomes it. Errors: unauthorized, forbidden, not_found.';

grant execute on function
  api.list_my_vehicles(integer, text, text[]), commands.add_my_vehicle(jsonb), commands.update_my_vehicle(uuid, jsonb),
  commands.delete_my_vehicle(uuid)
to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Search presets
-- ---------------------------------------------------------------------------------------------------------------------

create function api.list_my_search_presets(
  p_limit integer default 20, p_cursor text default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return private.preset_page(private.active_user(), p_limit, p_cursor, p_include);
end
$$;

comment on function api.list_my_search_presets(integer, text, text[]) is
  'The caller''s presets by sort_order, then age: {items, next_cursor}, and total when p_include has it. Reads only. Errors: unauthorized, forbidden, validation_error.';

create function commands.create_my_search_preset(
  p_name text, p_query_json jsonb, p_is_default boolean default false, p_sort_order integer default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return private.preset_row(
    private.create_preset(private.active_user(), p_name, p_query_json, p_is_default, p_sort_order)
  );
end
$$;

comment on function commands.create_my_search_preset(text, jsonb, boolean, integer) is
  'Creates a preset of the caller and returns it; without p_sort_order at the end of the list. The first is always the default. At most twenty. Errors: unauthorized, forbidden, validation_error, conflict.';

create function commands.update_my_search_preset(
  p_id uuid, p_name text default null, p_query_json jsonb default null, p_sort_order integer default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return private.preset_row(private.update_preset(private.active_user(), p_id, p_name, p_query_json, p_sort_order));
end
$$;

comment on function commands.update_my_search_preset(uuid, text, jsonb, integer) is
  'Changes the fields of the caller''s preset that are not null and returns it; a query is replaced as a whole. Idempotent. Errors: unauthorized, forbidden, validation_error, not_found.';

create function commands.delete_my_search_preset(p_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.delete_preset(private.active_user(), p_id);
end
$$;

comment on function commands.delete_my_search_preset(uuid) is
  'Deletes the caller''s preset, with its name and query. If it was the default, the first of the others becomes it. Errors: unauthorized, forbidden, not_found.';

create function commands.set_default_search_preset(p_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return private.preset_row(private.set_default_preset(private.active_user(), p_id));
end
$$;

comment on function commands.set_default_search_preset(uuid) is
  'Makes the caller''s preset the default, instead of the other, and returns it. Idempotent. Errors: unauthorized, forbidden, not_found.';

grant execute on function
  api.list_my_search_presets(integer, text, text[]), commands.create_my_search_preset(text, jsonb, boolean, integer),
  commands.update_my_search_preset(uuid, text, jsonb, integer), commands.delete_my_search_preset(uuid),
  commands.set_default_search_preset(uuid)
to authenticated;
