-- Triggers of the tables of crash reports, table by table, in the order in which they fire.
--
-- The name of a trigger begins with its number in that order. The file in parentheses has its function.

-- ---------------------------------------------------------------------------------------------------------------------
-- public.client_crash_reports
-- ---------------------------------------------------------------------------------------------------------------------

-- Clears the sums when the table is truncated (crash_reports/crash_reports.sql).
create trigger _100_clear after truncate on public.client_crash_reports
  for each statement execute function private.tg_client_crash_reports__clear();

-- Adds a row to the sums of its day and network, and deletes rows until both are within their bounds
-- (crash_reports/crash_reports.sql).
create trigger _100_make_room after insert on public.client_crash_reports
  for each row execute function private.tg_client_crash_reports__make_room();
create trigger _100_make_room_again after update on public.client_crash_reports
  for each row when (
    (old.reported_on, old.network, old.size_bytes) is distinct from (new.reported_on, new.network, new.size_bytes)
  )
  execute function private.tg_client_crash_reports__make_room();

-- Subtracts a deleted row from the sums of its day and network (crash_reports/crash_reports.sql).
create trigger _100_subtract after delete on public.client_crash_reports
  for each row execute function private.tg_client_crash_reports__subtract();

-- ---------------------------------------------------------------------------------------------------------------------
-- private.crash_report_sources
-- ---------------------------------------------------------------------------------------------------------------------

-- Counts a network of a row (crash_reports/crash_reports.sql).
create trigger _100_count after insert on private.crash_report_sources
  for each row execute function private.tg_crash_report_sources__count();
