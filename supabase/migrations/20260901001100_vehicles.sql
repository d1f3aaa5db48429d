-- Vehicles: the vehicles of users, with the measures that decide where they fit.
--
-- A user has at most ten, and one of them is the default, which a client uses when no vehicle is chosen. A deleted vehicle
-- stays as a row, because sessions refer to it, but only its type is kept. Rows without a session are deleted after 30 days,
-- and all but the latest ten of a user at once.
--
-- Vehicles and presets (1110) are both short lists with a default, maintained by the same triggers. A row takes the lowest
-- free slot; slots are bounded and unique. The first row becomes the default. A row that becomes the default replaces the
-- other. When the default is deleted, the first of the remaining rows in the order of the list becomes it. Any delete of a
-- row empties it, and a user keeps as many deleted rows as they may have others.
--
-- Invariants: at most ten vehicles per user, exactly one of them the default if there are any; users read only their own.
-- Interface: api.list_my_vehicles, add_my_vehicle, update_my_vehicle, delete_my_vehicle.

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table public.user_vehicles (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.app_users (id) on delete cascade,
  vehicle_type text not null constraint user_vehicles_vehicle_type_length check (char_length(vehicle_type) between 1 and 50),
  nickname text constraint user_vehicles_nickname_length check (char_length(nickname) between 1 and 50),
  plate_number text constraint user_vehicles_plate_number_length check (char_length(plate_number) between 1 and 30),
  color text constraint user_vehicles_color_length check (char_length(color) between 1 and 30),
  height_m numeric constraint user_vehicles_height_m_bounds check (height_m > 0 and height_m <= 10),
  width_m numeric constraint user_vehicles_width_m_bounds check (width_m > 0 and width_m <= 5),
  length_m numeric constraint user_vehicles_length_m_bounds check (length_m > 0 and length_m <= 20),
  weight_t numeric constraint user_vehicles_weight_t_bounds check (weight_t > 0 and weight_t <= 50),
  clearance_cm integer constraint user_vehicles_clearance_cm_bounds check (clearance_cm between 0 and 100),
  tire_width_mm integer constraint user_vehicles_tire_width_mm_bounds check (tire_width_mm between 1 and 500),
  is_default boolean not null default false,
  slot smallint not null constraint user_vehicles_at_most_ten check (slot between 1 and 10),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  constraint user_vehicles_deleted_is_bare check (
    deleted_at is null or (not is_default and num_nonnulls(nickname, plate_number, color, height_m, width_m, length_m,
      weight_t, clearance_cm, tire_width_mm) = 0)
  )
);

comment on table public.user_vehicles is 'The vehicles of users.';
comment on column public.user_vehicles.vehicle_type is 'A code of the category vehicle_type.';
comment on column public.user_vehicles.plate_number is 'Visible to its owner only; null when the vehicle is deleted.';
comment on column public.user_vehicles.is_default is 'The vehicle that clients use when none is chosen.';
comment on column public.user_vehicles.slot is 'Its position among the ten that a user can have. A trigger sets it; it is free again when the vehicle is deleted.';
comment on column public.user_vehicles.deleted_at is 'When the vehicle was deleted; null: it is not deleted.';

create unique index user_vehicles_slot_idx on public.user_vehicles (user_id, slot) where deleted_at is null;
create unique index user_vehicles_one_default_idx on public.user_vehicles (user_id) where is_default;
-- The vehicles of a user in order; and those of a user who leaves.
create index user_vehicles_user_id_idx on public.user_vehicles (user_id, created_at, id);
-- The rows of the purge.
create index user_vehicles_deleted_idx on public.user_vehicles (deleted_at) where deleted_at is not null;

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

alter table public.user_vehicles enable row level security;

-- Deleted rows too: a row that the policy hides could not be marked as deleted.
create policy "Users read their own vehicles" on public.user_vehicles for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "Users add vehicles as themselves" on public.user_vehicles for insert to authenticated
  with check ((select auth.uid()) = user_id);
create policy "Users change their own vehicles" on public.user_vehicles for update to authenticated
  using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
