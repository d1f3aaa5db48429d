-- Triggers of the tables of search, table by table, in the order in which they fire.
--
-- The name of a trigger begins with its number in that order. The file in parentheses has its function.

-- ---------------------------------------------------------------------------------------------------------------------
-- private.search_entries
-- ---------------------------------------------------------------------------------------------------------------------

-- Marks the cells of search entries that a statement added, changed or deleted (search/map.sql).
create trigger _100_mark_map_on_insert after insert on private.search_entries
  referencing new table as rows_changed
  for each statement execute function private.tg_search_entries__mark_map();
create trigger _100_mark_map_on_update after update on private.search_entries
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_search_entries__mark_map();
create trigger _100_mark_map_on_delete after delete on private.search_entries
  referencing old table as rows_changed
  for each statement execute function private.tg_search_entries__mark_map();
create trigger _100_mark_map_on_truncate after truncate on private.search_entries
  for each statement execute function private.tg_search_entries__mark_map();
