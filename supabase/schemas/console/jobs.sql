-- Jobs and dead messages for administrators: jobs with their last and next run, and messages that no consumer could finish.
--
-- Every active administrator may read them; administrators with the area admins requeue or discard dead messages. A
-- requeued message is a new message of its queue, which is read at once.
--
-- Invariants: a dead message is requeued or discarded once; the act and its effect are one transaction. The record does not
-- contain the text of the message.
-- Interface: api.admin_list_jobs, admin_list_dead_messages, admin_requeue_dead_message, admin_discard_dead_message.

-- ---------------------------------------------------------------------------------------------------------------------
-- When a job runs next
-- ---------------------------------------------------------------------------------------------------------------------

-- The values of a field of a schedule; null when it is not written with numbers (names of days, $).
create function private.schedule_values(p_field text, p_low integer, p_high integer) returns integer[]
language plpgsql immutable
set search_path = ''
as $$
declare
  v_part text[];
  v_values integer[] := '{}';
begin
  for v_part in
    select regexp_match(f.part, '^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:/([1-9]\d?))?$') from string_to_table(p_field, ',') as f (part)
  loop
    if v_part is null then
      return null;
    end if;
    v_values := v_values || array(select generate_series(
      coalesce(v_part[1]::integer, p_low), coalesce(v_part[2]::integer, v_part[1]::integer, p_high), coalesce(v_part[3]::integer, 1)
    ));
  end loop;
  return v_values;
end
$$;

-- The next run of a job with a schedule, after p_now, by the clock of pg_cron (UTC); null when it cannot be computed.
create function private.next_run(p_schedule text, p_last timestamptz, p_now timestamptz) returns timestamptz
language plpgsql immutable
set search_path = ''
as $$
declare
  v_fields constant text[] := regexp_split_to_array(btrim(p_schedule, e' \t'), '\s+');
  v_today constant timestamp := date_trunc('day', p_now at time zone 'UTC');
  v_minutes integer[] := private.schedule_values(v_fields[1], 0, 59);
  v_hours integer[] := private.schedule_values(v_fields[2], 0, 23);
  v_days integer[] := private.schedule_values(v_fields[3], 1, 31);
  v_months integer[] := private.schedule_values(v_fields[4], 1, 12);
  v_weekdays integer[] := private.schedule_values(v_fields[5], 0, 7);
  -- When both day of month and day of week are limited, one of them is enough.
  v_is_either constant boolean := left(v_fields[3], 1) <> '*' and left(v_fields[5], 1) <> '*';
begin
  if p_schedule ~* '^\d+ seconds?$' then
    return greatest(p_last + make_interval(secs => v_fields[1]::integer), p_now);
  elsif cardinality(v_fields) <> 5
    or v_minutes is null or v_hours is null or v_days is null or v_months is null or v_weekdays is null then
    return null;
  end if;
  return (
    select min(t.at) at time zone 'UTC'
    from (
      select s.day
      from (select generate_series(v_today, v_today + interval '4 years', interval '1 day') as day) s
      cross join lateral (
        select extract(day from s.day) = any (v_days) as by_day, extract(dow from s.day) = any (v_weekdays)
          or extract(isodow from s.day) = any (v_weekdays) as by_weekday
      ) m
      where extract(month from s.day) = any (v_months)
        and case when v_is_either then m.by_day or m.by_weekday else m.by_day and m.by_weekday end
      limit 2 -- today may be over
    ) d
    cross join unnest(v_hours) as h (hour) cross join unnest(v_minutes) as n (minute)
    cross join lateral (select d.day + make_interval(hours => h.hour, mins => n.minute) as at) t
    where t.at > p_now at time zone 'UTC'
  );
end
$$;

-- Each job with its last run, and the number that failed in the last 24 hours.
create function private.job_runs() returns table (
  name text, schedule text, is_active boolean, status text, started_at timestamptz, ended_at timestamptz, message text, failed integer
)
language plpgsql stable
security definer -- the tables of pg_cron show each role only its own jobs; the functions of the console read those of the migrations
set search_path = ''
as $$
begin
  -- The runs of a week are read once for all jobs.
  return query
  select coalesce(j.jobname, 'job ' || j.jobid), j.schedule, j.active, d.status, d.start_time, d.end_time, d.return_message,
    coalesce(r.failed, 0)::integer
  from cron.job j
  left join (
    select a.jobid, max(a.runid) as runid, count(*) filter (where a.status = 'failed' and a.start_time > now() - interval '24 hours') as failed
    from cron.job_run_details a
    group by a.jobid
  ) r on r.jobid = j.jobid
  left join cron.job_run_details d on d.runid = r.runid;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Dead messages
-- ---------------------------------------------------------------------------------------------------------------------

