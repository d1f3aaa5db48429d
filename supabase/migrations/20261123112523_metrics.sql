-- Metrics: counts of requests by route and status, and one read of all figures for a monitoring system.
--
-- The definitions are those of supabase/schemas after this change. Functions of before this file work with them: the stored
-- figures of queues and jobs only get more fields. The way back is a file of its own.

set lock_timeout = '2s';

-- Unlogged: counts need no write-ahead log. A crash sets them to zero, which a monitoring system reads as a restart. The
-- functions write the templates of their routes, never the path of a request. So a row for each route and status is the bound.
create unlogged table private.request_counts (
  method text collate "C" not null constraint request_counts_method_known
    check (method in ('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'OTHER')),
  route text collate "C" not null constraint request_counts_route_form
    check (route ~ '^(unmatched|(/[a-z0-9._-]+|/\{[A-Za-z_]+\})+)$' and char_length(route) <= 200),
  status smallint not null constraint request_counts_status_bounds check (status between 100 and 599),
  access text collate "C" not null constraint request_counts_access_known
    check (access in ('public', 'optional', 'user', 'admin', 'service', 'monitor')),
  buckets bigint[] not null constraint request_counts_buckets_form
    check (cardinality(buckets) = 11 and array_position(buckets, null) is null and 0 <= all (buckets)),
  seconds double precision not null constraint request_counts_seconds_finite check (seconds >= 0 and seconds < 'infinity'),
  counted_at timestamptz not null default now(),
  primary key (method, route, status)
) with (fillfactor = 50); -- counting rewrites the row in its page

comment on table private.request_counts is 'Requests since the start of counting, by route and status: for metrics.';
comment on column private.request_counts.route is 'The template of the route; unmatched: no route has the path.';
comment on column private.request_counts.access is 'The access of the route, for example public.';
comment on column private.request_counts.buckets is
  'Requests by duration: up to 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10 and 30 seconds, and longer ones.';
comment on column private.request_counts.seconds is 'The sum of the durations.';
comment on column private.request_counts.counted_at is 'When a request was last counted.';

-- Adds counts, each method, route and status once.
create function private.write_request_counts(p_counts jsonb) returns void
language plpgsql
security definer -- no role writes counts directly
set search_path = ''
as $$
begin
  insert into private.request_counts as c (method, route, status, access, buckets, seconds)
  select r.method, r.route, r.status, r.access, r.buckets, r.seconds
  from jsonb_to_recordset(p_counts)
    as r (method text, route text, status smallint, access text, buckets bigint[], seconds double precision)
  -- All processes lock the rows in the same order.
  order by r.method collate "C", r.route collate "C", r.status
  on conflict (method, route, status) do update set
    access = excluded.access,
    buckets = array(select b.old + b.new from unnest(c.buckets, excluded.buckets) with ordinality as b (old, new, nth) order by b.nth),
    seconds = c.seconds + excluded.seconds,
    counted_at = excluded.counted_at;
end
$$;

create function api.add_request_counts(p_counts jsonb) returns void
language plpgsql
set search_path = ''
as $$
begin
  if jsonb_typeof(p_counts) is distinct from 'array' or jsonb_array_length(p_counts) > 5000 then
    perform private.raise_error('validation_error', 422, 'counts must be a list of up to 5,000 counts.', p_param => 'counts');
  end if;
  perform private.write_request_counts(p_counts);
exception when check_violation or not_null_violation or cardinality_violation or data_exception then
  perform private.raise_error('validation_error', 422,
    'counts must have method, route, status, access, buckets and seconds, and each route and status once.', p_param => 'counts');
end
$$;

comment on function api.add_request_counts(jsonb) is
  'Adds requests to the counts for metrics: [{method, route, status, access, buckets, seconds}], each method, route and status once. buckets has 11 counts by duration, seconds is their sum. Not idempotent. For the service only. Errors: validation_error.';

-- For each queue: the number of messages, the number that a consumer could read, the time since when the oldest of these
-- waits, and the number of its dead messages.
create or replace function private.queue_figures() returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_queue text;
  v_figures jsonb;
  v_queues jsonb := '[]';
begin
  for v_queue in select m.queue_name from pgmq.meta m order by m.queue_name loop
    -- A message with a delay is not late: its age counts from the time when it is due.
    execute format(
      'select jsonb_build_object(''queue'', $1, ''length'', count(*), ''due'', count(*) filter (where q.vt <= clock_timestamp()),
        ''oldest_due_at'', min(q.vt) filter (where q.vt <= clock_timestamp()),
        ''dead'', (select count(*) from private.dead_messages d where d.queue = $1))
      from pgmq.%I q', 'q_' || lower(v_queue)
    ) into v_figures using v_queue;
    v_queues := v_queues || v_figures;
  end loop;
  return v_queues;
end
$$;

-- For each job: its name, whether it is active, the number of failed runs in the last 24 hours, whether its last finished
-- run failed, and the end of its last run that succeeded.
create or replace function private.job_figures() returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  -- Other jobs of the minute run while this one counts: the last finished run decides whether a job fails.
  return (
    select jsonb_agg(jsonb_build_object(
      'name', coalesce(j.jobname, 'job ' || j.jobid), 'is_active', j.active, 'failed_24h', coalesce(r.failed_24h, 0),
      'is_failing', coalesce(r.failed > coalesce(r.succeeded, 0), false), 'succeeded_at', r.succeeded_at
    ) order by j.jobname, j.jobid)
    from cron.job j
    left join (
      select d.jobid, max(d.runid) filter (where d.status = 'failed') as failed,
        max(d.runid) filter (where d.status = 'succeeded') as succeeded,
        max(d.end_time) filter (where d.status = 'succeeded') as succeeded_at,
        count(*) filter (where d.status = 'failed' and d.start_time > now() - interval '24 hours') as failed_24h
      from cron.job_run_details d
      group by d.jobid
    ) r on r.jobid = j.jobid
  );
end
$$;

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

create function api.service_metrics() returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return private.service_figures();
end
$$;

comment on function api.service_metrics() is
  'Figures of the service for a monitoring system: {at, requests, queues, jobs, statements, outages, store_sync, withdrawals, last_job_started_at, database}. Reads only, without a scan of a table that grows. For the service only; raises no errors.';

-- Routes that no release has any more, and rare statuses.
insert into private.retentions (table_name, condition) values
  ('private.request_counts', 't.counted_at < now() - interval ''90 days''');

-- The stored figures get their new fields now.
select private.refresh_overview_now();