-- No delete: a vehicle is marked as deleted.

grant select (
    id, user_id, vehicle_type, nickname, plate_number, color, height_m, width_m, length_m, weight_t, clearance_cm,
    tire_width_mm, is_default, slot, created_at, updated_at, deleted_at
  ),
  insert (
    user_id, vehicle_type, nickname, plate_number, color, height_m, width_m, length_m, weight_t, clearance_cm,
    tire_width_mm, is_default
  ),
  update (
    vehicle_type, nickname, plate_number, color, height_m, width_m, length_m, weight_t, clearance_cm, tire_width_mm,
    is_default, deleted_at
  )
on public.user_vehicles to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: short lists with a default
-- ---------------------------------------------------------------------------------------------------------------------

create function private.tg_take_slot() returns trigger
language plpgsql
security definer -- it locks the account, which a role that adds a row for the owner may not write
set search_path = ''
as $$
declare
  v_is_first boolean;
begin
  -- A second insert for this user waits here.
  perform from public.app_users u where u.id = new.user_id for no key update;
  execute format(
    'select coalesce(min(s.slot) filter (where t.id is null), $2 + 1), coalesce(not bool_or(t.is_default), true)
    from generate_series(1, $2) as s (slot)
    left join %s t on t.user_id = $1 and t.deleted_at is null and t.slot = s.slot', tg_relid::regclass
  ) into new.slot, v_is_first using new.user_id, tg_argv[0]::integer;
  if v_is_first then
    new.is_default := true;
  elsif new.is_default then
    execute format('update %s set is_default = false where user_id = $1 and is_default', tg_relid::regclass)
      using new.user_id;
  end if;
  return new;
end
$$;

comment on function private.tg_take_slot() is
  'Gives a row of a list of at most tg_argv[0] rows the lowest free slot; one row too many gets a slot that its constraint rejects. The first row becomes the default, and a new default replaces the other.';

create function private.tg_become_default() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  execute format('update %s set is_default = false where user_id = $1 and is_default', tg_relid::regclass)
    using new.user_id;
  return new;
end
$$;

comment on function private.tg_become_default() is 'A row that becomes the default replaces the other.';

create function private.tg_choose_next_default() returns trigger
language plpgsql
security definer -- the auth server, which deletes accounts, has no right on rows of users
set search_path = ''
as $$
begin
  execute format(
    'update %1$s set is_default = true
    where id = (select id from %1$s where user_id = $1 and deleted_at is null order by %2$s limit 1)',
    tg_relid::regclass, tg_argv[0]
  ) using old.user_id;
  return null;
end
$$;

comment on function private.tg_choose_next_default() is
  'When the default is deleted, the first of the user''s other rows, in the order tg_argv[0], becomes it.';

create function private.tg_drop_oldest_deleted() returns trigger
language plpgsql
security definer -- clients mark rows as deleted but cannot delete them
set search_path = ''
as $$
begin
  execute format(
    'delete from %1$s where id in (
      select t.id from %1$s t where t.user_id = $1 and t.deleted_at is not null and (%2$s)
      order by t.deleted_at desc, t.id offset $2
    )', tg_relid::regclass, tg_argv[1]
  ) using new.user_id, tg_argv[0]::integer;
  return null;
end
$$;

comment on function private.tg_drop_oldest_deleted() is
  'Deletes all but the latest tg_argv[0] of a user''s deleted rows that meet the condition tg_argv[1], so that creating and deleting in a loop does not fill the table.';

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

comment on function private.tg_user_vehicles__empty() is 'Empties a deleted vehicle except for its type.';

create trigger _100_touch_updated_at before update on public.user_vehicles
  for each row execute function private.tg_touch_updated_at();
create trigger _200_take_slot before insert on public.user_vehicles
  for each row execute function private.tg_take_slot('10');
create trigger _200_become_default before update of is_default on public.user_vehicles
  for each row when (new.is_default and not old.is_default) execute function private.tg_become_default();