-- A page of the dead messages of these areas, newest first, as private.list_rows returns it. Errors: validation_error.
create function private.dead_messages_page(p_areas text[], p_queue text, p_include text[], p_cursor text, p_limit integer) returns jsonb
language plpgsql stable
security definer -- queues are accessed only through functions
set search_path = ''
as $$
begin
  return private.list_rows('private.dead_messages', '{died_at timestamptz,id uuid}', 'desc',
    jsonb_build_object('private.area_of_queue(r.queue) = any (string_to_array(%s, '',''))', array_to_string(p_areas, ','),
      'r.queue = %s', p_queue), p_include, p_cursor, p_limit, 'to_jsonb(r) - ''msg_id''');
end
$$;

-- Deletes a dead message, and returns it. Errors: not_found.
create function private.take_dead_message(p_id uuid) returns private.dead_messages
language plpgsql
security definer -- queues are accessed only through functions
set search_path = ''
as $$
declare
  v_dead private.dead_messages;
begin
  delete from private.dead_messages d where d.id = p_id returning * into v_dead;
  if v_dead.id is null then
    perform private.raise_error('not_found', 404, 'There is no such dead message.', p_param => 'id');
  end if;
  return v_dead;
end
$$;

-- private.enqueue for a queue that may be deleted. Errors: conflict.
create function private.requeue(p_queue text, p_message jsonb) returns bigint
language plpgsql
security definer -- queues are accessed only through functions
set search_path = ''
as $$
begin
  if not exists (select from pgmq.meta m where m.queue_name = p_queue) then
    perform private.raise_error('conflict', 409, 'The queue of this message no longer exists. Discard the message.', p_param => 'id',
      p_details => '{"reason": "queue_gone"}');
  end if;
  return private.enqueue(p_queue, p_message);
end
$$;

create function api.admin_list_jobs(p_admin_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, null);
  return (
    select jsonb_build_object('at', now(), 'items', coalesce(jsonb_agg(jsonb_build_object(
      'name', r.name, 'schedule', r.schedule, 'is_active', r.is_active,
      'last_run', case when r.started_at is not null then jsonb_build_object(
        'status', r.status, 'started_at', r.started_at, 'ended_at', r.ended_at,
        'duration_ms', round(extract(epoch from r.ended_at - r.started_at) * 1000),
        'error', case when r.status = 'failed' then left(r.message, 500) end
      ) end,
      'failed_24h', r.failed,
      'next_run_at', case when r.is_active then private.next_run(r.schedule, coalesce(r.started_at, now()), now()) end
    ) order by r.name), '[]'))
    from private.job_runs() r where private.area_of_job(r.name) = any (array(select unnest(private.areas_of(p_admin_id))))
  );
end
$$;

comment on function api.admin_list_jobs(uuid) is
  'The jobs of the administrator''s areas, each with its last run, the failed runs of the last 24 hours and its next run if it can be computed: {at, items}. Errors: forbidden.';

create function api.admin_list_dead_messages(
  p_admin_id uuid, p_queue text default null, p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, null);
  return private.dead_messages_page(private.areas_of(p_admin_id), p_queue, p_include, p_cursor, p_limit);
end
$$;

comment on function api.admin_list_dead_messages(uuid, text, text[], text, integer) is
  'Messages of the administrator''s areas that no consumer could finish, newest first: {items, next_cursor}, and total when p_include has it. Errors: forbidden, validation_error.';

create function api.admin_requeue_dead_message(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_dead private.dead_messages;
  v_requeued jsonb;
begin
  perform private.lock_admin(p_admin_id, 'admins');
  v_dead := private.take_dead_message(p_id);
  v_requeued := jsonb_build_object('queue', v_dead.queue, 'msg_id', private.requeue(v_dead.queue, v_dead.message));
  perform private.record_act(p_admin_id, 'dead_message.requeue', 'dead_message', p_id::text, null,
    private.difference(null, v_requeued));
  return v_requeued;
end
$$;

comment on function api.admin_requeue_dead_message(uuid, uuid) is
  'Moves a dead message back into its queue, to be read at once: {queue, msg_id}. Recorded. Area admins. Errors: forbidden, not_found, conflict.';

create function api.admin_discard_dead_message(p_admin_id uuid, p_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_dead private.dead_messages;
begin
  perform private.lock_admin(p_admin_id, 'admins');
  v_dead := private.take_dead_message(p_id);
  perform private.record_act(p_admin_id, 'dead_message.discard', 'dead_message', p_id::text, null,
    private.difference(jsonb_build_object('queue', v_dead.queue, 'read_count', v_dead.read_count), null));
end
$$;

comment on function api.admin_discard_dead_message(uuid, uuid) is
  'Deletes a dead message permanently. Recorded. Area admins. Errors: forbidden, not_found.';
