-- Retention: rows that are deleted after a time, in batches.
--
-- A table whose rows are kept for a time has a row in private.retentions: which rows go, and how often. One job deletes them,
-- at most 5,000 in a transaction: no lock is held for long, and a job that dies goes on where it stopped. Rows that another
-- transaction holds are left for the next time. docs/operations/scale.md says for each table of the service what bounds it.
--
-- Invariants: the job is the only one that deletes by age; a condition needs an index where the table can be large.
-- Interface: a row in private.retentions, by the migration of the table.

create table private.retentions (
  table_name text collate "C" not null,
  condition text not null,
  change text,
  every interval not null default '1 day',
  done_at timestamptz not null default '-infinity',
  done_rows bigint not null default 0,
  primary key (table_name, condition)
);

comment on table private.retentions is 'What is deleted by age. Written by migrations; nobody else may.';
comment on column private.retentions.condition is 'An SQL condition on the row t: it goes.';
comment on column private.retentions.change is 'What is set instead, and makes the condition false; null: the row is deleted.';
comment on column private.retentions.done_at is 'When nothing more was to do.';
comment on column private.retentions.done_rows is 'How many rows have gone.';

create function private.next_purge_batch(p_rows integer default 5000) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_retention private.retentions;
  v_rows integer;
begin
  -- The job runs every five minutes, and not to the second.
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

comment on function private.next_purge_batch(integer) is
  'Deletes the next batch of rows whose time is over; false when there is nothing to do. Commit after each.';

select cron.schedule('purge', '*/5 * * * *', 'do $work$ begin while private.next_purge_batch() loop commit; end loop; end $work$');

insert into private.retentions (table_name, condition) values
  -- A run that was cut off has no end.
  ('cron.job_run_details', 'coalesce(t.end_time, t.start_time) < now() - interval ''7 days'''),
  ('private.dead_messages', 't.died_at < now() - interval ''90 days''');
