-- Tables of vehicles: the vehicles and search presets of users, and where a vehicle fits.
--
-- Each table has its comments, indexes, row security, policies and grants below it. The rules are in fit_and_walk.sql,
-- presets.sql, short_lists.sql and vehicles.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Vehicles
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
  -- Of every column, so that a new one is empty too.
  constraint user_vehicles_deleted_is_bare check (
    deleted_at is null or jsonb_strip_nulls(
      to_jsonb(user_vehicles) - '{id,user_id,vehicle_type,slot,created_at,updated_at,deleted_at}'::text[]
    ) = '{"is_default": false}'
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

alter table public.user_vehicles enable row level security;

-- Deleted rows too: a row that the policy hides could not be marked as deleted.
create policy "Users read their own vehicles" on public.user_vehicles for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "Users add vehicles as themselves" on public.user_vehicles for insert to authenticated
  with check ((select auth.uid()) = user_id);
create policy "Users change their own vehicles" on public.user_vehicles for update to authenticated
  using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
-- No delete: a vehicle is marked as deleted.

-- The columns that may be both inserted and updated are the fields that clients write (private.client_fields).
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
-- Search presets
-- ---------------------------------------------------------------------------------------------------------------------

create table public.search_presets (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.app_users (id) on delete cascade,
  name text not null constraint search_presets_name_length check (char_length(name) <= 100),
  query_json jsonb not null constraint search_presets_query_json_object check (jsonb_typeof(query_json) = 'object'),
  is_default boolean not null default false,
  sort_order integer not null default 0
    constraint search_presets_sort_order_bounds check (sort_order between 0 and 1000000),
  slot smallint not null constraint search_presets_at_most_twenty check (slot between 1 and 20),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  constraint search_presets_has_name check (name <> '' or deleted_at is not null),
  constraint search_presets_deleted_is_bare
    check (deleted_at is null or (not is_default and name = '' and query_json = '{}'))
);

comment on table public.search_presets is 'Searches that users store by name.';
comment on constraint search_presets_has_name on public.search_presets is 'name must have 1 to 100 characters.';
comment on column public.search_presets.query_json is 'A SearchQueryV1.';
comment on column public.search_presets.is_default is 'The preset that a client runs when it starts.';
comment on column public.search_presets.sort_order is 'Its position in the list of the user; ties by age.';
comment on column public.search_presets.slot is 'Its position among the twenty that a user can have. A trigger sets it; it is free again when the preset is deleted.';
comment on column public.search_presets.deleted_at is 'When the preset was deleted; name and query are then empty. Null: it is not deleted.';

create unique index search_presets_slot_idx on public.search_presets (user_id, slot) where deleted_at is null;
create unique index search_presets_one_default_idx on public.search_presets (user_id) where is_default;
-- The presets of a user in order; and those of a user who leaves.
create index search_presets_user_id_idx on public.search_presets (user_id, sort_order, created_at, id);
-- The rows of the purge.
create index search_presets_deleted_idx on public.search_presets (deleted_at) where deleted_at is not null;

alter table public.search_presets enable row level security;

-- Deleted rows too: a row that the policy hides could not be marked as deleted.
create policy "Users read their own presets" on public.search_presets for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "Users create presets as themselves" on public.search_presets for insert to authenticated
  with check ((select auth.uid()) = user_id);
create policy "Users change their own presets" on public.search_presets for update to authenticated
  using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
-- No delete: a preset is marked as deleted.

grant select (id, user_id, name, query_json, is_default, sort_order, slot, created_at, updated_at, deleted_at),
  insert (user_id, name, query_json, is_default, sort_order),
  update (name, query_json, is_default, sort_order, deleted_at)
on public.search_presets to authenticated;
