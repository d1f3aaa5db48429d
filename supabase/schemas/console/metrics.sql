-- Metrics: figures of the service for a monitoring system, in one read that costs the same with any number of rows.
--
-- Jobs count the figures that need a scan, and store them as parts of the overview: queues, jobs and slow statements. These
-- are at most a minute old, slow statements five minutes; their times are figures too. The rest is read directly: counts of
-- requests, outages, store sync, and the statistics that Postgres keeps.
--
-- Invariants: no figure identifies a user, and none contains the text of a statement or of an error.
-- Interface: api.service_metrics.

-- The figures of the database: connections by state, transactions, reads, size and the log that slots retain.
create function private.database_figures() returns jsonb
language plpgsql
security definer -- the statistics show each role only its own connections; this returns numbers
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'size_bytes', pg_catalog.pg_database_size(s.datid), 'commits', s.xact_commit, 'rollbacks', s.xact_rollback,
      'blocks_hit', s.blks_hit, 'blocks_read', s.blks_read, 'deadlocks', s.deadlocks, 'temp_bytes', s.temp_bytes
    )
    from pg_catalog.pg_stat_database s where s.datname = pg_catalog.current_database()
  ) || (
    select jsonb_build_object(
      'connections', coalesce(jsonb_object_agg(a.state, a.connections), '{}'),
      'longest_transaction_seconds', coalesce(max(a.longest), 0)
    )
    from (
      select coalesce(t.state, 'unknown') as state, count(*) as connections,
        max(extract(epoch from clock_timestamp() - t.xact_start)) as longest
      from pg_catalog.pg_stat_activity t
      where t.backend_type = 'client backend' and t.pid <> pg_catalog.pg_backend_pid()
      group by 1
    ) a
  ) || jsonb_build_object(
    'max_connections', pg_catalog.current_setting('max_connections')::integer,
    'retained_bytes', (
      select coalesce(max(pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), r.restart_lsn)), 0)
      from pg_catalog.pg_replication_slots r
    )
  );
end
$$;

-- For each store and task that has ended: the last run that succeeded, and the failed runs of the last 24 hours. Runs are
-- kept for 90 days, a few a day.
create function private.store_sync_figures() returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('store', r.store, 'task', r.task, 'succeeded_at', r.succeeded_at, 'failed_24h', r.failed_24h)
      order by r.store, r.task), '[]')
    from (
      select s.store, s.task, max(s.finished_at) filter (where s.status = 'succeeded') as succeeded_at,
        count(*) filter (where s.status = 'failed' and s.finished_at > now() - interval '24 hours') as failed_24h
      from public.store_sync_runs s where s.finished_at is not null
      group by s.store, s.task
    ) r
  );
end
$$;

-- All figures: {at, requests, queues, jobs, statements, outages, store_sync, withdrawals, last_job_started_at, database}.
create function private.service_figures() returns jsonb
language plpgsql
security definer -- stored figures are private, and pg_cron shows each role only its own runs; no figure identifies a user
set search_path = ''
as $$
declare
  v_parts jsonb;
begin
  select jsonb_object_agg(o.part, jsonb_build_object('at', o.at, 'value', o.value)) into v_parts
  from private.overview_parts o where o.part in ('message_queues', 'jobs', 'slow_queries');
  return jsonb_build_object(
    'at', clock_timestamp(),
    'requests', (
      select coalesce(jsonb_agg(jsonb_build_object('method', c.method, 'route', c.route, 'status', c.status, 'access', c.access,
        'buckets', c.buckets, 'seconds', c.seconds) order by c.route, c.method, c.status), '[]')
      from private.request_counts c
    ),
    'queues', jsonb_build_object('at', v_parts #> '{message_queues,at}', 'items', v_parts #> '{message_queues,value}'),
    'jobs', jsonb_build_object('at', v_parts #> '{jobs,at}', 'items', v_parts #> '{jobs,value}'),
    'statements', jsonb_build_object('at', v_parts #> '{slow_queries,at}', 'mean_ms', (
      select coalesce(jsonb_agg(s.value -> 'mean_ms'), '[]') from jsonb_array_elements(v_parts #> '{slow_queries,value,items}') as s (value)
    )),
    'outages', (
      select coalesce(jsonb_agg(jsonb_build_object('queue', o.queue, 'reason', o.reason, 'failures', o.failures,
        'failing_since', o.failing_since, 'paused_until', nullif(o.paused_until, '-infinity')) order by o.queue), '[]')
      from private.outages o
    ),
    'store_sync', private.store_sync_figures(),
    'withdrawals', (select jsonb_build_object('open', count(*), 'oldest_at', min(e.started_at)) from private.account_ends e),
    'last_job_started_at', (
      -- A run gets its number before its start: so by number, with some more than can wait at a time.
      select max(r.start_time) from (select d.start_time from cron.job_run_details d order by d.runid desc limit 100) r
    ),
    'database', private.database_figures()
  );
end
$$;
