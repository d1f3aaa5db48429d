-- Store sync worker: turns of runs, and their end.
--
-- The function store-sync takes a run for a turn: it holds the lease, which it extends while it works. It ends the turn by
-- finishing the run, by failing it, or by postponing it: when its time is up, or when the store requests a wait or is down.
-- When a consumer dies, the run is taken again after the lease and continues with the parts that were not read. Later
-- writes of the former consumer are ignored, because the lease is not the run's any more.
--
-- Runs of a store that a consumer queries are hidden until its lease may end. The end of its turn shows them at once. A
-- consumer that takes a run of one store calls another one for due runs of the other store.
--
-- A run that writes nothing in ten turns fails. Administrators with the area store_sync are notified of failed runs, except
-- those of a store that is not configured.
--
-- Invariants: a turn writes only under its lease; one consumer at a time queries a store.
-- Interface, for the function: api.take_store_sync_run, api.extend_store_sync_lease, api.finish_store_sync_run,
-- api.fail_store_sync_run, api.postpone_store_sync_run.

-- A run that the caller has the lease of, locked until the transaction ends; null when it has another lease, or has
-- ended.
create function private.locked_store_sync_run(p_run_id uuid, p_lease_id uuid) returns public.store_sync_runs
language plpgsql
set search_path = ''
as $$
declare
  v_run public.store_sync_runs;
begin
  select * into v_run from public.store_sync_runs r
  where r.id = p_run_id and r.lease_id = p_lease_id and r.status = 'running' for update;
  return v_run;
end
$$;

-- Adds to the rows that a run has read and written, and extends its lease.
create function private.record_store_rows(p_run_id uuid, p_rows_read integer, p_rows_written bigint) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.store_sync_runs r
  set rows_read = r.rows_read + p_rows_read, rows_written = r.rows_written + p_rows_written, attempts = 0, problem = null,
    lease_ends_at = clock_timestamp() + make_interval(secs => private.lease_seconds())
  where r.id = p_run_id;
end
$$;

-- Shows the due runs of a store to consumers, after the turn of another run has ended.
create function private.show_store_runs(p_store text) returns void
language plpgsql
security definer -- no role may read or write queues directly
set search_path = ''
as $$
begin
  update pgmq."q_store-sync" q set vt = clock_timestamp()
  from public.store_sync_runs r
  where r.msg_id = q.msg_id and r.store = p_store and r.lease_id is null and r.due_at <= clock_timestamp()
    and q.vt > clock_timestamp();
end
$$;

-- Ends a running run, with its message: it succeeded, or failed with {code, message}.
create function private.end_store_sync_run(p_run public.store_sync_runs, p_error jsonb) returns void
language plpgsql
security definer -- no role may read or write queues directly
set search_path = ''
as $$
begin
  update public.store_sync_runs r
  set status = case when p_error is null then 'succeeded' else 'failed' end, error = p_error, finished_at = now(),
    msg_id = null, lease_id = null, lease_ends_at = null, problem = null, next_page = null
  where r.id = (p_run).id;
  perform pgmq.delete('store-sync', (p_run).msg_id);
  perform private.show_store_runs((p_run).store);
  if p_error ->> 'code' <> 'not_configured' then
    perform private.notify_admins('notice', 'ストア連携に失敗しました',
      format('%s %s: %s', (p_run).store, (p_run).task, p_error ->> 'message'),
      p_link => '/store-sync', p_severity => 'warning', p_area => 'store_sync');
  end if;
end
$$;

-- Gives a run to a consumer for a turn, as api.take_store_sync_run returns it.
create function private.begin_store_turn(p_run public.store_sync_runs) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_lease_id constant uuid := gen_random_uuid();
  v_store constant text := (p_run).store;
  v_task constant text := (p_run).task;
begin
  update public.store_sync_runs r
  set status = 'running', started_at = coalesce(r.started_at, now()), lease_id = v_lease_id,
    lease_ends_at = clock_timestamp() + make_interval(secs => private.lease_seconds()), attempts = r.attempts + 1
  where r.id = (p_run).id;
  return jsonb_build_object(
    'run_id', (p_run).id, 'lease_id', v_lease_id, 'store', v_store, 'task', v_task, 'next_page', (p_run).next_page,
    'days', case v_task when 'sales' then to_jsonb(private.store_days_to_read(v_store, (p_run).created_at)) else '[]' end,
    'parts', private.read_store_parts(v_store, v_task, (p_run).created_at),
    'read_until', (
      select max(r.started_at) - interval '30 days' from public.store_sync_runs r
      where r.store = v_store and r.task = v_task and r.status = 'succeeded'
    )
  );
end
$$;

-- The reports of metrics that a run which started at p_since need not read: those that it has read, and instances, which
-- never change.
create function private.read_store_parts(p_store text, p_task text, p_since timestamptz) returns jsonb
language plpgsql stable
security definer -- no role may read the parts directly
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(p.part order by p.part), '[]') from private.store_synced_parts p
    where p.store = p_store and p.task = p_task and p_task = 'metrics'
      and (p.synced_at >= p_since or (p.part like 'instance/%' and p.synced_at > now() - interval '200 days'))
  );
end
$$;

-- Ends a turn: the run is taken again after p_seconds. After a problem the wait is at least 30 seconds, doubled with each
-- turn that wrote nothing, up to half an hour. Returns the seconds. Without a wait the consumer is called.
create function private.delay_store_sync_run(p_run public.store_sync_runs, p_seconds integer, p_problem jsonb) returns integer
language plpgsql
security definer -- no role may read or write queues directly
set search_path = ''
as $$
declare
  v_seconds constant integer := greatest(p_seconds, case when p_problem is null then 0 else least(1800, 15 * 2 ^ least((p_run).attempts, 10)) end, 0);
begin
  update public.store_sync_runs r
  set due_at = now() + make_interval(secs => v_seconds), lease_id = null, lease_ends_at = null,
    problem = coalesce(p_problem, r.problem)
  where r.id = (p_run).id;
  perform pgmq.set_vt('store-sync', (p_run).msg_id, v_seconds);
  perform private.show_store_runs((p_run).store);
  if v_seconds = 0 then
    perform private.call_function('store-sync');
  end if;
  return v_seconds;
end
$$;
