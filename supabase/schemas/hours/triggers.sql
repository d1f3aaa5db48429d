-- Triggers of the tables of hours, table by table, in the order in which they fire.
--
-- The name of a trigger begins with its number in that order. The file in parentheses has its function.

-- ---------------------------------------------------------------------------------------------------------------------
-- public.parking_lot_windows
-- ---------------------------------------------------------------------------------------------------------------------

-- Writes the search entries of the lots whose hours a statement changed, and queues these lots (lots/lots.sql).
select private.watch('public.parking_lot_windows', '{insert,update,delete,truncate}', '_900_refresh_lots',
  'private.tg_lot_rows__refresh_lots', 'search');

-- ---------------------------------------------------------------------------------------------------------------------
-- public.parking_lot_date_overrides
-- ---------------------------------------------------------------------------------------------------------------------

-- Queues the lots whose hours of single dates a statement changed (lots/lots.sql).
select private.watch('public.parking_lot_date_overrides', '{insert,update,delete,truncate}', '_900_refresh_lots',
  'private.tg_lot_rows__refresh_lots');

-- ---------------------------------------------------------------------------------------------------------------------
-- public.holidays
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _100_touch_updated_at before update on public.holidays
  for each row execute function private.tg_touch_updated_at();