create trigger _300_choose_next_default_update after update of deleted_at on public.user_vehicles
  for each row when (old.is_default and new.deleted_at is not null)
  execute function private.tg_choose_next_default('created_at, id');
create trigger _300_choose_next_default_delete after delete on public.user_vehicles
  for each row when (old.is_default) execute function private.tg_choose_next_default('created_at, id');
create trigger _250_empty before update of deleted_at on public.user_vehicles
  for each row when (new.deleted_at is not null) execute function private.tg_user_vehicles__empty();

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: reading and writing
-- ---------------------------------------------------------------------------------------------------------------------

create function private.is_line(p_value jsonb, p_max_length integer) returns boolean
language plpgsql immutable
set search_path = ''
as $$
begin
  return case jsonb_typeof(p_value) when 'null' then true
    when 'string' then coalesce(char_length(private.trimmed(p_value #>> '{}')), 0) <= p_max_length else false end;
end
$$;

comment on function private.is_line(jsonb, integer) is 'Whether this is null or a text of at most p_max_length characters, without surrounding white space.';

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

comment on function private.own_vehicle_fault(text, jsonb) is 'The error of a field of a user''s vehicle; null when it is valid.';

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

comment on function private.read_own_vehicle(public.user_vehicles, jsonb) is
  'The vehicle with the given fields changed; other fields are kept. Errors: validation_error.';

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

comment on function private.vehicle_row(public.user_vehicles) is 'A vehicle as the interface shows it to its owner.';

grant execute on function
  private.is_line(jsonb, integer), private.own_vehicle_fault(text, jsonb),
  private.read_own_vehicle(public.user_vehicles, jsonb), private.vehicle_row(public.user_vehicles)
to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
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
  v_vehicle public.user_vehicles := private.read_own_vehicle(null, p_vehicle);
begin
  if (select count(*) from public.user_vehicles v where v.user_id = v_user_id and v.deleted_at is null) >= 10 then
    perform private.raise_error('conflict', 409, 'You already have ten vehicles. Delete one first.',
      p_details => '{"reason": "limit_reached", "limit": 10}');
  end if;
  insert into public.user_vehicles (
    user_id, vehicle_type, nickname, plate_number, color, height_m, width_m, length_m, weight_t, clearance_cm,
    tire_width_mm, is_default
  )
  values (
    v_user_id, v_vehicle.vehicle_type, v_vehicle.nickname, v_vehicle.plate_number, v_vehicle.color, v_vehicle.height_m,
    v_vehicle.width_m, v_vehicle.length_m, v_vehicle.weight_t, v_vehicle.clearance_cm, v_vehicle.tire_width_mm,
    coalesce(v_vehicle.is_default, false)
  )
  returning * into v_vehicle;
  return private.vehicle_row(v_vehicle);
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
  v_old public.user_vehicles;
  v_vehicle public.user_vehicles;
begin
  select * into v_old from public.user_vehicles v where v.id = p_id and v.user_id = v_user_id and v.deleted_at is null;
  if not found then
    perform private.raise_error('not_found', 404, 'You have no vehicle with this id.', p_param => 'id');
  end if;
  v_vehicle := private.read_own_vehicle(v_old, p_changes);
  if v_old.is_default and not v_vehicle.is_default then
    perform private.raise_error('conflict', 409, 'One vehicle must be the default. Make another vehicle the default instead.',
      p_param => 'is_default', p_details => '{"reason": "default_required"}');
  end if;
  update public.user_vehicles
  set vehicle_type = v_vehicle.vehicle_type, nickname = v_vehicle.nickname, plate_number = v_vehicle.plate_number,
    color = v_vehicle.color, height_m = v_vehicle.height_m, width_m = v_vehicle.width_m, length_m = v_vehicle.length_m,
    weight_t = v_vehicle.weight_t, clearance_cm = v_vehicle.clearance_cm, tire_width_mm = v_vehicle.tire_width_mm,
    is_default = v_vehicle.is_default
  where id = p_id and user_id = v_user_id
  returning * into v_vehicle;
  return private.vehicle_row(v_vehicle);
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
