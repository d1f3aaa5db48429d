-- The interface of store sync: sales, reviews and metrics of the stores.
--
-- Clients and the service call these functions. The rules are in runs.sql, worker.sql and writes.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- The consumer
-- ---------------------------------------------------------------------------------------------------------------------

create function api.take_store_sync_run() returns jsonb
language plpgsql
security definer -- no role may read or write queues directly
set search_path = ''
as $$
declare
  c_max_attempts constant integer := 10;
  v_read record;
  v_run public.store_sync_runs;
  v_busy_until timestamptz;
  v_turn jsonb;
  v_others boolean := false;
begin
  perform private.lock_store_sync();
  perform private.note_consumer('store-sync');
  for v_read in select m.msg_id, m.message from pgmq.read('store-sync', private.lease_seconds(), 20) as m order by m.msg_id loop
    select * into v_run from public.store_sync_runs r where r.id = (v_read.message ->> 'run_id')::uuid for update;
    select max(o.lease_ends_at) into v_busy_until from public.store_sync_runs o
    where o.store = v_run.store and o.lease_ends_at > clock_timestamp();
    if v_run.msg_id is distinct from v_read.msg_id then
      perform pgmq.delete('store-sync', v_read.msg_id);
    elsif v_run.due_at > clock_timestamp() or v_busy_until is not null then
      perform private.skip_messages('store-sync', array[v_read.msg_id], greatest(v_run.due_at, v_busy_until));
    elsif v_turn is not null then
      v_others := true;
      perform private.skip_messages('store-sync', array[v_read.msg_id], clock_timestamp());
    elsif v_run.attempts >= c_max_attempts then
      perform private.end_store_sync_run(v_run, coalesce(v_run.problem, jsonb_build_object(
        'code', 'interrupted', 'message', format('%s turns ended before they wrote anything.', c_max_attempts)
      )));
    else
      v_turn := private.begin_store_turn(v_run);
    end if;
  end loop;
  if v_others then
    perform private.call_function('store-sync');
  end if;
  return v_turn;
end
$$;

comment on function api.take_store_sync_run() is
  'The next due run whose store no other consumer queries, under a lease of private.lease_seconds: {run_id, lease_id, store, task, days, parts, next_page, read_until}; null for none. days: the days of sales to read. parts: the reports of metrics that need not be read. next_page: the page of reviews to continue with. read_until: an earlier run has read the reviews before that time; null: none has. For the service only. It raises no errors.';

create function api.extend_store_sync_lease(p_run_id uuid, p_lease_id uuid) returns boolean
language plpgsql
security definer -- no role may read or write queues directly
set search_path = ''
as $$
declare
  v_run public.store_sync_runs;
begin
  perform private.lock_store_sync();
  v_run := private.locked_store_sync_run(p_run_id, p_lease_id);
  if v_run.id is not null then
    update public.store_sync_runs r set lease_ends_at = clock_timestamp() + make_interval(secs => private.lease_seconds())
    where r.id = p_run_id;
    perform private.hide_messages('store-sync', array[v_run.msg_id], private.lease_seconds());
  end if;
  return v_run.id is not null;
end
$$;

comment on function api.extend_store_sync_lease(uuid, uuid) is
  'Extends the lease of a turn by private.lease_seconds from now. False when the run has another lease. For the service only. It raises no errors.';

create function api.finish_store_sync_run(p_run_id uuid, p_lease_id uuid) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_run public.store_sync_runs;
begin
  perform private.lock_store_sync();
  v_run := private.locked_store_sync_run(p_run_id, p_lease_id);
  if v_run.id is not null then
    perform private.end_store_sync_run(v_run, null);
  end if;
  return v_run.id is not null;
end
$$;

comment on function api.finish_store_sync_run(uuid, uuid) is
  'Ends a run that has read everything. False when the run has another lease. For the service only. It raises no errors.';

