-- Triggers of the tables of vehicles, table by table, in the order in which they fire.
--
-- The name of a trigger begins with its number in that order. The file in parentheses has its function.

-- ---------------------------------------------------------------------------------------------------------------------
-- public.user_vehicles
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _100_touch_updated_at before update on public.user_vehicles
  for each row execute function private.tg_touch_updated_at();

-- A row that becomes the default replaces the other (vehicles/short_lists.sql).
create trigger _200_become_default before update of is_default on public.user_vehicles
  for each row when (new.is_default and not old.is_default) execute function private.tg_become_default();

-- A new row takes the lowest free slot, and the first one becomes the default (vehicles/short_lists.sql).
create trigger _200_take_slot before insert on public.user_vehicles
  for each row execute function private.tg_take_slot('10');

-- Empties a deleted vehicle except for its type (vehicles/vehicles.sql).
create trigger _250_empty before update of deleted_at on public.user_vehicles
  for each row when (new.deleted_at is not null) execute function private.tg_user_vehicles__empty();

-- When the default is deleted, the first of the remaining rows becomes it (vehicles/short_lists.sql).
create trigger _300_choose_next_default_update after update of deleted_at on public.user_vehicles
  for each row when (old.is_default and new.deleted_at is not null)
  execute function private.tg_choose_next_default('created_at, id');
create trigger _300_choose_next_default_delete after delete on public.user_vehicles
  for each row when (old.is_default) execute function private.tg_choose_next_default('created_at, id');

-- Only the latest deleted rows of a user are kept (vehicles/short_lists.sql).
create trigger _400_drop_oldest_deleted after update of deleted_at on public.user_vehicles
  for each row when (new.deleted_at is not null and old.deleted_at is null)
  execute function private.tg_drop_oldest_deleted(
    '10', 'not exists (select from public.parking_sessions s where s.vehicle_id = t.id)'
  );

-- ---------------------------------------------------------------------------------------------------------------------
-- public.search_presets
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _100_touch_updated_at before update on public.search_presets
  for each row execute function private.tg_touch_updated_at();

-- A row that becomes the default replaces the other (vehicles/short_lists.sql).
create trigger _200_become_default before update of is_default on public.search_presets
  for each row when (new.is_default and not old.is_default) execute function private.tg_become_default();

-- A new row takes the lowest free slot, and the first one becomes the default (vehicles/short_lists.sql).
create trigger _200_take_slot before insert on public.search_presets
  for each row execute function private.tg_take_slot('20');

-- Removes name and query of a deleted preset: they often show where a user lives or works (vehicles/presets.sql).
create trigger _250_empty before update of deleted_at on public.search_presets
  for each row when (new.deleted_at is not null) execute function private.tg_search_presets__empty();

-- When the default is deleted, the first of the remaining rows becomes it (vehicles/short_lists.sql).
create trigger _300_choose_next_default_update after update of deleted_at on public.search_presets
  for each row when (old.is_default and new.deleted_at is not null)
  execute function private.tg_choose_next_default('sort_order, created_at, id');
create trigger _300_choose_next_default_delete after delete on public.search_presets
  for each row when (old.is_default) execute function private.tg_choose_next_default('sort_order, created_at, id');

-- Only the latest deleted rows of a user are kept (vehicles/short_lists.sql).
create trigger _400_drop_oldest_deleted after update of deleted_at on public.search_presets
  for each row when (new.deleted_at is not null and old.deleted_at is null)
  execute function private.tg_drop_oldest_deleted('20', 'true');
