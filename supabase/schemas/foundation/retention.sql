-- Retention: rows that are deleted after a time, in batches.
--
-- A table whose rows are kept for a limited time has a row in private.retentions: which rows are deleted, and how often.
-- One job deletes them, at most 5,000 in a transaction. So no lock is held for long, and a job that was interrupted
-- continues where it stopped. Rows that another transaction has locked are left for the next run.
-- docs/operations/scale.md lists what bounds each table of the service.
--
-- Invariants: only this job deletes rows by age; a condition needs an index where the table can be large.
-- Interface: a row in private.retentions, in the data of its domain.

-- Deletes the next batch of expired rows; false when there is nothing to do. Commit after each batch.
create function private.next_purge_batch(p_rows integer default 5000) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_retention private.retentions;
  v_rows integer;
begin
  -- The job runs every five minutes, but not to the second.
  select * into v_retention from private.retentions r
  where r.done_at < now() - r.every + interval '1 minute' order by r.done_at, r.table_name limit 1 for no key update skip locked;
  if not found then
    return false;
  end if;
  execute format(
    case when v_retention.change is null then 'delete from %1$s t' else 'update %1$s t set %4$s' end
      || ' where t.ctid = any (array(select t.ctid from %1$s t where %2$s limit %3$s for update skip locked))',
    v_retention.table_name, v_retention.condition, p_rows, v_retention.change
  );
  get diagnostics v_rows = row_count;
  update private.retentions r
  set done_rows = r.done_rows + v_rows, done_at = case when v_rows < p_rows then clock_timestamp() else r.done_at end
  where r.table_name = v_retention.table_name and r.condition = v_retention.condition;
  return true;
end
$$;
