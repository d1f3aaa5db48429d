-- Store sync for administrators: start runs, and read their results.
--
-- A request has a store and a task, each of which may be all. Combinations with an open run are joined: the reply has its
-- id, and no second one is started, also when all of them have one. A store that is not configured gets a run too, which
-- fails with that reason.
--
-- Invariants: the act and the runs that it starts are one transaction; the record has the runs that the request started.
-- Interface: api.admin_trigger_store_sync, admin_list_store_sync_runs, admin_get_store_sync_run.

-- A run as the console returns it.
create function private.store_sync_run_json(p_run public.store_sync_runs) returns jsonb
language sql stable
return jsonb_build_object(
  'id', (p_run).id, 'store', (p_run).store, 'task', (p_run).task, 'status', (p_run).status, 'requested_by', (p_run).requested_by,
  'rows_read', (p_run).rows_read, 'rows_written', (p_run).rows_written, 'error', (p_run).error, 'problem', (p_run).problem,
  'due_at', case when (p_run).status in ('queued', 'running') then (p_run).due_at end,
  'created_at', (p_run).created_at, 'started_at', (p_run).started_at, 'finished_at', (p_run).finished_at
);

create function api.admin_trigger_store_sync(p_admin_id uuid, p_store text, p_task text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_run_ids uuid[];
  v_started_ids uuid[];
begin
  perform private.lock_admin(p_admin_id, 'store_sync');
  perform private.check_choice('store', coalesce(p_store, ''), '{android_store,ios_store,all}');
  perform private.check_choice('task', coalesce(p_task, ''), '{sales,metrics,reviews,all}');
  select s.run_ids, s.started_ids into v_run_ids, v_started_ids from private.start_store_sync(p_store, p_task, p_admin_id) s;
  perform private.record_act(p_admin_id, 'store_sync.trigger', 'store_sync', null, null,
    private.difference(null, jsonb_build_object('store', p_store, 'task', p_task, 'sync_run_ids', to_jsonb(v_started_ids))));
  return jsonb_build_object('sync_run_ids', to_jsonb(v_run_ids), 'count', cardinality(v_run_ids), 'status', 'queued');
end
$$;

comment on function api.admin_trigger_store_sync(uuid, text, text) is
  'Starts runs of a task (sales, metrics, reviews, all) for a store (android_store, ios_store, all): {sync_run_ids, count, status}. Combinations with an open run are joined: sync_run_ids has the open run of each. Recorded with the runs that it started, which may be none. For administrators of store_sync. Errors: forbidden, validation_error.';

create function api.admin_list_store_sync_runs(
  p_admin_id uuid, p_store text default null, p_task text default null, p_status text default null,
  p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'store_sync');
  perform private.check_choice('store', p_store, '{android_store,ios_store}');
  perform private.check_choice('task', p_task, '{sales,metrics,reviews}');
  perform private.check_choice('status', p_status, '{queued,running,succeeded,failed}');
  return private.list_rows('public.store_sync_runs', '{created_at timestamptz,id uuid}', 'desc', jsonb_build_object(
    'r.store = %s', p_store,
    'r.task = %s', p_task,
    'r.status = %s', p_status
  ), p_include, p_cursor, p_limit, 'private.store_sync_run_json(r)');
end
$$;

comment on function api.admin_list_store_sync_runs(uuid, text, text, text, text[], text, integer) is
  'Runs of store sync, the latest first: {items, next_cursor}, and total when p_include has it. For administrators of store_sync. Errors: forbidden, validation_error.';

create function api.admin_get_store_sync_run(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'store_sync');
  return private.require_row(
    (select private.store_sync_run_json(r) from public.store_sync_runs r where r.id = p_id), 'There is no such run.'
  );
end
$$;

comment on function api.admin_get_store_sync_run(uuid, uuid) is
  'A run of store sync: the rows that it read and wrote, and its result. For administrators of store_sync. Errors: forbidden, not_found.';
