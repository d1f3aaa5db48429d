-- Triggers of the tables of store sync, table by table, in the order in which they fire.
--
-- The name of a trigger begins with its number in that order. The file in parentheses has its function.

-- ---------------------------------------------------------------------------------------------------------------------
-- public.store_sync_runs
-- ---------------------------------------------------------------------------------------------------------------------

-- A row begins in a start state, and moves only as private.allowed_moves lists (foundation/states.sql).
create trigger _100_check_state_insert before insert on public.store_sync_runs
  for each row execute function private.tg_check_state('store_sync_run');
create trigger _110_check_state before update of status on public.store_sync_runs
  for each row when (old.status is distinct from new.status) execute function private.tg_check_state('store_sync_run');

-- ---------------------------------------------------------------------------------------------------------------------
-- public.store_reviews
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _100_touch_updated_at before update on public.store_reviews
  for each row execute function private.tg_touch_updated_at();

-- ---------------------------------------------------------------------------------------------------------------------
-- public.store_daily_sales
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _100_touch_updated_at before update on public.store_daily_sales
  for each row execute function private.tg_touch_updated_at();

-- ---------------------------------------------------------------------------------------------------------------------
-- public.store_metrics
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _100_touch_updated_at before update on public.store_metrics
  for each row execute function private.tg_touch_updated_at();