create function api.fail_store_sync_run(p_run_id uuid, p_lease_id uuid, p_code text, p_message text) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_run public.store_sync_runs;
begin
  perform private.lock_store_sync();
  v_run := private.locked_store_sync_run(p_run_id, p_lease_id);
  if v_run.id is not null then
    perform private.end_store_sync_run(v_run, jsonb_build_object('code', p_code, 'message', left(p_message, 500)));
  end if;
  return v_run.id is not null;
end
$$;

comment on function api.fail_store_sync_run(uuid, uuid, text, text) is
  'Fails a run for a reason that no wait removes: error {code, message}. False when the run has another lease. For the service only. It raises no errors.';

create function api.postpone_store_sync_run(
  p_run_id uuid, p_lease_id uuid, p_seconds integer default 0, p_code text default null, p_message text default null
) returns integer
language plpgsql
set search_path = ''
as $$
declare
  v_run public.store_sync_runs;
begin
  perform private.lock_store_sync();
  v_run := private.locked_store_sync_run(p_run_id, p_lease_id);
  if v_run.id is null then
    return null;
  end if;
  return private.delay_store_sync_run(v_run, p_seconds,
    case when p_code is not null then jsonb_build_object('code', p_code, 'message', left(p_message, 500)) end);
end
$$;

comment on function api.postpone_store_sync_run(uuid, uuid, integer, text, text) is
  'Ends the turn; the run continues after p_seconds, or later when a problem (p_code, p_message) ended it. Returns the seconds; null when the run has another lease. For the service only. It raises no errors.';

create function api.write_store_sales(p_run_id uuid, p_lease_id uuid, p_day date, p_rows jsonb, p_rows_read integer) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_run public.store_sync_runs;
begin
  v_run := private.locked_store_sync_run(p_run_id, p_lease_id);
  if v_run.id is not null then
    perform private.record_store_rows(p_run_id, p_rows_read, private.replace_store_day(v_run.store, p_day, p_rows));
    perform private.record_store_part(v_run.store, v_run.task, p_day::text);
  end if;
  return v_run.id is not null;
end
$$;

comment on function api.write_store_sales(uuid, uuid, date, jsonb, integer) is
  'Replaces a store''s sales of a day: [{sku, title, product_type, country, currency, units, refund_units, amount_minor, refund_minor, proceeds_currency, proceeds_minor}], money in minor units, one row for each product, country and currencies; none: nothing was sold. p_rows_read: rows of the report. False, without a write, when the run has another lease. For the service only. It raises no errors.';

create function api.write_store_reviews(p_run_id uuid, p_lease_id uuid, p_rows jsonb, p_next_page text default null) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_run public.store_sync_runs;
begin
  v_run := private.locked_store_sync_run(p_run_id, p_lease_id);
  if v_run.id is not null then
    perform private.record_store_rows(p_run_id, jsonb_array_length(p_rows), private.put_store_reviews(v_run.store, p_rows));
    update public.store_sync_runs r set next_page = p_next_page where r.id = p_run_id;
  end if;
  return v_run.id is not null;
end
$$;

comment on function api.write_store_reviews(uuid, uuid, jsonb, text) is
  'Writes a page of reviews: [{review_id, rating, title, body, language, territory, author_name, app_version, response_body, responded_at, reviewed_at}], and records the page to continue with. False, without a write, when the run has another lease. For the service only. It raises no errors.';

create function api.write_store_metrics(
  p_run_id uuid, p_lease_id uuid, p_part text, p_reported_on date, p_rows jsonb, p_rows_read integer
) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_run public.store_sync_runs;
begin
  v_run := private.locked_store_sync_run(p_run_id, p_lease_id);
  if v_run.id is not null then
    perform private.record_store_rows(p_run_id, p_rows_read, private.put_store_metrics(v_run.store, p_reported_on, p_rows));
    perform private.record_store_part(v_run.store, v_run.task, p_part);
  end if;
  return v_run.id is not null;
end
$$;

comment on function api.write_store_metrics(uuid, uuid, text, date, jsonb, integer) is
  'Writes a report of metrics and records it as read: [{metric_date, metric, value}], once each. A report of an earlier p_reported_on does not change values of a later one. False, without a write, when the run has another lease. For the service only. It raises no errors.';
