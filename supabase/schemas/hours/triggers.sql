-- Triggers of the tables of hours, table by table, in the order in which they fire.
--
-- The name of a trigger begins with its number in that order. The file in parentheses has its function.

-- ---------------------------------------------------------------------------------------------------------------------
-- public.parking_lot_windows
-- ---------------------------------------------------------------------------------------------------------------------

-- Writes the search entries of the lots of which a statement changed a part that search reads (search/entries.sql).
create trigger _800_refresh_search_on_insert after insert on public.parking_lot_windows
  referencing new table as rows_changed
  for each statement execute function private.tg_lot_rows__refresh_search();
create trigger _800_refresh_search_on_update after update on public.parking_lot_windows
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_lot_rows__refresh_search();
create trigger _800_refresh_search_on_delete after delete on public.parking_lot_windows
  referencing old table as rows_changed
  for each statement execute function private.tg_lot_rows__refresh_search();
create trigger _800_refresh_search_on_truncate after truncate on public.parking_lot_windows
  for each statement execute function private.tg_lot_rows__refresh_search();

-- Queues the lots of which a statement changed a part (search/changes.sql).
create trigger _900_record_changes_on_insert after insert on public.parking_lot_windows
  referencing new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_update after update on public.parking_lot_windows
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_delete after delete on public.parking_lot_windows
  referencing old table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_truncate after truncate on public.parking_lot_windows
  for each statement execute function private.tg_lot_rows__record_changes();

-- ---------------------------------------------------------------------------------------------------------------------
-- public.parking_lot_date_overrides
-- ---------------------------------------------------------------------------------------------------------------------

-- Queues the lots of which a statement changed a part (search/changes.sql).
create trigger _900_record_changes_on_insert after insert on public.parking_lot_date_overrides
  referencing new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_update after update on public.parking_lot_date_overrides
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_delete after delete on public.parking_lot_date_overrides
  referencing old table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_truncate after truncate on public.parking_lot_date_overrides
  for each statement execute function private.tg_lot_rows__record_changes();

-- ---------------------------------------------------------------------------------------------------------------------
-- public.holidays
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _100_touch_updated_at before update on public.holidays
  for each row execute function private.tg_touch_updated_at();
