-- Store sync: sales, reviews and usage of the App Store and Google Play, in tables of the service.
--
-- A run fetches one task (sales, metrics, reviews) from one store. It is a row of store_sync_runs and a message of the
-- queue store-sync; the function store-sync takes it, fetches and writes (store_sync/worker.sql and
-- store_sync/writes.sql). An administrator (admin_store_sync) or a nightly job starts runs.
--
-- Data are written by their natural key, in complete parts: a day of sales, a page of reviews, a report of metrics.
-- Reading a part again replaces it, so an interrupted run and a repeated run have the same result.
-- private.store_synced_parts has the parts that were read.
--
-- Money is in minor units of its currency (1 is one yen, or one cent). Days are the store's own: Pacific time for the App
-- Store, the dates of the report for Google Play.
--
-- Invariants: a store and a task have at most one open run. One consumer works on a run, and one consumer at a time
-- queries each store. Units and amounts of refunds are negative parts of units and amount_minor.
-- Interface: private.start_store_sync, private.store_days_to_read.

-- The combinations of stores and tasks, each of which may be all.
create function private.store_sync_combinations(p_store text, p_task text) returns table (store text, task text)
language plpgsql immutable
set search_path = ''
as $$
begin
  return query
    select s.store, t.task
    from (values (1, 'android_store'), (2, 'ios_store')) as s (place, store)
    cross join (values (1, 'sales'), (2, 'metrics'), (3, 'reviews')) as t (place, task)
    where p_store in (s.store, 'all') and p_task in (t.task, 'all')
    order by s.place, t.place;
end
$$;

-- Starts, takes and ends of turns run one after another, so that each store has one consumer. To be called before a run
-- is locked.
create function private.lock_store_sync() returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtext('private.store_sync'));
end
$$;

-- Starts a run of each store and task that has none open, and calls the consumer when the transaction commits. run_ids:
-- the open runs of all of them; started_ids: the new ones.
create function private.start_store_sync(p_store text, p_task text, p_requested_by uuid, out run_ids uuid[], out started_ids uuid[])
language plpgsql
security definer -- no role may read or write queues directly
set search_path = ''
as $$
begin
  -- So an open run that is found does not end before this transaction does.
  perform private.lock_store_sync();
  perform from public.store_sync_runs r where r.status in ('queued', 'running') order by r.id for share;
  with started as (
    insert into public.store_sync_runs (store, task, requested_by)
    select c.store, c.task, p_requested_by from private.store_sync_combinations(p_store, p_task) c
    on conflict (store, task) where status in ('queued', 'running') do nothing
    returning id
  )
  select coalesce(array_agg(s.id), '{}') into started_ids from started s;
  update public.store_sync_runs r set msg_id = private.enqueue('store-sync', jsonb_build_object('run_id', r.id))
  where r.id = any (started_ids);
  select array_agg(r.id order by r.store, array_position(array['sales', 'metrics', 'reviews'], r.task)) into run_ids
  from private.store_sync_combinations(p_store, p_task) c
  join public.store_sync_runs r on r.store = c.store and r.task = c.task and r.status in ('queued', 'running');
  if started_ids <> '{}' then
    perform private.call_function('store-sync');
  end if;
end
$$;

-- Starts a run of every store and task without an open one.
create function private.sync_stores() returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.start_store_sync('all', 'all', null);
end
$$;

-- The days of sales that a run which started at p_since has to read, of the last 90: days that were never read, and
-- recent days that were not read since.
create function private.store_days_to_read(p_store text, p_since timestamptz) returns date[]
language plpgsql stable
security definer -- no role may read the parts directly
set search_path = ''
as $$
declare
  c_days constant integer := 90;
  v_today constant date := (now() at time zone 'UTC')::date;
  -- Google Play's monthly reports change until the following month; a day of the App Store rarely does.
  v_again_from constant date := case p_store
    when 'android_store' then (date_trunc('month', v_today) - interval '1 month')::date else v_today - 7 end;
begin
  return array(
    select d.day::date
    from generate_series(v_today - c_days, v_today - 1, interval '1 day') as d (day)
    left join private.store_synced_parts p on p.store = p_store and p.task = 'sales' and p.part = d.day::date::text
    where p.part is null or (d.day >= v_again_from and p.synced_at < p_since)
    order by d.day
  );
end
$$;
