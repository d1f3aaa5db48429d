-- Triggers of the tables of fees, table by table, in the order in which they fire.
--
-- The name of a trigger begins with its number in that order. The file in parentheses has its function.

-- ---------------------------------------------------------------------------------------------------------------------
-- public.pricing_groups
-- ---------------------------------------------------------------------------------------------------------------------

-- Compiles the tariffs and hour_price of the lots whose prices a statement changed (fees/stays.sql).
create trigger _100_refresh_on_insert after insert on public.pricing_groups
  referencing new table as rows_changed
  for each statement execute function private.tg_price_rows__refresh_tariffs();
create trigger _100_refresh_on_update after update on public.pricing_groups
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_price_rows__refresh_tariffs();
create trigger _100_refresh_on_delete after delete on public.pricing_groups
  referencing old table as rows_changed
  for each statement execute function private.tg_price_rows__refresh_tariffs();
create trigger _100_refresh_on_truncate after truncate on public.pricing_groups
  for each statement execute function private.tg_price_rows__refresh_tariffs();

-- Queues the lots of which a statement changed a part (search/changes.sql).
create trigger _900_record_changes_on_insert after insert on public.pricing_groups
  referencing new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_update after update on public.pricing_groups
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_delete after delete on public.pricing_groups
  referencing old table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_truncate after truncate on public.pricing_groups
  for each statement execute function private.tg_lot_rows__record_changes();

-- ---------------------------------------------------------------------------------------------------------------------
-- public.pricing_rules
-- ---------------------------------------------------------------------------------------------------------------------

-- Compiles the tariffs and hour_price of the lots whose prices a statement changed (fees/stays.sql).
create trigger _100_refresh_on_insert after insert on public.pricing_rules
  referencing new table as rows_changed
  for each statement execute function private.tg_price_rows__refresh_tariffs();
create trigger _100_refresh_on_update after update on public.pricing_rules
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_price_rows__refresh_tariffs();
create trigger _100_refresh_on_delete after delete on public.pricing_rules
  referencing old table as rows_changed
  for each statement execute function private.tg_price_rows__refresh_tariffs();
create trigger _100_refresh_on_truncate after truncate on public.pricing_rules
  for each statement execute function private.tg_price_rows__refresh_tariffs();

-- Writes the search entries of the lots of which a statement changed a part that search reads (search/entries.sql).
create trigger _800_refresh_search_on_insert after insert on public.pricing_rules
  referencing new table as rows_changed
  for each statement execute function private.tg_lot_rows__refresh_search();
create trigger _800_refresh_search_on_update after update on public.pricing_rules
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_lot_rows__refresh_search();
create trigger _800_refresh_search_on_delete after delete on public.pricing_rules
  referencing old table as rows_changed
  for each statement execute function private.tg_lot_rows__refresh_search();
create trigger _800_refresh_search_on_truncate after truncate on public.pricing_rules
  for each statement execute function private.tg_lot_rows__refresh_search();

-- Queues the lots of which a statement changed a part (search/changes.sql).
create trigger _900_record_changes_on_insert after insert on public.pricing_rules
  referencing new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_update after update on public.pricing_rules
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_delete after delete on public.pricing_rules
  referencing old table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_truncate after truncate on public.pricing_rules
  for each statement execute function private.tg_lot_rows__record_changes();
